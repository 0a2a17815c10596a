"""The actions of a position in the order of their first number, where there are many: found in a few steps instead of all.

Most of the time of a long search went into walks through chains of thousands of actions: is this one known, and who is nearest? So a
position with at least `MANY` actions keeps them in a treap besides (Seidel and Aragon 1996), a search tree that random priorities keep
flat; `lower` and `upper` are its links. It is made when it is first asked for, of what is new in the chain since then, and it changes no
answer, to the last bit: it only says where not to look.
"""

from __future__ import annotations

from typing import Any

from playout.compile.holes import as_word, cold, whole
from playout.engine.real.layout import ADDED
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
def put_in_order(sim: Any, position: int) -> Any:
    """What the position keeps, with all of its actions in order: those that were added since the last time are the first of its chain."""
    lead = lead_of(sim, position)
    slot = whole(sim.nodes[position].first)
    for _ in range(sim.nodes[position].count - lead.ordered):
        insert(sim, lead, slot)
        lead.busiest = max(lead.busiest, sim.nodes[slot].visits)
        slot = whole(sim.siblings[slot])
    lead.ordered = sim.nodes[position].count
    return lead


def insert(sim: Any, lead: Any, slot: int) -> None:
    """Go down past all of higher priority, take the place found there, and part what was below it."""
    lower, upper, number, priority = sim.lower, sim.upper, sim.moves[slot, 0], mix(as_word(slot))
    above, at_upper, node = whole(0), False, whole(lead.top)
    while node != 0 and mix(as_word(node)) > priority:
        above, at_upper = node, before(sim, node, number, slot)
        node = whole(upper[node]) if at_upper else whole(lower[node])
    link(sim, lead, above, at_upper, slot)
    low, high = slot, slot
    while node != 0:
        if before(sim, node, number, slot):
            if low == slot:
                lower[slot] = node
            else:
                upper[low] = node
            low, node = node, whole(upper[node])
        else:
            if high == slot:
                upper[slot] = node
            else:
                lower[high] = node
            high, node = node, whole(lower[node])
    if low == slot:
        lower[slot] = 0
    else:
        upper[low] = 0
    if high == slot:
        upper[slot] = 0
    else:
        lower[high] = 0


def link(sim: Any, lead: Any, above: int, at_upper: bool, slot: int) -> None:
    if above == 0:
        lead.top = slot
    elif at_upper:
        sim.upper[above] = slot
    else:
        sim.lower[above] = slot


def following(sim: Any, lead: Any, number: float, after: int) -> int:
    """The first action at or above a number, of those that are equal to it the first after a slot; 0 where there is none."""
    found, node = whole(0), whole(lead.top)
    while node != 0:
        if before(sim, node, number, after + 1):
            node = whole(sim.upper[node])
        else:
            found, node = node, whole(sim.lower[node])
    return found


def preceding(sim: Any, lead: Any, number: float, until: int) -> int:
    """The last action before a number, or equal to it with a lower slot; 0 where there is none."""
    found, node = whole(0), whole(lead.top)
    while node != 0:
        if before(sim, node, number, until):
            found, node = node, whole(sim.upper[node])
        else:
            node = whole(sim.lower[node])
    return found
