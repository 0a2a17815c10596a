"""Monte Carlo and temporal-difference updates, what an episode teaches: the rules of docs/learning.md, each in one pass from the last decision to the first.

Every player has its own trajectory and its own rewards: what its returns grew by from one of its decisions to the next.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.compile.holes import PLAYERS, cold, whole
from playout.engine.learned import pattern_value, place_of
from playout.engine.trouble import NOT_A_NUMBER
from playout.learning.layout import BACKWARD, FIRST, LAMBDA, ONE_OVER_N
from playout.learning.table import has_key

MOST_COUNT = 4294967295


def learn_from(head: Any, table: Any, weights: Any, options: Any, work: Any, steps: Any, totals: Any, shown: Any) -> None:
    """Update every value of the episode; `work.total` has the result."""
    for p in range(PLAYERS):
        work.ahead[p] = work.total[p]
        work.carry[p] = 0.0
        work.next[p] = 0.0
        if not abs(work.total[p]) <= 1e30:
            head.trouble = NOT_A_NUMBER
            return
    length = whole(head.steps)
    if options.rule == LAMBDA:
        for i in range(length):
            steps[i].value = value_now(table, weights, options, steps[i], shown[i + 1 if options.patterns != 0 else 0])
    for i in range(length - 1, -1, -1):
        p = whole(steps[i].player)
        reward = work.ahead[p] - totals[i, p]
        work.ahead[p] = totals[i, p]
        if options.rule == LAMBDA:
            rest = (1.0 - options.fade) * work.next[p] + options.fade * work.carry[p]
            work.next[p] = steps[i].value
        else:
            rest = work.carry[p]
        target = options.discount * (reward + rest)
        work.carry[p] = target
        if options.rule == FIRST and seen_before(steps, i):
            continue
        if options.patterns != 0:
            value = move_weights(head, weights, options, steps[i], shown[i + 1], target)
        else:
            value = move_value(head, table, options, steps[i].key, steps[i].check, target)
        if options.rule == BACKWARD:
            work.carry[p] = value


def value_now(table: Any, weights: Any, options: Any, step: Any, row: Any) -> float:
    """What the table says of a decision."""
    if options.patterns != 0:
        return pattern_value(weights, options, row, step.patterns)
    place = place_of(table, step.key, step.check)
    if table[place].count == 0:
        return options.optimism  # type: ignore[no-any-return]
    return np.float64(table[place].value)  # type: ignore[no-any-return]


@cold
def seen_before(steps: Any, at: int) -> bool:
    """Whether the player chose the same in the same state earlier in the episode."""
    for i in range(at):
        if steps[i].key == steps[at].key and steps[i].check == steps[at].check and steps[i].player == steps[at].player:
            return True
    return False


def move_value(head: Any, table: Any, options: Any, key: Any, check: Any, target: float) -> float:
    """Move one value towards the target; the value it then has."""
    place = place_of(table, key, check)
    value, count = np.float64(table[place].value), whole(table[place].count)
    if count == 0:
        value = options.optimism
        if head.full != 0:
            head.dropped += 1
            return value + step_size(head, options, 1) * (target - value)  # type: ignore[no-any-return]
        if has_key(table, key, check, place):
            head.collisions += 1
        table[place].key = key
        table[place].check = check
        head.used += 1
    if count < MOST_COUNT:
        count += 1
    value += step_size(head, options, count) * (target - value)
    table[place].value = np.float32(value)
    table[place].count = np.uint32(count)
    return np.float64(table[place].value)  # type: ignore[no-any-return]


def step_size(head: Any, options: Any, count: int) -> float:
    """How far a value moves at its update of that number."""
    if options.step == ONE_OVER_N:
        return max(1.0 / count, options.step_to)  # type: ignore[no-any-return]
    return head.alpha  # type: ignore[no-any-return]


@cold
def move_weights(head: Any, weights: Any, options: Any, step: Any, row: Any, target: float) -> float:
    """Move the weights of all patterns of a decision alike, so that their sum moves by the step towards the target.

    For squashed values this is the gradient of the cross-entropy, which does not fade where the squashing is flat.
    """
    count = whole(step.patterns)
    value = pattern_value(weights, options, row, count)
    if count == 0:
        return value
    change = head.alpha * (target - value) / options.half / count
    for i in range(count):
        weights[row[i]] += change
    return pattern_value(weights, options, row, count)
