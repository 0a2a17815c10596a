"""Worlds by rejection: deal, play the past again, and keep the course if it looks to the player like its own past.

The text knows nothing of the true state: it is handed what the player has lived through and a random stream. Its own actions are
played as they were. For every action of another all legal ones are tried, and one is taken of those after which the player sees what
it saw, each as likely: so an action that was seen says no more than that it was possible, and of actions that look the same any may
have been the one. A course that nothing fits is given up as soon as that shows.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from playout.compile.holes import legal, mover, observe, play, start, whole
from playout.game.stream import below

NOW, LOOK, TRY, CHOSEN = 0, 1, 2, 3
"""The states of a search for a world: that of the course, its copy for observing, an action's outcome, the outcome taken."""
ACTS, OVER, WAITS = 0, 1, 2
"""How the player's past ends: it is to act, the game is over, or others are to act."""
LONGEST = 5000
"""Actions after which a course is given up."""

Past = namedtuple("Past", ("marks", "views", "player", "end", "random", "skip"))
"""`marks[i]` is an action of the player's own, or -1 where event i is an observation, whose bytes are `views[i]`. `random`: the others
choose among all their actions, so that what they did is evidence, too. `skip`: the event from
which on observations may be anything, -1 for none."""
Room = namedtuple("Room", ("states", "raw", "ids", "alike"))
"""Four states, the same as bytes, room for legal ids; `alike[0]` is set once two actions of another looked the same to the player."""


def rejection(past: Any, room: Any, rng: Any, tries: int) -> int:
    """Try courses until one fits; how many it took, or 0 where none did. The world is left in NOW."""
    for count in range(tries):
        if course(past, room, rng):
            return count + 1
    return 0


def course(past: Any, room: Any, rng: Any) -> bool:
    """One course of the game, from the deal on; whether it ends as the past does."""
    states, raw = room.states, room.raw
    for i in range(raw.shape[1]):
        raw[NOW, i] = 0
    start(states[NOW], rng)
    event, seen = whole(0), whole(0)
    if not looks(past, room, NOW, event):
        return False
    event = whole(1)
    for _ in range(LONGEST):
        player = whole(mover(states[NOW]))
        if event == len(past.marks) and ends(past, player, rng):
            return True
        if player < 0:
            return False
        count = whole(legal(states[NOW], room.ids))
        if player == past.player:
            if event == len(past.marks) or not among(room.ids, count, past.marks[event]):
                return False
            play(states[NOW], whole(past.marks[event]), rng)
            event += 1
            if looks(past, room, NOW, event):
                seen = event
                event += 1
            elif not looks(past, room, NOW, seen):
                return False
        else:
            reached = others(past, room, count, seen, event, rng)
            if reached < 0:
                return False
            states[NOW] = states[CHOSEN]
            if reached != seen:
                seen = reached
                event = reached + 1
    return False


def others(past: Any, room: Any, count: int, seen: int, event: int, rng: Any) -> int:
    """Try every action of another player, and take one that fits; the event that is then the last one seen, -1 where none fits."""
    states, fitting, reached = room.states, whole(0), whole(-1)
    only = below(rng, count) if past.random != 0 else -1
    for i in range(count):
        if only >= 0 and i != only:
            continue
        states[TRY] = states[NOW]
        play(states[TRY], whole(room.ids[i]), rng)
        at = whole(event)
        if not looks(past, room, TRY, at):
            at = whole(seen)
            if not looks(past, room, TRY, at):
                continue
        fitting += 1
        if fitting > 1:
            room.alike[0] = 1
        if below(rng, fitting) == 0:
            states[CHOSEN] = states[TRY]
            reached = at
    return reached


def looks(past: Any, room: Any, place: int, event: int) -> bool:
    """Whether the player sees of a state what that event showed; False where there is no such event, or it is an action."""
    if event >= len(past.marks) or past.marks[event] >= 0:
        return False
    if past.skip >= 0 and event >= past.skip:
        return True
    room.states[LOOK] = room.states[place]
    observe(room.states[LOOK], past.player)
    for i in range(room.raw.shape[1]):
        if room.raw[LOOK, i] != past.views[event, i]:
            return False
    return True


def ends(past: Any, player: int, rng: Any) -> bool:
    """Whether a course ends here: a player knows when it is to act and when the game is over.

    While others act it may not even know how often they did, where it sees nothing of it: then the course may end at any of these moments.
    """
    if past.end == ACTS:
        return bool(player == past.player)
    if past.end == OVER:
        return bool(player < 0)
    return bool(player >= 0 and player != past.player and below(rng, 2) == 0)


def among(ids: Any, count: int, action: int) -> bool:
    """Whether an action is one of the legal ones."""
    for i in range(count):
        if ids[i] == action:
            return True
    return False
