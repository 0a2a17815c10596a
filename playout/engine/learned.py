"""Leaf evaluation by learned values: how they are kept and found again, and what a new leaf is worth by them.

`playout.learning` makes such values and the search only reads them, so what both kernels must agree on has its home here: the record
of one value, its place in the table, and what tells colliding states apart. `planner.learned` is what Python holds of them.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from playout.compile.holes import (
    ACTIONS,
    MOST_LEGAL,
    PLAYERS,
    as_word,
    canonical,
    cold,
    key,
    legal,
    mover,
    patterns,
    returns,
    where,
    whole,
)
from playout.engine.embedded import value_by_network
from playout.engine.layers import STEP
from playout.engine.layout import BEFORE, CHANCE, NOW, POSITION
from playout.engine.trouble import BAD_ACTION, BAD_PATTERN, TOO_MANY_LEGAL
from playout.game.stream import mix

ENTRY = np.dtype([("key", np.uint64), ("value", np.float32), ("count", np.uint32), ("check", np.uint32)])
"""One value: 20 bytes. `count` is how often it was updated, and 0 marks an empty place.

The one record without padding: a table is promised to take at most 32 bytes a value, and is 64 % full after it has grown."""

TAGS = np.uint32(15)
"""The bits of a check that are no fingerprint: who acted, and whether chance did."""
BY_TABLE, BY_PATTERNS, BY_NETWORK = 1, 2, 3
"""How a search reads learned values (`options.learned`); 0 where there are none."""


class LearnedArrays(NamedTuple):
    """Learned values as kernels read them."""

    table: Any
    """Open addressing over keys, never full; see `place_of`."""
    weights: Any
    """The weight of every pattern."""
    marks: Any
    """A word for every action; see `fingerprint`."""
    layers: Any = np.zeros(1, np.float32)
    """The weights of a network, step after step; see `layers`."""
    steps: Any = np.zeros(1, STEP)
    """What happens to the numbers that go in."""
    seen: Any = np.zeros(1, np.float32)
    """Room for an encoding, in its shape; `flat` is the same as a row."""
    flat: Any = np.zeros(1, np.float32)
    room: Any = np.zeros(1, np.float32)
    """Room to work in: what goes in, what comes out, all between, and whether something was asked."""


NOTHING = LearnedArrays(np.zeros(1, ENTRY), np.zeros(1), np.zeros(1, np.uint64))
"""What kernels get where nothing was learned: they ask the options first, and never look."""


# what kernels and `playout.learning` share


def place_of(table: Any, key: Any, check: Any) -> int:
    """Where the value is, or the empty place where it belongs. Nothing is ever taken out, so the first gap ends the search.

    The place of a key is its scattered upper half times the length, so a table may have any length.
    """
    size = len(table)
    place = whole(((mix(key) >> np.uint64(32)) * np.uint64(size)) >> np.uint64(32))
    while table[place].count != 0 and (table[place].key != key or table[place].check != check):
        place += 1
        if place == size:
            place = 0
    return place


def key_of(options: Any, state: Any) -> Any:
    """What the value of a state is kept under."""
    return as_word(canonical(state)) if options.canonical != 0 else as_word(key(state))


def fingerprint(head: Any, state: Any, work: Any, marks: Any, tag: int) -> Any:
    """28 bits of what else is known of a position, the mover and the legal actions, above the tag.

    A game's key may be a hash, so two states may share it. They are told apart when these bits differ; under symmetry the
    marks of all actions are equal, and only how many are legal counts.
    """
    player = whole(mover(state))
    total = as_word(player + 2) * np.uint64(0x9E3779B97F4A7C15)
    if player >= 0:
        count = whole(legal(state, work.replies))
        if count > MOST_LEGAL:
            head.trouble = TOO_MANY_LEGAL
            count = 0
        for i in range(count):
            if work.replies[i] < 0 or work.replies[i] >= ACTIONS:
                head.trouble = BAD_ACTION
                return np.uint32(0)
            total += marks[work.replies[i]]
    return np.uint32(((mix(total) >> np.uint64(32)) & np.uint64(0xFFFFFFF0)) | as_word(tag))


@cold
def count_patterns(head: Any, weights: int, state: Any, row: Any, player: int) -> int:
    """The patterns of a state, as the player sees them, into `row`; how many. Each is one of the weights."""
    count = whole(patterns(state, player, row))
    if count < 0 or 2 * count > len(row):
        head.trouble = BAD_PATTERN
        return 0
    for i in range(count):
        if row[i] < 0 or row[i] >= weights:
            head.trouble = BAD_PATTERN
            return 0
    return count


@cold
def pattern_value(weights: Any, options: Any, row: Any, count: int) -> float:
    """The sum of the patterns' weights, drawn into the range of the returns where that is known."""
    total = 0.0
    for i in range(count):
        total += weights[row[i]]
    if options.squash == 0:
        return total
    return options.middle + options.half * math.tanh(total)  # type: ignore[no-any-return]


# the leaf


def value_nothing(sim: Any, lane: int) -> bool:
    """Where nothing was learned: every leaf is played out."""
    return False


@where("learned", value_nothing)
@cold
def value_learned(sim: Any, lane: int) -> bool:
    """Value the leaf at the end of the path by what was learned of it, into `work.value`; False where nothing was.

    The leaf is the state behind its last edge, so the value belongs to the mover of that edge, and it counts from the decision on:
    the totals at states[BEFORE] come on top. Behind an edge that drew chance values are of the state before and the action;
    they do not know what was drawn, so such a leaf is played out.
    """
    head, nodes, options, learned = sim.head[0], sim.nodes, sim.options[0], sim.learned
    if options.learned == BY_NETWORK:
        return value_by_network(sim, lane)
    states, work, length = sim.states[lane], sim.work[lane], sim.work[lane].length[0]
    if length < 2:
        return False
    edge = whole(work.path[length - 1])
    if nodes[edge].tags & POSITION != 0:
        edge = whole(work.path[length - 2])
    if edge == 0 or nodes[edge].tags & CHANCE != 0:
        return False
    player, value = whole(nodes[edge].mover), 0.0
    if options.learned == BY_PATTERNS:
        count = count_patterns(head, len(learned.weights), states[NOW], work.shown, player)
        value = pattern_value(learned.weights, options, work.shown, count)
    else:
        check = fingerprint(head, states[NOW], work, learned.marks, player if options.apart != 0 else whole(0))
        place = place_of(learned.table, key_of(options, states[NOW]), check)
        if learned.table[place].count == 0:
            return False
        value = np.float64(learned.table[place].value)
    returns(states[BEFORE], work.total)
    for i in range(PLAYERS):
        work.value[i] = work.total[i] + (value if i == player else -value)
    head.valued += 1
    return True
