"""Worlds by rejection as Python holds them: `determinize = playout.by_rejection`; `engine/consistent.py` has the text."""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.compile import Binding, bind
from playout.compile.records import new_stream, pool, set_word, slack, word_of
from playout.engine.consistent import ACTS, OVER, PLACES, WAITS, Past, Room, rejection
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.lived import Lived, only
from playout.game.state import State
from playout.game.stream import REJECTED, Stream

TRIES, TRIES_UNCOMPILED = 5_000_000, 20_000
"""Courses after which no more are tried: some seconds in either form."""
PIECE = 100_000
"""Courses between two chances to be interrupted."""
WORLDS = 1000
"""Different worlds that one tree goes through, over and over if it has more simulations: each costs many courses."""


class Sampler:
    """Finds worlds of one game."""

    def __init__(self, binding: Binding) -> None:
        game = self.game = binding.game
        self.compiled = binding.compiled
        self._run = binding.kernel(rejection)
        self._array = np.zeros(PLACES, game.dtype)
        self._room = make_room(self._array, self.compiled, game.most_legal)
        self._rng = new_stream(self.compiled)
        self.tried = self.found = 0
        """Courses that were played, and worlds that came of them."""

    def draw(self, state: State, player: int, stream: Stream) -> np.ndarray[Any, Any]:
        """A world of the player, as an array of one record; the stream is moved on."""
        past = self._past(state, player)
        limit = TRIES if self.compiled else TRIES_UNCOMPILED
        tried, found = 0, None
        while found is None and tried < limit:
            piece = min(PIECE, limit - tried)
            found, used = self.attempt(past, stream, piece)
            tried += used
        if found is None:
            raise PlayoutError(self._gave_up(past, player, tried))
        return found

    def attempt(self, past: Past, stream: Stream, tries: int) -> tuple[np.ndarray[Any, Any] | None, int]:
        """A world within so many courses, or None; and how many it took."""
        set_word(self._rng, stream.word)
        with np.errstate(over="ignore"):
            used = int(self._run(past, self._room, self._rng, tries))
        stream.word = word_of(self._rng)
        self.tried += used or tries
        self.found += used > 0
        return (self._array[:1].copy(), used) if used else (None, tries)

    def alike(self) -> bool:
        """Whether two actions of another player looked the same since this was last asked."""
        found = bool(self._room.alike[0])
        self._room.alike[0] = 0
        return found

    def prepare(self) -> None:
        """Have the kernel ready: compiled, or loaded from the cache."""
        nothing = Past(np.zeros(1, np.int64), np.zeros((1, self.game.dtype.itemsize), np.uint8), 0, ACTS, 0, 0)
        self._run(nothing, self._room, self._rng, 0)

    def _past(self, state: State, player: int) -> Past:
        past = None if state.pasts is None else state.pasts[player]
        if past is None:
            raise PlayoutError(
                f"{self.game.name!r} has determinize = playout.by_rejection, which needs what player {player} has lived through, and this "
                "state does not have it: play to it from Game.start (State.replay), or write a determinize of its own"
            )
        end = OVER if state.over else ACTS if state.mover == player else WAITS
        return as_past(past, player, end)

    def _gave_up(self, past: Past, player: int, tried: int) -> str:
        how = "" if self.compiled else " (uncompiled; machine code tries more)"
        return (
            f"{self.game.name!r}: none of {tried:,} courses{how} looks to player {player} like its past of {len(past.marks)} events, so "
            "determinize = playout.by_rejection gives up; write def determinize(state, player, rng), which redraws what observe erases, "
            "or begin with a smaller deal"
        )


def make_room(array: np.ndarray[Any, Any], compiled: bool, most_legal: int, lots: np.ndarray[Any, Any] = np.zeros(1)) -> Room:  # noqa: B008
    """What the kernels work in."""
    raw = array.view(np.uint8).reshape(len(array), array.dtype.itemsize)
    return Room(pool(array, compiled), raw, np.zeros(slack(most_legal), np.int64), np.zeros(3, np.int64), lots)


def as_past(past: Lived, player: int, end: int, *, random: int = 0, counted: bool = False) -> Past:
    """What a player has lived through as the kernel takes it; see `Past` for the words. `counted`: as many actions as there were."""
    size = len(past.seen)
    marks, views = np.full(len(past.events), -1, np.int64), np.zeros((len(past.events), size), np.uint8)
    for i, event in enumerate(past.events):
        if isinstance(event, bytes):
            views[i] = np.frombuffer(event, np.uint8)
        else:
            marks[i] = event
    return Past(marks, views, player, end, past.steps if counted else -1, int(random))


def sampler(game: Game, binding: Binding | None = None) -> Sampler:
    """The sampler of a game: compiled once somebody has the game compiled, for the two give the same worlds."""
    known: Sampler | None = game.sampler
    if known is None or (binding is not None and binding.compiled and not known.compiled):
        known = game.sampler = Sampler(bind(game, False) if binding is None else binding)
    return known


class Roots:
    """The worlds that the simulations of one tree start from, found when they are first wanted."""

    def __init__(self, binding: Binding, seed: int, tree: int) -> None:
        self._sampler, self._seed, self._tree = Sampler(binding), seed, tree
        self._state: State | None = None
        self._worlds: list[Any] = []
        self._began = 0

    def prepare(self) -> None:
        """Compile, before a clock runs."""
        self._sampler.prepare()

    def of(self, state: State, player: int, simulation: int) -> Any:
        """The record that a simulation starts from."""
        if state is not self._state:
            self._state, self._worlds, self._began = state, [], simulation
        place = (simulation - self._began) % WORLDS
        if place == len(self._worlds):
            self._worlds.append(self._sampler.draw(state, player, Stream(self._seed, self._tree, REJECTED + simulation))[0])
        return self._worlds[place]


def world(state: State, player: int, stream: Stream) -> State:
    """`State.world` for a game whose worlds are found by rejection."""
    array = sampler(state.game).draw(state, player, stream)
    stream.next()
    found = State(state.game, array, stream.word)
    assert state.pasts is not None
    found.pasts = only(state.pasts, player)
    return found
