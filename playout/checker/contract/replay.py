"""The one kernel of the checker: a random game that leaves every state and every answer behind.

It is bound to a game as the search is, so that the same text runs compiled and uncompiled and the two can be compared.
States lie in the odd places of a pool and guards in the even ones: a write outside a state shows in a guard.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from playout.compile import Binding
from playout.compile.holes import (
    MOST_LEGAL,
    PICK,
    as_word,
    broken,
    canonical,
    evaluate,
    evaluate_as,
    key,
    legal,
    mover,
    pick,
    play,
    playout_action,
    prior,
    returns,
    returns_as,
    safe,
    start,
    whole,
    wins,
)
from playout.compile.records import new_stream, pool, set_word, slack
from playout.game.record import solid
from playout.game.stream import PICKS, below, seed_word

GUARD = 0xA5
ASTRAY = -(1 << 62)
"""In place of what `pick` returned where it has drawn other numbers than it should."""
MOST_STEPS = 512
POOL_BYTES = 1 << 24


class Trace(NamedTuple):
    """What the kernel leaves behind, an entry per state; `listed` and `weights` hold the legal ids one state after the other."""

    movers: Any
    counts: Any
    chosen: Any
    own: Any
    won: Any
    safe: Any
    picked: Any
    words: Any
    keys: Any
    turned: Any
    laws: Any
    results: Any
    values: Any
    paid: Any
    judged: Any
    listed: Any
    weights: Any


def replay(states: Any, trace: Trace, ids: Any, weights: Any, rng: Any, spare: Any, fresh: int) -> int:
    """Play at random from states[1], or from a fresh start; the number of states left behind."""
    if fresh != 0:
        start(states[1], rng)
    steps, used = len(trace.movers), 0
    for i in range(steps):
        state = states[2 * i + 1]
        trace.words[i] = rng.word
        trace.keys[i] = as_word(key(state))
        trace.turned[i] = as_word(canonical(state))
        trace.laws[i] = whole(broken(state))
        returns(state, trace.results[i])
        evaluate(state, trace.values[i])
        for reward in range(trace.paid.shape[1]):
            returns_as(state, reward, trace.paid[i, reward])
            evaluate_as(state, reward, trace.judged[i, reward])
        trace.counts[i] = 0
        trace.movers[i] = mover(state)
        if trace.movers[i] < 0 or i == steps - 1:
            return i + 1
        count = legal(state, ids)
        trace.counts[i] = count
        if count < 1 or count > MOST_LEGAL or used + count > len(trace.listed):
            return i + 1
        prior(state, ids, count, weights)
        for j in range(count):
            trace.listed[used + j] = ids[j]
            trace.weights[used + j] = weights[j]
        used += count
        trace.own[i] = whole(playout_action(state, ids, count, spare))
        won = whole(wins(state, ids))
        trace.won[i] = listing(ids, won)
        trace.safe[i] = listing(ids, whole(safe(state, ids)) if won == 0 else whole(0))
        spare.word, before = rng.word, spare.word
        action = trace.listed[used - count + below(rng, count)]
        trace.chosen[i] = action
        if PICK:
            picked = whole(pick(state, spare))
            trace.picked[i] = picked if spare.word == rng.word else whole(ASTRAY)
        spare.word = before
        states[2 * i + 3] = state
        play(states[2 * i + 3], action, rng)
    return steps


def listing(ids: Any, count: int) -> int:
    """A list of ids as one number."""
    told = whole(count)
    for j in range(min(count, MOST_LEGAL)):
        told = (1_000_003 * told + ids[j]) % 2_147_483_647
    return told


class Player:
    """Plays random games with the kernel, a stretch at a time, in one of the two forms."""

    def __init__(self, binding: Binding) -> None:
        game = self.game = binding.game
        steps = self.steps = max(4, min(MOST_STEPS, POOL_BYTES // (2 * game.dtype.itemsize)))
        self.array = np.zeros(2 * steps + 1, game.dtype)
        self.bytes = self.array.view(np.uint8).reshape(2 * steps + 1, game.dtype.itemsize)
        self.bytes[0::2] = GUARD
        self.gaps = np.flatnonzero(~solid(game.dtype))
        room = slack(game.most_legal)
        listed = max(4096, 4 * game.most_legal)
        self.trace = Trace(
            **{
                name: np.zeros(steps, np.int64) for name in ("movers", "counts", "chosen", "own", "won", "safe", "picked", "laws")
            },
            **{name: np.zeros(steps, np.uint64) for name in ("words", "keys", "turned")},
            **{name: np.zeros((steps, game.players)) for name in ("results", "values")},
            **{name: np.zeros((steps, len(game.rewards), game.players)) for name in ("paid", "judged")},
            listed=np.zeros(listed, np.int64),
            weights=np.zeros(listed),
        )
        self._ids, self._weights = np.zeros(room, np.int64), np.zeros(room)
        self._kernel = binding.kernel(replay)
        self._states = pool(self.array, binding.compiled)
        self._rng, self._spare = new_stream(binding.compiled), new_stream(binding.compiled)
        self._fresh, self.count, self.before = 1, 0, 0

    def begin(self, seed: int) -> None:
        """A new game."""
        set_word(self._rng, seed_word(seed))
        set_word(self._spare, seed_word(seed, PICKS))
        self.bytes[1] = 0
        self._fresh, self.count, self.before = 1, 0, 0

    def go_on(self) -> int:
        """The next stretch; the number of states in it, the first of which is the last of the stretch before."""
        if not self._fresh:
            self.before += self.count - 1
            self.bytes[1] = self.bytes[2 * self.count - 1]
        with np.errstate(over="ignore"):
            self.count = int(
                self._kernel(self._states, self.trace, self._ids, self._weights, self._rng, self._spare, self._fresh)
            )
        self._fresh = 0
        return self.count

    @property
    def states(self) -> np.ndarray[Any, Any]:
        """The states of this stretch."""
        return self.array[1 : 2 * self.count : 2]

    @property
    def over(self) -> bool:
        """Whether the game ended in this stretch."""
        return bool(self.trace.movers[self.count - 1] < 0)

    @property
    def stopped(self) -> bool:
        """Whether `legal` gave a count that cannot be."""
        count = self.trace.counts[self.count - 1]
        return not self.over and self.count < self.steps and not 1 <= count <= self.game.most_legal

    def options(self, i: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The legal ids of the i-th state and their prior weights."""
        counts = self.trace.counts[: i + 1]
        first, last = int(counts[:i].sum()), int(counts.sum())
        return self.trace.listed[first:last], self.trace.weights[first:last]
