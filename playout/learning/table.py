"""The table of values: open addressing over 64-bit keys, each with a second word that tells colliding states apart.

`engine.learned.place_of` finds the place of a value; everything here goes through it.
A table may have any length, and it grows by a quarter:
between 64 % and 80 % of the places are taken, which keeps a value at 25 to 31.25 bytes, empty places included.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.compile.holes import whole
from playout.engine.learned import ENTRY, TAGS, place_of

SMALLEST = 1024
MOST_PLACES = 1 << 31


def has_key(table: Any, key: Any, check: Any, gap: int) -> bool:
    """Whether the value of another state has this key; `gap` is the empty place that `place_of` found for a new one.

    Values of one key lie before that gap, and no other gap is between, so going back meets them all. One state may have several,
    which differ in the tag alone: where a player may act twice in a row, it is reached by either, and worth something else to each.
    """
    place = gap
    while True:
        place = place - 1 if place > 0 else len(table) - 1
        if table[place].count == 0:
            return False
        if table[place].key == key and (table[place].check ^ check) > TAGS:
            return True


def put_all(table: Any, entries: Any) -> int:
    """Write entries into a table that has room for them."""
    for i in range(len(entries)):
        if entries[i].count != 0:
            place = place_of(table, entries[i].key, entries[i].check)
            table[place].key = entries[i].key
            table[place].check = entries[i].check
            table[place].value = entries[i].value
            table[place].count = entries[i].count
    return 0


def merge(table: Any, before: Any, after: Any, one_over_n: bool, tally: Any) -> int:
    """Add what one shard learned to the merged table, shard after shard.

    `table` begins as a copy of `before` with room for everything new; `tally` (as long as `table`) counts this round's updates
    of a place by the shards merged so far. With sample means the merged value is the mean over everything that all shards
    saw; with other steps it is the mean of what the shards ended at, weighted by how often each updated it.
    """
    new = 0
    for i in range(len(after)):
        if after[i].count == 0:
            continue
        old = place_of(before, after[i].key, after[i].check)
        had = whole(before[old].count)
        fresh = whole(after[i].count) - had
        if fresh == 0:
            continue
        place = place_of(table, after[i].key, after[i].check)
        if table[place].count == 0:
            table[place].key = after[i].key
            table[place].check = after[i].check
            new += 1
        weight = whole(table[place].count) if one_over_n else whole(tally[place])
        mine = float(after[i].value)
        if one_over_n and had > 0:
            # The mean of this round alone: what is in `before` is in `table` already.
            mine = (float(after[i].value) * (had + fresh) - float(before[old].value) * had) / fresh
        table[place].value = np.float32((float(table[place].value) * weight + mine * fresh) / (weight + fresh))
        table[place].count += np.uint32(fresh)
        tally[place] += fresh
    return new


def room_in(places: int) -> int:
    """How many values a table of so many places takes before it grows."""
    return places * 4 // 5


def places_for(values: int) -> int:
    """The length of a table for so many values: the step of the growing sequence that holds them."""
    places = SMALLEST
    while room_in(places) < values:
        places = places * 5 // 4
    return places


def empty(places: int) -> np.ndarray[Any, Any]:
    """A table without values."""
    return np.zeros(places, ENTRY)


def entries_of(table: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The values in one fixed order, which does not depend on how the table grew."""
    entries = np.asarray(table)[np.asarray(table)["count"] != 0]
    return np.ascontiguousarray(entries[np.lexsort((entries["check"], entries["key"]))])
