"""Learned values inside the search: how they are kept and found again, and what a new leaf is worth by them.

`playout.learn` makes such values and the search only reads them, so what both must agree on has its home here: the record of one
value, its place in the table, and what tells colliding states apart.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from playout.errors import PlayoutError
from playout.game import Game
from playout.hooks import (
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
    where_learned,
    whole,
)
from playout.search.layout import BAD_ACTION, BAD_PATTERN, BEFORE, CHANCE, NOW, POSITION, TOO_MANY_LEGAL
from playout.stream import Stream, mix

ENTRY = np.dtype([("key", np.uint64), ("value", np.float32), ("count", np.uint32), ("check", np.uint32)])
"""One value: 20 bytes. `count` is how often it was updated, and 0 marks an empty place."""

BY_TABLE, BY_PATTERNS = 1, 2
"""How a search reads learned values (`options.learned`); 0 where there are none."""

SAMPLED_GAMES, SAMPLED_STEPS = 4, 500


class LearnedArrays(NamedTuple):
    """Learned values as kernels read them."""

    table: Any
    """Open addressing over keys, never full; see `place_of`."""
    weights: Any
    """The weight of every pattern."""
    marks: Any
    """A word for every action; see `fingerprint`."""


NOTHING = LearnedArrays(np.zeros(1, ENTRY), np.zeros(1), np.zeros(1, np.uint64))
"""What kernels get where nothing was learned: they ask the options first, and never look."""


@dataclass(frozen=True, eq=False)
class Learned:
    """What a policy tells a search: its values, and how to read them."""

    name: str
    """The policy's file, or what else it is called."""
    arrays: LearnedArrays
    by_patterns: bool = False
    canonical: bool = False
    """Whether mirrored states share a value."""
    apart: bool = False
    """Whether every player has values of its own."""

    def seen_by(self, compiled: bool) -> LearnedArrays:
        """The arrays; uncompiled, records are read by attribute as compiled ones are."""
        return self.arrays if compiled else self.arrays._replace(table=self.arrays.table.view(np.recarray))

    @property
    def digest(self) -> str:
        """Equal for equal values, wherever they were saved; other values give another search."""
        told = hashlib.sha256(repr((self.by_patterns, self.canonical, self.apart)).encode())
        for array in self.arrays:
            told.update(np.ascontiguousarray(array).tobytes())
        return told.hexdigest()[:24]


class HasLearned(Protocol):
    """A policy, as far as a search needs it: `playout.learn.Policy` is one."""

    @property
    def learned(self) -> Learned:
        """Its values for a search, or a sentence why they cannot serve."""


def learned_of(game: Game, value: HasLearned | str) -> Learned | None:
    """What a policy knows of this game; a file is for those above to open, who know what a policy is."""
    if not value:
        return None
    if isinstance(value, str) or not hasattr(value, "learned"):
        raise PlayoutError(
            f"value is {value!r}, and a search takes the policy itself: from playout.learn import Policy, then "
            "value=Policy.load(file); agents and the command line take the file"
        )
    of = getattr(value, "game", game)
    if of.spec != game.spec:
        raise PlayoutError(f"the policy is of {of.spec}, the search of {game.spec}; learn one for this game")
    return value.learned


def check_zero_sum(game: Game) -> None:
    """Refuse a game where the value for one player does not say what the others get; told from a few random games."""
    if game.players == 1:
        return
    why = f"a learned value is of the player who acted, and {game.name!r}"
    if game.players > 2:
        raise PlayoutError(f"{why} has {game.players} players: nobody knows what the others get; leave value out")
    for seed in range(SAMPLED_GAMES):
        state, stream = game.start(seed), Stream(seed, tree=1)
        for _ in range(SAMPLED_STEPS):
            first, second = state.returns
            if abs(first + second) > 1e-9:
                raise PlayoutError(
                    f"{why} is not zero-sum (returns {first:g} and {second:g}): nobody knows what the other gets; leave value out"
                )
            if state.over:
                break
            state = state.play(state.random(stream))


# what kernels and `playout.learn` share


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


def bad_pattern(game: Game) -> str:
    """What a game did wrong where `count_patterns` found trouble."""
    return (
        f"patterns gave more than the {game.most_patterns} of most_patterns, or an id that is not below "
        f"the {game.pattern_weights} of pattern_weights"
    )


def set_squash(o: Any, game: Game) -> None:
    """The part of the options that `pattern_value` reads."""
    low, high = game.returns_range or (-1.0, 1.0)
    o["squash"] = game.returns_range is not None
    o["middle"], o["half"] = (low + high) / 2, (high - low) / 2


def learned_options(o: Any, game: Game, learned: Learned) -> None:
    """How a search reads learned values, as its kernels are told."""
    o["learned"] = BY_PATTERNS if learned.by_patterns else BY_TABLE
    o["canonical"], o["apart"] = learned.canonical, learned.apart
    set_squash(o, game)


# the leaf


def value_nothing(head: Any, nodes: Any, options: Any, states: Any, work: Any, learned: Any, length: int) -> bool:
    """Where nothing was learned: every leaf is played out."""
    return False


@where_learned(value_nothing)
@cold
def value_learned(head: Any, nodes: Any, options: Any, states: Any, work: Any, learned: Any, length: int) -> bool:
    """Value the leaf at the end of the path by what was learned of it, into `work.value`; False where nothing was.

    The leaf is the state behind its last edge, so the value belongs to the mover of that edge, and it counts from the decision on:
    the totals at states[BEFORE] come on top. Behind an edge that drew chance values are of the state before and the action;
    they do not know what was drawn, so such a leaf is played out.
    """
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
