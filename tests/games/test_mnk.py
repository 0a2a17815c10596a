from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from playout import Game, IllegalAction, PlayoutError, load
from playout.compile.records import slack
from tests.games.perft import children, leaf_counts
from tests.games.properties import check_state, choices, key_of, walk

TIC_TAC_TOE = load("tic-tac-toe")
GOMOKU = load("gomoku")
COUNTS = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]


def test_title_and_spec():
    assert repr(load("mnk", m=7, n=7, k=4)) == (
        "<game mnk:m=7,n=7,k=4: m,n,k games: k in a row wins on a board m wide and n high>"
    )


def test_leaf_counts():
    assert leaf_counts(TIC_TAC_TOE, 5) == COUNTS[:5]


def test_leaf_counts_merged_by_key():
    assert leaf_counts(TIC_TAC_TOE, 9, merge=True) == COUNTS


def test_tic_tac_toe_totals():
    """5,478 positions, 255,168 games, and how they end; games are counted through positions of equal key."""
    view, functions = TIC_TAC_TOE.view, TIC_TAC_TOE.functions
    level = {key_of(TIC_TAC_TOE.start()): (1, TIC_TAC_TOE.start().copy_array())}
    positions, ends = set(level), Counter[int]()
    while level:
        after = {}
        for ways, array in level.values():
            state = view(array[0])
            if functions["mover"](state) < 0:
                ends[state.winner] += ways
            for child in children(TIC_TAC_TOE, array):
                name = functions["key"](view(child[0]))
                after[name] = (after.get(name, (0,))[0] + ways, child)
        positions |= after.keys()
        level = after
    assert len(positions) == 5478
    assert ends == {1: 131184, 2: 77904, 0: 46080}


@pytest.mark.parametrize("right, up", [(1, 0), (0, 1), (1, 1), (1, -1)])
def test_five_in_a_row_wins_in_all_directions(right: int, up: int):
    def name(i: int) -> str:
        return f"{chr(ord('e') + right * i)}{9 + up * i}"

    ours = [name(i) for i in (0, 1, 4, 3, 2)]  # the last stone joins two ends
    theirs = ["a1", "c1", "e1", "g1", "i1"]
    line = [move for pair in zip(ours, theirs) for move in pair]
    assert not GOMOKU.start().replay(line[:8]).over
    state = GOMOKU.start().replay(line[:9])
    assert state.over and state.returns == (1, -1)


def test_a_line_does_not_go_on_around_the_edge():
    state = load("mnk", m=4, n=4, k=3).start().replay(["c1", "a4", "d1", "b4", "a2"])
    assert not state.over


def test_one_stone_wins_when_k_is_one():
    assert load("mnk", m=1, n=1, k=1).start().play("a1").returns == (1, -1)


def test_names_and_draw():
    assert [TIC_TAC_TOE.start().name(a) for a in range(9)] == ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]
    wide = load("mnk", m=30, n=2, k=2).start()
    assert [wide.name(a) for a in (25, 26, 29, 30)] == ["z1", "aa1", "ad1", "a2"]
    assert TIC_TAC_TOE.start().replay(["b2", "a1"]).draw() == "3 . . .\n2 . X .\n1 O . .\n  a b c"
    assert load("mnk", m=2, n=10, k=2).start().draw().splitlines()[::9] == ["10 . .", " 1 . ."]


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(12)), st.integers(0, 12), st.sampled_from([(4, 3, 4), (8, 8, 8)]))
def test_key_depends_on_the_board_alone(cells: list[int], count: int, size: tuple[int, int, int]):
    """Each player's stones in another order: the same board, the same key; (8, 8, 8) has the Zobrist key."""
    game = load("mnk", m=size[0], n=size[1], k=size[2])
    one, other = cells[:count], cells[:count]
    other[0::2], other[1::2] = one[0::2][::-1], one[1::2][::-1]
    try:
        a, b = game.start().replay(one), game.start().replay(other)
    except IllegalAction:
        assume(False)  # one of the two was won on the way
    assert a.draw() == b.draw() and key_of(a) == key_of(b)


@pytest.mark.parametrize("game", [TIC_TAC_TOE, GOMOKU])
def test_key_tells_who_moves_and_whose_stone_is_whose(game: Game):
    lines = ([], ["a1"], ["a1", "b1"], ["b1", "a1"], ["a1", "b1", "c1"], ["b1", "a1", "c1"], ["c1", "b1", "a2"])
    assert len({key_of(game.start().replay(line)) for line in lines}) == len(lines)


@settings(max_examples=12, deadline=None)
@given(choices)
def test_random_play(numbers: list[int]):
    for game in (TIC_TAC_TOE, load("mnk", m=9, n=9, k=5), load("mnk", m=28, n=2, k=3)):
        states = walk(game, numbers[:20])
        check_state(states[-1])
        empty = states[-1].draw().count(".")
        assert states[-1].over or len(states[-1].legal) == empty == game.actions - len(states) + 1


@settings(max_examples=12, deadline=None)
@given(choices, st.sampled_from([(8, 7, 3), (7, 9, 2), (8, 8, 3)]))
def test_wins_come_in_the_order_of_legal(numbers: list[int], size: tuple[int, int, int]):
    """Bitboard or not: a search takes the first, so the order is part of what a seed gives."""
    game = load("mnk", m=size[0], n=size[1], k=size[2])
    for state in walk(game, numbers)[:-1]:
        out = np.zeros(slack(game.most_legal), np.int64)
        count = game.functions["wins"](state.fields, out)
        assert out[:count].tolist() == [action for action in state.legal if state.play(action).returns[state.mover] == 1]


def test_parameter_errors():
    for parameters, message in [
        ({"k": 4}, "parameter k=4 is out of range: no line of 4 fits on a board 3 wide and 3 high"),
        ({"m": 0}, "parameter m=0 is out of range: columns of the board must be from 1 to 50"),
        ({"n": "x"}, "parameter n='x' is not a valid int; for example n=3"),
        ({"q": 1}, "game 'mnk' has no parameter 'q'; parameters: m, n, k"),
    ]:
        with pytest.raises(PlayoutError) as error:
            load("mnk", **parameters)
        assert str(error.value) == message
