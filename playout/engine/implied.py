"""Implicit minimax: what the game's `evaluate` says of the leaves, carried up by best answers, beside the mean of the simulations.

(Lanctot, Winands, Pepels, Sturtevant, "Monte Carlo tree search with heuristic evaluations using implicit minimax backups", 2014.) Estimates are one
number for each player, and each mover takes the best of the actions tried so far, so any number of players will do.
"""

from __future__ import annotations

from typing import Any

from playout.compile.holes import PLAYERS, cold, evaluate, where, whole
from playout.engine.layout import CHANCE, NOW, POSITION, PROVEN


def no_estimate(sim: Any, lane: int) -> None:
    pass


@where("extra", no_estimate)
@cold
def estimate_leaf(sim: Any, lane: int) -> None:
    """What the leaf at the end of the path is worth by `evaluate`, before its playout."""
    work = sim.work[lane]
    evaluate(sim.states[lane][NOW], work.result)
    keep(sim.implied, whole(work.path[work.length[0] - 1]), work.result)


def keep(implied: Any, slot: int, value: Any) -> None:
    for p in range(PLAYERS):
        implied[slot, p] = value[p]


@where("extra", no_estimate)
@cold
def imply(sim: Any, lane: int) -> None:
    """Carry the estimate of the leaf up the path; at its end, where the game is over or the result is known, that is the estimate.

    The estimate of an action that drew chance is the mean over what was drawn.
    """
    nodes, implied, work = sim.nodes, sim.implied, sim.work[lane]
    path, length = work.path, whole(work.length[0])
    if work.waits[0] == 0:
        keep(implied, whole(path[length - 1]), work.value)
    for i in range(length - 2, -1, -1):
        slot, below = whole(path[i]), whole(path[i + 1])
        if nodes[below].tags & POSITION == 0:
            best = best_below(sim, slot, below)
            keep(implied, slot, sim.values[best] if nodes[best].tags & PROVEN != 0 else implied[best])
        elif nodes[slot].tags & CHANCE == 0:
            keep(implied, slot, implied[below])
        else:
            for p in range(PLAYERS):
                implied[slot, p] += (implied[below, p] - implied[slot, p]) / (nodes[slot].visits + 1)


def best_below(sim: Any, position: int, tried: int) -> int:
    """The best of a position's actions for its mover, by their estimates, among those that have been tried, the last one just now."""
    nodes, player = sim.nodes, whole(sim.nodes[tried].mover)
    first, best = whole(nodes[position].first), tried
    top = sim.implied[tried, player]
    for slot in range(first, first + nodes[position].count):
        if nodes[slot].visits > 0:
            value = sim.values[slot, player] if nodes[slot].tags & PROVEN != 0 else sim.implied[slot, player]
            if value > top:
                best, top = slot, value
    return best
