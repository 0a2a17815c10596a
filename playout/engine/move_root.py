"""Tree reuse, moving the root: copy what hangs below one position into a new tree, breadth first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from playout.compile.holes import cold, hot, whole
from playout.engine.layout import ANYWHERE, CHANCE, COLUMNS, LINK, POSITION, Tree
from playout.engine.positions import remember


@hot
def _copy_nothing(old: Any, new: Any, source: int, target: int) -> None:
    pass


def _copier(columns: tuple[Any, ...]) -> Callable[..., None]:
    """Copy one slot in all of these columns: a chain, since the columns of a bundle cannot be counted through in a kernel."""
    if not columns:
        return _copy_nothing
    place, others = Tree._fields.index(columns[0].name), _copier(columns[1:])

    def copy_number(old: Any, new: Any, source: int, target: int) -> None:
        if len(old[place]) > 1:
            new[place][target] = old[place][source]
        others(old, new, source, target)

    def copy_row(old: Any, new: Any, source: int, target: int) -> None:
        if len(old[place]) > 1:
            for i in range(old[place].shape[1]):
                new[place][target, i] = old[place][source, i]
        others(old, new, source, target)

    return hot(copy_row if columns[0].row else copy_number)


copy_slot: Any = cold(_copier(tuple(column for column in COLUMNS if column.shared_by == 1)))
"""copy_slot(old, new, source, target): all that is known of a slot, into a slot of another tree or of the same."""


@hot
def first_owned(owned: Any, owner: int) -> int:
    low, high = 0, len(owned)
    while low < high:
        middle = (low + high) // 2
        if owned[middle].owner < owner:
            low = middle + 1
        else:
            high = middle
    return low


class Move(NamedTuple):
    """All that moving a root works on."""

    old: Any
    new: Any
    owned: Any
    """The entries of the old table sorted by owner."""
    moved: Any
    """For every old slot its new one, 0 while it has none; -1 for the new root."""
    queue: Any
    """Old positions whose actions are still to be copied."""
    order: Any
    """For every new slot its old one."""
    firsts: Any
    """For every new slot its `first`."""
    ends: Any
    """How many new slots are used, and how many positions stand in the queue."""


@hot
def take(move: Any, slot: int) -> None:
    """The next new slot for an old one. It is copied in the end: woven in wherever one is taken, that is too much code for a GPU."""
    target = whole(move.ends[0])
    move.order[target], move.firsts[target] = slot, move.old.nodes[slot].first
    move.moved[slot] = target
    move.ends[0] += 1


@hot
def line_up(move: Any, slot: int) -> None:
    move.queue[move.ends[1]] = slot
    move.ends[1] += 1


@hot
def take_outcomes(move: Any, source: int, target: int) -> None:
    """The positions that one slot owns: an edge where chance is open, the position above it where something is hidden."""
    owned, new = move.owned, move.new
    k = first_owned(owned, source)
    while k < len(owned) and owned[k].owner == source:
        outcome = whole(owned[k].slot)
        # With widening an outcome is in the table twice, by what was seen and by its number.
        if move.moved[outcome] == 0:
            take(move, outcome)
            line_up(move, outcome)
        remember(new.table, target, owned[k].hash, whole(move.moved[outcome]))
        new.head[0].positions += 1
        k += 1


def transplant(move: Any, position: int) -> None:
    """Make a position the root of a new, empty tree, with all that hangs below it."""
    old, new, owned, moved = move.old, move.new, move.owned, move.moved
    take(move, position)
    moved[position] = -1
    line_up(move, position)
    behind = 0
    while behind < move.ends[1]:
        source = whole(move.queue[behind])
        behind += 1
        target = whole(max(0, moved[source]))
        if old.nodes[source].count == 0:
            continue
        first, count = whole(old.nodes[source].first), whole(old.nodes[source].count)
        move.firsts[target] = move.ends[0]
        for i in range(count):
            take(move, first + i)
        take_outcomes(move, source, target)
        for i in range(count):
            take_below(move, first + i)
    for k in range(len(owned)):
        if owned[k].owner == ANYWHERE and moved[owned[k].slot] > 0:
            remember(new.table, whole(ANYWHERE), owned[k].hash, whole(moved[owned[k].slot]))
            new.head[0].positions += 1
    for target in range(move.ends[0]):
        copy_slot(old, new, whole(move.order[target]), target)
        new.nodes[target].first = move.firsts[target]
    new.nodes[0].tags &= 255 - POSITION - CHANCE - LINK
    new.head[0].used = move.ends[0]


@hot
def take_below(move: Any, edge: int) -> None:
    """What is behind an edge: the position that it shares, those that chance made, or its own."""
    old, moved = move.old, move.moved
    tags = whole(old.nodes[edge].tags)
    if tags & LINK != 0:
        shared = whole(old.nodes[edge].first)
        if moved[shared] == 0:
            take(move, shared)
            line_up(move, shared)
        move.firsts[moved[edge]] = max(0, moved[shared])
    elif tags & CHANCE != 0:
        take_outcomes(move, edge, whole(moved[edge]))
    else:
        line_up(move, edge)
