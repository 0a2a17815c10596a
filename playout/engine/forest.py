"""Many trees in one: every column of a tree with one row for each, and the kernels of one row, run by a core or by a thread of a GPU.

A row is a tree like any other, grown by the very `simulate` that grows one: the same seed gives the same tree on every device. What
differs is where arrays live. Trees do not get longer here: one that runs out of room stops, and whoever asked gives it more.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from playout.compile.holes import PLAYERS, ticks, whole
from playout.engine.layout import FIELDS, NOW, PROVEN, ROOT, Sim
from playout.engine.simulate import simulate
from playout.engine.wait import collect, settle

Forest: Any = namedtuple("Forest", (*FIELDS, "options", "roots", "learned"))  # type: ignore[misc]
"""The columns of a tree, each with a leading axis; the options of all (one row) or of each; the states that the trees start from."""
Lane: Any = namedtuple("Lane", ("states", "raw", "work"))  # type: ignore[misc]
"""What one simulation at a time needs beside its tree: a pool of states, their bytes, and scratch space."""
Asked: Any = namedtuple("Asked", ("rows", "waiting", "starts"))  # type: ignore[misc]
"""Trees whose leaves wait: their rows, how many leaves of each, and where the first of them is among all."""
Edges: Any = namedtuple(  # type: ignore[misc]
    "Edges",
    (
        "root_visits",
        "root_tags",
        "root_scores",
        "root_values",
        "counts",
        "actions",
        "visits",
        "tags",
        "squares",
        "scores",
        "values",
    ),
)
"""What the roots of a forest know of themselves and of their actions: a row for each tree, in the order of its block."""

Tried: Any = namedtuple("Tried", ("root_visits", "root_tags", "root_scores", "counts", "moves", "visits", "scores"))  # type: ignore[misc]
"""The same where actions are real vectors: as many of them as were tried, in the order in which they were."""

Stamp: Any = namedtuple("Stamp", ("places", "bytes", "own_place", "own"))  # type: ignore[misc]
"""What scratch space begins with: some bytes and where they stand, alike in every row, and bytes of each row's own that begin at a place."""


def tend(forest: Any, tree: int, lane: Any, counts: Any, done: Any) -> None:
    """Up to `counts[tree]` simulations of one tree, none where its result is known; how many were done is added up."""
    if forest.nodes[tree][0].tags & PROVEN == 0:
        lane.states[0][ROOT] = forest.roots[tree]
        done[tree] += simulate(row(forest, tree, lane), counts[tree])


def row(forest: Any, tree: int, lane: Any) -> Any:
    """One tree of the forest, as kernels know a tree."""
    return Sim(  # type: ignore[call-arg]
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
        forest.options[tree if len(forest.options) > 1 else 0],
        lane.states,
        lane.raw,
        lane.work,
        forest.learned,
    )


def read_root(forest: Any, tree: int, edges: Any) -> None:
    """What a tree knows of the actions at its root, as far as there is room; how many there are in any case. Beyond them the action is -1."""
    nodes, room = forest.nodes[tree], edges.actions.shape[1]
    first, count = whole(nodes[0].first), min(whole(nodes[0].count), room)
    edges.root_visits[tree], edges.root_tags[tree], edges.counts[tree] = nodes[0].visits, nodes[0].tags, nodes[0].count
    for player in range(PLAYERS):
        edges.root_scores[tree, player] = nodes[0].score[player]
        if nodes[0].tags & PROVEN != 0:
            edges.root_values[tree, player] = forest.values[tree][0, player]
    for i in range(count):
        node = nodes[first + i]
        edges.actions[tree, i] = node.action
        edges.visits[tree, i] = node.visits
        edges.tags[tree, i] = node.tags
        edges.squares[tree, i] = node.squares
        for player in range(PLAYERS):
            edges.scores[tree, i, player] = node.score[player]
            if node.tags & PROVEN != 0:
                edges.values[tree, i, player] = forest.values[tree][first + i, player]
    for i in range(count, room):
        edges.actions[tree, i] = -1


def read_tried(forest: Any, tree: int, tried: Any) -> None:
    """What a tree knows of the real vectors that were tried at its root, as far as there is room; how many there are in any case."""
    nodes, siblings, moves = forest.nodes[tree], forest.siblings[tree], forest.moves[tree]
    tried.root_visits[tree], tried.root_tags[tree], tried.counts[tree] = nodes[0].visits, nodes[0].tags, nodes[0].count
    for player in range(PLAYERS):
        tried.root_scores[tree, player] = nodes[0].score[player]
    # They hang in a chain, the newest first.
    slot = whole(nodes[0].first)
    for i in range(whole(nodes[0].count) - 1, -1, -1):
        if i < tried.visits.shape[1]:
            tried.visits[tree, i] = nodes[slot].visits
            for player in range(PLAYERS):
                tried.scores[tree, i, player] = nodes[slot].score[player]
            for d in range(moves.shape[1]):
                tried.moves[tree, i, d] = moves[slot, d]
        slot = whole(siblings[slot])


def read_all_tried(forest: Any, tried: Any, first: int, last: int) -> None:
    """`read_tried` of some trees."""
    for tree in range(first, last):
        read_tried(forest, tree, tried)


@ticks
def tend_some(forest: Any, lane: Any, counts: Any, done: Any, first: int, last: int) -> None:
    """The trees from `first` to before `last`, one after the other, as a core does it."""
    for tree in range(first, last):
        tend(forest, tree, lane, counts, done)


def read_roots(forest: Any, edges: Any, first: int, last: int) -> None:
    """`read_root` of some trees."""
    for tree in range(first, last):
        read_root(forest, tree, edges)


def stamp(rows: Any, row: int, given: Any) -> None:
    """What one row of scratch space begins with, into its bytes, which are zeros."""
    for i in range(len(given.places)):
        rows[row, 0, given.places[i]] = given.bytes[i]
    for i in range(given.own.shape[1]):
        rows[row, 0, given.own_place[0] + i] = given.own[row, i]


def stamp_some(rows: Any, given: Any, first: int, last: int) -> None:
    """`stamp` of some rows."""
    for row in range(first, last):
        stamp(rows, row, given)


def clear_rows(columns: Any, sizes: Any, table: Any, head: Any, rows: Any, first: int, last: int) -> None:
    """Zeros where some trees had something: the bytes of every column, so many for each slot, as far as they were used."""
    for i in range(first, last):
        tree = rows[i]
        for c in range(len(columns)):
            column = columns[c]
            for at in range(min(whole(head[tree][0].used) * sizes[c], column.shape[1])):
                column[tree, at] = 0
        if head[tree][0].positions != 0:
            for at in range(table.shape[1]):
                table[tree, at] = 0


@ticks
def collect_rows(forest: Any, lanes: Any, rows: Any, budgets: Any, leaves: Any, waiting: Any, first: int, last: int) -> None:
    """`collect` for the trees in some rows; how many leaves of each wait, and their bytes, as many places for each as it has lanes."""
    for i in range(first, last):
        tree = rows[i]
        lane = Lane(lanes.states[tree], lanes.raw[tree], lanes.work[tree])
        waiting[i] = collect(row(forest, tree, lane), budgets[i])
        for k in range(waiting[i]):
            leaf = lane.raw[k][NOW]
            for at in range(len(leaf)):
                leaves[i * len(lane.work) + k, at] = leaf[at]


def settle_rows(forest: Any, lanes: Any, asked: Any, values: Any, priors: Any, first: int, last: int) -> None:
    """`settle` for the trees whose leaves wait, out of the values and priors of all of them."""
    for i in range(first, last):
        if asked.waiting[i] > 0:
            tree, begin = asked.rows[i], asked.starts[i]
            end = begin + asked.waiting[i]
            lane = Lane(lanes.states[tree], lanes.raw[tree], lanes.work[tree])
            settle(row(forest, tree, lane), asked.waiting[i], values[begin:end], priors[begin:end])
