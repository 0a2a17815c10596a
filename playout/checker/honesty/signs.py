"""What worlds show, value by value, and how two heaps of worlds differ in it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from playout.checker.contract.findings import value_text
from playout.checker.honesty.numbers import fisher_chance
from playout.game.game import Game
from playout.game.record import field_names

Array = np.ndarray[Any, Any]
Sign = tuple[str, str, int, Any]
"""Something that a world shows: a field, what of it (WHOLE to LEANS), the place in it, and a value."""
NOT = "not "
"""Before the kind of a sign that is missing."""
WHOLE, VALUE, BIT, THERE, TWICE, RISES, ABOVE, SUM, LEANS = (
    "whole",
    "value",
    "bit",
    "there",
    "twice",
    "rises",
    "above",
    "sum",
    "leans",
)
MOST_VALUES = 12
"""A field as a whole counts as a sign where so few different ones come up among the right worlds."""
CLOSE = 4
"""Of the signs that look most different, those that are weighed exactly."""


def show(worlds: Array, sign: Sign) -> Array:
    """Which of some worlds show a sign."""
    name, kind, place, value = sign
    if kind.startswith(NOT):
        return ~show(worlds, missing(sign))
    rows = np.ascontiguousarray(worlds[name]).reshape(len(worlds), -1)
    if kind == WHOLE:
        return np.array([row.tobytes() == value for row in rows], bool)
    if kind == VALUE:
        return np.asarray(rows[:, place] == value)
    if kind == BIT:
        bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little").reshape(len(rows), rows.shape[1], -1)
        return np.asarray(bits[:, place, value] == 1)
    if kind in (THERE, TWICE):
        return np.asarray((rows == value).sum(1) > (kind == TWICE))
    if kind == RISES:
        one, two = rows[:, place].astype(np.int64), rows[:, place + 1].astype(np.int64)
        return np.asarray((two > one) & (one != 0) & (two != 0))
    if kind == ABOVE:
        return np.asarray(rows[:, place] > value)
    return np.asarray(_number(rows, kind) > value)


def missing(sign: Sign) -> Sign:
    """That a sign is not there."""
    name, kind, place, value = sign
    return name, kind.removeprefix(NOT) if kind.startswith(NOT) else NOT + kind, place, value


def _number(rows: Array, kind: str) -> Array:
    """All of a field in one number: its sum, or how it leans to the end."""
    whole = rows.astype(float)
    return np.asarray(whole.sum(1) if kind == SUM else whole @ np.arange(rows.shape[1]))


def shows(worlds: Array, sign: Sign) -> int:
    """How many worlds show a sign."""
    return int(show(worlds, sign).sum())


def known_signs(game: Game, both: Array, right: Array) -> Iterator[Sign]:
    """The signs in which worlds are not all alike."""
    for name in field_names(game.dtype):
        if game.dtype[name].names is not None:
            continue
        rows = np.ascontiguousarray(both[name]).reshape(len(both), -1)
        loose = np.flatnonzero((rows != rows[0]).any(0)).tolist()
        if not loose:
            continue
        if len({row.tobytes() for row in right[name]}) <= MOST_VALUES:
            yield from ((name, WHOLE, -1, text) for text in sorted({row.tobytes() for row in rows}))
        for place in loose:
            values = np.unique(rows[:, place])
            if len(values) <= len(both) // 8 or rows.dtype.kind in "iu":
                yield from ((name, VALUE, place, value) for value in values.tolist())
            if len(values) > 2:
                yield name, ABOVE, place, values[np.searchsorted(values, np.median(rows[:, place]), "right") - 1].item()
        if rows.dtype.kind in "iu" and rows.dtype.itemsize > 1:
            bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little").reshape(len(rows), rows.shape[1], -1)
            yield from ((name, BIT, place, bit) for place, bit in np.argwhere((bits != bits[0]).any(0)).tolist())
        elif rows.dtype.kind in "iu" and rows.shape[1] > 1:
            for value in np.unique(rows[:, loose]).tolist():
                if value != 0:
                    yield name, THERE, -1, value
                    yield name, TWICE, -1, value
        if rows.dtype.kind in "iu" and rows.shape[1] > 2:
            places = sorted({*loose, *(place - 1 for place in loose)} - {-1, rows.shape[1] - 1})
            yield from ((name, RISES, place, 0) for place in places)
        if rows.shape[1] > 2:
            yield from ((name, kind, -1, float(np.median(_number(rows, kind)))) for kind in (SUM, LEANS))


def tally(game: Game, mine: Array, right: Array) -> dict[Sign, tuple[int, int]]:
    """Every sign in which the worlds of two heaps are not all alike, and how many of each heap show it."""
    both, first = np.concatenate([mine, right]), len(mine)
    found = {}
    for sign in known_signs(game, both, right):
        there = show(both, sign)
        found[sign] = int(there[:first].sum()), int(there[first:].sum())
    return found


def most_different(game: Game, mine: Array, right: Array) -> tuple[float, Sign] | None:
    """The sign that two heaps differ in most, with the chance of that, corrected for the number of signs; None where they are alike.

    Which are weighed exactly is told by a rough measure, since that takes long.
    """
    known, of, due = tally(game, mine, right), len(mine), len(right)
    if not known:
        return None

    def rough(sign: Sign) -> float:
        one, two = known[sign]
        both = (one + two) / (of + due)
        return abs(one / of - two / due) / math.sqrt(both * (1 - both) + 1e-12)

    likely = sorted(known, key=lambda sign: (-rough(sign), repr(sign)))[:CLOSE]
    p, _, sign = min((fisher_chance(known[sign][0], of, known[sign][1], due), repr(sign), sign) for sign in likely)
    return min(1.0, p * len(known)), sign


def words(game: Game, sign: Sign) -> str:
    """A sign as a sentence."""
    name, kind, place, value = sign
    if kind.startswith(NOT):
        return words(game, missing(sign)).replace(" is ", " is not ", 1)
    if kind == WHOLE:
        return f"{name} is {value_text(np.frombuffer(value, game.dtype[name].base))}"
    if kind == RISES:
        return f"{_at(game, name, place + 1)} is above {_at(game, name, place)}"
    if kind in (THERE, TWICE):
        return f"{value} is in {name}" + " twice" * (kind == TWICE)
    if kind == BIT:
        return f"bit {value} of {_at(game, name, place)} is set"
    if kind == ABOVE:
        return f"{_at(game, name, place)} is above {value}"
    if kind == VALUE:
        return f"{_at(game, name, place)} is {value}"
    return f"the {'sum' if kind == SUM else 'sum by places'} of {name} is above {value:g}"


def _at(game: Game, name: str, place: int) -> str:
    """A place of a field as one writes it."""
    shape = game.dtype[name].shape
    return f"{name}[{', '.join(str(i) for i in np.unravel_index(place, shape))}]" if shape else name
