"""What must hold in every state, each law broken by hand."""

import random

import numpy as np
import pytest

from playout import State
from playout.games.root.laws import laws
from tests.games.root.boards import game, position


def test_random_games_keep_the_laws():
    chance = random.Random(2)
    for seed in range(3):
        state = game().start(seed=seed)
        while not state.over:
            assert state.broken is None
            state = state.play(chance.choice(state.legal))
        assert state.broken is None


def damaged(**fields):
    state = position(hers={1: 3}, theirs={3: 2}, keep=1, sawmills=[5], roosts=[3], hands=("anvil", "bank"), wood=[5])
    array = state.copy_array()
    for name, value in fields.items():
        if isinstance(value, dict):
            for place, number in value.items():
                array[0][name][place] = number
        else:
            array[0][name] = value
    return State(state.game, array, 1).broken


@pytest.mark.parametrize(
    "number, fields",
    [
        (1, {"stage": 38}),
        (1, {"leader": 4}),
        (1, {"keep": 12}),
        (2, {"stage": 32}),  # nobody is asked while the dice roll
        (2, {"asked": -1}),
        (3, {"hands": {0: 1 << 55}}),
        (3, {"crafted": {0: 1 << 8}}),  # a second Stand and Deliver! without a first
        (4, {"discard": 1 << 4}),  # a 51st card: the Anvil is in her hand
        (4, {"deck": 0}),
        (5, {"sizes": {1: 2}}),
        (6, {"known": {1: 1 << 4}}),
        (7, {"crafted": {0: 1 << 4}, "hands": {0: 0}, "sizes": {0: 0}}),
        (8, {"warriors": {(0, 0): 4}}),
        (8, {"warriors": {(1, 2): -1}, "supply": {1: 21}}),
        (9, {"wood": {4: 2}}),
        (10, {"buildings": {(0, 4): 2}}),
        (10, {"buildings": {(3, 4): 2}, "built": {3: 3}}),
        (11, {"buildings": {(1, 0): 2}, "built": {1: 2}}),
        (12, {"buildings": {(3, 0): 1}, "built": {3: 2}}),
        (13, {"items": {0: 3}}),
        (14, {"scores": {1: -1}}),
        (14, {"scores": {0: 40}}),
        (14, {"winner": 1, "asked": -1}),
        (15, {"sets": {0: 0}}),
        (15, {"warriors": {(0, 0): 2, (0, 1): 1}}),  # a warrior in a clearing that the sets know nothing of
    ],
)  # fmt: skip
def test_each_law(number, fields):
    assert damaged(**fields) == laws[number - 1]


def test_nothing_is_damaged_at_first():
    assert damaged() is None
    assert np.zeros(1, game().dtype).nbytes <= 320
