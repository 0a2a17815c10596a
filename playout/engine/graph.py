"""Graph search: a position that several actions lead to has one value, and all of them use it.

Sharing nodes alone (`transpositions`) leaves to every edge the mean of the simulations that went through it. Here an edge is worth what its
position is worth now, whoever found that out, and a position is worth its own playouts and what its edges are worth, each as often
as *it* was tried, so that nothing counts twice:

    score(position) = own playouts + sum over its edges of visits(edge) · mean(position behind it)

(Childs, Brodeur, Kocsis, "Transpositions and move groups in Monte Carlo tree search", 2008: UCT2 and UCT3; the same sum is in the
notes on graph search of KataGo.) It is taken anew for the positions of a path when a simulation is backed up. A game may come back to a
position: a simulation ends where its path would close a circle, and is worth what that position is worth.

A position has the slot of the first edge that led to it. Only when a second one does, it gets a slot of its own.
"""

from __future__ import annotations

from typing import Any

from playout.compile.holes import PLAYERS, as_word, cold, key, where, whole
from playout.engine.backup import add_value, back_up, widen
from playout.engine.layout import ANYWHERE, CHANCE, LINK, NOW, OUT, POSITION, PROVEN
from playout.engine.move_root import copy_slot
from playout.engine.positions import look_twice, place_of, transposed, write


@where("graph", transposed)
def meet(sim: Any, lane: int, edge: int) -> int:
    """The position behind an edge, by the game's `key`: that of another edge, shared from now on, or the edge itself."""
    head, nodes, table = sim.head[0], sim.nodes, sim.table
    if nodes[edge].tags & LINK != 0:
        return whole(nodes[edge].first)
    if nodes[edge].visits != 0:
        return edge
    code = as_word(key(sim.states[lane][NOW]))
    place = place_of(table, whole(ANYWHERE), code)
    found = whole(table[place].slot)
    if found == 0:
        if 2 * head.positions + 2 <= len(table):
            write(table, place, whole(ANYWHERE), code, edge)
            head.positions += 1
        look_twice(sim, lane, edge, edge)
        return edge
    look_twice(sim, lane, edge, found)
    if found != edge and nodes[found].tags & POSITION == 0:
        found = split(sim, found, place)
    if found == 0 or found == edge:
        return edge
    nodes[edge].first = found
    nodes[edge].tags |= LINK
    return found


@cold
def split(sim: Any, edge: int, place: int) -> int:
    """Give the position of an edge a slot of its own, with all that is known of it; 0 where there is no room."""
    head, nodes = sim.head[0], sim.nodes
    slot = whole(head.used)
    if slot + 1 > len(nodes):
        return whole(0)
    for lane in range(len(sim.work)):
        if sim.work[lane].length[0] + 4 > len(sim.work[lane].path):
            return whole(0)
    head.used += 1
    copy_slot(sim, sim, edge, slot)
    nodes[slot].tags = POSITION | (nodes[edge].tags & (PROVEN | OUT))
    nodes[edge].tags = LINK | (nodes[edge].tags & (255 - OUT))
    nodes[edge].first = slot
    nodes[edge].count = 0
    sim.table[place].slot = slot
    for lane in range(len(sim.work)):
        put_below(sim.work[lane], edge, slot)
    return slot


def put_below(work: Any, edge: int, slot: int) -> None:
    """A path that goes through an edge goes through the new slot of its position too."""
    path, instead = work.path, work.instead
    i = whole(work.length[0]) - 1
    while i >= 0 and path[i] != edge:
        i -= 1
    if i < 0:
        return
    for k in range(whole(work.length[0]), i + 1, -1):
        path[k], instead[k] = path[k - 1], instead[k - 1]
    path[i + 1], instead[i + 1], instead[i] = slot, instead[i], 0
    work.length[0] += 1


def never(sim: Any, lane: int, edge: int, position: int) -> bool:
    return False


@where("graph", never)
def comes_back(sim: Any, lane: int, edge: int, position: int) -> bool:
    """Whether the path was at this position before; then the simulation ends at the edge, and is worth what the position is worth."""
    nodes, work = sim.nodes, sim.work[lane]
    if position == edge or nodes[edge].tags & LINK == 0:
        return False
    for i in range(work.length[0]):
        if work.path[i] == position:
            for p in range(PLAYERS):
                work.value[p] = nodes[position].score[p] / max(1, nodes[position].visits)
            return True
    return False


@where("graph", back_up)
def back_up_graph(sim: Any, lane: int) -> None:
    """Backup: the leaf gets the value, every edge on the path the mean of its position, every position the sum over its edges."""
    nodes, work = sim.nodes, sim.work[lane]
    last = whole(work.length[0]) - 1
    widen(sim.head[0], work.value)
    for i in range(last, -1, -1):
        slot, known = whole(work.path[i]), work.instead[i]
        node = nodes[slot]
        for p in range(PLAYERS):
            # What the slot below gained, and then what this one does.
            work.result[p] = work.total[p]
            work.total[p] = -node.score[p]
            if known != 0:
                work.value[p] = sim.values[known, p]
        add_value(node, work.value)
        if node.tags & LINK != 0:
            renew_edge(nodes, slot)
        elif i == last:
            for p in range(PLAYERS):
                sim.own[slot, p] += work.value[p]
        elif node.tags & CHANCE != 0:
            # An edge of chance adds up its outcomes.
            for p in range(PLAYERS):
                node.score[p] += work.result[p] - work.value[p]
        else:
            if known != 0:
                credit(sim, slot, whole(work.path[i + 1]), work.value)
            renew_position(sim, slot)
        for p in range(PLAYERS):
            work.total[p] += node.score[p]


def renew_edge(nodes: Any, edge: int) -> None:
    """visits(edge) · mean(position)."""
    below = nodes[nodes[edge].first]
    share = nodes[edge].visits / max(1, below.visits)
    for p in range(PLAYERS):
        nodes[edge].score[p] = below.score[p] * share


def renew_position(sim: Any, position: int) -> None:
    """Its own playouts and what its edges are worth now."""
    nodes = sim.nodes
    first, last = whole(nodes[position].first), whole(nodes[position].first + nodes[position].count)
    for edge in range(first, last):
        if nodes[edge].tags & LINK != 0:
            renew_edge(nodes, edge)
    for p in range(PLAYERS):
        total = sim.own[position, p]
        for edge in range(first, last):
            total += nodes[edge].score[p]
        nodes[position].score[p] = total


@cold
def credit(sim: Any, position: int, edge: int, value: Any) -> None:
    """A better result was known, and the simulation went on along an edge only to prove more: the result counts, not the edge."""
    for p in range(PLAYERS):
        sim.own[position, p] += value[p] - sim.nodes[edge].score[p] / sim.nodes[edge].visits
