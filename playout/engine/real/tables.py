"""Tables of replies: what a later mover answers to those earlier actions that matter to it, solved backwards on a grid.

Far from the end a tree knows an action by what those who answer overlook, and with five movers still to come they overlook much. But often
little of what was played matters to a later mover (`planner.matters` finds out what). Then all of its answers fit into a table over that
little: the table of the last stage is filled first, then that of the stage before it, whose mover is answered by the tables behind it, and
so on to the root (backward induction: Bellman 1957). A sweep over all stages is made on a coarse grid first and on ever finer ones after
it. The tree asks the tables for the first answer at a new position, and goes on trying others beside it as it always does.

The tables lie in `habits`, a tree's room for what it learns: its progress, the points of every table along a side, which of the two
tables of a stage is asked while the other one is filled, and then the answers, cell by cell. Actions are numbers, and boxes do not move.
"""

from __future__ import annotations

from math import inf
from typing import Any

from playout.compile.holes import MOVERS, STAGES, bounds, cold, where, whole
from playout.engine.layout import NOW, ROOT
from playout.engine.real.layout import MOST_CELLS
from playout.engine.real.slopes import copy_actions, inside, pay

FIRST_CELLS, LEVELS = 16, 5
"""Cells of a table in the first sweep; each next one has four times as many, as far as `MOST_CELLS` and `MOST_SIDE` allow."""
MOST_SIDE = 257
"""The most points of a table along a side."""
SCAN, MOST_SCAN = 16, 48
"""Places of the box that a mover looks at in the first sweep, so many more in each next one, and the most."""
POLLS = 7
"""How often the step of a climb from the best of them is halved."""
JUMP = 0.1
"""Answers of neighbouring cells that differ by more than this part of the box, or by more than three steps of the grid, are two
answers, and none lies between them."""

PROGRESS, PLACE, FIRST_ROW = 0, 1, 2
"""Rows of `habits`: the sweep and the stage being filled, counted from 1; the cell, and whether all is done; then those of the stages."""


def side_row(stage: int) -> int:
    """The row with the points along a side of both tables of a stage."""
    return FIRST_ROW + stage


def asked_row(stage: int) -> int:
    """The row that says which of the two is asked."""
    return FIRST_ROW + STAGES + stage  # type: ignore[no-any-return]


def cell_row(stage: int, cell: int) -> int:
    return FIRST_ROW + 2 * STAGES + stage * MOST_CELLS + cell  # type: ignore[no-any-return]


def no_tables(sim: Any, lane: int) -> None:
    pass


@where("tables", no_tables)
@cold
def fill_tables(sim: Any, lane: int) -> None:
    """Fill cells as far as the evaluations allow that every simulation adds to the account."""
    head, options, work, habits = sim.head[0], sim.options[0], sim.work[lane], sim.habits
    root = whole(sim.states[lane][ROOT].stage)
    if habits[PLACE, 1] != 0.0:
        return
    head.credit[root] += options.evaluations
    while head.credit[root] > 0.0 and habits[PLACE, 1] == 0.0:
        if habits[PROGRESS, 1] == 0.0:
            habits[PROGRESS, 1] = STAGES
        level, stage, cell = whole(habits[PROGRESS, 0]), whole(habits[PROGRESS, 1]) - 1, whole(habits[PLACE, 0])
        sides = sides_of(work, root, stage)
        points, spare = points_at(level, sides), 1 - whole(habits[asked_row(stage), 0])
        before = head.evaluations
        place_before(sim, lane, root, stage, cell, points)
        habits[cell_row(stage, cell), spare] = best_answer(sim, lane, root, stage, level)
        head.credit[root] -= head.evaluations - before
        habits[PLACE, 0] = cell + 1
        if cell + 1 == cells_of(points, sides):
            habits[side_row(stage), spare] = points
            habits[asked_row(stage), 0] = spare
            next_table(work, habits, root, level, stage)


def next_table(work: Any, habits: Any, root: int, level: int, stage: int) -> None:
    """Turn to the stage before, and after the first one to the next sweep, if that has finer tables at all."""
    habits[PLACE, 0] = 0.0
    if stage > root:
        habits[PROGRESS, 1] = stage
        return
    finer = False
    for later in range(root + 1, STAGES):
        sides = sides_of(work, root, later)
        finer = finer or points_at(level + 1, sides) > points_at(level, sides)
    if finer and level + 1 < LEVELS:
        habits[PROGRESS, 0] = level + 1
        habits[PROGRESS, 1] = STAGES
    else:
        habits[PLACE, 1] = 1.0


def sides_of(work: Any, root: int, stage: int) -> int:
    """How many of the actions from the root on matter to a stage."""
    sides = whole(0)
    for k in range(root, stage):
        sides += (work.matters[stage] >> k) & 1
    return sides


def points_at(level: int, sides: int) -> int:
    """Points along each side of a table in a sweep."""
    if sides == 0:
        return 1
    room, points = FIRST_CELLS, whole(2)
    for _ in range(level):
        room *= 4
    room = min(room, MOST_CELLS)
    while points < MOST_SIDE and cells_of(points + 1, sides) <= room:
        points += 1
    return points


def cells_of(points: int, sides: int) -> int:
    cells = whole(1)
    for _ in range(sides):
        cells *= points
    return cells


def place_before(sim: Any, lane: int, root: int, stage: int, cell: int, points: int) -> None:
    """The actions before a stage that a cell stands for, into `work.point`; what does not matter is in the middle of its box."""
    work = sim.work[lane]
    copy_actions(sim.states[lane][ROOT].actions, work.point[:])
    for k in range(root, stage):
        bounds(k, work.point[:], work.low, work.high)
        share = 0.5
        if (work.matters[stage] >> k) & 1 == 1:
            share = (cell % points) / (points - 1.0)
            cell //= points
        work.point[k, 0] = work.low[0] + (work.high[0] - work.low[0]) * share


def best_answer(sim: Any, lane: int, root: int, stage: int, level: int) -> float:
    """The best action of a stage that a scan of its box finds, and a climb from the best place and from another top that may be better."""
    work = sim.work[lane]
    many = min(SCAN * (level + 1), MOST_SCAN) * (4 if stage == root else 1)
    bounds(stage, work.point[:], work.low, work.high)
    low, wide = work.low[0], work.high[0] - work.low[0]
    first = whole(0)
    for k in range(many):
        work.found[k, 0] = answered(sim, lane, root, stage, low + wide * (k / (many - 1.0)))
        if work.found[k, 0] > work.found[first, 0]:
            first = whole(k)
    second, most = whole(-1), -inf
    for k in range(many):
        rise = 0.0
        top = abs(k - first) > 1
        for beside in (k - 1, k + 1):
            if 0 <= beside < many:
                top = top and work.found[beside, 0] <= work.found[k, 0]
                rise = max(rise, work.found[k, 0] - work.found[beside, 0])
        if top and work.found[k, 0] + rise > max(most, work.found[first, 0]):
            second, most = whole(k), work.found[k, 0] + rise
    step = wide / (many - 1.0)
    best, value = climb_answer(sim, lane, root, stage, low + step * first, work.found[first, 0], step)
    if second >= 0:
        other, found = climb_answer(sim, lane, root, stage, low + step * second, work.found[second, 0], step)
        if found > value:
            best = other
    return best


def climb_answer(sim: Any, lane: int, root: int, stage: int, action: float, value: float, step: float) -> tuple[float, float]:
    """Uphill from an action by steps to either side that are halved; a jump of what is answered does not stop it."""
    work = sim.work[lane]
    for _ in range(POLLS):
        step *= 0.5
        for side in (-1.0, 1.0):
            bounds(stage, work.point[:], work.low, work.high)
            there = inside(action + side * step, work.low[0], work.high[0])
            found = answered(sim, lane, root, stage, there)
            if found > value:
                action, value = there, found
                break
    return action, value


def answered(sim: Any, lane: int, root: int, stage: int, action: float) -> float:
    """What the mover of a stage gets for an action after those in `work.point`, when all who follow answer by their tables."""
    work = sim.work[lane]
    work.point[stage, 0] = action
    for later in range(stage + 1, STAGES):
        work.point[later, 0] = table_answer(sim, lane, work.point[:], root, later, False)
    pay(sim.head[0], work, work.point[:])
    value = work.value[MOVERS[stage]]
    # What is no number is told where the tree comes by it; here it only must not be the best.
    return value if value == value else -inf  # type: ignore[no-any-return]


def table_answer(sim: Any, lane: int, actions: Any, root: int, stage: int, other: bool) -> float:
    """The answer of a stage to the actions before it, between the cells of its table.

    Where the answer jumps between them it is that of the nearest cell, or with `other` the one that differs most from that.
    """
    work, habits = sim.work[lane], sim.habits
    table = whole(habits[asked_row(stage), 0])
    points = whole(habits[side_row(stage), table])
    corners, base, stride, nearest = whole(1), whole(0), whole(1), whole(0)
    for k in range(root, stage):
        if (work.matters[stage] >> k) & 1 == 1:
            bounds(k, actions, work.low, work.high)
            wide = work.high[0] - work.low[0]
            at = (points - 1.0) * (actions[k, 0] - work.low[0]) / wide if wide > 0.0 else 0.0
            cell = whole(min(max(at, 0.0), points - 2.0))
            part = min(max(at - cell, 0.0), 1.0)
            work.sides[corners] = stride
            work.parts[corners] = part
            base += cell * stride
            nearest += stride if part > 0.5 else 0
            stride *= points
            corners *= 2
    mean, least, most = 0.0, inf, -inf
    for corner in range(corners):
        row, weight, bit = base, 1.0, whole(1)
        while bit < corners:
            row += work.sides[bit] if corner & bit else 0
            weight *= work.parts[bit] if corner & bit else 1.0 - work.parts[bit]
            bit *= 2
        answer = float(habits[cell_row(stage, row), table])
        mean += weight * answer
        least, most = min(least, answer), max(most, answer)
    bounds(stage, actions, work.low, work.high)
    if most - least <= max(JUMP, 3.0 / max(1.0, points - 1.0)) * (work.high[0] - work.low[0]):
        return inside(mean, work.low[0], work.high[0])
    near = float(habits[cell_row(stage, base + nearest), table])
    if other:
        near = most if most - near > near - least else least
    return inside(near, work.low[0], work.high[0])


def not_told(sim: Any, lane: int, stage: int, other: bool) -> bool:
    return False


@where("tables", not_told)
def told_by_table(sim: Any, lane: int, stage: int, other: bool) -> bool:
    """The table's answer to the actions of the path into `work.fresh`, if there is a table yet."""
    work, states = sim.work[lane], sim.states[lane]
    if sim.habits[side_row(stage), whole(sim.habits[asked_row(stage), 0])] == 0.0:
        return False
    copy_actions(states[NOW].actions, work.point[:])
    work.fresh[0] = table_answer(sim, lane, work.point[:], whole(states[ROOT].stage), stage, other)
    return True
