"""The final choice of many roots at once, out of arrays: for each what `pick` would choose."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from playout.compile.devices import Array
from playout.engine import layout
from playout.game.game import Game
from playout.planner.settings import Settings

BY_ARRAYS = ("visits", "mean")
"""Values of `final` that need no more than visits, scores and proofs."""
KNOWN = layout.PROVEN | layout.REFUTED | layout.DROPPED
"""Tags of actions where visits alone do not tell which is best."""


def first_best(among: Array, *ranks: Array) -> Array:
    """In every row the first place with the highest rank among some; where several have it, the next rank decides."""
    for rank in ranks:
        best = np.where(among, rank, -np.inf).max(axis=1)
        among = among & (rank == best[:, None])
    found: Array = among.argmax(axis=1)
    return found


def pick_each(settings: Settings, high: float | None, visits: Array, tags: Array, scores: Array, values: Array) -> Array:
    """`pick` for many roots at once: the place of the choice in every row.

    A row has actions in order of their ids; visits below 0 mark places where there is none. Scores and values are those of the mover.
    """
    rows, there = np.arange(len(visits)), visits >= 0
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(visits > 0, scores / visits, -np.inf)
    results = np.where(there & (tags & layout.PROVEN != 0), values, -np.inf)
    ranks = np.where(there & (tags & KNOWN == 0), visits if settings.final == "visits" else means, -np.inf)
    known, open_choice = first_best(there, results, visits), first_best(there, ranks)
    result, rank = results[rows, known], ranks[rows, open_choice]
    # The mean of an action that was never tried is lower than anything, so that what is known is as good.
    better = (result >= means[rows, open_choice]) | (high is not None and result >= np.float64(high or 0.0))
    closed = rank == -np.inf
    without = np.where(result > -np.inf, known, first_best(there, visits))
    chosen: Array = np.where(closed, without, np.where(better, known, open_choice))
    return chosen


class Listed(NamedTuple):
    """The legal actions of many roots in order of their ids, and what the trees know of them: a row for each root."""

    ids: Array
    legal: Array
    """Which places there are."""
    visits: Array
    tags: Array
    scores: Array
    """Of the mover, and so are the values and the squares."""
    values: Array
    squares: Array


def listed(edges: Any, rows: Array, movers: Array, ids: Array, counts: Array) -> Listed:
    """What these roots know of the actions of their movers, who have so many legal ones, those of `ids`."""
    most = int(counts.max(initial=1))
    legal = np.arange(most) < counts[:, None]
    ids = np.sort(np.where(legal, ids[:, :most], np.iinfo(np.int64).max), axis=1)
    at, places = np.nonzero(np.arange(edges.actions.shape[1]) < edges.counts[rows][:, None])
    # An action stands after all legal ones with lower ids.
    ranks = (ids[at] < edges.actions[rows[at], places][:, None]).sum(axis=1)

    def by_id(found: Array, otherwise: float) -> Array:
        """A number of each action that the tree lists, in order of the ids."""
        column = np.full(ids.shape, otherwise)
        column[at, ranks] = found
        return column

    visits = by_id(edges.visits[rows[at], places], 0)
    # A tree that was kept may lack what decisive moves left out below its old root: that is refuted.
    tags = by_id(edges.tags[rows[at], places], layout.REFUTED).astype(np.uint8)
    scores, values = (by_id(found[rows[at], places, movers[at]], 0.0) for found in (edges.scores, edges.values))
    return Listed(ids, legal, visits, tags, scores, values, by_id(edges.squares[rows[at], places], 0.0))


def choose_each(game: Game, settings: Settings, found: Listed) -> Array:
    """The action that each of these roots chooses."""
    bounds, visits = game.range_of(settings.reward), np.where(found.legal, found.visits, -1)
    chosen = pick_each(settings, bounds[1] if bounds else None, visits, found.tags, found.scores, found.values)
    return found.ids[np.arange(len(chosen)), chosen]  # type: ignore[no-any-return]
