"""Agents asked at every information set, and the intervals of what is computed from their answers."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from playout import PlayoutError
from playout.cli.exploit import show_report
from playout.cli.terminal import console
from playout.truth import SearchPolicy, equilibrium, exploitability, game_tree, normalized, search_policy, uniform
from playout.truth.imperfect.report import report
from playout.truth.imperfect.search_policy import with_budget

KUHN = game_tree("kuhn-poker")


@pytest.fixture(scope="module")
def found() -> SearchPolicy:
    return search_policy(KUHN, "ismcts", simulations=200, repeats=8, seed=3)


@pytest.mark.compiles
def test_what_ismcts_plays(found: SearchPolicy) -> None:
    assert found.name == "ismcts:simulations=200" and found.asked == 8 * 12 and found.samples.shape == (8, 24)
    assert set(found.samples.ravel()) == {0.0, 1.0} and (found.samples.reshape(8, 12, 2).sum(2) == 1).all()
    for known in KUHN.info_sets:
        card, moves = known.state.fields.cards[known.player], known.state.fields.moves
        facing = moves > 0 and known.state.fields.line[moves - 1] == 2
        if facing and card != 2:
            assert found.policy[known][1] == (card == 3)  # never folds a king, never calls with a jack


@pytest.mark.compiles
def test_it_is_no_equilibrium(found: SearchPolicy) -> None:
    sure = found.exploitability
    assert sure.value == exploitability(KUHN, found.policy) and 0.02 < sure.low <= sure.value < sure.high < 0.4
    assert found.value.low < found.value.value < found.value.high


@pytest.mark.compiles
def test_the_same_seed_gives_the_same_decisions(found: SearchPolicy) -> None:
    again = search_policy(KUHN, "ismcts:simulations=200", repeats=8, seed=3)
    assert (again.samples == found.samples).all() and again.exploitability == found.exploitability
    other = search_policy(KUHN, "ismcts:simulations=200", repeats=8, seed=4)
    assert (other.samples != found.samples).any()


@pytest.mark.compiles
def test_shares_of_visits() -> None:
    found = search_policy(KUHN, "ismcts:simulations=50", repeats=2, shares=True)
    assert (found.samples.reshape(2, 12, 2).sum(2) == pytest.approx(1)) and ((found.samples > 0) & (found.samples < 1)).any()


@pytest.mark.compiles
def test_random_agent_and_the_bias_of_few_decisions() -> None:
    """Too high by itself, too low on decisions that were held out: the truth is in between."""
    found = search_policy(KUHN, "random", repeats=40, seed=1)
    assert found.policy.vector == pytest.approx(0.5, abs=0.3)
    assert found.exploitability.low < exploitability(KUHN, uniform(KUHN)) < found.exploitability.high


@pytest.mark.compiles
def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    policy = normalized(KUHN, equilibrium(KUHN, "cfr+", iterations=300).policy.vector + uniform(KUHN).vector)
    truth, held, trials = exploitability(KUHN, policy), 0, 40
    for trial in range(trials):
        bets = np.random.default_rng(trial).random((15, 12)) < policy.vector[1::2]
        samples = np.stack([1.0 - bets, bets], axis=2).reshape(15, 24)
        sure = SearchPolicy(KUHN, "drawn", samples, trial, 0).exploitability
        held += sure.low <= truth <= sure.high
    assert held >= 0.85 * trials


@pytest.mark.parametrize(
    "agent, repeats, shares, words",
    [
        ("peek", 2, False, "is shown the true state, so what it plays is no policy"),
        ("ismcts", 1, False, "repeats is 1; it must be at least 2"),
        ("random", 2, True, "does not search, so it has no visits"),
        ("ismct", 2, False, "unknown agent 'ismct'"),
    ],
)
def test_what_cannot_be_asked(agent: str, repeats: int, shares: bool, words: str) -> None:
    with pytest.raises(PlayoutError, match=words):
        search_policy(KUHN, agent, simulations=10, repeats=repeats, shares=shares)


def test_a_budget_is_added_where_none_is_named() -> None:
    assert with_budget("ismcts", 100) == "ismcts:simulations=100" and with_budget("ismcts", None) == "ismcts"
    assert with_budget("pimc:c=1", 100) == "pimc:c=1,simulations=100" and with_budget("random", 100) == "random"
    assert with_budget("uct:seconds=1", 100) == "uct:seconds=1" and with_budget("mine.py:make", 100) == "mine.py:make"


@pytest.mark.compiles
def test_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    said: list[str] = []
    made = report(
        "kuhn-poker", ["ismcts"], simulations=50, repeats=2, iterations=20_000, show=lambda words, done: said.append(words)
    )
    assert [row.name for row in made.rows] == ["external, 20,000 iterations", "random", "ismcts:simulations=50"]
    assert made.rows[0].exploitability < 0.05 and made.rows[1].low is None and made.rows[2].asked == 24
    assert {"enumerating the game", "solving the game", "asking ismcts:simulations=50"} == set(said)
    assert msgspec.json.decode(msgspec.json.encode(made))["info_sets"] == 12
    show_report(console(), made)
    printed = capsys.readouterr().out
    for words in ("kuhn-poker: 55 histories, 12 information sets", "0.4583", "exact", "ismcts:simulations=50"):
        assert words in printed
