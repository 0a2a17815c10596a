"""The game as a whole: what it declares, and random games under every reading of the rules."""

import random

import pytest

from playout.games.root.record import ASKING
from tests.games.root.boards import game


def test_what_it_declares():
    root = game()
    assert root.players == 2 and root.player_names == ("Marquise", "Eyrie")
    assert root.dtype.itemsize <= 320 and root.actions <= 512 and root.most_legal <= 128
    assert root.returns_range == (-30, 30) and list(root.rewards) == ["difference", "win", "blend", "positive"]
    assert len(root.laws) == 15


@pytest.mark.parametrize(
    "spec",
    [
        "root",
        "root:decree=forced,tax_hospitals=false,short_roost=false,bank=always,despot=removal",
        "root:points=12,reward=win",
        "root:turns=6,reward=blend",
        "root:deck=stand-anvil-foxambush-bank-sword-sappers-mice-tax,turns=20",
        "root:deck=tax-tax-bank-bank-codebreakers-codebreakers-birdambush-birdambush-stand-stand,turns=30",
    ],
)
def test_random_games(spec):
    chance = random.Random(1)
    for seed in range(2):
        state, most = game(spec).start(seed=seed), 0
        while not state.over:
            assert state.broken is None and state.fields.stage in ASKING and state.mover == state.fields.asked
            most = max(most, len(state.legal))
            state = state.play(chance.choice(state.legal))
        assert state.broken is None and most <= game(spec).most_legal
        low, high = game(spec).returns_range
        assert low <= state.returns[0] <= high and state.returns[1] == -state.returns[0]


def test_same_seed_same_game():
    def line(seed):
        chance, state = random.Random(seed), game().start(seed=seed)
        for _ in range(120):
            if state.over:
                break
            state = state.play(chance.choice(state.legal))
        return bytes(state)

    assert line(1) == line(1) != line(2)
