"""Playouts that learn from each other: actions that went well in earlier simulations are preferred in later ones.

A tree keeps for every action and mover the mean of what simulations with it brought (move-average sampling, MAST: Finnsson, Björnsson,
"Simulation-based approach to general game playing", 2008), and where asked for also by the one or two actions before it, whoever
played them (N-grams: Tak, Winands, Björnsson, "N-grams and the last-good-reply policy applied in general game playing", 2012). A playout takes
the action with the best mean, now and then any: scanning numbers that lie side by side is cheaper than drawing by weights.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from playout.compile.holes import ACTIONS, PLAYERS, cold, hot, where, whole
from playout.engine.layout import BY_GRAMS, GRAMS, POSITION
from playout.game.stream import below, uniform

ENOUGH = 7
"""How often two or three actions must have followed each other before their mean has a say: as in the paper."""
NOBODY = -1
"""In place of an action before, where there was none."""


def no_habit(options: Any, habits: Any, work: Any, player: int, count: int) -> int:
    return whole(0)


@where("extra", no_habit)
def habitual(options: Any, habits: Any, work: Any, player: int, count: int) -> int:
    """The action of a playout among the first `count` of `work.ids`: any, by chance; else the best by habit, one never played first.

    The look begins at an action drawn, so that among equals none is preferred.
    """
    ids, rng = work.ids, work.rng
    place = whole(below(rng, count))
    if uniform(rng) < options.epsilon:
        return whole(ids[place])
    one, two, done = whole(NOBODY), whole(NOBODY), whole(work.trailed[0])
    if options.habits == BY_GRAMS:
        one = whole(work.trail[done - 1] if done > 0 else work.before[0])
        two = whole(work.trail[done - 2] if done > 1 else work.before[1 - done])
    best, best_mean = whole(ids[place]), -inf
    for _ in range(count):
        action = whole(ids[place])
        if action < 0 or action >= ACTIONS:
            return action
        code = action * PLAYERS + player
        if habits[code, 0] == 0.0:
            return action
        mean: float = np.float64(habits[code, 1])
        if options.habits == BY_GRAMS:
            mean = with_grams(habits, code, one, two, mean)
        if mean > best_mean:
            best, best_mean = action, mean
        place = place + 1 if place + 1 < count else whole(0)
    return best


@hot
def gram_place(code: int, one: int, two: int) -> int:
    """Where an action after one or two others has its entry. Others may share it: there are too many to keep each apart."""
    if two < 0:
        return PLAYERS * ACTIONS + ((code * 40503 + one * 30011) & (GRAMS - 1))  # type: ignore[no-any-return]
    return PLAYERS * ACTIONS + GRAMS + ((code * 40503 + one * 30011 + two * 50021) & (GRAMS - 1))  # type: ignore[no-any-return]


@hot
def with_grams(habits: Any, code: int, one: int, two: int, mean: float) -> float:
    """The mean of an action's own mean and of those after the actions before, where they were seen often enough."""
    total, parts = mean, 1.0
    if one >= 0:
        place = gram_place(code, one, whole(NOBODY))
        if habits[place, 0] >= ENOUGH:
            total += np.float64(habits[place, 1])
            parts += 1.0
        if two >= 0:
            place = gram_place(code, one, two)
            if habits[place, 0] >= ENOUGH:
                total += np.float64(habits[place, 1])
                parts += 1.0
    return total / parts


def no_before(sim: Any, lane: int) -> None:
    pass


@where("extra", no_before)
@cold
def look_back(sim: Any, lane: int) -> None:
    """Which two actions a playout comes after, the last first."""
    nodes, work = sim.nodes, sim.work[lane]
    work.before[0] = work.before[1] = NOBODY
    found, i = 0, work.length[0] - 1
    while i > 0 and found < 2:
        node = nodes[work.path[i]]
        if node.tags & POSITION == 0:
            work.before[found] = whole(node.action) * PLAYERS + whole(node.mover)
            found += 1
        i -= 1


def no_lesson(sim: Any, lane: int) -> None:
    pass


@where("extra", no_lesson)
@cold
def learn_habits(sim: Any, lane: int) -> None:
    """What a simulation brought is credited to every action that it played, in the tree and below."""
    nodes, habits, options, work = sim.nodes, sim.habits, sim.options[0], sim.work[lane]
    grams = options.habits == BY_GRAMS
    one, two = whole(NOBODY), whole(NOBODY)
    for i in range(1, work.length[0] + work.trailed[0]):
        if i < work.length[0]:
            node = nodes[work.path[i]]
            if node.tags & POSITION != 0:
                continue
            code = whole(node.action) * PLAYERS + whole(node.mover)
        else:
            code = whole(work.trail[i - work.length[0]])
        value = work.value[code % PLAYERS]
        strengthen(habits, code, value)
        if grams and one >= 0:
            strengthen(habits, gram_place(code, one, whole(NOBODY)), value)
            if two >= 0:
                strengthen(habits, gram_place(code, one, two), value)
        one, two = code, one


def strengthen(habits: Any, place: int, value: float) -> None:
    """One more result of an action."""
    times, mean = np.float64(habits[place, 0]) + 1.0, np.float64(habits[place, 1])
    habits[place, 0] = times
    habits[place, 1] = mean + (value - mean) / times
