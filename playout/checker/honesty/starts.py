"""Starts by the million: all the ways in which a game can begin that look the same to a player, in machine code.

A deck of ten cards lies in 3,628,800 ways, and a player who sees four of them takes 720 for possible. To find those, every
way is dealt and looked at, and all but these are forgotten. The tape is the one of `playout.game.tape`, as a record.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from playout.checker.honesty.report import clock
from playout.compile import bind
from playout.compile.holes import observe, start
from playout.game.game import Game
from playout.game.tape import LONGEST, RECORD, turn

PIECE = 100_000
"""Starts between two looks at the clock."""
AT_WORK, DONE, TOO_LONG, FULL = 0, 1, 2, 3


def alike(states: Any, raw: Any, tape: Any, player: int, seen: Any, kept: Any, lengths: Any, found: Any, piece: int) -> int:
    """Go through the next starts, and keep the tapes of those that the player sees as `seen`; `found[0]` counts them."""
    for _ in range(piece):
        for i in range(len(seen)):
            raw[0, i] = 0
        start(states[0], tape)
        if tape.at > len(tape.told):
            return TOO_LONG
        states[1] = states[0]
        observe(states[1], player)
        if same(raw[1], seen):
            if found[0] == len(kept):
                return FULL
            for i in range(tape.at):
                kept[found[0], i] = tape.told[i]
            lengths[found[0]] = tape.at
            found[0] += 1
        if not turn(tape):
            return DONE
    return AT_WORK


def same(one: Any, other: Any) -> bool:
    for i in range(len(one)):
        if one[i] != other[i]:
            return False
    return True


class Starts:
    """Asks the kernel; made once for a game, which compiles it."""

    def __init__(self, game: Game, most: int) -> None:
        self.game = game
        self.states = np.zeros(2, game.dtype)
        self.raw = self.states.view(np.uint8).reshape(2, game.dtype.itemsize)
        self.kept = np.zeros((most, LONGEST), np.int64)
        self.lengths = np.zeros(most, np.int64)
        self.kernel = bind(game, features=["tape"]).kernel(alike)
        self._run(np.zeros(1, RECORD), 0, np.zeros(game.dtype.itemsize, np.uint8), np.zeros(1, np.int64), 1)

    def _run(self, tape: Any, player: int, seen: Any, found: Any, piece: int) -> int:
        return int(self.kernel(self.states, self.raw, tape[0], player, seen, self.kept, self.lengths, found, piece))

    def like(self, player: int, seen: bytes, deadline: float) -> Iterator[tuple[int, ...]] | str:
        """The draws of every start that looks like that to the player; or why they could not be found."""
        tape, found, state = np.zeros(1, RECORD), np.zeros(1, np.int64), AT_WORK
        wanted = np.frombuffer(seen, np.uint8).copy()
        while state == AT_WORK:
            if clock() > deadline:
                return "there was no time to go through every start"
            state = self._run(tape, player, wanted, found, PIECE)
        if state == TOO_LONG:
            return f"start makes over {LONGEST} draws, or one of a real number"
        if state == FULL:
            return f"over {len(self.kept):,} starts look the same"
        return (tuple(self.kept[i, : self.lengths[i]].tolist()) for i in range(int(found[0])))
