"""Imitation: rows for the window out of games that others play, or have played; a network learns from them first, and then by itself.

A teacher plays all seats, each with what its player may see. Where it searches, the policy learns the shares of its visits and the value what
its search thought; else, and from stored games, the action that was played, and how the game ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from playout.agents import Seats, ask_quickly, recipe
from playout.agents.base import Agent
from playout.agents.search_agent import SearchAgent
from playout.arena.replay import game_of, states
from playout.arena.store import Store
from playout.arena.table import Table
from playout.engine.rules import rule_named
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import TEACHER_GAMES, TEACHERS, Stream, seed_word
from playout.learning.network.rows import ended, rewards_of, row_dtype, row_of
from playout.learning.network.taught import Taught, rows_taught
from playout.planner.decision import INTERRUPTED
from playout.planner.improved import chances
from playout.planner.root import Root

Array = np.ndarray[Any, Any]
GAMES = 500
"""Games of a teacher, where nobody says how many."""
CHUNK = 256
"""Decisions after which training has its turn, at least; in whole games."""


class Teacher:
    """Games that an agent plays against itself, each by a seed of its own."""

    def __init__(self, game: Game, spec: str, games: int | None, seed: int, compiled: bool = True) -> None:
        self.game, self.seed, self.games, self.compiled = game, seed, GAMES if games is None else games, compiled
        self.recipe = recipe(spec, game, fit=False)
        if self.recipe.timed:
            raise PlayoutError(
                f"teacher is {self.recipe.name!r}, which decides by the clock: resumed, it would not play the same; give simulations"
            )
        self.name = f"{self.recipe.name}, {self.games:,} games"
        if compiled:
            self.recipe.prepare()
        self.table = Table(game, compiled=compiled)

    def rows(self, done: int) -> tuple[Array, int]:
        """The rows of some games after so many, and how many games those were; none when all are played."""
        found: list[Taught] = []
        first, count = done, 0
        while done < self.games and count < CHUNK:
            found.append(self.play(done))
            count += len(found[-1].shares)
            done += 1
        return rows_taught(self.game, found, self.compiled), done - first

    def deal(self, number: int) -> int:
        """The deal of a game."""
        return seed_word(self.seed, TEACHER_GAMES, number) >> 2

    def base(self, number: int) -> int:
        """What the seeds of the agents in a game are counted from."""
        return seed_word(self.seed, TEACHERS, number) >> 2

    def play(self, number: int, deal: int | None = None, played: Sequence[int] | None = None) -> Taught:
        """One game, and what the teacher says of every decision in it.

        With `played` the actions are those of somebody else, and the teacher only says what it would have done: the states that a pupil gets
        into are those it has to know (DAgger: Ross, Gordon, Bagnell 2011).
        """
        game, table, base = self.game, self.table, self.base(number)
        agents: list[Agent] = [self.recipe.make(base + player) for player in range(game.players)]
        seats = Seats(agents, Stream(base), peeking=[self.recipe.peeks] * game.players)
        found = Taught(self.deal(number) if deal is None else deal, [], [], [], [])
        table.begin(found.seed)
        if seats.remembering:
            seats.begin(table.state)
        while table.mover >= 0:
            mover, legal = table.mover, table.legal
            action = legal[0]
            if len(legal) > 1:
                said = self._asked(agents[mover], seats.shown(mover, table.world, table.truth))
                action = said.action
                found.shares.append(said.shares)
                found.values.append(said.values)
                found.proven.append(said.proven)
            if played is not None:
                action = self._played(found, played, legal)
            found.actions.append(action)
            before = table.state if seats.attentive else None
            table.play(action)
            if before is not None:
                seats.told(before, action, table.state)
        return found

    def _played(self, found: Taught, played: Sequence[int], legal: Sequence[int]) -> int:
        place = len(found.actions)
        if place >= len(played) or played[place] not in legal:
            told = "has no action" if place >= len(played) else f"has {played[place]}, which is not legal,"
            raise PlayoutError(f"the game to be judged {told} at its place {place + 1}: it is of other rules")
        return int(played[place])

    def _asked(self, agent: Agent, state: State) -> Said:
        if isinstance(agent, SearchAgent):
            return _said_by_search(agent, state)
        action = ask_quickly(agent, state)[0]
        return Said(action, (np.sort(state.legal) == action).astype(np.float64), np.full(self.game.players, np.nan), False)


class Said(NamedTuple):
    """What an agent said of a position."""

    action: int
    shares: Array
    """Of the legal actions, in order of their ids."""
    values: Array
    proven: bool


def _said_by_search(agent: SearchAgent, state: State) -> Said:
    """What a search found, read off its trees: the table and the lines of a decision would take a third of the time."""
    choice = agent.choose(state)
    if choice.stopped == INTERRUPTED:
        # The best so far is not what it would have taught.
        raise KeyboardInterrupt
    action = int(choice.action)
    search = agent.search
    trees = [tree for tree in search.trees if tree.visits]
    legal = np.sort(state.legal)
    shares, values = (legal == action).astype(np.float64), np.full(search.game.players, np.nan)
    exact = next((tree for tree in trees if tree.proven), None)
    if exact is not None:
        # What a search is told to go by need not be what the game pays, nor what it proves.
        return (
            Said(action, shares, values, False) if search.settings.reward else Said(action, shares, np.array(exact.result), True)
        )
    if trees:
        root = Root(search.game, search.settings, trees)
        visits = root.counts()[0]
        if visits.sum() > 0 and rule_named(search.settings.at_root).race:
            sums = root.sums()
            shares = chances(visits, sums.scores[:, root.mover], sums.squares, shares > 0)
        elif visits.sum() > 0:
            shares = visits / visits.sum()
        values = np.sum([tree.scores_of(0) for tree in trees], axis=0) / sum(tree.visits for tree in trees)
    return Said(action, shares, np.full_like(values, np.nan) if search.settings.reward else values, False)


class Stored:
    """Games that an arena has stored."""

    def __init__(self, game: Game, file: str | Path, games: int | None) -> None:
        self.game = game
        with Store(file) as store:
            found = game_of(store.experiment)
            if found.spec != game.spec:
                raise PlayoutError(f"the games in {str(file)!r} are of {found.spec}, not of {game.spec}; give games of this game")
            # A game that was lost by a fault, or cut off, does not tell what its actions are worth.
            self._records = [record for record in store.games() if record.ended == "over"][:games]
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
            met = list(states(self.game, record))
            # Nobody chose the actions of a random opening.
            chosen = list(zip(met, moves, strict=False))[record.opening :]
            rows = [_lesson(self.game, state, action) for state, action in chosen if len(state.legal) > 1]
            found.append(ended(rows, record.returns, self.game, rewards_of(met[-1])))
            count += len(rows)
            done += 1
        return (np.concatenate(found) if found else np.zeros(0, row_dtype(self.game))), done - first


def _lesson(game: Game, state: State, action: int) -> Array:
    """A row out of what was played."""
    legal = np.array(sorted(state.legal), np.int64)
    return row_of(game, state, legal, (legal == action).astype(np.float64), None, proven=False)
