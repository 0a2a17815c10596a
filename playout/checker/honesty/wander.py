"""Walks through information sets in machine code: thousands of changed draws where plain Python tries dozens.

What `lines.twin` does, by the kernel of `playout.by_rejection` on a tape that holds the draws of the true course. It needs a game that
compiles, draws whole numbers, and does so at most 64 times until the moment that is looked at.

A walk gives pairs of states, and no more: where one changed draw shifts all cards after it (the n-th card of those left), it hardly gets
about, so how often it meets a world says nothing. Held against `determinize` such walks raised a false alarm in knockout whist.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.checker.honesty.lines import ACTS, OVER, Line
from playout.compile import bind
from playout.engine import consistent
from playout.engine.consistent import KEPT, PLACES, Past, wander
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.lived import Lived
from playout.game.state import State
from playout.game.stream import GOLDEN, MASK, MIX_1, MIX_2, Stream
from playout.game.tape import LONGEST, RECORD
from playout.planner.rejection import as_past, make_room

Array = np.ndarray[Any, Any]
LOTS = 4096
ENDS = {ACTS: consistent.ACTS, OVER: consistent.OVER}


def lots(stream: Stream, count: int) -> Array:
    """Numbers from 0 to 1, many at a time: SplitMix64 from the stream's next word on."""
    words = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(GOLDEN) + np.uint64(stream.next() & MASK)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(MIX_1)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(MIX_2)
    return np.asarray((words ^ (words >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


class Wanderer:
    """Walks from true states; made once for a game, which compiles the kernel."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._kernel = bind(game, features=["tape"]).kernel(wander)
        self._array = np.zeros(PLACES, game.dtype)
        self._room = make_room(self._array, True, game.most_legal, np.zeros(LOTS))
        self._tape = np.zeros(1, RECORD)
        self._kept = np.zeros(1 + LONGEST, np.int64)
        self._past: Any = None
        seen = game.start(0).observed(0)
        nothing = as_past(Lived((seen,), seen, 0), 0, consistent.ACTS)
        self._kernel(nothing, self._room, self._tape[0], self._kept, np.zeros((0, 4)))

    def begin(self, line: Line) -> bool:
        """Stand at a moment; False where it cannot be walked from."""
        chance = line.script.chance
        if not 0 < len(chance) <= LONGEST or any(isinstance(value, float) for value in chance):
            return False
        self._past = as_past_of(line)
        self._kept[0] = len(chance)
        self._kept[1 : 1 + len(chance)] = chance
        self._room.alike[:] = 0
        return self._walk(np.zeros((0, 4))) == 0

    def go(self, changes: int, stream: Stream) -> int:
        """Try so many changes; how many were kept."""
        self._room.lots[:] = lots(stream, LOTS)
        return self._walk(lots(stream, 4 * changes).reshape(changes, 4))

    def _walk(self, changes: Array) -> int:
        with np.errstate(over="ignore"):
            return int(self._kernel(self._past, self._room, self._tape[0], self._kept, changes))

    @property
    def world(self) -> Array:
        """Where the walk is, as an array of one record."""
        return self._array[KEPT : KEPT + 1].copy()

    def twin(self, line: Line, changes: int, stream: Stream) -> Line | None:
        """Another state with the same past, or the same state where none was found; None where it cannot be walked."""
        if not self.begin(line):
            return None
        self.go(changes, stream)
        return Line(line.player, line.stands, line.past, line.script, State(self.game, self.world, 1), line.phase, line.course)


def as_past_of(line: Line) -> Past:
    """The past of a moment as the kernel takes it."""
    return as_past(line.past, line.player, ENDS.get(line.stands, consistent.WAITS), counted=True)


def wanderer(game: Game, compiled: bool) -> Wanderer | None:
    """One, where the game can be compiled."""
    if not (compiled and game.compiled):
        return None
    try:
        return Wanderer(game)
    except PlayoutError:
        return None
