"""What worlds show, value by value, and how two heaps of worlds differ in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

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
CUTS = (1 / 8, 1 / 4, 1 / 2, 3 / 4, 7 / 8)
"""Where a place of a field is cut in two, by the share of worlds that lie below."""
MOST_COPIES = 8
"""Numbers up to this may count copies."""
TELLS = 6
"""Worlds that must show a sign, and lack it, for it to be asked."""
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


class Family(NamedTuple):
    """Signs of one kind in one field, and how many worlds of two heaps show each."""

    name: str
    kind: str
    places: Array
    values: list[Any]
    mine: Array
    right: Array

    def sign(self, number: int) -> Sign:
        return self.name, self.kind, int(self.places[number]), self.values[number]


def families(game: Game, both: Array, first: int) -> Iterator[Family]:
    """All signs in which worlds are not all alike, counted in the first so many of them and in the rest; whole fields at a time, since
    thousands of signs are asked at thousands of steps."""
    for name in field_names(game.dtype):
        if game.dtype[name].names is not None:
            continue
        rows = np.ascontiguousarray(both[name]).reshape(len(both), -1)
        loose = np.flatnonzero((rows != rows[0]).any(0))
        if not len(loose):
            continue
        whole = rows.dtype.kind in "iu"
        yield from _wholes(name, rows, first)
        yield from _values(name, rows, loose, first)
        if whole and rows.dtype.itemsize > 1:
            bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
            wide = np.flatnonzero((bits != bits[0]).any(0))
            size = 8 * rows.dtype.itemsize
            yield _family(name, BIT, wide // size, (wide % size).tolist(), bits[:, wide], first)
        elif whole and rows.shape[1] > 1:
            yield from _there(name, rows, loose, first)
        if whole and rows.shape[1] > 2:
            one, two = rows[:, :-1], rows[:, 1:]
            places = np.array(sorted({*loose.tolist(), *(loose - 1).tolist()} - {-1, rows.shape[1] - 1}), np.int64)
            rises = (two > one) & (one != 0) & (two != 0)
            yield _family(name, RISES, places, [0] * len(places), rises[:, places], first)
        if rows.shape[1] > 2:
            for kind in (SUM, LEANS):
                number = _number(rows, kind)
                middle = float(np.median(number))
                yield _family(name, kind, np.array([-1]), [middle], (number > middle)[:, None], first)


def _family(name: str, kind: str, places: Array, values: list[Any], there: Array, first: int) -> Family:
    """`there`: a row for each world, a column for each sign."""
    return Family(name, kind, places, values, there[:first].sum(0, np.int64), there[first:].sum(0, np.int64))


def _wholes(name: str, rows: Array, first: int) -> Iterator[Family]:
    """A field as a whole, where few different ones come up among the right worlds."""
    texts: dict[bytes, int] = {}
    for row in rows[first:]:
        texts.setdefault(row.tobytes(), 0)
        if len(texts) > MOST_VALUES:
            return
    counted = [Counter(row.tobytes() for row in part) for part in (rows[:first], rows[first:])]
    known = sorted({*counted[0], *counted[1]})
    mine, right = (np.array([count[text] for text in known], np.int64) for count in counted)
    yield Family(name, WHOLE, np.full(len(known), -1), known, mine, right)


def _values(name: str, rows: Array, loose: Array, first: int) -> Iterator[Family]:
    """What is at each place: single values, and whether it is above some, since suits and kinds are mostly ranges of numbers."""
    values, code = np.unique(rows[:, loose], return_inverse=True)
    size, many = len(loose), len(values)
    code = code.reshape(len(rows), size) + many * np.arange(size)
    mine, right = (np.bincount(part.ravel(), minlength=size * many).reshape(size, many) for part in (code[:first], code[first:]))
    total = mine + right
    different = (total > 0).sum(1)
    wanted = np.ones(size, bool) if rows.dtype.kind in "iu" else different <= len(rows) // 8
    at, what = np.nonzero((total > 0) & wanted[:, None])
    yield Family(name, VALUE, loose[at], values[what].tolist(), mine[at, what], right[at, what])
    below = total.cumsum(1)
    cuts = {
        (place, cut)
        for share in CUTS
        for place, cut in enumerate(np.minimum((below < share * len(rows)).sum(1), many - 1).tolist())
        if different[place] > 2 and below[place, cut] < len(rows)
    }
    if cuts:
        at, what = np.array(sorted(cuts)).T
        one, two = mine.cumsum(1)[at, what], right.cumsum(1)[at, what]
        yield Family(name, ABOVE, loose[at], values[what].tolist(), first - one, len(rows) - first - two)


def _there(name: str, rows: Array, loose: Array, first: int) -> Iterator[Family]:
    """Whether a value is anywhere in a field, and whether it is there twice."""
    values = np.unique(rows[:, loose])
    values = values[values != 0]
    if not len(values):
        return
    code = np.minimum(np.searchsorted(values, rows), len(values) - 1)
    hit = values[code] == rows
    code = (code + len(values) * np.arange(len(rows))[:, None])[hit]
    often = np.bincount(code, minlength=len(rows) * len(values)).reshape(len(rows), len(values))
    for kind in (THERE, TWICE):
        yield _family(name, kind, np.full(len(values), -1), values.tolist(), often > (kind == TWICE), first)


def tally(game: Game, mine: Array, right: Array) -> dict[Sign, tuple[int, int]]:
    """Every sign in which the worlds of two heaps are not all alike, and how many of each heap show it."""
    return {
        family.sign(number): (int(family.mine[number]), int(family.right[number]))
        for family in families(game, np.concatenate([mine, right]), len(mine))
        for number in range(len(family.places))
    }


def most_different(game: Game, mine: Array, right: Array) -> tuple[float, Sign] | None:
    """The sign that two heaps differ in most, with the chance of that, corrected for the number of signs; None where they are alike.

    Only those count that could tell the heaps apart: what hardly any world shows, or lacks, cannot, however it falls, and whether that is so
    says nothing of which heap shows it (Tarone 1990). Which are weighed exactly is told by a rough measure, since that takes long.
    """
    of, due = len(mine), len(right)
    known = list(families(game, np.concatenate([mine, right]), of))
    if not known:
        return None
    one, two = (np.concatenate([getattr(family, heap) for family in known]) for heap in ("mine", "right"))
    origin = np.concatenate([np.arange(len(family.places)) for family in known])
    owner = np.repeat(np.arange(len(known)), [len(family.places) for family in known])
    total = one + two
    asked = np.flatnonzero((total >= TELLS) & (total <= of + due - TELLS))
    if not len(asked):
        return None
    share = total[asked] / (of + due)
    rough = np.abs(one[asked] / of - two[asked] / due) / np.sqrt(share * (1 - share))
    likely = asked[np.argsort(-rough, kind="stable")[:CLOSE]]
    weighed = [
        (fisher_chance(int(one[place]), of, int(two[place]), due), known[owner[place]].sign(int(origin[place])))
        for place in likely
    ]
    p, sign = min(weighed, key=lambda entry: (entry[0], repr(entry[1])))
    return min(1.0, p * len(asked)), sign


def copies(game: Game, worlds: Array) -> bool:
    """Whether what is hidden may be several of a kind: a value that comes twice in a field, a row of small numbers that may be counts, or
    bits of which one is only there where another is."""
    for name in field_names(game.dtype):
        if game.dtype[name].names is not None or game.dtype[name].base.kind not in "iu":
            continue
        rows = np.ascontiguousarray(worlds[name]).reshape(len(worlds), -1)
        loose = np.flatnonzero((rows != rows[0]).any(0))
        if len(loose) > 1:
            part = np.sort(rows[:, loose], axis=1)
            if ((part[:, 1:] == part[:, :-1]) & (part[:, 1:] != 0)).any() or 2 <= part.max() <= MOST_COPIES:
                return True
        if len(loose) and rows.dtype.itemsize > 1:
            bits = np.unpackbits(rows[:, loose].view(np.uint8), axis=1).astype(np.int64)
            both = bits.T @ bits
            alone = np.diag(both)
            if ((both == alone) & (alone >= TELLS) & (alone[:, None] >= alone + TELLS)).any():
                return True
    return False


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
