from __future__ import annotations

from fractions import Fraction

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

LIAR = load("liars-dice")


def rolled(*hands: str, **parameters: object) -> State:
    return load("liars-dice", dice=len(hands[0]), **parameters).state({"dice": [[int(d) for d in hand] for hand in hands]})


def names(state: State) -> list[str]:
    return [state.name(action) for action in state.legal]


def test_bids_rise_until_somebody_says_liar():
    state = rolled("3", "5")
    assert names(state) == [f"{q}x{f}" for q in (1, 2) for f in range(1, 7)]  # nobody to call a liar yet
    state = state.play("1x5")
    assert state.mover == 1 and names(state) == ["1x6", *(f"2x{f}" for f in range(1, 7)), "liar"]
    state = state.play("2x6")
    assert state.mover == 0 and names(state) == ["liar"] and state.returns == (0, 0)
    assert state.play("liar").over and state.play("liar").returns == (1, -1)


@pytest.mark.parametrize(
    "hands, wild, bid, holds",
    [
        (("3", "5"), False, "1x5", True),
        (("3", "5"), False, "1x4", False),
        (("3", "3"), False, "2x3", True),
        (("3", "6"), False, "2x3", False),
        (("3", "6"), True, "2x3", True),
        (("6", "6"), True, "2x2", True),
        (("3", "6"), True, "2x6", False),
        (("35", "55"), False, "3x5", True),
        (("35", "55"), False, "4x5", False),
        (("36", "36"), True, "4x3", True),
    ],
)
def test_who_wins(hands: tuple[str, str], wild: bool, bid: str, holds: bool):
    state = rolled(*hands, wild=wild).play(bid).play("liar")
    assert state.returns == ((1, -1) if holds else (-1, 1))


def test_chance_and_sizes():
    assert [p for p, _ in starts(LIAR)] == [Fraction(1, 36)] * 36
    two = {tuple(map(tuple, np.array(s.fields.dice))): p for p, s in starts(load("liars-dice", dice=2))}
    assert len(two) == 21 * 21 and two[(1, 2), (3, 3)] == Fraction(2, 36) * Fraction(1, 36)
    small = load("liars-dice", faces=3)
    states = [state for _, _, state in histories(small)]
    # Every set of the 6 bids is a line, and all but the empty one can be called.
    assert sum(not s.over for s in states) == 9 * 2**6 and sum(s.over for s in states) == 9 * (2**6 - 1)
    assert len({(s.mover, observed(s, s.mover)) for s in states if not s.over}) == 3 * 2**6


@pytest.mark.parametrize("parameters", [{"faces": 3}, {"faces": 2, "wild": True}, {"faces": 2, "dice": 2}])
def test_worlds_are_exact(parameters: dict[str, object]):
    assert check_worlds_are_exact(load("liars-dice", **parameters), depth=5, every=3) > 40


def test_worlds_by_hand():
    state = rolled("25", "11").play("1x5")
    cast = {tuple(np.frombuffer(w, state.game.dtype)["dice"][0][1]): p for w, p in worlds(state, 0).items()}
    assert cast == {(a, b): Fraction(1 if a == b else 2, 36) for a in range(1, 7) for b in range(a, 7)}
    assert worlds(state.play("liar"), 0) == {bytes(state.play("liar")): 1}


def test_the_line_of_bids_is_remembered():
    state = rolled("3", "5")
    one, other = state.replay(["1x1", "1x2", "1x4"]), state.replay(["1x2", "1x3", "1x4"])
    assert one.legal == other.legal and observed(one, 1) != observed(other, 1) and key_of(one) != key_of(other)


def test_names_draw_and_what_a_viewer_sees():
    state = rolled("35", "14").play("1x5").play("2x1")
    assert state.draw() == "> player 0: 3 5\n  player 1: 1 4\n  bids: 1x5, 2x1"
    assert state.draw(0) == "> player 0: 3 5\n  player 1: ? ?\n  bids: 1x5, 2x1"
    assert state.draw(1).splitlines()[0] == "> player 0: ? ?"
    assert ">4<" not in state.svg(0) and ">4<" in state.svg(1) and ">3<" not in state.svg(1)
    assert state.play("liar").draw(0) == "  player 0: 3 5\n  player 1: 1 4\n  bids: 1x5, 2x1, liar"
    assert ">4<" in state.play("liar").svg(0)


@pytest.mark.parametrize("parameters", [{}, {"dice": 2, "wild": True}])
def test_hides(parameters: dict[str, object]):
    assert check_hides(load("liars-dice", **parameters), games=12) > 60


def test_keys_are_exact():
    states = [state for _, _, state in histories(load("liars-dice", faces=2, dice=2), depth=4)]
    assert len({key_of(state) for state in states}) == len({bytes(state) for state in states})


@pytest.mark.compiles
@pytest.mark.parametrize("parameters", [{}, {"dice": 2, "wild": True}])
def test_contract_and_compiled(parameters: dict[str, object]):
    check_contract(load("liars-dice", **parameters))
    check_compiles(load("liars-dice", **parameters), games=10)


@settings(max_examples=15, deadline=None)
@given(choices, st.integers(0, 1000))
def test_random_play(numbers: list[int], seed: int):
    for game in (LIAR, load("liars-dice", dice=2, faces=4, wild=True)):
        for state in walk(game, numbers, seed)[-2:]:
            check_state(state)


def test_parameter_errors():
    for parameters, message in [
        ({"dice": 3}, "parameter dice=3 is out of range: dice of each player must be from 1 to 2"),
        ({"faces": 7}, "parameter faces=7 is out of range: faces of a die must be from 2 to 6"),
        ({"wild": "perhaps"}, "parameter wild='perhaps' is not a valid bool; for example wild=False"),
    ]:
        with pytest.raises(PlayoutError) as error:
            load("liars-dice", **parameters)
        assert str(error.value) == message
