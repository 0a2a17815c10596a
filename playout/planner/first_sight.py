"""What an evaluator says of the actions of the root by itself: the value of the position behind each, without any search.

It has no say in the decision. Where chance comes in, or something is hidden, it is the mean over draws of the search's own, never of
what is really there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from playout.game.state import State
from playout.game.stream import SIGHTS, Stream

if TYPE_CHECKING:
    from playout.planner.search import Search
    from playout.planner.waiting import WaitingTree

DRAWS = 16
"""The most draws in which an action is looked at."""
MOST = 1024
"""About how many positions are looked at in all; many actions have fewer draws each."""


def first_sight(search: Search, tree: WaitingTree, state: State, actions: list[int]) -> dict[int, float]:
    """The mover's value of the position behind each action, as the search's evaluator says it."""
    mover, blind = state.mover, state.game.hidden and search.settings.hidden != "peek"
    draws = max(1, min(DRAWS, MOST // max(1, len(actions))))
    waiting: list[tuple[int, State]] = []
    known: dict[int, list[float]] = {action: [] for action in actions}
    settled: set[int] = set()
    for number in range(draws):
        stream = Stream(search.settings.seed, SIGHTS, number)
        seen = state.world(mover, stream) if blind else _fresh(state, stream)
        for action in actions:
            if action in settled:
                continue
            after = seen.after(action)
            if not blind and after.word == seen.word:
                settled.add(action)  # it drew nothing, and would do the same again
            if after.over:
                reward = search.settings.reward
                known[action].append((after.returns_as(reward) if reward else after.returns)[mover])
            else:
                waiting.append((action, after))
    for begin in range(0, len(waiting), MOST):
        part = waiting[begin : begin + MOST]
        values, _ = tree.asked(_stacked([after for _, after in part]))
        for (action, _), value in zip(part, values[:, mover].tolist(), strict=True):
            known[action].append(value)
    return {action: sum(found) / len(found) for action, found in known.items()}


def _fresh(state: State, stream: Stream) -> State:
    """The state with chance of its own to come: what will really be drawn is nobody's business."""
    stream.next()
    return State(state.game, state.copy_array(), stream.word)


def _stacked(states: list[State]) -> np.ndarray[Any, Any]:
    return np.concatenate([state.copy_array() for state in states])
