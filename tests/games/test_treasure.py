from __future__ import annotations

from functools import lru_cache

import pytest
from hypothesis import given, settings

from playout import PlayoutError, State, load
from tests.games.perft import leaf_counts
from tests.games.properties import check_state, choices, key_of, walk

GAME = load("treasure")
ROW = (9, 7, 2, 11, 8, 10, 1, 3, 12, 5, 6, 4)


@lru_cache(None)
def split(row: tuple[int, ...], pirate: int = 0) -> tuple[int, ...]:
    """What the three get when all look ahead, from the row alone: nothing here knows the game's rules."""
    if not row:
        return (0, 0, 0)
    options = []
    for coin, rest in ((row[0], row[1:]), (row[-1], row[:-1])):
        gold = list(split(rest, (pirate + 1) % 3))
        gold[pirate] += coin
        options.append(tuple(gold))
    assert options[0] == options[1] or options[0][pirate] != options[1][pirate], "a tie: the value would not be unique"
    return max(options, key=lambda gold: gold[pirate])


def look_ahead(state: State, known: dict[int, tuple[float, ...]]) -> tuple[float, ...]:
    """The same by the rules of the game."""
    if state.over:
        return state.returns
    name = key_of(state)
    if name not in known:
        mover = state.mover
        known[name] = max((look_ahead(state.play(a), known) for a in state.legal), key=lambda returns: returns[mover])
    return known[name]


def test_known_value():
    assert split(ROW) == (29, 31, 18)
    assert look_ahead(GAME.start(), {}) == (29, 31, 18)


def test_greedy_play_ends_otherwise():
    state = GAME.start()
    while not state.over:
        left, right = ROW[state.fields.first], ROW[state.fields.end - 1]
        state = state.play("left" if left > right or len(state.legal) == 1 else "right")
    assert state.returns == (26, 24, 28)


def test_leaf_counts():
    """Two ends for eleven coins, one for the last."""
    expected = [2**depth for depth in range(1, 12)] + [2**11]
    assert leaf_counts(GAME, 6) == expected[:6]
    assert leaf_counts(GAME, 12, merge=True) == expected


def test_returns_are_the_gold_so_far():
    state = GAME.start()
    assert state.returns == (0, 0, 0)
    state = state.play("left").play("right")
    assert (state.returns, state.mover) == ((9, 4, 0), 2)
    assert state.draw() == "  [7 2 11 8 10 1 3 12 5 6]\n  pirate 0: 9\n  pirate 1: 4\n> pirate 2: 0"


def test_key_is_the_same_for_transposed_moves():
    game = load("treasure", coins="5-1-2-3-4-9-5-5")
    a, b = (game.start().replay(line.split()) for line in ("left right right left", "right left right left"))
    assert bytes(a) == bytes(b) and key_of(a) == key_of(b)
    assert key_of(GAME.start().replay(["left", "right"])) != key_of(GAME.start().replay(["right", "left"]))


@settings(max_examples=20, deadline=None)
@given(choices)
def test_random_play(numbers: list[int]):
    for game in (GAME, load("treasure", coins="-".join(["99"] * 30)), load("treasure", coins="1")):
        states = walk(game, numbers)
        check_state(states[-1])
        assert len({key_of(state) for state in states}) == len(states)
    total = sum(states[-1].returns)
    assert not states[-1].over or total == 1


@pytest.mark.parametrize("coins", ["", "5-", "0-1", "100", "-".join("1" * 31)])
def test_coins_that_are_none(coins: str):
    with pytest.raises(PlayoutError) as error:
        load("treasure", coins=coins)
    assert str(error.value) == (
        f"parameter coins={coins!r} is not a row of coins: write 1 to 30 numbers from 1 to 99 with dashes between, "
        "for example coins=9-7-2-11"
    )
