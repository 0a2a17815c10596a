"""Improved policies: by hand, and what they promise."""

import math

import numpy as np
import pytest

from playout.planner.improved import completed_values, improved_policy

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
