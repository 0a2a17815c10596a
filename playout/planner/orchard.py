"""Trees with waiting leaves whose columns are rows of common arrays: one call of a kernel sends a batch down all of them.

A tree by itself is begun and ended by a call each, which takes longer than what the call does where few leaves wait in each of many
trees, as in self-play. Here a tree is a `WaitingTree` like any other, and where its arrays lie changes nothing in it. One that outgrows
its row goes on in arrays of its own. Rows are shared out among the cores, and while an evaluator is at work on one half of them, the
other half is sent down.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from playout.compile.devices import cores
from playout.engine import layout
from playout.engine.forest import Asked, Edges, Lane, clear_rows, collect_rows, settle_rows
from playout.engine.forest import Forest as Columns
from playout.engine.layout import Tree
from playout.game.stream import base_words
from playout.planner.waiting import WaitingTree, heard

Array = np.ndarray[Any, Any]
Later = Callable[[Array], Callable[[], Any]]
"""An evaluator that is asked now and answers later: f(states) gives a function that waits for the answer."""
MOST_BYTES = 1 << 31
"""What the rows may take together."""
LEAST = 256
"""Rows that are worth a thread of their own, and a batch of their own for the evaluator."""


class Rooted(WaitingTree):
    """A tree in a row of an orchard."""

    def __init__(self, model: WaitingTree, orchard: Orchard, row: int) -> None:
        super().__init__(model.binding, model.settings, model.root, 0, model.evaluator)
        self.orchard, self.row = orchard, row
        forest, lanes = orchard.forest, orchard.lanes
        head = self.tree.head
        self.tree = self._home = Tree._make(getattr(forest, name)[row] for name in layout.FIELDS)
        self.tree.head[:] = head
        options, _, _, work, known = self._scratch
        forest.options[row], lanes.work[row] = options, work
        self._options, self._states, self._work = forest.options[row], lanes.states[row], lanes.work[row]
        self._scratch = (self._options, self._states, lanes.raw[row], self._work, known)
        self.root = model.root

    @property
    def at_home(self) -> bool:
        """Whether its columns are still those of its row: whatever grows, the slots or the table, makes another tree of them."""
        return self.tree is self._home

    def go_home(self) -> None:
        """Back to its row, whatever it knew."""
        self.tree = self._home


class Orchard:
    """Rows for so many trees of one search, each with room for so many simulations."""

    def __init__(self, model: WaitingTree, count: int, simulations: int) -> None:
        game, lanes = model.game, model.lanes
        self.model, self.game = model, game
        self.slots = len(model.tree.nodes)
        wanted = (simulations + lanes + 2) * (game.most_legal + 2)
        while self.slots < wanted and count * 2 * self.slots * model.slot_bytes < MOST_BYTES:
            self.slots *= 2
        blank = model.empty(self.slots, len(model.tree.table))
        columns = [np.zeros((count, *column.shape), column.dtype) for column in blank]
        options, states, _, work, known = model._scratch
        pools = np.zeros((count, *states.shape), states.dtype)
        self.forest: Any = Columns(*columns, np.zeros((count, *options.shape), options.dtype), np.zeros(1, states.dtype), known)  # type: ignore[call-arg]
        self.lanes = Lane(
            pools, pools.view(np.uint8).reshape(*pools.shape, game.dtype.itemsize), np.zeros((count, *work.shape), work.dtype)
        )
        self._leaves = np.zeros((count * lanes, game.dtype.itemsize), np.uint8)
        self._collect, self._settle, self._clear = (
            model.binding.kernel(body) for body in (collect_rows, settle_rows, clear_rows)
        )
        self._free = list(range(count - 1, -1, -1))
        self.trees: list[Rooted | None] = [None] * count
        """The trees by their rows, as far as they were asked for."""
        self._away: set[int] = set()
        """The rows whose trees have outgrown them."""
        self._cores, self._ready = cores(), False

    def tree(self) -> WaitingTree:
        """A tree in a row of its own; in arrays of its own where all rows are taken."""
        if not self._free:
            twin = self.model._blank()
            assert isinstance(twin, WaitingTree)
            return twin
        row = self._free.pop()
        made = self.trees[row] = Rooted(self.model, self, row)
        return made

    # trees one by one

    def progress(self, trees: Sequence[WaitingTree]) -> tuple[Array, Array]:
        """(simulations, proven) of all of them, read in one go where they are in their rows."""
        if not all(isinstance(tree, Rooted) and tree.at_home for tree in trees):
            return np.array([tree.simulations for tree in trees]), np.array([tree.proven for tree in trees])
        return self.progress_of(np.array([tree.row for tree in trees], np.int64))  # type: ignore[attr-defined]

    def advance(self, trees: Sequence[WaitingTree], budgets: Array, later: Later, most_bytes: int) -> int:
        """One round of all of them, as `planner.waiting.advance`: the leaves of all are evaluated together; how many there were."""
        at_home = np.array([isinstance(tree, Rooted) and tree.at_home for tree in trees], bool)
        rows = np.array([tree.row for tree, home in zip(trees, at_home) if home], np.int64)  # type: ignore[attr-defined]
        others = [(trees[int(place)], int(budgets[place])) for place in np.flatnonzero(~at_home)]
        return self._round(rows, budgets[at_home], others, later, most_bytes)

    # rows by their numbers

    def plant(self, rows: Array, states: Array, movers: Array, seeds: Array, numbers: Array, simulations: int) -> None:
        """Empty trees in some rows, as `replant` makes them, for races of so many simulations."""
        for row in rows.tolist() if self._free else ():
            while self.trees[row] is None:
                self.tree()
        for row in self._away.intersection(rows.tolist()):
            tree = self.trees[row]
            assert tree is not None
            tree.go_home()
            self._away.discard(row)
        head = self.forest.head
        sizes, columns, table = self._bytes()
        self._in_pieces(
            len(rows), lambda first, last: self._clear(columns, sizes, table, self.forest.head, rows, first, last), self._ready
        )
        self.forest.habits[rows] = 0
        head[rows] = np.zeros(1, head.dtype)
        head["seed"][rows, 0], head["tree"][rows, 0], head["used"][rows, 0] = seeds, numbers, 1
        head["stream"][rows, 0] = base_words(seeds, numbers)
        head["low"][rows], head["high"][rows] = np.inf, -np.inf
        self.lanes.work["entered"][rows] = 0
        self.lanes.states[rows, :, layout.ROOT] = states[:, None]
        options = self.forest.options
        options["observer"][rows, 0], options["began"][rows, 0], options["planned"][rows, 0] = movers, 0, simulations

    def progress_of(self, rows: Array) -> tuple[Array, Array]:
        """(simulations, proven) of the trees in some rows."""
        simulations, proven = (
            self.forest.head["simulations"][rows, 0],
            (self.forest.nodes["tags"][rows, 0] & layout.PROVEN) != 0,
        )
        for place in np.flatnonzero(np.isin(rows, list(self._away))) if self._away else ():
            tree = self.trees[int(rows[place])]
            assert tree is not None
            simulations[place], proven[place] = tree.simulations, tree.proven
        return simulations, proven

    def advance_rows(self, rows: Array, budgets: Array, later: Later, most_bytes: int) -> int:
        """One round of the trees in some rows."""
        if not self._away:
            return self._round(rows, budgets, [], later, most_bytes)
        away = np.isin(rows, list(self._away))
        others: list[Any] = [(self.trees[int(rows[place])], int(budgets[place])) for place in np.flatnonzero(away)]
        return self._round(rows[~away], budgets[~away], others, later, most_bytes)

    def edges(self, rows: Array) -> tuple[Any, Array, Array]:
        """What the trees in some rows know of the actions at their roots, the priors of those, and the values of the roots."""
        found = [self._edges_at_home(rows)]
        if self._away:
            away = np.flatnonzero(np.isin(rows, list(self._away)))
            for place in away:
                tree = self.trees[int(rows[place])]
                assert tree is not None
                for mine, theirs in zip((*found[0][0], *found[0][1:]), _edges_of(tree, self.game.most_legal)):
                    mine[place] = theirs
        return found[0]

    def _edges_at_home(self, rows: Array) -> tuple[Any, Array, Array]:
        forest, most = self.forest, self.game.most_legal
        root = forest.nodes[rows, 0]
        counts, places = root["count"], np.arange(most)
        valid = places < counts[:, None]
        slots = np.where(valid, root["first"][:, None] + places, 0)
        nodes = forest.nodes[rows[:, None], slots]
        priors = forest.priors[rows[:, None], slots] if forest.priors.shape[1] > 1 else np.ones(slots.shape, np.float32)
        values = forest.values[rows[:, None], slots] if forest.values.shape[1] > 1 else np.zeros(nodes["score"].shape)
        edges = Edges(
            root["visits"],
            root["tags"],
            root["score"],
            forest.values[rows, 0] if forest.values.shape[1] > 1 else np.zeros(root["score"].shape),
            counts,
            np.where(valid, nodes["action"].astype(np.int32), -1),
            np.where(valid, nodes["visits"], 0),
            np.where(valid, nodes["tags"], 0),
            np.where(valid, nodes["squares"], 0),
            nodes["score"],
            values,
        )
        return edges, np.where(valid, priors, 0), forest.values[rows, 0]

    # one round

    def _round(self, rows: Array, budgets: Array, others: list[tuple[WaitingTree, int]], later: Later, most_bytes: int) -> int:
        """Half of the rows is sent down while the evaluator is at work on the other; `others` go by themselves, with the second half."""
        halves = np.array_split(np.arange(len(rows)), 1 if len(rows) < 2 * LEAST else 2)
        asked, done = [], 0
        try:
            with np.errstate(over="ignore"):
                for half in halves:
                    extra = others if half is halves[-1] else []
                    waiting, states = self._begin(rows[half], budgets[half], most_bytes)
                    found = [states, *(tree.begin(budget, most_bytes) for tree, budget in extra)]
                    whole = np.concatenate(found) if extra else states
                    answer = later(whole.view(self.game.dtype).reshape(-1)) if len(whole) else None
                    asked.append((rows[half], waiting, len(states), [len(leaves) for leaves in found[1:]], len(whole), answer))
                for here, waiting, inside, counts, count, answer in asked:
                    if answer is None:
                        continue
                    values, priors = heard(self.game, answer(), count)
                    self._end(here, waiting, values, priors)
                    at = inside
                    for (tree, _), leaves in zip(others, counts):
                        if leaves:
                            tree.end(values[at : at + leaves], priors[at : at + leaves])
                            at += leaves
                    done += count
        except BaseException:
            for row in rows.tolist():
                tree = self.trees[row]
                assert tree is not None
                tree.abandon()
            for tree, _ in others:
                tree.abandon()
            raise
        return done

    def _begin(self, rows: Array, budgets: Array, most_bytes: int) -> tuple[Array, Array]:
        """A batch down every tree that is in its row; how many leaves of each wait, and their bytes. One that could do nothing gets room."""
        lanes, leaves, waiting = self.model.lanes, self._leaves, np.zeros(len(rows), np.int64)
        simulations = self.forest.head["simulations"]
        before = simulations[rows, 0].copy()
        self._in_pieces(
            len(rows),
            lambda first, last: self._collect(self.forest, self.lanes, rows, budgets, leaves, waiting, first, last),
            self._ready,
        )
        self._ready = self._ready or bool(len(rows))
        self._complain(rows)
        for at in np.flatnonzero((waiting == 0) & (simulations[rows, 0] == before)):
            tree = self.trees[int(rows[at])]
            assert tree is not None
            if not tree.proven:
                tree.grow(most_bytes)
                if not tree.at_home:
                    self._away.add(tree.row)
        out = np.arange(lanes) < waiting[:, None]
        # A copy, since the other half will write over it.
        found: Array = leaves[: len(rows) * lanes][out.reshape(-1)]
        return waiting, found

    def _end(self, rows: Array, waiting: Array, values: Array, priors: Array) -> None:
        asked = Asked(rows, waiting, np.cumsum(waiting) - waiting)
        self._in_pieces(
            len(rows),
            lambda first, last: self._settle(self.forest, self.lanes, asked, values, priors, first, last),
            self._ready,
        )
        self._complain(rows)

    def _in_pieces(self, count: int, work: Callable[[int, int], Any], ready: bool) -> None:
        """Rows on all cores, where there are enough; each tree by one of them, so it does not matter how many there are."""
        pieces = min(self._cores.threads, count // LEAST)
        if pieces < 2 or not ready:
            work(0, count)
        else:
            self._cores.share(count, pieces, work, compiled=True)

    def _bytes(self) -> tuple[Array, tuple[Array, ...], Array]:
        """How many bytes a slot has in every column that is there, the columns as bytes, and the tables."""
        forest, count = self.forest, len(self.trees)
        names = [column.name for column in layout.used_by(self.model.tree)]
        columns = [getattr(forest, name) for name in names]
        sizes = np.array([int(column[0, :1].nbytes) for column in columns], np.int64)
        table = forest.table.view(np.uint8).reshape(count, -1)
        return sizes, tuple(column.view(np.uint8).reshape(count, -1) for column in columns), table

    def _complain(self, rows: Array) -> None:
        """A game that misbehaved in any of the trees is told of."""
        for at in np.flatnonzero(self.forest.head["trouble"][rows, 0]):
            tree = self.trees[int(rows[at])]
            assert tree is not None
            tree.report_trouble()


def edges_of(trees: Sequence[WaitingTree], most: int) -> tuple[Any, Array, Array]:
    """`Orchard.edges` of trees one by one."""
    found = [_edges_of(tree, most) for tree in trees]
    columns = [np.stack(column) for column in zip(*found)]
    return Edges(*columns[:-2]), columns[-2], columns[-1]


def _edges_of(tree: WaitingTree, most: int) -> tuple[Any, ...]:
    """The columns of `Edges` for one tree, and the priors of its actions and the values of its root."""
    block, root, players = tree.block(), tree.tree.nodes[0], tree.game.players
    count = len(block.slots)

    def filled(column: Any, blank: Any) -> Array:
        out = np.full((most, *np.shape(column)[1:]), blank, np.asarray(column).dtype)
        out[:count] = column
        return out

    priors = np.ones(count, np.float32) if block.priors is None else block.priors
    values = np.zeros((count, players)) if block.values is None else block.values
    return (
        np.int32(root["visits"]),
        np.uint8(root["tags"]),
        np.array(root["score"]),
        np.array(tree.tree.values[0]) if len(tree.tree.values) > 1 else np.zeros(players),
        np.int32(count),
        filled(block.actions.astype(np.int32), -1),
        filled(block.visits, 0),
        filled(block.tags, 0),
        filled(block.squares, 0),
        filled(block.scores, 0),
        filled(values, 0),
        filled(priors, 0),
        np.array(tree.tree.values[0]) if len(tree.tree.values) > 1 else np.zeros(players),
    )
