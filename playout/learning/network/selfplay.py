"""Self-play: many games side by side, each with a tree of its own, their leaves evaluated in one batch.

A game moves on soon after its own search is done, so that a batch stays full. What is kept between two generations is every game as it
stands and not its tree: the first search of a generation begins anew, whether the run was interrupted or not, and the bits are the same.
"""

from __future__ import annotations

import io
import time
from typing import Any

import numpy as np

from playout.errors import PlayoutError
from playout.files import NotAsWritten
from playout.game.game import Game
from playout.game.stream import (
    PICKS,
    SELF_PLAY_GAMES,
    SELF_PLAY_LOTS,
    SELF_PLAY_STARTS,
    SELF_PLAY_TREES,
    Stream,
    base_word,
    base_words,
    seed_word,
    step_words,
    uniforms,
)
from playout.learning.network.rows import ended, forced_rows, joined, row_dtype, rows_of
from playout.learning.network.searching import Together
from playout.learning.network.settings import NetworkSettings
from playout.learning.network.stand import stand_of
from playout.planner.abreast import Abreast
from playout.planner.waiting import Evaluator

Array = np.ndarray[Any, Any]
LONGEST = 10_000
"""Decisions after which a game is broken off; its end is then what the search thought of it."""
TREES = 4096
"""Numbers that the trees of one game may have."""
FEW = 16
"""Games move on as soon as one in so many has been decided: what that takes is nearly the same for one and for all."""


class SelfPlay:
    """Games that a network plays against itself."""

    def __init__(
        self, game: Game, evaluator: Evaluator, settings: NetworkSettings, seed: int = 0, *, compiled: bool = True
    ) -> None:
        self.game, self.settings, self.seed = game, settings, seed
        self.together = Together(
            game,
            evaluator,
            settings.simulations,
            root=settings.root,
            goal=settings.goal,
            explore=settings.explore,
            compiled=compiled,
            abreast=settings.abreast,
        )
        self.dtype = row_dtype(game)
        self.opening = settings.opening or opening_of(game)
        self.begun = self.finished = self.decided = 0
        """Games begun and finished, and decisions, since the first generation."""
        self.seconds = 0.0
        self.games = Abreast(game, settings.abreast, compiled=compiled)
        self.numbers, self.plies = np.full(settings.abreast, -1, np.int64), np.zeros(settings.abreast, np.int64)
        """By place: which game it is, below 0 where there is none yet, and how many actions were played in it."""
        self.rows: list[list[Array]] = [[] for _ in range(settings.abreast)]
        """By place: what was decided in the game."""
        self._stand, self.note = stand_of(self.together, self.games, settings, seed)
        self._movers = np.zeros(settings.abreast, np.int64)

    def prepare(self) -> None:
        """Have all at hand, so that no clock counts what is compiled."""
        self._stand.prepare()

    def play(self, decisions: int) -> Array:
        """So many decisions, and those that were under way by then; the rows of the games that came to their end."""
        began, goal = time.perf_counter(), self.decided + decisions
        found: list[Array] = []
        every = np.arange(self.settings.abreast)
        self._new(every[self.numbers < 0])
        self._settle(every, found)
        self._search(every)
        going = every
        while len(going):
            done = self._stand.ended(going)
            if done.sum() * FEW >= len(going):
                decided = going[done]
                self._decide(decided)
                before = self.decided - len(decided)
                # Each is asked in its turn whether there have been enough.
                left = np.arange(before + 1, self.decided + 1) >= goal
                again = decided[~left]
                self._settle(again, found)
                self._search(again)
                going = np.setdiff1d(going, decided[left], assume_unique=True)
            else:
                self._stand.round(going[~done])
        # Whoever stopped at the end of a game has its rows to hand in.
        self._settle(every, found)
        self._stand.fell(every)
        self.seconds += time.perf_counter() - began
        return joined(found, self.dtype)

    def _new(self, places: Array) -> None:
        """New games in some places, part of them after actions at random."""
        numbers = self.begun + np.arange(len(places))
        self.begun += len(places)
        self.games.start(places, [seed_word(self.seed, SELF_PLAY_GAMES, number) >> 2 for number in numbers.tolist()])
        steps, lots = np.zeros(len(places), np.int64), np.zeros(len(places), np.uint64)
        for at, number in enumerate(numbers.tolist()):
            stream = Stream(self.seed, SELF_PLAY_STARTS, number)
            if stream.uniform() < self.settings.strange:
                steps[at] = 1 + stream.below(self.opening)
            lots[at] = stream.word
        if len(places):
            strange = self.games.look(places).movers >= 0
            self.games.scatter(places[strange], lots[strange], steps[strange])
        self.numbers[places], self.plies[places] = numbers, steps
        for place in places.tolist():
            self.rows[place] = []

    def _search(self, places: Array) -> None:
        """Begin the searches of games in which there is something to decide."""
        numbers = self.numbers[places]
        seeds = _seeds(self.seed, SELF_PLAY_TREES, numbers)
        self._stand.begin(places, self._movers[places], seeds, self.plies[places] % TREES, numbers)

    def _settle(self, places: Array, found: list[Array]) -> None:
        """Play what is forced, and put new games in the places of those that are over, until there is something to decide."""
        while len(places):
            seen = self.games.look(places)
            self._movers[places] = seen.movers
            over, forced = (seen.movers < 0) | (self.plies[places] >= LONGEST), seen.counts == 1
            self._forced(places[forced & ~over], seen.ids[forced & ~over, 0])
            if over.any():
                found += self._ended(places[over], seen.movers[over] < 0)
                self._stand.fell(places[over])
                self._new(places[over])
            places = places[over | forced]

    def _forced(self, places: Array, actions: Array) -> None:
        """Play what is forced, and note it: a network that never saw such positions would guess when a search asks about them."""
        if len(places):
            self._note(places, forced_rows(self.game, self.games.states[places], self._movers[places], actions))
            self._move(places, actions)

    def _note(self, places: Array, rows: Array) -> None:
        """A row of each game."""
        for at, place in enumerate(places.tolist()):
            self.rows[place].append(rows[at : at + 1])

    def _decide(self, places: Array) -> None:
        """Searches have ended: note what is to be learned, and play."""
        lessons = self._stand.lessons(places)
        self._note(places, rows_of(self.game, self.games.states[places], self._movers[places], lessons))
        self.decided += len(places)
        early = self.plies[places] < self.opening
        chosen = np.where(early, self._drawn(places, lessons.shares, lessons.counts), lessons.best)
        self._move(places, lessons.actions[np.arange(len(places)), chosen])

    def _drawn(self, places: Array, shares: Array, counts: Array) -> Array:
        """An action of each game by its shares."""
        if self.settings.temperature != 1:
            # Powers of small shares would all be 0.
            shares = shares / np.maximum(shares.max(axis=1, keepdims=True), 1e-300)
        weights = np.where(np.arange(shares.shape[1]) < counts[:, None], shares ** (1.0 / self.settings.temperature), 0.0)
        bases = base_words(_seeds(self.seed, SELF_PLAY_LOTS, self.numbers[places]), self.plies[places])
        sums = np.cumsum(weights, axis=1)
        lots = uniforms(step_words(bases, np.zeros(len(places), np.uint64))) * sums[:, -1]
        found: Array = np.minimum(counts - 1, (sums <= lots[:, None]).sum(axis=1))
        return found

    def _move(self, places: Array, actions: Array) -> None:
        if len(places):
            self.games.play(places, actions)
            self.plies[places] += 1
            self._stand.played(places, actions)

    def _ended(self, places: Array, over: Array) -> list[Array]:
        """The rows of games that are over, or too long, with their ends."""
        self.finished += int(over.sum())
        returns = np.zeros((len(places), self.game.players))
        returns[over] = self.games.returns(places[over])
        others = np.full((len(places), len(self.game.rewards), self.game.players), np.nan)
        others[over] = self.games.rewards(places[over])
        return [
            ended(self.rows[place], tuple(returns[at]) if over[at] else None, self.game, others[at])
            for at, place in enumerate(places.tolist())
        ]

    # what is kept between generations

    def pack(self) -> bytes:
        """Every game as it stands, as the bytes of a file."""
        begun, buffer = self.numbers >= 0, io.BytesIO()
        own = [self.rows[place] for place in np.flatnonzero(begun)]
        np.savez(
            buffer,
            counts=np.array([self.begun, self.finished, self.decided], np.int64),
            games=np.stack([self.numbers[begun], self.plies[begun], np.array([len(rows) for rows in own], np.int64)], axis=1),
            words=self.games.words[begun],
            states=_raw([self.games.states[begun]], self.game.dtype),
            rows=_raw([row for rows in own for row in rows], self.dtype),
        )
        return buffer.getvalue()

    def unpack(self, arrays: Any) -> None:
        """Go on with games that were packed."""
        self.begun, self.finished, self.decided = (int(n) for n in arrays["counts"])
        states, rows, games = arrays["states"], arrays["rows"], arrays["games"]
        if states.shape[1:] != (self.game.dtype.itemsize,) or rows.shape[1:] != (self.dtype.itemsize,):
            raise NotAsWritten("its states are of another game")
        if not len(games) == len(states) == len(arrays["words"]) <= len(self.games) or games[:, 2].sum() != len(rows):
            raise NotAsWritten("its games are not as many as it says")
        count = len(games)
        self.games.states[:count] = states.view(self.game.dtype).reshape(-1)
        self.games.words[:count] = arrays["words"]
        self.numbers[:] = -1
        self.numbers[:count], self.plies[:count] = games[:, 0], games[:, 1]
        rows, at = rows.view(self.dtype).reshape(-1), 0
        for place, length in enumerate(games[:, 2].tolist()):
            self.rows[place] = [rows[i : i + 1].copy() for i in range(at, at + length)]
            at += length


def _seeds(seed: int, family: int, numbers: Array) -> Array:
    """`seed_word(seed, family, number) >> 2` for many numbers."""
    found: Array = (step_words(np.uint64(base_word(seed, family)), numbers) >> np.uint64(2)).astype(np.int64)
    return found


def _raw(parts: list[Array], dtype: np.dtype[Any]) -> Array:
    """Records as plain bytes, a row each."""
    rows = joined(parts, dtype)
    return rows.view(np.uint8).reshape(len(rows), dtype.itemsize)


def opening_of(game: Game, games: int = 20) -> int:
    """Half of what a random game takes, at least two decisions."""
    total = 0
    for seed in range(games):
        state, stream, steps = game.start(seed), Stream(seed, PICKS), 0
        while not state.over and steps < LONGEST // 10:
            state = state.after(state.random(stream))
            steps += 1
        total += steps
    return max(2, round(total / games / 2))


def check_game(game: Game) -> None:
    """Refuse what self-play cannot do, before the work."""
    if game.continuous:
        raise PlayoutError(f"{game.name!r} has real-valued actions: what networks learn here are games with action ids")
    if game.rejects:
        raise PlayoutError(
            f"worlds of {game.name!r} are found by rejection, one at a time, and self-play asks for many at once: write a determinize"
        )
