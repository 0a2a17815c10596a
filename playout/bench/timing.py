"""Timing two things against each other on a machine that does other work too.

Both sides take turns within one run, so that a busy minute hurts both. A sample lasts at least `Plan.sample` seconds: a
short search is repeated and the mean taken, so that the quicker side cannot pick the calmest moment. Of the samples the
best counts, since noise only ever slows down.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

import msgspec

Task: TypeAlias = Callable[[], object]
"""What is timed."""
Prepare: TypeAlias = Callable[[int, int], Task]
"""(simulations, seed) to the task: what it sets up is not timed."""
Clock: TypeAlias = Callable[[], float]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How much to measure."""

    simulations: int = 100_000
    """Simulations per search."""
    repeats: int = 5
    """Samples of each side; the best counts."""
    sample: float = 0.3
    """Seconds that a sample lasts at least."""
    patience: float = 0.0
    """Seconds that a slow peer may take for a sample; above that it gets fewer simulations. 0: no limit."""
    seed: int = 0

    @classmethod
    def quick(cls, repeats: int | None = None, seed: int = 0) -> Plan:
        """A look instead of a measurement: a minute or two for everything."""
        return cls(simulations=20_000, repeats=repeats or 2, sample=0.1, patience=0.5, seed=seed)


def rate(prepare: Prepare, simulations: int, seed: int, sample: float, clock: Clock = time.process_time) -> float:
    """Simulations a second over one sample."""
    done, spent = 0, 0.0
    while done == 0 or spent < sample:
        task = prepare(simulations, seed)
        began = clock()
        task()
        spent += clock() - began
        done += simulations
    return done / max(spent, 1e-9)


def affordable(prepare: Prepare, plan: Plan) -> int:
    """How many simulations a slow peer gets within the plan's patience."""
    if not plan.patience:
        return plan.simulations
    trial = min(plan.simulations, 100)
    least = rate(prepare, trial, plan.seed, 0.0)
    return min(plan.simulations, max(trial, int(least * plan.patience)))


def best_rates(
    sides: list[tuple[Prepare, int]], plan: Plan, clock: Clock = time.process_time, tick: Callable[[], object] = lambda: None
) -> list[float]:
    """The best rate of each side, the sides taking turns. The first, untimed round warms the caches of all of them."""
    for prepare, simulations in sides:
        prepare(min(simulations, 1000), plan.seed)()
    best = [0.0] * len(sides)
    for repeat in range(plan.repeats):
        for side, (prepare, simulations) in enumerate(sides):
            best[side] = max(best[side], rate(prepare, simulations, plan.seed + repeat, plan.sample, clock))
            tick()
    return best
