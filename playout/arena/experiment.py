"""What is being asked: a game, agents, a schedule and the rules of the referee; and its identity.

Two commands that ask the same thing have the same identity, whatever number of games they want, so the second one goes
on where the first one stopped. Another seed, another setting, edited rules or another version of playout: another identity.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from playout.agents import CHEATS, Recipe, recipe
from playout.arena.referee import Rules
from playout.arena.schedule import Schedule
from playout.compile.digest import rules as rules_digest
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.load import load_listed

MOST_AGENTS = 200


class Contender(msgspec.Struct, frozen=True):
    """An agent as it is written into the file."""

    label: str
    """Its name in tables: the spec in one fixed order, numbered where the same one takes part twice."""
    spec: str
    settings: dict[str, Any]
    digest: str
    timed: bool


class Experiment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything that decides how the games go."""

    game: str
    rules_digest: str
    players: int
    agents: tuple[Contender, ...]
    shape: str
    seed: int
    rules: Rules
    version: str
    player_names: tuple[str, ...] = ()
    """What the game calls its players: for tables only, so no part of the identity."""
    passing: bool = False
    """Whether searches pass over decisions with one legal action; files of experiments from before they did say nothing of it."""

    @property
    def schedule(self) -> Schedule:
        """Who plays whom."""
        return Schedule(players=self.players, agents=len(self.agents), shape=self.shape, seed=self.seed)

    @property
    def labels(self) -> list[str]:
        """The names of the agents."""
        return [agent.label for agent in self.agents]

    @property
    def identity(self) -> str:
        """Twenty-four hex digits that differ whenever the games could."""
        return hashlib.sha256(msgspec.json.encode(msgspec.structs.replace(self, player_names=()))).hexdigest()[:24]

    @property
    def timed(self) -> bool:
        """Whether some agent decides by the clock, so that the games do not repeat."""
        return any(agent.timed for agent in self.agents)

    def encode(self) -> bytes:
        """As JSON."""
        return msgspec.json.encode(self)

    @classmethod
    def decode(cls, data: bytes) -> Experiment:
        """Out of the JSON that `encode` gives."""
        return msgspec.json.decode(data, type=cls)

    def differences(self, other: Experiment) -> list[str]:
        """What another experiment has differently, in words."""
        found = [
            f"{name} {_short(getattr(other, name))} instead of {_short(getattr(self, name))}"
            for name in ("game", "version", "shape", "seed", "rules")
            if getattr(self, name) != getattr(other, name)
        ]
        if self.game == other.game and self.rules_digest != other.rules_digest:
            found.append("other rules under the same name")
        if self.passing != other.passing:
            found.append("searches that spend nothing where there is one legal action, where these spend their whole budget")
        if self.labels != other.labels:
            found.append(f"agents {', '.join(other.labels)} instead of {', '.join(self.labels)}")
        elif self.agents != other.agents:
            found.append("agents whose settings or files are different now")
        return found


def _short(value: Any) -> str:
    if isinstance(value, Rules):
        return " ".join(f"{name}={part}" for name, part in msgspec.structs.asdict(value).items())
    return str(value)


def plan(
    game: Game | str,
    agents: Sequence[str | Recipe],
    *,
    shape: str = "round-robin",
    seed: int = 0,
    rules: Rules | None = None,
    fit: bool = True,
) -> tuple[Experiment, Game, list[Recipe]]:
    """An experiment out of what a user gives, with the game and the agents' recipes; everything is checked here.

    What `playout fit` found becomes part of the agents' specs, so the experiment says what was used and is the same anywhere.
    """
    from playout import __version__

    found = load_listed(game, "the arena")
    if not 1 <= len(agents) <= MOST_AGENTS:
        raise PlayoutError(f"{len(agents)} agents are given; give 1 to {MOST_AGENTS:,}, as in: random uct:simulations=1000")
    if not 0 <= seed < 1 << 62:
        raise PlayoutError(f"seed is {seed}; it must be a whole number from 0 to 2**62 - 1")
    recipes = [agent if isinstance(agent, Recipe) else recipe(agent, found, fit=fit) for agent in agents]
    if any(made.name == "person" for made in recipes):
        raise PlayoutError("agent 'person' cannot sit in the arena, which waits for nobody; play with playout play instead")
    for made in recipes:
        made.make(0)  # one that cannot be made is said now, and not game by game
    contenders = tuple(
        Contender(label, made.name, made.settings, made.digest, made.timed) for label, made in zip(_labels(recipes), recipes)
    )
    experiment = Experiment(
        game=found.spec,
        rules_digest=rules_digest(found),
        players=found.players,
        agents=contenders,
        shape=shape,
        seed=seed,
        rules=rules or Rules(),
        version=__version__,
        player_names=found.player_names,
        passing=True,
    )
    experiment.schedule  # noqa: B018 - made once here, so that a wrong one is said before anything starts
    return experiment, found, recipes


def _labels(recipes: Sequence[Recipe]) -> list[str]:
    names = [made.name + (CHEATS if made.peeks else "") for made in recipes]
    return [
        name if names[:place].count(name) == 0 else f"{name} #{names[:place].count(name) + 1}" for place, name in enumerate(names)
    ]
