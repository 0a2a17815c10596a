"""A round of trees that stay where the network is that values their leaves: one leaf of each down, what the network sees of it, and back up.

Every row of a forest has a tree, a lane and a place for what is asked of it, so nothing is gathered, and nothing goes through Python. The work
is that of `wait`: the same trees grow, whoever carries the leaves.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from playout.compile.holes import PLAYERS, mover, whole
from playout.engine.forest import Edges, Lane, read_root, row
from playout.engine.layout import NOW, ROOT
from playout.engine.wait import collect, settle

Field: Any = namedtuple(  # type: ignore[misc]
    "Field", ("states", "raw", "work", "budgets", "waiting", "seen", "movers", "values", "priors")
)
"""What every tree has beside its columns: a pool of states, their bytes and scratch space (one lane), the simulations that it is to have,
whether its leaf waits, what the network sees of that and with whose eyes, and what came back."""
Told: Any = namedtuple("Told", (*Edges._fields, "priors"))  # type: ignore[misc]
"""`Edges` with the priors of the actions."""


def lane_of(field: Any, tree: int) -> Any:
    """The one lane of a tree."""
    return Lane(field.states[tree], field.raw[tree], field.work[tree])


def sow(forest: Any, tree: int, field: Any) -> None:
    """A tree whose columns are zeros by now begins at its root."""
    field.states[tree][0][ROOT] = forest.roots[tree]
    for player in range(PLAYERS):
        field.work[tree][0].entered[player] = 0


def sow_some(forest: Any, field: Any, first: int, last: int) -> None:
    """`sow` for some trees."""
    for tree in range(first, last):
        sow(forest, tree, field)


def send(forest: Any, tree: int, field: Any) -> None:
    """A simulation down a tree that has not had all of its own; those whose value is known are finished, until a leaf waits."""
    left = field.budgets[tree] - forest.head[tree][0].simulations
    field.waiting[tree] = collect(row(forest, tree, lane_of(field, tree)), left)


def send_some(forest: Any, field: Any, first: int, last: int) -> None:
    """`send` for some trees."""
    for tree in range(first, last):
        send(forest, tree, field)


@lru_cache(maxsize=64)
def seeing(encode: Callable[..., None]) -> tuple[Callable[..., None], Callable[..., None]]:
    """(for one, for some), the same for the same: what the network sees of a leaf that waits, written into zeros by a way to encode states of the game."""

    def see(forest: Any, tree: int, field: Any) -> None:
        if field.waiting[tree] > 0:
            leaf = field.states[tree][0][NOW]
            player = whole(mover(leaf))
            field.movers[tree] = player
            encode(leaf, player, field.seen[tree])

    def see_some(forest: Any, field: Any, first: int, last: int) -> None:
        for tree in range(first, last):
            see(forest, tree, field)

    return see, see_some


def end(forest: Any, tree: int, field: Any) -> None:
    """What came back for a leaf goes up its tree."""
    if field.waiting[tree] > 0:
        sim = row(forest, tree, lane_of(field, tree))
        settle(sim, whole(1), field.values[tree : tree + 1], field.priors[tree : tree + 1])


def end_some(forest: Any, field: Any, first: int, last: int) -> None:
    """`end` for some trees."""
    for tree in range(first, last):
        end(forest, tree, field)


def tell(forest: Any, tree: int, told: Any) -> None:
    """What a tree knows of the actions at its root, and what the network thought of them."""
    read_root(forest, tree, told)
    first = whole(forest.nodes[tree][0].first)
    for i in range(told.counts[tree]):
        told.priors[tree, i] = forest.priors[tree][first + i]


def tell_some(forest: Any, told: Any, first: int, last: int) -> None:
    """`tell` for some trees."""
    for tree in range(first, last):
        tell(forest, tree, told)
