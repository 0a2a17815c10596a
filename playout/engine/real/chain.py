"""The children of a position under progressive widening: a chain of slots, newest first, that grows one at a time."""

from __future__ import annotations

from typing import Any

from playout.compile.holes import DIMENSION, cold, whole
from playout.engine.real.cells import aim, begin_walk, next_cell, open_cell
from playout.engine.real.ordered import following, in_order, put_in_order

SAME = 1e-7
"""Two actions nearer than this part of the set are one."""


def add_edge(sim: Any, position: int, player: int, action: Any) -> int:
    """Hang a new action into the chain of a position."""
    head, nodes = sim.head[0], sim.nodes
    slot = whole(head.used)
    head.used += 1
    nodes[slot].mover = player
    nodes[slot].action = min(nodes[position].count, 65_535)
    for i in range(DIMENSION):
        sim.moves[slot, i] = action[i]
    sim.siblings[slot] = nodes[position].first
    nodes[position].first = slot
    nodes[position].count += 1
    return slot


def find_edge(sim: Any, work: Any, position: int, action: Any) -> int:
    """The known action at this place, if there is one, the newest of several; `work.low` and `high` are the box."""
    if in_order(sim, position):
        lead = put_in_order(sim, work, position)
        return find_in_cells(sim, work, lead, position, action) if DIMENSION > 1 else find_in_order(sim, work, lead, action)
    return find_in_chain(sim, work, position, action)


def find_in_chain(sim: Any, work: Any, position: int, action: Any) -> int:
    slot = whole(sim.nodes[position].first)
    for _ in range(sim.nodes[position].count):
        if is_at(work, sim.moves[slot], action):
            return slot
        slot = whole(sim.siblings[slot])
    return whole(-1)


def is_at(work: Any, here: Any, action: Any) -> bool:
    """Whether an action is that at a place, but for a rounding."""
    same = True
    for i in range(DIMENSION):
        same = same and abs(here[i] - action[i]) <= SAME * (work.high[i] - work.low[i])
    return same


@cold
def find_in_order(sim: Any, work: Any, lead: Any, action: Any) -> int:
    """The same among numbers that are in order: only those that are close."""
    # Differences are rounded: a window somewhat wider misses nobody, and all in it are looked at as elsewhere.
    close = 2.0 * SAME * (work.high[0] - work.low[0])
    found, slot = whole(-1), following(sim, lead, action[0] - close, whole(-1))
    while slot != 0 and sim.moves[slot, 0] <= action[0] + close:
        if slot > found and is_at(work, sim.moves[slot], action):
            found = slot
        slot = following(sim, lead, sim.moves[slot, 0], slot)
    return found


@cold
def find_in_cells(sim: Any, work: Any, lead: Any, position: int, action: Any) -> int:
    """The same among vectors that are in order."""
    found = whole(-1)
    aim(work, action)
    begin_walk(work, lead)
    while work.open[0] > 0:
        node = next_cell(sim, work)
        if is_at(work, work.corner, action):
            if node > 0:
                open_cell(sim, work, node)
            else:
                found = max(found, -node)
    return found if work.open[0] == 0 else find_in_chain(sim, work, position, action)
