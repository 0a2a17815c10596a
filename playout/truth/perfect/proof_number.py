"""Depth-first proof-number search over any game of two who want the opposite, as a kernel: does player 0 get more than a number?

df-pn (Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002) with the 1 + epsilon trick (Pawlewicz and Lew,
"Improving depth-first PN-search: 1 + epsilon trick", 2007), off its own stack. The proof number of a position is how many ends must still
be shown to be over the number; the disproof number, how many must be shown not to be. Player 0 needs one of its actions to be proven,
player 1 one of its to be disproven; who moves where is asked of the game, so a player may move twice in a row.
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

PATIENCE = 1.25
"""1 + epsilon: how far beyond the second best the best action may grow before the search turns to the other."""
MOST = 1e15
"""Where many ways lead to one position, sums count it once for each; they are cut off here, before they leave the whole numbers."""


@ticks
def proof_number(s: Any, limit: int) -> bool:
    """Go on with the question, over so many positions; whether it is answered: 1 in `head.answer` for yes, 0 for no."""
    head = s.head[0]
    until = whole(head.nodes) + limit
    if head.ply == BEGIN:
        head.ply = 0
        s.plies[0].key = name_of(s, 0)
        s.plies[0].low = np.inf
        s.plies[0].high = np.inf
        enter(s, 0)
    while head.ply >= 0 and head.nodes < until and head.trouble == 0:
        choose(s, whole(head.ply))
    return bool(head.ply == DONE)


def enter(s: Any, ply: int) -> None:
    """Begin with a position on the path: look at what every action leads to, and what is known of that."""
    here = s.plies[ply]
    here.begun = s.head[0].nodes
    if not list_actions(s, ply):
        return
    if not step_on(s, ply):
        trouble(s, REPEATED, ply)
        return
    for i in range(here.first, here.first + here.count):
        kid = s.kids[i]
        who = play_on(s, ply, whole(s.ids[i]))
        kid.mover = who
        kid.low = 1.0
        kid.high = 1.0
        if who < 0:
            over = result(s, ply + 1) > s.head[0].over
            kid.low = 0.0 if over else np.inf
            kid.high = np.inf if over else 0.0
            if over == (here.mover == 0):
                # Enough: what the other actions lead to no longer matters.
                here.count = i + 1 - here.first
                return
            continue
        kid.key = name_of(s, ply + 1)
        place = look_up(s, kid.key, who, ply + 1)
        if place >= 0:
            kid.low = s.table[place].low
            kid.high = s.table[place].high


def choose(s: Any, ply: int) -> None:
    """Add up what is known of the actions; go on with the easiest one, or back where a limit is reached.

    `least` is the smallest number of an action for what the mover wants, `against` the sum of the others: all must fail for it to fail.
    """
    here = s.plies[ply]
    mine = here.mover == 0
    least = second = np.inf
    against, cost, best = 0.0, 0.0, whole(here.first)
    for i in range(here.first, here.first + here.count):
        kid = s.kids[i]
        aim, other = (kid.low, kid.high) if mine else (kid.high, kid.low)
        against += other
        if aim < least:
            second = least
            least, cost, best = aim, other, i
        elif aim < second:
            second = aim
    if least > 0.0:
        against = min(against, MOST)
    here.next = best - here.first
    if least == 0.0 or against == 0.0 or least >= here.low or against >= here.high:
        leave(s, ply, least, against)
    else:
        go_on(s, ply, min(here.low, second * PATIENCE + 1.0), here.high - against + cost)


def go_on(s: Any, ply: int, aim: float, against: float) -> None:
    """One more position on the path, until one of its numbers reaches a limit; both are the mover's of now."""
    here = s.plies[ply]
    kid = s.kids[here.first + here.next]
    below = s.plies[ply + 1]
    play_on(s, ply, whole(s.ids[here.first + here.next]))
    below.mover = kid.mover
    below.key = kid.key
    if kid.mover == here.mover:
        below.low = aim
        below.high = against
    else:
        below.low = against
        below.high = aim
    s.head[0].ply = ply + 1
    enter(s, ply + 1)


def leave(s: Any, ply: int, least: float, against: float) -> None:
    """Keep the numbers of a position, and hand them to the one before."""
    head = s.head[0]
    here = s.plies[ply]
    proof, disproof = (least, against) if here.mover == 0 else (against, least)
    action = whole(s.ids[here.first + here.next])
    step_off(s, ply)
    if ply == 0:
        head.ply = DONE
        head.answer = 1.0 if proof == 0.0 else 0.0
        head.move = action
        return
    entry = s.table[place_for(s, here.key, whole(here.mover), ply, whole(head.nodes - here.begun))]
    entry.low = proof
    entry.high = disproof
    entry.action = action
    above = s.plies[ply - 1]
    kid = s.kids[above.first + above.next]
    kid.low = proof
    kid.high = disproof
    head.ply = ply - 1
