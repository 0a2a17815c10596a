"""A game of full size in which a card is seldom shown, and to one player only: what a new user's first hidden game may well forget."""

from __future__ import annotations

from typing import Any

import numpy as np

from playout import Game, popcount
from tests.checker.bits import pick, some

CARDS, HAND, SCOUTS = 48, 12, 3
ALL = (1 << CARDS) - 1
RECORD = np.dtype(
    [
        ("hands", np.int64, 2),  # a bit for each card
        ("gone", np.int64),
        ("shown", np.int64, 2),  # what a player was shown of the other's hand; the other knows it, too
        ("led", np.int8),  # 1 + the card
        ("taken", np.int8, 2),
        ("player", np.int8),
    ]
)


def start(state, rng):
    state.hands[0] = some(ALL, HAND, rng)
    state.hands[1] = some(ALL & ~state.hands[0], HAND, rng)


def mover(state):
    return state.player if state.taken[0] + state.taken[1] < HAND else -1


def legal(state, out):
    count = 0
    for card in range(CARDS):
        if state.hands[state.player] >> card & 1:
            out[count] = card
            count += 1
    return count


def play(state, action, rng):
    player, other = state.player, 1 - state.player
    state.hands[player] &= ~(1 << action)
    state.gone |= 1 << action
    if action < SCOUTS and state.hands[other] > 0:
        state.shown[player] |= 1 << pick(state.hands[other], rng)
    if state.led == 0:
        state.led = 1 + action
        state.player = other
    else:
        winner = player if action > state.led - 1 else other
        state.taken[winner] += 1
        state.player = winner
        state.led = 0


def returns(state, out):
    out[0] = state.taken[0] - state.taken[1]
    out[1] = state.taken[1] - state.taken[0]


def observe(state, player):
    if mover(state) >= 0:
        state.hands[1 - player] = 0


def worlds(state, player, rng, known):
    other = 1 - player
    pool = ALL & ~(state.gone | state.hands[player] | known)
    state.hands[other] = known | some(pool, popcount(state.hands[other]) - popcount(known), rng)


def determinize(state, player, rng):
    if mover(state) >= 0:
        worlds(state, player, rng, state.shown[player] & ~state.gone)


def forgets(state, player, rng):
    if mover(state) >= 0:
        worlds(state, player, rng, 0)


def scouts(**changes: Any) -> Game:
    """Tricks of two cards with 48 cards; whoever lays one of three scouts is shown a card of the other's hand."""
    names = {
        "players": 2,
        "actions": CARDS,
        "most_legal": HAND,
        "State": RECORD,
        "start": start,
        "legal": legal,
        "play": play,
        "mover": mover,
        "returns": returns,
        "observe": observe,
        "determinize": determinize,
        "returns_range": (-HAND, HAND),
    }
    return Game("scouts", {**names, **changes})
