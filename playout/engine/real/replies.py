"""Best replies and how they move: the total derivative of a leader's payoff through all who answer.

For the mover of stage s the slope that counts is G_s = du/da_s + sum over later stages m of du/da_m · T_ms, where T_ms says how
the answer at m moves with a_s when everybody after s answers best. By the implicit function theorem an answer that maximises
moves so that its own slope G_m stays zero, directly by R_mj = -(dG_m/da_m)⁻¹ dG_m/da_j, so G_s needs the derivatives of the G_m
after it: differences of them, with later answers moved along. Each stage asks the next one, `chain_of` links them: kernels
cannot call themselves. (Differential backward induction: Wang, Xu, Perrault, Reiter, Tambe, "Coordinating followers to reach
better equilibria: end-to-end gradient descent for Stackelberg games", 2022.)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from playout.compile.holes import ACTION_SET, DIMENSION, MOVERS, STAGES, bounds, cold, whole
from playout.engine.layout import NOW
from playout.engine.real.curvature import diagonalise, respond, uphill
from playout.engine.real.slopes import copy_actions, pay, project, slopes_of

BOX = 0
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


@cache
def chain_of(stages: int) -> tuple[Callable[..., None], ...]:
    """For every stage s from -1 to the last (at place s + 1): the function that leaves G_s, and how the stages after s respond."""
    chain: list[Callable[..., None]] = [cold(last_slopes)]
    for stage in range(stages - 2, -2, -1):
        chain.append(_link(chain[-1], stage))
    return tuple(reversed(chain))


def _link(deeper: Callable[..., None], stage: int) -> Callable[..., None]:
    level, after = stage + 1, stage + 1

    def slopes(head: Any, options: Any, work: Any, actions: Any) -> None:
        deeper(head, options, work, actions)
        keep_responses(work, level)
        curve_of_answer(head, options, work, actions)
        if stage >= work.root[0]:
            total_slope(head, options, work, actions, whole(stage), whole(level))

    def curve_of_answer(head: Any, options: Any, work: Any, actions: Any) -> None:
        """How G of the next stage moves with every action up to it, and so how that stage answers."""
        shifted, jacobian = work.shifted[level], work.jacobian[level]
        for i in range(DIMENSION):
            work.kept[level, i] = work.slopes[after, i]
        for j in range(whole(work.root[0]), after + 1):
            for i in range(DIMENSION):
                step = inward(work, actions, j, i)
                copy_actions(actions, shifted)
                shifted[j, i] += step
                if ACTION_SET == BOX:
                    for between in range(j + 1, after + 1):
                        project(work, shifted, between)
                    if j < after:
                        stay_pinned(work, actions, shifted, after, level)
                move_answers(work, shifted, level, j, i, after, step)
                deeper(head, options, work, shifted)
                for k in range(DIMENSION):
                    # No step where the box has no width: nothing moves there.
                    jacobian[j, k, i] = (work.slopes[after, k] - work.kept[level, k]) / step if step != 0.0 else 0.0
        for i in range(DIMENSION):
            work.slopes[after, i] = work.kept[level, i]
        answer(work, actions, whole(work.root[0]), whole(after), whole(level))

    slopes.__name__ = slopes.__qualname__ = f"slopes_of_stage_{stage + 1}"
    cold(curve_of_answer)
    return cold(slopes)


def stay_pinned(work: Any, actions: Any, shifted: Any, stage: int, level: int) -> None:
    """Where the box of a stage moves with the actions before it, numbers at an edge that they would go beyond move with the edge."""
    bounds(stage, actions, work.low, work.high)
    for i in range(DIMENSION):
        work.edges[i] = edge_of(work, actions, stage, i, work.kept[level, i])
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


def move_answers(work: Any, actions: Any, level: int, j: int, i: int, after: int, step: float) -> None:
    """Let the stages later than `after` answer to a small move of component i of stage j, one after another."""
    for m in range(after + 1, STAGES):
        for k in range(DIMENSION):
            change = work.responses[level, m, j, k, i] * step
            for between in range(after + 1, m):
                for n in range(DIMENSION):
                    change += work.responses[level, m, between, k, n] * work.moved[level, between, n]
            work.moved[level, m, k] = change
        for k in range(DIMENSION):
            actions[m, k] += work.moved[level, m, k]
        project(work, actions, m)


def answer(work: Any, actions: Any, root: int, after: int, level: int) -> None:
    """The response of stage `after` to every stage before it, and its own Newton step."""
    jacobian, a = work.jacobian[level], work.matrix
    bounds(after, actions, work.low, work.high)
    for i in range(DIMENSION):
        work.edges[i] = edge_of(work, actions, after, i, work.slopes[after, i])
        work.free[i] = work.edges[i] == FREE
        work.lean[i] = work.slopes[after, i] * work.free[i]
    for i in range(DIMENSION):
        for k in range(DIMENSION):
            a[i, k] = jacobian[after, i, k] * work.free[i] * work.free[k]
    diagonalise(a, work.vectors)
    uphill(a, work.vectors, work.lean, widest(work), work.newton[after])
    for j in range(root, after):
        for i in range(DIMENSION):
            for k in range(DIMENSION):
                jacobian[j, i, k] *= work.free[i]
        respond(a, work.vectors, jacobian[j], work.responses[level, after, j])
    if ACTION_SET == BOX:
        for i in range(DIMENSION):
            if work.edges[i] != FREE:
                move_with_edge(work, actions, root, after, level, i)


@cold
def move_with_edge(work: Any, actions: Any, root: int, after: int, level: int, i: int) -> None:
    """The response of a number at the edge of its box: that of the edge, which may depend on the actions before."""
    shifted = work.shifted[level]
    for j in range(root, after):
        for k in range(DIMENSION):
            step = inward(work, actions, j, k)
            copy_actions(actions, shifted)
            shifted[j, k] += step
            for between in range(j + 1, after):
                project(work, shifted, between)
            bounds(after, shifted, work.low, work.high)
            edge = work.high[i] if work.edges[i] == AT_HIGH else work.low[i]
            work.responses[level, after, j, i, k] = (edge - actions[after, i]) / step if step != 0.0 else 0.0


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
                        change += work.responses[level, m, between, k, n] * work.moved[level, between, n]
                work.moved[level, m, k] = change
            for k in range(DIMENSION):
                total += work.row[m, k] * work.moved[level, m, k]
        work.slopes[stage, i] = total


def settle_last(head: Any, options: Any, states: Any, work: Any, stage: int, player: int) -> None:
    """Take `work.fresh` as the last action uphill to the nearest maximum of its mover, by Newton steps that never lose."""
    point = work.point
    copy_actions(states[NOW].actions, point)
    for i in range(DIMENSION):
        point[stage, i] = work.fresh[i]
    improve_stage(head, options, work, point, stage, player)
    for i in range(DIMENSION):
        work.fresh[i] = point[stage, i]


def improve_stage(head: Any, options: Any, work: Any, point: Any, stage: int, player: int) -> None:
    """Uphill from where the action is, to the nearest maximum of one player, by steps that never lose."""
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
        diagonalise(work.matrix, work.vectors)
        uphill(work.matrix, work.vectors, work.lean, wide, work.step)
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


def price_of(stages: int, dimension: int, root: int = 0) -> int:
    """Evaluations that one look at the total slopes of the stages from `root` on takes."""
    cost = dimension
    for stage in range(stages - 2, root - 2, -1):
        cost = cost * (1 + (stage + 2 - root) * dimension) + (stages - stage) * dimension * (stage >= root)
    return cost


MOST_PRICE = 5000
"""Where one look costs more evaluations than this, total derivatives are not for the game."""


def no_slopes(head: Any, options: Any, work: Any, actions: Any) -> None:
    pass


def _dispatch(chain: tuple[Callable[..., None], ...], root: int) -> Callable[..., None]:
    ask, others = chain[root], _dispatch(chain, root + 1) if root + 2 < len(chain) else no_slopes

    def choose(head: Any, options: Any, work: Any, actions: Any) -> None:
        if work.root[0] == root:
            ask(head, options, work, actions)
        else:
            others(head, options, work, actions)

    return cold(choose)


@cache
def _slopes_for(stages: int, dimension: int) -> Callable[..., None]:
    return _dispatch(chain_of(stages), 0) if price_of(stages, dimension) <= MOST_PRICE else no_slopes


def top_slopes(head: Any, options: Any, work: Any, actions: Any) -> None:
    """Total slopes, responses and Newton steps of all stages from the root's on; made for the game's number of stages."""
    raise RuntimeError("top_slopes is made for each game: bind the kernel first")


top_slopes.made_for = lambda game: _slopes_for(game.stages, game.dimension)  # type: ignore[attr-defined]
