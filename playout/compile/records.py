"""Records for kernels: room for ids with slack, records that share no cache line, states for uncompiled play."""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.game.record import RecordView, view_class


def slack(most: int) -> int:
    """Room for so many ids: more than twice as much, so that a wrong count is seen before it can do harm."""
    return 2 * most + 64


def apart(count: int, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Zeroed records that share no cache line with anything else.

    The small arrays of two trees would lie side by side, and two threads writing to one line wait for each other.
    """
    line, size = 128, count * dtype.itemsize
    room = np.zeros(size + 2 * line, np.uint8)
    start = -room.ctypes.data % line
    return room[start : start + size].view(dtype)


class Pool:
    """States for uncompiled simulations: reads give views, writes copy the bytes, as record arrays do compiled."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array
        self._views = [view_class(array.dtype)(array[i]) for i in range(len(array))]

    def __getitem__(self, index: int) -> RecordView:
        return self._views[index]

    def __setitem__(self, index: int, value: RecordView) -> None:
        self._array[index] = value._record
