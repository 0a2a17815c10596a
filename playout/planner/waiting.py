"""Search with an evaluator: leaves are handed out in batches, and what comes back are their values and the priors of their actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from playout.compile import Binding
from playout.engine import layout
from playout.engine.wait import collect, settle
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.planner.settings import Settings
from playout.planner.tree import SearchTree

Array = np.ndarray[Any, Any]
Evaluator = Callable[[Array], tuple[Array | None, Array]]
"""f(states) -> (priors, values) over a batch: `states` is an array of the game's records, one for each leaf, so `states["board"]` has a
row for each. `values` has shape (leaves, players), in the units of the returns; `priors` has shape (leaves, actions), weights of 0 or
more by action id, of which only those of legal actions count, or is None: all alike."""


class WaitingTree(SearchTree):
    """A tree whose leaves wait for an evaluator, up to `settings.batch` of them at a time."""

    def __init__(self, binding: Binding, settings: Settings, state: State, number: int, evaluator: Evaluator) -> None:
        super().__init__(binding, settings, state, number, lanes=settings.batch)
        self.evaluator = evaluator
        self._collect, self._settle = binding.kernel(collect), binding.kernel(settle)
        self._no_priors = np.zeros((self.lanes, 0))

    def _blank(self) -> SearchTree:
        return WaitingTree(self.binding, self.settings, self.root, 0, self.evaluator)

    def prepare(self) -> None:
        """Have the kernels ready: compiled, or loaded from the cache."""
        self._collect(self.sim, 0)
        self._settle(self.sim, 0, np.zeros((self.lanes, self.game.players)), self._no_priors)

    def run(self, count: int, most_bytes: int, most: int | None = None) -> int:
        """At least `count` simulations in whole batches, though never more than `most`; fewer only when the root is proven.

        Whole batches, since where one ends must not depend on the pieces that a budget is spent in.
        """
        began = self.simulations
        limit = began + (count if most is None else most)
        try:
            with np.errstate(over="ignore"):
                while self.simulations - began < count and not self.proven:
                    self._round(limit - self.simulations, most_bytes)
        except BaseException:
            # Whoever failed, the evaluator or the game: nobody waits any more, or the next round would wait for them for ever.
            self.tree.out[:] = 0
            self.tree.nodes["tags"] &= 255 - layout.OUT
            raise
        return self.simulations - began

    def _round(self, budget: int, most_bytes: int) -> None:
        """Send a batch down, have it evaluated, and back it up."""
        before = self.simulations
        waiting = int(self._collect(self.sim, budget))
        self.report_trouble()
        if waiting:
            values, priors = self.asked(self._states[:waiting, layout.NOW].copy())
            self._settle(self.sim, waiting, values, priors)
            self.report_trouble()
        elif self.simulations == before and not self.proven:
            self.grow(most_bytes)

    def asked(self, states: Array) -> tuple[Array, Array]:
        """What the evaluator says, checked: kernels believe it."""
        found = self.evaluator(states)
        if not isinstance(found, tuple) or len(found) != 2:
            raise PlayoutError(
                f"the evaluator returned {type(found).__name__}; return two arrays, (priors, values), priors None if unknown"
            )
        priors = self._no_priors if found[0] is None else self._checked("priors", found[0], (len(states), self.game.actions))
        values = self._checked("values", found[1], (len(states), self.game.players))
        if priors.size and not (priors >= 0).all():
            raise PlayoutError(f"the evaluator gave a prior of {priors.min():g}; priors are weights of 0 or more")
        return values, priors

    def _checked(self, name: str, given: Any, shape: tuple[int, int]) -> Array:
        columns = "players" if name == "values" else "action ids"
        try:
            array = np.ascontiguousarray(given, np.float64)
        except (TypeError, ValueError) as error:
            raise PlayoutError(f"the evaluator's {name} are no array of numbers ({error}); return shape {shape}") from None
        if array.shape != shape:
            raise PlayoutError(
                f"the evaluator's {name} have shape {array.shape}, not {shape}: a row for each leaf, {columns} in columns"
            )
        if not np.isfinite(array).all():
            raise PlayoutError(f"the evaluator's {name} hold {array[~np.isfinite(array)][0]}; every number must be finite")
        return array


def called(evaluator: Any) -> str:
    """What an evaluator is called, with its article: "the evaluator middle", or as it calls itself, "the network four.net"."""
    own = getattr(evaluator, "called", "")
    return str(own or f"the evaluator {getattr(evaluator, '__name__', type(evaluator).__name__)}")


def check_evaluator(game: Game, settings: Settings, reward: str) -> None:
    """Refuse what does not go together with an evaluator, whose values are of that reward; asked of the settings as they were given."""
    if settings.reward != reward:
        goes, gives = (f"the reward {word}" if word else "the returns of the game" for word in (settings.reward, reward))
        cure = f"pass reward={reward}" if reward else "leave reward out"
        raise PlayoutError(f"the search goes by {goes}, and its evaluator values {gives}; {cure}")
    if game.continuous:
        raise PlayoutError(
            f"an evaluator values leaves, and searches of {game.name!r} go to the end: its actions are real vectors; leave evaluator out"
        )
    if game.rejects and settings.hidden != "pimc":
        raise PlayoutError(
            f"an evaluator is asked about many leaves at once, and worlds of {game.name!r} are found by rejection, one at a time: pass "
            "hidden=pimc, or write a determinize"
        )
    if settings.implicit is not None:
        raise PlayoutError(
            f"implicit={settings.implicit} goes by the game's evaluate, and with an evaluator that values the leaves; leave one of them out"
        )
    usual = Settings()
    for name in ("playout", "playouts", "cutoff", "decisive_playouts", "value", "rave", "grave"):
        # "off", and a playout that learns nothing, are what a saved search brings.
        if getattr(settings, name) not in (getattr(usual, name), None, "off", "uniform", "game"):
            raise PlayoutError(
                f"{name}={getattr(settings, name)} is about playouts, and with an evaluator there are none; leave {name} out"
            )
