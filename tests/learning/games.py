"""Tiny games whose values can be worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.game.game import Game

State = np.dtype([("place", np.int8), ("side", np.int8)])


def corridor(length: int = 3, rewards: tuple[float, ...] = (), keys: int = 100) -> Game:
    """One player walks a corridor; 1 at the end, or a reward for every step. `keys` below the length makes places share a key."""
    gained = np.array([0.0, *np.cumsum(rewards or (0.0,) * (length - 1) + (1.0,))])

    def start(state: Any, rng: Any) -> None:
        state.place = 0

    def legal(state: Any, out: Any) -> int:
        out[0] = 0
        return 1

    def play(state: Any, action: int, rng: Any) -> None:
        state.place += 1

    def mover(state: Any) -> int:
        return 0 if state.place < length else -1

    def returns(state: Any, out: Any) -> None:
        out[0] = gained[state.place]

    def key(state: Any) -> int:
        return state.place % keys  # type: ignore[no-any-return]

    return Game(
        "corridor", players=1, actions=1, State=State, start=start, legal=legal, play=play, mover=mover, returns=returns, key=key
    )


def forked() -> Game:
    """One player takes a way, left loses and right wins one step later; all states share one key, but not their legal actions."""

    def start(state: Any, rng: Any) -> None:
        state.place = 0

    def legal(state: Any, out: Any) -> int:
        if state.place == 0:
            out[0] = 0
            out[1] = 1
            return 2
        out[0] = 2 + state.side
        return 1

    def play(state: Any, action: int, rng: Any) -> None:
        if state.place == 0:
            state.side = action
        state.place += 1

    def mover(state: Any) -> int:
        return 0 if state.place < 2 else -1

    def returns(state: Any, out: Any) -> None:
        out[0] = 0.0
        if state.place == 2:
            out[0] = 1.0 if state.side == 1 else -1.0

    def key(state: Any) -> int:
        return 7

    return Game(
        "forked", players=1, actions=4, State=State, start=start, legal=legal, play=play, mover=mover, returns=returns, key=key
    )
