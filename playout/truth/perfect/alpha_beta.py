"""Alpha-beta (Knuth and Moore, "An analysis of alpha-beta pruning", 1975) over any game of two who want the opposite, as a kernel.

It works off its own stack (`room.PLY`), fail-soft, with a table of bounds. Values are from the mover's point of view, and are turned
where the mover changes, which is not at every action. Bounds in the table come only from positions below that were finished before, so
that every one stands on a finite proof; a position that is met again on its own path ends the search.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.compile.holes import ticks, whole
from playout.truth.perfect.entries import (
    REPEATED,
    list_actions,
    look_up,
    name_of,
    place_for,
    play_on,
    result,
    step_off,
    step_on,
    trouble,
)
from playout.truth.perfect.room import BEGIN, DONE

KNOWN, KILLER = 1 << 60, 1 << 59
"""What the best action of before counts, and one that refuted another position at the same depth; history counts less."""
MOST_HISTORY = 1 << 40


@ticks
def alpha_beta(s: Any, limit: int) -> bool:
    """Go on with the question, over so many positions; whether it is answered (`head.answer`, a bound where outside the window)."""
    head = s.head[0]
    until = whole(head.nodes) + limit
    if head.ply == BEGIN:
        head.ply = 0
        enter(s, 0)
    while head.ply >= 0 and head.nodes < until and head.trouble == 0:
        ply = whole(head.ply)
        here = s.plies[ply]
        if here.next == here.count or here.best >= here.high:
            leave(s, ply)
        else:
            try_next(s, ply)
    return bool(head.ply == DONE)


def enter(s: Any, ply: int) -> None:
    """Begin with a new position on the path. What an end behind it, or the table, can answer is answered at once."""
    here = s.plies[ply]
    if not list_actions(s, ply):
        return
    here.begun = s.head[0].nodes
    here.best = -np.inf
    here.asked = here.low
    here.action = s.ids[here.first]
    here.next = 0
    # Before the table is asked: it is far away in memory, and what is found here need not be kept in it.
    if end_in_one(s, ply):
        answer(s, ply, here.best, whole(here.action))
        return
    here.key = name_of(s, ply)
    known = -1
    place = look_up(s, here.key, whole(here.mover), ply)
    if place >= 0:
        entry = s.table[place]
        if entry.low > -np.inf:
            known = whole(entry.action)
        if entry.low >= here.high or entry.low == entry.high or entry.high <= here.asked:
            answer(s, ply, entry.high if entry.high <= here.asked else entry.low, known)
            return
        here.asked = max(here.asked, entry.low)
        here.low = max(here.low, entry.low)
        here.high = min(here.high, entry.high)
    if not step_on(s, ply):
        trouble(s, REPEATED, ply)
    elif not known_in_one(s, ply):
        rate(s, ply, known)


def end_in_one(s: Any, ply: int) -> bool:
    """Whether an action ends the game with enough; others that end it are counted in, and not tried again.

    Four times fewer positions and half the time in Connect Four, against finding out one action later.
    """
    here = s.plies[ply]
    first, count = whole(here.first), whole(here.count)
    last = s.killers[ply, 2]
    for i in range(first, first + count):
        if s.ids[i] == last and ends(s, ply, whole(last)) and here.best >= here.high:
            return True
    left = first
    for i in range(first, first + count):
        action = s.ids[i]
        if not ends(s, ply, whole(action)):
            s.ids[left] = action
            left += 1
        elif here.best >= here.high:
            s.killers[ply, 2] = action
            return True
    here.count = left - first
    return False


def ends(s: Any, ply: int, action: int) -> bool:
    """Whether an action ends the game; if so, it is counted in."""
    if play_on(s, ply, action) >= 0:
        return False
    value = result(s, ply + 1)
    count_in(s, ply, action, value if s.plies[ply].mover == 0 else -value)
    return True


def known_in_one(s: Any, ply: int) -> bool:
    """Whether the table knows an action to be enough; those that it knows not to be are counted in, and not tried again.

    Transposition cutoffs one action ahead (Schaeffer and Plaat, "New advances in alpha-beta searching", 1996).
    """
    here = s.plies[ply]
    first, count = whole(here.first), whole(here.count)
    left = first
    for i in range(first, first + count):
        action = s.ids[i]
        who = play_on(s, ply, whole(action))
        place = look_up(s, name_of(s, ply + 1), who, ply + 1)
        if place >= 0:
            entry = s.table[place]
            least, most = (entry.low, entry.high) if who == here.mover else (-entry.high, -entry.low)
            if least >= here.high:
                count_in(s, ply, whole(action), least)
                return True
            if most <= here.low:
                count_in(s, ply, whole(action), most)
                continue
        s.ids[left] = action
        left += 1
    here.count = left - first
    return False


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
    """Play the best action that is left: its position becomes the next of the path."""
    here = s.plies[ply]
    who = play_on(s, ply, take_best(s, ply))
    below = s.plies[ply + 1]
    below.mover = who
    if who == here.mover:
        below.low = here.low
        below.high = here.high
    else:
        below.low = -here.high
        below.high = -here.low
    s.head[0].ply = ply + 1
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
    if ply == 0:
        head.ply = DONE
        head.answer = value
        head.move = action
        return
    head.ply = ply - 1
    above = s.plies[ply - 1]
    turned = value if above.mover == s.plies[ply].mover else -value
    count_in(s, ply - 1, whole(s.ids[above.first + above.next - 1]), turned)


def leave(s: Any, ply: int) -> None:
    """A position is finished: keep what it is worth, and learn from an action that was enough."""
    here = s.plies[ply]
    head = s.head[0]
    work = whole(head.nodes - here.begun) + 1
    entry = s.table[place_for(s, here.key, whole(here.mover), ply, work)]
    if here.best > here.asked:
        entry.low = max(entry.low, here.best)
        entry.action = here.action
    if here.best < here.high:
        entry.high = min(entry.high, here.best)
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
    s.history[here.mover, action] = min(s.history[here.mover, action] + work, MOST_HISTORY)
