"""What pages may reach: bundled games, and what was named on the command line. A name from a page is looked up here, never opened."""

from __future__ import annotations

from pathlib import Path

import msgspec

from playout.agents import Recipe, recipe
from playout.agents.search_agent import PRESETS
from playout.errors import PlayoutError, suggest
from playout.game.game import Game
from playout.game.load import ALIASES, bundled, load, parse_spec

LONGEST = 400
"""Letters of anything that a page may name."""
HARMLESS = (*PRESETS, "random", "rule", "tactic")
"""Kinds of agents that a page may name: none of them opens a file, but for one option of searches."""
NETWORK = ".net"
"""How the names of files with a network end."""
FILE_OPTIONS = ("value",)
"""Options of a search agent that name a file."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one tab may take."""

    memory: float = 2000.0
    """Megabytes of its process, beyond those that it has at the start."""
    seconds: float = 3600.0
    """Seconds of search in all."""
    searches: int = 2
    """Searches at once."""
    patience: float = 10.0
    """Seconds that rules may take over one call."""


class Catalog(msgspec.Struct, frozen=True, kw_only=True):
    """The games and agents that were named, in words that can be sent to another process."""

    games: tuple[str, ...] = ()
    """Specs of games named on the command line, files among them."""
    agents: tuple[str, ...] = ()
    """Agents named on the command line; those with files may be used because they stand here."""
    databases: tuple[str, ...] = ()
    """Files of arenas named on the command line."""
    policies: tuple[str, ...] = ()
    """Files of learned policies and networks named on the command line."""
    seed: int | None = None
    """The seed of every new game; without one each has its own."""
    limits: Limits = Limits()

    @property
    def names(self) -> list[str]:
        """What can be chosen from, what was named first."""
        return list(dict.fromkeys([*self.games, *ALIASES, *bundled()]))

    @property
    def suggested(self) -> list[str]:
        """Agents to choose from without typing."""
        usual = ("uct:simulations=1000", "uct", "uct:seconds=2", "random")
        return list(dict.fromkeys(["person", *self.named_agents, *usual]))

    @property
    def named_agents(self) -> list[str]:
        """The agents that were named, policies among them: these may use files."""
        return [*self.agents, *(f"{'network' if file.endswith(NETWORK) else 'policy'}:{file}" for file in self.policies)]

    def game(self, spec: str) -> Game:
        """A game by one of the names, or by a bundled one with parameters; a path that was not named is no name."""
        spec = _short("game", spec)
        if spec in self.games:
            return load(spec)
        name, parameters = parse_spec(spec)
        files = {parse_spec(game)[0] for game in self.games}
        if name not in {*ALIASES, *bundled(), *files}:
            raise PlayoutError(
                f"game {spec!r} is not open in this studio; {suggest(name, self.names)} (a file of yours: playout studio FILE)"
            )
        return load(name, **parameters)

    def agent(self, spec: str, game: Game) -> Recipe:
        """An agent by its string; one that needs a file only if it was named."""
        self.permit(spec)
        return recipe(spec.strip(), game)

    def permit(self, spec: str) -> None:
        """Refuse a string that would open a file which was not named."""
        spec = _short("agent", spec)
        if spec not in self.named_agents:
            kind = spec.partition(":")[0].strip()
            if kind not in HARMLESS or ".py:" in spec:
                raise PlayoutError(
                    f"agent {spec!r} is not open in this studio; {suggest(kind, [*HARMLESS, *self.named_agents])} "
                    "(one with a file: playout studio GAME --agent AGENT)"
                )
            words = parse_spec(spec)[1]
            for option in FILE_OPTIONS:
                if option in words:
                    raise PlayoutError(
                        f"agent {spec!r} names a file with {option}=; name it on the command line: playout studio GAME --agent AGENT"
                    )

    def own_file(self, game: Game) -> Path | None:
        """The file of a game that the user wrote."""
        return Path(game.file) if game.file else None


def _short(what: str, text: str) -> str:
    if not isinstance(text, str) or len(text) > LONGEST:
        raise PlayoutError(f"the name of the {what} is too long; give at most {LONGEST} letters")
    return text.strip()
