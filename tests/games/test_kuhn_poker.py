"""Kuhn poker."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout import PlayoutError, State, load
from tests.games.hidden import (
    check_compiles,
    check_contract,
    check_hides,
    check_worlds_are_exact,
    histories,
    observed,
    starts,
    worlds,
)
from tests.games.properties import check_state, choices, key_of, walk

KUHN = load("kuhn-poker")


def deal(first: str, second: str) -> State:
    return KUHN.state({"cards": [" JQK".index(first), " JQK".index(second)]})


@pytest.mark.parametrize(
    "line, high_wins, low_wins",
    [
        (["check", "check"], 1, -1),
        (["check", "bet", "fold"], -1, -1),
        (["check", "bet", "call"], 2, -2),
        (["bet", "fold"], 1, 1),
        (["bet", "call"], 2, -2),
    ],
)
def test_the_five_ways_a_deal_can_end(line: list[str], high_wins: int, low_wins: int):
    for cards, expected in (("KQ", high_wins), ("QJ", high_wins), ("JK", low_wins), ("JQ", low_wins)):
        state = deal(*cards)
        for number, move in enumerate(line):
            assert state.mover == number & 1 and len(state.legal) == 2 and state.returns == (0, 0)
            state = state.play(move)
        assert state.over and state.returns == (expected, -expected)


def test_six_deals_five_endings_and_twelve_information_sets():
    assert sorted((p, tuple(s.fields.cards)) for p, s in starts(KUHN)) == [
        (Fraction(1, 6), (a, b)) for a in (1, 2, 3) for b in (1, 2, 3) if a != b
    ]
    states = [state for _, _, state in histories(KUHN)]
    assert sum(state.over for state in states) == 6 * 5
    assert sum(not state.over for state in states) == 6 * 4
    assert len({(s.mover, observed(s, s.mover)) for s in states if not s.over}) == 12


def equilibrium(alpha: Fraction) -> dict[tuple[int, str], Fraction]:
    """How often to bet or call with each card after each line, one of Kuhn's equilibria for each alpha from 0 to 1/3."""
    first = {"": (alpha, 0, 3 * alpha), "pb": (0, alpha + Fraction(1, 3), 1)}
    second = {"p": (Fraction(1, 3), 0, 1), "b": (0, Fraction(1, 3), 1)}
    return {(card, line): Fraction(p) for line, row in {**first, **second}.items() for card, p in zip((1, 2, 3), row)}


def value(profile: dict[tuple[int, str], Fraction]) -> Fraction:
    """What the first player wins on average when both play by the profile."""

    def below(state: State, line: str) -> Fraction:
        if state.over:
            return Fraction(int(state.returns[0]))
        bet = profile[state.fields.cards[state.mover], line]
        return bet * below(state.play(1), line + "b") + (1 - bet) * below(state.play(0), line + "p")

    return sum((probability * below(state, "") for probability, state in starts(KUHN)), Fraction(0))


def test_equilibrium_is_worth_minus_one_eighteenth():
    for alpha in (Fraction(0), Fraction(1, 7), Fraction(1, 3)):
        assert value(equilibrium(alpha)) == Fraction(-1, 18)


def test_no_reply_does_better_against_the_equilibrium():
    profile = equilibrium(Fraction(1, 6))
    for lines, best in ((("", "pb"), max), (("p", "b"), min)):
        sets = list(product((1, 2, 3), lines))
        replies = [value({**profile, **dict(zip(sets, map(Fraction, pure)))}) for pure in product((0, 1), repeat=len(sets))]
        assert best(replies) == Fraction(-1, 18)


def test_worlds_are_exact():
    assert check_worlds_are_exact(KUHN) == 2 * (3 * 6 + 3 * 6)  # 6 lines with a hidden card, 3 showdowns of 6 deals


def test_worlds_by_hand():
    state = deal("Q", "K").play("check")
    assert {tuple(np.frombuffer(w, KUHN.dtype)["cards"][0]): p for w, p in worlds(state, 0).items()} == {
        (2, 1): Fraction(1, 2),
        (2, 3): Fraction(1, 2),
    }
    assert worlds(state.play("bet").play("call"), 0) == {bytes(state.play("bet").play("call")): 1}  # the cards were shown
    assert len(worlds(state.play("bet").play("fold"), 0)) == 2  # and stay hidden after a fold


def test_names_draw_and_what_a_viewer_sees():
    state = deal("J", "K").play("check")
    assert [state.name(a) for a in state.legal] == ["check", "bet"]
    assert [state.play("bet").name(a) for a in (0, 1)] == ["fold", "call"]
    assert state.draw() == "  player 0: J, 1 in the pot\n> player 1: K, 1 in the pot\n  moves: check"
    assert state.draw(0) == "  player 0: J, 1 in the pot\n> player 1: ?, 1 in the pot\n  moves: check"
    assert ">K<" not in state.svg(0) and ">K<" in state.svg(1) and ">J<" not in state.svg(1)
    over = state.replay(["bet", "call"])
    assert over.draw(0) == "  player 0: J, 2 in the pot\n  player 1: K, 2 in the pot\n  moves: check, bet, call"
    assert ">K<" in over.svg(0)
    assert "player 1: ?" in state.replay(["bet", "fold"]).draw(0)


def test_hides():
    assert check_hides(KUHN, games=30) > 80


def test_keys_are_exact():
    states = [state for _, _, state in histories(KUHN)]
    assert len({key_of(state) for state in states}) == len({bytes(state) for state in states}) == 54


@pytest.mark.compiles
def test_contract_and_compiled():
    check_contract(KUHN)
    check_compiles(KUHN, games=20)


@settings(max_examples=20, deadline=None)
@given(choices, st.integers(0, 1000))
def test_random_play(numbers: list[int], seed: int):
    for state in walk(KUHN, [*numbers, 0, 0, 0], seed):
        check_state(state)


def test_parameter_errors():
    with pytest.raises(PlayoutError) as error:
        load("kuhn-poker", cards=4)
    assert str(error.value) == "game 'kuhn-poker' has no parameter 'cards'; parameters: it has none"
