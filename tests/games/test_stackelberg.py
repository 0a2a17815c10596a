"""Stackelberg competition: the textbook answers."""

from __future__ import annotations

import numpy as np
import pytest

import playout
from playout import PlayoutError
from playout.truth import reference, regret


def test_duopoly():
    found = reference("stackelberg:demand=20,cost=4,slope=2")
    assert found.actions == ((pytest.approx(4.0),), (pytest.approx(2.0),))  # (a - c) / 2b and (a - c) / 4b
    assert found.payoffs == pytest.approx((16.0, 8.0))  # (a - c)² / 8b and (a - c)² / 16b


def test_monopoly_and_eight_firms():
    assert reference("stackelberg:firms=1").actions == ((5.0,),)
    found = reference("stackelberg:firms=8")
    assert [q for (q,) in found.actions] == pytest.approx([10 / 2**k for k in range(1, 9)])
    assert found.payoffs == pytest.approx([10 / 2**k * 10 / 2**8 for k in range(1, 9)])


def test_a_flooded_market_gets_nothing_more():
    game = playout.load("stackelberg:firms=3")
    assert game.solution(2, np.array([[8.0], [6.0], [0.0]])) == (0.0,)
    assert regret(game, [5.0, 2.5, 0.25]).players == pytest.approx((0.0, 0.0, 1.0))


@pytest.mark.compiles
def test_the_reference_agrees_with_the_formula():
    found = reference("stackelberg:firms=3", closed=False)
    assert [q for (q,) in found.actions] == pytest.approx((5.0, 2.5, 1.25), abs=1e-5) and found.certified
    assert found.payoffs[0] == pytest.approx(6.25, abs=1e-8)


def test_nobody_would_produce():
    with pytest.raises(
        PlayoutError, match=r"^parameter cost=12.0 is not below demand=12.0, so no firm would make anything; lower it"
    ):
        playout.load("stackelberg:cost=12")
