"""Backup: what a simulation brought goes up its path, discounted where the settings say so, and proofs go up as far as they reach."""

from __future__ import annotations

from typing import Any

from playout.compile.holes import PLAYERS, cold, returns, where, whole
from playout.engine.layout import CHANCE, POSITION, PROVEN, REFUTED
from playout.engine.real.descent import back_up_real


def no_total(state: Any, work: Any, depth: int) -> None:
    pass


@where("discount", no_total)
@cold
def note_total(state: Any, work: Any, depth: int) -> None:
    """Remember the returns so far at this depth: a step's reward is the difference of two totals."""
    returns(state, work.total)
    for i in range(PLAYERS):
        work.totals[depth, i] = work.total[i]


def settle_leaf(nodes: Any, values: Any, options: Any, work: Any, slot: int) -> None:
    """The game is over here, so the result is known; not for an edge whose outcome was drawn."""
    if options.solver != 0 and nodes[slot].tags & CHANCE == 0:
        nodes[slot].tags |= PROVEN
        for i in range(PLAYERS):
            values[slot, i] = work.value[i]


@where("listed", back_up_real)
def back_up(sim: Any, lane: int) -> None:
    """Add the value to every slot on the path, leaf first, and widen the running range.

    Where a better result was known and the simulation went elsewhere only to prove more, the known result counts.
    """
    nodes, work = sim.nodes, sim.work[lane]
    widen(sim.head[0], work.value)
    for i in range(work.length[0] - 1, -1, -1):
        known = work.instead[i]
        if known != 0:
            for p in range(PLAYERS):
                work.value[p] = sim.values[known, p]
        add_value(nodes[work.path[i]], work.value)


def add_value(node: Any, value: Any) -> None:
    node.visits += 1
    own = value[node.mover]
    node.squares += own * own
    for i in range(PLAYERS):
        node.score[i] += value[i]


def widen(head: Any, value: Any) -> None:
    for i in range(PLAYERS):
        head.low[i] = min(head.low[i], value[i])
        head.high[i] = max(head.high[i], value[i])


def no_discount(sim: Any, lane: int) -> None:
    pass


@where("discount", no_discount)
@cold
def back_up_discounted(sim: Any, lane: int) -> None:
    """Each slot gets the total at its parent plus the discounted rest, so that discount 1 gives plain returns."""
    nodes, work = sim.nodes, sim.work[lane]
    path, totals, depth, discount = work.path, work.totals, work.depth[0], sim.options[0].discount
    # From the total at the leaf to what was still to come there.
    for p in range(PLAYERS):
        work.value[p] -= totals[depth, p]
    for i in range(work.length[0] - 1, -1, -1):
        slot = path[i]
        if nodes[slot].tags & POSITION == 0 and i > 0:
            for p in range(PLAYERS):
                work.value[p] = totals[depth, p] - totals[depth - 1, p] + discount * work.value[p]
            depth -= 1
        for p in range(PLAYERS):
            work.total[p] = totals[depth, p] + work.value[p]
        add_value(nodes[slot], work.total)
        widen(sim.head[0], work.total)


def no_proof(sim: Any, lane: int) -> None:
    """Nothing is proven of real-valued actions."""


@where("listed", no_proof)
@cold
def prove(sim: Any, lane: int) -> None:
    """The end of the path is proven: carry the proof up as far as it reaches. Chance is never proven from samples."""
    nodes, values, options, work = sim.nodes, sim.values, sim.options[0], sim.work[lane]
    path = work.path
    for i in range(work.length[0] - 1, 0, -1):
        child, above = path[i], path[i - 1]
        source = child
        if nodes[child].tags & POSITION != 0:
            if nodes[above].tags & CHANCE != 0:
                return
        else:
            source = proving_edge(nodes, values, options, above, child)
            if source < 0:
                return
        nodes[above].tags |= PROVEN
        for p in range(PLAYERS):
            values[above, p] = values[source, p]


def proving_edge(nodes: Any, values: Any, options: Any, position: int, edge: int) -> int:
    """The edge whose result is the position's: a certain best, or the best of all when all are proven; else -1.

    Among equals the lowest action id counts, so that the proof does not depend on the seed.
    """
    player = nodes[edge].mover
    # Two best actions of the mover may differ for the others; only where nobody else can lose more is one enough.
    certain = options.has_range != 0 and values[edge, player] >= options.high
    if certain and (PLAYERS == 1 or (PLAYERS == 2 and values[edge, 1 - player] <= options.low)):
        return edge
    best, first = -1, whole(nodes[position].first)
    for slot in range(first, first + nodes[position].count):
        if nodes[slot].tags & PROVEN == 0:
            if nodes[slot].tags & REFUTED != 0:
                continue
            return -1
        better = best < 0 or values[slot, player] > values[best, player]
        if better or (values[slot, player] == values[best, player] and nodes[slot].action < nodes[best].action):
            best = slot
    return best
