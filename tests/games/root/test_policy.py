"""Sensible play: legal, deterministic by its stream, and with an eye for the obvious."""

import random
from collections import Counter

import numpy as np

from playout.game.stream import Stream
from playout.games.root.policy import playout_action, prior, weight
from tests.games.root.boards import EYRIE, game, position, view


def counts(state, times=200):
    """How often each legal action is drawn, by its name."""
    legal = np.array(state.legal)
    return Counter(state.name(int(playout_action(view(state), legal, len(legal), Stream(seed)))) for seed in range(times))


def chosen(state):
    return counts(state).most_common(1)[0][0]


def share(state, *beginnings):
    """How often it draws an action whose name begins so."""
    found = counts(state)
    return sum(often for name, often in found.items() if name.startswith(beginnings)) / found.total()


def test_always_legal_and_weights_are_positive():
    chance = random.Random(3)
    state, seen = game().start(seed=3), 0
    while not state.over:
        legal, out = np.array(state.legal), np.zeros(len(state.legal))
        assert playout_action(view(state), legal, len(legal), Stream(seen)) in state.legal
        prior(view(state), legal, len(legal), out)
        assert all(out >= 1) and list(out) == [weight(view(state), action) for action in state.legal]
        state, seen = state.play(chance.choice(state.legal)), seen + 1


def test_crafts_an_item():
    state = position("CRAFTING", hands=("sale", ""), workshops=[5, 5], hers=[1])
    assert chosen(state) == "craft Bake Sale (rabbit)"


def test_plays_an_ambush():
    state = position("AMBUSHED", EYRIE, hands=("foxambush", ""), hers={6: 2}, theirs={6: 3}, place=5, asked=0)
    assert chosen(state) == "Ambush! (fox)"


def test_hidden_cards_change_nothing():
    """The weights of the one to act are the same whatever the other holds."""
    where = {
        "hers": {1: 4, 10: 2},
        "keep": 1,
        "wood": {1: 2},
        "sawmills": [1],
        "recruiters": [9],
        "theirs": {2: 3},
        "roosts": [2],
    }
    one, two = (position(hands=("anvil", other), **where) for other in ("sale", "birdambush"))
    assert one.legal == two.legal
    assert [weight(view(one), action) for action in one.legal] == [weight(view(two), action) for action in two.legal]
