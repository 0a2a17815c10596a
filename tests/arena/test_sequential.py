"""The sequential test: it may be looked at all the time, and still errs as seldom as it says."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playout.arena.sequential import BETS, SequentialTest, Verdict, confidence_sequence
from playout.errors import PlayoutError

REPLICATIONS, ROUNDS = 2000, 400


def differences(rng, shape, wins=0.5, draws=0.0):
    """Mean difference of the points of two games, which the first agent wins so often."""
    points = (rng.random((*shape, 2)) < wins) * 2.0 - 1
    points[rng.random(points.shape) < draws] = 0
    return points.mean(axis=-1)


def ever_rich(x, needed):
    """For many matches at once: does the wealth of the bets, or of the bets against, ever reach that much?"""
    rich = np.zeros(x.shape[0], dtype=bool)
    for sign in (1, -1):
        log_wealth = np.stack([np.cumsum(np.log1p(sign * bet * x), axis=1) for bet in BETS])
        rich |= (np.log(np.exp(log_wealth).mean(axis=0)) >= math.log(needed)).any(axis=1)
    return rich


def most_allowed(rate):
    return rate + 3 * math.sqrt(rate * (1 - rate) / REPLICATIONS)


@pytest.mark.parametrize("confidence", [0.95, 0.9])
@pytest.mark.parametrize("draws", [0.0, 0.6])
@pytest.mark.parametrize("agents", [2, 3])
def test_equal_agents_are_seldom_told_apart_however_often_one_looks(agents, draws, confidence):
    rng = np.random.default_rng(int(agents * 100 + draws * 10))
    pairs = agents * (agents - 1)
    wrong = np.zeros(REPLICATIONS, dtype=bool)
    for _ in range(pairs // 2):
        wrong |= ever_rich(differences(rng, (REPLICATIONS, ROUNDS), draws=draws), pairs / (1 - confidence))
    assert wrong.mean() <= most_allowed(1 - confidence)
    # Not so careful either that it could never find anything.
    assert wrong.mean() > (1 - confidence) / 10


def test_a_z_test_after_every_round_would_fail_that():
    rng = np.random.default_rng(1)
    x = differences(rng, (REPLICATIONS, ROUNDS))
    rounds = np.arange(1, ROUNDS + 1)
    z = np.cumsum(x, axis=1) / np.sqrt(np.maximum(np.cumsum(x * x, axis=1), 1e-9))
    wrong = (np.abs(z[:, rounds >= 20]) > 1.96).any(axis=1)
    assert wrong.mean() > 0.25 > most_allowed(0.05)


def test_the_class_is_what_was_simulated():
    rng = np.random.default_rng(2)
    x = differences(rng, (60, 150), wins=0.6)
    rich = ever_rich(x, 2 / 0.05)
    for row, expected in zip(x, rich):
        test = SequentialTest(2, 0.95)
        for value in row.tolist():
            test.add({(0, 1): value})
        assert (test.verdict is not None) == expected
    assert 10 < rich.sum() < 60


def test_three_equal_agents_through_the_class():
    rng = np.random.default_rng(3)
    false = 0
    for _ in range(60):
        test = SequentialTest(3, 0.9)
        for row in differences(rng, (100, 3)).tolist():
            test.add({(0, 1): row[0], (0, 2): row[1], (1, 2): row[2]})
        false += bool(test.decided)
    assert false <= 60 * 0.1 + 3 * math.sqrt(60 * 0.09)


def test_a_player_that_wins_six_of_ten_is_found():
    """Two games a round; a z-test planned for 80 % power would need about 94 rounds, without looking before."""
    rng = np.random.default_rng(4)
    rounds = []
    for _ in range(200):
        test = SequentialTest(2, 0.95)
        while test.verdict is None and test.rounds < 1000:
            test.add({(0, 1): float(differences(rng, (), wins=0.6))})
        rounds.append(test.rounds if test.verdict and test.verdict.better == 0 else 1000)
    assert np.median(rounds) < 150
    assert np.quantile(rounds, 0.9) < 320


def test_one_that_wins_everything_is_found_at_once_and_a_draw_never():
    test = SequentialTest(2, 0.95)
    while test.verdict is None:
        test.add({(1, 0): 1.0})
    assert test.verdict == Verdict(better=1, decided=((1, 0),), rounds=test.rounds, confidence=0.95, shape="round-robin")
    assert test.rounds <= 10
    drawn = SequentialTest(2, 0.95)
    for _ in range(1000):
        assert drawn.add({(0, 1): 0.0}) is None
    assert drawn.wealth(0, 1) == drawn.wealth(1, 0) == pytest.approx(0)


def test_round_robin_ends_with_the_best_and_gauntlet_with_every_pair_of_agent_0():
    table = np.array([[0, 0.8, -0.7], [-0.8, 0, -0.9], [0.7, 0.9, 0]])
    robin, gauntlet = SequentialTest(3, 0.95), SequentialTest(3, 0.95, "gauntlet")
    while not (robin.verdict and gauntlet.verdict):
        robin.add(table)
        gauntlet.add(table)
    assert robin.verdict.better == 2
    assert {(2, 0), (2, 1)} <= set(robin.verdict.decided)
    assert gauntlet.verdict.better is None  # lost to one, beat the other
    assert set(gauntlet.verdict.decided) == {(0, 1), (2, 0)}
    beats_all = SequentialTest(3, 0.95, "gauntlet")
    while not beats_all.verdict:
        beats_all.add({(0, 1): 0.5, (2, 0): -0.6})
    assert beats_all.verdict.better == 0


def test_a_pair_is_never_declared_both_ways_and_a_verdict_stays():
    test = SequentialTest(3, 0.95)
    for value in [1.0] * 30 + [-1.0] * 200:
        test.add({(0, 1): value})
    assert test.decided == ((0, 1),)
    assert test.wealth(1, 0) > math.log(6 / 0.05)
    done = SequentialTest(2, 0.95)
    for value in [1.0] * 30 + [-1.0] * 200:
        done.add({(0, 1): value})
    assert done.verdict.better == 0 and done.verdict.rounds == done.rounds < 30


def test_tables_and_dictionaries_say_the_same_and_missing_pairs_keep_their_wealth():
    rng = np.random.default_rng(6)
    one, two = SequentialTest(3), SequentialTest(3)
    for a, b in differences(rng, (30, 2)).tolist():
        one.add({(1, 0): -a, (1, 2): b})
        two.add([[0, a, math.nan], [-a, 0, b], [math.nan, math.nan, 0]])
    for i, j in ((0, 1), (1, 0), (1, 2), (2, 1), (0, 2)):
        assert one.wealth(i, j) == pytest.approx(two.wealth(i, j))
    assert one.wealth(0, 2) == one.wealth(2, 0) == 0


def test_confidence_sequence_holds_the_mean_at_all_times_at_once():
    """A mean is outside exactly when the bets on or against it are rich: so all times can be looked at together."""
    rng = np.random.default_rng(7)
    x = rng.beta(0.4, 1.2, (1000, 300))  # skewed, mean 1/4
    up = np.stack([np.cumsum(np.log1p(bet * (x / 0.25 - 1)), axis=1) for bet in BETS])
    down = np.stack([np.cumsum(np.log1p(bet * ((1 - x) / 0.75 - 1)), axis=1) for bet in BETS])
    outside = np.maximum(np.exp(up).mean(axis=0), np.exp(down).mean(axis=0)) >= 2 / 0.1
    assert outside.any(axis=1).mean() <= 0.1 + 3 * math.sqrt(0.09 / 1000)
    for match in [*np.flatnonzero(outside.any(axis=1))[:3].tolist(), 0, 1, 2]:
        for time in (1, 5, 50, 299):
            low, high = confidence_sequence(x[match, : time + 1], 0.9, 0.0, 1.0)
            assert (not low < 0.25 < high) == outside[match, time]


def test_confidence_sequence_shrinks_and_has_sensible_ends():
    rng = np.random.default_rng(8)
    x = differences(rng, (5000,), wins=0.6)
    low, high = confidence_sequence(x)
    assert low < 0.2 < high and high - low < 0.15
    assert confidence_sequence([]) == (-1.0, 1.0)
    low, high = confidence_sequence([1.0] * 200)
    assert low > 0.9 and high == 1.0
    low, high = confidence_sequence([0.0] * 10, low=0.0, high=1.0)
    assert low == 0.0 and high < 1.0
    assert confidence_sequence(-x) == pytest.approx(tuple(-end for end in reversed(confidence_sequence(x))), abs=1e-7)


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), max_size=60))
def test_interval_and_test_agree(values):
    test = SequentialTest(2, 0.9)
    for value in values:
        if test.add({(0, 1): value}):
            break
    low, high = confidence_sequence(values[: test.rounds], 0.9)
    assert -1 <= low <= high <= 1
    if abs(low) > 1e-6 and abs(high) > 1e-6:
        assert (test.verdict is not None) == (not low <= 0 <= high)
    assert confidence_sequence(values[::-1], 0.9) == pytest.approx(confidence_sequence(values, 0.9))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: SequentialTest(1), "at least 2"),
        (lambda: SequentialTest(2, 95), "confidence is 95"),
        (lambda: SequentialTest(2, shape="gaunlet"), "did you mean 'gauntlet'"),
        (lambda: SequentialTest(2).add({(0, 1): 1.5}), "from -1 to 1"),
        (lambda: SequentialTest(2).add({(0, 1): math.nan}), "from -1 to 1"),
        (lambda: SequentialTest(2).add({(0, 2): 0.5}), "not one of this test"),
        (lambda: SequentialTest(3, shape="gauntlet").add({(1, 2): 0.5}), "one of them 0"),
        (lambda: SequentialTest(2).add({(0, 1): 0.5, (1, 0): -0.5}), "given twice"),
        (lambda: SequentialTest(2).add([[0, 0.5], [0.5, 0]]), "contradicts itself"),
        (lambda: SequentialTest(2).add([[0, 2], [-2, 0]]), "beyond -1 to 1"),
        (lambda: SequentialTest(2).add([[0, math.inf], [-math.inf, 0]]), "beyond"),
        (lambda: SequentialTest(3).add([[0, 0.5], [-0.5, 0]]), "each of 3 agents"),
        (lambda: confidence_sequence([2.0]), "must lie from -1.0 to 1.0"),
        (lambda: confidence_sequence([math.nan]), "must lie"),
        (lambda: confidence_sequence([0.0], low=1.0, high=0.0), "low must be below high"),
    ],
)
def test_wrong_input_gets_a_sentence(call, words):
    with pytest.raises(PlayoutError, match=words):
        call()
