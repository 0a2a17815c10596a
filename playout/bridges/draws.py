"""Chance for rules that are Python objects: what is drawn is written down, so that a course of the game can be played again.

`Draws` is a `random.Random`, so that `rng.choice(cards)`, `rng.shuffle(deck)` and `rng.randint(1, 6)` work as in any Python program;
`below(rng, n)` and `uniform(rng)` do, too. Every number comes from the stream that the engine hands in.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

WORD = 1 << 16
"""What is drawn is written down in pieces below this."""
MOST_PARTS = 1 << 20
"""Chances that are fractions of at most so many parts are drawn as whole numbers, which exact tools can enumerate."""


class Ended(Exception):
    """More draws were asked for than were written down: the course is of other rules."""


class Draws(random.Random):
    """Numbers out of a stream, noted as they come; or out of notes, as they came."""

    def __init__(self) -> None:
        self._stream: Any = None
        self._told: Sequence[int] = ()
        self.at = 0
        """How many of the notes were read."""
        self.noted: list[int] = []
        super().__init__()

    def from_stream(self, stream: Any) -> Draws:
        """Draw from a stream, and note what comes."""
        self._stream, self.noted = stream, []
        return self

    def from_notes(self, told: Sequence[int], at: int) -> Draws:
        """Draw what was noted, from that place on."""
        self._stream, self._told, self.at, self.noted = None, told, at, []
        return self

    def _note(self, value: int, pieces: int) -> int:
        for _ in range(pieces):
            self.noted.append(value % WORD)
            value //= WORD
        return value

    def _read(self, pieces: int) -> int:
        value, end = 0, self.at + pieces
        if end > len(self._told):
            raise Ended
        for place in range(end - 1, self.at - 1, -1):
            value = value * WORD + self._told[place]
        self.at = end
        return value

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1; of one possibility nothing is drawn."""
        if n <= 1:
            return 0
        if self._stream is None:
            found = self._read(1 if n <= WORD else 2)
            if found >= n:
                raise Ended
            return found
        value = int(self._stream.below(n))
        self._note(value, 1 if n <= WORD else 2)
        return value

    def uniform(self, a: float = 0.0, b: float = 1.0) -> float:
        """A real number from a to b, as `random.Random` has it; without them in [0, 1)."""
        return a + (b - a) * self.random()

    def random(self) -> float:
        """A number in [0, 1) with 53 random bits."""
        if self._stream is None:
            return self._read(4) / (1 << 53)
        value = float(self._stream.uniform())
        self._note(int(value * (1 << 53)), 4)
        return value

    def _randbelow(self, n: int) -> int:
        return self.below(n)

    def getrandbits(self, k: int) -> int:
        """k random bits."""
        value = 0
        while k > 0:
            bits = min(16, k)
            value, k = value << bits | self.below(1 << bits), k - bits
        return value

    def seed(self, *words: Any, **more: Any) -> None:
        """Nothing: the stream is seeded, and whoever plays may not."""

    def pick(self, chances: tuple[float, ...]) -> int:
        """The place of an outcome, drawn by its probability; the place itself is noted, so equal outcomes are equal courses."""
        if len(chances) == 1:
            return 0
        if self._stream is None:
            place = self._read(1)
            if place >= len(chances):
                raise Ended
            return place
        sums, whole = parts(chances)
        drawn = self._stream.below(whole) if whole else self._stream.uniform() * sums[-1]
        place = min(bisect_right(sums, drawn), len(sums) - 1)
        self.noted.append(place)
        return place


@lru_cache(maxsize=4096)
def parts(chances: tuple[float, ...]) -> tuple[tuple[float, ...], int]:
    """Running sums of probabilities: in whole parts of the second number where there is a common one, else (0) as they are.

    >>> parts((0.5, 1 / 3, 1 / 6))
    ((3, 5, 6), 6)
    """
    near = [Fraction(chance).limit_denominator(MOST_PARTS) for chance in chances]
    whole = 1
    for fraction in near:
        whole = whole * fraction.denominator // _common(whole, fraction.denominator)
    fit = whole <= MOST_PARTS and sum(near) == 1 and all(abs(float(f) - c) < 1e-12 for f, c in zip(near, chances))
    total: float = 0
    sums: list[float] = []
    for fraction, chance in zip(near, chances):
        total += int(fraction * whole) if fit else chance
        sums.append(total)
    return tuple(sums), whole if fit else 0


def _common(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a
