"""Nested optimisation, compiled: the best action of a stage, with every later player's best reply solved anew for each try.

A stage is searched as a whole (an equidistant grid in one dimension, corners and a low-discrepancy sequence in more), then
climbed from the best places by Newton steps on differences, with a poll of the neighbours where those fail: at kinks, which
replies that are cut off at their box make, and at jumps, where a later player changes its mind. Differences and not values
decide where a climb ends: by values alone an action is known to half of the digits only, and each stage would halve them again.

Every stage is a small machine that asks for one try after the other and is told what came of it (`step`), so that one loop
serves any number of stages without recursion, which the compiler would not keep. Places are in unit coordinates, 0 to 1 along
each side of the box. Nothing here allocates; `Room` is what a solve needs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from playout.compile.holes import bounds, payoffs
from playout.game.continuous import NATURE
from playout.truth.continuous.climb import LOWEST, copy, differences, next_start, promising, stepped

TIE = 1e-12
"""How much better, relative to 1 + the payoff, another action must be: an indifferent player keeps the first one found."""
SMALLEST = 1e-10
"""The radius, in parts of the box, at which a poll has found its kink."""
ROUGH = 1e-4
"""Below this radius no derivatives are taken: the noise of solved replies would drown them."""
SETTLED = 1e-9
MOST_ROUNDS = 80
FINE, NOT_FINITE, NO_BOX = 0.0, 1.0, 2.0
"""What went wrong first: nothing, a payoff that is no number, bounds that make no box."""
SCAN, DIFFER, TRY, POLL, LAST, CHANCE, SOLVED = range(7)
"""What a stage is doing: looking everywhere, around a place, at Newton's next place, a radius away, and once more at the best."""


STAGE = np.dtype(
    [(name, np.int64) for name in ("mover", "points", "starts", "phase", "tried", "total", "start", "last", "rounds", "sure")]
    + [(name, np.float64) for name in ("top", "most", "radius", "moved")]
)
"""Where one stage stands: how closely it is looked at, what it is doing, and how good the climb and the best one are."""


class Room(NamedTuple):
    """What the kernel reads and writes, with a row for each stage; the same types for all games, so that it is compiled once."""

    at: Any
    """Records of STAGE."""
    unit_length: bool
    """Whether actions are made to have the length 1."""
    step: float
    """Of the differences, in parts of the box."""
    turns: Any
    """The low-discrepancy sequence: how far each component goes on from one point to the next."""
    rule: Any
    """Nodes and weights of the rule that chance is averaged by."""
    low: Any
    high: Any
    values: Any
    """Of the points of the scan."""
    results: Any
    """Of the tries of any other phase."""
    here: Any
    base: Any
    best: Any
    slope: Any
    move: Any
    bend: Any
    factor: Any
    mean: Any
    fault: Any
    count: Any
    scratch: Any


def solve(first: int, actions: Any, out: Any, room: Any) -> None:
    """Fill in the best actions from stage `first` on, those before it given, and the payoffs that they lead to."""
    stages, stage = actions.shape[0], first
    begin(stage, actions, room)
    while room.fault[0] == FINE:
        if put(stage, actions, room):
            stage += 1
            if stage < stages:
                begin(stage, actions, room)
                continue
            leaf(actions, out, room)
            stage -= 1
            told = out[room.at[stage].mover]
        else:
            told = LOWEST
        step(stage, told, out, room)
        while room.at[stage].phase == SOLVED:
            if stage == first:
                return
            stage -= 1
            step(stage, out[room.at[stage].mover], out, room)


def leaf(actions: Any, out: Any, room: Any) -> None:
    """All have moved: the payoffs, and a note of the first that is no finite number."""
    room.count[0] += 1
    payoffs(actions, out, room.scratch)
    for player in range(len(out)):
        if not abs(out[player]) < -LOWEST:
            note(NOT_FINITE, actions.shape[0], actions, room)


def note(kind: float, stage: int, actions: Any, room: Any) -> None:
    if room.fault[0] == FINE:
        room.fault[0], room.fault[1] = kind, stage
        for s in range(actions.shape[0]):
            for i in range(actions.shape[1]):
                room.fault[2 + s * actions.shape[1] + i] = actions[s, i]


def begin(stage: int, actions: Any, room: Any) -> None:
    """A stage with its box, given what was played before."""
    bounds(stage, actions, room.low[stage], room.high[stage])
    for i in range(actions.shape[1]):
        low, high = room.low[stage, i], room.high[stage, i]
        if not (abs(low) < -LOWEST and abs(high) < -LOWEST and low <= high):
            note(NO_BOX, stage, actions, room)
    room.at[stage].tried = 0
    room.at[stage].start = 0
    room.at[stage].last = -1
    room.at[stage].phase = SCAN
    room.at[stage].total = room.at[stage].points
    if room.at[stage].mover == NATURE:
        room.at[stage].phase = CHANCE
        room.at[stage].total = room.rule.shape[1] ** actions.shape[1]
        for player in range(room.mean.shape[1]):
            room.mean[stage, player] = 0.0


def put(stage: int, actions: Any, room: Any) -> bool:
    """Play what the stage tries next; False where there is nothing to try."""
    phase, number = room.at[stage].phase, room.at[stage].tried
    here = room.here[stage]
    if phase == SCAN:
        point(number, stage, room)
    elif phase == DIFFER:
        if not neighbour(number, stage, room):
            return False
    elif phase == POLL:
        i, sign = number // 2, 2.0 * (number % 2) - 1.0
        copy(room.base[stage], here)
        here[i] = min(max(here[i] + sign * room.at[stage].radius, 0.0), 1.0)
        if here[i] == room.base[stage, i] or room.high[stage, i] <= room.low[stage, i]:
            return False
    elif phase == LAST:
        copy(room.best[stage], here)
    elif phase == CHANCE:
        for i in range(len(here)):
            here[i] = room.rule[0, number // room.rule.shape[1] ** i % room.rule.shape[1]]
    square = 0.0
    for i in range(len(here)):
        low, high = room.low[stage, i], room.high[stage, i]
        actions[stage, i] = min(max(low + here[i] * (high - low), low), high)
        square += actions[stage, i] * actions[stage, i]
    if room.unit_length:
        if square < 1e-12:
            return False
        for i in range(len(here)):
            actions[stage, i] /= square**0.5
    return True


def point(place: int, stage: int, room: Any) -> None:
    """Go to one of the places that are looked at first."""
    here = room.here[stage]
    dimension = len(here)
    if dimension == 1:
        here[0] = place / (room.at[stage].points - 1)
        return
    corners = 1 << min(dimension, 4)
    for i in range(dimension):
        if place < corners:
            here[i] = (place >> (i % 4)) & 1
        elif place == corners:
            here[i] = 0.5
        else:
            here[i] = (0.5 + room.turns[i] * (place - corners)) % 1.0


def neighbour(number: int, stage: int, room: Any) -> bool:
    """Go to one of the places that differences are taken from: four along each side, then four for each pair of sides."""
    base, here = room.base[stage], room.here[stage]
    dimension, width = len(base), min(room.step, room.at[stage].radius)
    copy(base, here)
    if number < 4 * dimension:
        i, k = number // 4, number % 4
        if room.high[stage, i] <= room.low[stage, i]:
            return False
        edge = min(base[i], 1.0 - base[i])
        if edge >= EDGE:
            here[i] += (k - 2 if k < 2 else k - 1) * min(width, edge / 2.0)
            return True
        here[i] += (k + 1) * width * (1.0 if base[i] < 0.5 else -1.0)
        return k < 2
    pair, k = (number - 4 * dimension) // 4, (number - 4 * dimension) % 4
    i = 1
    while pair >= i:
        pair -= i
        i += 1
    j = pair
    h, w = min(width, base[i], 1.0 - base[i]), min(width, base[j], 1.0 - base[j])
    here[i] += h * (1.0 if k >= 2 else -1.0)
    here[j] += w * (1.0 if k % 2 else -1.0)
    return bool(h >= EDGE and w >= EDGE)


def step(stage: int, told: float, out: Any, room: Any) -> None:
    """Tell a stage what its last try was worth to its mover; after the last one of a phase it decides what comes next."""
    phase, number = room.at[stage].phase, room.at[stage].tried
    room.at[stage].tried += 1
    if phase == SCAN:
        room.values[stage, number] = told
    elif phase == CHANCE:
        average(stage, number, out, room)
    else:
        room.results[stage, number] = told
    if room.at[stage].tried < room.at[stage].total:
        return
    if phase == SCAN:
        enter(stage, room)
    elif phase == DIFFER:
        differences(stage, room, min(room.step, room.at[stage].radius), EDGE)
        room.at[stage].moved = stepped(stage, room, 2.0 * room.at[stage].radius)
        go(stage, TRY, 1, room)
    elif phase in (TRY, POLL):
        # One after the other and not from within each other: recursion could not be kept on disk.
        if not (after_try(stage, told, room) if phase == TRY else after_poll(stage, room)):
            settle(stage, room)
            enter(stage, room)
    else:
        room.at[stage].phase = SOLVED


def go(stage: int, phase: int, total: int, room: Any) -> None:
    room.at[stage].phase, room.at[stage].total, room.at[stage].tried = phase, total, 0


def enter(stage: int, room: Any) -> None:
    """Climb from the next good place, or end with the best that was found."""
    start = room.at[stage].start
    place = next_start(stage, room) if start < room.at[stage].starts else -1
    if start > 0 and (place < 0 or not promising(place, room.at[stage].most, stage, room)):
        go(stage, LAST, 1, room)
        return
    place = max(place, 0)
    room.at[stage].start += 1
    point(place, stage, room)
    copy(room.here[stage], room.base[stage])
    room.at[stage].top = room.values[stage, place]
    room.at[stage].last = place
    room.at[stage].radius = 1.0 / room.at[stage].points ** (1.0 / len(room.here[stage]))
    room.at[stage].rounds = 0
    room.at[stage].sure = 0
    look(stage, room)


def look(stage: int, room: Any) -> bool:
    """The next round of a climb: derivatives while the radius allows it, then neighbours alone. False when it has ended."""
    room.at[stage].rounds += 1
    dimension = len(room.here[stage])
    if room.at[stage].rounds > MOST_ROUNDS or room.at[stage].radius < SMALLEST:
        return False
    if room.at[stage].radius > ROUGH:
        go(stage, DIFFER, 4 * dimension + 2 * dimension * (dimension - 1), room)
    else:
        go(stage, POLL, 2 * dimension, room)
    return True


def after_try(stage: int, told: float, room: Any) -> bool:
    slack = TIE * (1.0 + abs(room.at[stage].top))
    if told < room.at[stage].top - slack:
        go(stage, POLL, 2 * len(room.here[stage]), room)
        return True
    better = told > room.at[stage].top + slack
    room.at[stage].top = told
    copy(room.here[stage], room.base[stage])
    if room.at[stage].moved < SETTLED or (not better and room.at[stage].moved < 1e-6):
        # Differences across a kink can balance without a maximum: the neighbours have the last word.
        room.at[stage].sure = 1
        room.at[stage].radius = min(room.at[stage].radius, 0.1 * room.step)
    return look(stage, room)


def after_poll(stage: int, room: Any) -> bool:
    """Stay where it was best; where nothing was better, look nearer."""
    best, results = -1, room.results[stage]
    for number in range(room.at[stage].total):
        if results[number] > LOWEST and (best < 0 or results[number] > results[best]):
            best = number
    if best >= 0 and results[best] > room.at[stage].top + TIE * (1.0 + abs(room.at[stage].top)):
        room.at[stage].top = results[best]
        i, sign = best // 2, 2.0 * (best % 2) - 1.0
        room.base[stage, i] = min(max(room.base[stage, i] + sign * room.at[stage].radius, 0.0), 1.0)
        room.at[stage].sure = 0
    elif room.at[stage].sure:
        return False
    else:
        room.at[stage].radius *= 0.25
    return look(stage, room)


def settle(stage: int, room: Any) -> None:
    """A climb has ended: keep it if it is the best."""
    if room.at[stage].start == 1 or room.at[stage].top > room.at[stage].most + TIE * (1.0 + abs(room.at[stage].most)):
        room.at[stage].most = room.at[stage].top
        copy(room.base[stage], room.best[stage])


def average(stage: int, number: int, out: Any, room: Any) -> None:
    """A stage of chance: the mean over its box by Gauss and Legendre's rule, in every direction."""
    weight, nodes = 1.0, room.rule.shape[1]
    for i in range(len(room.here[stage])):
        weight *= room.rule[1, number // nodes**i % nodes]
    for player in range(len(out)):
        room.mean[stage, player] += weight * out[player]
        if room.at[stage].tried == room.at[stage].total:
            out[player] = room.mean[stage, player]


EDGE = 2e-6
"""Nearer to the edge of the box than this, differences are taken inwards only."""
