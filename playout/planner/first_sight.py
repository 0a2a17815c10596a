"""What an evaluator says of the actions of the root by itself: the value of the position behind each, without any search.

It has no say in the decision. Where chance comes in, or something is hidden, it is the mean over draws of the search's own, never of
what is really there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from playout.game.state import State
from playout.game.stream import SIGHTS, Stream

Array = np.ndarray[Any, Any]

DRAWS = 16
"""The most draws in which an action is looked at."""
MOST = 1024
"""About how many positions are looked at in all; many actions have fewer draws each."""


def first_sight(
    state: State, actions: Iterable[int], ask: Callable[[Array], Array], *, seed: int = 0, peek: bool = False, reward: str = ""
) -> dict[int, float]:
    """The mover's value of the position behind each action, where `ask(states)` gives what every player gets in each.

    What is hidden is drawn, unless `peek`; what is over has its returns, or its `reward`.
    """
    mover, blind = state.mover, state.game.hidden and not peek
    waiting: list[tuple[int, State]] = []
    known: dict[int, list[float]] = {action: [] for action in actions}
    settled: set[int] = set()
    for number in range(max(1, min(DRAWS, MOST // len(known)))):
        stream = Stream(seed, SIGHTS, number)
        seen = state.world(mover, stream) if blind else _fresh(state, stream)
        for action in known:
            if action in settled:
                continue
            after = seen.after(action)
            if not blind and after.word == seen.word:
                settled.add(action)  # it drew nothing, and would do the same again
            if after.over:
                known[action].append((after.returns_as(reward) if reward else after.returns)[mover])
            else:
                waiting.append((action, after))
    for begin in range(0, len(waiting), MOST):
        part = waiting[begin : begin + MOST]
        values = ask(np.concatenate([after.copy_array() for _, after in part]))
        for (action, _), value in zip(part, values[:, mover].tolist(), strict=True):
            known[action].append(value)
    return {action: sum(found) / len(found) for action, found in known.items()}


def _fresh(state: State, stream: Stream) -> State:
    """The state with chance of its own to come: what will really be drawn is nobody's business."""
    stream.next()
    return State(state.game, state.copy_array(), stream.word)
