"""Moving the roots of many trees at once: `move_root` for the rows of a forest, in memory that is there already.

What hangs below the new root is copied into a spare tree and from there back to the beginning of its own row; a tree that knows nothing of
where the game went begins anew. Both leave the very tree that a search of its own would go on with.
"""

from __future__ import annotations

from collections import namedtuple
from math import inf
from typing import Any

from playout.compile.holes import EXTRA, PLAYERS, hot, whole
from playout.engine.layout import CHANCE, LINK, MERGED, Tree
from playout.engine.move_root import Move, copy_slot, transplant
from playout.engine.positions import hash_bytes, place_of

HABITS_KEPT = 0.5
"""How much of what playouts learnt is kept when an action is played (Tak, Winands, Björnsson 2014, on decay)."""
NOTHING_KNOWN = -1

Shift: Any = namedtuple(  # type: ignore[misc]
    "Shift", ("trees", "actions", "states", "raw", "spare", "owned", "moved", "queue", "order", "firsts", "ends", "kept")
)
"""Which trees move, each by what action (below 0: to begin) to which state and its bytes; spare trees, one slot longer than those of the
forest, with room to sort and to queue, one row for each that moves; and the scratch space that trees keep, where they do."""


def tree_at(forest: Any, tree: int) -> Any:
    """The columns of one row."""
    return Tree(  # type: ignore[call-arg]
        forest.head[tree],
        forest.nodes[tree],
        forest.values[tree],
        forest.bounds[tree],
        forest.numbers[tree],
        forest.ranks[tree],
        forest.priors[tree],
        forest.available[tree],
        forest.own[tree],
        forest.prints[tree],
        forest.out[tree],
        forest.amaf[tree],
        forest.implied[tree],
        forest.regrets[tree],
        forest.moves[tree],
        forest.siblings[tree],
        forest.moved[tree],
        forest.links[tree],
        forest.lead[tree],
        forest.leads[tree],
        forest.entry[tree],
        forest.pages[tree],
        forest.table[tree],
        forest.habits[tree],
    )


def shift(forest: Any, i: int, moves: Any) -> None:
    """One of the moves: the tree below an action, or one with nothing in it, from another state on."""
    tree = whole(moves.trees[i])
    old, spare = tree_at(forest, tree), tree_at(moves.spare, i)
    used, positions = whole(old.head[0].used), whole(old.head[0].positions)
    position = known_below(old, whole(moves.actions[i]), moves.raw[i])
    forest.roots[tree] = moves.states[i]
    spare.head[0].positions = 0
    spare.head[0].used = 1
    if position >= 0:
        count = sort_owned(old.table, moves.owned[i], moves.order[i], used) if positions > 0 else 0
        for slot in range(used):
            moves.moved[i][slot] = 0
        moves.ends[i][0] = 0
        moves.ends[i][1] = 0
        move = Move(
            old, spare, moves.owned[i][:count], moves.moved[i], moves.queue[i], moves.order[i], moves.firsts[i], moves.ends[i]
        )
        transplant(move, position)
    take_back(old, spare, used, positions, position >= 0)
    if len(forest.options) > 1:
        # A race at the root counts from here.
        forest.options[tree][0].began = old.head[0].simulations
    if EXTRA:
        for player in range(PLAYERS):
            moves.kept[tree][0].entered[player] = 0  # the slots are others now


def known_below(old: Any, action: int, raw: Any) -> int:
    """The position behind an action of the root that led to a state of these bytes, where the tree has visits of it alone."""
    nodes, position = old.nodes, whole(NOTHING_KNOWN)
    first = whole(nodes[0].first)
    for edge in range(first, first + whole(nodes[0].count)):
        if nodes[edge].action == action:
            if nodes[edge].tags & CHANCE != 0:
                found = whole(old.table[place_of(old.table, edge, hash_bytes(raw))].slot)
                position = found if found != 0 else whole(NOTHING_KNOWN)
            else:
                position = whole(nodes[edge].first) if nodes[edge].tags & LINK != 0 else edge
    if position >= 0 and (nodes[position].visits == 0 or nodes[position].tags & MERGED != 0):
        return whole(NOTHING_KNOWN)
    return position


def sort_owned(table: Any, owned: Any, starts: Any, used: int) -> int:
    """The entries of the table, sorted by owner and else in their order (by counting); how many there are."""
    for k in range(used + 2):
        starts[k] = 0
    count = 0
    for k in range(len(table)):
        if table[k].slot != 0:
            starts[table[k].owner + 2] += 1
            count += 1
    for k in range(1, used + 2):
        starts[k] += starts[k - 1]
    for k in range(len(table)):
        if table[k].slot != 0:
            place = whole(starts[table[k].owner + 1])
            owned[place] = table[k]
            starts[table[k].owner + 1] += 1
    return count


@hot
def take_back(tree: Any, spare: Any, used: int, positions: int, kept: bool) -> None:
    """A spare tree back into a row; what is beyond it there is nothing again. The spare table is left empty."""
    head, left, last = tree.head[0], whole(spare.head[0].used) if kept else whole(0), len(spare.nodes) - 1
    for slot in range(max(left, used)):
        # The last slot of a spare tree is never used.
        copy_slot(spare, tree, slot if slot < left else last, slot)
    if positions > 0:
        for k in range(len(tree.table)):
            tree.table[k] = spare.table[k]
            spare.table[k].slot = 0
    for k in range(len(tree.habits)):
        # What was good some moves ago may be so no more: new results soon outweigh it.
        tree.habits[k, 0] = tree.habits[k, 0] * HABITS_KEPT if kept else 0.0
        tree.habits[k, 1] = tree.habits[k, 1] if kept else 0.0
    head.used, head.positions = max(1, left), spare.head[0].positions
    head.full, head.trouble, head.deepest = 0, 0, 0
    if not kept:
        head.simulations, head.steps, head.valued = 0, 0, 0
        for player in range(PLAYERS):
            head.low[player], head.high[player] = inf, -inf


def shift_some(forest: Any, moves: Any, first: int, last: int) -> None:
    """The moves from `first` to before `last`, one after the other, as a core does it."""
    for i in range(first, last):
        shift(forest, i, moves)
