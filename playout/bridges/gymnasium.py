"""Games from here as Gymnasium environments: one player alone, or one seat against agents.

    import gymnasium, playout.bridges.gymnasium
    env = gymnasium.make("playout/Scoundrel-v0")
    env = gymnasium.make("playout/ConnectFour-v0", opponent="uct:simulations=100", seat=1)

Importing this module registers every bundled game with listed actions, and `gymnasium.make("playout.bridges.gymnasium:playout/Scoundrel-v0")`
imports it by itself: since version 1.0 Gymnasium reads no entry points. `gymnasium.make("playout/Game-v0", game="mygame.py")` takes any.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from playout.agents import Agent, Seats, ask_quickly, recipe, truth, world
from playout.agents.base import Silent
from playout.bridges.environment import Eyes, camel
from playout.bridges.packages import need
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.load import ALIASES, bundled
from playout.game.state import State
from playout.game.stream import Stream

gym = need("gymnasium", "gymnasium", "a Gymnasium environment")
NAMESPACE = "playout"
SEEDS = 1 << 31

if TYPE_CHECKING:
    Base: Any = object
else:
    Base = gym.Env


class _Learner(Silent):
    """Who sits on the seat: it acts by `step`, and is told nothing but what that returns."""

    name = "learner"


class PlayoutEnv(Base):  # type: ignore[misc]
    """One seat of a game. The reward of a step is what the seat's return grew by until it is asked again, or the game is over.

    An action that is not legal ends the episode with the lowest return, where the game declares one, and `info["illegal"]`.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        game: Game | str,
        seat: int = 0,
        opponent: str = "random",
        render_mode: str | None = None,
        compiled: bool = False,
        **parameters: Any,
    ) -> None:
        spec = f"{game}:" + ",".join(f"{key}={value}" for key, value in parameters.items()) if parameters else game
        self._eyes = Eyes(spec, "Gymnasium", compiled)
        self.game, self.render_mode = self._eyes.game, render_mode
        if not 0 <= seat < self.game.players:
            raise PlayoutError(f"seat is {seat}; {self.game.name} has the seats 0 to {self.game.players - 1}")
        self.seat, self.opponent = seat, opponent
        self._recipe = recipe(opponent, self.game) if self.game.players > 1 else None
        self.observation_space, self.action_space = self._eyes.spaces()
        self._now: State | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """A new game, the others' actions before the seat's first one among it."""
        super().reset(seed=seed)
        number = int(self.np_random.integers(SEEDS))
        self._now = self.game.start(number)
        agents: list[Any] = [_Learner() for _ in range(self.game.players)]
        for player in range(self.game.players):
            if self._recipe is not None and player != self.seat:
                agents[player] = self._recipe.make(number + 1 + player)
        peeks = self._recipe is not None and self._recipe.peeks
        self._seats = Seats(agents, Stream(number), peeking=[peeks] * self.game.players)
        if self._seats.remembering:
            self._seats.begin(self._now)
        self._paid = self._now.returns[self.seat]
        self._others()
        return self._eyes.of(self._now, self.seat), self._info()

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """An action of the seat, and then the others' until it is asked again."""
        if self._now is None or self._now.over:
            raise PlayoutError("the game is over, or not begun; call reset() first")
        if int(action) not in self._now.legal:
            low = self._paid if self.game.returns_range is None else self.game.returns_range[0]
            return self._eyes.of(self._now, self.seat), float(low - self._paid), True, False, {**self._info(), "illegal": True}
        self._play(int(action))
        self._others()
        returns = self._now.returns[self.seat]
        reward, self._paid = float(returns - self._paid), returns
        return self._eyes.of(self._now, self.seat), reward, self._now.over, False, self._info()

    def _play(self, action: int) -> None:
        before: Any = self._now
        self._now = before.after(action)
        if self._seats.attentive:
            self._seats.told(before, action, self._now)

    def _others(self) -> None:
        state: Any = self._now
        while not state.over and state.mover != self.seat:
            agent: Agent = self._seats.agents[state.mover]
            seen = self._seats.shown(state.mover, partial(world, state), partial(truth, state))
            self._play(ask_quickly(agent, seen)[0])
            state = self._now

    def _info(self) -> dict[str, Any]:
        state: Any = self._now
        return {"action_mask": self._eyes.mask(state, self.seat), "mover": state.mover, "illegal": False}

    def render(self) -> str | None:
        """The state as the seat sees it."""
        return self._now.draw(self.seat) if self.render_mode == "ansi" and self._now is not None else None


def make(game: Game | str, **words: Any) -> Any:
    """An environment of a game from here, without a registered name."""
    return PlayoutEnv(game, **words)


def register() -> None:
    """Tell Gymnasium of every bundled game with listed actions, and of `playout/Game-v0`, which takes any by its spec."""
    known = {spec.name for spec in gym.registry.values() if spec.namespace == NAMESPACE}
    listed = [name for name in (*bundled(), *ALIASES) if name not in CONTINUOUS]
    for name in listed:
        if camel(name) not in known:
            gym.register(
                f"{NAMESPACE}/{camel(name)}-v0", f"{__name__}:PlayoutEnv", kwargs={"game": name}, vector_entry_point=_vector(name)
            )
    if "Game" not in known:
        gym.register(f"{NAMESPACE}/Game-v0", f"{__name__}:PlayoutEnv")


def _vector(name: str) -> Any:
    def many(num_envs: int = 1, **words: Any) -> Any:
        from playout.bridges.vector import PlayoutVector

        return PlayoutVector(words.pop("game", name), num_envs, **words)

    return many


CONTINUOUS = frozenset(("loss-1d", "loss-3d", "polynomial", "pursuit", "quantum-line", "quantum-tic-tac-toe", "stackelberg"))
"""Bundled games whose actions are real vectors: known by name, since loading every game to ask it would take seconds."""
register()
