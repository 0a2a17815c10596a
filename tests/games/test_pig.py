from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout import PlayoutError, load
from playout.agents import make_agent
from tests.games.properties import check_state, choices, key_of, walk

PIG = load("pig")


class Dice:
    """A stream that rolls what it is told."""

    def __init__(self, *rolls: int) -> None:
        self.rolls = list(rolls)

    def below(self, n: int) -> int:
        assert n == 6
        return self.rolls.pop(0) - 1


def rolled(fields: dict[str, object], roll: int):
    array = PIG.state(fields).copy_array()
    state = PIG.view(array[0])
    PIG.functions["play"](state, 0, Dice(roll))
    return state


def test_a_roll_adds_and_the_same_player_goes_on():
    state = rolled({"banked": [10, 20], "turn": 5}, 4)
    assert (state.turn, list(state.banked), state.mover, state.die) == (9, [10, 20], 0, 4)


def test_a_one_loses_the_turn():
    state = rolled({"banked": [10, 20], "turn": 5}, 1)
    assert (state.turn, list(state.banked), state.mover, state.die) == (0, [10, 20], 1, 1)


def test_hold_banks_and_the_next_player_begins_with_a_roll():
    state = PIG.state({"banked": [10, 20], "turn": 5, "mover": 1, "die": 3}).play("hold")
    assert (list(state.fields.banked), state.mover, state.fields.die) == ([10, 25], 0, 0)
    assert [state.name(a) for a in state.legal] == ["roll"]


def test_the_target_wins_at_once():
    state = rolled({"banked": [90, 20], "turn": 5}, 6)
    assert (list(state.banked), PIG.functions["mover"](state)) == ([101, 20], -1)
    assert PIG.state({"banked": [101, 20]}).returns == (1, -1)
    assert load("pig", players=3).state({"banked": [5, 100, 20], "mover": 1}).returns == (-0.5, 1, -0.5)


def test_a_game_to_two_points_is_won_six_times_in_seven():
    """To 2 points any roll but a 1 wins, so p = 5/6 + 1/6 (1 - p) and p = 6/7."""
    wins = sum(walk(load("pig", target=2), [0] * 60, seed)[-1].returns[0] > 0 for seed in range(1000))
    assert abs(wins / 1000 - 6 / 7) < 0.04


@pytest.mark.parametrize(
    ("banked", "turn", "action"),
    [
        ([0, 0], 20, "roll"),
        ([0, 0], 21, "hold"),
        ([40, 0], 16, "hold"),  # ahead by 40: five points sooner
        ([40, 0], 15, "roll"),
        ([0, 40], 25, "roll"),  # behind by 40: five points later
        ([0, 40], 26, "hold"),
        ([71, 0], 28, "roll"),  # near enough to end it in one turn
        ([0, 71], 90, "roll"),  # and so is the other
        ([70, 70], 21, "hold"),
    ],
)
def test_its_rule_keeps_pace_and_ends_the_race(banked: list[int], turn: int, action: str):
    state = PIG.state({"banked": banked, "turn": turn, "die": 3})
    assert state.name(make_agent("rule", PIG).act(state)) == action


def test_its_rule_looks_at_the_best_of_the_others():
    game = load("pig", players=3)
    assert make_agent("rule", game).act(game.state({"banked": [71, 5, 60], "turn": 25, "mover": 1, "die": 3})) == 0
    assert make_agent("rule", game).act(game.state({"banked": [5, 5, 5], "turn": 25, "mover": 1, "die": 3})) == 1
    # A turn begins with a roll, whoever is near.
    assert make_agent("rule", game).act(game.start()) == 0


def test_draw():
    assert PIG.state({"banked": [10, 20], "turn": 5, "mover": 1, "die": 3}).draw() == (
        "  player 0:   10\n> player 1:   20 + 5\n  die: 3"
    )
    assert PIG.state({"banked": [10, 104], "mover": 1}).draw() == "  player 0:   10\n* player 1:  104\n  die: -"


@settings(max_examples=20, deadline=None)
@given(choices, st.integers(0, 1000))
def test_random_play(numbers: list[int], seed: int):
    for game in (load("pig", target=20), load("pig", players=8)):
        states = walk(game, numbers, seed)
        for state in states[-2:]:
            check_state(state)
        for before, after in pairwise(states):
            assert key_of(before) != key_of(after) or after.fields.die == 1


def test_random_play_ends():
    for seed in range(10):
        assert walk(PIG, [7 * i + i // 3 for i in range(2000)], seed)[-1].over


def test_parameter_errors():
    for parameters, message in [
        ({"players": 9}, "parameter players=9 is out of range: players must be from 2 to 8"),
        ({"target": 1}, "parameter target=1 is out of range: points to win must be from 2 to 1000"),
        (
            {"players": 8, "target": 500},
            "players=8 and target=500 are too much together; take fewer players, or target=100",
        ),
    ]:
        with pytest.raises(PlayoutError) as error:
            load("pig", **parameters)
        assert str(error.value) == message
