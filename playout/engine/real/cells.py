"""Actions of several numbers where there are many: who is near is found without a look at all.

They hang in a tree that goes by the bits of their numbers, the highest bit of each first, then the next of each, and so on (Morton 1966).
It forks only where two actions differ (Morrison 1968, "PATRICIA"), so it has one fork fewer than actions: every action but the first
brought one with it, which bears its slot, and the action stays below that. Its `links` are what hangs there, actions below 0 and
forks above it, and the bit. What hangs below a fork agrees in all bits before it, so it lies in a box, and a box that is too far
away is left out. The bits are those of floating-point numbers put in order, so no scale has to be known, and the place of a box nearest to what is
looked for is one that an action could have: differences, squares and sums are rounded in step, so where that place is too far
away, to the last bit, so is everybody in the box.
"""

from __future__ import annotations

from typing import Any

from playout.compile.holes import DIMENSION, at_ordinal, ordinal, whole
from playout.engine.real.layout import FORK, LOWER, MOST_KEYS, MOST_OPEN, UPPER
from playout.game.bits import popcount

HALF = 1 << 62
LEVELS = 63


def key_of(number: float) -> int:
    """A number's place among all numbers, never below 0; two that are neighbours may share it."""
    return (ordinal(number) >> 1) + HALF


def keyed() -> int:
    """How many of an action's numbers are looked at: in many dimensions the first ones tell enough."""
    return min(DIMENSION, MOST_KEYS)  # type: ignore[no-any-return]


def aim(work: Any, point: Any) -> None:
    """What is looked for, or hung in, from now on."""
    for i in range(DIMENSION):
        work.target[i] = point[i]
    for i in range(keyed()):
        work.keys[i] = key_of(point[i])


def highest_bit(word: int) -> int:
    for shift in (1, 2, 4, 8, 16, 32):
        word |= word >> shift
    return popcount(word) - 1


def fork_of(moves: Any, work: Any, slot: int, other: int) -> int:
    """The first bit in which an action differs from what is aimed at, whose slot is the other; where no bit does, one of the slots'."""
    most, axis = whole(0), whole(0)
    for i in range(keyed()):
        differs = key_of(moves[slot, i]) ^ whole(work.keys[i])
        # Whether the highest bit is higher is seen without finding it (Chan 2002).
        if most < differs and most < most ^ differs:
            most, axis = differs, whole(i)
    if most == 0:
        return LEVELS * keyed() + LEVELS - 1 - highest_bit(slot ^ other)
    return (LEVELS - 1 - highest_bit(most)) * keyed() + axis


def is_upper(work: Any, fork: int, slot: int) -> bool:
    """Which way what is aimed at goes at a fork."""
    if fork >= LEVELS * keyed():
        return (slot >> (LEVELS * keyed() + LEVELS - 1 - fork)) & 1 == 1
    return (whole(work.keys[fork % keyed()]) >> (LEVELS - 1 - fork // keyed())) & 1 == 1


def hang_in(sim: Any, work: Any, lead: Any, slot: int) -> None:
    """Find an action that agrees with this one as far as any does, and fork where they part."""
    aim(work, sim.moves[slot])
    links = sim.links
    if lead.top == 0:
        lead.top = -slot
        return
    node = whole(lead.top)
    while node > 0:
        node = whole(links[node, UPPER if is_upper(work, whole(links[node, FORK]), slot) else LOWER])
    fork = fork_of(sim.moves, work, -node, slot)
    above, at_upper, node = whole(0), False, whole(lead.top)
    while node > 0 and links[node, FORK] < fork:
        above, at_upper = node, is_upper(work, whole(links[node, FORK]), slot)
        node = whole(links[node, UPPER if at_upper else LOWER])
    up = is_upper(work, fork, slot)
    links[slot, LOWER], links[slot, UPPER], links[slot, FORK] = node if up else -slot, -slot if up else node, fork
    if above == 0:
        lead.top = slot
    else:
        links[above, UPPER if at_upper else LOWER] = slot


def begin_walk(work: Any, lead: Any) -> None:
    work.cells[0] = lead.top
    work.open[0] = 1 if lead.top != 0 else 0


def next_cell(sim: Any, work: Any) -> int:
    """The next action of a walk (below 0) or fork; into `work.corner` the action, or the place of the fork's box nearest to the aim."""
    at, moves = whole(work.open[0]) - 1, sim.moves
    work.open[0] = at
    node = whole(work.cells[at])
    if node < 0:
        for i in range(DIMENSION):
            work.corner[i] = moves[-node, i]
        return node
    fork = whole(sim.links[node, FORK])
    level, axis = LEVELS - 1 - fork // keyed(), fork % keyed()
    for i in range(DIMENSION):
        work.corner[i] = work.target[i]
    for i in range(keyed()):
        # What is free: at the level of the fork itself the axes before its own are not.
        loose = ((1 << (level + (0 if i < axis else 1))) - 1) if level >= 0 else 0
        end = key_of(moves[node, i]) | loose
        if work.keys[i] < end ^ loose:
            work.corner[i] = at_ordinal(((end ^ loose) - HALF) << 1)
        elif work.keys[i] > end:
            work.corner[i] = at_ordinal(((end - HALF) << 1) + 1)
    return node


def open_cell(sim: Any, work: Any, node: int) -> None:
    """Go on with what hangs at a fork, the nearer part first; a walk without room ends, and `open` is -1."""
    at = whole(work.open[0])
    if at + 2 > MOST_OPEN:
        work.open[0] = -1
        return
    fork = whole(sim.links[node, FORK])
    level, axis = LEVELS - 1 - fork // keyed(), fork % keyed()
    # Whether the aim is beyond the middle of the box.
    beyond = level >= 0 and work.keys[axis] >= ((key_of(sim.moves[node, axis]) >> level) | 1) << level
    work.cells[at] = sim.links[node, LOWER if beyond else UPPER]
    work.cells[at + 1] = sim.links[node, UPPER if beyond else LOWER]
    work.open[0] = at + 2
