"""Trees that follow what their players see: a grove for games in which something is hidden.

What `Search` does between two decisions, for many games at once (`SearchAgent.observe_action`, then `Search._settle_on`): after its own action a
tree goes to what its player saw of it; at the next decision it goes on to what is seen then, if there is one way through what others may
have done; else it begins anew. A tree of which nothing was known is one that begins, so it is not made before it is wanted.
"""

from __future__ import annotations

import numpy as np

from playout.compile.devices import Array
from playout.engine.layout import SAMPLING
from playout.engine.shift import BEGIN, STAY, WAY
from playout.planner.forest import Forest, Plan
from playout.planner.grove import Grove, steps
from playout.planner.shown import Shown, alike, raw


class Sighted(Grove):
    """A grove whose trees are told of worlds, and never of the true states."""

    def __init__(self, forest: Forest, plan: Plan, states: Array, seeds: Array, simulations: int) -> None:
        super().__init__(forest, plan, states, seeds, simulations)
        settings = forest.settings
        self.shown = Shown(forest.game, forest.search.binding.compiled)
        self.sampling = settings.hidden in SAMPLING
        self.follows = not (settings.open_loop or settings.hidden == "mo-ismcts")
        """Whether what hangs below an action belongs to what is seen after it (`SearchTree.move_root`)."""
        self.roots = np.zeros(self.count, forest.game.dtype)
        self.movers = np.full(self.count, -1, np.int64)
        """Who is to act at the roots: another than the searcher while a tree waits."""
        self.there = np.zeros(self.count, bool)
        """Which trees know something."""
        self.plain = np.zeros(self.count, bool)
        """Which began where nothing was hidden any more, and have no worlds to draw."""

    def settle(self, trees: Array, states: Array, movers: Array, ids: Array, counts: Array) -> None:
        """Before a decision: trees that can tell where they are in these worlds go on from there, the others begin there."""
        there, roots, seen = self.there[trees], self.roots[trees], raw(states)
        actions, plain = np.full(len(trees), BEGIN, np.int64), self.plain[trees]
        equal = there & alike(roots, states)
        if self.sampling:
            seen = self.shown.observed(states, movers)
            waits = there & ~plain & (self.movers[trees] != movers)
            equal = np.where(plain, equal, there & ~waits & (self.shown.observed(roots, movers) == seen).all(axis=1))
            actions[waits] = WAY
        actions[equal] = STAY
        begins = self.shown.all_seen(states) if self.sampling else np.zeros(len(trees), bool)
        found = self.go(
            steps(trees, actions, states, raw=seen, ids=ids, counts=counts, plain=begins.astype(np.int64), observers=movers)
        )
        self.plain[trees] = np.where(found, plain, begins)
        self.roots[trees], self.movers[trees], self.there[trees] = states, movers, True

    def told(self, trees: Array, before: Array, actions: Array, after: Array) -> None:
        """After the action of its own player: a tree goes to what that one saw of it, where it knows of that."""
        trees, before, actions, after = (column[self.there[trees]] for column in (trees, before, actions, after))
        roots, movers = self.roots[trees], self.shown.movers(before)
        able = alike(roots, before)
        seen = raw(after)
        if self.sampling:
            looks = (self.shown.observed(roots, movers) == self.shown.observed(before, movers)).all(axis=1)
            able |= (self.movers[trees] == movers) & looks
            plain = self.plain[trees]
            # Where everything is seen a new tree can prove what is left.
            able &= plain | (self.follows & ~self.shown.all_seen(after))
            seen = np.where(plain[:, None], seen, self.shown.observed(after, movers))
        self.there[trees] = False
        if not able.any():
            return
        trees, actions, after, seen = (column[able] for column in (trees, actions, after, seen))
        same = np.ones(len(trees), np.int64)
        if not self.sampling or self.plain[trees].any():
            # A world that was drawn after the action need not be where the action leads from the root.
            same[:] = alike(self.shown.after(roots[able], actions), after)
        found = self.go(steps(trees, actions, after, raw=seen, same=same))
        self.roots[trees], self.movers[trees], self.there[trees] = after, self.shown.movers(after), found
