"""Sensible play: legal, deterministic by its stream, and with an eye for the obvious."""

import random
from collections import Counter

import numpy as np

from playout.game.stream import Stream
from playout.games.root.policy import playout_action, prior, weight
from tests.games.root.boards import EYRIE, decree_day, game, names, played, position, view


def chosen(state, times=200):
    legal = np.array(state.legal)
    found = Counter(state.name(int(playout_action(view(state), legal, len(legal), Stream(seed)))) for seed in range(times))
    return found.most_common(1)[0][0]


def test_always_legal_and_weights_are_positive():
    chance = random.Random(3)
    state, seen = game().start(seed=3), 0
    while not state.over:
        legal, out = np.array(state.legal), np.zeros(len(state.legal))
        assert playout_action(view(state), legal, len(legal), Stream(seen)) in state.legal
        prior(view(state), legal, len(legal), out)
        assert all(out >= 1) and list(out) == [weight(view(state), action) for action in state.legal]
        state, seen = state.play(chance.choice(state.legal)), seen + 1


def test_builds_where_it_scores():
    state = position(hers={1: 4}, keep=1, wood={1: 3}, sawmills=[5, 7, 8], theirs={3: 3})
    assert chosen(state).startswith("build sawmill")


def test_takes_an_undefended_roost():
    state = position(hers={6: 4}, roosts=[6], theirs={3: 1})
    assert chosen(state) == "battle in 6"


def test_crafts_an_item():
    state = position("CRAFTING", hands=("sale", ""), workshops=[5, 5], hers=[1])
    assert chosen(state) == "craft Bake Sale (rabbit)"


def test_keeps_away_from_turmoil():
    state = decree_day("RECRUIT", leader="Despot", theirs={3: 6}, roosts=[3], decree=("tax armorers", "", "", ""))
    assert chosen(state) == "RECRUIT by bird"
    adding = position("ADD", EYRIE, hands=("", "anvil"), theirs={3: 6}, roosts=[3], hers={1: 3})
    # The only roost is in a rabbit clearing, and all warriors are there: a fox card can hardly be carried out anywhere.
    assert "Anvil (fox) to RECRUIT" in names(adding) and played(adding, chosen(adding)).fields.sizes[EYRIE] == 0
