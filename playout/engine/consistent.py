"""Worlds by rejection: deal, play the past again, and keep the course if it looks to the player like its own past.

The text knows nothing of the true state: it is handed what the player has lived through and a random stream. Its own actions are
played as they were. For every action of another all legal ones are tried, and one is taken of those after which the player sees what
it saw, each as likely: so an action that was seen says no more than that it was possible, and of actions that look the same any may
have been the one. A course that nothing fits is given up as soon as that shows.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from playout.compile.holes import determinize, legal, mover, observe, play, start, where, whole
from playout.game.stream import below

NOW, LOOK, TRY, CHOSEN, KEPT = 0, 1, 2, 3, 4
"""The states of a search for a world: that of the course, its copy for observing, an action's outcome, the outcome taken, and the
world that a walk has come to."""
PLACES = 5
ACTS, OVER, WAITS, AT_ONCE = 0, 1, 2, 3
"""How the player's past ends: it is to act, the game is over, others are to act, or others are to act and have not begun."""
LOOKS = 16
"""Worlds in which it is looked whether others can act unseen."""
LONGEST = 5000
"""Actions after which a course is given up."""

Past = namedtuple("Past", ("marks", "views", "player", "end", "steps", "random"))
"""`marks[i]` is an action of the player's own, or -1 where event i is an observation, whose bytes are `views[i]`. `random`: 1
where the others choose among all their actions, so that what they did is evidence, too; a number of actions above it where each action
counts as much, however many there are beside it. `steps`: the actions of all players, or -1 where the player cannot
count them."""
Room = namedtuple("Room", ("states", "raw", "ids", "alike", "lots"))
"""Five states, the same as bytes, room for legal ids; `alike[0]` is set once two actions of another looked the same to the player,
`alike[1]` counts the lots that were used, and `alike[2]` is set once another could act unseen in a world that was carried on."""


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
    return looks(past, room, NOW, 0) and onward(past, room, rng, 1, 0)


def onward(past: Any, room: Any, rng: Any, next_event: int, last_seen: int) -> bool:
    """Play on from the state in NOW, with so many events behind it; whether it ends as the past does."""
    states, event, seen = room.states, whole(next_event), whole(last_seen)
    for step in range(LONGEST):
        player = whole(mover(states[NOW]))
        if event == len(past.marks) and ends(past, room, player, step, rng):
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
    only = lot(room, rng, max(count, past.random)) if past.random != 0 else -1
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
        if fitting > 1 and differ(room, TRY, CHOSEN):
            room.alike[0] = 1
        if lot(room, rng, fitting) == 0:
            states[CHOSEN] = states[TRY]
            reached = at
    return reached


def differ(room: Any, one: int, other: int) -> bool:
    """Whether two states are not the same."""
    for i in range(room.raw.shape[1]):
        if room.raw[one, i] != room.raw[other, i]:
            return True
    return False


def from_stream(room: Any, rng: Any, n: int) -> int:
    return below(rng, n)


@where("tape", from_stream)
def lot(room: Any, rng: Any, n: int) -> int:
    """One of n, each as likely: where chance is read off a tape, by lots that were drawn before."""
    place = room.alike[1] % len(room.lots)
    room.alike[1] += 1
    return int(room.lots[place] * n)


def looks(past: Any, room: Any, place: int, event: int) -> bool:
    """Whether the player sees of a state what that event showed; False where there is no such event, or it is an action."""
    if event >= len(past.marks) or past.marks[event] >= 0:
        return False
    room.states[LOOK] = room.states[place]
    observe(room.states[LOOK], past.player)
    for i in range(room.raw.shape[1]):
        if room.raw[LOOK, i] != past.views[event, i]:
            return False
    return True


def ends(past: Any, room: Any, player: int, step: int, rng: Any) -> bool:
    """Whether a course ends here: a player knows when it is to act and when the game is over.

    While others act it may not even know how often they did, where it sees nothing of it: then the course may end at any such moment.
    """
    if past.end == ACTS:
        return bool(player == past.player)
    if past.end == OVER:
        return bool(player < 0)
    if player < 0 or player == past.player:
        return False
    if past.end == AT_ONCE:
        return True
    return bool(step == past.steps) if past.steps >= 0 else bool(lot(room, rng, 2) == 0)


def carried(past: Any, room: Any, rng: Any, event: int, seen: int, out: Any, tries: int) -> int:
    """Worlds of `determinize` at an earlier moment, each played on, and kept where it looks to the player like what came since.

    The true state of that moment is in KEPT, `event` events were behind it and `seen` is the last one that was an observation. With
    all of them behind it, what is kept is what `determinize` gives; with none, courses from the deal on; with -1, deals and a world of
    each by turns. `out` is filled as far as so many tries go; how far that is.
    """
    if event < 0:
        return dealt(past, room, rng, out)
    found = 0
    for count in range(tries):
        if event == 0:
            fits = course(past, room, rng)
        else:
            room.states[NOW] = room.states[KEPT]
            determinize(room.states[NOW], past.player, rng)
            if count < LOOKS:
                unseen(past, room, rng, seen)
            fits = onward(past, room, rng, event, seen)
        if fits:
            out[found] = room.states[NOW]
            found += 1
            if found == len(out):
                break
    return found


def dealt(past: Any, room: Any, rng: Any, out: Any) -> int:
    """Deals, each followed by a world of it for the player."""
    for place in range(0, len(out) - 1, 2):
        for i in range(room.raw.shape[1]):
            room.raw[NOW, i] = 0
        start(room.states[NOW], rng)
        out[place] = room.states[NOW]
        determinize(room.states[NOW], past.player, rng)
        out[place + 1] = room.states[NOW]
    return len(out)


def unseen(past: Any, room: Any, rng: Any, seen: int) -> None:
    """Look whether another is to act who can do so unseen."""
    player = whole(mover(room.states[NOW]))
    if player < 0 or player == past.player:
        return
    for i in range(whole(legal(room.states[NOW], room.ids))):
        room.states[TRY] = room.states[NOW]
        play(room.states[TRY], whole(room.ids[i]), rng)
        if looks(past, room, TRY, seen):
            room.alike[2] = 1


def among(ids: Any, count: int, action: int) -> bool:
    """Whether an action is one of the legal ones."""
    for i in range(count):
        if ids[i] == action:
            return True
    return False


def wander(past: Any, room: Any, tape: Any, kept: Any, changes: Any) -> int:
    """Walk through the worlds that fit: change one draw of the course or two, keep it if it still looks like the past (Metropolis).

    `tape` holds the draws of a course that fits, and `kept` their number and then the draws; a row of `changes` says by four lots what
    is changed. How many changes were kept, -1 where the course that was handed over does not fit. The world is left in KEPT.
    """
    accepted = -1
    for i in range(-1, len(changes)):
        draws = whole(kept[0])
        for k in range(draws):
            tape.told[k] = kept[1 + k]
        if i >= 0:
            if draws == 0:
                break
            change(tape, draws, changes[i, 0], changes[i, 1])
            if changes[i, 2] < 0.3:
                change(tape, draws, changes[i, 2] / 0.3, changes[i, 3])
        tape.known, tape.at = draws, 0
        if not course(past, room, tape) or tape.at > len(tape.told):
            if i < 0:
                return accepted
            continue
        # A longer course gives each of its draws less of a chance to be the one that is changed back.
        ratio = draws / tape.at if tape.at > draws else 1.0
        if i >= 0 and room.lots[i % len(room.lots)] > ratio:
            continue
        kept[0] = tape.at
        for k in range(tape.at):
            kept[1 + k] = tape.told[k]
        room.states[KEPT] = room.states[NOW]
        accepted += 1
    return accepted


def change(tape: Any, draws: int, where: float, what: float) -> None:
    """Draw one of the draws anew."""
    place = int(where * draws)
    tape.told[place] = int(what * tape.sizes[place])
