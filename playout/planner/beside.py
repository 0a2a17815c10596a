"""Decisions of many searches side by side: each in its own tree, the leaves of all of them evaluated in one batch.

What each chooses is what it would choose by itself, as far as the evaluator says the same of a state in whatever company.
"""

from __future__ import annotations

from collections.abc import Sequence

from playout.engine.rules import rule_named
from playout.errors import PlayoutError
from playout.game.state import State
from playout.planner.run import Choice, Run
from playout.planner.search import Search
from playout.planner.settings import Budget
from playout.planner.waiting import WaitingTree, advance


def choose_beside(searches: Sequence[Search], states: Sequence[State], simulations: int) -> list[Choice]:
    """`search.choose(state, simulations=...)` of searches that share an evaluator, all at the same time."""
    runs = [search._begin(state, Budget(simulations=simulations), {}) for search, state in zip(searches, states, strict=True)]
    for run in runs:
        if len(run.trees) != 1 or not isinstance(run.trees[0], WaitingTree) or run.search.evaluator is not searches[0].evaluator:
            raise PlayoutError("searches side by side share one evaluator, and each has one tree; make them with trees=1")
        if rule_named(run.search.settings.at_root).race:
            run.trees[0].plan(run.before[0], simulations)
    going = [run for run in runs if _on(run)]
    while going:
        trees = [tree for run in going for tree in run.trees if isinstance(tree, WaitingTree)]
        assert trees[0].evaluator is not None
        advance(trees, [run._left(0) or 0 for run in going], trees[0].evaluator, int(going[0].most_bytes[0]))
        going = [run for run in going if _on(run)]
    return [Choice(*run.pick(), run.done, "proven" if run.trees[0].proven else "simulations") for run in runs]


def _on(run: Run) -> bool:
    """Whether there is still something to do."""
    return not run.search.only and not run.trees[0].proven and bool(run._left(0))
