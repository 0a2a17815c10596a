"""Trees that go along with their games: grown at every turn, their roots moved after every action, many games at once.

A `Grove` is a forest whose trees stay where they are, on the cores or on a GPU, from one decision to the next. Each is at every moment the
tree that the search of an agent would have kept (`Search.follow`): the same slots, the same numbers, the same stream. Where something is
hidden, `Sighted` says which of them are kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
import numpy as np

from playout.compile.devices import Array
from playout.compile.records import pool
from playout.engine import layout
from playout.engine.forest import Edges
from playout.engine.rules import rule_named
from playout.engine.shift import Shift, shift, shift_some
from playout.planner.forest import Forest, Plan, Rows
from playout.planner.grown import Grown
from playout.planner.settings import Settings
from playout.planner.shown import raw


class Steps(NamedTuple):
    """Where trees go: the columns of `engine.shift.STEPS`, a row for each that moves."""

    trees: Array
    actions: Array
    states: Array
    raw: Array
    same: Array
    ids: Array
    counts: Array
    plain: Array
    observers: Array


def steps(trees: Array, actions: Array, states: Array, **columns: Array) -> Steps:
    """Steps of trees that know all of the states; or as the columns say."""
    count = len(trees)
    usual = {
        "raw": raw(states),
        "same": np.ones(count, np.int64),
        "ids": np.zeros((count, 1), np.int64),
        **{name: np.zeros(count, np.int64) for name in ("counts", "plain", "observers")},
    }
    return Steps(trees, actions, states, **{**usual, **columns})


class Grove:
    """A tree for each seed, by the settings of a forest, on its device; nothing is in them until `move` says where they begin."""

    def __init__(self, forest: Forest, plan: Plan, states: Array, seeds: Array, simulations: int) -> None:
        self.forest, self.plan, self.count = forest, plan, len(seeds)
        device, settings, roomy = forest.device, forest.settings, roomiest(forest)
        each = rule_named(settings.at_root).race or forest.game.hidden
        numbers = np.zeros(self.count, np.int64)
        self.columns = forest.planted(roomy, plan, states, seeds, numbers, simulations, each)
        self.kept = forest.scratch(roomy, plan, seeds, numbers)
        kinds = [settings] if roomy == settings else [settings, forest.search.all_seen]
        self.kinds = device.put(np.stack([forest.options(kind, simulations) for kind in kinds]))
        self.edges = Edges(*(device.put(column) for column in Grown.nothing(self.count, forest.game).edges))
        self.spare, self.together = self._spare(roomy), min(self.count, device.together)
        self.most = 0
        """The most slots that one of the trees had so far."""

    def _spare(self, roomy: Settings) -> tuple[Any, ...]:
        """What trees are moved through, for as many as move at the same time: the columns of `engine.shift.SPARE`."""
        forest, plan, device = self.forest, self.plan, self.forest.device
        rows = min(self.count, device.together)
        blank = forest.blank(roomy, plan._replace(slots=plan.slots + 1))
        columns: list[Any] = [device.zeros((rows, *column.shape), column.dtype) for column in blank]
        owned = device.zeros((rows, plan.places), layout.TABLE)
        if not forest.binding.compiled:
            columns, owned = [Rows(c) if c.dtype.names else c for c in columns], Rows(owned)
        whole = [device.zeros((rows, plan.slots + 2), np.int32) for _ in range(4)]
        return layout.Tree(*columns), owned, *whole, device.zeros((rows, 2), np.int64)

    @staticmethod
    def bytes_of(forest: Forest, plan: Plan) -> tuple[int, int]:
        """What one tree takes, and what one that is on the move takes besides."""
        own = forest.bytes_of(roomiest(forest), plan)
        edges = sum(column.nbytes for column in Grown.nothing(1, forest.game).edges)
        return own + edges, own + 16 * (plan.slots + 2) + 16 * plan.places

    def move(self, trees: Array, actions: Array, states: Array) -> None:
        """Trees go along with actions that led to these states; with an action below 0 they begin there."""
        self.go(steps(trees, actions, states))

    def go(self, all: Steps) -> Array:
        """Trees take their steps; which of them went on with what they knew."""
        device, count = self.forest.device, len(all.trees)
        each, found = device.rows(self.forest.binding, shift, shift_some), np.zeros(count, bool)
        for first in range(0, count, self.together):
            part = slice(first, first + self.together)
            moves = self.moves(Steps(*(column[part] for column in all)))
            each(self.columns, moves, len(all.trees[part]))
            found[part] = device.get(moves.found) != 0
        return found

    def moves(self, some: Steps) -> Any:
        """What the kernel needs to know of them, on the device."""
        device, compiled = self.forest.device, self.forest.binding.compiled
        kept, kinds = (self.kept, self.kinds) if compiled else (Rows(self.kept), Rows(self.kinds))
        there = device.put(some.states) if compiled else pool(some.states.copy(), False)
        columns = [there if name == "states" else device.put(column) for name, column in some._asdict().items()]
        return Shift(*columns, *self.spare, kinds, device.zeros((len(some.trees),), np.int64), kept)  # type: ignore[call-arg]

    def grow(self, counts: Array) -> tuple[Grown, Array, Array]:
        """Up to so many simulations more of each tree: what the roots know then, how many were done, and which trees had the room for it.

        In rows of `edges` what is beyond the `counts` of actions is left from before, but for `actions`, which are -1 there.
        """
        forest, device = self.forest, self.forest.device
        done = forest.tended(self.columns, self.kept, self.plan.longest, counts)
        forest.read(self.columns, self.edges, self.count)
        head = device.get(self.columns.head if forest.binding.compiled else self.columns.head.array)
        self.most = max(self.most, int(head["used"].max()))
        grown = Grown(head, Edges(*(device.get(column) for column in self.edges)))
        return grown, done, forest.enough(self.plan, grown, done, counts)


def roomiest(forest: Forest) -> Settings:
    """The settings that need all columns which trees of the forest may: a lone player's can prove results when nothing is hidden any more."""
    settings, game = forest.settings, forest.game
    if game.players > 1 or settings.hidden not in layout.SAMPLING:
        return settings
    return msgspec.structs.replace(settings, solver=forest.search.provable)
