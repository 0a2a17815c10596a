"""A state as plain Python code sees it: a thin view over one NumPy record that counts as machine code does.

NumPy scalars and Numba disagree on narrow integers (int8 100 + 100 is -56 in one and 200 in the other). The view
reads every integer up to 64 bits as a Python int, uint64 as `np.uint64`, floats as Python floats, and wraps on store,
which is what a 64-bit machine does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np

from playout.errors import GameError

MOST_BYTES = 64 * 1024


on_wrap: Callable[[str, np.dtype[Any], int], None] | None = None
"""Told, while somebody listens, of every whole number that did not fit its field: the field, its type, the number."""


@cache
def _store(dtype: np.dtype[Any], name: str) -> Callable[[Any], Any]:
    """How a value is made to fit the field, as a machine store would."""
    if dtype.kind == "b":
        return bool
    if dtype.kind == "f":
        return float
    width = 8 * dtype.itemsize
    half = 1 << (width - 1) if dtype.kind == "i" else 0
    full = (1 << width) - 1

    def wrap(value: Any) -> int:
        number = int(value)
        fits = ((number + half) & full) - half
        if fits != number and on_wrap is not None:
            on_wrap(name, dtype, number)
        return fits

    return wrap


class ArrayView:
    """An array field, read and written like the scalar fields: `state.board[2, 3]`, slices and `len` included."""

    __slots__ = ("_array", "_cell", "_item", "_name", "_plain", "_wrap")

    def __init__(self, array: np.ndarray[Any, Any], name: str = "") -> None:
        self._array, self._name = array, name
        self._plain = array.dtype != np.uint64
        self._wrap = _store(array.dtype, name)
        # The short ways to one number of a row or of a table; everything else, and an index outside, goes the long way.
        self._item = array.item if self._plain and array.ndim == 1 else None
        self._cell = array.item if self._plain and array.ndim > 1 else None

    def __getitem__(self, index: Any) -> Any:
        if self._item is not None and type(index) is int:
            try:
                return self._item(index)
            except IndexError:
                pass
        elif self._cell is not None and type(index) is tuple:
            try:
                return self._cell(*index)
            except (IndexError, TypeError, ValueError):
                pass
        value = self._array[index]
        if isinstance(value, np.ndarray):
            return ArrayView(value, self._name)
        return value.item() if self._plain else value

    def __setitem__(self, index: Any, value: Any) -> None:
        if type(value) is int:
            self._array[index] = self._wrap(value)
            return
        if isinstance(value, ArrayView):
            value = value._array
        self._array[index] = value.astype(self._array.dtype) if isinstance(value, np.ndarray) else self._wrap(value)

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self._array)))

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return np.array(self._array, dtype=dtype)

    def __repr__(self) -> str:
        return repr(self._array)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._array.shape)

    @property
    def size(self) -> int:
        return self._array.size


def copied(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A writable copy of records. NumPy copies them field by field, which for 50 fields takes 50 µs; their bytes go at once."""
    return np.frombuffer(bytearray(array.tobytes()), array.dtype)


def array_of(field: Any) -> Any:
    """The array behind a view; anything else as it is."""
    return field._array if isinstance(field, ArrayView) else field


class _Cell:
    """One number of a record, asked like an array of one element."""

    __slots__ = ("_name", "_record")

    def __init__(self, record: np.void, name: str) -> None:
        self._record, self._name = record, name

    def item(self) -> Any:
        return self._record[self._name].item()

    def __getitem__(self, index: int) -> Any:
        return self._record[self._name]

    def fill(self, value: Any) -> None:
        self._record[self._name] = value


class RecordView:
    """The base of the per-dtype views; `bytes(view)` is everything there is to know."""

    __slots__ = ("_parts", "_record")

    def __init__(self, record: np.void) -> None:
        self._record = record
        self._parts: dict[str, Any] = {}

    def __bytes__(self) -> bytes:
        return self._record.tobytes()

    def __repr__(self) -> str:
        names = field_names(self._record.dtype)
        return "State(" + ", ".join(f"{name}={getattr(self, name)!r}" for name in names) + ")"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the state has no field {name!r}; its fields are {', '.join(field_names(self._record.dtype))}")


def _cell(record: np.void, name: str) -> Any:
    """A field as an array of one element where the record is all of its array, which NumPy reads several times faster."""
    whole = record.base
    if isinstance(whole, np.ndarray) and whole.shape == (1,) and whole.dtype == record.dtype:
        return whole[name]
    return _Cell(record, name)


def _scalar_field(name: str, dtype: np.dtype[Any]) -> property:
    plain, wrap = dtype != np.uint64, _store(dtype, name)

    def read(self: RecordView) -> Any:
        part = self._parts.get(name)
        if part is None:
            part = self._parts[name] = _cell(self._record, name)
        return part.item() if plain else part[0]

    def write(self: RecordView, value: Any) -> None:
        part = self._parts.get(name)
        if part is None:
            part = self._parts[name] = _cell(self._record, name)
        part.fill(wrap(value))

    return property(read, write)


def _part_field(name: str, make: Callable[[Any], Any]) -> property:
    def read(self: RecordView) -> Any:
        part = self._parts.get(name)
        if part is None:
            part = self._parts[name] = make(self._record[name])
        return part

    return property(read)


@cache
def view_class(dtype: np.dtype[Any]) -> type[RecordView]:
    """The view for one record dtype, with a property per field."""
    fields: dict[str, Any] = {"__slots__": ()}
    for name in field_names(dtype):
        kind = dtype[name]
        if kind.subdtype is not None:
            fields[name] = _part_field(name, partial(ArrayView, name=name))
        elif kind.names is not None:
            fields[name] = _part_field(name, view_class(kind))
        else:
            fields[name] = _scalar_field(name, kind)
    return type("State", (RecordView,), fields)


def check_dtype(dtype: Any, game: str) -> np.dtype[Any]:
    """The record dtype that a game declared, or a sentence on what is wrong with it."""
    if not isinstance(dtype, np.dtype) or dtype.names is None:
        raise GameError(
            f"game {game!r}: State is {dtype!r}; a state is one NumPy record, so declare it with named fields: "
            "State = np.dtype([('board', np.int8, 9), ('mover', np.int8)])"
        )
    if dtype.itemsize > MOST_BYTES:
        raise GameError(
            f"game {game!r}: State takes {dtype.itemsize:,} bytes; at most {MOST_BYTES:,} are allowed, "
            "so use narrower integers (np.int8) or keep constant tables outside the state"
        )
    _check_fields(dtype, game, "")
    return aligned(dtype)


GAP = "_gap"
"""How the fields begin that only fill the gaps between others."""


def aligned(declared: Any) -> np.dtype[Any]:
    """The same fields where a GPU can read them: each at a multiple of its own size, the whole padded to 8 bytes.

    Gaps are fields of their own, always 0: else their bytes would be undefined after a copy, and states are compared by bytes.
    """
    dtype: np.dtype[Any] = np.dtype(declared)
    fields: list[Any] = []
    end = gaps = 0
    for name in field_names(dtype):
        kind = aligned(dtype[name]) if dtype[name].names else dtype[name]
        wide = 8 if kind.names else kind.base.itemsize
        if end % wide:
            fields.append((f"{GAP}{gaps}", np.uint8, (-end % wide,)))
            end, gaps = end - end % -wide, gaps + 1
        fields.append((name, kind))
        end += kind.itemsize
    fields += [(f"{GAP}{gaps}", np.uint8, (-end % 8,))] if end % 8 else []
    return np.dtype(fields, align=True)


def field_names(dtype: np.dtype[Any]) -> tuple[str, ...]:
    """The fields that the game declared."""
    return tuple(name for name in dtype.names or () if not name.startswith(GAP))


def solid(dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Which bytes of a record belong to fields that the game declared."""
    mask = np.zeros(dtype.itemsize, bool)
    for name in field_names(dtype):
        kind, offset = dtype.fields[name][:2]  # type: ignore[index]
        mask[offset : offset + kind.itemsize] = solid(kind) if kind.names else True
    return mask


def _check_fields(dtype: np.dtype[Any], game: str, path: str) -> None:
    for name in dtype.names or ():
        field, where = dtype[name].base, path + name
        # A game may take over the record of another, with its gaps.
        if name.startswith(GAP) and (field != np.uint8 or not dtype[name].shape):
            raise GameError(
                f"game {game!r}: State field {where!r} has a name that is kept for gaps between fields; call it something else"
            )
        if field.names is not None:
            if dtype[name].subdtype is not None:
                raise GameError(
                    f"game {game!r}: State field {where!r} is an array of records; give each of its fields an array of its own"
                )
            _check_fields(field, game, where + ".")
        elif field.kind not in "biuf" or field.itemsize > 8 or field == np.float16:
            raise GameError(
                f"game {game!r}: State field {where!r} has type {field}; a state holds only fixed-size numbers "
                "(bool, int8 to int64, uint8 to uint64, float32, float64), so encode it as numbers"
            )
        if field.names is None and not field.isnative:
            raise GameError(f"game {game!r}: State field {where!r} is byte-swapped ({field}); use the native byte order")
