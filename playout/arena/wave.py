"""Games that are played at the same time, move after move: what `SideBySide` plays at once.

Where something is hidden, agents are shown the very worlds that the referee would draw for them (`agents.seats`), and never the true states.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.arena.referee import COLUMNS, REFEREE, Sheet, record
from playout.arena.schedule import one_way
from playout.compile.devices import Array
from playout.game.state import State
from playout.game.stream import next_words, seed_word
from playout.planner.abreast import Abreast
from playout.planner.choices import Listed, choose_each, listed
from playout.planner.forest import Plan
from playout.planner.grove import Grove
from playout.planner.shown import Shown
from playout.planner.sighted import Sighted

if TYPE_CHECKING:
    from playout.arena.abreast import Player, SideBySide


class Wave:
    """Games that are played at the same time. Arrays have a row for each of them."""

    asks_always = True
    """Whether an agent is asked, and shown something, even where there is one legal action."""

    def __init__(self, all: SideBySide, numbers: Sequence[int], plans: list[Plan | None]) -> None:
        self.all, self.game, game, count = all, all.game, all.game, len(numbers)
        self.fixtures, sheets, states = all.begun(numbers)
        self.games = Abreast(game, count, compiled=all.compiled)
        self.games.states[:] = np.concatenate([state.copy_array() for state in states])
        self.games.words[:] = np.array([state.word for state in states], np.uint64)
        self.movers, self.counts, self.ids = self.games.look(np.arange(count))
        self.seats = np.array([fixture.seats for fixture in self.fixtures], np.int64)
        self.going = np.ones(count, bool)
        self.short: list[int] = []
        """Numbers of games whose trees had too little room."""
        self.left_alone: list[int] = []
        self._note_openings(sheets)
        self.trees = np.full(self.seats.shape, -1, np.int64)
        """Of every seat its tree in the grove of its agent."""
        self.planted = np.zeros(self.seats.shape, bool)
        self.groves = [
            None if player is None else self._grove(number, player, plans[number]) for number, player in enumerate(all.players)
        ]
        self.asked: dict[tuple[int, int], Any] = {}
        if game.hidden:
            self._hide()

    def _hide(self) -> None:
        """What the referee has where something is hidden: a stream that worlds are drawn from, and who is known to cheat."""
        self.shown = Shown(self.game, self.all.compiled)
        self.lots = np.array([self._lot(fixture) for fixture in self.fixtures], np.uint64)
        self.worlds = self.games.states.copy()
        """What the players to act are shown."""
        self.searching = np.array([player is not None for player in self.all.players])[self.seats]
        self.peeking = np.array([recipe.peeks for recipe in self.all.recipes])[self.seats]

    def _lot(self, fixture: Any) -> int:
        """Where the referee's stream begins in a game."""
        return seed_word(one_way(fixture.deal, REFEREE))

    def _note_openings(self, sheets: list[Sheet]) -> None:
        self.plies = np.array([len(sheet.moves) for sheet in sheets], np.int64)
        room = max(64, 2 * int(self.plies.max(initial=0)))
        self.columns = {name: np.zeros((len(sheets), room), kind) for name, kind in COLUMNS.items()}
        for row, sheet in enumerate(sheets):
            for name in COLUMNS:
                self.columns[name][row, : self.plies[row]] = getattr(sheet, name)

    def _grove(self, number: int, player: Player, plan: Plan | None) -> Grove | None:
        """The trees of one agent, seat by seat: those of one seat decide together, and so should lie together."""
        seats, rows = np.nonzero((self.seats == number).T)
        if not len(rows):
            return None
        self.trees[rows, seats] = np.arange(len(rows))
        own = player.forest.settings.seed
        seeds = [
            own if player.seeded else self.fixtures[row].agent_seed(seat) for row, seat in zip(rows.tolist(), seats.tolist())
        ]
        plan = plan or player.first_plan(self.games.states)
        return player.grove(plan, self.games.states[rows], np.array(seeds, np.int64))

    def play(self) -> Iterator[list[Any]]:
        """All of them to their ends, one action each at a time."""
        if not self.game.hidden:
            self._move(np.arange(len(self.fixtures)), None)
        while self.going.any():
            rows, done = np.flatnonzero(self.going), list[Any]()
            long = rows[self.plies[rows] >= self.all.rules.most_actions]
            done += [self._record(row, "cut", f"not over after {self.all.rules.most_actions:,} actions") for row in long.tolist()]
            self.going[long] = False
            rows, actions = rows[self.going[rows]], np.full(len(self.fixtures), -1, np.int64)
            self._show(rows)
            for number in range(len(self.all.players)):
                mine = rows[self.seats[rows, self.movers[rows]] == number]
                if len(mine):
                    actions[mine] = self._decide(number, mine)
                    yield []
            rows = rows[self.going[rows]]
            before, movers = self.games.states.copy() if self.game.hidden else self.games.states, self.movers.copy()
            self._step(rows, actions[rows])
            over = rows[self.going[rows] & (self.movers[rows] < 0)]
            self.going[over] = False
            if self.game.hidden:
                self._tell(rows[self.going[rows]], before, movers, actions)
            else:
                self._move(rows[self.going[rows]], actions)
            done += [self._record(row, "over", "") for row in over.tolist()]
            yield done + self._alone()

    def _decide(self, number: int, rows: Array) -> Array:
        """What an agent does in these games, each noted; games that it cannot go on with here drop out."""
        began, movers, counts = time.perf_counter(), self.movers[rows], self.counts[rows]
        player, grove = self.all.players[number], self.groves[number]
        done = np.zeros(len(rows), np.int64)
        if player is None or grove is None:
            actions = np.array([self._ask(number, row, seat) for row, seat in zip(rows.tolist(), movers.tolist())], np.int64)
            self._leave(rows[actions < 0])
        else:
            actions, done = self._search(player, grove, rows)
        seconds = (time.perf_counter() - began) / len(rows)
        self._note(rows, moves=actions, movers=movers, choices=np.minimum(counts, 65_535), seconds=seconds, simulations=done)
        return actions

    def _search(self, player: Player, grove: Grove, rows: Array) -> tuple[Array, Array]:
        """What a search chooses in these games, and its simulations."""
        movers, counts, ids = self.movers[rows], self.counts[rows], self.ids[rows]
        trees, wanted = self.trees[rows, movers], np.zeros(grove.count, np.int64)
        asked = np.ones(len(rows), bool) if self.asks_always else counts > 1
        if isinstance(grove, Sighted) and asked.any():
            grove.settle(trees[asked], self.worlds[rows[asked]], movers[asked], ids[asked], counts[asked])
        # Where there is one legal action an agent passes over the decision.
        wanted[trees] = np.where(counts > 1, player.simulations, 0)
        grown, spent, enough = grove.grow(wanted)
        wrong = grown.head["trouble"][trees, 0] != 0
        if isinstance(grove, Sighted):
            wrong |= asked & self._strange(rows, trees, grown.edges, player.forest.settings.decisive)
            asked &= ~wrong
        found = listed(grown.edges, trees[asked], movers[asked], ids[asked], counts[asked])
        actions = ids[:, 0].copy()
        actions[asked] = np.where(counts[asked] > 1, choose_each(self.game, player.forest.settings, found), actions[asked])
        self._said(rows[asked], trees[asked], actions[asked], found, grown.edges)
        short = rows[~enough[trees] & ~wrong]
        self.short += [self.fixtures[row].number for row in short.tolist()]
        self.going[short] = False
        self._leave(rows[wrong])
        return actions, spent[trees]

    def _strange(self, rows: Array, trees: Array, edges: Any, decisive: str) -> Array:
        """Where a tree has other actions than its mover: a world that was drawn for it was none. The referee says so."""
        if decisive != "off":
            # Then nothing is drawn, and some actions are left out below a root.
            return np.zeros(len(rows), bool)
        most, ids = np.arange(self.game.most_legal), self.ids[rows]
        legal, known = most < self.counts[rows][:, None], most < edges.counts[trees][:, None]
        mine = np.sort(np.where(legal, ids, -1), axis=1)
        other: Array = (mine != np.sort(np.where(known, edges.actions[trees], -1), axis=1)).any(axis=1) & known.any(axis=1)
        return other

    def _show(self, rows: Array) -> None:
        """Where something is hidden: a world for everybody who is to act, out of the stream of its game; who cheats gets the truth."""
        if not self.game.hidden:
            return
        rows = rows if self.asks_always else rows[self.counts[rows] > 1]
        states, peeks = self.games.states, self.peeking[rows, self.movers[rows]]
        drawn, told = rows[~peeks], rows[peeks]
        self.worlds[drawn] = self._world(drawn, states, self.movers)
        self.worlds[told], self.lots[told] = states[told], next_words(self.lots[told])

    def _world(self, rows: Array, states: Array, players: Array) -> Array:
        """Worlds of these games for players, out of their streams."""
        found, self.lots[rows] = self.shown.worlds(states[rows], players[rows], self.lots[rows])
        return found

    def _tell(self, rows: Array, before: Array, movers: Array, actions: Array) -> None:
        """Where something is hidden, only the one who acted is told of it, by worlds of its own."""
        rows = rows[self.searching[rows, movers[rows]]]
        then, now = self._world(rows, before, movers), self._world(rows, self.games.states, movers)
        for number, grove in enumerate(self.groves):
            if isinstance(grove, Sighted):
                mine = self.seats[rows, movers[rows]] == number
                trees = self.trees[rows[mine], movers[rows[mine]]]
                grove.told(trees, then[mine], actions[rows[mine]], now[mine])

    def _said(self, rows: Array, trees: Array, actions: Array, found: Listed, edges: Any) -> None:
        """What trees know of the decisions that were just made; for whoever wants to keep it."""

    def _ask(self, number: int, row: int, seat: int) -> int:
        """An agent that does not search, a new one for every game; -1 where something goes wrong in it."""
        if (row, seat) not in self.asked:
            self.asked[row, seat] = self.all.recipes[number].make(self.fixtures[row].agent_seed(seat))
        state = self.games.state(row)
        if self.game.hidden:
            legal = tuple(self.ids[row, : self.counts[row]].tolist())
            state = State(self.game, self.worlds[row : row + 1].copy(), int(self.lots[row]), seat, legal)
        try:
            return int(state.find(self.asked[row, seat].act(state)))
        except Exception:
            return -1

    def _note(self, rows: Array, **columns: Any) -> None:
        """One more entry in the columns of these games."""
        plies = self.plies[rows]
        if plies.max() >= self.columns["moves"].shape[1]:
            self.columns = {name: np.concatenate([c, np.zeros_like(c)], axis=1) for name, c in self.columns.items()}
        for name, values in columns.items():
            self.columns[name][rows, plies] = values
        self.plies[rows] += 1

    def _step(self, rows: Array, actions: Array) -> None:
        """Play an action in each of these games, and look; a mover that cannot be one is the referee's to complain of."""
        if len(rows):
            self.games.play(rows, actions)
            self.movers[rows], self.counts[rows], self.ids[rows] = self.games.look(rows)
            self._leave(rows[self.movers[rows] >= self.game.players])

    def _leave(self, rows: Array) -> None:
        """These games are the referee's."""
        self.left_alone += rows.tolist()
        self.going[rows] = False

    def _move(self, rows: Array, actions: Array | None) -> None:
        """Trees go along with the actions; those of agents who come to their first decision begin."""
        for number, grove in enumerate(self.groves):
            if grove is None:
                continue
            mine = self.seats[rows] == number
            first = mine & ~self.planted[rows] & (np.arange(self.game.players) == self.movers[rows, None])
            at, seats = np.nonzero(first | (mine & self.planted[rows]))
            if len(at):
                played = np.full(len(at), -1, np.int64) if actions is None else np.where(first[at, seats], -1, actions[rows[at]])
                grove.move(self.trees[rows[at], seats], played, self.games.states[rows[at]])
                self.planted[rows[at], seats] = True

    def _alone(self) -> list[Any]:
        """Games in which something went wrong, as the referee plays them."""
        rows, self.left_alone = self.left_alone, []
        return [self.all.referee.play(self.fixtures[row]) for row in rows]

    def _record(self, row: int, ended: str, error: str) -> Any:
        """A game as it is stored."""
        fixture, plies = self.fixtures[row], self.plies[row]
        columns: dict[str, Any] = {name: self.columns[name][row, :plies].tobytes() for name in COLUMNS}
        if not self.columns["simulations"][row, :plies].any():
            columns["simulations"] = b""
        columns["chance"] = bool(int(self.games.words[row]) != seed_word(fixture.deal))
        return record(fixture, self.all.rules, self.games.returns(np.array([row]))[0].tolist(), ended, -1, error, columns)
