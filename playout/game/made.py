"""An encoding made for a game that brings none: its fields as a network takes them, by what random play has shown of them.

Small integers become one-hot, and how far one lies beyond what was shown is a number more; bigger ones are scaled and written as bits, too,
and those as wide as bitboards as bits alone; reals are scaled. A field that never changes is left out. Fields that are boards,
arrays with the same last two dimensions, become planes, and every other number a plane of its own. What is read is the player's
observation where something is hidden, and a field with a place for each player is read from the viewer on, so that its own comes first.
The sample is always the same, so the same game gets the same encoding.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np

from playout.compile.holes import as_word, whole
from playout.errors import GameError, PlayoutError
from playout.game.game import Game
from playout.game.record import field_names
from playout.game.stream import PICKS, Stream

STATES, GAMES = 2000, 200
"""So much random play is looked at, whichever comes first."""
PIECE = 256
"""So many states are held at a time."""
MOST_VALUES = (64, 16, 4)
"""Up to so many values an integer is one-hot: the first of these that keeps the whole below `MOST_NUMBERS`."""
MOST_NUMBERS = 8192
WIDE = 1 << 16
"""An integer that spans as much is a set of bits rather than an amount: float32 would hardly hold it."""
MOST_SPREAD, FEW_PLANES = 32, 8
"""Planes that hold one number everywhere, and how many a single field may take; where more would be needed, the encoding is flat."""
FURTHEST = 8.0
"""A scaled number is cut off here, where -1 to 1 is what random play has shown."""
ONE_HOT, BITS, SCALED = "one-hot", "bits", "scaled"


class Column(msgspec.Struct, frozen=True):
    """One field of the record, and how each of its numbers is written."""

    field: str
    """Its name, with dots where it is a part of another."""
    shape: tuple[int, ...]
    how: str
    low: float = 0.0
    high: float = 0.0
    bits: int = 0
    """How many bits of it are written."""
    turned: bool = False
    """Whether its first dimension is one of players, read from the viewer on."""

    @property
    def width(self) -> int:
        """How many numbers one becomes."""
        return {ONE_HOT: int(self.high - self.low) + 2, SCALED: 1 + self.bits, BITS: self.bits}[self.how]

    @property
    def count(self) -> int:
        return int(np.prod(self.shape, dtype=int))

    def words(self) -> str:
        """The column in words: "board 0 to 2 one-hot"."""
        if self.how == BITS:
            return f"{self.field}: {self.bits} bits"
        more = f" and {self.bits} bits" if self.bits else ""
        return f"{self.field}: {self.low:g} to {self.high:g} {self.how}{more}"


class Plan(msgspec.Struct, frozen=True):
    """A whole made encoding."""

    columns: tuple[Column, ...]
    board: tuple[int, int] | None
    """The rows and columns of its planes; None where it is flat."""
    players: int

    def on_board(self, column: Column) -> bool:
        return self.board is not None and column.shape[-2:] == self.board

    @property
    def shape(self) -> tuple[int, ...]:
        numbers = self.players if self.players > 1 else 0
        for column in self.columns:
            cells = column.count // (self.board[0] * self.board[1]) if self.board and self.on_board(column) else column.count
            numbers += cells * column.width
        return (max(1, numbers), *(self.board or ()))


def plan_of(game: Game) -> Plan:
    """The encoding that playout makes for a game."""
    spans = _Spans(game)
    for states in _shown(game):
        spans.see(states)
    for most in MOST_VALUES:
        plan = _planned(game, spans.columns(most))
        if np.prod(plan.shape, dtype=int) <= MOST_NUMBERS:
            break
    return plan


def _planned(game: Game, columns: tuple[Column, ...]) -> Plan:
    boards = [c.shape[-2:] for c in columns if len(c.shape) > 1 and min(c.shape[-2:]) > 2]
    board = max(boards, key=lambda shape: (boards.count(shape), shape[0] * shape[1]), default=None)
    if board is not None:
        thin = tuple(c if c.shape[-2:] == board else _thin(c) for c in columns)
        if sum(c.count * c.width for c in thin if c.shape[-2:] != board) <= MOST_SPREAD:
            return Plan(thin, (board[0], board[1]), game.players)
    return Plan(columns, None, game.players)


def _thin(column: Column) -> Column:
    """A number that would fill many planes fills one, scaled."""
    if column.how == ONE_HOT and column.width > FEW_PLANES:
        return msgspec.structs.replace(column, how=SCALED)
    return column


def _shown(game: Game) -> Iterator[np.ndarray[Any, Any]]:
    """What each player sees in random play, some states at a time."""
    seen: list[bytes] = []
    states = 0
    for number in range(GAMES):
        choices = Stream(number, PICKS)
        try:
            state = game.start(number)
            while states < STATES:
                seen += [state.observed(player) for player in range(game.players)]
                states += 1
                if len(seen) >= PIECE:
                    yield np.frombuffer(b"".join(seen), game.dtype)
                    seen = []
                if state.over:
                    break
                state = state.after(state.random(choices))
        except PlayoutError:
            raise
        except Exception as error:
            raise GameError(
                f"game {game.name!r} cannot be encoded: {type(error).__name__}: {error} in random play from seed {number}; run playout check"
            ) from None
        if states >= STATES:
            break
    if seen:
        yield np.frombuffer(b"".join(seen), game.dtype)


class _Spans:
    """The lowest and the highest number that each field has shown."""

    def __init__(self, game: Game) -> None:
        self.game, self.fields = game, dict(_fields(game.dtype))
        self.found: dict[str, tuple[Any, Any]] = {}

    def see(self, states: np.ndarray[Any, Any]) -> None:
        for path in self.fields:
            numbers = states
            for name in path.split("."):
                numbers = numbers[name]
            finite = numbers[np.isfinite(numbers)] if numbers.dtype.kind == "f" else numbers
            if finite.size:
                low, high = finite.min().item(), finite.max().item()
                before = self.found.get(path, (low, high))
                self.found[path] = (min(low, before[0]), max(high, before[1]))

    def columns(self, most: int) -> tuple[Column, ...]:
        """A column for each field that has changed; integers one-hot up to so many values."""
        found = []
        for path, kind in self.fields.items():
            low, high = self.found.get(path, (0, 0))
            if low == high:
                continue
            turned = self.game.players > 1 and len(kind.shape) > 0 and kind.shape[0] == self.game.players
            how, bits = SCALED, 0
            if kind.base.kind in "biu":
                low = min(0, low) if high - min(0, low) < most else low
                bits = 64 if low < 0 else int(high).bit_length()
                how = ONE_HOT if high - low < most else BITS if high - low >= WIDE else SCALED
                bits = 0 if how == ONE_HOT else bits
            found.append(Column(path, tuple(kind.shape), how, float(low), float(high), bits, turned))
        return tuple(found)


def _fields(dtype: np.dtype[Any], above: str = "") -> Iterator[tuple[str, np.dtype[Any]]]:
    for name in field_names(dtype):
        if dtype[name].names is not None:
            yield from _fields(dtype[name], f"{above}{name}.")
        else:
            yield above + name, dtype[name]


# The function itself: text, since a field of a record can only be named in it, and these, which it calls. A number has a place of its
# own (`at`), `step` from there to the place of its next value, and is written `copies` times.


def mark(out: Any, at: int, copies: int) -> None:
    for i in range(copies):
        out[at + i] = 1.0


def one_hot(out: Any, at: int, step: int, copies: int, value: Any, low: int, high: int) -> None:
    number = whole(value)
    shown = min(max(number, low), high)
    mark(out, at + (shown - low) * step, copies)
    for i in range(copies):
        out[at + (high - low + 1) * step + i] = (number - shown) / (high - low)


def bits(out: Any, at: int, step: int, copies: int, value: Any, count: int) -> None:
    word = as_word(value)
    for bit in range(count):
        if (word >> np.uint64(bit)) & np.uint64(1) != np.uint64(0):
            mark(out, at + bit * step, copies)


def scaled(out: Any, at: int, copies: int, value: Any, low: float, high: float) -> None:
    number: Any = (np.float64(value) - low) / (high - low) * 2.0 - 1.0
    if not number >= -FURTHEST:  # nor does it hold for what is no number
        number = -FURTHEST
    if number > FURTHEST:
        number = FURTHEST
    for i in range(copies):
        out[at + i] = number


def function_of(game: Game, plan: Plan) -> Callable[..., None]:
    """The plan as a function of (state, player, out), where `out` is one row of numbers."""
    text = _text(game, plan)
    # Named by its text: two encodings of one game may meet in a process.
    name = f"made_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    names: dict[str, Any] = {"mark": mark, "one_hot": one_hot, "bits": bits, "scaled": scaled, "__name__": __name__}
    exec(compile(f"def {name}(state, player, out):\n{text}", __file__, "exec"), names)
    made = names[name]
    assert isinstance(made, types.FunctionType)
    return made


def _text(game: Game, plan: Plan) -> str:
    lines, cells = [], 1 if plan.board is None else plan.board[0] * plan.board[1]
    at = 0
    if plan.players > 1:
        lines.append(f"    mark(out, player * {cells}, {cells})")
        at = plan.players * cells
    for column in plan.columns:
        lines += _column_text(column, at, cells, plan.on_board(column))
        at += column.count * column.width * (1 if plan.on_board(column) else cells)
    return "\n".join(lines or ["    out[0] = 0.0"])


def _column_text(column: Column, at: int, cells: int, on_board: bool) -> list[str]:
    lines, names, index = [], [f"i{depth}" for depth in range(len(column.shape))], "0"
    for depth, size in enumerate(column.shape):
        lines.append("    " * (depth + 1) + f"for i{depth} in range({size}):")
        index = f"({index}) * {size} + i{depth}"
    whose = list(names)
    if column.turned:
        whose[0] = f"(i0 + player) % {column.shape[0]}"
    value = f"state.{column.field}" + (f"[{', '.join(whose)}]" if whose else "")
    if on_board:
        # Every board of the field has its planes one after the other.
        place = f"{at} + (({index}) // {cells}) * {column.width * cells} + ({index}) % {cells}"
        step, copies = cells, 1
    else:
        place, step, copies = f"{at} + ({index}) * {column.width * cells}", cells, cells
    if column.how == ONE_HOT:
        calls = [f"one_hot(out, {place}, {step}, {copies}, {value}, {int(column.low)}, {int(column.high)})"]
    else:
        shown = column.how == SCALED
        calls = [f"scaled(out, {place}, {copies}, {value}, {column.low!r}, {column.high!r})"] * shown
        calls += [f"bits(out, {place} + {step * shown}, {step}, {copies}, {value}, {column.bits})"] * (column.bits > 0)
    return [*lines, *("    " * (len(names) + 1) + call for call in calls)]


def check_plan(game: Game, plan: Plan) -> None:
    """Refuse a plan, read from a file, that does not fit the game's record."""
    fields = dict(_fields(game.dtype))
    for column in plan.columns:
        kind = fields.get(column.field)
        if (
            kind is None
            or tuple(kind.shape) != column.shape
            or column.how not in (ONE_HOT, BITS, SCALED)
            or not column.low < column.high
            or not 0 <= column.bits <= 64
        ):
            raise PlayoutError(
                f"the encoding reads field {column.field!r} of shape {column.shape}, which states of {game.name!r} do not have; it is of "
                "another game, or of other rules"
            )
    if plan.players != game.players:
        raise PlayoutError(
            f"the encoding is for {plan.players} players, and {game.name!r} has {game.players}; it is of another game"
        )
