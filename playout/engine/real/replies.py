"""Total derivatives through best replies (differential backward induction): how a leader's payoff moves through all who answer.

For the mover of stage s the slope that counts is G_s = du/da_s + sum over later stages m of du/da_m · T_ms, where T_ms says how
the answer at m moves with a_s when everybody after s answers best. By the implicit function theorem an answer that maximises
moves so that its own slope G_m stays zero, directly by R_mj = -(dG_m/da_m)⁻¹ dG_m/da_j, so G_s needs the derivatives of the G_m
after it: differences of them, with later answers moved along; each stage asks the next one. (Differential backward induction: Wang, Xu, Perrault, Reiter, Tambe, "Coordinating followers to reach
better equilibria: end-to-end gradient descent for Stackelberg games", 2022.)
"""

from __future__ import annotations

from typing import Any

from playout.compile.holes import ACTION_SET, DIMENSION, MOVERS, STAGES, bounds, cold, where, whole
from playout.engine.layout import NOW
from playout.engine.real.curvature import diagonalise, respond, uphill
from playout.engine.real.layout import BOX
from playout.engine.real.slopes import copy_actions, pay, project, slopes_of

DIFFERENCE = 1e-6
"""The step of differences between exact slopes, in units of the box."""
ROUNDS = 6
"""Newton steps at the last stage, and times that one is halved."""
SMALL = 6
"""The most dimensions in which curvature is measured; beyond, steps follow the slope."""


def inward(work: Any, actions: Any, stage: int, i: int) -> float:
    """A small step of one number that stays inside the box."""
    if ACTION_SET != BOX:
        return DIFFERENCE
    bounds(stage, actions, work.low, work.high)
    step = DIFFERENCE * (work.high[i] - work.low[i])
    return step if actions[stage, i] + step <= work.high[i] else -step  # type: ignore[no-any-return]


FREE, AT_LOW, AT_HIGH = 0, 1, 2


def edge_of(work: Any, actions: Any, stage: int, i: int, slope: float) -> int:
    """At which edge of its box the number sits and would go beyond it; `work.low` and `high` are of this stage."""
    if ACTION_SET != BOX:
        return FREE
    if actions[stage, i] >= work.high[i] and slope >= 0.0:
        return AT_HIGH
    return AT_LOW if actions[stage, i] <= work.low[i] and slope <= 0.0 else FREE


def last_slopes(head: Any, options: Any, work: Any, actions: Any) -> None:
    """G of the last stage: nobody answers."""
    stage = whole(STAGES - 1)
    slopes_of(head, options, work, actions, whole(MOVERS[stage]), stage, work.row)
    for i in range(DIMENSION):
        work.slopes[stage, i] = work.row[stage, i]


def no_slopes(head: Any, options: Any, work: Any, point: Any) -> None:
    pass


FRESH = -2
"""A level that was only just asked; -1 once the next one has answered at the point itself, then the number of the step."""


@where("total", no_slopes)
@cold
def top_slopes(head: Any, options: Any, work: Any, point: Any) -> None:
    """Total slopes, responses and Newton steps of all stages from the root's on, at a point.

    Level l finds how stage l answers: it asks the next level at the point and at one small step of every number up to stage l. That
    is a recursion, written as a walk up and down the levels, since kernels cannot call themselves.
    """
    root = whole(work.root[0])
    copy_actions(point, work.points[0])
    level = ask(work, root, whole(0))
    while level >= root:
        actions, turn = work.points[work.place[level]], whole(work.turn[level])
        if level == STAGES:
            last_slopes(head, options, work, actions)
            level -= 1
        elif turn == FRESH:
            work.turn[level] = -1
            level = ask(work, level + 1, whole(work.place[level]))
        else:
            note_answer(work, root, level, turn)
            turn += 1
            work.turn[level] = turn
            if turn < (level - root + 1) * DIMENSION:
                step_aside(work, actions, level, root + turn // DIMENSION, turn % DIMENSION)
                level = ask(work, level + 1, level + 1)
            else:
                conclude(head, options, work, actions, root, level)
                level -= 1


def ask(work: Any, level: int, place: int) -> int:
    """Turn to a level, with the point that it is asked at."""
    work.place[level] = place
    work.turn[level] = FRESH
    return level


def note_answer(work: Any, root: int, level: int, turn: int) -> None:
    """What the next level found: at the point itself it is kept, after a step it gives one column of the derivatives."""
    if turn < 0:
        keep_responses(work, level)
        for i in range(DIMENSION):
            work.kept[level, i] = work.slopes[level, i]
        return
    j, i, step = root + turn // DIMENSION, turn % DIMENSION, work.tried[level]
    for k in range(DIMENSION):
        # No step where the box has no width: nothing moves there.
        work.jacobian[level, j, k, i] = (work.slopes[level, k] - work.kept[level, k]) / step if step != 0.0 else 0.0


def step_aside(work: Any, actions: Any, level: int, j: int, i: int) -> None:
    """A small step of number i of stage j, with all answers moved along, into the point that the next level is asked at."""
    shifted, step = work.points[level + 1], inward(work, actions, j, i)
    work.tried[level] = step
    copy_actions(actions, shifted)
    shifted[j, i] += step
    if ACTION_SET == BOX:
        for between in range(j + 1, level + 1):
            project(work, shifted, between)
        if j < level:
            stay_pinned(work, actions, shifted, level)
    move_answers(work, shifted, level, j, i, step)


def conclude(head: Any, options: Any, work: Any, actions: Any, root: int, level: int) -> None:
    """How the stage of a level answers, and the total slope of the stage before it."""
    for i in range(DIMENSION):
        work.slopes[level, i] = work.kept[level, i]
    answer(work, actions, root, level)
    if level > root:
        total_slope(head, options, work, actions, level - 1, level)


def stay_pinned(work: Any, actions: Any, shifted: Any, stage: int) -> None:
    """Where the box of a stage moves with the actions before it, numbers at an edge that they would go beyond move with the edge."""
    bounds(stage, actions, work.low, work.high)
    for i in range(DIMENSION):
        work.edges[i] = edge_of(work, actions, stage, i, work.kept[stage, i])
    bounds(stage, shifted, work.low, work.high)
    for i in range(DIMENSION):
        if work.edges[i] != FREE:
            shifted[stage, i] = work.high[i] if work.edges[i] == AT_HIGH else work.low[i]


def keep_responses(work: Any, level: int) -> None:
    """What the next level found at the point itself, before it is asked at others."""
    for m in range(level + 1, STAGES):
        for j in range(m):
            for i in range(DIMENSION):
                for k in range(DIMENSION):
                    work.responses[level, m, j, i, k] = work.responses[level + 1, m, j, i, k]


def move_answers(work: Any, actions: Any, level: int, j: int, i: int, step: float) -> None:
    """Let the stages after that of the level answer to a small move of number i of stage j, one after another."""
    for m in range(level + 1, STAGES):
        for k in range(DIMENSION):
            change = work.responses[level, m, j, k, i] * step
            for between in range(level + 1, m):
                for n in range(DIMENSION):
                    change += work.responses[level, m, between, k, n] * work.carried[level, between, n]
            work.carried[level, m, k] = change
        for k in range(DIMENSION):
            actions[m, k] += work.carried[level, m, k]
        project(work, actions, m)


def answer(work: Any, actions: Any, root: int, stage: int) -> None:
    """The response of a stage to every stage before it, and its own Newton step; its level has the same number."""
    jacobian, a = work.jacobian[stage], work.matrix
    bounds(stage, actions, work.low, work.high)
    for i in range(DIMENSION):
        work.edges[i] = edge_of(work, actions, stage, i, work.slopes[stage, i])
        work.free[i] = work.edges[i] == FREE
        work.lean[i] = work.slopes[stage, i] * work.free[i]
    for i in range(DIMENSION):
        for k in range(DIMENSION):
            a[i, k] = jacobian[stage, i, k] * work.free[i] * work.free[k]
    diagonalise(a[:], work.vectors[:])
    uphill(a[:], work.vectors[:], work.lean[:], widest(work), work.newton[stage])
    for j in range(root, stage):
        for i in range(DIMENSION):
            for k in range(DIMENSION):
                jacobian[j, i, k] *= work.free[i]
        respond(a[:], work.vectors[:], jacobian[j], work.responses[stage, stage, j])
    if ACTION_SET == BOX:
        for i in range(DIMENSION):
            if work.edges[i] != FREE:
                move_with_edge(work, actions, root, stage, i)


def move_with_edge(work: Any, actions: Any, root: int, stage: int, i: int) -> None:
    """The response of a number at the edge of its box: that of the edge, which may depend on the actions before."""
    shifted = work.points[stage + 1]
    for j in range(root, stage):
        for k in range(DIMENSION):
            step = inward(work, actions, j, k)
            copy_actions(actions, shifted)
            shifted[j, k] += step
            for between in range(j + 1, stage):
                project(work, shifted, between)
            bounds(stage, shifted, work.low, work.high)
            edge = work.high[i] if work.edges[i] == AT_HIGH else work.low[i]
            work.responses[stage, stage, j, i, k] = (edge - actions[stage, i]) / step if step != 0.0 else 0.0


def total_slope(head: Any, options: Any, work: Any, actions: Any, stage: int, level: int) -> None:
    """G of the stage: its own slope, and what reaches it through the answers."""
    slopes_of(head, options, work, actions, whole(MOVERS[stage]), stage, work.row)
    for i in range(DIMENSION):
        total = work.row[stage, i]
        for m in range(stage + 1, STAGES):
            for k in range(DIMENSION):
                change = work.responses[level, m, stage, k, i]
                for between in range(stage + 1, m):
                    for n in range(DIMENSION):
                        change += work.responses[level, m, between, k, n] * work.carried[level, between, n]
                work.carried[level, m, k] = change
            for k in range(DIMENSION):
                total += work.row[m, k] * work.carried[level, m, k]
        work.slopes[stage, i] = total


def settle_last(head: Any, options: Any, states: Any, work: Any) -> None:
    """Take `work.fresh` as the last action uphill to the nearest maximum of its mover, by Newton steps that never lose."""
    point = work.point[:]
    copy_actions(states[NOW].actions, point)
    for i in range(DIMENSION):
        point[STAGES - 1, i] = work.fresh[i]
    improve_last(head, options, work, point)
    for i in range(DIMENSION):
        work.fresh[i] = point[STAGES - 1, i]


@cold
def improve_last(head: Any, options: Any, work: Any, point: Any) -> None:
    """Uphill from where the last action is, to the nearest maximum of its mover, by steps that never lose."""
    stage, player = whole(STAGES - 1), whole(MOVERS[STAGES - 1])
    pay(head, work, point)
    value, reach, steepest = work.value[player], 0.25, 0.0
    for _ in range(ROUNDS):
        slopes_of(head, options, work, point, player, stage, work.row)
        steep = 0.0
        for i in range(DIMENSION):
            work.lean[i] = work.row[stage, i]
            steep = max(steep, abs(work.lean[i]))
        if steep <= 1e-8 * steepest:
            return
        steepest = max(steepest, steep)
        far = direction(head, options, work, point, stage, player, reach)
        if not far > 1e-9:
            return
        for i in range(DIMENSION):
            work.home[i] = point[stage, i]
        length, better = 1.0, False
        for _ in range(ROUNDS):
            for i in range(DIMENSION):
                point[stage, i] = work.home[i] + length * work.step[i]
            project(work, point, stage)
            pay(head, work, point)
            if work.value[player] > value:
                value, better = work.value[player], True
                break
            length *= 0.25
        if not better:
            for i in range(DIMENSION):
                point[stage, i] = work.home[i]
            return
        reach = min(1.0, 2.0 * reach * length)


def direction(head: Any, options: Any, work: Any, point: Any, stage: int, player: int, reach: float) -> float:
    """The step to try, into `work.step`, from the slopes in `work.lean`; its length in units of the set."""
    bounds(stage, point, work.low, work.high)
    wide = widest(work)
    for i in range(DIMENSION):
        work.free[i] = edge_of(work, point, stage, i, work.lean[i]) == FREE
        work.lean[i] *= work.free[i]
    if ACTION_SET == BOX and DIMENSION <= SMALL:
        for k in range(DIMENSION):
            h = inward(work, point, stage, k)
            here = point[stage, k]
            point[stage, k] = here + h
            slopes_of(head, options, work, point, player, stage, work.row)
            point[stage, k] = here
            for i in range(DIMENSION):
                change = (work.row[stage, i] - work.lean[i]) / h if h != 0.0 else 0.0
                work.matrix[i, k] = change * work.free[i] * work.free[k]
        diagonalise(work.matrix[:], work.vectors[:])
        uphill(work.matrix[:], work.vectors[:], work.lean[:], wide, work.step[:])
        flat = True
        for i in range(DIMENSION):
            flat = flat and work.matrix[i, i] == 0.0
        if flat:
            along_slope(work, reach * wide)
    else:
        if ACTION_SET != BOX:
            tangent(work, point, stage)
        along_slope(work, reach * wide)
    far = 0.0
    for i in range(DIMENSION):
        far = max(far, abs(work.step[i]))
    return far / wide if wide > 0.0 else 0.0


def widest(work: Any) -> float:
    wide = 0.0
    for i in range(DIMENSION):
        wide = max(wide, work.high[i] - work.low[i])
    return wide


def along_slope(work: Any, reach: float) -> None:
    length = 0.0
    for i in range(DIMENSION):
        length += work.lean[i] * work.lean[i]
    length = length**0.5
    for i in range(DIMENSION):
        work.step[i] = work.lean[i] / length * reach if length > 0.0 else 0.0


def tangent(work: Any, point: Any, stage: int) -> None:
    """Only the part of the slope along the sphere counts."""
    out = 0.0
    for i in range(DIMENSION):
        out += work.lean[i] * point[stage, i]
    for i in range(DIMENSION):
        work.lean[i] -= out * point[stage, i]
