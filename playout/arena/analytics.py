"""What the games say about the game: how long, how wide, how even, how often drawn."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from playout.arena.columns import Array, Columns
from playout.arena.intervals import bootstrap
from playout.intervals import wilson

MOST_PLIES = 400
"""How far the curve over plies goes."""
MOST_BINS = 40


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """How a number is spread: its mean (with a 95 % interval where rounds could be drawn again) and its quartiles."""

    mean: float
    low: float | None
    high: float | None
    least: float
    quarter: float
    median: float
    three_quarters: float
    most: float


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """A share of games with its 95 % interval (Wilson)."""

    share: float
    low: float
    high: float
    games: int

    @classmethod
    def of(cls, points: float, games: int) -> Rate:
        low, high = wilson(points, games)
        return cls(share=points / games if games else 0.0, low=low, high=high, games=games)


class Histogram(msgspec.Struct, frozen=True, kw_only=True):
    """Counts between edges."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


class Analytics(msgspec.Struct, frozen=True, kw_only=True):
    """One game, seen through the games that were played."""

    games: int
    length: Spread
    """Actions of a game, the random opening included."""
    lengths: Histogram
    branching: Spread
    """Legal actions at a decision."""
    branching_by_ply: tuple[float, ...]
    """Mean number of legal actions after 0, 1, 2, ... actions, over the games that got there."""
    reached_by_ply: tuple[int, ...]
    tree_size: float
    """Power of ten: about how many different games there are, were they all as long and as wide as these."""
    seats: tuple[Rate, ...]
    """Share of the points of the one who sits first, second, ...: 1 / 2 (for N players, too) where no seat has an advantage."""
    first_mover: Rate | None
    """Share of the points of whoever acts first. None for one player."""
    draws: Rate | None
    """Games in which nobody was ahead of anybody. None for one player."""
    decisive: Rate | None
    """Games with one winner ahead of all others. None for one player."""
    distinct: int
    """Games that differ in their moves, or in what chance did."""


def analyse(columns: Columns) -> Analytics | None:
    """Everything about the game itself; None without games."""
    if not len(columns):
        return None
    length = columns.length.astype(np.float64)
    choices = columns.choices.astype(np.float64)
    solo = columns.players == 1
    ordered = np.sort(columns.points, axis=1)
    drawn = int((ordered[:, 0] == ordered[:, -1]).sum())
    won = 0 if solo else int((ordered[:, -1] > ordered[:, -2]).sum())
    sums = np.bincount(np.minimum(columns.ply, MOST_PLIES), choices, MOST_PLIES + 1)[:MOST_PLIES]
    reached = np.bincount(np.minimum(columns.ply, MOST_PLIES), minlength=MOST_PLIES + 1)[:MOST_PLIES]
    there = reached > 0
    return Analytics(
        games=len(columns),
        length=_spread(length, columns.round),
        lengths=histogram(length, whole=True),
        branching=_spread(choices if len(choices) else np.zeros(1)),
        branching_by_ply=tuple((sums[there] / reached[there]).tolist()),
        reached_by_ply=tuple(reached[there].tolist()),
        tree_size=float(np.log10(np.maximum(choices, 1)).sum() / len(columns)),
        seats=() if solo else tuple(Rate.of(float(columns.points[:, s].sum()), len(columns)) for s in range(columns.players)),
        first_mover=None if solo else _first_mover(columns),
        draws=None if solo else Rate.of(drawn, len(columns)),
        decisive=None if solo else Rate.of(won, len(columns)),
        distinct=len(set(zip(columns.deal.tolist(), columns.moves))),
    )


def _first_mover(columns: Columns) -> Rate:
    """By who really acted first, since that need not be seat 0."""
    played = columns.length > 0
    starts = np.cumsum(columns.length) - columns.length
    first = columns.movers[starts[played]]
    return Rate.of(float(columns.points[played, first].sum()), int(played.sum()))


def _spread(values: Array, rounds: Array | None = None) -> Spread:
    quartiles = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()
    low = high = None
    if rounds is not None:
        _, low, high = _by_rounds(values, rounds)
    return Spread(
        mean=float(values.mean()),
        low=low,
        high=high,
        **dict(zip(("least", "quarter", "median", "three_quarters", "most"), quartiles)),
    )


def _by_rounds(values: Array, rounds: Array) -> tuple[float | None, float | None, float | None]:
    """A mean with its interval by drawing whole rounds again, since the games of a round belong together."""
    _, place = np.unique(rounds, return_inverse=True)
    sums, counts = np.bincount(place, values), np.bincount(place)
    repeats = 1000 if len(sums) <= 5000 else 200
    return bootstrap(np.stack([sums, counts], axis=1), lambda t: float(t[:, 0].sum() / t[:, 1].sum()), repeats=repeats)


def histogram(values: Array, *, whole: bool = False) -> Histogram:
    """Counts in at most `MOST_BINS` bins; with `whole` numbers each bin holds the same number of them."""
    low, high = float(values.min()), float(values.max())
    if whole or bool((values == np.round(values)).all()):
        step = max(1, math.ceil((high - low + 1) / MOST_BINS))
        edges = np.arange(low - 0.5, high + 0.5 + step, step)
    else:
        edges = np.linspace(low, high if high > low else low + 1, MOST_BINS + 1)
    counts, edges = np.histogram(values, edges)
    return Histogram(edges=tuple(edges.tolist()), counts=tuple(counts.tolist()))
