"""Rules of objects for machine code: functions that compile, and the Python that they call back.

A search of such a game is compiled as any other is, so its tree costs next to nothing; every rule is a call back into Python, of a
microsecond or two beside what the rule itself takes.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from playout.bridges.draws import Ended
from playout.compile.holes import ask, fill, look, tell
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.stream import Stream

if TYPE_CHECKING:
    from playout.bridges.objects import Table

START, PLAY, LEGAL, MOVER, RETURNS, WALK, OBSERVE, DETERMINIZE, KEY, EVALUATE = range(10)
SAID = (
    "the start",
    "apply",
    "legal_actions",
    "current_player",
    "returns",
    "a random playout",
    "observation",
    "determinize",
    "key",
    "evaluate",
)
"""What is said of a rule that failed."""
HEAD = 2
"""Bytes of a record before its events."""
MOST_VIEWS = 256


class Record:
    """A record that lies in the memory of machine code, read and written as the view of one is."""

    __slots__ = ("_bytes", "_words")

    def __init__(self, address: int, size: int) -> None:
        self._bytes = memoryview((ctypes.c_uint8 * size).from_address(address)).cast("B")
        self._words = self._bytes.cast("H")

    @property
    def _record(self) -> Record:
        return self

    @property
    def events(self) -> Record:
        return self

    @property
    def _array(self) -> Record:
        return self

    def course(self) -> bytes:
        """The bytes up to the last event: records are long, and courses mostly short."""
        return self._bytes[: HEAD + 2 * self._words[0]].tobytes()

    @property
    def length(self) -> int:
        """How many events there are."""
        return self._words[0]

    @length.setter
    def length(self, value: int) -> None:
        self._words[0] = value

    def write(self, at: int, events: Sequence[int]) -> None:
        """Events from a place on, which are then the last ones."""
        end = at + len(events)
        if len(events) == 1:
            self._words[end] = events[0]
        else:
            self._words[1 + at : 1 + end] = array("H", events)
        self._words[0] = end

    def __len__(self) -> int:
        return len(self._words) - 1

    def __setitem__(self, where: slice, events: Any) -> None:
        begin, end, _ = where.indices(len(self))
        if isinstance(events, int):
            self._words[1 + begin : 1 + end] = array("H", [events]) * (end - begin)
        else:
            self._words[1 + begin : 1 + end] = array("H", events)


class Machine:
    """Who answers machine code for one game.

    Every rule is asked some times a simulation, so what stands between the kernel and the rule is short: views of memory are made once
    for an address, and the rules of objects are asked without the functions that make a game of them.
    """

    def __init__(self, game: Game, table: Table) -> None:
        self.error: BaseException | None = None
        self.table, self.game = table, game
        self.roles = _roles(table.number, game)
        self._stream = Stream()
        self._records: dict[int, Record] = {}
        self._rooms: dict[tuple[int, bool], Any] = {}
        self._words: dict[int, Any] = {}
        self._answers: dict[int, Callable[[Record, int, Any], int | None]] = {
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
        record = self._records.get(state)
        if record is None:
            record = _kept(self._records, state, Record(state, self.game.dtype.itemsize))
        with self.table.lock:
            try:
                if not rng:
                    return self._answers[role](record, number, out) or 0
                word, stream = self._words.get(rng), self._stream
                if word is None:
                    word = _kept(self._words, rng, ctypes.c_uint64.from_address(rng))
                stream.word = word.value
                found = self._answers[role](record, number, stream)
                word.value = stream.word
                return found or 0
            except (PlayoutError, Ended):
                raise
            except Exception as error:
                raise self.table.rules.failed(SAID[role], error) from error

    def _start(self, state: Record, number: int, stream: Stream) -> None:
        self.table.begin(state, stream)

    def _play(self, state: Record, number: int, stream: Stream) -> None:
        self.table.play(state, number, stream)

    def _walk(self, state: Record, number: int, stream: Stream) -> int:
        return self.table.walk(state, number, stream)

    def _determinize(self, state: Record, number: int, stream: Stream) -> None:
        self.table.redraw(state, number, stream)

    def _observe(self, state: Record, number: int, out: int) -> None:
        self.game.functions["observe"](state, number)

    def _mover(self, state: Record, number: int, out: int) -> int:
        return self.table.rules.mover(self.table.thing(state))

    def _key(self, state: Record, number: int, out: int) -> int:
        return int(self.game.functions["key"](state))

    def _legal(self, state: Record, number: int, out: int) -> int:
        ids = self.table.rules.legal(self.table.thing(state))
        count, room = len(ids), self._room(out, whole=True)
        if count > len(room):
            raise IndexError(f"{count} actions are legal")
        room[:count] = ids
        return count

    def _returns(self, state: Record, number: int, out: int) -> None:
        self._room(out)[:] = self.table.rules.returns(self.table.thing(state))

    def _evaluate(self, state: Record, number: int, out: int) -> None:
        self.game.functions["evaluate"](state, self._room(out))

    def _room(self, out: int, whole: bool = False) -> Any:
        """Where a rule writes: ids, or a number for every player."""
        found = self._rooms.get((out, whole))
        if found is None:
            kind = ctypes.c_int64 * self.table.most_legal if whole else ctypes.c_double * self.game.players
            found = _kept(self._rooms, (out, whole), kind.from_address(out))
        return found


def _kept(views: dict[Any, Any], name: Any, view: Any) -> Any:
    """A view that is kept. It is an address and a type and owns nothing, so one that nobody asks for any more does no harm."""
    if len(views) >= MOST_VIEWS:
        views.clear()
    views[name] = view
    return view


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
