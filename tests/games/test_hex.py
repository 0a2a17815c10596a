"""Hex: known counts, both connections, never a draw, the swap, and an independent flood fill."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout import Stream, load
from tests.games.perft import leaf_counts
from tests.games.properties import check_state, key_of

HEX_3, HEX_5 = load("hex", size=3), load("hex", size=5)
sizes = st.sampled_from([1, 2, 3, 5, 11])
seeds = st.integers(0, 2**32)


def random_game(game, seed):
    """The states of a whole random game, by action ids, since finding each of 121 names is slow."""
    states, stream = [game.start()], Stream(seed)
    while not states[-1].over:
        legal = states[-1].legal
        states.append(states[-1].play(legal[stream.below(len(legal))]))
    return states


def board_of(state):
    """A dictionary from (column, row) to the player whose stone is there."""
    size = state.game.parameters["size"]
    owner = np.array(state.fields.board).reshape(size + 2, size + 2)[1:-1, 1:-1] >> 4
    return {(x, y): int(owner[y, x]) - 1 for y in range(size) for x in range(size) if owner[y, x]}


def connects(board, player, size):
    """Flood from the player's first side; does it reach the second?"""
    along = 1 if player == 0 else 0
    reached = [cell for cell, owner in board.items() if owner == player and cell[along] == 0]
    for x, y in reached:
        for cell in ((x, y - 1), (x + 1, y - 1), (x + 1, y), (x, y + 1), (x - 1, y + 1), (x - 1, y)):
            if board.get(cell) == player and cell not in reached:
                reached.append(cell)
    return any(cell[along] == size - 1 for cell in reached)


def test_leaf_counts():
    assert leaf_counts(HEX_3, 4) == [9, 72, 504, 3024]
    assert leaf_counts(HEX_5, 3) == [25, 600, 13800]


def test_leaf_counts_merged_by_key():
    assert leaf_counts(HEX_3, 9, merge=True) == [9, 72, 504, 3024, 15120, 54720, 146880, 207360, 120960]
    assert leaf_counts(HEX_5, 4, merge=True) == [25, 600, 13800, 303600]


def test_two_by_two_to_the_end():
    # Of the six pairs of red stones three connect, so half of the games end there; the others have one cell left.
    assert leaf_counts(load("hex", size=2), 4) == [4, 12, 24, 12]


def test_red_connects_top_and_bottom():
    state = HEX_3.start().replay(["b1", "a1", "b2", "a2"])
    assert not state.over and state.returns == (0.0, 0.0)
    state = state.play("a3")
    assert state.over and state.legal == () and state.returns == (1.0, -1.0) and "red wins" in state.draw()


def test_blue_connects_left_and_right():
    state = HEX_3.start().replay(["a1", "a3", "c3", "b2", "a2", "c1"])
    assert state.over and state.returns == (-1.0, 1.0) and "blue wins" in state.draw()


def test_a_line_between_the_wrong_sides_wins_nothing():
    state = HEX_3.start().replay(["a2", "a1", "b2", "b1", "c2"])
    assert not state.over


def test_the_slanting_neighbours_count_and_the_others_do_not():
    assert load("hex", size=2).start().replay(["b1", "b2", "a2"]).over
    assert not load("hex", size=2).start().replay(["a1", "a2", "b2"]).over


def test_one_cell():
    state = load("hex", size=1).start()
    assert state.legal == (0,) and state.play("a1").returns == (1.0, -1.0)


def test_names_go_from_a1_to_k11():
    state = load("hex").start()
    assert [state.name(action) for action in (0, 10, 110, 120)] == ["a1", "k1", "a11", "k11"]


def test_a_stone_amid_six_friends_does_no_harm():
    state = HEX_5.start().replay(["c2", "a1", "d2", "b1", "b3", "c1", "d3", "e1", "b4", "a5", "c4", "b5", "c3"])
    assert not state.over and state.mover == 1 and connects(board_of(state), 0, 5) is False


def test_swap_mirrors_the_first_stone_and_changes_its_colour():
    game = load("hex", size=4, swap=True)
    assert game.actions == 17 and game.most_legal == 16
    first = game.start().play("c1")
    assert "swap" not in {game.start().name(action) for action in game.start().legal}
    assert len(first.legal) == 16 and first.name(first.legal[-1]) == "swap"
    swapped = first.play("swap")
    assert board_of(swapped) == {(0, 2): 1} and swapped.mover == 0
    assert len(swapped.legal) == 15 and "swap" not in {swapped.name(action) for action in swapped.legal}
    assert swapped.find("c1") in swapped.legal
    assert "swap" not in {first.play("a1").name(action) for action in first.play("a1").legal}
    end = swapped.replay(["a1", "b3", "a2", "c3", "b1", "d3"])
    assert end.over and end.returns == (-1.0, 1.0)


def test_swap_is_off_unless_asked_for():
    state = load("hex", size=4).start().play("a1")
    assert len(state.legal) == 15


@pytest.mark.parametrize("swap", [False, True])
def test_stones_in_any_order_share_the_key(swap):
    game = load("hex", size=5, swap=swap)
    one = game.start().replay(["a1", "b2", "c3", "d4"])
    other = game.start().replay(["c3", "d4", "a1", "b2"])
    assert key_of(one) == key_of(other)
    assert key_of(one) != key_of(game.start().replay(["b2", "a1", "d4", "c3"]))


def test_the_key_after_a_swap_knows_who_moves():
    game = load("hex", size=3, swap=True)
    swapped = game.start().replay(["b2", "swap"])
    assert board_of(swapped) == {(1, 1): 1}
    keys = {key_of(game.start().play(action)) for action in game.start().legal}
    assert key_of(swapped) not in keys | {key_of(game.start())}


@settings(max_examples=25, deadline=None)
@given(sizes, seeds, st.booleans())
def test_random_games_end_with_the_first_connection(size, seed, swap):
    game = load("hex", size=size, swap=swap)
    for before, after in pairwise(random_game(game, seed)):
        old, board, player = board_of(before), board_of(after), before.mover
        cells = {x + size * y for y in range(size) for x in range(size) if (x, y) not in old}
        may_swap = swap and len(old) == 1 and player == 1
        assert len(before.legal) == len(set(before.legal))
        assert set(before.legal) == cells | ({size * size} if may_swap else set())
        if len(board) == len(old):
            assert may_swap and board == {(y, x): 1 for x, y in old}
        else:
            assert board.items() > old.items() and len(board) == len(old) + 1
        won = connects(board, player, size)
        assert not connects(board, 1 - player, size)
        assert after.mover == (-1 if won else 1 - player)
        assert after.returns == ((0.0, 0.0) if not won else (1.0, -1.0) if player == 0 else (-1.0, 1.0))


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 11), seeds)
def test_a_full_board_has_exactly_one_winner_and_the_game_found_it(size, seed):
    end = random_game(load("hex", size=size), seed)[-1]
    board, stream = board_of(end), Stream(seed + 1)
    for cell in [(x, y) for y in range(size) for x in range(size) if (x, y) not in board]:
        board[cell] = stream.below(2)
    winner = end.returns.index(1.0)
    assert connects(board, winner, size) and not connects(board, 1 - winner, size)


@settings(max_examples=10, deadline=None)
@given(sizes, seeds, st.booleans())
def test_every_state_shows_itself(size, seed, swap):
    states = random_game(load("hex", size=size, swap=swap), seed)
    for state in [*states[:3], *states[3::12], states[-1]]:
        check_state(state)
        view = state.fields
        state.game.functions["svg"](view, None)
        assert bytes(view) == bytes(state), "looking for the winning line leaves the board alone"


def test_the_picture_shows_the_winning_line():
    end = HEX_3.start().replay(["b1", "a1", "b2", "a2", "a3"])
    assert end.svg().count("<line") == 2
