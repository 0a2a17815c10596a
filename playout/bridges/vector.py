"""Thousands of games at once for people who train: a Gymnasium `VectorEnv` that is one call of machine code a step.

    envs = PlayoutVector("connect-four", 1000)
    observations, infos = envs.reset(seed=0)
    observations, rewards, over, cut, infos = envs.step(actions)

Every environment is a whole game: an action is that of whoever is to act (`infos["mover"]`), what is seen is seen through the eyes of the
one to act next, and the reward is that of the one who has just acted. `rewards_of` has those of all players.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.bridges.environment import Eyes
from playout.bridges.packages import need
from playout.compile import bind
from playout.compile.holes import PLAYERS, legal, mover, observe, play, returns, start, whole
from playout.compile.records import new_stream, pool, slack
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.planner.abreast import Abreast

Array = np.ndarray[Any, Any]
GOES_ON, ENDED, ILLEGAL = 0, 1, 2
"""How an environment stands: in a game, at its end, or at the end of one by an action that was not legal."""

if TYPE_CHECKING:
    Base: Any = object
else:
    Base = need("gymnasium.vector", "gymnasium", "a vector of environments").VectorEnv


def _stepping(encode: Callable[..., None], hides: bool) -> Callable[..., None]:
    """The loop over all games, around one game's way of writing a state."""

    def write(state: Any, room: Any, player: int, out: Any) -> None:
        encode(state, player, out)

    def write_seen(state: Any, room: Any, player: int, out: Any) -> None:
        room[0] = state
        observe(room[0], player)
        encode(room[0], player, out)

    look = write_seen if hides else write

    def step_rows(
        states: Any,
        words: Any,
        rng: Any,
        nothing: Any,
        ids: Any,
        low: float,
        actions: Any,
        stand: Any,
        movers: Any,
        paid: Any,
        gains: Any,
        rewards: Any,
        masks: Any,
        seen: Any,
        flat: Any,
    ) -> None:
        for i in range(len(stand)):
            state, player, action = states[i], whole(movers[i]), whole(actions[i])
            rewards[i] = 0.0
            if stand[i] != 0:
                states[i] = nothing[0]
                rng.word = words[i]
                start(states[i], rng)
                words[i] = rng.word
                stand[i] = 0
                returns(states[i], paid[i])
                for k in range(PLAYERS):
                    gains[i, k] = 0.0
            elif action < 0 or action >= masks.shape[1] or masks[i, action] == 0:
                stand[i] = 2
                rewards[i] = low - paid[i, player]
            else:
                rng.word = words[i]
                play(state, action, rng)
                words[i] = rng.word
                for k in range(PLAYERS):
                    gains[i, k] = paid[i, k]
                returns(state, paid[i])
                for k in range(PLAYERS):
                    gains[i, k] = paid[i, k] - gains[i, k]
                rewards[i] = gains[i, player]
            for k in range(masks.shape[1]):
                masks[i, k] = 0
            now = whole(mover(state))
            if now < 0:
                stand[i] = max(1, stand[i])
                now = player
            elif stand[i] == 0:
                for k in range(whole(legal(state, ids))):
                    masks[i, ids[k]] = 1
            movers[i] = now
            for k in range(flat.shape[1]):
                flat[i, k] = 0.0
            look(state, nothing[1:2], now, seen[i])

    return step_rows


class PlayoutVector(Base):  # type: ignore[misc]
    """Many games of one kind, stepped at once. A game that ended begins anew with the next step, whose action is not looked at."""

    def __init__(self, game: Game | str, num_envs: int = 1, *, compiled: bool = True, copy: bool = True, **words: Any) -> None:
        """`copy=False` hands out the same arrays at every step, which saves the time to copy them."""
        if num_envs < 1:
            raise PlayoutError(f"num_envs is {num_envs}; it must be at least 1")
        if words:
            spec = f"{game}:" + ",".join(f"{key}={value}" for key, value in words.items())
        eyes = Eyes(spec if words else game, "Gymnasium", compiled)
        vector = need("gymnasium.vector", "gymnasium", "a vector of environments")
        batch = need("gymnasium.vector.utils", "gymnasium", "a vector of environments").batch_space
        self.game, self.num_envs, self.copy = eyes.game, num_envs, copy
        self.metadata = {"autoreset_mode": vector.AutoresetMode.NEXT_STEP}
        self.single_observation_space, self.single_action_space = eyes.spaces()
        self.observation_space = batch(self.single_observation_space, num_envs)
        self.action_space = batch(self.single_action_space, num_envs)
        binding, players = bind(self.game, compiled), self.game.players
        self.compiled = binding.compiled
        self._games = Abreast(self.game, num_envs, compiled=compiled)
        self._step = binding.kernel(_stepping(eyes.encoding.function, self.game.has("observe")))
        self._rng, self._ids = new_stream(self.compiled), np.zeros(slack(self.game.most_legal), np.int64)
        self._nothing = pool(np.zeros(2, self.game.dtype), self.compiled)
        self._stand, self._movers = np.ones(num_envs, np.int8), np.zeros(num_envs, np.int64)
        self._paid, self.rewards_of = np.zeros((num_envs, players)), np.zeros((num_envs, players))
        """What every player's return grew by in the last step."""
        self._rewards = np.zeros(num_envs)
        self._masks = np.zeros((num_envs, self.game.actions), np.int8)
        self._flat = np.zeros((num_envs, eyes.encoding.size), np.float32)
        self._seen = self._flat.reshape(num_envs, *eyes.encoding.shape) if eyes.encoding.plan is None else self._flat
        self._shape = (num_envs, *eyes.encoding.shape)
        span = self.game.returns_range
        self._low = 0.0 if span is None else float(span[0])

    def reset(self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """New games everywhere, by a seed and the numbers after it, or by a seed for each."""
        if seed is not None or not hasattr(self, "_begun"):
            first = 0 if seed is None else seed
            seeds = list(range(first, first + self.num_envs)) if isinstance(first, int) else list(first)
            self._games.start(np.arange(self.num_envs), seeds)
            self._begun = True
        self._stand[:] = ENDED
        self._go(np.zeros(self.num_envs, np.int64))
        return self._observed(), self._infos()

    def step(self, actions: Any) -> tuple[Any, Array, Array, Array, dict[str, Any]]:
        """An action of whoever is to act in each game."""
        self._go(np.asarray(actions, np.int64))
        over, rewards = self._stand != GOES_ON, self._rewards.copy() if self.copy else self._rewards
        return self._observed(), rewards, over, np.zeros(self.num_envs, bool), self._infos()

    def _go(self, actions: Array) -> None:
        games = self._games
        with np.errstate(over="ignore"):
            self._step(
                games._pool,
                games._words,
                self._rng,
                self._nothing,
                self._ids,
                self._low,
                actions,
                self._stand,
                self._movers,
                self._paid,
                self.rewards_of,
                self._rewards,
                self._masks,
                self._seen,
                self._flat,
            )

    def _observed(self) -> dict[str, Array]:
        seen = self._flat.reshape(self._shape)
        return {
            "observation": seen.copy() if self.copy else seen,
            "action_mask": self._masks.copy() if self.copy else self._masks,
        }

    def _infos(self) -> dict[str, Any]:
        return {"mover": self._movers.copy() if self.copy else self._movers, "illegal": self._stand == ILLEGAL}

    def random_actions(self, draws: np.random.Generator) -> Array:
        """A legal action for each game, every one equally likely; 0 where a game is over."""
        lots: Array = draws.random(self._masks.shape, np.float32) * self._masks
        return np.asarray(lots.argmax(axis=1))
