"""The interval of a share, which searches and tournaments both need; intervals of other things are in `playout.arena.intervals`."""

from __future__ import annotations

import math
from statistics import NormalDist

from playout.errors import PlayoutError

CONFIDENCE = 0.95


def wilson(points: float, games: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The interval of a share (Wilson 1927), all there is for no games.

    Draws as half a point make it a little too wide, never too narrow; games that come in like pairs make it too narrow.
    """
    check_probability("confidence", confidence)
    if games < 0 or not 0 <= points <= games:
        raise PlayoutError(f"{points} points out of {games} games; points must be from 0 to the number of games")
    if games == 0:
        return 0.0, 1.0
    z, share = NormalDist().inv_cdf((1 + confidence) / 2), points / games
    middle, spread = share + z * z / (2 * games), z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    low, high = (middle - spread) / (1 + z * z / games), (middle + spread) / (1 + z * z / games)
    # At no points or all of them the ends are 0 and 1 exactly; rounding must not say otherwise.
    return (0.0 if points == 0 else max(0.0, low)), (1.0 if points == games else min(1.0, high))


def check_probability(name: str, value: float) -> None:
    """Refuse what is no probability between 0 and 1, both left out."""
    if not 0 < value < 1:
        raise PlayoutError(f"{name} is {value}; it must be above 0 and below 1")
