"""Equilibria of small games by counterfactual regret minimization: with sampling (MCCFR) as the reference, and CFR+ as a check.

    solution = equilibrium(game_tree("leduc-poker"), "external", iterations=1_000_000, seed=1)
    solution.exploitability, solution.value

The average policy of all iterations approaches an equilibrium; how near it is, is computed exactly and not guessed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from playout.compile import shared
from playout.compile.records import new_stream
from playout.errors import PlayoutError, suggest
from playout.truth.imperfect import kernels
from playout.truth.imperfect.best_response import exploitability, value
from playout.truth.imperfect.policy import Policy, normalized
from playout.truth.imperfect.tree import Tree

METHODS = ("external", "outcome", "cfr+")
EXPLORE = 0.6
"""How often outcome sampling tries an action at random (Lanctot and others, 2009)."""
LONGEST = 100_000
"""Iterations that run without a look at Ctrl-C."""


@dataclass(frozen=True)
class Solution:
    """An average policy, and what it took."""

    tree: Tree
    method: str
    iterations: int
    seed: int
    seconds: float
    """In the loops, compiling not counted."""
    policy: Policy

    @cached_property
    def value(self) -> float:
        """What player 0 gets when both follow the policy."""
        return value(self.tree, self.policy)

    @cached_property
    def exploitability(self) -> float:
        """How far from an equilibrium, exactly."""
        return exploitability(self.tree, self.policy)


class Solver:
    """Regrets and averages that grow: run it, look at the `policy`, run on.

    "external" samples chance and the opponent, "outcome" a single course of the game, "cfr+" nothing.
    """

    def __init__(self, tree: Tree, method: str = "external", *, seed: int = 0) -> None:
        if method not in METHODS:
            raise PlayoutError(f"method is {method!r}; {suggest(str(method), METHODS)}")
        self.tree, self.method, self.seed = tree, method, seed
        self.iterations, self.seconds = 0, 0.0
        self.regret, self.total, self.now = np.zeros((3, tree.slots))
        self.rng = new_stream(True, seed)
        depth, nodes = tree.deepest + 1, tree.histories
        self.room = np.zeros((depth, tree.widest))
        self.path, self.odds = np.zeros((depth, 2), np.int32), np.zeros((depth, 2))
        self.reach, self.value = np.zeros((2, nodes if method == "cfr+" else 1))
        self.own = np.zeros(len(tree.info_sets))

    @property
    def policy(self) -> Policy:
        """The average policy so far; uniform where the sampling has not been."""
        return normalized(self.tree, self.total)

    def run(self, iterations: int) -> Solution:
        """So many iterations more; each lets both players learn once."""
        if iterations < 1:
            raise PlayoutError(f"iterations is {iterations}; it must be at least 1")
        self._go(0)  # compiles, which the clock should not see
        began, goal = time.perf_counter(), self.iterations + iterations
        while self.iterations < goal:
            piece = min(goal - self.iterations, LONGEST if self.method != "cfr+" else 100)
            self._go(piece)
            self.iterations += piece
        self.seconds += time.perf_counter() - began
        return Solution(self.tree, self.method, self.iterations, self.seed, self.seconds, self.policy)

    def _go(self, count: int) -> None:
        arrays, learnt = self.tree.arrays, (self.regret, self.total, self.now)
        if self.method == "external":
            shared(kernels.external_rounds)(arrays, count, *learnt, self.room, self.path, self.rng)
        elif self.method == "outcome":
            shared(kernels.outcome_rounds)(arrays, count, EXPLORE, *learnt, self.path, self.odds, self.rng)
        else:
            shared(kernels.plus)(arrays, count, self.iterations, *learnt, self.reach, self.own, self.value)


def equilibrium(tree: Tree, method: str = "external", *, iterations: int = 100_000, seed: int = 0) -> Solution:
    """An approximate equilibrium after so many iterations.

    >>> from playout.truth import game_tree
    >>> round(equilibrium(game_tree("kuhn-poker"), "cfr+", iterations=10_000).value, 5)
    -0.05556
    """
    return Solver(tree, method, seed=seed).run(iterations)


def improve(
    tree: Tree, method: str = "external", *, goal: float, most: int, first: int = 1000, seed: int = 0
) -> Iterator[Solution]:
    """Solutions after doubling numbers of iterations, until one is exploitable by less than `goal` or `most` are spent."""
    solver = Solver(tree, method, seed=seed)
    while solver.iterations < most:
        found = solver.run(min(max(first, solver.iterations), most - solver.iterations))
        yield found
        if found.exploitability < goal:
            return
