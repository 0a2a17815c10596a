"""Moving the root: copy what hangs below one position into a new tree, breadth first."""

from __future__ import annotations

from typing import Any

from playout.compile.holes import whole
from playout.engine.layout import ANYWHERE, CHANCE, LINK, POSITION
from playout.engine.positions import place_of


def copy_slot(old: Any, new: Any, source: int, target: int) -> None:
    new.nodes[target] = old.nodes[source]
    if len(old.values) > 1:
        for i in range(old.values.shape[1]):
            new.values[target, i] = old.values[source, i]
    if len(old.priors) > 1:
        new.priors[target] = old.priors[source]
    if len(old.available) > 1:
        new.available[target] = old.available[source]


def remember(new: Any, owner: int, hash: Any, slot: int) -> None:
    place = place_of(new.table, owner, hash)
    new.table[place].hash = hash
    new.table[place].owner = owner
    new.table[place].slot = slot
    new.head[0].positions += 1


def first_owned(owned: Any, owner: int) -> int:
    low, high = 0, len(owned)
    while low < high:
        middle = (low + high) // 2
        if owned[middle].owner < owner:
            low = middle + 1
        else:
            high = middle
    return low


def copy_outcomes(
    old: Any, new: Any, owned: Any, source: int, target: int, used: int, ahead: int, moved: Any, queue: Any
) -> tuple[int, int]:
    """The positions that one slot owns: an edge where chance is open, the position above it where something is hidden."""
    k = first_owned(owned, source)
    while k < len(owned) and owned[k].owner == source:
        outcome = whole(owned[k].slot)
        # With widening an outcome is in the table twice, by what was seen and by its number.
        if moved[outcome] == 0:
            copy_slot(old, new, outcome, used)
            moved[outcome] = used
            queue[ahead] = outcome
            used += 1
            ahead += 1
        remember(new, target, owned[k].hash, whole(moved[outcome]))
        k += 1
    return used, ahead


def transplant(old: Any, new: Any, position: int, owned: Any, moved: Any, queue: Any) -> None:
    """`owned` holds the old table's entries sorted by owner; `moved` and `queue` are zeroed scratch of old size."""
    copy_slot(old, new, position, 0)
    new.nodes[0].tags &= 255 - POSITION - CHANCE - LINK
    used, ahead, behind = 1, 1, 0
    queue[0] = position
    moved[position] = -1
    while behind < ahead:
        source = whole(queue[behind])
        behind += 1
        target = 0 if moved[source] == -1 else whole(moved[source])
        if old.nodes[source].count == 0:
            continue
        first, count = whole(old.nodes[source].first), whole(old.nodes[source].count)
        new.nodes[target].first = used
        for i in range(count):
            copy_slot(old, new, first + i, used + i)
            moved[first + i] = used + i
        used += count
        used, ahead = copy_outcomes(old, new, owned, source, target, used, ahead, moved, queue)
        for i in range(count):
            edge = first + i
            tags = whole(old.nodes[edge].tags)
            if tags & LINK != 0:
                shared = whole(old.nodes[edge].first)
                if moved[shared] == 0:
                    copy_slot(old, new, shared, used)
                    moved[shared] = used
                    used += 1
                    queue[ahead] = shared
                    ahead += 1
                new.nodes[moved[edge]].first = max(0, moved[shared])
            elif tags & CHANCE != 0:
                used, ahead = copy_outcomes(old, new, owned, edge, whole(moved[edge]), used, ahead, moved, queue)
            else:
                queue[ahead] = edge
                ahead += 1
    for k in range(len(owned)):
        if owned[k].owner == ANYWHERE and moved[owned[k].slot] > 0:
            remember(new, whole(ANYWHERE), owned[k].hash, whole(moved[owned[k].slot]))
    new.head[0].used = used
