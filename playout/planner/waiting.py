"""Search with an evaluator: leaves are handed out in batches, and what comes back are their values and the priors of their actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
more by action id, of which only those of legal actions count, or is None: all alike. An evaluator with the attribute `plays_out` gives priors
alone, (priors, None), and its leaves are played out."""


class WaitingTree(SearchTree):
    """A tree whose leaves wait for an evaluator, up to `settings.batch` of them at a time."""

    def __init__(self, binding: Binding, settings: Settings, state: State, number: int, evaluator: Evaluator) -> None:
        super().__init__(binding, settings, state, number, lanes=leaves_at_once(binding.game, settings))
        self.evaluator = evaluator
        self.guided = plays_out(evaluator)
        self._collect, self._settle = binding.kernel(collect), binding.kernel(settle)

    def _blank(self) -> SearchTree:
        return WaitingTree(self.binding, self.settings, self.root, 0, self.evaluator)

    def prepare(self) -> None:
        """Have the kernels ready: compiled, or loaded from the cache."""
        self._collect(self.sim, 0)
        if self._roots is not None:
            self._roots.prepare()
        self._settle(self.sim, 0, np.zeros((self.lanes, 0 if self.guided else self.game.players)), np.zeros((self.lanes, 0)))

    def run(self, count: int, most_bytes: int, most: int | None = None) -> int:
        """At least `count` simulations in whole batches, though never more than `most`; fewer only when the root is proven.

        Whole batches, since where one ends must not depend on the pieces that a budget is spent in.
        """
        began = self.simulations
        limit = began + (count if most is None else most)
        while self.simulations - began < count and not self.proven:
            advance([self], [limit - self.simulations], self.evaluator, most_bytes)
        return self.simulations - began

    def begin(self, budget: int, most_bytes: int) -> Array:
        """Send a batch of at most so many simulations down; the states of the leaves that wait, as rows of bytes in the tree's own memory."""
        before = self.simulations
        if self._roots is not None and budget > 0 and not self.proven:
            self.enter_world()
            budget = 1
        waiting = int(self._collect(self.sim, budget))
        self.report_trouble()
        if not waiting and self.simulations == before and not self.proven:
            self.grow(most_bytes)
        found: Array = self._scratch[2][:waiting, layout.NOW]
        return found

    def end(self, values: Array, priors: Array) -> None:
        """Back up the leaves that wait: one row for each of them, as `heard` has checked it."""
        self._settle(self.sim, len(values), values, priors)
        self.report_trouble()

    def asked(self, states: Array) -> tuple[Array, Array]:
        """What the evaluator says of some states, (values, priors), checked."""
        return heard(self.game, self.evaluator(states), len(states), self.guided)

    def abandon(self) -> None:
        """Whoever failed, the evaluator or the game: nobody waits any more, or the next round would wait for them for ever."""
        self.tree.out[:] = 0
        self.tree.nodes["tags"] &= 255 - layout.OUT


def advance(trees: Sequence[WaitingTree], budgets: Sequence[int], evaluator: Evaluator, most_bytes: int) -> int:
    """One round of trees of one game side by side, each with a batch of its own, and the leaves of all of them evaluated as one; how many."""
    try:
        with np.errstate(over="ignore"):
            waiting = [tree.begin(budget, most_bytes) for tree, budget in zip(trees, budgets, strict=True)]
            # As bytes: NumPy takes long to find that records of one kind are of one kind.
            states = np.concatenate(waiting).view(trees[0].game.dtype).reshape(-1)
            if not len(states):
                return 0
            values, priors = heard(trees[0].game, evaluator(states), len(states), trees[0].guided)
            done = 0
            for tree, leaves in zip(trees, waiting):
                if len(leaves):
                    tree.end(values[done : done + len(leaves)], priors[done : done + len(leaves)])
                    done += len(leaves)
            return done
    except BaseException:
        for tree in trees:
            tree.abandon()
        raise


def leaves_at_once(game: Game, settings: Settings) -> int:
    """How many leaves of one tree wait together: one where worlds are found by rejection, since which simulation starts from which world
    would depend on who waits."""
    return 1 if game.rejects and settings.hidden in layout.SAMPLING else settings.batch


def plays_out(evaluator: Any) -> bool:
    """Whether an evaluator gives priors alone, and leaves are played out."""
    return bool(getattr(evaluator, "plays_out", False))


def heard(game: Game, found: Any, leaves: int, guided: bool = False) -> tuple[Array, Array]:
    """What an evaluator says, as (values, priors), checked: kernels believe it. Where it only guides there are no values."""
    if not isinstance(found, tuple) or len(found) != 2:
        raise PlayoutError(
            f"the evaluator returned {type(found).__name__}; return two arrays, (priors, values), priors None if unknown"
        )
    priors = np.zeros((leaves, 0)) if found[0] is None else _checked("priors", found[0], (leaves, game.actions))
    if guided != (found[1] is None):
        raise PlayoutError(
            "the evaluator gives priors alone (plays_out), and returned values; return (priors, None)"
            if guided
            else "the evaluator returned None in place of values; return an array, or say with plays_out = True that leaves are played out"
        )
    values = np.zeros((leaves, 0)) if guided else _checked("values", found[1], (leaves, game.players))
    if priors.size and not (priors >= 0).all():
        raise PlayoutError(f"the evaluator gave a prior of {priors.min():g}; priors are weights of 0 or more")
    return values, priors


def _checked(name: str, given: Any, shape: tuple[int, int]) -> Array:
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


def check_evaluator(game: Game, settings: Settings, reward: str, guided: bool = False) -> None:
    """Refuse what does not go together with an evaluator, whose values are of that reward; asked of the settings as they were given."""
    if settings.reward != reward:
        goes, gives = (f"the reward {word}" if word else "the returns of the game" for word in (settings.reward, reward))
        cure = f"pass reward={reward}" if reward else "leave reward out"
        raise PlayoutError(f"the search goes by {goes}, and its evaluator values {gives}; {cure}")
    if game.continuous:
        raise PlayoutError(
            f"an evaluator values leaves, and searches of {game.name!r} go to the end: its actions are real vectors; leave evaluator out"
        )
    if settings.implicit is not None:
        raise PlayoutError(
            f"implicit={settings.implicit} goes by the game's evaluate, and with an evaluator that values the leaves; leave one of them out"
        )
    usual = Settings()
    for name in (
        ("value", "rave", "grave") if guided else ("playout", "playouts", "cutoff", "decisive_playouts", "value", "rave", "grave")
    ):
        # "off", and a playout that learns nothing, are what a saved search brings.
        if getattr(settings, name) not in (getattr(usual, name), None, "off", "uniform", "game"):
            raise PlayoutError(
                f"{name}={getattr(settings, name)} is about playouts, and with an evaluator there are none; leave {name} out"
            )
