"""The sampled-tree estimate: cheap, and not regret."""

from __future__ import annotations

import pytest

import playout
from playout import PlayoutError
from playout.truth import reference, sampled_estimate


@pytest.mark.compiles
def test_at_the_solution_it_is_far_below_zero():
    """Ten Normal(0, 1) draws a stage hardly reach y = 2.36: the third player seems to do tens better than anybody can."""
    best = reference("loss-1d")
    found = sampled_estimate("loss-1d", best.actions, trees=40, seed=3)
    assert all(low < value < high for value, (low, high) in zip(found.estimate, ((-3.5, 0.0), (-9.0, -2.0), (-52.0, -25.0))))
    # A single tree may read anything within a few spreads, (-3.0, -5.2, -49.9) among it.
    for value, mean, spread in zip((-3.0, -5.2, -49.9), found.estimate, found.spread_of_one):
        assert abs(value - mean) < 3 * spread
    assert found.standard_error == pytest.approx([s / 40**0.5 for s in found.spread_of_one])


@pytest.mark.compiles
def test_it_says_what_it_is():
    found = sampled_estimate("loss-1d", [0.0, 0.0, 0.0], draws=3, trees=4, seed=1)
    assert str(found).startswith("loss-1d: sampled-tree estimate, which is not regret: ")
    assert str(found).endswith("(3 draws a stage, spread 1 around the origin, 4 trees, seed 1)")
    again = sampled_estimate("loss-1d", [0.0, 0.0, 0.0], draws=3, trees=4, seed=1)
    assert again == found != sampled_estimate("loss-1d", [0.0, 0.0, 0.0], draws=3, trees=4, seed=2)


@pytest.mark.compiles
def test_it_can_be_of_any_sign():
    assert sampled_estimate("loss-1d", [5.0, 0.0, -5.0], trees=5).estimate[0] > 0


@pytest.mark.compiles
def test_from_the_middle_and_around_the_trajectory():
    state = playout.load("loss-1d").start().play(-0.2).play(2.0)
    found = sampled_estimate(state, [-1.15], centre="trajectory", spread=0.01, draws=50, trees=5)
    assert -0.01 < found.estimate[2] <= 0  # the best reply, and draws close around it


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            {"draws": 200},
            "200 draws at each of 3 stages make 8.0e+06 leaves, and at most 1,000,000 are allowed; draw 99 or begin",
        ),
        ({"draws": 0}, "draws=0, trees=20, spread=1.0 cannot be used; give 1 draw, 2 trees and a spread above 0 or more"),
        ({"centre": "here"}, "centre='here' is neither 'origin' nor 'trajectory'; choose one of them"),
    ],
)
def test_wrong_words(words, message):
    with pytest.raises(PlayoutError) as error:
        sampled_estimate("loss-1d", [0.0, 0.0, 0.0], **words)
    assert str(error.value).startswith(message)
