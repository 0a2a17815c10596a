"""What players may know of many states at once: worlds that are drawn for them, and what they can tell apart, as arrays.

Each is what `State.world` and `State.observed` give, in machine code or out of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.compile import bind
from playout.compile.holes import determinize, observe, ticks, whole
from playout.compile.records import new_stream, pool
from playout.game.encoding import movers_of
from playout.game.game import Game
from playout.game.stream import uniform
from playout.planner.abreast import as_words, in_pieces, play_all

Array = np.ndarray[Any, Any]


@ticks
def draw_all(states: Any, players: Any, words: Any, drew: Any, rng: Any) -> None:
    """A world in place of every state, for the eyes of a player; and whether anything had to be drawn for it."""
    for k in range(len(players)):
        rng.word = words[k]
        determinize(states[k], whole(players[k]), rng)
        drew[k] = rng.word != words[k]
        # Chance to come is not that of the true state either: the stream goes on by a word.
        uniform(rng)
        words[k] = rng.word


@ticks
def observe_all(states: Any, players: Any) -> None:
    """What a player sees, in place of every state."""
    for k in range(len(players)):
        observe(states[k], whole(players[k]))


class Shown:
    """Worlds and observations of one game in which something is hidden."""

    def __init__(self, game: Game, compiled: bool) -> None:
        self.game, binding = game, bind(game, compiled)
        self.compiled = binding.compiled
        self._draw, self._observe = binding.kernel(draw_all), binding.kernel(observe_all)
        self._movers, self._play = binding.kernel(movers_of), binding.kernel(play_all)
        self._rng = new_stream(self.compiled)

    def worlds(self, states: Array, players: Array, words: Array) -> tuple[Array, Array]:
        """A world of each state for a player, and where the stream of each stands then."""
        made, words = states.copy(), words.copy()
        self._drawn(made, players, words)
        return made, words

    def all_seen(self, states: Array) -> Array:
        """Where the only player knows everything: drawing a world draws nothing. With others, they may still be in the dark."""
        if self.game.players > 1:
            return np.zeros(len(states), bool)
        drew = self._drawn(states.copy(), np.zeros(len(states), np.int64), np.ones(len(states), np.uint64))
        found: Array = drew == 0
        return found

    def _drawn(self, states: Array, players: Array, words: Array) -> Array:
        drew, compiled = np.zeros(len(states), np.int64), self.compiled

        def draw(states: Array, players: Array, words: Array, drew: Array) -> None:
            self._draw(pool(states, compiled), players, as_words(words, compiled), drew, self._rng)

        in_pieces(draw, (), (states, players, words, drew), ())
        return drew

    def observed(self, states: Array, players: Array) -> Array:
        """The bytes that a player can tell apart, a row for each state."""
        seen = states.copy()
        in_pieces(lambda states, players: self._observe(pool(states, self.compiled), players), (), (seen, players), ())
        return raw(seen)

    def movers(self, states: Array) -> Array:
        """Who is to act in each of the states."""
        found = np.zeros(len(states), np.int64)
        self._movers(pool(states.copy(), self.compiled), found)
        return found

    def after(self, states: Array, actions: Array) -> Array:
        """The states after an action each, whatever chance brings."""
        made, words = states.copy(), np.ones(len(states), np.uint64)
        places, actions = np.arange(len(states)), np.asarray(actions, np.int64)
        in_pieces(self._play, (pool(made, self.compiled),), (places, actions), (as_words(words, self.compiled), self._rng))
        return made


def raw(states: Array) -> Array:
    """The bytes of the states, a row for each."""
    return np.ascontiguousarray(states).view(np.uint8).reshape(len(states), states.dtype.itemsize)


def alike(some: Array, others: Array) -> Array:
    """Which of them have the same bytes."""
    found: Array = (raw(some) == raw(others)).all(axis=1)
    return found
