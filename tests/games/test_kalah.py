"""Kalah: hand-played moves, counts and games against an independent slow set of rules, published values of small boards."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product
from math import comb
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout import IllegalAction, PlayoutError, Search, load
from tests.games.perft import children, leaf_counts
from tests.games.properties import check_state, key_of, walk

KALAH = load("kalah")
boards = st.sampled_from(
    [
        KALAH,
        load("kalah", capture_empty=True),
        load("kalah", houses=1, seeds=7),
        load("kalah", houses=3, seeds=10, capture_empty=True),  # many seeds in few houses: laps in almost every move
        load("kalah", houses=12, seeds=2),
    ]
)
whole_games = st.lists(st.integers(0, 10_000), min_size=250, max_size=250)


class Slow(NamedTuple):
    """A position by the rules in words: the houses of each player from its own left to right, and what it has at home."""

    rows: tuple[tuple[int, ...], tuple[int, ...]]
    homes: tuple[int, int]
    player: int | None


def slow_start(houses, seeds):
    return Slow(((seeds,) * houses, (seeds,) * houses), (0, 0), 0)


def slow_moves(position):
    return [] if position.player is None else [i for i, count in enumerate(position.rows[position.player]) if count]


def slow_play(position, house, capture_empty):
    """The mover sows along a ring that is its own: its houses, its home, the houses of the other."""
    me, you = position.player, 1 - position.player
    rows, homes, houses = [list(row) for row in position.rows], list(position.homes), len(position.rows[0])
    ring = [(me, i) for i in range(houses)] + ["home"] + [(you, i) for i in range(houses)]
    hand, rows[me][house] = rows[me][house], 0
    for step in range(1, hand + 1):
        place = ring[(house + step) % len(ring)]
        if place == "home":
            homes[me] += 1
        else:
            rows[place[0]][place[1]] += 1
    if place != "home" and place[0] == me and rows[me][place[1]] == 1:
        facing = houses - 1 - place[1]
        if rows[you][facing] or capture_empty:
            homes[me] += 1 + rows[you][facing]
            rows[me][place[1]] = rows[you][facing] = 0
    after = me if place == "home" else you
    if not any(rows[0]) or not any(rows[1]):
        homes = [homes[0] + sum(rows[0]), homes[1] + sum(rows[1])]
        rows, after = [[0] * houses, [0] * houses], None
    return Slow((tuple(rows[0]), tuple(rows[1])), (homes[0], homes[1]), after)


def slow_counts(houses, seeds, capture_empty, depth):
    """Lines of 1, 2, ... moves, equal positions walked on together."""
    level, counts = Counter({slow_start(houses, seeds): 1}), []
    for _ in range(depth):
        after: Counter[Slow] = Counter()
        for position, ways in level.items():
            for house in slow_moves(position):
                after[slow_play(position, house, capture_empty)] += ways
        counts.append(after.total())
        level = after
    return counts


def solved(houses, seeds, capture_empty):
    """By how many seeds the first player wins with best play on both sides, by the slow rules."""
    bounds: dict[tuple[object, ...], tuple[int, int]] = {}

    def gain(position, goal):
        """The seeds the mover still gains over the other: exact enough to say whether they are at least the goal."""
        me = position.player
        left = sum(map(sum, position.rows))
        name = (position.rows[me], position.rows[1 - me])
        low, high = bounds.get(name, (-left, left))
        if low >= goal or high < goal:
            return low if low >= goal else high
        best = -left
        for house in reversed(slow_moves(position)):
            after = slow_play(position._replace(homes=(0, 0)), house, capture_empty)
            won = after.homes[me] - after.homes[1 - me]
            if after.player is not None:
                more = gain(after, goal - won) if after.player == me else -gain(after, won - goal + 1)
                won += more
            best = max(best, won)
            if best >= goal:
                break
        bounds[name] = (best, high) if best >= goal else (low, best)
        return best

    low, high = -2 * houses * seeds, 2 * houses * seeds
    while low < high:
        middle = (low + high + 1) // 2
        found = gain(slow_start(houses, seeds), middle)
        low, high = (found, high) if found >= middle else (low, found)
    return low


def slow(state):
    """The slow position that a state shows."""
    houses, pits = state.game.parameters["houses"], [int(count) for count in state.fields.pits]
    mine, theirs = pits[: houses + 1], pits[houses + 1 :]
    player = None if state.over else state.mover
    return Slow((tuple(mine[:-1]), tuple(theirs[:-1])), (mine[-1], theirs[-1]), player)


def put(red, blue, homes=(0, 0), mover=0, **options):
    """A position out of the houses of each player from its own left to right."""
    game = load("kalah", houses=len(red), **options)
    return game.state({"pits": [*red, homes[0], *blue, homes[1]], "mover": mover})


def names(state):
    return "".join(state.name(action) for action in state.legal)


def test_the_start():
    state = KALAH.start()
    assert slow(state) == slow_start(6, 4) and names(state) == "abcdef" and state.returns == (0.0, 0.0)
    assert KALAH.dtype.itemsize == 16
    with pytest.raises(IllegalAction):
        state.play("g")


def test_a_last_seed_at_home_gives_another_turn():
    state = KALAH.start().play("c")
    assert state.mover == 0 and names(state) == "abdef" and slow(state) == Slow(((4, 4, 0, 5, 5, 5), (4,) * 6), (1, 0), 0)
    state = state.play("f")
    assert state.mover == 1 and slow(state) == Slow(((4, 4, 0, 5, 5, 0), (5, 5, 5, 5, 4, 4)), (2, 0), 1)
    state = state.play("b")
    assert state.mover == 1 and state.fields.pits[13] == 1, "the same for the other player"


def test_a_last_seed_in_an_own_empty_house_captures_both():
    state = KALAH.start().replay("ea")
    assert slow(state) == Slow(((4, 4, 4, 4, 0, 5), (0, 6, 5, 5, 5, 5)), (1, 0), 0)
    state = state.play("a")
    assert slow(state) == Slow(((0, 5, 5, 5, 0, 5), (0, 0, 5, 5, 5, 5)), (8, 0), 1)
    # Blue as well, whose c faces red's d; and it is red's turn after a capture.
    state = put([1, 1, 1, 3, 0, 0], [0, 1, 0, 0, 0, 0], mover=1).play("b")
    assert slow(state) == Slow(((0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0)), (3, 4), None)


def test_nothing_is_captured_opposite_an_empty_house():
    state = put([1, 0, 3], [2, 0, 1]).play("a")
    assert slow(state) == Slow(((0, 1, 3), (2, 0, 1)), (0, 0), 1)


def test_unless_that_is_asked_for():
    state = put([1, 0, 3], [2, 0, 1], capture_empty=True).play("a")
    assert slow(state) == Slow(((0, 0, 3), (2, 0, 1)), (1, 0), 1)


@pytest.mark.parametrize("capture_empty", [False, True])
def test_nothing_is_captured_in_a_house_of_the_other_or_in_one_that_was_not_empty(capture_empty):
    state = put([1, 0, 2], [0, 4, 1], capture_empty=capture_empty).play("c")
    assert slow(state) == Slow(((1, 0, 0), (1, 4, 1)), (1, 0), 1)
    state = put([1, 2, 0], [3, 3, 3], capture_empty=capture_empty).play("a")
    assert slow(state) == Slow(((0, 3, 0), (3, 3, 3)), (0, 0), 1)


def test_a_whole_lap_ends_where_it_began_and_captures():
    # 13 seeds: one for each other house, one for home, and the last one for the house that they came from, empty by then.
    state = put([2, 0, 13, 0, 0, 0], [1, 1, 1, 5, 1, 1], homes=(3, 9)).play("c")
    assert slow(state) == Slow(((3, 1, 0, 1, 1, 1), (2, 2, 2, 0, 2, 2)), (3 + 1 + 1 + 6, 9), 1)


def test_a_longer_lap_goes_on_and_never_into_the_store_of_the_other():
    state = put([2, 0, 15, 0, 0, 0], [1] * 6, homes=(3, 5)).play("c")
    assert slow(state) == Slow(((3, 1, 1, 2, 2, 1), (2,) * 6), (4, 5), 1)
    state = put([1] * 6, [0, 0, 0, 0, 0, 27], homes=(3, 5), mover=1).play("f")
    assert slow(state) == Slow(((3,) * 6, (2, 2, 2, 2, 2, 2)), (3, 8), 1), "27 seeds from f: home three times, the last one there"


def test_a_lap_around_the_smallest_board():
    state = put([5], [5]).play("a")  # home, blue's a, the own a, home, blue's a
    assert slow(state) == Slow(((1,), (7,)), (2, 0), 1)


def test_the_end_sends_home_what_is_left():
    state = put([0, 0, 1], [2, 0, 5], homes=(8, 2)).play("c")
    assert state.over and state.legal == () and slow(state) == Slow(((0,) * 3, (0,) * 3), (9, 9), None)
    assert state.returns == (0.0, 0.0) and "draw, 9 : 9" in state.draw()
    # A last seed at home gives no turn to a player who has nothing left to move, nor one against a bare side.
    state = put([3, 0, 1], [0, 0, 0], homes=(8, 6)).play("c")
    assert state.over and state.returns == (1.0, -1.0) and "red wins, 12 : 6" in state.draw()
    state = put([0, 1, 2], [0, 0, 1], homes=(2, 12), mover=1).play("c")
    assert state.over and state.returns == (-1.0, 1.0) and "blue wins, 5 : 13" in state.draw()


def test_a_capture_can_end_the_game():
    state = put([1, 0, 3], [0, 4, 0], homes=(2, 8)).play("a")
    assert state.over and slow(state).homes == (2 + 5 + 3, 8) and state.returns == (1.0, -1.0)


def evaluated(state):
    out = [9.0, 9.0]
    state.game.functions["evaluate"](state.fields, out)
    return tuple(out)


def test_the_game_goes_on_when_it_is_decided_and_only_evaluate_says_so():
    state = put([1, 0, 1], [1, 1, 0], homes=(12, 2))
    assert state.mover == 0 and names(state) == "ac" and state.returns == (0.0, 0.0)
    assert evaluated(state) == (1.0, -1.0)


def test_evaluate_is_the_lead_by_what_is_left():
    assert evaluated(KALAH.start()) == (0.0, 0.0)
    assert evaluated(KALAH.start().play("d")) == (1 / 47, -1 / 47)
    assert evaluated(put([4, 0, 0], [4, 0, 0], homes=(6, 10))) == (-0.5, 0.5)
    assert evaluated(put([3, 0, 0], [3, 0, 0], homes=(6, 12))) == (-1.0, 1.0)
    for homes, value in (((9, 9), 0.0), ((10, 8), 1.0), ((8, 10), -1.0)):
        ended = put([0, 0, 0], [0, 0, 0], homes=homes, mover=-1)
        assert evaluated(ended) == ended.returns == (value, -value)


@pytest.mark.parametrize(
    ("houses", "seeds", "capture_empty", "counts"),
    [
        (6, 4, False, [6, 35, 185, 942, 4690, 23233]),
        (6, 4, True, [6, 35, 185, 942, 4685, 23169]),
        (6, 3, False, [6, 35, 182, 904, 4243, 19418]),
        (3, 3, False, [3, 8, 19, 48, 120, 280, 610, 1283]),
    ],
)
def test_leaf_counts_of_the_docstring(houses, seeds, capture_empty, counts):
    game = load("kalah", houses=houses, seeds=seeds, capture_empty=capture_empty)
    assert leaf_counts(game, 4) == counts[:4]
    assert leaf_counts(game, len(counts), merge=True) == counts == slow_counts(houses, seeds, capture_empty, len(counts))


@pytest.mark.parametrize("capture_empty", [False, True])
@pytest.mark.parametrize(
    ("houses", "seeds", "depth"), [(1, 1, 3), (1, 10, 30), (2, 2, 12), (2, 7, 14), (3, 1, 12), (3, 10, 8), (4, 3, 7), (12, 1, 3)]
)
def test_leaf_counts_by_slow_rules(houses, seeds, capture_empty, depth):
    game = load("kalah", houses=houses, seeds=seeds, capture_empty=capture_empty)
    assert leaf_counts(game, depth, merge=True) == slow_counts(houses, seeds, capture_empty, depth)


PUBLISHED = {1: "DLWLWD", 2: "WLLLWW", 3: "DWWWW", 4: "WW", 5: "DD", 6: "W"}
"""Win, draw or loss for the first player with 1, 2, ... seeds in each house, by the number of houses (Irving, Donkers and Uiterwijk, 2000).

They capture a last seed where nothing lies opposite too: without that, 5 houses with 2 seeds are a win.
"""


def test_published_values():
    for houses, row in PUBLISHED.items():
        for seeds, word in enumerate(row, start=1):
            value = solved(houses, seeds, True)
            assert "DWL"[(value > 0) - (value < 0)] == word, f"{houses} houses with {seeds} seeds: {value}"
    assert solved(6, 1, True) == 2 and solved(5, 2, False) == 2


@pytest.mark.parametrize("capture_empty", [False, True])
def test_the_game_has_the_value_of_the_slow_rules(capture_empty):
    """By exhaustive recursion over the game as it is, for player 0."""

    def best(game, array, known):
        view = game.view(array[0])
        name, player = int(game.functions["key"](view)), game.functions["mover"](view)
        if name not in known:
            values = [best(game, child, known) for child in children(game, array)]
            out = [0.0, 0.0]
            game.functions["returns"](view, out)
            known[name] = out[0] if player < 0 else max(values) if player == 0 else min(values)
        return known[name]

    for houses, seeds in ((1, 1), (1, 2), (1, 5), (1, 6), (2, 1), (2, 2), (2, 4), (3, 1), (3, 2)):
        game, value = load("kalah", houses=houses, seeds=seeds, capture_empty=capture_empty), solved(houses, seeds, capture_empty)
        assert best(game, game.start().copy_array(), {}) == (value > 0) - (value < 0), f"{houses} houses with {seeds} seeds"


def test_the_key_counts_the_boards():
    """All boards with so many seeds, for all movers, get different numbers, and no number is left out."""
    game = load("kalah", houses=2, seeds=1)
    boards = [pits for pits in product(range(5), repeat=6) if sum(pits) == 4]
    keys = [key_of(game.state({"pits": pits, "mover": mover})) for pits in boards for mover in (-1, 0, 1)]
    assert sorted(keys) == list(range(3 * comb(4 + 5, 5)))


@pytest.mark.parametrize(
    "options", [{"houses": 6, "seeds": 10}, {"houses": 7, "seeds": 7}, {"houses": 8, "seeds": 4}, {"houses": 12}]
)
def test_the_key_of_bigger_boards_is_a_signed_word_that_tells_them_apart(options):
    game = load("kalah", **options)
    known: dict[int, bytes] = {}
    for first in range(options["houses"]):
        for state in walk(game, [first, *range(first, 150 + first)]):
            assert -(1 << 63) <= key_of(state) < 1 << 63
            assert known.setdefault(key_of(state), bytes(state)) == bytes(state)
    full = [0] * len(game.start().fields.pits)
    full[0] = 2 * game.parameters["houses"] * game.parameters["seeds"]
    assert -(1 << 63) <= key_of(game.state({"pits": full, "mover": 1})) < 1 << 63


def test_two_orders_of_the_same_moves_share_the_key():
    start = load("kalah", houses=3, seeds=3).start()
    one, other = start.replay("bbccba"), start.replay("cbbcba")
    assert one == other and key_of(one) == key_of(other)


def test_the_key_tells_the_movers_apart():
    assert key_of(put([1, 2, 3], [1, 2, 3], mover=0)) != key_of(put([1, 2, 3], [1, 2, 3], mover=1))


def test_drawing():
    assert KALAH.start().replay("ea").draw().splitlines() == [
        "      f   e   d   c   b   a",
        "      5   5   5   5   6   0",
        "  0                           1",
        "      4   4   4   4   0   5",
        "      a   b   c   d   e   f",
        "red to move, 1 : 0 (red below sows to the right, blue above to the left)",
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"houses": 13}, "parameter houses=13 is out of range: houses of each player must be from 1 to 12"),
        ({"houses": 0}, "parameter houses=0 is out of range: houses of each player must be from 1 to 12"),
        ({"seeds": 11}, "parameter seeds=11 is out of range: seeds in each house at the start must be from 1 to 10"),
        ({"seeds": "few"}, "parameter seeds='few' is not a valid int; for example seeds=4"),
        ({"capture_empty": "maybe"}, "parameter capture_empty='maybe' is not a valid bool; for example capture_empty=False"),
    ],
)
def test_boards_that_are_none(options, words):
    with pytest.raises(PlayoutError) as error:
        load("kalah", **options)
    assert str(error.value) == words


@settings(max_examples=25, deadline=None)
@given(boards, whole_games)
def test_random_games_agree_with_slow_rules_and_lose_no_seed(game, numbers):
    total = 2 * game.parameters["houses"] * game.parameters["seeds"]
    for before, after in pairwise(walk(game, numbers)):
        moves = slow_moves(slow(before))
        assert list(before.legal) == moves, "from left to right, and never none"
        assert slow(after) in [slow_play(slow(before), house, game.parameters["capture_empty"]) for house in moves]
        assert sum(int(count) for count in after.fields.pits) == total
        lead = slow(after).homes[0] - slow(after).homes[1] if after.over else 0
        assert after.returns == ((lead > 0) - (lead < 0), (lead < 0) - (lead > 0))
        assert all(-1.0 <= value <= 1.0 for value in evaluated(after))
    assert after.over


@settings(max_examples=5, deadline=None)
@given(boards, whole_games)
def test_every_state_shows_itself(game, numbers):
    for state in walk(game, numbers)[::5]:
        check_state(state)
        assert state.draw().count("\n") == 5


def test_the_search_proves_the_only_move_that_wins():
    """Home with c first, which gives another turn; after a or b, blue wins."""
    state = put([1, 1, 1], [1, 2, 2], homes=(5, 5), seeds=3)
    decision = Search(state.game, compiled=False, seed=1).run(state, simulations=400)
    assert decision.name == "c" and decision.chosen.proven == (1.0, -1.0)
