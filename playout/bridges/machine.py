"""Rules of objects for machine code: functions that compile, and the Python that they call back.

A search of such a game is compiled as any other is, so its tree costs next to nothing; every rule is a call back into Python, of a
microsecond or two beside what the rule itself takes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from playout.compile.holes import ask, fill, look, tell
from playout.game.game import Game
from playout.game.stream import Stream

if TYPE_CHECKING:
    from playout.bridges.objects import Table

START, PLAY, LEGAL, MOVER, RETURNS, WALK, OBSERVE, DETERMINIZE, KEY, EVALUATE = range(10)


class Record:
    """A record that lies in the memory of machine code, read and written as the view of one is."""

    __slots__ = ("address", "size")

    def __init__(self, size: int) -> None:
        self.address, self.size = 0, size

    @property
    def _record(self) -> Record:
        return self

    @property
    def events(self) -> Record:
        return self

    @property
    def _array(self) -> Record:
        return self

    def tobytes(self) -> bytes:
        """All of it."""
        return ctypes.string_at(self.address, self.size)

    @property
    def length(self) -> int:
        """How many events there are."""
        return ctypes.c_uint16.from_address(self.address).value

    @length.setter
    def length(self, value: int) -> None:
        ctypes.c_uint16.from_address(self.address).value = value

    def __len__(self) -> int:
        return self.size // 2 - 1

    def __setitem__(self, where: slice, events: Any) -> None:
        begin, end, _ = where.indices(len(self))
        if isinstance(events, int):
            ctypes.memset(self.address + 2 + 2 * begin, events, 2 * (end - begin))
        else:
            kind = ctypes.c_uint16 * (end - begin)
            kind.from_address(self.address + 2 + 2 * begin)[:] = [int(event) for event in events]


class Machine:
    """Who answers machine code for one game."""

    def __init__(self, game: Game, table: Table) -> None:
        self.error: BaseException | None = None
        self.table, self.game = table, game
        self.roles = _roles(table.number, game)
        self._state, self._stream = Record(game.dtype.itemsize), Stream()
        self._answers: dict[int, Callable[..., int | None]] = {
            START: self._start,
            PLAY: self._play,
            LEGAL: self._legal,
            MOVER: self._mover,
            RETURNS: self._returns,
            WALK: self._walk,
            OBSERVE: self._observe,
            DETERMINIZE: self._determinize,
            KEY: self._key,
            EVALUATE: self._evaluate,
        }

    def answer(self, role: int, state: int, number: int, out: int, rng: int) -> int:
        """One rule, asked by machine code."""
        self._state.address = state
        if not rng:
            return self._answers[role](number, out) or 0
        word, stream = ctypes.c_uint64.from_address(rng), self._stream
        stream.word = word.value
        found = self._answers[role](number, stream)
        word.value = stream.word
        return found or 0

    def _start(self, number: int, stream: Stream) -> None:
        self.game.functions["start"](self._state, stream)

    def _play(self, number: int, stream: Stream) -> None:
        self.game.functions["play"](self._state, number, stream)

    def _walk(self, number: int, stream: Stream) -> int:
        return self.table.walk(self._state, number, stream)

    def _determinize(self, number: int, stream: Stream) -> None:
        self.game.functions["determinize"](self._state, number, stream)

    def _observe(self, number: int, out: int) -> None:
        self.game.functions["observe"](self._state, number)

    def _mover(self, number: int, out: int) -> int:
        return int(self.game.functions["mover"](self._state))

    def _key(self, number: int, out: int) -> int:
        return int(self.game.functions["key"](self._state))

    def _legal(self, number: int, out: int) -> int:
        room = (ctypes.c_int64 * self.table.most_legal).from_address(out)
        return int(self.game.functions["legal"](self._state, _Room(room)))

    def _returns(self, number: int, out: int) -> None:
        self.game.functions["returns"](self._state, _Room((ctypes.c_double * self.game.players).from_address(out)))

    def _evaluate(self, number: int, out: int) -> None:
        self.game.functions["evaluate"](self._state, _Room((ctypes.c_double * self.game.players).from_address(out)))


class _Room:
    """Where a rule writes, as the array that it expects."""

    __slots__ = ("_room",)

    def __init__(self, room: Any) -> None:
        self._room = room

    def __len__(self) -> int:
        return len(self._room)

    def __setitem__(self, where: Any, values: Any) -> None:
        begin, end, _ = where.indices(len(self._room))
        self._room[begin:end] = [*values]


def _roles(number: int, game: Game) -> dict[str, Callable[..., Any]]:
    """The rules as machine code has them: each is one call."""

    def start(state: Any, rng: Any) -> None:
        tell(number, START, state, 0, rng)

    def play(state: Any, action: int, rng: Any) -> None:
        tell(number, PLAY, state, action, rng)

    def walk(state: Any, most: int, rng: Any) -> int:
        return tell(number, WALK, state, most, rng)

    def determinize(state: Any, player: int, rng: Any) -> None:
        tell(number, DETERMINIZE, state, player, rng)

    def legal(state: Any, out: Any) -> int:
        return fill(number, LEGAL, state, 0, out)

    def returns(state: Any, out: Any) -> None:
        fill(number, RETURNS, state, 0, out)

    def evaluate(state: Any, out: Any) -> None:
        fill(number, EVALUATE, state, 0, out)

    def mover(state: Any) -> int:
        return ask(number, MOVER, state)

    def key(state: Any) -> int:
        return ask(number, KEY, state)

    def observe(state: Any, player: int) -> None:
        look(number, OBSERVE, state, player)

    found: dict[str, Callable[..., Any]] = {
        "start": start,
        "play": play,
        "legal": legal,
        "returns": returns,
        "mover": mover,
        "walk": walk,
    }
    optional: dict[str, Callable[..., Any]] = {"key": key, "evaluate": evaluate, "observe": observe}
    found |= {role: rule for role, rule in optional.items() if game.has(role)}
    return {**found, "determinize": determinize} if game.hidden and not game.rejects else found
