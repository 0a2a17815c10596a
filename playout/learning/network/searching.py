"""Trees of many games searched side by side, and what a finished search says: which action to play, and what a network is to learn of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from playout.engine import layout
from playout.game.game import Game
from playout.game.state import State
from playout.planner.improved import completed_values, improved_policy
from playout.planner.orchard import Orchard, edges_of
from playout.planner.search import Search
from playout.planner.waiting import Evaluator, WaitingTree, advance

Array = np.ndarray[Any, Any]
MOST_BYTES = 1 << 28
"""What one tree may occupy; a search of self-play needs a hundredth of a hundredth."""


class Lessons(NamedTuple):
    """What searches found: a row for each, the legal actions in order of their ids."""

    counts: Array
    """Legal actions of each; what stands behind them in a row means nothing."""
    actions: Array
    shares: Array
    """What the policy should say of each action."""
    values: Array
    """What each player may expect; exact where the position is proven."""
    best: Array
    """The place of the action that the search chooses."""
    proven: Array

    @property
    def chosen(self) -> Array:
        """The action that each search chooses."""
        return self.actions[np.arange(len(self.best)), self.best]


class Together:
    """Searches of one game with one evaluator, as many at a time as are asked for; the clock says where the time goes."""

    def __init__(
        self,
        game: Game,
        evaluator: Evaluator,
        simulations: int,
        *,
        root: str = "puct",
        goal: str = "completed",
        explore: float = 1.0,
        compiled: bool = True,
        abreast: int = 0,
        **words: Any,
    ) -> None:
        """With `abreast` there is room in common arrays for so many trees: a kernel goes through all of them at once."""
        rules: dict[str, Any] = {"rule": "puct", "root_rule": "gumbel" if root == "gumbel" else "auto", "c": explore, "batch": 1}
        self.search = Search(game, evaluator=evaluator, compiled=compiled, fit=False, **{**rules, **words})
        self.game, self.evaluator, self.simulations = game, evaluator, simulations
        self.racing, self.goal = root == "gumbel", goal
        self.in_trees = self.outside = 0.0
        """Seconds in the trees, and in the evaluator."""
        self.leaves = 0
        self._goals: dict[int, int] = {}
        self._spare: list[WaitingTree] = []
        # With hidden information trees are of several kinds, as long as something is hidden and after that.
        self._abreast = abreast if self.search.binding.compiled and not game.hidden else 0
        self._orchard: Orchard | None = None

    def evaluate(self, states: Array) -> Any:
        """The evaluator, with its time."""
        return self.later(states)()

    def later(self, states: Array) -> Callable[[], Any]:
        """The evaluator, asked now and heard later, where it can do both; with its time, as far as anybody waits for it."""
        began = time.perf_counter()
        ask = getattr(self.evaluator, "later", None)
        found: Any = self.evaluator(states) if ask is None else ask(states)
        self.outside += time.perf_counter() - began

        def answer() -> Any:
            asked = time.perf_counter()
            told = found if ask is None else found()
            self.outside += time.perf_counter() - asked
            return told

        return answer

    def plant(self, state: State, seed: int, number: int) -> WaitingTree:
        """An empty tree at a state; the two numbers are its streams."""
        # Where something is hidden a tree depends on what is left to hide.
        tree = self._spare.pop() if self._spare else self._made(state)
        tree.replant(state, seed, number)
        return tree

    def _made(self, state: State) -> WaitingTree:
        if self.orchard is not None:
            return self.orchard.tree()
        tree = self.search.plant(state, 0)
        assert isinstance(tree, WaitingTree)
        return tree

    def fell(self, tree: WaitingTree) -> None:
        """A tree that is not needed any more; the next one takes its place in memory."""
        if not self.game.hidden:
            self._spare.append(tree)

    def begin(self, tree: WaitingTree) -> None:
        """A new search on a tree, which may know something already."""
        tree.reopen()
        tree.plan(tree.simulations, self.simulations)
        self._goals[id(tree)] = tree.simulations + self.simulations

    def done(self, tree: WaitingTree) -> bool:
        """Whether its search has ended."""
        return tree.simulations >= self._goals[id(tree)] or tree.proven

    def ended(self, trees: Sequence[WaitingTree]) -> list[int]:
        """The places of those whose searches have ended."""
        if self._orchard is None:
            return [place for place, tree in enumerate(trees) if self.done(tree)]
        simulations, proven = self._orchard.progress(trees)
        goals = np.array([self._goals[id(tree)] for tree in trees], np.int64)
        return [int(place) for place in np.flatnonzero((simulations >= goals) | proven)]

    def forget(self, tree: WaitingTree) -> None:
        """Its search has ended, and was asked."""
        del self._goals[id(tree)]

    def round(self, trees: Sequence[WaitingTree]) -> None:
        """One leaf of every tree whose search goes on, all evaluated together."""
        began, before = time.perf_counter(), self.outside
        goals = [self._goals[id(tree)] for tree in trees]
        if self._orchard is None:
            budgets = [goal - tree.simulations for goal, tree in zip(goals, trees)]
            self.leaves += advance(trees, budgets, self.evaluate, MOST_BYTES)
        else:
            left = np.array(goals, np.int64) - self._orchard.progress(trees)[0]
            self.leaves += self._orchard.advance(trees, left, self.later, MOST_BYTES)
        self.in_trees += time.perf_counter() - began - (self.outside - before)

    # trees in rows, by the numbers of those

    @property
    def orchard(self) -> Orchard | None:
        """Rows for as many trees as were asked for, where trees can stand in rows."""
        if self._orchard is None and self._abreast:
            tree = self.search.plant(self.game.start(), 0)
            assert isinstance(tree, WaitingTree)
            self._orchard = Orchard(tree, self._abreast, self.simulations)
        return self._orchard

    def round_of(self, rows: Array) -> None:
        """One leaf of every tree in some rows whose search goes on, all evaluated together."""
        orchard, began, before = self.orchard, time.perf_counter(), self.outside
        assert orchard is not None
        left = self.simulations - orchard.progress_of(rows)[0]
        self.leaves += orchard.advance_rows(rows, left, self.later, MOST_BYTES)
        self.in_trees += time.perf_counter() - began - (self.outside - before)

    def run(self, trees: Sequence[WaitingTree]) -> Lessons:
        """Search all of them to the end."""
        for tree in trees:
            self.begin(tree)
        going = [tree for tree in trees if not self.done(tree)]
        while going:
            self.round(going)
            going = [tree for tree in going if not self.done(tree)]
        for tree in trees:
            self.forget(tree)
        return self.lessons(trees)

    def lessons(self, trees: Sequence[WaitingTree]) -> Lessons:
        """What searches found, read off the roots."""
        movers = np.array([tree.root.mover for tree in trees], np.int64)
        ranges = np.array([tree.range_of(mover) for tree, mover in zip(trees, movers.tolist())])
        return self.learned(*edges_of(trees, self.game.most_legal), movers, ranges)

    def learned(self, edges: Any, priors: Array, results: Array, movers: Array, ranges: Array) -> Lessons:
        """What is to be learned from what the roots of searches know; `ranges` are the returns that the movers have seen."""
        order = np.argsort(np.where(edges.actions < 0, np.iinfo(np.int32).max, edges.actions), axis=1, kind="stable")
        actions, visits, tags, priors = (
            np.take_along_axis(column, order, 1) for column in (edges.actions, edges.visits, edges.tags, priors)
        )
        rows, valid = np.arange(len(movers)), actions >= 0
        scores, exact = (np.take_along_axis(column[rows, :, movers], order, 1) for column in (edges.scores, edges.values))
        visits, proven, refuted = visits.astype(np.float64), (tags & layout.PROVEN) != 0, (tags & layout.REFUTED) != 0
        dropped = (tags & layout.DROPPED) != 0 if self.racing else np.zeros(tags.shape, bool)
        root_visits, root_proven = np.maximum(1, edges.root_visits).astype(np.int64), (edges.root_tags & layout.PROVEN) != 0
        mean = edges.root_scores / root_visits[:, None]
        worth = np.where(proven, exact, np.where(visits > 0, scores / np.maximum(visits, 1), np.nan))
        priors = np.where(valid, np.maximum(priors, 1e-12).astype(np.float64), 0.0)
        priors /= priors.sum(axis=1, keepdims=True)
        worth = completed_values(worth, priors, mean[rows, movers], root_visits)
        values = np.where(root_proven[:, None], results, mean)
        bounds = self.game.range_of(self.search.settings.reward)
        low, high = ranges.T if bounds is None else np.broadcast_to(np.array(bounds, np.float64)[:, None], (2, len(rows)))
        shares = improved_policy(worth, priors, visits.max(axis=1, initial=0.0), low, high)
        if self.goal == "visits":
            total = visits.sum(axis=1, keepdims=True)
            shares = np.where(root_proven[:, None] | (total == 0), shares, visits / np.maximum(total, 1))
        best = _best(self.racing, valid & ~(proven | refuted | dropped), valid & proven, visits, np.where(valid, worth, -np.inf))
        return Lessons(edges.counts.astype(np.int64), actions.astype(np.int64), shares, values, best, root_proven)


def _best(racing: bool, open_: Array, proven: Array, visits: Array, worth: Array) -> Array:
    """The choice: the best of those left in the race, or the most visited; a proven action where its result is at least as good."""
    rows, any_proven = np.arange(len(worth)), proven.any(axis=1)
    place = np.argmax(np.where(open_, worth if racing else visits, -np.inf), axis=1)
    best = np.argmax(np.where(proven, worth, -np.inf), axis=1)
    better = any_proven & (worth[rows, best] >= worth[rows, place])
    closed = np.where(any_proven, best, np.argmax(worth, axis=1))
    found: Array = np.where(open_.any(axis=1), np.where(better, best, place), closed)
    return found
