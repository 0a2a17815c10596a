"""Bit tricks for bitboards, the same in plain Python and in machine code.

A board of up to 63 squares fits an `int64` field, where ordinary Python integers do; 64 squares want a `uint64` field and
`np.uint64` constants, since a compiler that mixes uint64 with signed integers leaves the integers altogether.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MASK = (1 << 64) - 1


def popcount(x: Any) -> int:
    """How many bits are set."""
    return (int(x) & MASK).bit_count()


def lowest(x: Any) -> int:
    """The index of the lowest set bit; 64 when there is none."""
    word = int(x) & MASK
    return (word & -word).bit_length() - 1 if word else 64


def pop(x: Any) -> Any:
    """The same word without its lowest set bit: `while x: square = lowest(x); x = pop(x)`."""
    word = int(x) & MASK
    word &= max(0, word - 1)
    if isinstance(x, np.unsignedinteger):
        return type(x)(word)
    return word - (1 << 64) if word >> 63 else word
