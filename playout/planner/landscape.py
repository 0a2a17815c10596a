"""What the payoffs of a continuous game look like at its last stage: smooth with one top, or with several, or with kinks.

Tried out at some random places, uncompiled and the same for every seed, to decide whether last actions are climbed from where they are
or looked for everywhere first.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from playout.game.analytic import analytic
from playout.game.continuous import BOX, NATURE, box
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import PICKS, Stream

PLACES, POINTS = 24, 25
"""Courses at random, and points along a line through each."""
HIGH = 0.01
"""A dip between two tops counts if it is deeper than this part of what the line spans."""
OFTEN = 0.2
"""So many lines must have several tops."""

Array = np.ndarray[Any, Any]

_known: WeakKeyDictionary[Game, str] = WeakKeyDictionary()


def rugged(game: Game) -> str:
    """Why last actions had better be looked for everywhere, in words; empty where climbing from anywhere finds the top."""
    if game not in _known:
        _known[game] = _look(game)
    return _known[game]


def _look(game: Game) -> str:
    if not game.continuous or game.shape is None or game.shape.kind != BOX or NATURE in game.shape.movers:
        return ""
    several = lines = 0
    stream = Stream(0, PICKS)
    with np.errstate(all="ignore"):
        for place in range(PLACES):
            state = game.start(place)
            try:
                while state.fields.stage < game.stages - 1:
                    state = state.play(state.random(stream))
                tops = _tops(state, place % game.shape.dimension, stream)
            except Exception:
                return ""  # a payoff that does not work is told by the search, with its actions
            several += tops > 1
            lines += 1
    if several >= OFTEN * lines:
        return f"the last action has several tops along {several} of {lines} lines that were tried"
    return "" if analytic(game) or game.own_gradient else "payoffs have kinks"


def _tops(state: State, axis: int, stream: Stream) -> int:
    """How many tops the mover's payoff has along one axis through a random last action, the ends of the box included."""
    middle = np.array(state.random(stream))
    low, high = box(state)
    values = []
    for share in np.linspace(0.0, 1.0, POINTS):
        action = middle.copy()
        action[axis] = low[axis] + share * (high[axis] - low[axis])
        values.append(state.play(tuple(action.tolist())).returns[state.mover])
    return _count_tops(np.array(values))


def _count_tops(values: Array) -> int:
    """Tops that are told apart by dips deep enough to count."""
    span = float(np.ptp(values))
    if not np.isfinite(span) or span == 0.0:
        return 0 if not np.isfinite(span) else 1
    tops, peak, dip, rising = 0, values[0], values[0], True
    for value in values[1:]:
        if rising:
            if value < peak - HIGH * span:
                tops, rising, dip = tops + 1, False, value
            peak = max(peak, value)
        else:
            if value > dip + HIGH * span:
                rising, peak = True, value
            dip = min(dip, value)
    return tops + rising
