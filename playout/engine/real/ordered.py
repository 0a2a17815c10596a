"""The actions of a position in order, where there are many: found in a few steps instead of all.

Most of the time of a long search went into walks through chains of thousands of actions: is this one known, and who is nearest? So a
position with at least `MANY` actions keeps them in a treap besides (Seidel and Aragon 1996), a search tree that random priorities keep
flat, by `links`. The order is that of the numbers, or, where an action has several, that of `real.cells`. It is made
when it is first asked for, of what is new in the chain since then, and it changes no answer, to the last bit: it only says where not to look.
"""

from __future__ import annotations

from typing import Any

from playout.compile.holes import DIMENSION, as_word, cold, whole
from playout.engine.real.cells import hang_in
from playout.engine.real.layout import ADDED, LOWER, UPPER
from playout.engine.real.leaders import lead_of
from playout.game.stream import mix

MANY = 32


def in_order(sim: Any, position: int) -> bool:
    """Whether a position keeps its actions in order. Where moved actions take the place of old ones, these would have to move here, too."""
    return sim.nodes[position].count >= MANY and sim.options[0].moved == ADDED  # type: ignore[no-any-return]


def before(sim: Any, slot: int, number: float, other: int) -> bool:
    """Whether an action comes before a number; of equal ones the older slot first."""
    here = sim.moves[slot, 0]
    return here < number or (here == number and slot < other)  # type: ignore[no-any-return]


@cold
def put_in_order(sim: Any, work: Any, position: int) -> Any:
    """What the position keeps, with all of its actions in order: those that were added since the last time are the first of its chain."""
    lead = lead_of(sim, position)
    slot = whole(sim.nodes[position].first)
    for _ in range(sim.nodes[position].count - lead.ordered):
        if DIMENSION > 1:
            hang_in(sim, work, lead, slot)
        else:
            insert(sim, lead, slot)
        lead.busiest = max(lead.busiest, sim.nodes[slot].visits)
        slot = whole(sim.siblings[slot])
    lead.ordered = sim.nodes[position].count
    return lead


def insert(sim: Any, lead: Any, slot: int) -> None:
    """Go down past all of higher priority, take the place found there, and part what was below it."""
    links, number, priority = sim.links, sim.moves[slot, 0], mix(as_word(slot))
    above, at_upper, node = whole(0), False, whole(lead.top)
    while node != 0 and mix(as_word(node)) > priority:
        above, at_upper = node, before(sim, node, number, slot)
        node = whole(links[node, UPPER if at_upper else LOWER])
    link(sim, lead, above, at_upper, slot)
    low, high = slot, slot
    while node != 0:
        if before(sim, node, number, slot):
            links[low, LOWER if low == slot else UPPER] = node
            low, node = node, whole(links[node, UPPER])
        else:
            links[high, UPPER if high == slot else LOWER] = node
            high, node = node, whole(links[node, LOWER])
    links[low, LOWER if low == slot else UPPER] = 0
    links[high, UPPER if high == slot else LOWER] = 0


def link(sim: Any, lead: Any, above: int, at_upper: bool, slot: int) -> None:
    if above == 0:
        lead.top = slot
    else:
        sim.links[above, UPPER if at_upper else LOWER] = slot


def following(sim: Any, lead: Any, number: float, after: int) -> int:
    """The first action at or above a number, of those that are equal to it the first after a slot; 0 where there is none. Here and in
    `preceding` actions are numbers."""
    found, node = whole(0), whole(lead.top)
    while node != 0:
        if before(sim, node, number, after + 1):
            node = whole(sim.links[node, UPPER])
        else:
            found, node = node, whole(sim.links[node, LOWER])
    return found


def preceding(sim: Any, lead: Any, number: float, until: int) -> int:
    """The last action before a number, or equal to it with a lower slot; 0 where there is none."""
    found, node = whole(0), whole(lead.top)
    while node != 0:
        if before(sim, node, number, until):
            found, node = node, whole(sim.links[node, UPPER])
        else:
            node = whole(sim.links[node, LOWER])
    return found
