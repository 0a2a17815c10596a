"""Bit tricks for bitboards, the same in plain Python and in machine code.

A board of up to 63 squares fits an `int64` field, where ordinary Python integers do; 64 squares want a `uint64` field and
`np.uint64` constants, since a compiler that mixes uint64 with signed integers leaves the integers altogether.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.game.stream import GOLDEN, MASK
from playout.game.stream import mix as scattered


def mix(word: Any, number: Any) -> Any:
    """A word out of a word and a number, scattered over 64 bits: for a game's `key`.

    `mix(square, piece)` is a Zobrist number that needs no table; `word = mix(word, number)` one number after the other is a hash of all of
    them in that order. It is the SplitMix64 step with its finaliser (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
    2014): for one word different numbers give different words. Always a `uint64`, so that machine code and Python agree.

    >>> hex(mix(0, 0)), hex(mix(0, 1)), mix(-1, 2) == mix((1 << 64) - 1, 2)
    ('0xe220a8397b1dcdaf', '0x6e789e6aa1b965f4', True)
    """
    return np.uint64(scattered((int(word) + (int(number) + 1) * GOLDEN) & MASK))


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
