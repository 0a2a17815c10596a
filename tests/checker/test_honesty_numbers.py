from __future__ import annotations

import pytest

from playout.checker.honesty.numbers import chi_square_chance, fisher_chance, same_chance, sign_chance, uniform_chance


def test_the_sign_test():
    assert sign_chance(0, 0) == 1
    assert sign_chance(10, 0) == pytest.approx(2**-10)
    assert sign_chance(1, 1) == pytest.approx(0.75)


@pytest.mark.parametrize(
    "value, freedom, chance",
    [(3.841458820694124, 1, 0.05), (9.487729036781154, 4, 0.05), (18.46682695, 4, 0.001), (0.5, 5, 0.9921), (0.0, 3, 1.0)],
)
def test_chi_square_by_the_tables(value: float, freedom: int, chance: float):
    assert chi_square_chance(value, freedom) == pytest.approx(chance, rel=1e-4)


def test_counts():
    assert uniform_chance([50, 50, 50]) == 1
    assert uniform_chance([100, 20, 30]) < 1e-9
    assert same_chance([20, 20], [20, 20]) == 1
    assert same_chance([40, 0], [0, 40]) < 1e-9
    assert same_chance([1, 2, 3], [3, 2, 1]) == 1  # too few to tell


def test_fisher():
    assert fisher_chance(0, 10, 0, 10) == 1
    assert fisher_chance(3, 3, 0, 3) == 0.1  # one way of twenty, and its mirror
    assert fisher_chance(1, 2, 1, 2) == 1
    assert fisher_chance(28, 150, 0, 150) < 1e-8
