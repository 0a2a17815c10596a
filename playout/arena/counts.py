"""What counts in a game of several players: points (who came out ahead of whom), or returns (by how much).

Where a win is a win, the two say the same and points are on a scale that everybody knows. Where returns are more than win, draw and loss,
as chips are, points mislead: who wins many small pots and loses few large ones leads by points and goes broke.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from playout.arena.intervals import Array, clustered_mean
from playout.arena.referee import share_points
from playout.errors import PlayoutError, suggest
from playout.game.game import Game
from playout.game.stream import PICKS, Stream

WAYS = ("auto", "points", "returns")
TRIED_GAMES, TRIED_ACTIONS = 40, 1500
"""How long a game is played at random to see what its results are like."""


def counted_by(game: Game, by: str) -> str:
    """ "points" or "returns" for a game: as asked for, or as its results are. Settled before any game counts."""
    if by not in WAYS:
        raise PlayoutError(f"by is {by!r}; {suggest(by, WAYS)}")
    if game.players == 1:
        if by == "points":
            raise PlayoutError(f"{game.name!r} is a game for one player, where the score counts; leave --by out")
        return "returns"
    if by != "auto":
        return by
    return "returns" if _graded(game) else "points"


@lru_cache(maxsize=64)
def _graded(game: Game) -> bool:
    """Whether results are more than win, draw and loss, by some games at random."""
    points: list[tuple[float, ...]] = []
    returns: list[tuple[float, ...]] = []
    left = TRIED_ACTIONS
    try:
        for seed in range(TRIED_GAMES):
            state, picks = game.start(seed), Stream(seed, PICKS)
            while not state.over and left > 0:
                state = state.after(state.random(picks))
                left -= 1
            if not state.over:
                break
            points.append(share_points(state.returns))
            returns.append(state.returns)
    except Exception:
        # Rules that fail are for the referee to tell, with the place and the moves.
        return False
    return more_than_places(np.array(points), np.array(returns))


def more_than_places(points: Array, returns: Array) -> bool:
    """Whether returns say more than the places that they give: equal points with different returns."""
    pairs = np.unique(np.stack([points.ravel(), returns.ravel()], axis=1), axis=0)
    return len(pairs) > len(np.unique(pairs[:, 0]))


def mean_return(returns: Array, rounds: Array) -> tuple[float | None, float | None, float | None]:
    """A mean with its interval over deals: the games of a round share one deal, from all sides, so that luck largely cancels."""
    there = np.isfinite(returns)
    if not there.any():
        return None, None, None
    _, place = np.unique(rounds[there], return_inverse=True)
    sums: Any = np.bincount(place, returns[there])
    return clustered_mean(sums, np.bincount(place))
