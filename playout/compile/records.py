"""The arrays that kernels are handed, compiled or not: states, streams, scratch records, and room for what a game writes.

Compiled, a kernel reads records of NumPy arrays. Uncompiled, the same text reads attributes of Python objects, so what it gets must
look the same and wrap its numbers the same; the `compiled` of these functions is that of the binding.
"""

from __future__ import annotations

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


class Pool:
    """States for uncompiled kernels: reads give views, writes copy the bytes, as record arrays do compiled."""

    def __init__(self, array: Array) -> None:
        self._array = array
        self._views = [view_class(array.dtype)(array[i]) for i in range(len(array))]

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
