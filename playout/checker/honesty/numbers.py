"""The few numbers that the audit's tests need, exact or to many digits, with no library behind them."""

from __future__ import annotations

import math
from collections.abc import Sequence


def sign_chance(wins: int, losses: int) -> float:
    """The chance that a fair coin shows at least so many heads: the one-sided sign test. 1 without a throw."""
    throws = wins + losses
    # Each number of ways from the one before: thousands of throws would take seconds one by one.
    ways = term = 1
    for tails in range(losses):
        term = term * (throws - tails) // (tails + 1)
        ways += term
    return float(ways / 2**throws)


def chi_square_chance(value: float, freedom: int) -> float:
    """The chance that chi-square with that many degrees of freedom exceeds a value (the upper incomplete gamma function)."""
    a, x = freedom / 2, value / 2
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        place = a
        while term > total * 1e-15:
            place += 1
            term *= x / place
            total += term
        return max(0.0, 1 - scale * total)
    # The continued fraction, by Lentz's method (Numerical Recipes, 6.2).
    b = x + 1 - a
    c, d = 1e300, 1 / b
    fraction = d
    for i in range(1, 1000):
        b += 2
        d = 1 / (b - i * (i - a) * d)
        c = b - i * (i - a) / c
        fraction *= d * c
        if abs(d * c - 1) < 1e-14:
            break
    return min(1.0, scale * fraction)


def uniform_chance(counts: Sequence[int]) -> float:
    """The chance of counts at least as uneven when every bin is as likely (Pearson's chi-square)."""
    total = sum(counts)
    if total == 0 or len(counts) < 2:
        return 1.0
    mean = total / len(counts)
    return chi_square_chance(sum((count - mean) ** 2 for count in counts) / mean, len(counts) - 1)


def same_chance(one: Sequence[int], other: Sequence[int]) -> float:
    """The chance of two rows of counts at least as different when both come from one distribution (Pearson's chi-square).

    Columns too thin for the approximation (fewer than 10 in both rows together) are put together.
    """
    columns, rest = [], [0, 0]
    for pair in zip(one, other, strict=True):
        if sum(pair) >= 10:
            columns.append(pair)
        else:
            rest = [rest[0] + pair[0], rest[1] + pair[1]]
    if sum(rest):
        columns.append((rest[0], rest[1]))
    if len(columns) < 2:
        return 1.0
    rows = [sum(pair[i] for pair in columns) for i in (0, 1)]
    value = 0.0
    for pair in columns:
        for i in (0, 1):
            mean = sum(pair) * rows[i] / sum(rows)
            value += (pair[i] - mean) ** 2 / mean
    return chi_square_chance(value, len(columns) - 1)


def fisher_chance(one: int, of: int, other: int, of_other: int) -> float:
    """The chance that two shares are so far apart, given what they add up to: Fisher's exact test, twice the smaller side."""
    total, whole = one + other, of + of_other
    low, high = max(0, total - of_other), min(of, total)
    # Each number of ways from the one before, as in `sign_chance`.
    term = math.comb(of, low) * math.comb(of_other, total - low)
    below = above = 0
    for k in range(low, high + 1):
        below += term if k <= one else 0
        above += term if k >= one else 0
        term = term * (of - k) * (total - k) // ((k + 1) * (of_other - total + k + 1))
    return min(1.0, 2 * min(below, above) / math.comb(whole, total))
