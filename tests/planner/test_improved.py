"""Improved policies: by hand, and what they promise."""

import math

import numpy as np
import pytest

import playout
from playout import Search
from playout.planner.improved import completed_values, improved_by, improved_policy

GAME = playout.load("tic-tac-toe")


def test_completed_values_by_hand():
    # tried: 0.8 and 0.4 with priors 0.2 and 0.3, so 0.56 over 16 visits; mixed with the own value 0.39 once: (0.39 + 16 · 0.56) / 17
    found = completed_values(np.array([10.0, 6, 0]), np.array([0.8, 0.4, 9.0]), np.array([0.2, 0.3, 0.5]), 0.39)
    assert found == pytest.approx([0.8, 0.4, 0.55])
    assert completed_values(np.zeros(3), np.zeros(3), np.ones(3) / 3, 0.7).tolist() == [0.7] * 3


def test_the_policy_by_hand():
    found = improved_policy([1, 1], [0.1, -0.1], [0.25, 0.75], 0.0, base_visits=1)
    # on the scale from 0 to 1 the values are 0.55 and 0.45, times 1 + 1
    weights = [0.25 * math.exp(1.1), 0.75 * math.exp(0.9)]
    assert found == pytest.approx([w / sum(weights) for w in weights])


def test_without_tries_it_is_the_prior():
    assert improved_policy([0, 0, 0], [np.nan] * 3, [0.2, 0.3, 0.5], 0.4) == pytest.approx([0.2, 0.3, 0.5])


def test_it_is_never_worse_than_the_prior():
    rng = np.random.default_rng(3)
    for _ in range(200):
        count = int(rng.integers(2, 9))
        visits = rng.integers(0, 5, count)
        means, priors = rng.uniform(-1, 1, count), rng.dirichlet(np.ones(count))
        hopes = completed_values(visits.astype(float), (means + 1) / 2, priors, 0.5)
        found = improved_policy(visits, means, priors, 0.0)
        assert found.sum() == pytest.approx(1) and found @ hopes >= priors @ hopes - 1e-12


def test_a_prior_of_nothing_is_no_trouble():
    found = improved_policy([3, 3, 0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], 0.0)
    assert np.isfinite(found).all() and found[1] > 0


def test_of_a_decision_it_knows_what_is_proven():
    def even(states):
        return np.ones((len(states), 9)), np.zeros((len(states), 2))

    state = GAME.start().replay(["a1", "a2", "b1", "b2"])
    decision = Search(GAME, evaluator=even, batch=4, seed=1, compiled=False).run(state, simulations=40)
    shares = improved_by(decision)
    assert decision.name == "c1" and shares[2] > 0.99 and sum(shares.values()) == pytest.approx(1)
    early = Search(GAME, evaluator=even, batch=1, seed=1, compiled=False).run(simulations=12)
    assert set(improved_by(early).values()) != {1 / 9} or early.proven is None
