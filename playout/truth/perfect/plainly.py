"""All positions of a game whose rules do not compile, such as one of Python objects: the arrays of `positions`, filled by plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import MASK
from playout.game.tape import plays, starts

Array = np.ndarray[Any, Any]


class Plainly:
    """Positions by their keys, in the order in which the kernels find them, edges and outcomes as they have them."""

    def __init__(self, game: Game, symmetric: bool) -> None:
        self.game = game
        self._key = game.functions["canonical" if symmetric else "key"]
        self._numbers: dict[int, int] = {}
        self.states: list[State] = []
        self._first: list[int] = []
        self._actions, self._ways = [-1], [0]
        self._targets: list[int] = []
        self._chances: list[float] = []

    def run(self) -> Iterator[tuple[int, int]]:
        """Find them all; says after each how many positions and outcomes there are, for whoever sets a limit."""
        self._edge(starts(self.game))
        for state in self.states:  # which grows on the way
            self._first.append(len(self._actions))
            for action in () if state.over else state.legal:
                self._actions.append(action)
                self._edge(plays(state, action))
            yield len(self.states), len(self._targets)
        self._first.append(len(self._actions))

    def _edge(self, outcomes: Iterator[tuple[float, State]]) -> None:
        for chance, state in outcomes:
            name = int(self._key(state.fields)) & MASK
            number = self._numbers.setdefault(name, len(self.states))
            if number == len(self.states):
                self.states.append(state)
            self._targets.append(number)
            self._chances.append(chance)
        self._ways.append(len(self._targets))

    def columns(self) -> dict[str, Array]:
        """What was found, by the names that the kernels' columns have."""
        final = [state.returns if state.over else (0.0,) * self.game.players for state in self.states]
        return {
            "nodes": np.concatenate([state.copy_array() for state in self.states]),
            "movers": np.array([-1 if state.over else state.mover for state in self.states], np.int8),
            "keys": np.array(list(self._numbers), np.uint64),
            "finals": np.array(final, np.float64),
            "first": np.array(self._first, np.int64),
            "actions": np.array(self._actions, np.int32),
            "ways": np.array(self._ways, np.int64),
            "targets": np.array(self._targets, np.int32),
            "chances": np.array(self._chances, np.float64),
        }
