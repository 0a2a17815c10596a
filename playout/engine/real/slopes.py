"""Derivatives of payoffs: complex steps, central differences, or the game's own gradient; every question is counted.

First derivatives are exact: with a step of 1e-30 into the imaginary direction there is no difference of close numbers
(complex step: Squire and Trapp, "Using complex variables to estimate derivatives of real functions", 1998). Where a payoff is
not analytic, central differences take their place, one-sided at the edge of the box; a game's own `gradient` comes first.
"""

from __future__ import annotations

from math import inf
from typing import Any

from playout.compile.holes import ACTION_SET, DIMENSION, OWN_GRADIENT, STAGES, bounds, cold, gradient, payoffs, where
from playout.engine.real.layout import BOX, BY_DIFFERENCES, BY_OWN

TINY = 1e-30
STEP = 1e-6


def pay(head: Any, work: Any, actions: Any) -> None:
    """The payoffs of a complete history, into `work.value`."""
    head.evaluations += 1
    payoffs(actions, work.value, work.scratch)


def slopes_of(head: Any, options: Any, work: Any, actions: Any, player: int, first: int, out: Any) -> None:
    """Derivatives of one player's payoff by the actions of the stages from `first` on, into out[stage, i]."""
    if OWN_GRADIENT and options.derivatives == BY_OWN:
        head.evaluations += 1
        gradient(actions, player, out, work.scratch)
        return
    if options.derivatives == BY_DIFFERENCES:
        by_differences(head, work, actions, player, first, out)
        return
    by_complex_steps(head, work, actions, player, first, out)


def no_complex_steps(head: Any, work: Any, actions: Any, player: int, first: int, out: Any) -> None:
    pass


@where("complex", no_complex_steps)
def by_complex_steps(head: Any, work: Any, actions: Any, player: int, first: int, out: Any) -> None:
    """Exact derivatives; a payoff that is not analytic may not even compile for complex numbers, and need not."""
    point = work.complex_actions
    for stage in range(STAGES):
        for i in range(DIMENSION):
            point[stage, i] = actions[stage, i]
    for stage in range(first, STAGES):
        for i in range(DIMENSION):
            point[stage, i] = complex(actions[stage, i], TINY)
            head.evaluations += 1
            payoffs(point, work.complex_value, work.complex_scratch)
            out[stage, i] = work.complex_value[player].imag / TINY
            point[stage, i] = actions[stage, i]


@cold
def by_differences(head: Any, work: Any, actions: Any, player: int, first: int, out: Any) -> None:
    point = work.shaken[:]
    for stage in range(STAGES):
        for i in range(DIMENSION):
            point[stage, i] = actions[stage, i]
    for stage in range(first, STAGES):
        for i in range(DIMENSION):
            bounds(stage, point, work.low, work.high)
            here = actions[stage, i]
            step = STEP * max(1.0, abs(here))
            up, down = here + step, here - step
            if ACTION_SET == BOX:
                up, down = min(up, work.high[i]), max(down, work.low[i])
            head.evaluations += 2
            above = shaken_value(work, actions, player, stage, i, up)
            below = shaken_value(work, actions, player, stage, i, down)
            out[stage, i] = (above - below) / (up - down) if up > down else 0.0


def shaken_value(work: Any, actions: Any, player: int, stage: int, i: int, number: float) -> float:
    """A player's payoff with one number changed; `work.shaken` is the history, and is so again afterwards."""
    point = work.shaken[:]
    point[stage, i] = number
    push_inside(work, point, stage + 1)
    payoffs(point, work.result, work.scratch)
    for later in range(stage, STAGES):
        for k in range(DIMENSION):
            point[later, k] = actions[later, k]
    return work.result[player]  # type: ignore[no-any-return]


def push_inside(work: Any, actions: Any, first: int) -> None:
    """Where boxes depend on the actions before them, a moved action pushes the later ones along."""
    if ACTION_SET == BOX:
        for stage in range(first, STAGES):
            project(work, actions, stage)


def inside(number: float, low: float, high: float) -> float:
    """The nearest number of a range. A step that is not a number, as infinite slopes give, ends at the lower end."""
    if not number >= low:
        return low
    return high if number > high else number


def project(work: Any, actions: Any, stage: int) -> None:
    """Bring the action of a stage back into its set."""
    if ACTION_SET == BOX:
        bounds(stage, actions, work.low, work.high)
        for i in range(DIMENSION):
            actions[stage, i] = inside(actions[stage, i], work.low[i], work.high[i])
        return
    length = 0.0
    for i in range(DIMENSION):
        length += actions[stage, i] * actions[stage, i]
    length = length**0.5
    for i in range(DIMENSION):
        if 0.0 < length < inf:
            actions[stage, i] /= length
        else:
            actions[stage, i] = 1.0 if i == 0 else 0.0


def keep_inside(moves: Any, work: Any, actions: Any, stage: int, edge: int) -> None:
    """Bring a known action into its box, which may have moved with the actions before it."""
    if ACTION_SET == BOX:
        bounds(stage, actions, work.low, work.high)
        for i in range(DIMENSION):
            moves[edge, i] = inside(moves[edge, i], work.low[i], work.high[i])


def copy_actions(source: Any, target: Any) -> None:
    for stage in range(STAGES):
        for i in range(DIMENSION):
            target[stage, i] = source[stage, i]
