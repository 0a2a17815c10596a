"""The arrays that kernels are handed, compiled or not: states, streams, scratch records, and room for what a game writes.

Compiled, a kernel reads records of NumPy arrays. Uncompiled, the same text reads attributes of Python objects, so what it gets must
look the same and wrap its numbers the same; the `compiled` of these functions is that of the binding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from playout.game.record import RecordView, view_class
from playout.game.stream import Stream

Array = np.ndarray[Any, Any]
STREAM = np.dtype([("word", np.uint64)], align=True)
"""A random stream in machine code; uncompiled it is a `Stream`."""


def slack(most: int) -> int:
    """Room for ids where a game may write `most`: twice that, so that a wrong count is seen before it can do harm."""
    return 2 * most + 64


def apart(count: int, dtype: np.dtype[Any]) -> Array:
    """Zeroed records that share no cache line with anything else.

    The small arrays of two trees would lie side by side, and two threads writing to one line wait for each other.
    """
    line, size = 128, count * dtype.itemsize
    room = np.zeros(size + 2 * line, np.uint8)
    start = -room.ctypes.data % line
    return room[start : start + size].view(dtype)


def aligned_records(array: Array) -> Array:
    """Records as a GPU can read them: every field where its size says."""
    if array.dtype.names is None or array.dtype.isalignedstruct:
        return array
    return array.astype(np.dtype([(name, array.dtype[name]) for name in array.dtype.names], align=True))


class Row:
    """One record of `Records`, and the base of the class that every dtype has: a property per field, that of its array."""

    __slots__ = ("_columns", "_index")

    def __init__(self, columns: list[Array], index: Any) -> None:
        self._columns, self._index = columns, index

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)


def _row_field(place: int) -> property:
    def read(self: Row) -> Any:
        return self._columns[place][self._index]

    def write(self: Row, value: Any) -> None:
        self._columns[place][self._index] = value

    return property(read, write)


@cache
def _row_class(dtype: np.dtype[Any]) -> Callable[..., Row]:
    fields = {name: _row_field(place) for place, name in enumerate(dtype.names or ())}
    return type("Row", (Row,), {"__slots__": (), **fields})


class Records(np.ndarray[Any, Any]):
    """An array of records whose fields uncompiled kernels read by attribute: as `np.recarray` does it, in a fifth of the time."""

    _row: Callable[[Any], Row]
    """How to get at a record, once somebody has asked for one."""

    def __getitem__(self, index: Any) -> Any:
        if type(index) is not int and not isinstance(index, np.integer):
            return self.view(np.ndarray)[index] if isinstance(index, str) else super().__getitem__(index)
        try:
            return self._row(index)
        except AttributeError:
            plain = self.view(np.ndarray)
            self._row = partial(_row_class(self.dtype), [plain[name] for name in self.dtype.names or ()])
            return self._row(index)

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(len(self)))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(value, Row):
            for to, by in zip(self[index]._columns, value._columns, strict=True):
                to[index] = by[value._index]
            return
        super().__setitem__(index, value)


class Pool:
    """States for uncompiled kernels: reads give views, writes copy the bytes, as record arrays do compiled."""

    def __init__(self, array: Array) -> None:
        self._array = array
        # Each as all of an array of its own, which is the quickest to read: see `_cell` in `game.record`.
        self._views = [view_class(array.dtype)(array[i : i + 1][0]) for i in range(len(array))]

    def __len__(self) -> int:
        return len(self._views)

    def __getitem__(self, index: int) -> RecordView:
        return self._views[index]

    def __setitem__(self, index: int, value: RecordView) -> None:
        self._array[index] = value._record


def pool(states: Array, compiled: bool) -> Any:
    """An array of states as a kernel takes it."""
    return states if compiled else Pool(states)


def scratch(record: Any, compiled: bool) -> Any:
    """A scratch record as a kernel takes it; the two forms share their fields, but for streams, which are objects uncompiled."""
    if compiled:
        return record
    kinds = record.dtype
    return SimpleNamespace(**{name: Stream() if kinds[name] == STREAM else record[name] for name in kinds.names or ()})


def new_stream(compiled: bool, seed: int = 0) -> Any:
    """A stream as a kernel takes it: `Stream(seed)` in either form."""
    plain = Stream(seed)
    return np.array([(plain.word,)], STREAM)[0] if compiled else plain


def set_word(stream: Any, word: int) -> None:
    """Move a stream, in either form."""
    if isinstance(stream, Stream):
        stream.word = word
    else:
        stream["word"] = word


def word_of(stream: Any) -> int:
    """Where a stream stands, in either form."""
    return int(stream.word if isinstance(stream, Stream) else stream["word"])
