"""Self-play: many games side by side, each with a tree of its own, their leaves evaluated in one batch.

A game moves on as soon as its own search is done, so that a batch stays full. What is kept between two generations is every game as it
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
from playout.game.state import State
from playout.game.stream import PICKS, SELF_PLAY_GAMES, SELF_PLAY_LOTS, SELF_PLAY_STARTS, SELF_PLAY_TREES, Stream, seed_word
from playout.learning.network.rows import ended, row_dtype, row_of
from playout.learning.network.searching import Together, kept
from playout.learning.network.settings import NetworkSettings
from playout.planner.waiting import Evaluator, WaitingTree

Array = np.ndarray[Any, Any]
LONGEST = 10_000
"""Decisions after which a game is broken off; its end is then what the search thought of it."""
TREES = 4096
"""Numbers that the trees of one game may have."""
CONCENTRATION = 10.0
"""Of the Dirichlet noise, over the number of actions (Silver et al. 2018: about 10 for every game)."""


class Table:
    """One game that is being played."""

    def __init__(self, number: int, state: State, ply: int, rows: list[Array]) -> None:
        self.number, self.state, self.ply, self.rows = number, state, ply, rows
        self.tree: WaitingTree | None = None


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
        self.tables: list[Table] = []

    def play(self, decisions: int) -> Array:
        """So many decisions, and those that were under way by then; the rows of the games that came to their end."""
        began, goal = time.perf_counter(), self.decided + decisions
        found: list[Array] = []
        while len(self.tables) < self.settings.abreast:
            self.tables.append(self._new())
        searching = [self._search(table, found) for table in self.tables]
        while searching:
            trees = [table.tree for table in searching if table.tree is not None]
            self.together.round(trees)
            left = set()
            for place in self.together.ended(trees):
                self._decide(searching[place])
                if self.decided >= goal:
                    left.add(place)
                else:
                    self._search(searching[place], found)
            if left:
                searching = [table for place, table in enumerate(searching) if place not in left]
        for table in self.tables:
            # Whoever stopped at the end of a game has its rows to hand in.
            self._settle(table, found)
            self._fell(table)
        self.seconds += time.perf_counter() - began
        return np.concatenate(found) if found else np.zeros(0, self.dtype)

    def _new(self) -> Table:
        number = self.begun
        self.begun += 1
        state, ply = self.game.start(seed_word(self.seed, SELF_PLAY_GAMES, number) >> 2), 0
        lots = Stream(self.seed, SELF_PLAY_STARTS, number)
        if lots.uniform() < self.settings.strange:
            ply = 1 + lots.below(self.opening)
            for _ in range(ply):
                after = state if state.over else state.after(state.random(lots))
                # A game that chance has ended begins where there was still something to decide.
                state = state if after.over else after
        return Table(number, state, ply, [])

    def _search(self, table: Table, found: list[Array]) -> Table:
        """Begin a search that has something to do: games that are over make room for new ones, and what is forced is played."""
        self._settle(table, found)
        state = table.state
        if table.tree is None:
            table.tree = self.together.plant(state, seed_word(self.seed, SELF_PLAY_TREES, table.number) >> 2, table.ply % TREES)
        self.together.begin(table.tree)
        if self.settings.root == "puct" and self.settings.noise:
            self._season(table)
        if self.together.done(table.tree):
            # The tree that was kept knew it all.
            self._decide(table)
            return self._search(table, found)
        return table

    def _settle(self, table: Table, found: list[Array]) -> None:
        """Play what is forced, and put a new game in the place of one that is over, until there is something to decide."""
        while True:
            state = table.state
            if state.over or table.ply >= LONGEST:
                found += self._ended(table)
                fresh = self._new()
                table.number, table.state, table.ply, table.rows = fresh.number, fresh.state, fresh.ply, []
                self._fell(table)
            elif len(state.legal) == 1:
                self._move(table, state.legal[0])
            else:
                return

    def _season(self, table: Table) -> None:
        """Noise on the priors of the root, which is expanded first."""
        tree = table.tree
        assert tree is not None
        if not len(tree.edges(0)):
            self.together.round([tree])
        count = len(tree.edges(0))
        lots = np.random.default_rng([seed_word(self.seed, SELF_PLAY_LOTS, table.number), table.ply])
        tree.season(lots.dirichlet(np.full(count, CONCENTRATION / max(1, count))), self.settings.noise)

    def _decide(self, table: Table) -> None:
        """The search of a table has ended: note what is to be learned, and play."""
        tree = table.tree
        assert tree is not None
        self.together.forget(tree)
        lesson = self.together.lesson(tree)
        row = row_of(self.game, table.state, lesson.actions, lesson.shares, lesson.values, proven=lesson.proven)
        table.rows.append(row)
        self.decided += 1
        place = lesson.best
        if table.ply < self.opening:
            place = self._drawn(table, lesson.shares)
        self._move(table, int(lesson.actions[place]))

    def _drawn(self, table: Table, shares: Array) -> int:
        weights = shares ** (1.0 / self.settings.temperature)
        lot = Stream(seed_word(self.seed, SELF_PLAY_LOTS, table.number) >> 2, table.ply).uniform() * weights.sum()
        return min(len(shares) - 1, int(np.searchsorted(np.cumsum(weights), lot, side="right")))

    def _move(self, table: Table, action: int) -> None:
        after = table.state.after(action)
        table.ply += 1
        if table.tree is not None and (after.over or not self.settings.keep or not kept(table.tree, action, after)):
            self._fell(table)
        table.state = after

    def _fell(self, table: Table) -> None:
        if table.tree is not None:
            self.together.fell(table.tree)
        table.tree = None

    def _ended(self, table: Table) -> list[Array]:
        """The rows of a game that is over, with its end."""
        self.finished += table.state.over
        return [ended(table.rows, table.state.returns if table.state.over else None, self.game)]

    # what is kept between generations

    def pack(self) -> bytes:
        """Every game as it stands, as the bytes of a file."""
        tables, buffer = self.tables, io.BytesIO()
        rows = [row for table in tables for row in table.rows]
        np.savez(
            buffer,
            counts=np.array([self.begun, self.finished, self.decided], np.int64),
            games=np.array([[table.number, table.ply, len(table.rows)] for table in tables], np.int64).reshape(-1, 3),
            words=np.array([table.state.word for table in tables], np.uint64),
            states=_raw([table.state.copy_array() for table in tables], self.game.dtype),
            rows=_raw(rows, self.dtype),
        )
        return buffer.getvalue()

    def unpack(self, arrays: Any) -> None:
        """Go on with games that were packed."""
        self.begun, self.finished, self.decided = (int(n) for n in arrays["counts"])
        states, rows = arrays["states"], arrays["rows"]
        if states.shape[1:] != (self.game.dtype.itemsize,) or rows.shape[1:] != (self.dtype.itemsize,):
            raise NotAsWritten("its states are of another game")
        states, rows = states.view(self.game.dtype).reshape(-1), rows.view(self.dtype).reshape(-1)
        at = 0
        self.tables = []
        for (number, ply, count), word, state in zip(arrays["games"].tolist(), arrays["words"], states):
            own = [rows[i : i + 1].copy() for i in range(at, at + count)]
            self.tables.append(Table(number, State(self.game, np.array([state], self.game.dtype), int(word)), ply, own))
            at += count


def _raw(parts: list[Array], dtype: np.dtype[Any]) -> Array:
    """Records as plain bytes, a row each."""
    rows = np.concatenate(parts) if parts else np.zeros(0, dtype)
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
