"""The children of a position under progressive widening: a chain of slots, newest first, that grows one at a time."""

from __future__ import annotations

from typing import Any

from playout.compile.holes import DIMENSION, whole

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


def busiest_edge(nodes: Any, siblings: Any, position: int) -> int:
    """The most visited action; the newest of equals."""
    best, most = whole(-1), 0
    slot = whole(nodes[position].first)
    for _ in range(nodes[position].count):
        if nodes[slot].visits > most:
            best, most = slot, nodes[slot].visits
        slot = whole(siblings[slot])
    return best


def find_edge(sim: Any, work: Any, position: int, action: Any) -> int:
    """The known action at this place, if there is one; `work.low` and `high` are the box."""
    nodes, moves, siblings = sim.nodes, sim.moves, sim.siblings
    slot = whole(nodes[position].first)
    for _ in range(nodes[position].count):
        same = True
        for i in range(DIMENSION):
            same = same and abs(moves[slot, i] - action[i]) <= SAME * (work.high[i] - work.low[i])
        if same:
            return slot
        slot = whole(siblings[slot])
    return whole(-1)
