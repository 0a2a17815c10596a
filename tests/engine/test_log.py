"""The logarithm of visits by sums and products: near the true one, and the same compiled."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from playout.engine.select import log_of


@given(st.integers(1, 2**40))
def test_logarithm_is_right_to_the_last_digits(visits: int) -> None:
    assert abs(log_of(visits) - math.log(visits)) <= 2 * math.ulp(math.log(visits))
    assert log_of(visits + 1) > log_of(visits) or visits > 2**30
