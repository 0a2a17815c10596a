"""Games of one kind side by side: states and streams as arrays, and every step one call for all of them.

    games = Abreast(load("connect-four"), 1000)
    games.start(np.arange(1000), seeds)
    games.look(np.arange(1000)).ids                # the legal actions of each
    games.play(np.arange(1000), actions)

A game here is the one that `Game.start` and `State.after` would play from the same seed, state for state, in machine code or out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from playout.compile import bind
from playout.compile.holes import legal, mover, play, returns, returns_as, start, ticks, whole
from playout.compile.records import new_stream, pool, slack
from playout.errors import GameError
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import below, seed_word

Array = np.ndarray[Any, Any]
TOGETHER = 4096
"""Rows that machine code works on at a time: so few are over at once, or something in the rules never ends."""


@ticks
def start_all(states: Any, places: Any, words: Any, rng: Any) -> None:
    """The first state of the games in some places, which are zeros till then."""
    for k in range(len(places)):
        i = places[k]
        rng.word = words[i]
        start(states[i], rng)
        words[i] = rng.word


@ticks
def look_all(states: Any, places: Any, movers: Any, counts: Any, ids: Any, room: Any) -> None:
    """Who is to act, and what is legal; -1 actions where a game lists more than it says it may."""
    for k in range(len(places)):
        state = states[places[k]]
        movers[k] = whole(mover(state))
        counts[k] = 0
        if movers[k] >= 0:
            count = whole(legal(state, room))
            if count < 1 or count > ids.shape[1]:
                counts[k] = -1
            else:
                counts[k] = count
                for i in range(count):
                    ids[k, i] = room[i]


@ticks
def play_all(states: Any, places: Any, actions: Any, words: Any, rng: Any) -> None:
    """An action in every one of some games; chance comes from the stream of each."""
    for k in range(len(places)):
        i = places[k]
        rng.word = words[i]
        play(states[i], whole(actions[k]), rng)
        words[i] = rng.word


@ticks
def scatter_all(states: Any, places: Any, lots: Any, steps: Any, words: Any, before: Any, room: Any, rng: Any, lot: Any) -> None:
    """So many actions at random in each of some games, drawn from a stream of its own; one that would end a game is taken back."""
    for k in range(len(places)):
        i = places[k]
        state = states[i]
        lot.word = lots[k]
        for _ in range(steps[k]):
            before[0] = state
            rng.word = words[i]
            play(state, whole(room[below(lot, whole(legal(state, room)))]), rng)
            if mover(state) < 0:
                states[i] = before[0]
            else:
                words[i] = rng.word


@ticks
def score_all(states: Any, places: Any, out: Any) -> None:
    """What every player got in each of some games that are over."""
    for k in range(len(places)):
        returns(states[places[k]], out[k])


@ticks
def reward_all(states: Any, places: Any, out: Any) -> None:
    """What every player got under each of the other rewards of the game."""
    for k in range(len(places)):
        for reward in range(len(out[k])):
            returns_as(states[places[k]], whole(reward), out[k, reward])


class Seen(NamedTuple):
    """How games stand: a row for each."""

    movers: Array
    """Who is to act; -1 where a game is over."""
    counts: Array
    """Legal actions."""
    ids: Array
    """The actions, of which the first `counts` are meant."""


class Abreast:
    """So many games of one kind, by their places."""

    def __init__(self, game: Game, count: int, *, compiled: bool = True) -> None:
        binding = bind(game, compiled)
        self.game, self.compiled = game, binding.compiled
        self.states = np.zeros(count, game.dtype)
        self.words = np.ones(count, np.uint64)
        """Where the stream of every game stands."""
        self._kernels = {body: binding.kernel(body) for body in (start_all, look_all, play_all, scatter_all, score_all)}
        if game.rewards:
            self._kernels[reward_all] = binding.kernel(reward_all)
        self._pool = pool(self.states, self.compiled)
        self._room = np.zeros(slack(game.most_legal), np.int64)
        self._before = pool(np.zeros(1, game.dtype), self.compiled)
        self._rng, self._lot = new_stream(self.compiled), new_stream(self.compiled)

    def __len__(self) -> int:
        return len(self.states)

    def start(self, places: Array, seeds: Sequence[int] | Array) -> None:
        """New games in some places, each as `game.start(seed)` begins it."""
        self.states.view(np.uint8).reshape(len(self), -1)[places] = 0
        self.words[places] = np.array([seed_word(int(seed)) for seed in seeds], np.uint64)
        self._call(start_all, (places,), self._words, self._rng)

    def look(self, places: Array) -> Seen:
        """Who is to act in some games, and what is legal."""
        count, game = len(places), self.game
        seen = Seen(np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros((count, game.most_legal), np.int64))
        self._call(look_all, (places, *seen), self._room)
        if (seen.counts < 0).any():
            raise GameError(
                f"game {game.name!r} lists none or more than most_legal = {game.most_legal} actions in a state; run playout check on it"
            )
        return seen

    def play(self, places: Array, actions: Array) -> None:
        """Play one legal action in every one of some games."""
        self._call(play_all, (places, np.asarray(actions, np.int64)), self._words, self._rng)

    def scatter(self, places: Array, lots: Array, steps: Array) -> None:
        """So many actions at random in each of some games, out of the streams that stand at `lots`, though never to their ends."""
        self._call(scatter_all, (places, lots, steps), self._words, self._before, self._room, self._rng, self._lot)

    def returns(self, places: Array) -> Array:
        """What every player got in each of some games that are over."""
        out = np.zeros((len(places), self.game.players))
        self._call(score_all, (places, out))
        return out

    def rewards(self, places: Array) -> Array:
        """The same under every other reward of the game: (places, rewards, players)."""
        out = np.zeros((len(places), len(self.game.rewards), self.game.players))
        if self.game.rewards:
            self._call(reward_all, (places, out))
        return out

    def state(self, place: int) -> State:
        """One of the games as a state."""
        return State(self.game, self.states[place : place + 1].copy(), int(self.words[place]))

    @property
    def _words(self) -> Any:
        return as_words(self.words, self.compiled)

    def _call(self, body: Any, rows: tuple[Any, ...], *rest: Any) -> None:
        places, *columns = rows
        in_pieces(self._kernels[body], (self._pool,), (np.asarray(places, np.int64), *columns), rest)


def in_pieces(kernel: Callable[..., None], before: tuple[Any, ...], rows: tuple[Any, ...], rest: tuple[Any, ...]) -> None:
    """Call a kernel with some arguments, with columns of which each row is one piece of work, and with the rest: a few of the rows at a time."""
    for first in range(0, len(rows[0]), TOGETHER):
        with np.errstate(over="ignore"):
            kernel(*before, *(column[first : first + TOGETHER] for column in rows), *rest)


def as_words(words: Array, compiled: bool) -> Any:
    """Where streams stand, as a kernel takes it: streams of Python count with whole numbers of Python."""
    return words if compiled else _Words(words)


class _Words:
    """Words that are read as whole numbers of Python."""

    def __init__(self, words: Array) -> None:
        self._words = words

    def __getitem__(self, place: Any) -> int:
        return int(self._words[place])

    def __setitem__(self, place: Any, word: int) -> None:
        self._words[place] = word
