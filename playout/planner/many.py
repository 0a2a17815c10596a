"""`search_many`: a decision for each of many positions, their trees grown side by side; on a GPU tens of thousands at once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import msgspec
import numpy as np

from playout.compile.devices import Array, device_named
from playout.errors import PlayoutError
from playout.frame import frame
from playout.game.game import Game
from playout.game.load import load
from playout.game.state import State
from playout.planner.choices import BY_ARRAYS, pick_each
from playout.planner.decision import Decision
from playout.planner.forest import Forest, Watch, check_many, movers
from playout.planner.grown import Grown
from playout.planner.learned import HasLearned
from playout.planner.real_root import enough_at, trusted
from playout.planner.search import Search

SIMULATIONS = 1000


class Many:
    """What `search_many` found: for every state the action, and visits and means of all actions, as arrays."""

    def __init__(
        self,
        search: Search,
        value: HasLearned | str | None,
        states: Array,
        seeds: Array,
        simulations: int,
        grown: Grown,
        seconds: float,
        device: str,
    ) -> None:
        self.search, self.game, self.settings, self._value = search, search.game, search.settings, value
        self.states, self.seeds, self.budget = states, seeds, simulations
        self.seconds, self.device = seconds, device
        self._grown = grown
        edges = grown.edges
        if self.game.continuous:
            self._visits, self._scores = edges.visits, edges.scores
            return
        # In order of their ids, as a decision lists them; what is beyond the last stays there.
        order = np.argsort(np.where(edges.actions < 0, np.iinfo(np.int32).max, edges.actions), axis=1, kind="stable")
        self._ids = np.take_along_axis(edges.actions, order, 1)
        self._visits = np.take_along_axis(edges.visits, order, 1)
        self._tags = np.take_along_axis(edges.tags, order, 1)
        self._scores = np.take_along_axis(edges.scores, order[:, :, None], 1)
        self._values = np.take_along_axis(edges.values, order[:, :, None], 1)

    def __len__(self) -> int:
        return len(self.states)

    def __repr__(self) -> str:
        return (
            f"<{len(self):,} searches of {self.game.spec}, {self.budget:,} simulations each, on {self.device}: {self.per_second:,.0f} "
            "simulations a second>"
        )

    @property
    def simulations(self) -> Array:
        """Simulations of every search: fewer than asked for only where the result is proven."""
        found: Array = self._grown.head["simulations"][:, 0]
        return found

    @property
    def per_second(self) -> float:
        """Simulations a second over all, compiling included."""
        return float(self.simulations.sum()) / max(self.seconds, 1e-9)

    @cached_property
    def movers(self) -> Array:
        """Who is to act in every state."""
        return movers(self.search.binding, self.states)

    @cached_property
    def actions(self) -> Array:
        """The action chosen in every state, as a search of its own would choose it: an id, or a row of numbers."""
        if self.game.continuous:
            found: Array = self.tried[np.arange(len(self)), self._chosen]
            return found
        if self.settings.final not in BY_ARRAYS:
            return np.array([self.decision(row).action for row in range(len(self))], np.int64)
        rows, bounds = np.arange(len(self)), self.game.range_of(self.settings.reward)
        visits = np.where(self._ids < 0, -1, self._visits)
        mine = (column[rows, :, self.movers] for column in (self._scores, self._values))
        places = pick_each(self.settings, bounds[1] if bounds else None, visits, self._tags, *mine)
        return self._ids[rows, places].astype(np.int64)  # type: ignore[no-any-return]

    @cached_property
    def visits(self) -> Array:
        """How often every action was tried: a row for each state, a column for each action id, or for each of those `tried`."""
        if self.game.continuous:
            return self._visits  # type: ignore[no-any-return]
        return self._by_id(self._visits, np.zeros((len(self), self.game.actions), np.int32))

    @cached_property
    def means(self) -> Array:
        """The mean return of the mover for the same actions; not a number where one was not tried."""
        rows = np.arange(len(self))
        scores = self._scores[rows, :, self.movers]
        with np.errstate(invalid="ignore", divide="ignore"):
            means: Array = np.where(self._visits > 0, scores / self._visits, np.nan)
        return means if self.game.continuous else self._by_id(means, np.full((len(self), self.game.actions), np.nan))

    @cached_property
    def tried(self) -> Array:
        """The real vectors that were tried, in the order in which they were: a row of them for each state, filled up with what is no number."""
        if not self.game.continuous:
            raise PlayoutError(f"actions of {self.game.name!r} have ids: visits and means have a column for each")
        edges = self._grown.edges
        beyond = np.arange(edges.moves.shape[1])[None, :] >= edges.counts[:, None]
        found: Array = np.where(beyond[:, :, None], np.nan, edges.moves)
        return found

    @cached_property
    def _chosen(self) -> Array:
        """Of every state, which of its actions is chosen, where they are real vectors."""
        found = np.zeros(len(self), np.int64)
        for row in range(len(self)):
            (places,) = np.nonzero(self._visits[row])
            enough = enough_at(self.game, self.settings, self.state(row))
            found[row] = places[trusted(self._visits[row, places], self.means[row, places], enough)]
        return found

    @cached_property
    def values(self) -> Array:
        """What every state is worth to each player: the mean of all its simulations, also where it was proven (`decision` tells)."""
        edges = self._grown.edges
        found: Array = edges.root_scores / np.maximum(1, edges.root_visits)[:, None]
        return found

    def _by_id(self, column: Array, out: Array) -> Array:
        rows, places = np.nonzero(self._ids >= 0)
        out[rows, self._ids[rows, places]] = column[rows, places]
        return out

    def state(self, row: int) -> State:
        """One of the states."""
        return State(self.game, self.states[row : row + 1].copy(), 1)

    def decision(self, row: int) -> Decision:
        """The whole decision about one state: its tree is grown again here, from its own seed, and is the same tree."""
        if not -len(self) <= row < len(self):
            raise PlayoutError(f"there is no search {row}: there are {len(self)}, counted from 0")
        row %= len(self)
        settings = msgspec.structs.replace(self.settings, seed=int(self.seeds[row]))
        return Search(self.game, settings, value=self._value, compiled=self.search.binding.compiled).run(
            self.state(row), simulations=self.budget
        )

    def to_frame(self) -> Any:
        """A table with one row for each state (polars or pandas, whichever is there)."""
        rows = np.arange(len(self))
        chosen = self._chosen if self.game.continuous else self.actions
        columns = {
            "seed": self.seeds,
            "mover": self.movers,
            "action": self.actions,
            "visits": self.visits[rows, chosen],
            "mean": self.means[rows, chosen],
            "simulations": self.simulations,
        }
        return frame({name: column[row].tolist() for name, column in columns.items()} for row in range(len(self)))


def search_many(
    states: Sequence[State] | Array,
    game: Game | str | None = None,
    *,
    simulations: int = SIMULATIONS,
    device: str = "auto",
    seed: int = 0,
    compiled: bool = True,
    watch: Watch | None = None,
    value: HasLearned | str | None = None,
    **settings: Any,
) -> Many:
    """Search many positions of one game side by side: on a GPU where there is one, else on the cores; the numbers are the same.

    `states` are states, or an array of the game's records (then pass `game` too). The search of state number n is the one that
    `playout.search(state, trees=1, seed=seed + n)` would be, tree for tree. Where actions are real vectors, those that were `tried` differ
    from state to state.

    >>> import playout
    >>> start = playout.load("tic-tac-toe").start()
    >>> found = playout.search_many([start, start.play("b2")], simulations=200, device="cpu", seed=1, compiled=False)
    >>> found.visits.shape, int(found.simulations.sum())
    ((2, 9), 400)
    """
    loaded, records = _records(states, game)
    if simulations < 1:
        raise PlayoutError(f"simulations is {simulations}; it must be at least 1")
    search = Search(loaded, value=value, compiled=compiled, **{"trees": 1, **settings, "seed": seed})
    check_many(search, real=True)
    if search.settings.trees != 1:
        raise PlayoutError(
            f"trees={search.settings.trees} is for one position; many positions have one tree each: leave trees out"
        )
    forest = Forest(search, device_named(device, search.settings.threads), real=True)
    over = np.flatnonzero(movers(search.binding, records) < 0)
    if len(over):
        raise PlayoutError(f"state {over[0]} of {len(records)} is over: there is nothing to search; leave it out")
    began = time.perf_counter()
    seeds = seed + np.arange(len(records), dtype=np.int64)
    grown = forest.grow(records, seeds, np.zeros(len(records), np.int64), simulations, watch)
    return Many(search, value, records, seeds, simulations, grown, time.perf_counter() - began, forest.device.name)


def _records(states: Any, game: Game | str | None) -> tuple[Game, Array]:
    """The game, and the states as one array; a sentence where they are not of one game, or one of them is over."""
    if isinstance(states, np.ndarray):
        if game is None:
            raise PlayoutError("states is an array, which does not tell its game; pass game=")
        loaded = load(game)
        if states.dtype != loaded.dtype or states.ndim != 1:
            raise PlayoutError(
                f"states is an array of {states.dtype} with {states.ndim} axes, and the records of {loaded.name!r} are {loaded.dtype}"
            )
        records = states.copy()
    else:
        given = list(states)
        if not given or not all(isinstance(state, State) for state in given):
            raise PlayoutError("states must be one state or more, or an array of the game's records")
        loaded = given[0].game
        if any(state.game is not loaded for state in given):
            raise PlayoutError("states are of several games; search each game by itself")
        records = np.concatenate([state.copy_array() for state in given])
    if not len(records):
        raise PlayoutError("there are no states to search; pass at least one")
    return loaded, records
