"""Trees that go along with their games: grown at every turn, their roots moved after every action, many games at once.

A `Grove` is a forest whose trees stay where they are, on the cores or on a GPU, from one decision to the next. Each is at every moment the
tree that the search of an agent would have kept (`Search.follow`): the same slots, the same numbers, the same stream.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.compile.devices import Array
from playout.compile.records import pool
from playout.engine import layout
from playout.engine.forest import Edges
from playout.engine.rules import rule_named
from playout.engine.shift import Shift, shift, shift_some
from playout.errors import PlayoutError
from playout.planner.forest import Forest, Grown, Plan, Rows


def check_grove(forest: Forest) -> None:
    """Refuse games whose trees cannot be kept here, in a sentence."""
    if forest.game.hidden:
        raise PlayoutError(
            f"something is hidden in {forest.game.name!r}, and its trees follow what each player sees: such games are not played side by "
            "side yet"
        )


class Grove:
    """A tree for each seed, by the settings of a forest, on its device; nothing is in them until `move` says where they begin."""

    def __init__(self, forest: Forest, plan: Plan, states: Array, seeds: Array, simulations: int) -> None:
        check_grove(forest)
        self.forest, self.plan, self.count = forest, plan, len(seeds)
        device, settings = forest.device, forest.settings
        race = rule_named(settings.at_root).race
        numbers = np.zeros(self.count, np.int64)
        self.columns = forest.planted(settings, plan, states, seeds, numbers, simulations, race)
        self.kept = device.zeros((self.count if forest.kept else 1, 1), forest.lanes(plan.longest).work)
        self.edges = Edges(*(device.put(column) for column in Grown.nothing(self.count, forest.game).edges))
        self.spare, self.together = self._spare(), min(self.count, device.together)
        self.most = 0
        """The most slots that one of the trees had so far."""

    def _spare(self) -> Any:
        """What trees are moved through, for as many as move at the same time."""
        forest, plan, device = self.forest, self.plan, self.forest.device
        rows = min(self.count, device.together)
        blank = forest.blank(forest.settings, plan._replace(slots=plan.slots + 1))
        columns: list[Any] = [device.zeros((rows, *column.shape), column.dtype) for column in blank]
        owned = device.zeros((rows, plan.places), layout.TABLE)
        if not forest.binding.compiled:
            columns, owned = [Rows(c) if c.dtype.names else c for c in columns], Rows(owned)
        whole = [device.zeros((rows, plan.slots + 2), np.int32) for _ in range(4)]
        return Shift(*(None,) * 4, layout.Tree(*columns), owned, *whole, device.zeros((rows, 2), np.int64), None)  # type: ignore[call-arg]

    @staticmethod
    def bytes_of(forest: Forest, plan: Plan) -> tuple[int, int]:
        """What one tree takes, and what one that is on the move takes besides."""
        own = forest.bytes_of(forest.settings, plan)
        edges = sum(column.nbytes for column in Grown.nothing(1, forest.game).edges)
        return own + edges, own + 16 * (plan.slots + 2) + 16 * plan.places

    def move(self, trees: Array, actions: Array, states: Array) -> None:
        """Trees go along with actions that led to these states; with an action below 0 they begin there."""
        each = self.forest.device.rows(self.forest.binding, shift, shift_some)
        for first in range(0, len(trees), self.together):
            part = slice(first, first + self.together)
            each(self.columns, self.moves(trees[part], actions[part], states[part]), len(trees[part]))

    def moves(self, trees: Array, actions: Array, states: Array) -> Any:
        """What the kernel needs to know of them, on the device."""
        device, compiled = self.forest.device, self.forest.binding.compiled
        kept = self.kept if compiled else Rows(self.kept)
        there = device.put(states) if compiled else pool(states.copy(), False)
        raw = states.view(np.uint8).reshape(len(states), states.dtype.itemsize)
        return Shift(device.put(trees), device.put(actions), there, device.put(raw), *self.spare[4:11], kept)  # type: ignore[call-arg]

    def grow(self, counts: Array) -> tuple[Grown, Array, Array]:
        """Up to so many simulations more of each tree: what the roots know then, how many were done, and which trees had the room for it.

        In rows of `edges` what is beyond the `counts` of actions is left from before.
        """
        forest, device = self.forest, self.forest.device
        done = forest.tended(self.columns, self.kept, self.plan.longest, counts)
        forest.read(self.columns, self.edges, self.count)
        head = device.get(self.columns.head if forest.binding.compiled else self.columns.head.array)
        self.most = max(self.most, int(head["used"].max()))
        grown = Grown(head, Edges(*(device.get(column) for column in self.edges)))
        return grown, done, forest.enough(self.plan, grown, done, counts)
