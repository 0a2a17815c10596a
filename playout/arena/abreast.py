"""All games side by side: the arena on the cores or on a GPU, move after move, with a tree on the device for every agent of every game.

Which engine plays a game makes no difference to it: game n has the moves that the referee gets from the same agents one game at a time
(`Referee.play`), since trees are grown, moved and kept as `Search` does it, out of the same seeds. What does not fit on the device at
once is played in waves. A game in which something goes wrong is left to the referee, who knows whose fault it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from playout.agents import Recipe
from playout.agents.random_agent import RandomAgent
from playout.agents.rule_agent import RuleAgent
from playout.agents.search_agent import SearchAgent
from playout.arena.referee import COLUMNS, Referee, Rules, Sheet, record
from playout.arena.table import Table
from playout.compile import bind
from playout.compile.devices import Array, Device
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import seed_word
from playout.planner.abreast import Abreast
from playout.planner.choices import BY_ARRAYS, Listed, choose_each, listed
from playout.planner.forest import MARGIN, Forest, Plan, roomier
from playout.planner.grove import Grove, check_grove

Fixtures = Callable[[int], Any]
"""The game of a number: a `Fixture`, or what else has number, deal, seats and the seed of the agent in each."""
FIRST_WAVE = 128
"""Games of the first wave, which shows how much room the others will need."""
MOST_WAVE = 65_536
ROOMY = 4
"""The trees of the first wave have so many times the room of those of one search: what is kept from move to move comes on top."""


class Player:
    """An agent that searches, as all its seats in all games share it: one forest, and the room that its trees need."""

    def __init__(self, agent: SearchAgent, recipe: Recipe, device: Device, compiled: bool) -> None:
        search, budget, name = agent.search, agent.budget, recipe.name
        self.simulations = budget.simulations or 0
        wrong = {
            "it decides by the clock: give it simulations": budget.seconds is not None,
            "its trees share a memory of their own: leave memory out": budget.memory is not None,
            f"it has trees={search.settings.trees}: use trees=1": search.settings.trees != 1,
            f"final={search.settings.final} asks more than visits and means: use final=visits": search.settings.final
            not in BY_ARRAYS,
        }
        for why, found in wrong.items():
            if found:
                raise cannot(name, why)
        if not compiled:
            search.binding = bind(search.game, False, search.binding.features)
        try:
            self.forest = Forest(search, device)
            check_grove(self.forest)
        except PlayoutError as error:
            raise cannot(name, str(error)) from None
        self.seeded = recipe.make(1).search.settings.seed == search.settings.seed  # type: ignore[attr-defined]
        self.most = 0
        """The most slots that one of its trees had so far."""
        self._one: Plan | None = None

    def first_plan(self, states: Array) -> Plan:
        """Ample room, for the few games that come first."""
        if self._one is None:
            self._one = self.forest.plan(self.forest.settings, states, self.simulations)
        return self._one._replace(slots=ROOMY * self._one.slots, places=ROOMY * self._one.places)

    @property
    def plan(self) -> Plan | None:
        """The room for a tree by what is known so far: what was taken, and a quarter more; before anything was, nothing."""
        if self._one is None:
            return None
        more = int(MARGIN * self.most) + 2 * (self.forest.game.most_legal + 2)
        return self._one._replace(slots=max(self._one.slots, more), places=ROOMY * self._one.places)


def cannot(name: str, why: str) -> PlayoutError:
    return PlayoutError(
        f"agent {name!r} cannot play its games side by side, since {why}; or use --engine local, which plays the same games"
    )


class SideBySide:
    """The games of an experiment, as many at a time as the device has room for."""

    def __init__(
        self,
        fixture: Fixtures,
        game: Game,
        recipes: Sequence[Recipe],
        device: Device,
        *,
        rules: Rules,
        compiled: bool = True,
        kind: type[Wave] | None = None,
    ) -> None:
        self.kind = kind or Wave
        """What plays a wave, and makes of its games whatever is wanted: records, in the arena."""
        self.fixture, self.game, self.recipes, self.device, self.rules = fixture, game, recipes, device, rules
        self.compiled = compiled and game.compiled
        self.referee = Referee(game, recipes, rules)
        if not self.compiled:
            self.referee.table = Table(game, compiled=False)
        self.players = [self._player(recipe) for recipe in recipes]
        self.notes: list[str] = []

    def _player(self, recipe: Recipe) -> Player | None:
        """What an agent needs here; None where it is asked in Python, one game after the other."""
        agent = recipe.make(0)
        if isinstance(agent, SearchAgent):
            return Player(agent, recipe, self.device, self.compiled)
        if isinstance(agent, RandomAgent | RuleAgent):
            return None
        raise cannot(recipe.name, "only searches (without a network that is asked outside), random and rule are played there")

    def prepare(self) -> None:
        """Compile all that the games will need, before a clock runs."""
        self.referee.table.begin(0)
        start, zero = self.referee.table.state.copy_array(), np.zeros(1, np.int64)
        for player in self.players:
            if player is not None:
                plan = player.first_plan(start)
                grove = Grove(player.forest, plan, start, zero, player.simulations)
                grove.move(zero, zero - 1, start)
                player.forest.ready(grove.columns, grove.kept, plan.longest, 1)

    def games(self, numbers: Sequence[int]) -> Iterator[list[Any]]:
        """Wave after wave; now and then an empty list, so that whoever shows progress can go on doing so."""
        left, first = list(numbers), True
        while left:
            plans = [None if player is None else player.plan for player in self.players]
            size = FIRST_WAVE if first else self._size(plans)
            yield from self._wave(left[:size], plans)
            left, first = left[size:], False

    def _wave(self, numbers: list[int], plans: list[Plan | None]) -> Iterator[list[Any]]:
        """Some games with this room for trees; those that need more are played again with twice as much."""
        while numbers:
            wave = self._begin(numbers, plans)
            numbers = numbers[len(wave.fixtures) :]
            yield from wave.play()
            for player, grove in zip(self.players, wave.groves):
                if player is not None and grove is not None:
                    player.most = max(player.most, grove.most)
            short, ample = wave.short, [None if grove is None else roomier(grove.plan) for grove in wave.groves]
            # Its trees go before others take their place.
            del wave, grove
            yield from self._wave(short, ample)

    def _begin(self, numbers: list[int], plans: list[Plan | None]) -> Wave:
        """As many of the games as there is room for."""
        size = len(numbers)
        while True:
            try:
                return self.kind(self, numbers[:size], plans)
            except MemoryError:
                if size == 1:
                    raise PlayoutError(
                        f"the device ({self.device.words()}) has no room for the trees of one game; take fewer simulations, or use "
                        "--engine local"
                    ) from None
                size //= 2

    def _size(self, plans: list[Plan | None]) -> int:
        """How many games fit at once."""
        costs = [Grove.bytes_of(p.forest, plan) for p, plan in zip(self.players, plans) if p is not None and plan is not None]
        if not costs:
            return MOST_WAVE
        own, moving, room = max(c[0] for c in costs) * self.game.players, sum(c[1] for c in costs), self.device.room()
        few, many = room // (own + moving * self.game.players), (room - self.device.together * moving) // own
        return max(1, min(MOST_WAVE, max(few, many)))

    def begun(self, numbers: Sequence[int]) -> tuple[list[Any], list[Sheet], list[State]]:
        """The games when the agents take over: fixtures, what was noted of the openings, and where they stand."""
        fixtures, sheets, states = [], [], []
        for number in numbers:
            fixture, sheet = self.fixture(number), Sheet()
            self.referee.open(fixture, sheet)
            fixtures.append(fixture)
            sheets.append(sheet)
            states.append(self.referee.table.state)
        return fixtures, sheets, states


class Wave:
    """Games that are played at the same time. Arrays have a row for each of them."""

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
        return Grove(player.forest, plan, self.games.states[rows], np.array(seeds, np.int64), player.simulations)

    def play(self) -> Iterator[list[Any]]:
        """All of them to their ends, one action each at a time."""
        self._move(np.arange(len(self.fixtures)), None)
        while self.going.any():
            rows, done = np.flatnonzero(self.going), list[Any]()
            long = rows[self.plies[rows] >= self.all.rules.most_actions]
            done += [self._record(row, "cut", f"not over after {self.all.rules.most_actions:,} actions") for row in long.tolist()]
            self.going[long] = False
            rows, actions = rows[self.going[rows]], np.full(len(self.fixtures), -1, np.int64)
            for number in range(len(self.all.players)):
                mine = rows[self.seats[rows, self.movers[rows]] == number]
                if len(mine):
                    actions[mine] = self._decide(number, mine)
                    yield []
            rows = rows[self.going[rows]]
            self._step(rows, actions[rows])
            over = rows[self.going[rows] & (self.movers[rows] < 0)]
            self.going[over] = False
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
            trees, wanted = self.trees[rows, movers], np.zeros(grove.count, np.int64)
            # Where there is one legal action an agent passes over the decision.
            wanted[trees] = np.where(counts > 1, player.simulations, 0)
            grown, spent, enough = grove.grow(wanted)
            done = spent[trees]
            found = listed(grown.edges, trees, movers, self.ids[rows], counts)
            actions = np.where(counts > 1, choose_each(self.game, player.forest.settings, found), self.ids[rows, 0])
            self._said(rows, trees, actions, found, grown.edges)
            wrong = grown.head["trouble"][trees, 0] != 0
            short = rows[~enough[trees] & ~wrong]
            self.short += [self.fixtures[row].number for row in short.tolist()]
            self.going[short] = False
            self._leave(rows[wrong])
        seconds = (time.perf_counter() - began) / len(rows)
        self._note(rows, moves=actions, movers=movers, choices=np.minimum(counts, 65_535), seconds=seconds, simulations=done)
        return actions

    def _said(self, rows: Array, trees: Array, actions: Array, found: Listed, edges: Any) -> None:
        """What trees know of the decisions that were just made; for whoever wants to keep it."""

    def _ask(self, number: int, row: int, seat: int) -> int:
        """An agent that does not search, a new one for every game; -1 where something goes wrong in it."""
        if (row, seat) not in self.asked:
            self.asked[row, seat] = self.all.recipes[number].make(self.fixtures[row].agent_seed(seat))
        state = self.games.state(row)
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
