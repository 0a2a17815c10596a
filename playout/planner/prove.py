"""Part of a budget for the solver of positions: what it proves of the root, the trees believe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from playout.game.state import State
from playout.planner.line import Course, Line
from playout.planner.settings import Budget

if TYPE_CHECKING:
    from playout.planner.search import Search

POSITIONS = 20
"""The solver counts positions, a search simulations: one is taken for so many of the other, so that a budget without a clock needs none."""


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """What the solver found out about the root."""

    value: tuple[float, ...] | None
    """What each player gets; None where the budget was not enough."""
    line: Line | None
    """Best play, whose first action keeps that value."""
    positions: int
    seconds: float

    def words(self) -> str:
        """What was spent, and what came of it."""
        found = "proved the position" if self.value is not None else "did not prove it"
        return f"the solver looked at {self.positions:,} positions in {self.seconds:.3g} s and {found}"


def parts(budget: Budget, share: float) -> tuple[Budget, Budget]:
    """The budgets of the solver and of the simulations; a clock runs for both, so that the second has what the first leaves."""
    simulations, seconds = budget.simulations, budget.seconds
    asked = None if simulations is None else max(1, int(simulations * share))
    solver = msgspec.structs.replace(
        budget,
        simulations=None if asked is None else min(asked * POSITIONS, 2_000_000_000),
        seconds=None if seconds is None else seconds * share,
    )
    rest = None if simulations is None or asked is None else max(1, simulations - asked)
    return solver, msgspec.structs.replace(budget, simulations=rest)


def prepare(search: Search) -> None:
    """Have the solver of a search ready: made, compiled or loaded from the cache."""
    if search.prover is None:
        # The one way up: solvers are among what judges a search, and this one only lends what it knows for certain.
        from playout.truth.perfect.prover import Prover

        search.prover = Prover(search.game, compiled=search.binding.compiled)


def prove(search: Search, state: State, budget: Budget) -> Proof:
    """Ask the solver of a search."""
    found = search.prover.prove(state, seconds=budget.seconds, nodes=budget.simulations)
    line = None
    if found.line:
        course = Course(state)
        for step in found.line:
            course.play(step.action)
        line = course.done(from_tree=len(found.line))
    value = None if found.value is None or line is None else tuple(float(v) for v in found.value)
    return Proof(value=value, line=line, positions=found.nodes, seconds=found.seconds)
