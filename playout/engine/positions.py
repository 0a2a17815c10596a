"""The hash table of positions: transpositions, chance outcomes and observations, each with a slot of its own.

Those of chance and of what was seen belong to an owner, the slot above them; transpositions are anybody's.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np

from playout.compile.holes import as_word, cold, key, where, whole
from playout.engine.layout import ANYWHERE, LINK, NOW, POSITION, PRINTED
from playout.game.stream import mix

FNV_START = 1469598103934665603
FNV_PRIME = 1099511628211
SCATTER = 40503


@cold
def hash_each(raw: Any) -> Any:
    """FNV-1a over the bytes of a state (Fowler, Noll, Vo)."""
    word = np.uint64(FNV_START)
    for i in range(len(raw)):
        word = (word ^ np.uint64(raw[i])) * np.uint64(FNV_PRIME)
    return word


@where("objects", hash_each)
def hash_bytes(raw: Any) -> Any:
    """The same for records that are courses of a game of Python objects: long, and mostly zeros behind the last event."""
    return hash_of(raw.tobytes(), objects=True)


def hash_of(data: bytes, objects: bool = False) -> Any:
    """The same for Python, whose own numbers are fifty times quicker at it than NumPy's."""
    if objects:
        return np.frombuffer(blake2b(data.rstrip(b"\0"), digest_size=8).digest(), np.uint64)[0]
    word = FNV_START
    for byte in data:
        word = ((word ^ byte) * FNV_PRIME) & 0xFFFFFFFFFFFFFFFF
    return np.uint64(word)


def place_of(table: Any, owner: int, hash: Any) -> int:
    """Where the position is, or the empty place where it belongs."""
    size = np.uint64(len(table) - 1)
    place = mix(hash + np.uint64(owner + 2) * np.uint64(FNV_PRIME)) & size
    while table[place].slot != 0 and (table[place].hash != hash or table[place].owner != owner):
        place = (place + np.uint64(1)) & size
    return whole(place)


def remember(table: Any, owner: int, hash: Any, slot: int) -> None:
    """Write a position into the table; there must be room."""
    write(table, place_of(table, owner, hash), owner, hash, slot)


def write(table: Any, place: int, owner: int, hash: Any, slot: int) -> None:
    table[place].hash = hash
    table[place].owner = owner
    table[place].slot = slot


def rehash(entries: Any, table: Any) -> None:
    """Write the entries of a table into a longer one. From Python one by one they took half the time of a search that shares positions."""
    for i in range(len(entries)):
        remember(table, whole(entries[i].owner), entries[i].hash, whole(entries[i].slot))


@cold
def find_position(head: Any, nodes: Any, table: Any, owner: int, hash: Any, otherwise: int) -> int:
    """The slot of a position, made if there is room; `otherwise` when there is none."""
    place = place_of(table, owner, hash)
    if table[place].slot == 0:
        # With hidden information one simulation may meet several new positions, more than there was room kept for.
        if head.used + 1 > len(nodes) or 2 * head.positions + 2 > len(table):
            return otherwise
        slot = whole(head.used)
        head.used += 1
        head.positions += 1
        nodes[slot].tags = POSITION
        nodes[slot].mover = nodes[otherwise].mover
        write(table, place, owner, hash, slot)
    return whole(table[place].slot)


@cold
def look_twice(sim: Any, lane: int, edge: int, found: int) -> None:
    """Now and then, whether the states that lead to one position are equal to the byte; where not, the planner is told, who judges.

    A key may leave out what does not matter, so unequal states are no mistake yet. `prints[0]` holds the edge and the position of a pair
    that nobody has looked at, any other entry the number of a position and half a hash of the state that led to it first.
    """
    prints, place = sim.prints, found // PRINTED
    # Slots of positions may come at equal distances, so what is looked at is scattered.
    if len(prints) < 2 or place == 0 or (found * SCATTER >> 8) % PRINTED != 0:
        return
    word = found << 31 | whole(hash_bytes(sim.raw[lane][NOW]) >> np.uint64(33))
    known = whole(prints[place])
    if known >> 31 != found:
        prints[place] = word
    elif known != word and prints[0] == 0:
        prints[0] = edge << 31 | found


def transposed(sim: Any, lane: int, edge: int) -> int:
    """The position that other edges lead to as well, by the game's `key`."""
    nodes = sim.nodes
    if nodes[edge].tags & LINK == 0 and nodes[edge].count == 0:
        code = as_word(key(sim.states[lane][NOW]))
        found = find_position(sim.head[0], nodes, sim.table, whole(ANYWHERE), code, edge)
        if found != edge:
            look_twice(sim, lane, edge, found)
            nodes[edge].first = found
            nodes[edge].tags |= LINK
    return whole(nodes[edge].first) if nodes[edge].tags & LINK != 0 else edge
