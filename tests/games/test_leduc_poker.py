from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout import PlayoutError, State, load
from tests.games.hidden import (
    Tape,
    changed,
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

LEDUC = load("leduc-poker")
CARDS = ["", "Jh", "Js", "Qh", "Qs", "Kh", "Ks"]


def deal(first: str, second: str) -> State:
    return LEDUC.state({"cards": [CARDS.index(first), CARDS.index(second)], "paid": [1, 1]})


def names(state: State) -> list[str]:
    return [state.name(action) for action in state.legal]


def open_card(state: State, move: str, card: str) -> State:
    """Play the move that ends the first round, and lay this card open."""
    left = [c for c in range(1, 7) if c not in state.fields.cards]
    after = changed(state, "play", state.find(move), Tape([left.index(CARDS.index(card))]))
    assert after.fields.board == CARDS.index(card)
    return after


def test_a_hand_with_every_raise():
    state = deal("Kh", "Qs")
    assert names(state) == ["check", "raise"] and state.mover == 0
    state = state.play("check")
    assert names(state) == ["check", "raise"] and state.mover == 1
    state = state.play("raise")
    assert names(state) == ["fold", "call", "raise"] and list(state.fields.paid) == [1, 3]
    state = state.play("raise")
    assert names(state) == ["fold", "call"] and list(state.fields.paid) == [5, 3]
    state = open_card(state, "call", "Qh")
    assert list(state.fields.paid) == [5, 5] and state.mover == 0 and names(state) == ["check", "raise"]
    state = state.play("raise").play("raise")
    assert list(state.fields.paid) == [9, 13] and names(state) == ["fold", "call"] and state.returns == (0, 0)
    assert state.play("fold").returns == (-9, 9)
    assert state.play("call").returns == (-13, 13)  # the pair of queens beats the king


@pytest.mark.parametrize(
    "first, second, board, expected",
    [("Kh", "Qs", "Jh", 1), ("Jh", "Qs", "Kh", -1), ("Jh", "Ks", "Js", 1), ("Qh", "Qs", "Kh", 0), ("Kh", "Jh", "Js", -1)],
)
def test_showdown(first: str, second: str, board: str, expected: int):
    state = open_card(deal(first, second).play("check"), "check", board).replay(["check", "check"])
    assert state.over and state.returns == (expected, -expected)


def test_a_fold_in_the_first_round_costs_what_was_paid():
    assert deal("Kh", "Qs").replay(["raise", "fold"]).returns == (1, -1)
    assert deal("Kh", "Qs").replay(["check", "raise", "fold"]).returns == (-1, 1)
    assert deal("Kh", "Qs").replay(["raise", "raise", "fold"]).returns == (-3, 3)


@pytest.fixture(scope="module")
def everything():
    return list(histories(LEDUC))


def test_deals_and_sizes(everything):
    assert [probability for probability, _ in starts(LEDUC)] == [Fraction(1, 30)] * 30
    boards = {(tuple(s.fields.cards), s.fields.board): w for line, w, s in everything if line == (1, 1)}
    assert len(boards) == 120 and set(boards.values()) == {Fraction(1, 120)}
    # Each round goes on to its end in 5 ways and is given up in 4; before the second there are 4 open cards.
    assert sum(s.over for _, _, s in everything) == 30 * (4 + 5 * 4 * (4 + 5))
    sets = {(s.mover, observed(s, s.mover)) for _, _, s in everything if not s.over}
    assert len(sets) == 936  # 6 cards x (6 + 5 lines x 5 open cards x 6), as OpenSpiel counts
    # Nodes as OpenSpiel counts them: with those where chance acts, 1 + 6 for the deal and one for each open card.
    chance = 1 + 6 + 30 * 5
    assert len(everything) + chance == 9457


def test_worlds_are_exact():
    assert check_worlds_are_exact(LEDUC, every=7) > 400


def test_worlds_by_hand():
    state = deal("Jh", "Ks").play("check")

    def cards(state: State, player: int) -> dict[tuple[int, ...], Fraction]:
        return {tuple(np.frombuffer(w, LEDUC.dtype)["cards"][0]): p for w, p in worlds(state, player).items()}

    assert cards(state, 0) == {(1, other): Fraction(1, 5) for other in (2, 3, 4, 5, 6)}
    state = open_card(state, "check", "Qs")
    assert cards(state, 1) == {(other, 6): Fraction(1, 4) for other in (1, 2, 3, 5)}
    shown = state.replay(["check", "check"])
    assert worlds(shown, 0) == {bytes(shown): 1}
    assert len(worlds(state.replay(["raise", "fold"]), 0)) == 4


def test_the_open_card_comes_from_the_other_four():
    state = deal("Jh", "Ks").play("check")
    boards = Counter(changed(state, "play", 1, Tape([draw])).fields.board for draw in range(4))
    assert boards == {2: 1, 3: 1, 4: 1, 5: 1}


def test_value_at_equilibrium(everything):
    """The sequence form as a linear program (Koller, Megiddo, von Stengel 1994): about -0.0856 for the first player."""
    optimize = pytest.importorskip("scipy.optimize")
    sparse = pytest.importorskip("scipy.sparse")
    sequences: tuple[dict, dict] = ({(): 0}, {(): 0})  # (information set, action) to a number
    sets: tuple[dict, dict] = ({}, {})  # information set to the number of the sequence that leads to it
    payoffs: dict[tuple[int, int], float] = {}
    at: dict[tuple, tuple[int, int]] = {}
    for line, weight, state in sorted(everything, key=lambda entry: len(entry[0])):
        cards, board = tuple(state.fields.cards), state.fields.board
        own = at.setdefault((line, cards, board), (0, 0))
        if state.over:
            payoffs[own] = payoffs.get(own, 0.0) + float(weight) * state.returns[0]
            continue
        mover = state.mover
        name = observed(state, mover)
        assert sets[mover].setdefault(name, own[mover]) == own[mover]  # nobody forgets
        for action in state.legal:
            number = sequences[mover].setdefault((name, action), len(sequences[mover]))
            after = (number, own[1]) if mover == 0 else (own[0], number)
            for shown in (board,) if board else range(7):  # whichever card the action opens, if any
                at[(*line, action), cards, shown] = after
    rows = []
    for player in (0, 1):
        matrix = np.zeros((1 + len(sets[player]), len(sequences[player])))
        matrix[0, 0] = 1
        for row, (name, parent) in enumerate(sets[player].items(), 1):
            matrix[row, parent] = -1
            for action in range(3):
                if (name, action) in sequences[player]:
                    matrix[row, sequences[player][name, action]] = 1
        rows.append(matrix)
    where, values = np.array(list(payoffs)), list(payoffs.values())
    payoff = sparse.csr_matrix((values, (where[:, 0], where[:, 1])), shape=(len(sequences[0]), len(sequences[1])))
    # max e.v over v and plans x of player 0, where F^T v <= A^T x says what each sequence of player 1 can keep it to.
    (_, n), (constraints, _) = rows[0].shape, rows[1].shape
    upper = sparse.hstack([-payoff.T, sparse.csr_matrix(rows[1].T)])
    equal = sparse.hstack([sparse.csr_matrix(rows[0]), sparse.csr_matrix((rows[0].shape[0], constraints))])
    goal = np.zeros(n + constraints)
    goal[n] = -1
    right = np.zeros(rows[0].shape[0])
    right[0] = 1
    bounds = [(0, None)] * n + [(None, None)] * constraints
    answer = optimize.linprog(goal, upper, np.zeros(upper.shape[0]), equal, right, bounds)
    assert answer.status == 0 and -answer.fun == pytest.approx(-0.085606, abs=1e-5)


def test_names_draw_and_what_a_viewer_sees():
    state = open_card(deal("Jh", "Ks").play("check"), "check", "Qs").play("raise")
    assert state.draw() == (
        "  player 0: Jh, 5 in the pot\n> player 1: Ks, 1 in the pot\n  open card: Qs\n  round 1: check, check\n  round 2: raise"
    )
    assert state.draw(0).splitlines()[:2] == ["  player 0: Jh, 5 in the pot", "> player 1: ?, 1 in the pot"]
    assert state.draw(1).splitlines()[0] == "  player 0: ?, 5 in the pot"
    assert "K♠" not in state.svg(0) and "K♠" in state.svg(1) and "J♥" not in state.svg(1) and "Q♠" in state.svg(1)
    assert "K♠" in state.play("call").svg(0) and "K♠" not in state.play("fold").svg(0)
    assert deal("Jh", "Ks").draw(0).splitlines()[2:] == ["  open card: -", "  round 1: -", "  round 2: -"]


def test_hides():
    assert check_hides(LEDUC, games=15) > 80


def test_keys_tell_all_but_suits(everything):
    def ranked(state: State) -> bytes:
        fields = state.fields
        for player in (0, 1):
            fields.cards[player] = (fields.cards[player] + 1) // 2
        fields.board = (fields.board + 1) // 2
        return bytes(fields)

    states = [state for _, _, state in everything[::5]]
    pairs = {(key_of(state), ranked(state)) for state in states}
    assert len(pairs) == len({key for key, _ in pairs}) == len({name for _, name in pairs})


@pytest.mark.compiles
def test_contract_and_compiled():
    check_contract(LEDUC)
    check_compiles(LEDUC, games=20)


@settings(max_examples=15, deadline=None)
@given(choices, st.integers(0, 1000))
def test_random_play(numbers: list[int], seed: int):
    for state in walk(LEDUC, [*numbers, 1, 1, 1, 1], seed)[-3:]:
        check_state(state)


def test_parameter_errors():
    with pytest.raises(PlayoutError) as error:
        load("leduc-poker", ranks=4)
    assert str(error.value) == "game 'leduc-poker' has no parameter 'ranks'; parameters: it has none"
