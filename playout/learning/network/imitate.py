"""Imitation: rows for the window out of games that others play, or have played; a network learns from them first, and then by itself.

A teacher plays all seats, each with what its player may see. Where it searches, the policy learns the shares of its visits and the value what
its search thought; else, and from stored games, the action that was played, and how the game ended.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from playout.agents import Seats, ask, recipe, truth, world
from playout.agents.base import Agent
from playout.arena.replay import game_of, states
from playout.arena.store import Store
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import TEACHER_GAMES, TEACHERS, Stream, seed_word
from playout.learning.network.rows import ended, row_dtype, row_of
from playout.planner.decision import Decision

Array = np.ndarray[Any, Any]
GAMES = 500
"""Games of a teacher, where nobody says how many."""
CHUNK = 256
"""Decisions after which training has its turn, at least; in whole games."""


class Teacher:
    """Games that an agent plays against itself, each by a seed of its own."""

    def __init__(self, game: Game, spec: str, games: int | None, seed: int) -> None:
        self.game, self.seed, self.games = game, seed, GAMES if games is None else games
        self.recipe = recipe(spec, game, fit=False)
        if self.recipe.timed:
            raise PlayoutError(
                f"teacher is {self.recipe.name!r}, which decides by the clock: resumed, it would not play the same; give simulations"
            )
        self.name = f"{self.recipe.name}, {self.games:,} games"
        self.recipe.prepare()

    def rows(self, done: int) -> tuple[Array, int]:
        """The rows of some games after so many, and how many games those were; none when all are played."""
        found: list[Array] = []
        first, count = done, 0
        while done < self.games and count < CHUNK:
            own = self._game(done)
            count += len(own)
            found.append(own)
            done += 1
        return (np.concatenate(found) if found else np.zeros(0, row_dtype(self.game))), done - first

    def _game(self, number: int) -> Array:
        game, base = self.game, seed_word(self.seed, TEACHERS, number) >> 2
        agents: list[Agent] = [self.recipe.make(base + player) for player in range(game.players)]
        seats = Seats(agents, Stream(base), peeking=[self.recipe.peeks] * game.players)
        state, rows = game.start(seed_word(self.seed, TEACHER_GAMES, number) >> 2), []
        if seats.remembering:
            seats.begin(state)
        while not state.over:
            mover = state.mover
            seen = seats.shown(mover, partial(world, state), partial(truth, state))
            action, decision = ask(agents[mover], seen)
            if len(state.legal) > 1:
                rows.append(_lesson(game, state, action, decision))
            after = state.after(action)
            if seats.attentive:
                seats.told(state, action, after)
            state = after
        return ended(rows, state.returns, game)


class Stored:
    """Games that an arena has stored."""

    def __init__(self, game: Game, file: str | Path, games: int | None) -> None:
        self.game = game
        with Store(file) as store:
            found = game_of(store.experiment)
            if found.spec != game.spec:
                raise PlayoutError(f"the games in {str(file)!r} are of {found.spec}, not of {game.spec}; give games of this game")
            # A game that was lost by a fault does not tell what its actions are worth.
            self._records = [record for record in store.games() if record.fault < 0][:games]
        if not self._records:
            raise PlayoutError(f"there is no finished game in {str(file)!r} to learn from; play some with playout arena")
        self.games = len(self._records)
        self.name = f"{Path(file).name}, {self.games:,} games"

    def rows(self, done: int) -> tuple[Array, int]:
        """The rows of some games after so many, and how many games those were; none when there are no more."""
        found: list[Array] = []
        first, count = done, 0
        while done < self.games and count < CHUNK:
            record = self._records[done]
            moves = record.column("moves").tolist()
            played = list(zip(states(self.game, record), moves))
            rows = [_lesson(self.game, state, action, None) for state, action in played if len(state.legal) > 1]
            found.append(ended(rows, record.returns, self.game))
            count += len(rows)
            done += 1
        return (np.concatenate(found) if found else np.zeros(0, row_dtype(self.game))), done - first


def _lesson(game: Game, state: State, action: int, decision: Decision | None) -> Array:
    """A row out of what was decided: by the visits of a search, or by the action alone."""
    legal = np.array(sorted(state.legal), np.int64)
    shares, values = (legal == action).astype(np.float64), None
    if decision is not None and decision.simulations:
        visits = {one.action: one.visits for one in decision.actions}
        counts = np.array([visits.get(int(one), 0) for one in legal], np.float64)
        if decision.proven is None and counts.sum() > 0:
            shares = counts / counts.sum()
        if decision.proven is not None:
            values = np.array(decision.proven)
    return row_of(game, state, legal, shares, values, proven=values is not None)
