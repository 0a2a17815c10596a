"""When is it known who is better? A test that may be looked at after every round, and stopped at any time.

It bets (Waudby-Smith & Ramdas 2023, "Estimating means of bounded random variables by betting"). A gambler who doubts that i
is no better than j stakes a part of the wealth on i in every round. If i is indeed no better, the wealth does not grow on
average, so the chance that it EVER reaches 1 / alpha is at most alpha (Ville 1939): unlike with a repeated z-test, looking
often costs nothing. Nothing is assumed of the rounds but that they have the same mean given the past; draws, shared
openings and games of a round that depend on each other are all fine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from playout.arena.intervals import Array
from playout.errors import PlayoutError, suggest
from playout.intervals import CONFIDENCE

SHAPES = ("round-robin", "gauntlet")
BETS = 0.9 * 0.5 ** np.arange(9)
"""Parts of the wealth that are staked. A finer grid wins at most a tenth in growth, and pays for it with thinner shares."""

_SLACK = 1e-9
_MOST_CELLS = 1 << 20


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What is known, at a chance of at most 1 - confidence that any pair of it is wrong."""

    better: int | None
    """The agent that is better than every other one; None when a gauntlet ended without one."""
    decided: tuple[tuple[int, int], ...]
    """Pairs (better, worse) in the order in which they were decided."""
    rounds: int
    confidence: float
    shape: str


class SequentialTest:
    """Agents against each other, one observation per pair and round, until it is known who is better.

    A round robin ends when one agent is better than every other; a gauntlet when agent 0 is better or worse than each of the
    others. The error allowed is split over all ordered pairs, so the chance of ever declaring anything false is at most
    1 - confidence, also when all agents are equal.
    """

    def __init__(self, agents: int, confidence: float = CONFIDENCE, shape: str = "round-robin") -> None:
        if agents < 2:
            raise PlayoutError(f"agents is {agents}; comparing takes at least 2")
        if not 0 < confidence < 1:
            raise PlayoutError(f"confidence is {confidence}; it must be above 0 and below 1")
        if shape not in SHAPES:
            raise PlayoutError(f"shape is {shape!r}; {suggest(shape, SHAPES)}")
        self.agents, self.confidence, self.shape, self.rounds = agents, confidence, shape, 0
        pairs = [(i, j) for i in range(agents) for j in range(i + 1, agents) if shape == "round-robin" or i == 0]
        self._rows = {pair: row for row, pair in enumerate(pairs)}
        self._one, self._two = np.array(pairs).T
        self._needed = math.log(2 * len(pairs) / (1 - confidence))
        # Row r bets on the first of pair r, row r + pairs on the second; log wealth for each bet.
        self._wealth = np.zeros((2 * len(pairs), len(BETS)))
        self._decided: list[tuple[int, int]] = []
        self._verdict: Verdict | None = None

    @property
    def verdict(self) -> Verdict | None:
        """None while undecided; once given it stays."""
        return self._verdict

    @property
    def decided(self) -> tuple[tuple[int, int], ...]:
        """Pairs (better, worse) known so far."""
        return tuple(self._decided)

    def add(self, differences: Mapping[tuple[int, int], float] | Any) -> Verdict | None:
        """One round: for pairs (i, j), the mean points of i less those of j over the round's games, from -1 to 1.

        A dictionary, each pair in either order, or a square table with NaN where a pair did not meet; a pair that is not
        there keeps its wealth. After the verdict rounds are counted no more.
        """
        if self._verdict is not None:
            return self._verdict
        values = self._from_pairs(differences) if isinstance(differences, Mapping) else self._from_table(differences)
        self.rounds += 1
        stakes = values[:, None] * BETS
        half = len(values)
        self._wealth[:half] += np.log1p(stakes)
        self._wealth[half:] += np.log1p(-stakes)
        # The mixture is below its best part: nothing can be decided before one bet alone is rich enough.
        if self._wealth.max() >= self._needed:
            self._declare()
        return self._verdict

    def wealth(self, i: int, j: int) -> float:
        """The logarithm of the wealth of who bets on i against j; never a reason to stop other than through `verdict`."""
        row = self._rows[(i, j)] if i < j else self._rows[(j, i)] + len(self._rows)
        return float(_mixture(self._wealth[row : row + 1])[0])

    def _declare(self) -> None:
        half = len(self._rows)
        for row in np.flatnonzero(_mixture(self._wealth) >= self._needed).tolist():
            i, j = int(self._one[row % half]), int(self._two[row % half])
            pair = (i, j) if row < half else (j, i)
            # The first word on a pair stands, so that no pair is ever declared both ways.
            if pair not in self._decided and pair[::-1] not in self._decided:
                self._decided.append(pair)
        wins = [sum(better == agent for better, _ in self._decided) for agent in range(self.agents)]
        best = next((agent for agent, won in enumerate(wins) if won == self.agents - 1), None)
        if best is not None or (self.shape == "gauntlet" and len(self._decided) == half):
            # Of two agents the one that beat agent 0 beat every other; of more nobody knows.
            self._verdict = Verdict(
                better=best, decided=self.decided, rounds=self.rounds, confidence=self.confidence, shape=self.shape
            )

    def _from_pairs(self, differences: Mapping[tuple[int, int], float]) -> Array:
        values, seen = np.zeros(len(self._rows)), set()
        for (i, j), value in differences.items():
            row = self._rows.get((i, j) if i < j else (j, i))
            if row is None or row in seen:
                known = "agents are 0 to " + str(self.agents - 1) + (", one of them 0" if self.shape == "gauntlet" else "")
                raise PlayoutError(
                    f"pair ({i}, {j}) {'was given twice' if row is not None else 'is not one of this test: ' + known}"
                )
            if not -1 - _SLACK <= value <= 1 + _SLACK:
                raise PlayoutError(f"the difference of pair ({i}, {j}) is {value}; give a number from -1 to 1")
            seen.add(row)
            values[row] = value if i < j else -value
        return np.asarray(np.clip(values, -1, 1))

    def _from_table(self, differences: Any) -> Array:
        table = np.asarray(differences, dtype=np.float64)
        if table.shape != (self.agents, self.agents):
            raise PlayoutError(
                f"the table of differences is {table.shape}; give one row and one column for each of {self.agents} agents"
            )
        if np.nanmax(np.abs(table), initial=0.0) > 1 + _SLACK:
            raise PlayoutError("a difference in the table is beyond -1 to 1; give the mean difference of points of each pair")
        values, mirror = table[self._one, self._two], table[self._two, self._one]
        values = np.where(np.isnan(values), -mirror, values)
        if np.nansum(np.abs(values + mirror)) > _SLACK * len(values):
            raise PlayoutError(
                "the table of differences contradicts itself: the entry (j, i) must be the entry (i, j) with the other sign"
            )
        return np.asarray(np.clip(np.nan_to_num(values, nan=0.0), -1, 1))


def confidence_sequence(
    values: Sequence[float] | Array, confidence: float = CONFIDENCE, low: float = -1.0, high: float = 1.0
) -> tuple[float, float]:
    """An interval of the mean of numbers from low to high that may be asked for after every number.

    The chance that the mean EVER falls outside is at most 1 - confidence. It holds those means against which the bets of the
    test would not have won: with low = -1 and high = 1 it excludes 0 exactly when the test of two agents would be rich enough.
    The order of the numbers does not matter.
    """
    if not 0 < confidence < 1:
        raise PlayoutError(f"confidence is {confidence}; it must be above 0 and below 1")
    if not low < high:
        raise PlayoutError(f"values cannot lie from {low} to {high}; low must be below high")
    numbers = np.asarray(values, dtype=np.float64).ravel()
    if numbers.size == 0:
        return low, high
    slack = _SLACK * (high - low)
    if not (numbers.min() >= low - slack and numbers.max() <= high + slack):
        raise PlayoutError(f"values reach from {numbers.min()} to {numbers.max()}; they must lie from {low} to {high}")
    needed = math.log(2 / (1 - confidence))
    unit, count = np.unique(np.clip((numbers - low) / (high - low), 0, 1), return_counts=True)
    above, below = _least(unit, count, needed), 1 - _least(1 - unit, count, needed)
    return low + (high - low) * above, low + (high - low) * below


def _least(unit: Array, count: Array, needed: float) -> float:
    """The largest mean that the numbers, from 0 to 1, have disproved from above.

    A bet of part c on a mean above m multiplies the wealth by 1 + c (x - m) / m, which falls as m grows: one bisection finds
    the end. At m = 1/2 and x = (1 + d) / 2 it is the 1 + c d of the test.
    """
    no, yes = 1.0, 0.0
    while no - yes > 1e-9:
        middle = (no + yes) / 2
        no, yes = (no, middle) if _log_wealth(unit, count, middle) >= needed else (middle, yes)
    return yes


def _log_wealth(unit: Array, count: Array, mean: float) -> float:
    total = np.zeros(len(BETS))
    block = max(1, _MOST_CELLS // len(BETS))
    for start in range(0, len(unit), block):
        part = slice(start, start + block)
        total += count[part] @ np.log1p(((unit[part] - mean) / mean)[:, None] * BETS)
    return float(_mixture(total[None])[0])


def _mixture(logs: Array) -> Array:
    """The logarithm of the mean wealth over the bets."""
    most = logs.max(axis=1)
    return np.asarray(most + np.log(np.exp(logs - most[:, None]).mean(axis=1)))
