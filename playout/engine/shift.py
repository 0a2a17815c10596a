"""Moving the roots of many trees at once: `move_root` for the rows of a forest, in memory that is there already.

What hangs below the new root is copied into a spare tree and from there back to the beginning of its own row; a tree that knows nothing of
where the game went begins anew. Both leave the very tree that a search of its own would go on with.
"""

from __future__ import annotations

from collections import namedtuple
from math import inf
from typing import Any

from playout.compile.holes import EXTRA, PLAYERS, WORLDS, as_word, hot, whole
from playout.engine.layout import CHANCE, LINK, MERGED, Tree
from playout.engine.move_root import Move, copy_slot, transplant
from playout.engine.positions import hash_bytes, place_of
from playout.engine.way import find_way
from playout.engine.widen import outcome_code

HABITS_KEPT = 0.5
"""How much of what playouts learnt is kept when an action is played (Tak, Winands, Björnsson 2014, on decay)."""
NOTHING_KNOWN = -1
BEGIN, WAY, STAY = -1, -2, -3
"""In place of an action: begin anew; go on to what is seen now, by whatever others did; stay, with another world at the root."""

STEPS = ("trees", "actions", "states", "raw", "same", "ids", "counts", "plain", "observers")
"""Which trees move, each by what action (or one of the above) to which state, and the bytes that tell it from others: its own, or what the
searcher sees of it. Then whether the action leads from the old root to this state, where it draws nothing; the legal ids there, of which
the first `counts` are meant; and of a tree that begins whether nothing is hidden any more, and who searches."""
SPARE = ("spare", "owned", "moved", "queue", "order", "firsts", "ends")
"""Spare trees, one slot longer than those of the forest, with room to sort and to queue, one row for each that moves."""
Shift: Any = namedtuple("Shift", (*STEPS, *SPARE, "kinds", "found", "kept"))  # type: ignore[misc]
"""All that moving the roots of a forest works on: besides, the options of trees that begin, where those are of two kinds; which trees went
on with what they knew; and the scratch space that trees keep, where they do."""


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
    tree, action = whole(moves.trees[i]), whole(moves.actions[i])
    forest.roots[tree] = moves.states[i]
    moves.found[i] = 1
    if action == STAY:
        return
    old, spare = tree_at(forest, tree), tree_at(moves.spare, i)
    used, positions = whole(old.head[0].used), whole(old.head[0].positions)
    options = forest.options[tree if len(forest.options) > 1 else 0][0]
    position = known_below(old, options, action, moves.raw[i], moves.same[i] != 0) if action >= 0 else whole(NOTHING_KNOWN)
    spare.head[0].positions = 0
    spare.head[0].used = 1
    if position >= 0 or action == WAY:
        count = sort_owned(old.table, moves.owned[i], moves.order[i], used) if positions > 0 else 0
        for slot in range(used):
            moves.moved[i][slot] = 0
        moves.ends[i][0] = 0
        moves.ends[i][1] = 0
        move = Move(
            old, spare, moves.owned[i][:count], moves.moved[i], moves.queue[i], moves.order[i], moves.firsts[i], moves.ends[i]
        )
        if WORLDS and action == WAY:
            seen = hash_bytes(moves.raw[i])
            position = worth_keeping(old, find_way(move, whole(options.observer), seen, moves.ids[i], whole(moves.counts[i])))
        if position >= 0:
            transplant(move, position)
    take_back(old, spare, used, positions, position >= 0)
    if len(forest.options) == len(forest.head):
        set_options(forest, i, moves, position < 0)
    if position < 0:
        moves.found[i] = 0
    # Where nothing is remembered there is one for all.
    if EXTRA and tree < len(moves.kept):
        forget(moves.kept[tree][0], position < 0)


@hot
def forget(work: Any, begins: bool) -> None:
    """What the scratch space remembers of slots, which are others now; and of simulations, which are counted anew where a tree begins."""
    for player in range(PLAYERS):
        work.entered[player] = 0
    if begins:
        for action in range(len(work.played)):
            work.played[action] = 0


def set_options(forest: Any, i: int, moves: Any, begins: bool) -> None:
    """A race at the root counts from here; and a tree that begins has the options that belong to what is hidden there."""
    tree = whole(moves.trees[i])
    if begins:
        if len(moves.kinds) > 1:
            forest.options[tree][0] = moves.kinds[whole(moves.plain[i])][0]
        forest.options[tree][0].observer = moves.observers[i]
    forest.options[tree][0].began = forest.head[tree][0].simulations


def known_below(old: Any, options: Any, action: int, raw: Any, same: bool) -> int:
    """The position behind an action of the root that led to a state of these bytes, where the tree has visits of it alone."""
    nodes, position = old.nodes, whole(NOTHING_KNOWN)
    if WORLDS and options.worlds != 0:
        code = outcome_code(hash_bytes(raw), as_word(action + 1))
        found = whole(old.table[place_of(old.table, whole(0), code)].slot)
        return worth_keeping(old, found if found != 0 else whole(NOTHING_KNOWN))
    first = whole(nodes[0].first)
    for edge in range(first, first + whole(nodes[0].count)):
        if nodes[edge].action == action:
            if nodes[edge].tags & CHANCE != 0:
                found = whole(old.table[place_of(old.table, edge, hash_bytes(raw))].slot)
                position = found if found != 0 else whole(NOTHING_KNOWN)
            elif same:
                position = whole(nodes[edge].first) if nodes[edge].tags & LINK != 0 else edge
    return worth_keeping(old, position)


def worth_keeping(old: Any, position: int) -> int:
    """The position, if it was visited, and is not one that outcomes share: its numbers would not be of this state alone."""
    if position >= 0 and (old.nodes[position].visits == 0 or old.nodes[position].tags & MERGED != 0):
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
    # How deep it is stays known: where something is hidden, one simulation may need room at every step on its way.
    head.full, head.trouble = 0, 0
    if not kept:
        head.simulations, head.steps, head.valued, head.deepest = 0, 0, 0, 0
        for player in range(PLAYERS):
            head.low[player], head.high[player] = inf, -inf


def shift_some(forest: Any, moves: Any, first: int, last: int) -> None:
    """The moves from `first` to before `last`, one after the other, as a core does it."""
    for i in range(first, last):
        shift(forest, i, moves)
