"""Othello: known counts, passes, the end, and an independent slow set of rules."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout import IllegalAction, PlayoutError, load
from tests.games.perft import leaf_counts
from tests.games.properties import check_state, key_of, walk

OTHELLO = load("othello")
whole_games = st.lists(st.integers(0, 10_000), min_size=70, max_size=70)


def board_of(state):
    """A dictionary from (column, row) to the player whose disc is there."""
    discs = [int(word) for word in state.fields.discs]
    return {(s % 8, s // 8): player for s in range(64) for player in (0, 1) if discs[player] >> s & 1}


def slow_turned(board, square, player):
    """Walk away from the square in each of the eight directions."""
    turned = []
    for dx, dy in [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]:
        line, (x, y) = [], (square[0] + dx, square[1] + dy)
        while board.get((x, y)) == 1 - player:
            line.append((x, y))
            x, y = x + dx, y + dy
        if board.get((x, y)) == player:
            turned += line
    return turned


def slow_moves(board, player, size=8):
    empty = [(x, y) for y in range(size) for x in range(size) if (x, y) not in board]
    return [square for square in empty if slow_turned(board, square, player)]


def names(state):
    return {state.name(action) for action in state.legal}


def put(rows, mover):
    """A position out of eight rows of X, O and dots; the stored moves follow from the slow rules."""
    board = {(x, y): "XO".index(c) for y, row in enumerate(rows) for x, c in enumerate(row) if c != "."}
    discs = [sum(1 << (x + 8 * y) for (x, y), owner in board.items() if owner == player) for player in (0, 1)]
    moves = sum(1 << (x + 8 * y) for x, y in slow_moves(board, mover))
    return OTHELLO.state({"discs": discs, "moves": moves, "mover": mover})


def test_leaf_counts():
    assert leaf_counts(OTHELLO, 5) == [4, 12, 56, 244, 1396]


def test_leaf_counts_merged_by_key():
    assert leaf_counts(OTHELLO, 7, merge=True) == [4, 12, 56, 244, 1396, 8200, 55092]


@pytest.mark.parametrize(
    ("size", "counts"), [(6, [4, 12, 56, 244, 1364, 7604, 47740]), (4, [4, 12, 44, 128, 424, 1256, 3624, 9112, 20032])]
)
def test_leaf_counts_of_smaller_boards(size, counts):
    assert leaf_counts(load(f"othello:size={size}"), len(counts), merge=True) == counts


@pytest.mark.parametrize("size", [3, 5, 7, 10])
def test_a_board_without_a_centre_is_refused(size):
    with pytest.raises(PlayoutError, match=f"size={size}"):
        load(f"othello:size={size}")


def test_the_start_and_the_first_move():
    state = OTHELLO.start()
    assert state.mover == 0 and names(state) == {"d3", "c4", "f5", "e6"}
    state = state.play("d3")
    assert names(state) == {"c3", "e3", "c5"}
    assert board_of(state) == {(3, 2): 0, (3, 3): 0, (4, 3): 0, (3, 4): 0, (4, 4): 1}


def test_the_shortest_game_wipes_white_out():
    state = OTHELLO.start().replay(["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"])
    assert state.over and state.legal == () and state.returns == (1.0, -1.0)
    assert int(state.fields.discs[1]) == 0 and "black wins, 13 : 0" in state.draw()


def test_a_player_without_a_move_must_pass_and_the_other_goes_on():
    state = put(["XOOOOOO.", *["........"] * 7], mover=1)
    assert state.legal == (64,) and names(state) == {"pass"} and "must pass" in state.draw()
    after = state.play("pass")
    assert after.mover == 0 and names(after) == {"h1"} and board_of(after) == board_of(state)
    with pytest.raises(IllegalAction):
        after.play("pass")


def test_the_game_ends_with_empty_squares_when_neither_can_move():
    state = put(["XO......", *["........"] * 7], mover=0).play("c1")
    assert state.over and state.legal == () and state.returns == (1.0, -1.0)


@pytest.mark.parametrize(("black_rows", "result"), [(5, (1.0, -1.0)), (4, (0.0, 0.0)), (3, (-1.0, 1.0))])
def test_most_discs_win(black_rows, result):
    full = put(["X" * 8] * black_rows + ["O" * 8] * (8 - black_rows), mover=0)
    assert full.returns == (0.0, 0.0), "nothing is won before the end"
    ended = OTHELLO.state({"discs": list(full.fields.discs), "mover": -1})
    assert ended.over and ended.returns == result


def test_no_line_wraps_around_the_edge():
    # h1 and a2 are neighbours in the word but not on the board.
    state = put(["......XO", "X.......", "XO......", *["........"] * 5], mover=0)
    assert names(state) == {"c3", "c4"}
    state = put([".......X", "O.......", ".X......", *["........"] * 5], mover=0)
    assert names(state) == {"pass"}


def test_two_orders_of_the_same_moves_share_the_key():
    for first, second in (("d3 c3 c4", "c4 c3 d3"), ("f5 f6 e6", "e6 f6 f5")):
        one, other = OTHELLO.start().replay(first.split()), OTHELLO.start().replay(second.split())
        assert one == other and key_of(one) == key_of(other)


def test_the_key_tells_the_movers_apart():
    rows = ["XOOOOOO.", *["........"] * 6, ".OX....."]
    assert key_of(put(rows, mover=0)) != key_of(put(rows, mover=1))


@pytest.mark.parametrize("size", [8, 6, 4])
@settings(max_examples=8, deadline=None)
@given(whole_games)
def test_random_games_agree_with_slow_rules(size, numbers):
    game = load(f"othello:size={size}")
    for before, after in pairwise(walk(game, numbers)):
        old, board, player = board_of(before), board_of(after), before.mover
        moves = slow_moves(old, player, size)
        assert list(before.legal) == ([x + 8 * y for x, y in moves] or [9 * size - 8])
        new = [square for square in board if square not in old]
        assert len(new) == (1 if moves else 0)
        turned = slow_turned(old, new[0], player) if new else []
        assert board == {**old, **dict.fromkeys(turned + new, player)}
        stuck = not slow_moves(board, 0, size) and not slow_moves(board, 1, size)
        assert after.mover == (-1 if stuck else 1 - player)
        lead = sum(1 if owner == 0 else -1 for owner in board.values()) if stuck else 0
        assert after.returns == ((lead > 0) - (lead < 0), (lead < 0) - (lead > 0))
    assert after.over


@pytest.mark.parametrize("size", [8, 6])
@settings(max_examples=3, deadline=None)
@given(whole_games)
def test_every_state_shows_itself(size, numbers):
    for state in walk(load(f"othello:size={size}"), numbers):
        check_state(state)
        assert state.draw().count("\n") == size + 1
