"""The interval of a share and Student's t, which searches and tournaments both need; intervals of other things are in
`playout.arena.intervals`."""

from __future__ import annotations

import math
from statistics import NormalDist

from playout.errors import PlayoutError

CONFIDENCE = 0.95

_EPSILON = 1e-15
_TINY = 1e-300
_NEARLY_NORMAL = 100_000


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


def student_quantile(p: float, freedom: float) -> float:
    """The number that Student's t with that many degrees of freedom stays below with probability p."""
    check_probability("p", p)
    if not freedom > 0:
        raise PlayoutError(f"freedom is {freedom}; Student's t needs more than 0 degrees of freedom")
    if p < 0.5:
        return -student_quantile(1 - p, freedom)
    if freedom > _NEARLY_NORMAL:
        # The first term of the expansion around the normal (Abramowitz & Stegun 26.7.5); the next is below 1e-9.
        z = NormalDist().inv_cdf(p)
        return z if math.isinf(freedom) else z + (z**3 + z) / (4 * freedom)
    low, high = 0.0, 1.0
    while _student_tail(high, freedom) > 1 - p:
        low, high = high, 2 * high
    while high - low > 1e-12 * (1 + high):
        middle = (low + high) / 2
        low, high = (middle, high) if _student_tail(middle, freedom) > 1 - p else (low, middle)
    return (low + high) / 2


def student_chance(t: float, freedom: float) -> float:
    """The chance that Student's t with that many degrees of freedom stays below t."""
    tail = _student_tail(abs(t), freedom)
    return 1 - tail if t > 0 else tail


def _student_tail(t: float, freedom: float) -> float:
    """The chance that Student's t is above t, for t of 0 or more (DLMF 8.17)."""
    return _beta_share(freedom / (freedom + t * t), freedom / 2, 0.5) / 2


def _beta_share(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        # The fraction converges fast only on this side of the mode.
        return 1 - _beta_share(1 - x, b, a)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(log_front) * _beta_fraction(x, a, b) / a


def _beta_fraction(x: float, a: float, b: float) -> float:
    """The continued fraction 1 / (1 + d1 / (1 + d2 / ...)) of DLMF 8.17.22, by the method of Lentz (1976)."""
    result, above, below = 1.0, 1.0, 0.0
    for step in range(1, 10_000):
        m = step // 2
        if step % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        above, below = (1 + term / above) or _TINY, 1 / ((1 + term * below) or _TINY)
        result *= above * below
        if abs(above * below - 1) < _EPSILON:
            break
    return 1 / result
