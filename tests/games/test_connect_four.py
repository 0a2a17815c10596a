from __future__ import annotations

import pytest
from hypothesis import given, settings

from playout import PlayoutError, load
from tests.games.perft import leaf_counts
from tests.games.properties import check_state, choices, key_of, walk

GAME = load("connect-four")


def test_leaf_counts():
    assert leaf_counts(GAME, 5) == [7, 49, 343, 2401, 16807]


def test_leaf_counts_merged_by_key():
    assert leaf_counts(GAME, 7, merge=True) == [7, 49, 343, 2401, 16807, 117649, 823536]


@pytest.mark.parametrize(
    ("line", "winner"),
    [
        ("abababgb", 1),  # up
        ("aabbccd", 0),  # right
        ("abbccdcddgd", 0),  # right and up
        ("gffeededdad", 0),  # right and down
    ],
)
def test_lines_in_all_directions_win(line: str, winner: int):
    state = GAME.start().replay(line)
    assert state.over
    assert state.returns == ((1, -1) if winner == 0 else (-1, 1))
    assert not GAME.start().replay(line[:-1]).over


def test_no_line_runs_over_the_top_into_the_next_column():
    state = GAME.start().replay("aaabaaabgbbbfb")
    assert state.draw().splitlines()[0] == "X O . . . . ." and not state.over


def test_full_column_is_not_legal_and_full_board_is_a_draw():
    game = load("connect-four", columns=3, rows=3)
    state = game.start().replay("aaa")
    assert [state.name(a) for a in state.legal] == ["b", "c"]
    end = state.replay("bbbccc")
    assert end.over and end.returns == (0, 0) and end.legal == ()


def test_draw():
    assert GAME.start().replay("ddc").draw() == (
        ". . . . . . .\n. . . . . . .\n. . . . . . .\n. . . . . . .\n. . . O . . .\n. . X X . . .\na b c d e f g"
    )


def test_picture_rings_the_winning_discs():
    lost, won = (GAME.start().replay(line).svg() for line in ("ababab", "abababa"))
    assert lost is not None and won is not None
    ring = 'fill="none" stroke="#faf7f2"'
    assert (lost.count(ring), won.count(ring)) == (0, 4)


def test_key_is_the_same_for_transposed_moves_and_differs_by_colour():
    a, b = (GAME.start().replay(line) for line in ("abc", "cba"))
    assert key_of(a) == key_of(b) and bytes(a) == bytes(b)
    assert key_of(GAME.start().replay("abcd")) != key_of(GAME.start().replay("badc"))


def test_too_big_a_board_is_refused():
    with pytest.raises(PlayoutError) as error:
        load("connect-four", columns=8, rows=7)
    assert str(error.value) == "a board of columns=8 and rows=7 is too big: columns * (rows + 1) must be at most 63"
    with pytest.raises(PlayoutError) as error:
        load("connect-four", columns=10)
    assert str(error.value) == "parameter columns=10 is out of range: columns of the board must be from 1 to 9"


@settings(max_examples=15, deadline=None)
@given(choices)
def test_random_play(numbers: list[int]):
    for game in (GAME, load("connect-four", columns=9, rows=6)):
        states = walk(game, numbers)
        for state in states[-2:]:
            check_state(state)
        assert len({key_of(state) for state in states}) == len(states)
