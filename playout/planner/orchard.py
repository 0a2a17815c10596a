"""Trees with waiting leaves whose columns are rows of common arrays: one call of a kernel sends a batch down all of them.

A tree by itself is begun and ended by a call each, which takes longer than what the call does where few leaves wait in each of many
trees, as in self-play. Here a tree is a `WaitingTree` like any other, and where its arrays lie changes nothing in it. One that outgrows
its row goes on in arrays of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from playout.engine import layout
from playout.engine.forest import Forest as Columns
from playout.engine.forest import Lane, collect_rows, settle_rows
from playout.engine.layout import Tree
from playout.planner.waiting import Evaluator, WaitingTree, heard

Array = np.ndarray[Any, Any]
MOST_BYTES = 1 << 31
"""What the rows may take together."""


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
        self._collect, self._settle = model.binding.kernel(collect_rows), model.binding.kernel(settle_rows)
        self._free = list(range(count - 1, -1, -1))

    def tree(self) -> WaitingTree:
        """A tree in a row of its own; in arrays of its own where all rows are taken."""
        if not self._free:
            twin = self.model._blank()
            assert isinstance(twin, WaitingTree)
            return twin
        return Rooted(self.model, self, self._free.pop())

    def progress(self, trees: Sequence[WaitingTree]) -> tuple[Array, Array]:
        """(simulations, proven) of all of them, read in one go where they are in their rows."""
        if not all(isinstance(tree, Rooted) and tree.at_home for tree in trees):
            return np.array([tree.simulations for tree in trees]), np.array([tree.proven for tree in trees])
        rows = np.array([tree.row for tree in trees], np.int64)  # type: ignore[attr-defined]
        return self.forest.head["simulations"][rows, 0], (self.forest.nodes["tags"][rows, 0] & layout.PROVEN) != 0

    def advance(self, trees: Sequence[WaitingTree], budgets: Array, evaluator: Evaluator, most_bytes: int) -> int:
        """One round of all of them, as `planner.waiting.advance`: the leaves of all are evaluated as one batch; how many there were."""
        at_home = np.array([isinstance(tree, Rooted) and tree.at_home for tree in trees], bool)
        rooted: list[Any] = list(trees) if at_home.all() else [tree for tree, home in zip(trees, at_home) if home]
        others = [(trees[int(place)], int(budgets[place])) for place in np.flatnonzero(~at_home)]
        rows, granted = np.array([tree.row for tree in rooted], np.int64), budgets[at_home]
        waiting = np.zeros(len(rows), np.int64)
        try:
            with np.errstate(over="ignore"):
                inside = self._begin(rooted, rows, granted, waiting, most_bytes)
                found = [self._leaves[:inside], *(tree.begin(budget, most_bytes) for tree, budget in others)]
                states = np.concatenate(found).view(self.game.dtype).reshape(-1)
                if not len(states):
                    return 0
                values, priors = heard(self.game, evaluator(states), len(states))
                self._settle(self.forest, self.lanes, rows, waiting, values[:inside], priors[:inside])
                self._complain(rooted, rows)
                done = inside
                for (tree, _), leaves in zip(others, found[1:]):
                    if len(leaves):
                        tree.end(values[done : done + len(leaves)], priors[done : done + len(leaves)])
                        done += len(leaves)
                return done
        except BaseException:
            for tree in trees:
                tree.abandon()
            raise

    def _begin(self, trees: list[Any], rows: Array, budgets: Array, waiting: Array, most_bytes: int) -> int:
        """A batch down every tree that is in its row; how many leaves wait. One that could do nothing gets more room."""
        simulations = self.forest.head["simulations"]
        before = simulations[rows, 0].copy()
        total = int(self._collect(self.forest, self.lanes, rows, budgets, self._leaves, waiting))
        self._complain(trees, rows)
        for at in np.flatnonzero((waiting == 0) & (simulations[rows, 0] == before)):
            if not trees[at].proven:
                trees[at].grow(most_bytes)
        return total

    def _complain(self, trees: Sequence[WaitingTree], rows: Array) -> None:
        """A game that misbehaved in any of the trees is told of."""
        for at in np.flatnonzero(self.forest.head["trouble"][rows, 0]):
            trees[int(at)].report_trouble()
