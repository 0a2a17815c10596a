"""Answers taken over from elsewhere in the tree: the best answer to the nearest action that is better known, where it is new."""

from __future__ import annotations

from math import inf
from typing import Any

from playout.compile.holes import ACTION_SET, DIMENSION, cold, whole
from playout.engine.real.cells import aim, begin_walk, next_cell, open_cell
from playout.engine.real.layout import BOX
from playout.engine.real.leaders import best_edge
from playout.engine.real.ordered import following, in_order, preceding, put_in_order

CROWD = 1e-4
"""An answer that is borrowed is new if it is farther than this part of the box from those that are there."""
MOST_STEPS = 32
"""Neighbours in order that are looked at before all actions are."""
MANY_BOXES, BOXES_SHARE = 256, 4
"""Fewer actions of several numbers than this are all looked at; of more, boxes up to one for so many of them, before all actions are."""


def distance(work: Any, action: Any) -> float:
    """Squared distance of `work.fresh` from an action, in units of the box."""
    total = 0.0
    for i in range(DIMENSION):
        wide = work.high[i] - work.low[i] if ACTION_SET == BOX else 1.0
        part = (work.fresh[i] - action[i]) / wide if wide > 0.0 else 0.0
        total += part * part
    return total


def borrow(sim: Any, work: Any, position: int, above: int) -> bool:
    """The best answer to the nearest action beside this one that is better known; whether there is one, new here."""
    if in_order(sim, above):
        nearest = nearest_in_order(sim, work, put_in_order(sim, work, above), position, above)
    else:
        nearest = nearest_known(sim, position, above)
    return nearest >= 0 and follow_guide(sim, work, nearest) and not crowded(sim, work, position)


def better_known(nodes: Any, slot: int, position: int) -> bool:
    return slot != position and nodes[slot].count > 0 and nodes[slot].visits > nodes[position].visits  # type: ignore[no-any-return]


def between(action: Any, other: Any) -> float:
    """Squared distance of two actions."""
    total = 0.0
    for i in range(DIMENSION):
        part = action[i] - other[i]
        total += part * part
    return total


def nearest_known(sim: Any, position: int, above: int) -> int:
    """The nearest of the actions beside this one that are better known, the newest of equally near ones; -1 where there is none."""
    nodes, moves, siblings = sim.nodes, sim.moves, sim.siblings
    nearest, least = whole(-1), inf
    slot = whole(nodes[above].first)
    for _ in range(nodes[above].count):
        if better_known(nodes, slot, position):
            far = between(moves[slot], moves[position])
            if far < least:
                nearest, least = slot, far
        slot = whole(siblings[slot])
    return nearest


@cold
def nearest_in_order(sim: Any, work: Any, lead: Any, position: int, above: int) -> int:
    """The same where actions are in order: of numbers the first that qualifies on either side, and those as near as it."""
    nodes, moves = sim.nodes, sim.moves
    if lead.busiest <= nodes[position].visits:
        return -1
    if DIMENSION > 1:
        return nearest_in_cells(sim, work, lead, position, above)
    here, nearest, least, steps = moves[position, 0], whole(-1), inf, 0
    for side in range(2):
        slot = position
        while True:
            slot = following(sim, lead, moves[slot, 0], slot) if side == 0 else preceding(sim, lead, moves[slot, 0], slot)
            if slot == 0:
                break
            part = moves[slot, 0] - here
            far = part * part
            if far > least:
                break
            if better_known(nodes, slot, position) and (far < least or slot > nearest):
                nearest, least = slot, far
            steps += 1
            if steps > MOST_STEPS:
                # Few are better known, so they may be far away: one walk through all of them is shorter.
                return nearest_known(sim, position, above)
    return nearest


@cold
def nearest_in_cells(sim: Any, work: Any, lead: Any, position: int, above: int) -> int:
    """The same where actions have several numbers."""
    nodes, moves = sim.nodes, sim.moves
    # A box takes as long as some actions of the chain do: it pays where many are better known, so that one of them is near.
    nearest, least, left = whole(-1), inf, whole(nodes[above].count // BOXES_SHARE)
    if nodes[above].count < MANY_BOXES:
        return nearest_known(sim, position, above)
    aim(work, moves[position])
    begin_walk(work, lead)
    while work.open[0] > 0 and left > 0:
        left -= 1
        node = next_cell(sim, work)
        far = between(work.corner, work.target)
        if far > least:
            continue
        if node > 0:
            open_cell(sim, work, node)
        elif (far < least or 0 <= nearest < -node) and better_known(nodes, -node, position):
            nearest, least = -node, far
    return nearest if work.open[0] == 0 else nearest_known(sim, position, above)


def crowded(sim: Any, work: Any, position: int) -> bool:
    """Whether `work.fresh` lies right beside an action that the position has."""
    if in_order(sim, position):
        lead = put_in_order(sim, work, position)
        return crowded_in_cells(sim, work, lead, position) if DIMENSION > 1 else crowded_in_order(sim, work, lead)
    return crowded_in_chain(sim, work, position)


def crowded_in_chain(sim: Any, work: Any, position: int) -> bool:
    slot = whole(sim.nodes[position].first)
    for _ in range(sim.nodes[position].count):
        if distance(work, sim.moves[slot]) < CROWD * CROWD:
            return True
        slot = whole(sim.siblings[slot])
    return False


@cold
def crowded_in_order(sim: Any, work: Any, lead: Any) -> bool:
    wide = work.high[0] - work.low[0] if ACTION_SET == BOX else 1.0
    # Somewhat wider than need be, since all in it are looked at as elsewhere. Where the box has no width every action is beside every other.
    close = 2.0 * CROWD * wide if wide > 0.0 else inf
    slot = following(sim, lead, work.fresh[0] - close, whole(-1))
    while slot != 0 and sim.moves[slot, 0] <= work.fresh[0] + close:
        if distance(work, sim.moves[slot]) < CROWD * CROWD:
            return True
        slot = following(sim, lead, sim.moves[slot, 0], slot)
    return False


@cold
def crowded_in_cells(sim: Any, work: Any, lead: Any, position: int) -> bool:
    aim(work, work.fresh)
    begin_walk(work, lead)
    while work.open[0] > 0:
        node = next_cell(sim, work)
        if distance(work, work.corner) < CROWD * CROWD:
            if node < 0:
                return True
            open_cell(sim, work, node)
    return work.open[0] < 0 and crowded_in_chain(sim, work, position)  # type: ignore[no-any-return]


def follow_guide(sim: Any, work: Any, guide: int) -> bool:
    """The best answer at a position elsewhere in the tree, brought into this box; what is best after that may guide the next stage."""
    nodes = sim.nodes
    if guide < 0 or nodes[guide].count == 0:
        return False
    best = best_edge(sim, guide, whole(nodes[nodes[guide].first].mover))
    if best < 0:
        return False
    work.guide[0] = best
    for i in range(DIMENSION):
        work.fresh[i] = sim.moves[best, i]
        if ACTION_SET == BOX:
            work.fresh[i] = min(max(sim.moves[best, i], work.low[i]), work.high[i])
    return True
