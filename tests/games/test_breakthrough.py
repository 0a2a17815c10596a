"""Breakthrough: known counts, captures, both ways to win, and an independent slow set of rules."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout import PlayoutError, load
from tests.games.perft import leaf_counts
from tests.games.properties import check_state, key_of, walk

BIG, SMALL = load("breakthrough"), load("breakthrough", rows=6, columns=6)
boards = st.sampled_from([BIG, SMALL, load("breakthrough", rows=4, columns=2), load("breakthrough", rows=5, columns=7)])
whole_games = st.lists(st.integers(0, 10_000), min_size=220, max_size=220)


def names(state):
    return {state.name(action) for action in state.legal}


def board_of(state):
    """A dictionary from (column, row), row 0 at the bottom, to the player whose piece is there."""
    columns, rows = state.game.parameters["columns"], state.game.parameters["rows"]
    pieces = [int(word) for word in state.fields.pieces]
    assert (pieces[0] | pieces[1]) >> (rows * columns) == 0, "no piece is outside the board"
    return {(s % columns, s // columns): player for s in range(rows * columns) for player in (0, 1) if pieces[player] >> s & 1}


def slow_moves(state):
    """Action id to the board after it, by the rules in words."""
    columns, rows, board, player = state.game.parameters["columns"], state.game.parameters["rows"], board_of(state), state.mover
    found = {}
    for (x, y), owner in board.items():
        for sideways in (-1, 0, 1):
            target = (x + sideways, y + (1 if player == 0 else -1))
            on_board = 0 <= target[0] < columns and 0 <= target[1] < rows
            free = target not in board or (sideways != 0 and board[target] != player)
            if owner == player and on_board and free:
                after = {**board, target: player}
                del after[x, y]
                found[(y * columns + x) * 3 + sideways + 1] = after
    return found


def put(rows, mover=0):
    """A position out of rows of R, B and dots, the top row first."""
    game = load("breakthrough", rows=len(rows), columns=len(rows[0]))
    squares = "".join(reversed(rows))
    pieces = [sum(1 << s for s, c in enumerate(squares) if c == letter) for letter in "RB"]
    return game.state({"pieces": pieces, "mover": mover})


def test_leaf_counts():
    assert leaf_counts(SMALL, 3) == [16, 256, 4308]
    assert leaf_counts(BIG, 2) == [22, 484]


def test_leaf_counts_merged_by_key():
    assert leaf_counts(SMALL, 4, merge=True) == [16, 256, 4308, 71478]
    assert leaf_counts(BIG, 4, merge=True) == [22, 484, 11132, 256036]


def test_the_first_moves():
    state = SMALL.start()
    assert state.mover == 0 and {"a2-a3", "a2-b3", "f2-f3", "f2-e3"} <= names(state)
    assert names(state.play("a2-b3")) >= {"a5-a4", "f5-e4"}


def test_straight_only_to_empty_and_diagonally_also_to_capture():
    state = put(["....", "....", "BBR.", ".R..", "...."])
    assert names(state) == {"b2xa3", "c3-b4", "c3-c4", "c3-d4"}
    state = state.play("b2xa3")
    assert board_of(state) == {(0, 2): 0, (1, 2): 1, (2, 2): 0}
    assert names(state) == {"b3-a2", "b3-b2", "b3-c2"}


def test_nobody_steps_around_the_edge():
    state = put(["...B", "....", "R..R", "...."])
    assert names(state) == {"a2-a3", "a2-b3", "d2-d3", "d2-c3"}
    assert names(put(["R...", "B..B", "....", "...."], mover=1)) == {"a3-a2", "a3-b2", "d3-d2", "d3-c2"}


def test_reaching_the_last_row_wins():
    state = put(["BB..", "R...", "....", "...."]).play("a3xb4")
    assert state.over and state.legal == () and state.returns == (1.0, -1.0)
    state = put(["....", "...R", ".B..", "...."], mover=1).play("b2-b1")
    assert state.over and state.legal == () and state.returns == (-1.0, 1.0)


def test_capturing_the_last_piece_wins():
    state = put(["....", "....", ".B..", "R...", "...."]).play("a2xb3")
    assert state.over and state.returns == (1.0, -1.0) and "red wins" in state.draw()
    state = put(["....", "....", ".B..", "R...", "...."], mover=1).play("b3xa2")
    assert state.over and state.returns == (-1.0, 1.0)


def test_two_orders_of_the_same_moves_share_the_key():
    one = SMALL.start().replay(["a2-a3", "f5-f4", "b2-b3"])
    other = SMALL.start().replay(["b2-b3", "f5-f4", "a2-a3"])
    assert one == other and key_of(one) == key_of(other)


def test_the_key_tells_the_movers_apart():
    rows = ["..BB", "....", "....", "RR.."]
    assert key_of(put(rows, mover=0)) != key_of(put(rows, mover=1))


def test_a_board_that_does_not_fit_is_refused():
    with pytest.raises(PlayoutError, match="columns"):
        load("breakthrough", columns=9)


@settings(max_examples=20, deadline=None)
@given(boards, whole_games)
def test_random_games_agree_with_slow_rules(game, numbers):
    columns, rows = game.parameters["columns"], game.parameters["rows"]
    for before, after in pairwise(walk(game, numbers)):
        player, moves, board = before.mover, slow_moves(before), board_of(after)
        assert sorted(moves) == list(before.legal), "in order of the squares, each once, and never none"
        assert board in moves.values()
        last = rows - 1 if player == 0 else 0
        won = 1 - player not in board.values() or any(board.get((x, last)) == player for x in range(columns))
        assert after.mover == (-1 if won else 1 - player)
        assert after.returns == ((0.0, 0.0) if not won else (1.0, -1.0) if player == 0 else (-1.0, 1.0))
    assert after.over, "no game is longer than the pieces can walk"


@settings(max_examples=5, deadline=None)
@given(boards, whole_games)
def test_every_state_shows_itself(game, numbers):
    for state in walk(game, numbers):
        check_state(state)
        assert state.draw().count("\n") == game.parameters["rows"] + 1
