"""All games side by side: the arena on the cores or on a GPU, move after move, with a tree on the device for every agent of every game.

Which engine plays a game makes no difference to it: game n has the moves that the referee gets from the same agents one game at a time
(`Referee.play`), since trees are grown, moved and kept as `Search` does it, out of the same seeds. What does not fit on the device at
once is played in waves. A game in which something goes wrong is left to the referee, who knows whose fault it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from playout.agents import Recipe
from playout.agents.random_agent import RandomAgent
from playout.agents.rule_agent import RuleAgent
from playout.agents.search_agent import SearchAgent
from playout.arena.referee import Referee, Rules, Sheet
from playout.arena.table import Table
from playout.arena.wave import Wave
from playout.compile import bind
from playout.compile.devices import Array, Device
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.planner.abreast import Abreast
from playout.planner.choices import BY_ARRAYS
from playout.planner.forest import MARGIN, Forest, Plan, roomier
from playout.planner.grove import Grove
from playout.planner.sighted import Sighted

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
            "hidden=pimc grows a tree for every world: use hidden=ismcts": search.settings.hidden == "pimc",
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
        except PlayoutError as error:
            raise cannot(name, str(error)) from None
        self.seeded = recipe.make(1).search.settings.seed == search.settings.seed  # type: ignore[attr-defined]
        self.most = 0
        """The most slots that one of its trees had so far."""
        self._one: Plan | None = None

    def grove(self, plan: Plan, states: Array, seeds: Array) -> Grove:
        """Trees with this room, one for each seed."""
        kind = Sighted if self.forest.game.hidden else Grove
        return kind(self.forest, plan, states, seeds, self.simulations)

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
        quick: bool = False,
    ) -> None:
        """`quick` says that somebody looks at results as they come, and may have enough: waves then grow one after the other."""
        if rules.limit < Rules().limit:
            raise PlayoutError(
                f"limit is {rules.limit:g}, and games that are played side by side have no clock for one decision: leave limit out, or use "
                "--engine local"
            )
        self.quick = quick
        self.kind = kind or Wave
        """What plays a wave, and makes of its games whatever is wanted: records, in the arena."""
        self.fixture, self.game, self.recipes, self.device, self.rules = fixture, game, recipes, device, rules
        self.compiled = compiled and game.compiled
        if game.rejects:
            raise cannot(
                recipes[0].name, f"the worlds of {game.name!r} are found by rejection, one at a time: write a determinize"
            )
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
                grove = player.grove(plan, start, zero)
                if isinstance(grove, Sighted):
                    seen = Abreast(self.game, 1, compiled=self.compiled)
                    seen.states[:] = start
                    grove.settle(zero, start, *seen.look(zero)[::2], zero + 1)
                    grove.told(zero, start, zero + self.referee.table.legal[0], start)
                else:
                    grove.move(zero, zero - 1, start)
                player.forest.ready(grove.columns, grove.kept, plan.longest, 1)

    def games(self, numbers: Sequence[int]) -> Iterator[list[Any]]:
        """Wave after wave; now and then an empty list, so that whoever shows progress can go on doing so."""
        left, first, size = list(numbers), True, FIRST_WAVE
        while left:
            plans = [None if player is None else player.plan for player in self.players]
            if not first:
                size = min(self._size(plans), 2 * size) if self.quick else self._size(plans)
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
