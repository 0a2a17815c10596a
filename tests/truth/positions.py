"""Games and independent answers for the tests of solved positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import Stream, below


def plain_value(state: State, known: dict[bytes, float] | None = None) -> float:
    """What player 0 gets with best play, by minimax over states in plain Python: shares nothing with the solvers."""
    known = {} if known is None else known
    name = bytes(state)
    if name not in known:
        if state.over:
            known[name] = state.returns[0]
        else:
            values = [plain_value(state.after(a), known) for a in state.legal]
            known[name] = max(values) if state.mover == 0 else min(values)
    return known[name]


def random_position(game: Game, actions: int, seed: int) -> State:
    """A position after so many random actions, and not over."""
    stream = Stream(seed)
    while True:
        state = game.start()
        for _ in range(actions):
            if not state.over:
                state = state.play(state.random(stream))
        if not state.over:
            return state


def counting(
    *,
    twice: bool = True,
    ends: tuple[float, ...] = (3.0, -1.5, 0.25, 2.0, -4.0, 1.0, -2.0),
    total: float = 0.0,
    range_: Any = None,
    keyed: bool = False,
    draws: bool = False,
    back: bool = False,
    odd_end: float | None = None,
    wrong: str = "",
    limit: int = 6,
    players: int = 2,
) -> Game:
    """Add 1 or 2 until the limit; what was added decides the result. One who adds 2 moves again, where `twice`.

    The other words make something of it that cannot be solved: chance, returning to a position, returns of another sum, and so on.
    """

    def start(state: Any, rng: Any) -> None:
        state.sum = 0

    def legal(state: Any, out: Any) -> int:
        if wrong == "legal":
            return 0
        back_first = 1 if back and state.sum > 0 else 0
        if back_first:
            out[0] = 2
        for i in range(2):
            out[back_first + i] = 7 if wrong == "action" else i
        return 2 + back_first

    def play(state: Any, action: int, rng: Any) -> None:
        step = -1 if action == 2 else action + 1
        if draws:
            step += below(rng, 2)
        state.sum += step
        state.trace = (3 * state.trace + action + 1) % 1000
        if not (twice and action == 1):
            state.turn = 1 - state.turn

    def mover(state: Any) -> int:
        if wrong == "mover" and state.sum == 3:
            return 2
        return -1 if state.sum >= limit else state.turn

    def returns(state: Any, out: Any) -> None:
        value = ends[(state.sum + state.trace) % len(ends)]
        out[0] = value
        out[1] = total - value
        if odd_end is not None and value == odd_end:
            out[1] = np.nan if wrong == "nan" else out[1] + 1.0

    def key(state: Any) -> int:
        # With a way back the trace would tell all positions apart, and none would come again.
        return 2 * state.sum + state.turn if back else (state.trace * 64 + state.sum) * 2 + state.turn

    functions = (start, legal, play, mover, returns, *((key,) if keyed or back else ()))
    return Game(
        "counting",
        players=players,
        actions=3,
        State=np.dtype([("sum", np.int8), ("turn", np.int8), ("trace", np.int16)]),
        **({"returns_range": range_} if range_ else {}),
        **{f.__name__: f for f in functions},
    )
