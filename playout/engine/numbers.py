"""Proof numbers in selection: an action is favoured whose win seems near to a proof.

A position's proof number for a player is how many unknown positions must at least turn out to be won by that player for the position to be won:
1 where nothing is known, 0 where it is won, infinite where it is not; the least of its actions' numbers where the player is to move, their
sum where another one is. Every simulation renews them on its path as far as they change. The weight of an action gets

    proof_weight · (1 - share of the position's actions that have a lower number for the mover)

(Doe, Winands, Soemers, Browne, "Combining Monte-Carlo tree search with proof-number search", 2022, which ranks the actions; a number for
each player in place of disproof numbers: Kowalski, Soemers, Kosakowski, Winands 2025.) Ranks are kept: where one number changes, one look at
each of the others puts them right.

Numbers are stored less one, so that a new slot (zeros) is unknown.
"""

from __future__ import annotations

from math import inf
from typing import Any

from playout.compile.holes import PLAYERS, cold, where, whole
from playout.engine.layout import CHANCE, LINK, POSITION, PROVEN, REFUTED


def no_numbers(sim: Any, lane: int) -> None:
    pass


@where("numbers", no_numbers)
@cold
def renew_numbers(sim: Any, lane: int) -> None:
    """The proof numbers of a path, from its end up to where nothing changes."""
    nodes, numbers, work = sim.nodes, sim.numbers, sim.work[lane]
    counted = False
    for i in range(work.length[0] - 1, -1, -1):
        slot = whole(work.path[i])
        if nodes[slot].tags & CHANCE != 0:
            counted = False  # chance is never proven, whatever is below; but the block that this edge is in may be new
            continue
        count_numbers(sim, slot, work.mean)
        # A block that is new changes what is above it, though what is below it is as unknown as before.
        counted = counted or nodes[slot].count > 0
        changed, mover = False, whole(nodes[slot].mover)
        before = numbers[slot, mover]
        for p in range(PLAYERS):
            changed = changed or numbers[slot, p] != work.mean[p]
            numbers[slot, p] = work.mean[p]
        if counted and not changed:
            return
        if i > 0 and nodes[slot].tags & POSITION == 0 and numbers[slot, mover] != before:
            rank_again(sim, whole(work.path[i - 1]), slot, before)


def count_numbers(sim: Any, slot: int, out: Any) -> None:
    """The proof numbers of a slot (less one) out of what is known now."""
    nodes, numbers, tags = sim.nodes, sim.numbers, whole(sim.nodes[slot].tags)
    first, last = whole(nodes[slot].first), whole(nodes[slot].first + nodes[slot].count)
    for p in range(PLAYERS):
        if tags & PROVEN != 0:
            out[p] = -1.0 if sim.values[slot, p] >= sim.options[0].high else inf
        elif tags & LINK != 0:
            out[p] = numbers[first, p]
        elif last == first:
            out[p] = numbers[slot, p]
        else:
            own = nodes[first].mover == p
            total = inf if own else 0.0
            for edge in range(first, last):
                if nodes[edge].tags & REFUTED == 0:
                    number = numbers[edge, p] + 1.0
                    total = min(total, number) if own else total + number
            out[p] = total - 1.0


def rank_again(sim: Any, position: int, changed: int, before: float) -> None:
    """How many actions of the position have a lower number for the mover than each, after one number changed."""
    nodes, numbers, ranks = sim.nodes, sim.numbers, sim.ranks
    player, first = whole(nodes[changed].mover), whole(nodes[position].first)
    now, lower = numbers[changed, player], 0
    for edge in range(first, first + nodes[position].count):
        number = numbers[edge, player]
        ranks[edge] += (1 if now < number else 0) - (1 if before < number else 0)
        lower += 1 if number < now else 0
    ranks[changed] = lower


def nothing(sim: Any, position: int, slot: int) -> float:
    return 0.0


@where("numbers", nothing)
def proof_term(sim: Any, position: int, slot: int) -> float:
    """What the weight of an action gets for its proof number."""
    return sim.options[0].proof_weight * (1.0 - sim.ranks[slot] / sim.nodes[position].count)  # type: ignore[no-any-return]
