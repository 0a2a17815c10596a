"""What both ways to solve a position share: telling positions apart, the table, the path, the ends of the game.

No collision can give a wrong proof. An entry answers only for a position with the same 64-bit key, all bits compared, and the same
mover. By the contract only equal positions share a `key`: where the key is exact (one number for each position, as in Connect Four) that
is certain; where a game mixes a bigger board into 64 bits, it is as certain as the game's own key. A game without `key`, or where the
key is not to be trusted, is told apart by its whole states: the word looked up is a hash, and the state kept beside the entry is
compared in every byte.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.compile.holes import ACTIONS, MOST_LEGAL, as_word, key, legal, mover, play, returns, whole
from playout.game.stream import GOLDEN, mix

CHANCE, REPEATED, TOO_DEEP, NOT_ZERO_SUM, BEYOND, NO_NUMBER, BAD_LEGAL, BAD_ACTION, BAD_MOVER = 1, 2, 3, 4, 5, 6, 7, 8, 9
"""Why a kernel came back early: `head.trouble`, found in states[head.at]."""
NEAR = 1e-9
"""How near sums of returns must be to count as equal."""


def trouble(s: Any, code: int, at: int) -> None:
    s.head[0].trouble = code
    s.head[0].at = at


def name_of(s: Any, at: int) -> Any:
    """The 64 bits that the position in states[at] is looked up by."""
    if s.head[0].by_state == 0:
        return as_word(key(s.states[at]))
    word: Any = np.uint64(0)
    for i in range(s.raw.shape[1]):
        word = mix((word ^ s.raw[at, i]) + np.uint64(GOLDEN))
    return word


def same(s: Any, rows: Any, row: int, at: int) -> bool:
    """Whether the position in states[at] is the one kept in that row, beyond its name; where keys tell, the name is all."""
    if s.head[0].by_state != 0:
        for i in range(s.raw.shape[1]):
            if rows[row, i] != s.raw[at, i]:
                return False
    return True


def look_up(s: Any, name: Any, who: int, at: int) -> int:
    """The entry of the position in states[at], or -1."""
    pair = whole(mix(name) & np.uint64(len(s.table) - 2))
    for place in range(pair, pair + 2):
        entry = s.table[place]
        named = entry.key == name and entry.work != 0 and entry.mover == who and entry.question == s.head[0].question
        if named and same(s, s.kept, place, at):
            return place
    return -1


def place_for(s: Any, name: Any, who: int, at: int, work: int) -> int:
    """The entry to write to, made ready: its own, or that of the pair which cost less work."""
    place = look_up(s, name, who, at)
    if place >= 0:
        entry = s.table[place]
        entry.work = min(whole(entry.work) + work, 0xFFFFFFFF)
        return place
    place = whole(mix(name) & np.uint64(len(s.table) - 2))
    if s.table[place].work > s.table[place + 1].work:
        place += 1
    entry = s.table[place]
    if entry.work == 0:
        s.head[0].filled += 1
    entry.key = name
    entry.mover = who
    entry.question = s.head[0].question
    entry.low = -np.inf
    entry.high = np.inf
    entry.action = 0
    entry.work = min(work, 0xFFFFFFFF)
    if s.head[0].by_state != 0:
        for i in range(s.raw.shape[1]):
            s.kept[place, i] = s.raw[at, i]
    return place


# the path


def step_on(s: Any, ply: int) -> bool:
    """Put the position at `ply` on the path; False where it is there already: the game has come back to it."""
    here = s.plies[ply]
    last = np.uint64(len(s.path) - 1)
    slot = mix(here.key + np.uint64(1)) & last
    while s.path[slot] != 0:
        other = whole(s.path[slot]) - 1
        if s.plies[other].key == here.key and s.plies[other].mover == here.mover and same(s, s.raw, other, ply):
            return False
        slot = (slot + np.uint64(1)) & last
    s.path[slot] = ply + 1
    here.slot = whole(slot)
    return True


def step_off(s: Any, ply: int) -> None:
    """Take it off again. The one that came last is the end of every chain it is in, so the gap breaks none."""
    s.path[s.plies[ply].slot] = 0


def list_actions(s: Any, ply: int) -> bool:
    """The legal actions of the position at `ply`, behind those of the positions before it; False in trouble."""
    here = s.plies[ply]
    first = whole(here.first)
    if ply + 2 >= len(s.plies) or first + MOST_LEGAL >= len(s.ids) - MOST_LEGAL:
        trouble(s, TOO_DEEP, ply)
        return False
    count = whole(legal(s.states[ply], s.ids[first:]))
    if count < 1 or count > MOST_LEGAL:
        trouble(s, BAD_LEGAL, ply)
        return False
    for i in range(first, first + count):
        if s.ids[i] < 0 or s.ids[i] >= ACTIONS:
            trouble(s, BAD_ACTION, ply)
            return False
    here.count = count
    s.plies[ply + 1].first = first + count
    return True


def play_on(s: Any, ply: int, action: int) -> int:
    """Play an action of the position at `ply` into the next state; the mover there, -1 at an end."""
    head = s.head[0]
    s.states[ply + 1] = s.states[ply]
    play(s.states[ply + 1], action, s.rng[0])
    head.nodes += 1
    if s.rng[0].word != head.word:
        trouble(s, CHANCE, ply)
    who = whole(mover(s.states[ply + 1]))
    if who > 1:
        trouble(s, BAD_MOVER, ply + 1)
        return 0
    return who


# the ends


def result(s: Any, at: int) -> float:
    """What player 0 gets at the end in states[at]. All that a proof takes for granted of the returns is looked at here."""
    head = s.head[0]
    returns(s.states[at], s.out)
    value: float = s.out[0]
    total = value + s.out[1]
    if head.total != head.total:
        head.total = total
    if not np.isfinite(total):
        trouble(s, NO_NUMBER, at)
    elif abs(total - head.total) > NEAR:
        trouble(s, NOT_ZERO_SUM, at)
    elif value < head.lowest or value > head.highest:
        trouble(s, BEYOND, at)
    note(s, value)
    return value


def note(s: Any, value: float) -> None:
    """Remember which results there are."""
    head = s.head[0]
    for i in range(min(whole(head.values), len(s.values))):
        if s.values[i] == value:
            return
    if head.values < len(s.values):
        s.values[head.values] = value
    head.values = min(whole(head.values) + 1, len(s.values) + 1)
