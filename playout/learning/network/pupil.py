"""A network that plays by its policy alone, thousands of games side by side: what it reaches without search, and where it gets to by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from playout.errors import GameError
from playout.game.abreast import Abreast, Seen
from playout.learning.network.lessons import Course
from playout.learning.network.selfplay import LONGEST

Array = np.ndarray[Any, Any]
AT_ONCE = 8192
"""Positions that a network is asked about together."""


def policy_plays(network: Any, deals: Sequence[int], name: str = "", compiled: bool = True) -> Course:
    """Games of a network with itself, each action the likeliest by its policy, all of them side by side."""
    games, going = Abreast(network.game, len(deals), compiled=compiled), np.arange(len(deals))
    played: list[list[int]] = [[] for _ in deals]
    games.start(going, deals)
    for _ in range(LONGEST):
        seen = games.look(going)
        going, seen = going[seen.movers >= 0], Seen(*(column[seen.movers >= 0] for column in seen))
        if not len(going):
            return Course(name or network.file or "a network", list(deals), played)
        # What is forced nobody is asked about.
        actions, open_ = seen.ids[:, 0].copy(), seen.counts > 1
        actions[open_] = likeliest(network, games.states[going[open_]], seen.ids[open_], seen.counts[open_])
        games.play(going, actions)
        for place, action in zip(going.tolist(), actions.tolist()):
            played[place].append(action)
    raise GameError(f"a game of {network.game.name!r} was not over after {LONGEST:,} actions")


def likeliest(network: Any, states: Array, ids: Array, counts: Array) -> Array:
    """The legal action with the highest share in each state; the first by id, of equals."""
    found = np.zeros(len(states), np.int64)
    meant = np.arange(ids.shape[1]) < counts[:, None]
    for first in range(0, len(states), AT_ONCE):
        part = slice(first, first + AT_ONCE)
        shares = network.policy(np.ascontiguousarray(states[part]))
        able = np.zeros(shares.shape, bool)
        able[np.nonzero(meant[part])[0], ids[part][meant[part]]] = True
        found[part] = np.where(able, shares, -1.0).argmax(axis=1)
    return found
