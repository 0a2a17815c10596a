"""Trees of many games searched side by side, and what a finished search says: which action to play, and what a network is to learn of it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from playout.engine import layout
from playout.game.game import Game
from playout.game.state import State
from playout.planner.improved import completed_values, improved_policy
from playout.planner.orchard import Orchard
from playout.planner.search import Search
from playout.planner.waiting import Evaluator, WaitingTree, advance

Array = np.ndarray[Any, Any]
MOST_BYTES = 1 << 28
"""What one tree may occupy; a search of self-play needs a hundredth of a hundredth."""


class Lesson(NamedTuple):
    """What a search found."""

    actions: Array
    """The legal actions, in order of their ids."""
    shares: Array
    """What the policy should say of each."""
    values: Array
    """What each player may expect; exact where the position is proven."""
    best: int
    """The place of the action that the search chooses."""
    proven: bool


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
        began = time.perf_counter()
        found = self.evaluator(states)
        self.outside += time.perf_counter() - began
        return found

    def plant(self, state: State, seed: int, number: int) -> WaitingTree:
        """An empty tree at a state; the two numbers are its streams."""
        # Where something is hidden a tree depends on what is left to hide.
        tree = self._spare.pop() if self._spare else self._made(state)
        tree.replant(state, seed, number)
        return tree

    def _made(self, state: State) -> WaitingTree:
        if self._orchard is not None:
            return self._orchard.tree()
        tree = self.search.plant(state, 0)
        assert isinstance(tree, WaitingTree)
        if self._abreast:
            self._orchard = Orchard(tree, self._abreast, self.simulations)
            return self._orchard.tree()
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
            self.leaves += self._orchard.advance(trees, left, self.evaluate, MOST_BYTES)
        self.in_trees += time.perf_counter() - began - (self.outside - before)

    def run(self, trees: Sequence[WaitingTree]) -> list[Lesson]:
        """Search all of them to the end."""
        for tree in trees:
            self.begin(tree)
        going = [tree for tree in trees if not self.done(tree)]
        while going:
            self.round(going)
            going = [tree for tree in going if not self.done(tree)]
        for tree in trees:
            self.forget(tree)
        return [self.lesson(tree) for tree in trees]

    def lesson(self, tree: WaitingTree) -> Lesson:
        """What a search found, read off the root."""
        block, mover = tree.block(), tree.root.mover
        block = block.take(np.argsort(block.actions, kind="stable"))
        visits, proven = block.visits.astype(np.float64), block.proven
        root_visits = max(1, tree.visits)
        mean = tree.scores_of(0) / root_visits
        worth = np.where(visits > 0, block.scores[:, mover] / np.maximum(visits, 1), np.nan)
        if block.values is not None:
            worth = np.where(proven, block.values[:, mover], worth)
        priors = np.ones(len(visits)) if block.priors is None else np.maximum(block.priors, 1e-12).astype(np.float64)
        priors /= priors.sum()
        worth = completed_values(worth, priors, mean[mover], root_visits)
        values = np.array(tree.result) if tree.proven else mean
        shares = self._shares(tree, mover, visits, proven, priors, worth)
        open_ = ~(proven | block.refuted | (block.dropped if self.racing else False))
        return Lesson(
            block.actions.astype(np.int64), shares, values, _best(self.racing, open_, proven, visits, worth), tree.proven
        )

    def _shares(self, tree: WaitingTree, mover: int, visits: Array, proven: Array, priors: Array, worth: Array) -> Array:
        if self.goal == "visits" and not tree.proven and visits.sum() > 0:
            found: Array = visits / visits.sum()
            return found
        low, high = self.game.range_of(self.search.settings.reward) or tree.range_of(mover)
        return improved_policy(worth, priors, visits.max(initial=0.0), low, high)


def _best(racing: bool, open_: Array, proven: Array, visits: Array, worth: Array) -> int:
    """The choice: the best of those left in the race, or the most visited; a proven action where its result is at least as good."""
    if not open_.any():
        return int(np.argmax(np.where(proven, worth, -np.inf) if proven.any() else worth))
    place = int(np.argmax(np.where(open_, worth if racing else visits, -np.inf)))
    if not proven.any():
        return place
    best = int(np.argmax(np.where(proven, worth, -np.inf)))
    return best if worth[best] >= worth[place] else place


def kept(tree: WaitingTree, action: int, after: State) -> bool:
    """Move a tree along an action, where it can be: with hidden information the next one to decide sees other things."""
    return tree.settings.hidden not in layout.SAMPLING and tree.move_root(action, after)
