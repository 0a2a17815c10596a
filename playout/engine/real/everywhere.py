"""The last stage as a whole: a look everywhere, then uphill from the best places; a later look only where it may still be better.

Nobody answers a last action, so its value is exact, and all that is decided earlier rests on it: a follower who is believed to err
makes every action before look good. So the box is scanned before anything is climbed, and only what competes is climbed. Where
payoffs have slopes the climb takes Newton steps, and where they have none, at kinks, it is a golden section (Kiefer 1953) in one
dimension and a compass search (Hooke and Jeeves 1961) in more.
"""

from __future__ import annotations

from math import inf
from typing import Any

from playout.compile.holes import ACTION_SET, CHANCY, DIMENSION, MOVERS, STAGES, bounds, cold, whole
from playout.engine.real.layout import BOX, BY_DIFFERENCES
from playout.engine.real.replies import improve_last
from playout.engine.real.slopes import copy_actions, inside, pay

GOLDEN = 0.3819660112501051
SECTIONS = 18
"""Steps of a golden section: each leaves 0.62 of what there was."""
POLLS = 24
"""Rounds of a compass search, whose step is halved where nothing is better."""
CLIMBS = 3
"""The most places of a scan that are climbed from."""
COMPETES = 0.1
"""A start is climbed from only if it is not worse than the best by more than this part of the range of payoffs."""


def solved(options: Any) -> bool:
    """Whether last actions are looked for everywhere: where they are solved at all, in boxes and without chance."""
    return ACTION_SET == BOX and not CHANCY and options.everywhere != 0  # type: ignore[no-any-return]


def value_last(head: Any, work: Any, point: Any) -> float:
    """What the last mover gets."""
    pay(head, work, point)
    return work.value[MOVERS[STAGES - 1]]  # type: ignore[no-any-return]


@cold
def look_everywhere(head: Any, options: Any, work: Any, point: Any) -> None:
    """The best last action that a scan of the box and a climb from its best places find; the one in `point` is a place too."""
    stage, many = whole(STAGES - 1), len(work.scan)
    own, best = value_last(head, work, point), -inf
    for i in range(DIMENSION):
        work.home[i] = point[stage, i]
    bounds(stage, point, work.low, work.high)
    for k in range(many):
        place(options, work, point, k)
        work.scan[k] = value_last(head, work, point)
    climbs = 0
    while climbs < (CLIMBS if DIMENSION == 1 else 2):
        k = next_top(work)
        if k >= 0 and (own == -inf or work.scan[k] > own):
            if DIMENSION == 1 and work.scan[k] + rise(work, k) < best:
                break
            place(options, work, point, k)
            work.scan[k] = -inf
            if known(work, point, best):
                continue
        elif own > -inf:
            own = -inf
            for i in range(DIMENSION):
                point[stage, i] = work.home[i]
        else:
            break
        climbs += 1
        climb(head, options, work, point, 1.0 / (many - 1.0))
        found = value_last(head, work, point)
        if found > best:
            best = found
            for i in range(DIMENSION):
                work.top[i] = point[stage, i]
        bounds(stage, point, work.low, work.high)
    for i in range(DIMENSION):
        point[stage, i] = work.top[i]


def known(work: Any, point: Any, best: float) -> bool:
    """Whether the place of a scan lies beside the best found so far: a climb would end there."""
    if best == -inf:
        return False
    for i in range(DIMENSION):
        if abs(point[STAGES - 1, i] - work.top[i]) > (work.high[i] - work.low[i]) * near(len(work.scan)):
            return False
    return True


def near(many: int) -> float:
    """How far places of a scan lie apart, in parts of the box."""
    return 1.0 / (many - 1.0) if DIMENSION == 1 else 0.7 * (many + 0.0) ** (-1.0 / DIMENSION)


def place(options: Any, work: Any, point: Any, k: int) -> None:
    """Put the last action at one of the places of the scan: evenly in one dimension, by the R-sequence in more."""
    step = options.golden
    for i in range(DIMENSION):
        share = k / (len(work.scan) - 1.0) if DIMENSION == 1 else (0.5 + k * step) % 1.0
        step *= options.golden
        point[STAGES - 1, i] = min(work.high[i], work.low[i] + (work.high[i] - work.low[i]) * share)


def next_top(work: Any) -> int:
    """The best place of the scan that was not climbed from; in one dimension only tops of the grid count."""
    found, many = whole(-1), len(work.scan)
    for k in range(many):
        if work.scan[k] == -inf or (found >= 0 and work.scan[k] <= work.scan[found]):
            continue
        if DIMENSION == 1 and ((k > 0 and work.scan[k - 1] > work.scan[k]) or (k + 1 < many and work.scan[k + 1] > work.scan[k])):
            continue
        found = whole(k)
    return found


def rise(work: Any, k: int) -> float:
    """How much higher than the grid it may be beside a top: hardly more than it rises to it."""
    if DIMENSION > 1:
        return 0.0
    most = 0.0
    if k > 0 and work.scan[k - 1] > -inf:
        most = max(most, work.scan[k] - work.scan[k - 1])
    if k + 1 < len(work.scan) and work.scan[k + 1] > -inf:
        most = max(most, work.scan[k] - work.scan[k + 1])
    return most


def climb(head: Any, options: Any, work: Any, point: Any, reach: float) -> None:
    """Uphill to a maximum near the last action of `point`; `reach` is how far it may be, in parts of the box."""
    if options.derivatives != BY_DIFFERENCES or ACTION_SET != BOX:
        improve_last(head, options, work, point)
    elif DIMENSION == 1:
        golden_section(head, work, point, reach)
    else:
        compass(head, work, point, reach)


def golden_section(head: Any, work: Any, point: Any, reach: float) -> None:
    stage = whole(STAGES - 1)
    bounds(stage, point, work.low, work.high)
    low, high, home = work.low[0], work.high[0], point[stage, 0]
    value = value_last(head, work, point)
    left, right = inside(home - reach * (high - low), low, high), inside(home + reach * (high - low), low, high)
    a, b = left + GOLDEN * (right - left), right - GOLDEN * (right - left)
    point[stage, 0] = a
    at_a = value_last(head, work, point)
    point[stage, 0] = b
    at_b = value_last(head, work, point)
    for _ in range(SECTIONS):
        if at_a > at_b:
            right, b, at_b = b, a, at_a
            a = left + GOLDEN * (right - left)
            point[stage, 0] = a
            at_a = value_last(head, work, point)
        else:
            left, a, at_a = a, b, at_b
            b = right - GOLDEN * (right - left)
            point[stage, 0] = b
            at_b = value_last(head, work, point)
    point[stage, 0] = a if at_a > at_b else b
    if not max(at_a, at_b) > value:
        point[stage, 0] = home


def compass(head: Any, work: Any, point: Any, reach: float) -> None:
    """The neighbours along each side in turn; where none is better, nearer ones."""
    stage = whole(STAGES - 1)
    bounds(stage, point, work.low, work.high)
    value = value_last(head, work, point)
    share = 2.0 * reach ** (1.0 / DIMENSION)
    for _ in range(POLLS):
        better = False
        for i in range(DIMENSION):
            for side in range(2):
                here = point[stage, i]
                step = (2.0 * side - 1.0) * share * (work.high[i] - work.low[i])
                point[stage, i] = inside(here + step, work.low[i], work.high[i])
                found = value_last(head, work, point)
                if found > value:
                    value, better = found, True
                    break
                point[stage, i] = here
        if not better:
            share *= 0.5


def look_again(head: Any, options: Any, work: Any, states: Any, best: float) -> bool:
    """Climb from the last action in `work.fresh` if its value competes with the best; whether it does."""
    point = work.point[:]
    copy_actions(states.actions, point)
    for i in range(DIMENSION):
        point[STAGES - 1, i] = work.fresh[i]
    player = whole(MOVERS[STAGES - 1])
    if DIMENSION == 1 and value_last(head, work, point) < best - COMPETES * (head.high[player] - head.low[player]):
        return False
    climb(head, options, work, point, 0.5 / len(work.scan))
    for i in range(DIMENSION):
        work.fresh[i] = point[STAGES - 1, i]
    return True
