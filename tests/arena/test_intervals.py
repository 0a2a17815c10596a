"""Intervals: against tables, against hand-computed values, and by how often they hold the truth."""

import math

import numpy as np
import pytest

from playout.arena.intervals import bootstrap, mean_interval, normal_quantile
from playout.errors import PlayoutError
from playout.intervals import student_quantile, wilson

TABLE = [  # p, degrees of freedom, quantile: the printed tables of Student's t
    (0.975, 1, 12.7062047),
    (0.975, 2, 4.3026527),
    (0.95, 3, 2.3533634),
    (0.975, 5, 2.5705818),
    (0.995, 10, 3.1692727),
    (0.975, 19, 2.0930241),
    (0.975, 30, 2.0422725),
    (0.9995, 4, 8.6103016),
    (0.975, 120, 1.9799304),
]


@pytest.mark.parametrize(("p", "freedom", "expected"), TABLE)
def test_student_quantiles_are_those_of_the_tables(p, freedom, expected):
    assert student_quantile(p, freedom) == pytest.approx(expected, abs=1e-6)
    assert student_quantile(1 - p, freedom) == pytest.approx(-expected, abs=1e-6)


def test_student_goes_over_into_the_normal_without_a_step():
    assert student_quantile(0.975, 99_999) == pytest.approx(student_quantile(0.975, 100_001), abs=1e-8)
    assert student_quantile(0.975, math.inf) == normal_quantile(0.975) == pytest.approx(1.959963984540054)
    assert student_quantile(0.5, 7) == pytest.approx(0, abs=1e-9)
    # With one degree of freedom it is Cauchy, with two there is a closed form.
    assert student_quantile(0.9, 1) == pytest.approx(math.tan(math.pi * 0.4), abs=1e-9)
    assert student_quantile(0.9, 2) == pytest.approx(0.8 / math.sqrt(2 * 0.9 * 0.1), abs=1e-9)


def test_wilson_by_hand():
    # 15 of 20 at z = 1.96: (0.75 + z²/40 ± z sqrt(0.1875/20 + z²/1600)) / (1 + z²/20)
    assert wilson(15, 20) == pytest.approx((0.531299, 0.888138), abs=1e-6)
    z2 = normal_quantile(0.95) ** 2
    assert wilson(10, 10, confidence=0.9) == (pytest.approx(10 / (10 + z2)), 1.0)
    assert wilson(0, 400) == (0.0, pytest.approx(1.959963984540054**2 / (400 + 1.959963984540054**2)))
    assert wilson(0, 0) == (0.0, 1.0)
    low, high = wilson(7.5, 15)
    assert low + high == pytest.approx(1)


def test_mean_interval_by_hand_and_when_there_is_too_little():
    assert mean_interval([]) == (None, None, None)
    assert mean_interval([3.5]) == (3.5, None, None)
    # mean 2, deviation 1, error 1 / sqrt 3, t = 4.3026527
    assert mean_interval([1, 2, 3]) == pytest.approx((2, 2 - 2.4841377, 2 + 2.4841377), abs=1e-6)


@pytest.mark.parametrize("size", [2, 5, 30])
def test_mean_intervals_hold_the_mean(size):
    rng = np.random.default_rng(size)
    held = [low < 0.25 < high for _, low, high in (mean_interval(rng.normal(0.25, 2, size)) for _ in range(1500))]
    assert abs(np.mean(held) - 0.95) < 3.5 * math.sqrt(0.95 * 0.05 / 1500)


def test_bootstrap_holds_a_share_of_points_and_keeps_rows_together():
    rng = np.random.default_rng(4)
    held = 0
    for seed in range(300):
        # Twelve games a round that depend on each other strongly; game by game the interval would be far too narrow.
        luck = rng.random((60, 1))
        rounds = (rng.random((60, 12)) < 0.6 * (luck < 0.5)).astype(float)
        _, low, high = bootstrap(rounds, np.mean, 0.95, seed, repeats=400)
        held += low < 0.3 < high
    assert abs(held / 300 - 0.95) < 3.5 * math.sqrt(0.95 * 0.05 / 300)


def test_bootstrap_game_by_game_would_fail_that():
    rng = np.random.default_rng(5)
    held = 0
    for seed in range(100):
        games = (rng.random((60, 12)) < 0.6 * (rng.random((60, 1)) < 0.5)).astype(float)
        _, low, high = bootstrap(games.reshape(-1, 1), np.mean, 0.95, seed, repeats=200)
        held += low < 0.3 < high
    assert held < 85


def test_bootstrap_is_the_seeds_and_says_when_it_cannot():
    table = np.arange(20.0).reshape(10, 2)
    assert bootstrap(table, np.mean, 0.9, 7, 100) == bootstrap(table, np.mean, 0.9, 7, 100)
    assert bootstrap(table, np.mean, 0.9, 7, 100) != bootstrap(table, np.mean, 0.9, 8, 100)
    assert bootstrap(table[:1], np.mean, 0.9, 7, 100) == (0.5, None, None)
    assert bootstrap(table[:0], np.mean, 0.9, 7, 100) == (None, None, None)
    assert bootstrap(table, lambda rows: math.nan, 0.9, 7, 10)[1:] == (None, None)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: wilson(5, 4), "5 points out of 4 games"),
        (lambda: wilson(1, 4, confidence=95), "confidence is 95"),
        (lambda: mean_interval([1, 2], confidence=1.0), "confidence is 1.0"),
        (lambda: student_quantile(0.9, 0), "degrees of freedom"),
        (lambda: bootstrap([1.0, 2.0], np.mean), "1 dimensions"),
        (lambda: bootstrap([[1.0], [2.0]], np.mean, repeats=0), "repeats is 0"),
    ],
)
def test_wrong_input_gets_a_sentence(call, words):
    with pytest.raises(PlayoutError, match=words):
        call()
