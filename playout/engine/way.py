"""Tree reuse with hidden information for the rows of a forest: what `planner.way` finds in one tree, in memory that is there already."""

from __future__ import annotations

from typing import Any

from playout.compile.holes import as_word, where, whole
from playout.engine.layout import MERGED
from playout.engine.move_root import first_owned
from playout.engine.positions import place_of
from playout.engine.widen import outcome_code

NO_WAY = -1
MOST_PLACES = 2000
"""Positions of others that are looked at before it is given up: with many others and many visits it would take too long."""


def no_way(move: Any, observer: int, seen: Any, ids: Any, count: int) -> int:
    return whole(NO_WAY)


@where("worlds", no_way)
def find_way(move: Any, observer: int, seen: Any, ids: Any, count: int) -> int:
    """The position where the observer sees this and has these actions, reached from the root by actions of others alone.

    -1 where there is none, or more than one, or where an action that was never tried might have led there as well. `queue` has the
    positions of others that are looked at, `firsts` for each of them the place in it of the one above.
    """
    nodes, queue, above = move.old.nodes, move.queue, move.firsts
    queue[0], above[0] = 0, NO_WAY
    looked, front, found = whole(0), whole(1), whole(0)
    target, last = whole(NO_WAY), whole(NO_WAY)
    while looked < front and found < 2 and looked <= MOST_PLACES:
        slot = whole(queue[looked])
        for edge in range(whole(nodes[slot].first), whole(nodes[slot].first + nodes[slot].count)):
            code = outcome_code(seen, as_word(whole(nodes[edge].action) + 1))
            below = whole(move.old.table[place_of(move.old.table, slot, code)].slot)
            if below != 0:
                target, last = below, looked
                found += 1
        front = line_up_others(move, observer, looked, front)
        looked += 1
    for k in range(front):
        move.moved[queue[k]] = 0
    if found != 1 or looked > MOST_PLACES or not certain(move, last) or not fits(nodes, target, observer, ids, count):
        return whole(NO_WAY)
    return target


def line_up_others(move: Any, observer: int, looked: int, front: int) -> int:
    """The positions below one of them in which another player is to act, at the end of the queue; how many are in it then."""
    nodes, owned, slot = move.old.nodes, move.owned, whole(move.queue[looked])
    k = first_owned(owned, slot)
    while k < len(owned) and owned[k].owner == slot:
        below = whole(owned[k].slot)
        # With widening an outcome is in the table twice.
        if move.moved[below] == 0 and nodes[below].count > 0 and nodes[whole(nodes[below].first)].mover != observer:
            move.moved[below] = 1
            move.queue[front], move.firsts[front] = below, looked
            front += 1
        k += 1
    return front


def certain(move: Any, last: int) -> bool:
    """Whether all actions on the way were tried, and no position of it is one that outcomes share."""
    nodes = move.old.nodes
    while last >= 0:
        slot = whole(move.queue[last])
        if nodes[slot].tags & MERGED != 0:
            return False
        for edge in range(whole(nodes[slot].first), whole(nodes[slot].first + nodes[slot].count)):
            if nodes[edge].visits == 0:
                return False
        last = whole(move.firsts[last])
    return True


def fits(nodes: Any, position: int, observer: int, ids: Any, count: int) -> bool:
    """Whether the actions of the position are these, all of the observer."""
    first = whole(nodes[position].first)
    if nodes[position].count != count or count == 0 or nodes[first].mover != observer:
        return False
    for i in range(count):
        there = False
        for edge in range(first, first + count):
            there = there or nodes[edge].action == ids[i]
        if not there:
            return False
    return True
