"""Whether the payoffs of a continuous game can be differentiated by complex steps: tried out, once for every game.

A complex step (Squire and Trapp 1998) gives a derivative to the last digit, from one payoff of complex numbers. A search and the checker
ask here, so that what the one does is what the other says.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from playout.game.continuous import BOX, history_words
from playout.game.game import Game
from playout.game.stream import SMOOTHNESS, Stream

POINTS = 8
_known: WeakKeyDictionary[Game, str] = WeakKeyDictionary()


def analytic(game: Game) -> bool:
    """Complex steps give the derivatives."""
    return not not_analytic(game)


def not_analytic(game: Game) -> str:
    """Why complex steps give no derivatives, as what follows "payoffs ..." in a sentence; empty where they do.

    They are compared with central differences at some random places. `abs`, `max` and comparisons drop or refuse the imaginary
    part, so they show up here.
    """
    if game not in _known:
        with np.errstate(all="ignore"):  # payoffs that are not finite are told by the search, with their actions
            _known[game] = _trouble(game)
    return _known[game]


def _trouble(game: Game) -> str:
    stream = Stream(0, SMOOTHNESS)
    for _ in range(POINTS):
        state = game.start(stream.below(1 << 30))
        while not state.over:
            state = state.play(state.random(stream))
        actions = np.array(state.fields.actions)
        places = [at for at in np.ndindex(actions.shape) if _surrounded(game, actions, *at)]
        try:
            turned = _payoffs(game, actions, np.complex128)
            steps = [_complex_step(game, actions, *at) for at in places]
        except Exception as error:
            return _refused(error)
        paid = _payoffs(game, actions, np.float64)
        if not np.all(np.abs(turned.real - paid) <= 1e-9 * (1.0 + np.abs(paid))):
            return "gives something else for complex numbers than for real ones"
        for (stage, i), exact in zip(places, steps, strict=True):
            rough, scale = _difference(game, actions, stage, i)
            if not np.all(np.abs(exact - rough) <= 1e-4 * (1.0 + np.abs(rough)) + 1e-7 * scale):
                at = f"at stage {stage} for the actions {history_words(actions)}"
                return f"has no complex derivative {at} (abs, min, max and rounding have none)"
        if game.compiled:
            try:
                _payoffs(game, _unordered(actions), object)
            except Exception as error:
                return _refused(error)
    return ""


def _refused(error: Exception) -> str:
    """A payoff may do anything with numbers that it was not written for, and so may raise anything."""
    return f"does not work on complex numbers ({type(error).__name__}: {error})"


class Unordered(np.lib.mixins.NDArrayOperatorsMixin):
    """A complex number that cannot be compared. NumPy's can, though the compiler's cannot: `max` in a payoff must show up."""

    def __init__(self, value: Any) -> None:
        self.value = value

    @property
    def real(self) -> float:
        return float(np.real(self.value))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **words: Any) -> Any:
        if ufunc in ORDERING:
            raise TypeError("complex numbers have no order, so they cannot be compared, and have no min and no max")
        if method != "__call__":
            return NotImplemented
        # `out`, as x += y has it, is left alone: numbers do not change in place.
        return Unordered(ufunc(*(x.value if isinstance(x, Unordered) else x for x in inputs)))


ORDERING = (np.less, np.less_equal, np.greater, np.greater_equal, np.maximum, np.minimum, np.fmax, np.fmin)


def _unordered(actions: Any) -> Any:
    point = np.full(actions.shape, 0.0, object)
    for place in np.ndindex(actions.shape):
        point[place] = Unordered(complex(actions[place]))
    return point


def _payoffs(game: Game, actions: Any, kind: Any) -> Any:
    """What the game pays for actions of any kind of number."""
    room = max(1, game.shape.scratch if game.shape else 1)
    out = np.full(game.players, 0.0, kind)
    game.functions["payoffs"](actions.astype(kind), out, np.full(room, 0.0, kind))
    return out


def _complex_step(game: Game, actions: Any, stage: int, i: int) -> Any:
    point = actions.astype(np.complex128)
    point[stage, i] += 1e-30j
    return _payoffs(game, point, np.complex128).imag / 1e-30


def _difference(game: Game, actions: Any, stage: int, i: int) -> tuple[Any, float]:
    step = _step(actions, stage, i)
    found = [_payoffs(game, point, np.float64) for point in _around(actions, stage, i)]
    return (found[0] - found[1]) / (2.0 * step), float(np.max(np.abs(found)) / step * 1e-5)


def _step(actions: Any, stage: int, i: int) -> float:
    return 1e-5 * max(1.0, abs(float(actions[stage, i])))


def _around(actions: Any, stage: int, i: int) -> list[Any]:
    """The history with one number a little higher and a little lower."""
    points = [actions.copy(), actions.copy()]
    for point, sign in zip(points, (1.0, -1.0), strict=True):
        point[stage, i] += sign * _step(actions, stage, i)
    return points


def _surrounded(game: Game, actions: Any, stage: int, i: int) -> bool:
    """Whether differences stay inside the boxes: nothing outside is ever asked for."""
    return all(_inside(game, point) for point in _around(actions, stage, i))


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
