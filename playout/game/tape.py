"""A tape in place of the random stream: runs code once for every course that chance can take, with its probability.

    for chance, state in outcomes(lambda tape: deal(game, tape)): ...

Only whole-number draws can be enumerated; a game that calls `uniform` is refused with a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State

T = TypeVar("T")
MOST_COURSES = 1_000_000
LONGEST = 64
RECORD = np.dtype(
    [("word", np.uint64), ("at", np.int64), ("known", np.int64), ("told", np.int64, LONGEST), ("sizes", np.int64, LONGEST)]
)
"""A tape for machine code (`bind(game, features=["tape"])`): `at` counts the draws, `known` of them were told. Where `at` is beyond
LONGEST at the end, there were more draws than it can hold, or, at REAL and above, one of a real number."""
REAL = 1 << 40


def turn(tape: Any) -> bool:
    """Set a RECORD to the next course of chance, after one was run through; False when all were taken."""
    known = tape.at
    while known > 0 and tape.told[known - 1] + 1 == tape.sizes[known - 1]:
        known -= 1
    tape.known = known
    tape.at = 0
    if known == 0:
        return False
    tape.told[known - 1] += 1
    return True


class Tape:
    """Stands in for a `Stream`: draws what it was told to, then 0, and remembers how many there were to choose from."""

    def __init__(self, told: tuple[int, ...] = ()) -> None:
        self.told = told
        self.drawn: list[int] = []
        self.sizes: list[int] = []
        self.word = 1
        """As with a stream: changes with every draw."""

    def below(self, n: int) -> int:
        """The next draw from 0 to n - 1; of one possibility nothing is drawn, as in a stream."""
        if n <= 1:
            return 0
        place = len(self.drawn)
        value = self.told[place] if place < len(self.told) else 0
        self.drawn.append(value)
        self.sizes.append(int(n))
        self.word += 1
        return value

    def uniform(self) -> float:
        """Not on a tape."""
        raise PlayoutError("uniform(rng) has endlessly many outcomes, which exact tools cannot enumerate; use below(rng, n)")

    @property
    def chance(self) -> float:
        """The probability of this course."""
        chance = 1.0
        for size in self.sizes:
            chance /= size
        return chance


def outcomes(run: Callable[[Tape], T]) -> Iterator[tuple[float, T]]:
    """Every course of chance in `run(tape)`, with its probability, in the order of the draws."""
    told: tuple[int, ...] = ()
    for _ in range(MOST_COURSES):
        tape = Tape(told)
        result = run(tape)
        yield tape.chance, result
        drawn, sizes = tape.drawn, tape.sizes
        while drawn and drawn[-1] + 1 == sizes[len(drawn) - 1]:
            drawn.pop()
        if not drawn:
            return
        told = (*drawn[:-1], drawn[-1] + 1)
    raise PlayoutError(f"chance can take over {MOST_COURSES:,} courses here; enumerate a smaller game")


def starts(game: Game) -> Iterator[tuple[float, State]]:
    """Every state that the game can begin with; equal ones come as often as they are dealt."""

    def begin(tape: Tape) -> State:
        array = np.zeros(1, game.dtype)
        game.functions["start"](game.view(array[0]), tape)
        return State(game, array, 1)

    return outcomes(begin)


def plays(state: State, action: int) -> Iterator[tuple[float, State]]:
    """Every state that an action can lead to."""

    def step(tape: Tape) -> State:
        array = state.copy_array()
        state.game.functions["play"](state.game.view(array[0]), action, tape)
        return State(state.game, array, 1)

    return outcomes(step)


def worlds(state: State, player: int) -> Iterator[tuple[float, State]]:
    """Every world that `determinize` can give a player."""

    def draw(tape: Tape) -> State:
        array = state.copy_array()
        state.game.functions["determinize"](state.game.view(array[0]), player, tape)
        return State(state.game, array, 1)

    return outcomes(draw)
