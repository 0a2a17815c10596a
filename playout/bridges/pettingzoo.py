"""PettingZoo both ways: `env("connect-four")` is an AEC environment; `pettingzoo:connect_four_v3` is a game here.

An environment comes in where its state can be copied, its actions are listed by a mask, and a seed fixes its chance. All its chance is
then in the seed that it was reset with, so a state is that seed and the actions since. Where the seed makes a difference, it is taken for
hidden, and worlds are found by playing the past again with other seeds: nothing looks at a deck that was shuffled already.
"""

from __future__ import annotations

import copy
import importlib
import pkgutil
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.bridges.draws import Draws
from playout.bridges.environment import Eyes
from playout.bridges.objects import LONGEST, MOST_IDS, Rules, object_game
from playout.bridges.packages import need
from playout.errors import PlayoutError, suggest
from playout.game.game import Game
from playout.game.stream import PICKS, Stream

WORD = "pettingzoo"
SEEDS = 1 << 16
"""So many seeds an environment that comes in may be reset with."""
TRIALS, TRIAL_STEPS = 3, 40

if TYPE_CHECKING:
    Base: Any = object
else:
    Base = need("pettingzoo", "pettingzoo", "a PettingZoo environment").AECEnv


class PlayoutAEC(Base):  # type: ignore[misc]
    """A game from here as an environment in which agents take turns. Rewards are what the returns grew by."""

    metadata = {"render_modes": ["ansi", "human"], "is_parallelizable": False}

    def __init__(self, game: Game | str, render_mode: str | None = None, compiled: bool = False) -> None:
        super().__init__()
        self._eyes = Eyes(game, "PettingZoo", compiled)
        self.game, self.render_mode = self._eyes.game, render_mode
        self.metadata = {**type(self).metadata, "name": f"playout_{self.game.name}_v0"}
        self.possible_agents = [f"player_{player}" for player in range(self.game.players)]
        seen, acts = zip(*(self._eyes.spaces() for _ in self.possible_agents))
        self.observation_spaces = dict(zip(self.possible_agents, seen))
        self.action_spaces = dict(zip(self.possible_agents, acts))
        self._seed = 0

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game: of that seed, or of the one after the last."""
        self._seed = self._seed + 1 if seed is None else int(seed)
        self.state_now = self.game.start(self._seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._paid = self.state_now.returns
        self.agent_selection = self.possible_agents[max(0, self.state_now.mover)]

    def observe(self, agent: str) -> dict[str, Any]:
        return self._eyes.of(self.state_now, self.possible_agents.index(agent))

    def step(self, action: Any) -> None:
        """An action of the agent whose turn it is; one that is not legal is an error."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.state_now = self.state_now.play(int(action))
        returns = self.state_now.returns
        for player, name in enumerate(self.possible_agents):
            self.rewards[name] = returns[player] - self._paid[player]
        self._paid = returns
        if self.state_now.over:
            self.terminations = dict.fromkeys(self.agents, True)
            place = self.possible_agents.index(agent)
            self.agent_selection = self.possible_agents[(place + 1) % len(self.possible_agents)]
        else:
            self.agent_selection = self.possible_agents[self.state_now.mover]
        self._accumulate_rewards()
        if self.render_mode == "human":
            print(self.render())

    def render(self) -> str:
        """The state as the agent whose turn it is sees it."""
        return self.state_now.draw(max(0, self.state_now.mover))

    def close(self) -> None:
        """Nothing is open."""


def env(game: Game | str, **words: Any) -> Any:
    """An AEC environment of a game from here: `env("connect-four")`, `env("mnk:m=5,n=5,k=4", render_mode="ansi")`."""
    return PlayoutAEC(game, **words)


class _Zoo:
    """An environment that came in, with what its agents got so far."""

    __slots__ = ("env", "totals")

    def __init__(self, env: Any, totals: list[float]) -> None:
        self.env, self.totals = env, totals


def copied(env: Any) -> Any:
    """Another environment in the same state. Not by `copy.deepcopy` of it: many are made so that this gives a fresh one (EzPickle)."""
    other = object.__new__(type(env))
    other.__dict__ = copy.deepcopy(env.__dict__)
    return other


class ZooRules(Rules):
    """The rules of an AEC environment."""

    def __init__(self, name: str, make: Any) -> None:
        self.name, self.make = name, make
        first = make().unwrapped
        first.reset(seed=0)
        self.agents: list[str] = list(first.possible_agents)
        self.seeded = False
        """Whether its seed makes a difference."""
        self.first = first

    def start(self, draws: Draws) -> Any:
        env = copied(self.first)
        env.reset(seed=draws.below(SEEDS) if self.seeded else 0)
        return _Zoo(env, [0.0] * len(self.agents))

    def copy(self, thing: Any) -> Any:
        return _Zoo(copied(thing.env), list(thing.totals))

    def apply(self, thing: Any, action: int, draws: Draws) -> Any:
        env = thing.env
        env.step(action)
        for player, agent in enumerate(self.agents):
            thing.totals[player] += float(env.rewards.get(agent, 0.0))
        return thing

    def mover(self, thing: Any) -> int:
        env = thing.env
        if not env.agents or all(env.terminations[a] or env.truncations[a] for a in env.agents):
            return -1
        return self.agents.index(env.agent_selection)

    def legal(self, thing: Any) -> Sequence[int]:
        env = thing.env
        seen = env.observe(env.agent_selection)
        mask = seen.get("action_mask") if isinstance(seen, dict) else None
        if mask is None:
            mask = env.infos[env.agent_selection].get("action_mask")
        if mask is None:
            raise PlayoutError(f"{self.name} gives no action_mask, so nobody knows what is legal in it, and it cannot be bridged")
        found: Sequence[int] = np.flatnonzero(mask).tolist()
        return found

    def returns(self, thing: Any) -> Sequence[float]:
        found: Sequence[float] = thing.totals
        return found

    def observation(self, thing: Any, player: int) -> bytes:
        seen = thing.env.observe(self.agents[player])
        parts = seen.items() if isinstance(seen, dict) else [("observation", seen)]
        told = [f"{name}{np.asarray(value).tolist()}" for name, value in parts if name != "action_mask"]
        return repr((self.mover(thing), told)).encode()

    def drawn(self, thing: Any, viewer: int | None) -> str:
        """What the viewer, or the one to act, is shown."""
        player = max(0, self.mover(thing)) if viewer is None else viewer
        seen = thing.env.observe(self.agents[player])
        return str(np.asarray(seen["observation"] if isinstance(seen, dict) else seen))


def from_pettingzoo(make: Any, name: str = "", *, hidden: bool | None = None, longest: int = LONGEST) -> Game:
    """An AEC environment as a game here; `make()` gives a fresh one. `hidden` says whether agents see different things; by default
    that is so where the seed makes a difference."""
    rules = ZooRules(name or str(make), make)
    try:
        first = copied(rules.first)
    except Exception as error:
        raise PlayoutError(
            f"{rules.name} cannot be copied ({type(error).__name__}: {error}), so it cannot be searched, and is not bridged"
        ) from None
    sizes = {getattr(first.action_space(agent), "n", None) for agent in rules.agents}
    if None in sizes:
        raise PlayoutError(
            f"{rules.name} has actions that are not listed ({first.action_space(rules.agents[0])}), so it cannot be bridged"
        )
    most = int(max(size for size in sizes if size is not None))
    if most > MOST_IDS or len(rules.agents) > 8:
        raise PlayoutError(f"{rules.name} has {most:,} actions and {len(rules.agents)} agents; {MOST_IDS:,} and 8 can be bridged")
    rules.seeded = _seed_matters(rules)
    return object_game(
        rules,
        players=len(rules.agents),
        actions=most,
        longest=longest,
        hidden=rules.seeded if hidden is None else hidden,
        file=name,
        shown={"draw": rules.drawn},
        __doc__=f"{rules.name}, by PettingZoo",
        _identity=f"{WORD} {rules.name}",
    )


def _seed_matters(rules: ZooRules) -> bool:
    """Whether other seeds give other games of the same actions; and that the same seed gives the same one."""
    courses = [_course(rules, seed) for seed in range(TRIALS)]
    if _course(rules, 0) != courses[0]:
        raise PlayoutError(
            f"{rules.name} is not the same game twice from the same seed, so it cannot be played again, and is not bridged"
        )
    return any(course != courses[0] for course in courses)


def _course(rules: ZooRules, seed: int) -> list[Any]:
    env, picks, players = copied(rules.first), Stream(0, PICKS), range(len(rules.agents))
    env.reset(seed=seed)
    thing, seen, draws = _Zoo(env, [0.0] * len(rules.agents)), [], Draws()
    for _ in range(TRIAL_STEPS):
        seen.append([rules.observation(thing, player) for player in players])
        other = rules.copy(thing)
        if [rules.observation(other, player) for player in players] != seen[-1]:
            raise PlayoutError(f"a copy of {rules.name} is not in the same state, so it cannot be searched, and is not bridged")
        thing = other
        if rules.mover(thing) < 0:
            break
        legal = rules.legal(thing)
        thing = rules.apply(thing, legal[picks.below(len(legal))], draws)
    return seen


@cache
def pettingzoo_game(spec: str) -> Game:
    """`pettingzoo:connect_four_v3`: a classic environment as a game here."""
    word = spec.partition(":")[2].strip()
    classic = need("pettingzoo.classic", "pettingzoo", "a PettingZoo game")
    known = [found.name for found in pkgutil.iter_modules(classic.__path__) if "_v" in found.name]
    try:
        module = importlib.import_module(f"pettingzoo.classic.{word}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("pettingzoo"):
            raise PlayoutError(f"PettingZoo has no classic game {word!r}; {suggest(word, known)}") from None
        raise PlayoutError(
            f"PettingZoo's {word} needs {error.name}, which is not installed: pip install 'pettingzoo[classic]'"
        ) from None
    return from_pettingzoo(module.raw_env if hasattr(module, "raw_env") else module.env, f"{WORD}:{word}")
