"""Improved policies: by hand, and what they promise."""

import math

import numpy as np
import pytest

from playout.planner.improved import chances, completed_values, improved_policy

UNKNOWN = np.nan


def test_completed_values_by_hand():
    # known: 0.8 and 0.4 with priors 0.2 and 0.3, so 0.56 over 16 visits; mixed with the own value 0.39 once: (0.39 + 16 · 0.56) / 17
    found = completed_values(np.array([0.8, 0.4, UNKNOWN]), np.array([0.2, 0.3, 0.5]), 0.39, 16)
    assert found == pytest.approx([0.8, 0.4, 0.55])
    assert completed_values(np.full(3, UNKNOWN), np.ones(3) / 3, 0.7, 0).tolist() == [0.7] * 3


def test_the_policy_by_hand():
    found = improved_policy(np.array([0.1, -0.1]), np.array([0.25, 0.75]), 10, -1, 1)
    # on the scale from 0 to 1 the values are 0.55 and 0.45, times 50 + 10
    weights = [0.25 * math.exp(33), 0.75 * math.exp(27)]
    assert found == pytest.approx([w / sum(weights) for w in weights])


def test_without_differences_it_is_the_prior():
    priors = np.array([0.2, 0.3, 0.5])
    assert improved_policy(np.full(3, 0.4), priors, 7, -1, 1) == pytest.approx(priors)
    assert improved_policy(np.array([0.0, 1.0, 2.0]), priors, 7, 1, 1) == pytest.approx(priors), (
        "a range of nothing tells nothing"
    )


def test_it_is_never_worse_than_the_prior():
    rng = np.random.default_rng(3)
    for _ in range(200):
        count = int(rng.integers(2, 9))
        worth, priors = rng.uniform(-1, 1, count), rng.dirichlet(np.ones(count))
        worth[rng.random(count) < 0.4] = UNKNOWN
        worth = completed_values(worth, priors, 0.1, int(rng.integers(0, 50)))
        found = improved_policy(worth, priors, 5, -1, 1)
        assert found.sum() == pytest.approx(1) and found @ worth >= priors @ worth - 1e-12


def test_chances_after_a_race_by_hand():
    # 40 of 64 and 28 of 64 wins, 4 of 16: 72 of 144 in all, so a single result spreads by 0.5
    visits, wins = np.array([64, 64, 16, 0]), np.array([40.0, 28, 4, 0])
    found = chances(visits, wins, wins, np.array([True, False, False, False]))
    behind = [0.1875 / (0.5 * math.sqrt(2 / 64)), 0.375 / (0.5 * math.sqrt(1 / 64 + 1 / 16))]
    weights = [0.5, *(0.5 * math.erfc(one / math.sqrt(2)) for one in behind), 0.0]
    assert found == pytest.approx([one / sum(weights) for one in weights])


def test_chances_of_equals_are_equal_and_nobody_has_more_than_the_chosen():
    visits, chosen = np.array([10, 10, 5]), np.array([False, True, False])
    assert chances(visits, np.zeros(3), np.zeros(3), chosen).tolist() == [1 / 3] * 3
    # Whoever fell out early may have been lucky; the winner was compared longer.
    assert chances(visits, np.array([5.0, 5, 4]), np.array([5.0, 5, 4]), chosen) == pytest.approx([1 / 3] * 3)
    assert chances(visits, np.array([0.0, 10, 5]), np.array([0.0, 10, 5]), chosen)[0] < 1e-3
    # All that is known is the same: then a difference is no accident.
    assert chances(np.array([1, 1]), np.array([1.0, 0]), np.array([1.0, 0]), np.array([True, False]))[1] < 0.15


def test_chances_of_many_positions_are_those_of_each():
    rng = np.random.default_rng(4)
    visits, chosen = rng.integers(0, 50, (20, 6)), np.eye(6, dtype=bool)[rng.integers(0, 6, 20)]
    scores = visits * rng.uniform(-1, 1, (20, 6))
    squares = visits * rng.uniform(1, 2, (20, 6))
    found = chances(visits, scores, squares, chosen)
    assert np.allclose(found.sum(axis=1), 1) and (found.max(axis=1) == found[chosen]).all()
    for row in range(20):
        assert found[row].tolist() == chances(visits[row], scores[row], squares[row], chosen[row]).tolist()
