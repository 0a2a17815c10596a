"""Alpha-beta (Knuth and Moore, "An analysis of alpha-beta pruning", 1975) over any game of two who want the opposite, as a kernel.

It works off its own stack (`room.PLY`), fail-soft, with a table of bounds. Values are from the mover's point of view, and are turned
where the mover changes, which is not at every action. Bounds in the table come only from positions below that were finished before, so
that every one stands on a finite proof; a position that is met again on its own path ends the search.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.compile.holes import mover, play, whole
from playout.truth.perfect.entries import (
    BAD_MOVER,
    CHANCE,
    REPEATED,
    list_actions,
    look_up,
    name_of,
    place_for,
    result,
    step_off,
    step_on,
    trouble,
)

KNOWN, KILLER = 1 << 60, 1 << 59
"""What the best action of before counts, and one that refuted another position at the same depth; history counts less."""
MOST_HISTORY = 1 << 40


def ask(s: Any, low: float, high: float) -> None:
    """Begin the question which value of the window the position in states[0] has, from the point of view of its mover."""
    root = s.plies[0]
    head = s.head[0]
    head.ply = 0
    head.answer = np.nan
    head.move = -1
    root.first = 0
    root.mover = mover(s.states[0])
    root.low = low
    root.high = high
    for slot in range(len(s.path)):
        s.path[slot] = 0
    enter(s, 0)


def alpha_beta(s: Any, limit: int) -> bool:
    """Go on with the question, over so many positions; whether it is answered (`head.answer`, a bound where outside the window)."""
    head = s.head[0]
    until = whole(head.nodes) + limit
    while head.ply >= 0 and head.nodes < until and head.trouble == 0:
        ply = whole(head.ply)
        here = s.plies[ply]
        if here.next == here.count or here.best >= here.high:
            leave(s, ply)
        else:
            try_next(s, ply)
    return bool(head.ply < 0)


def enter(s: Any, ply: int) -> None:
    """Begin with a new position on the path, or answer for it from the table."""
    here = s.plies[ply]
    here.key = name_of(s, ply)
    known = -1
    place = look_up(s, here.key, whole(here.mover), ply)
    if place >= 0:
        entry = s.table[place]
        if entry.low >= here.high or entry.low == entry.high:
            answer(s, ply, entry.low, whole(entry.action))
            return
        if entry.high <= here.low:
            answer(s, ply, entry.high, whole(entry.action))
            return
        here.low = max(here.low, entry.low)
        here.high = min(here.high, entry.high)
        known = whole(entry.action)
    if not list_actions(s, ply):
        return
    if not step_on(s, ply):
        trouble(s, REPEATED, ply)
        return
    here.asked = here.low
    here.best = -np.inf
    here.next = 0
    here.action = s.ids[here.first]
    here.begun = s.head[0].nodes
    rate(s, ply, known)


def rate(s: Any, ply: int, known: int) -> None:
    """How early each action is tried."""
    here = s.plies[ply]
    for i in range(here.first, here.first + here.count):
        action = s.ids[i]
        if action == known:
            s.scores[i] = KNOWN
        elif action == s.killers[ply, 0]:
            s.scores[i] = KILLER
        elif action == s.killers[ply, 1]:
            s.scores[i] = KILLER - 1
        else:
            s.scores[i] = s.history[here.mover, action]


def take_best(s: Any, ply: int) -> int:
    """The action with the highest score among those that are left, the first of several; it changes places with the next in order."""
    here = s.plies[ply]
    place = whole(here.first + here.next)
    best = place
    for i in range(place + 1, here.first + here.count):
        if s.scores[i] > s.scores[best]:
            best = i
    action, score = s.ids[best], s.scores[best]
    # The others keep their order, which is the game's own: often the one that makes sense.
    for i in range(best, place, -1):
        s.ids[i] = s.ids[i - 1]
        s.scores[i] = s.scores[i - 1]
    s.ids[place] = action
    s.scores[place] = score
    here.next += 1
    return whole(action)


def try_next(s: Any, ply: int) -> None:
    """Play the next action of a position: an end counts at once, anything else becomes the next position of the path."""
    head = s.head[0]
    here = s.plies[ply]
    action = take_best(s, ply)
    s.states[ply + 1] = s.states[ply]
    play(s.states[ply + 1], action, s.rng[0])
    head.nodes += 1
    if s.rng[0].word != head.word:
        trouble(s, CHANCE, ply)
        return
    who = whole(mover(s.states[ply + 1]))
    if who < 0:
        value = result(s, ply + 1)
        count_in(s, ply, action, value if here.mover == 0 else -value)
        return
    if who > 1:
        trouble(s, BAD_MOVER, ply + 1)
        return
    below = s.plies[ply + 1]
    below.mover = who
    if who == here.mover:
        below.low = here.low
        below.high = here.high
    else:
        below.low = -here.high
        below.high = -here.low
    head.ply = ply + 1
    enter(s, ply + 1)


def count_in(s: Any, ply: int, action: int, value: float) -> None:
    """What an action turned out to be worth to the mover."""
    here = s.plies[ply]
    if value > here.best:
        here.best = value
        here.action = action
        here.low = max(here.low, value)


def answer(s: Any, ply: int, value: float, action: int) -> None:
    """Hand the value of the last position of the path to the one before."""
    head = s.head[0]
    head.ply = ply - 1
    if ply == 0:
        head.answer = value
        head.move = action
        return
    above = s.plies[ply - 1]
    turned = value if above.mover == s.plies[ply].mover else -value
    count_in(s, ply - 1, whole(s.ids[above.first + above.next - 1]), turned)


def leave(s: Any, ply: int) -> None:
    """A position is finished: keep what it is worth, and learn from an action that was enough."""
    here = s.plies[ply]
    head = s.head[0]
    work = whole(head.nodes - here.begun)
    entry = s.table[place_for(s, here.key, whole(here.mover), ply, work)]
    if here.best >= here.high:
        entry.low = max(entry.low, here.best)
    elif here.best <= here.asked:
        entry.high = min(entry.high, here.best)
    else:
        entry.low = here.best
        entry.high = here.best
    entry.action = here.action
    if here.best >= here.high:
        remember(s, ply, work)
    step_off(s, ply)
    answer(s, ply, here.best, whole(here.action))


def remember(s: Any, ply: int, work: int) -> None:
    """An action that ended the search of a position early is tried early elsewhere: at the same depth, and by its player."""
    here = s.plies[ply]
    action = here.action
    if s.killers[ply, 0] != action:
        s.killers[ply, 1] = s.killers[ply, 0]
        s.killers[ply, 0] = action
    s.history[here.mover, action] = min(s.history[here.mover, action] + 1, MOST_HISTORY)
