"""How far a measured number can be trusted: intervals of means, and of anything else by resampling; shares, and Student's t, are in
`playout.intervals`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from playout.errors import PlayoutError
from playout.intervals import CONFIDENCE, check_probability, student_quantile

Array = np.ndarray[Any, Any]


def known(value: float | None) -> float | None:
    """The number, or None for what no axis can hold."""
    return None if value is None or not math.isfinite(value) or abs(value) > 1e100 else float(value)


def normal_quantile(p: float) -> float:
    """The number that a standard normal stays below with probability p."""
    check_probability("p", p)
    return NormalDist().inv_cdf(p)


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


def clustered_mean(sums: Array, counts: Array, confidence: float = CONFIDENCE) -> tuple[float | None, float | None, float | None]:
    """The mean of numbers that come in clusters, with its interval by Student's t: per cluster the sum and how many there were.

    Clusters are independent, the numbers of one need not be; they may be of different sizes (the ratio estimator: Cochran,
    "Sampling techniques", 1977). One cluster has no interval.
    """
    check_probability("confidence", confidence)
    total, clusters = float(np.sum(counts)), len(counts)
    if total == 0:
        return None, None, None
    mean = float(np.sum(sums)) / total
    if clusters == 1:
        return mean, None, None
    apart = np.asarray(sums) - mean * np.asarray(counts)
    error = math.sqrt(clusters / (clusters - 1) * float((apart**2).sum())) / total
    reach = student_quantile((1 + confidence) / 2, clusters - 1) * error
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
