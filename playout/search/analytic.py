"""Whether the payoffs of a continuous game can be differentiated by complex steps: tried out, once for every game."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from playout.game import Game
from playout.stream import Stream

POINTS = 8
_known: WeakKeyDictionary[Game, bool] = WeakKeyDictionary()


def analytic(game: Game) -> bool:
    """Complex steps agree with central differences at some random places.

    `abs`, `max` and comparisons drop or refuse the imaginary part, so they show up here.
    """
    if game not in _known:
        _known[game] = _agree(game)
    return _known[game]


def _agree(game: Game) -> bool:
    stream = Stream(0, tree=7)
    for _ in range(POINTS):
        state = game.start(stream.below(1 << 30))
        while not state.over:
            state = state.play(state.random(stream))
        actions = np.array(state.fields.actions)
        for stage in range(game.stages):
            for i in range(game.dimension):
                try:
                    exact = _complex_step(game, actions, stage, i)
                except (TypeError, ValueError, ZeroDivisionError, OverflowError):
                    return False
                rough, scale = _difference(game, actions, stage, i)
                if not np.all(np.abs(exact - rough) <= 1e-4 * (1.0 + np.abs(rough)) + 1e-7 * scale):
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
    step = 1e-5 * max(1.0, abs(actions[stage, i]))
    found = []
    for sign in (1.0, -1.0):
        point, out = actions.copy(), np.zeros(game.players)
        point[stage, i] += sign * step
        game.functions["payoffs"](point, out, np.zeros(room))
        found.append(out)
    return (found[0] - found[1]) / (2.0 * step), float(np.max(np.abs(found)) / step * 1e-5)
