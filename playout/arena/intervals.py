"""How far a measured number can be trusted: intervals of means, and of anything else by resampling; shares are in `playout.intervals`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from playout.errors import PlayoutError
from playout.intervals import CONFIDENCE, check_probability

Array = np.ndarray[Any, Any]

_EPSILON = 1e-15
_TINY = 1e-300
_NEARLY_NORMAL = 100_000


def known(value: float | None) -> float | None:
    """The number, or None for what no axis can hold."""
    return None if value is None or not math.isfinite(value) or abs(value) > 1e100 else float(value)


def normal_quantile(p: float) -> float:
    """The number that a standard normal stays below with probability p."""
    check_probability("p", p)
    return NormalDist().inv_cdf(p)


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


def mean_interval(
    values: Sequence[float] | Array, confidence: float = CONFIDENCE
) -> tuple[float | None, float | None, float | None]:
    """Mean, low and high by Student's t.

    One value has a mean and no interval (None, None): nothing is known of its spread. No value has no mean either. Values
    that are all alike give an interval of no width, which says only that no spread was seen.
    """
    check_probability("confidence", confidence)
    numbers = np.asarray(values, dtype=np.float64).ravel()
    if numbers.size == 0:
        return None, None, None
    mean = float(numbers.mean())
    if numbers.size == 1:
        return mean, None, None
    error = float(numbers.std(ddof=1)) / math.sqrt(numbers.size)
    reach = student_quantile((1 + confidence) / 2, numbers.size - 1) * error
    return mean, mean - reach, mean + reach


def bootstrap(
    values: Any, statistic: Callable[[Array], float], confidence: float = CONFIDENCE, seed: int = 0, repeats: int = 2000
) -> tuple[float | None, float | None, float | None]:
    """A statistic of a table with its low and high, by drawing whole rows again (Efron 1979, percentile interval).

    Rows are what is independent, rounds for example; the numbers within a row may depend on each other as they like. The
    statistic gets a table of the same shape. Draws for which it is not finite are left out. A single row has no interval
    (None, None). With fewer than about 20 rows the interval is too narrow.
    """
    check_probability("confidence", confidence)
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2:
        raise PlayoutError(f"the table to draw from has {table.ndim} dimensions; give 2: one row for each independent round")
    if repeats < 1:
        raise PlayoutError(f"repeats is {repeats}; draw at least once")
    rows = len(table)
    if rows == 0:
        return None, None, None
    estimate = float(statistic(table))
    if rows == 1:
        return estimate, None, None
    rng = np.random.default_rng(seed)
    drawn = np.array([statistic(table[rng.integers(rows, size=rows)]) for _ in range(repeats)], dtype=np.float64)
    drawn = drawn[np.isfinite(drawn)]
    if drawn.size == 0:
        return estimate, None, None
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    return estimate, float(low), float(high)


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
