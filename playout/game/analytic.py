"""Whether the payoffs of a continuous game can be differentiated by complex steps: tried out, once for every game."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from playout.game.continuous import BOX
from playout.game.game import Game
from playout.game.stream import Stream

POINTS = 8
_known: WeakKeyDictionary[Game, bool] = WeakKeyDictionary()


def analytic(game: Game) -> bool:
    """Complex steps agree with central differences at some random places.

    `abs`, `max` and comparisons drop or refuse the imaginary part, so they show up here.
    """
    if game not in _known:
        with np.errstate(all="ignore"):  # payoffs that are not finite are told by the search, with their actions
            _known[game] = _agree(game)
    return _known[game]


def _agree(game: Game) -> bool:
    stream = Stream(0, tree=7)
    for _ in range(POINTS):
        state = game.start(stream.below(1 << 30))
        while not state.over:
            state = state.play(state.random(stream))
        actions = np.array(state.fields.actions)
        if game.compiled and not _orderless(game, actions):
            return False
        for stage in range(game.stages):
            for i in range(game.dimension):
                if not all(_inside(game, point) for point in _around(actions, stage, i)):
                    continue  # nothing outside its box is ever asked for
                try:
                    exact = _complex_step(game, actions, stage, i)
                except (TypeError, ValueError, ZeroDivisionError, OverflowError):
                    return False
                rough, scale = _difference(game, actions, stage, i)
                if not np.all(np.abs(exact - rough) <= 1e-4 * (1.0 + np.abs(rough)) + 1e-7 * scale):
                    return False
    return True


class Unordered(np.lib.mixins.NDArrayOperatorsMixin):
    """A complex number that cannot be compared. NumPy's can, though the compiler's cannot: `max` in a payoff must show up."""

    def __init__(self, value: Any) -> None:
        self.value = value

    @property
    def real(self) -> float:
        return float(np.real(self.value))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **words: Any) -> Any:
        if method != "__call__" or ufunc in ORDERING:
            return NotImplemented
        # `out`, as x += y has it, is left alone: numbers do not change in place.
        return Unordered(ufunc(*(x.value if isinstance(x, Unordered) else x for x in inputs)))


ORDERING = (np.less, np.less_equal, np.greater, np.greater_equal, np.maximum, np.minimum, np.fmax, np.fmin)


def _orderless(game: Game, actions: Any) -> bool:
    """Whether the payoffs get by without asking which of two numbers is the larger one."""
    room = max(1, game.shape.scratch if game.shape else 1)
    point, out, scratch = (np.full(shape, 0.0, object) for shape in (actions.shape, game.players, room))
    for place in np.ndindex(actions.shape):
        point[place] = Unordered(complex(actions[place]))
    try:
        game.functions["payoffs"](point, out, scratch)
    except (TypeError, ValueError, AttributeError, ZeroDivisionError, OverflowError):
        return False
    return True


def _complex_step(game: Game, actions: Any, stage: int, i: int) -> Any:
    room = max(1, game.shape.scratch if game.shape else 1)
    point, out = actions.astype(np.complex128), np.zeros(game.players, np.complex128)
    point[stage, i] += 1e-30j
    game.functions["payoffs"](point, out, np.zeros(room, np.complex128))
    return out.imag / 1e-30


def _difference(game: Game, actions: Any, stage: int, i: int) -> tuple[Any, float]:
    room = max(1, game.shape.scratch if game.shape else 1)
    step = _step(actions, stage, i)
    found = []
    for point in _around(actions, stage, i):
        out = np.zeros(game.players)
        game.functions["payoffs"](point, out, np.zeros(room))
        found.append(out)
    return (found[0] - found[1]) / (2.0 * step), float(np.max(np.abs(found)) / step * 1e-5)


def _step(actions: Any, stage: int, i: int) -> float:
    return 1e-5 * max(1.0, abs(float(actions[stage, i])))


def _around(actions: Any, stage: int, i: int) -> list[Any]:
    """The history with one number a little higher and a little lower."""
    points = [actions.copy(), actions.copy()]
    for point, sign in zip(points, (1.0, -1.0), strict=True):
        point[stage, i] += sign * _step(actions, stage, i)
    return points


def _inside(game: Game, actions: Any) -> bool:
    """Whether every action is in its box, given those before it; a sphere is left on purpose, to see the slope across it."""
    if game.action_set != BOX:
        return True
    low, high = np.zeros(game.dimension), np.zeros(game.dimension)
    for stage in range(game.stages):
        game.functions["bounds"](stage, actions, low, high)
        if not (np.all(low <= actions[stage]) and np.all(actions[stage] <= high)):
            return False
    return True
