"""Ratings: by hand, against leagues whose strengths are known, and where there is little or nothing to go by."""

import builtins
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.arena.ratings import ELO, League, bradley_terry, openskill_ratings, plackett_luce
from playout.errors import PlayoutError


def chance(log_odds):
    return 1 / (1 + np.exp(-log_odds))


def pairs_both_ways(agents):
    one, two = np.triu_indices(agents, 1)
    return np.concatenate([one, two]), np.concatenate([two, one])


def play(rng, strengths, rounds, side=0.0, opening=0.0, draws=0.0):
    """A round robin: in each round every pair plays both sides of one opening, which favours the first side by chance."""
    a, b = pairs_both_ways(len(strengths))
    favour = side + opening * rng.normal(size=(rounds, 1))
    points = (rng.random((rounds, len(a))) < chance(strengths[a] - strengths[b] + favour)).astype(float)
    points[rng.random(points.shape) < draws] = 0.5
    return np.tile(a, rounds), np.tile(b, rounds), points.ravel(), np.repeat(np.arange(rounds), len(a))


def truth(strengths, side=0.0, opening=0.0, draws=0.0):
    """What endless games would show: the Elo that fits the expected shares best, by plain iteration."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    gap = strengths[:, None] - strengths[None, :]
    share = sum(
        w * (chance(gap + side + opening * x) + chance(gap - side - opening * x)) / 2
        for x, w in zip(nodes, weights / weights.sum())
    )
    share = draws / 2 + (1 - draws) * share
    others, fitted = 1 - np.eye(len(strengths)), np.zeros(len(strengths))
    for _ in range(200):
        p = chance(fitted[:, None] - fitted[None, :])
        weight = p * (1 - p) * others
        fitted = fitted + np.linalg.pinv(np.diag(weight.sum(axis=1)) - weight) @ ((share - p) * others).sum(axis=1)
    return ELO * (fitted - fitted.mean())


LEAGUES = {
    "even": ([0.0, 0.0], {}),
    "side": ([0.5, -0.5], {"side": 0.8}),
    "openings and draws": ([0.5, -0.5], {"side": 0.5, "opening": 2.0, "draws": 0.4}),
    "very unequal": ([2.0, -2.0], {"opening": 1.0}),
    "five": ([0.5, 0.25, 0.0, -0.25, -0.5], {"side": 0.5, "opening": 2.0, "draws": 0.4}),
    "five very unequal": ([2.5, 1.0, 0.0, -1.0, -2.5], {"side": 0.8}),
}


@pytest.mark.parametrize("rounds", [25, 100])
@pytest.mark.parametrize("league", LEAGUES)
def test_intervals_hold_the_truth(league, rounds):
    strengths, words = np.array(LEAGUES[league][0]), LEAGUES[league][1]
    rng, real, agents = np.random.default_rng(rounds), truth(strengths, **words), len(strengths)
    replications = 200
    held, gaps = [], []
    for _ in range(replications):
        found = bradley_terry(*play(rng, strengths, rounds, **words), agents)
        held.append([low < value < high for low, value, high in zip(found.low, real, found.high)])
        _, low, high = found.difference(0, agents - 1)
        gaps.append(low < real[0] - real[-1] < high)
    # Each agent by itself: the errors of different agents in a league are not independent.
    noise = math.sqrt(0.95 * 0.05 / replications)
    assert abs(np.mean(held) - 0.95) < 3 * noise
    assert np.abs(np.mean(held, axis=0) - 0.95).max() < 4 * noise
    assert abs(np.mean(gaps) - 0.95) < 4 * noise


def test_errors_that_ignore_draws_and_rounds_would_fail_that():
    """With draws and one opening for both sides, the binomial error is far too wide; with copies of games too narrow."""
    strengths, words = np.array([0.5, -0.5]), LEAGUES["openings and draws"][1]
    rng, real = np.random.default_rng(5), truth(np.array([0.5, -0.5]), **words)
    held, widths = 0, []
    for _ in range(200):
        a, b, points, rounds = play(rng, strengths, 60, **words)
        games = len(a)
        _, wide_low, wide_high = bradley_terry(a, b, points, np.zeros(games, dtype=int), 2).difference(0, 1)
        _, low, high = bradley_terry(a, b, points, rounds, 2).difference(0, 1)
        widths.append((high - low) / (wide_high - wide_low))
        four = np.tile(np.arange(games), 4)
        _, low, high = bradley_terry(a[four], b[four], points[four], np.arange(4 * games), 2).difference(0, 1)
        held += low < real[0] - real[1] < high
    assert np.mean(widths) < 0.8
    assert held < 180
    many = bradley_terry(a[four], b[four], points[four], rounds[four], 2).difference(0, 1)
    once = bradley_terry(a, b, points, rounds, 2).difference(0, 1)
    assert many[2] - many[1] == pytest.approx(once[2] - once[1], rel=0.05)


def test_few_rounds_have_careful_intervals():
    rng, strengths = np.random.default_rng(6), np.array([0.5, 0.0, -0.5])
    words = {"side": 0.8, "draws": 0.3}
    real = truth(strengths, **words)
    held = [
        low < value < high
        for _ in range(300)
        for found in [bradley_terry(*play(rng, strengths, 8, **words), 3)]
        for low, value, high in zip(found.low, real, found.high)
    ]
    assert np.mean(held) > 0.94


def test_elo_by_hand():
    """Of two agents the virtual games are half a win and half a loss: 30 of 40 becomes 30.5 to 10.5."""
    found = bradley_terry([0] * 40, [1] * 40, [1.0] * 30 + [0.0] * 10, [0] * 40, 2)
    gap = 400 * math.log10(30.5 / 10.5)
    assert found.ratings == pytest.approx((gap / 2, -gap / 2))
    # One round only: the binomial error, 1 / sqrt(40 p (1 - p)) in log-odds.
    p = 30.5 / 41
    error = ELO / math.sqrt(40 * p * (1 - p))
    assert found.errors == pytest.approx((error / 2, error / 2))
    assert found.difference(0, 1) == pytest.approx((gap, gap - 1.959964 * error, gap + 1.959964 * error))
    assert found.difference(1, 0)[0] == pytest.approx(-gap)
    assert found.superiority(0, 1) == pytest.approx(0.5 * (1 + math.erf(gap / error / math.sqrt(2))))
    assert found.superiority(0, 1) + found.superiority(1, 0) == pytest.approx(1)
    assert found.superiority(1, 1) == 0.5 and found.difference(1, 1) == (0.0, 0.0, 0.0)


def test_draws_are_half_wins():
    drawn = bradley_terry([0] * 40, [1] * 40, [0.5] * 40, [0] * 40, 2)
    assert drawn.ratings == pytest.approx((0, 0), abs=1e-6)
    assert drawn.superiority(0, 1) == pytest.approx(0.5)
    mixed = bradley_terry([0] * 40, [1] * 40, [1.0] * 20 + [0.5] * 20, [0] * 40, 2)
    assert mixed.difference(0, 1)[0] == pytest.approx(400 * math.log10(30.5 / 10.5))


@pytest.mark.parametrize("rounds", [np.repeat(np.arange(200), 2), np.zeros(400, dtype=int)])
def test_all_games_won_is_finite_and_wide(rounds):
    found = bradley_terry([0, 1] * 200, [1, 0] * 200, [1.0, 0.0] * 200, rounds, 2)
    elo, low, high = found.difference(0, 1)
    assert elo == pytest.approx(400 * math.log10(400.5 / 0.5))
    assert high - low > 600
    assert low > 400  # and yet it is known to be far better
    assert found.superiority(0, 1) > 0.999


def test_who_beats_whom_in_a_chain_without_an_upset():
    a, b = [0, 0, 1] * 30, [1, 2, 2] * 30
    found = bradley_terry(a, b, [1.0] * 90, np.repeat(np.arange(30), 3), 3)
    assert found.ratings[0] > 300 and found.ratings[1] == pytest.approx(0, abs=1e-4) and found.ratings[2] < -300
    assert all(math.isfinite(value) for value in found.low + found.high)


def test_agents_that_never_met_are_not_compared():
    a, b = [0, 1, 2, 4, 4, 4, 6], [1, 2, 0, 5, 5, 5, 6]
    found = bradley_terry(a, b, [1.0, 0.0, 0.5, 1.0, 1.0, 0.5, 1.0], range(7), 8)
    assert found.groups == (0, 0, 0, -1, 1, 1, -1, -1)  # 6 has only met itself
    for agent in (3, 4, 5, 6, 7):
        assert found.ratings[agent] is found.low[agent] is found.high[agent] is found.errors[agent] is None
    assert sum(found.ratings[:3]) == pytest.approx(0, abs=1e-6)
    assert found.difference(0, 4) is None and found.superiority(4, 0) is None
    assert found.difference(3, 7) is None and found.superiority(3, 6) is None
    assert found.difference(4, 5)[0] == pytest.approx(400 * math.log10(3 / 1))  # 2.5 + 0.5 to 0.5 + 0.5


def test_no_games_at_all():
    for agents in (1, 3):
        found = bradley_terry([], [], [], [], agents)
        assert found.ratings == found.low == found.errors == (None,) * agents
    assert bradley_terry([0, 0], [0, 0], [1.0, 0.5], [0, 1], 1).ratings == (None,)


games = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 25)), min_size=1, max_size=60
)


@settings(max_examples=60)
@given(games, st.permutations(range(5)), st.randoms(use_true_random=False))
def test_neither_the_order_of_games_nor_names_nor_sides_matter(played, names, random):
    a, b, points, rounds = map(np.array, zip(*played))
    found = bradley_terry(a, b, points, rounds, 5)
    order = list(range(len(played)))
    random.shuffle(order)
    again = bradley_terry(b[order], a[order], 1 - points[order], 100 - rounds[order], 5)
    assert_same(found, again, range(5))
    # With equal groups the one of the lowest name is rated: only their insides can be compared then.
    assert_same(found, bradley_terry(np.array(names)[a], np.array(names)[b], points, rounds, 5), names)


def assert_same(one: League, two: League, names):
    for i, j in itertools.combinations(range(5), 2):
        x, y = one.difference(i, j), two.difference(names[i], names[j])
        assert (x is None) == (y is None)
        if x is not None:
            assert np.isfinite(x).all()
            assert x == pytest.approx(y, abs=1e-3)
            assert one.superiority(i, j) == pytest.approx(two.superiority(names[i], names[j]), abs=1e-5)


LINEUPS = np.array([np.roll(trio, turn) for trio in itertools.combinations(range(4), 3) for turn in range(3)])


def play_three(rng, strengths, rounds, opening=0.0, winner_only=False):
    """Every three of four agents, seats turned, seats favoured by chance in each round."""
    lineups = np.tile(LINEUPS, (rounds, 1))
    favour = np.repeat(opening * rng.normal(size=(rounds, 3)), len(LINEUPS), axis=0)
    luck = strengths[lineups] + favour + rng.gumbel(size=lineups.shape)
    points = (luck == luck.max(axis=1, keepdims=True)).astype(float) if winner_only else luck
    return lineups, points, np.repeat(np.arange(rounds), len(LINEUPS))


@pytest.mark.parametrize(("opening", "winner_only"), [(0.0, False), (1.5, False), (1.5, True)])
def test_intervals_of_three_players_hold_the_truth(opening, winner_only):
    rng, strengths = np.random.default_rng(11), np.array([1.0, 0.3, -0.3, -1.0])
    if opening == 0:
        real = ELO * strengths
    else:
        real = np.array(plackett_luce(*play_three(rng, strengths, 20_000, opening, winner_only), 4).ratings)
    held, gaps = [], []
    for _ in range(300):
        found = plackett_luce(*play_three(rng, strengths, 40, opening, winner_only), 4)
        held.append([low < value < high for low, value, high in zip(found.low, real, found.high)])
        _, low, high = found.difference(0, 3)
        gaps.append(low < real[0] - real[3] < high)
    noise = math.sqrt(0.95 * 0.05 / 300)
    assert np.abs(np.mean(held, axis=0) - 0.95).max() < 4 * noise
    assert abs(np.mean(gaps) - 0.95) < 4 * noise


def test_plackett_luce_of_one_game_by_hand():
    """Two agents in three seats: 0 first, then 1, then 0 again. By the likelihood alone, e^t = sqrt 2 is best."""
    found = plackett_luce([[0, 1, 0]] * 3000, [[3, 2, 1]] * 3000, range(3000), 2)
    # L = 2x / (2x + 1) / (1 + x): its log has slope 0 where 2x² = 1.
    assert found.difference(0, 1)[0] == pytest.approx(400 * math.log10(math.sqrt(0.5)), abs=0.5)


def test_openskill_agrees_and_its_interval_holds_the_truth():
    pytest.importorskip("openskill")
    rng, strengths = np.random.default_rng(12), np.array([1.0, 0.3, -0.3, -1.0])
    real = strengths * math.sqrt(3) * 25 / 6
    held = []
    for _ in range(40):
        lineups, points, rounds = play_three(rng, strengths, 30)
        order = rng.permutation(len(lineups))
        found = openskill_ratings(lineups[order], points[order], 4, rounds[order])
        middle = np.mean(found.ratings)
        held.append([low < middle + value < high for low, value, high in zip(found.low, real, found.high)])
        assert all(low <= mu <= high for low, mu, high in zip(found.low, found.ratings, found.high))
    assert np.mean(held) > 0.9
    assert np.argsort(found.ratings).tolist() == [3, 2, 1, 0]


def test_openskill_sees_small_differences_of_points_and_copies_of_an_agent():
    pytest.importorskip("openskill")
    near = openskill_ratings([[0, 1, 2]] * 5, [[0.3, 0.2, 0.1]] * 5, 3)
    assert near == openskill_ratings([[0, 1, 2]] * 5, [[30, 20, 10]] * 5, 3)
    assert near.ratings[0] > near.ratings[1] > near.ratings[2]
    copies = openskill_ratings([[0, 0, 1], [2, 2, 2]], [[3, 1, 2], [1, 2, 3]], 3)
    one = openskill_ratings([[0, 2, 1]], [[3, 1, 2]], 3)  # the seats as entries of their own
    assert copies.ratings[0] == pytest.approx((one.ratings[0] + one.ratings[2]) / 2)
    assert copies.ratings[1] == pytest.approx(one.ratings[1])
    assert copies.ratings[2] == 25 and copies.low[2] is None


def test_without_openskill_there_is_a_sentence(monkeypatch):
    real = builtins.__import__

    def missing(name, *rest):
        if name.startswith("openskill"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(PlayoutError, match=r"need openskill; pip install 'playout\[arena\]'"):
        openskill_ratings([[0, 1, 2]], [[1, 0, 0]], 3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bradley_terry([0], [1], [0.7], [0], 2), "0, 0.5 or 1"),
        (lambda: bradley_terry([0], [1, 0], [1.0], [0], 2), "one of each per game"),
        (lambda: bradley_terry([0], [2], [1.0], [0], 2), "they are 0 to 1"),
        (lambda: bradley_terry([-1], [1], [1.0], [0], 2), "they are 0 to 1"),
        (lambda: bradley_terry([0], [1], [1.0], [0, 1], 2), "do not belong together"),
        (lambda: bradley_terry([0.5], [1], [1.0], [0], 2), "agent numbers"),
        (lambda: plackett_luce([[0, 1, 2]], [[1, math.nan, 0]], [0], 3), "finite"),
        (lambda: plackett_luce([[0]], [[1]], [0], 3), "at least two"),
        (lambda: bradley_terry([], [], [], [], 0), "at least one"),
    ],
)
def test_wrong_input_gets_a_sentence(call, words):
    with pytest.raises(PlayoutError, match=words):
        call()
