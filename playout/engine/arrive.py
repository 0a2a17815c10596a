"""Chance nodes, transpositions and observations: which position an action led to, the step after selection."""

from __future__ import annotations

from typing import Any

from playout.compile.holes import WORLDS
from playout.engine.graph import meet
from playout.engine.layout import CHANCE, NOW
from playout.engine.positions import find_position, hash_bytes
from playout.engine.worlds import branch


def arrive(sim: Any, lane: int, edge: int, player: int, drew: bool) -> tuple[int, bool]:
    """(position, new): the slot of the position behind an edge, often the edge itself, and whether nothing is known of it yet."""
    nodes, options = sim.nodes, sim.options[0]
    if WORLDS and options.worlds != 0:
        nodes[edge].tags |= CHANCE
        if options.open_loop == 0:
            branch(sim, lane, edge, player)
        return edge, nodes[edge].visits == 0
    position = edge
    if drew:
        nodes[edge].tags |= CHANCE
        position = find_position(sim.head[0], nodes, sim.table, edge, hash_bytes(sim.raw[lane][NOW]), edge)
    elif options.transpositions != 0:
        position = meet(sim, lane, edge)
    if position != edge:
        return position, nodes[position].visits == 0
    # Where there was no room for an outcome, what is below the edge depends on it, so the edge can only be a leaf.
    return edge, nodes[edge].visits == 0 or nodes[edge].tags & CHANCE != 0
