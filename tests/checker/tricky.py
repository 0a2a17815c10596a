"""Honest games that are easy to get wrong or to suspect: what a player was shown counts, backs are public, worlds are drawn in loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from playout import Game, below
from tests.checker.scouts import scouts

GUARD, PRIEST, BARON, PRINCESS = 1, 2, 3, 4
DECK = np.array([GUARD, GUARD, GUARD, PRIEST, PRIEST, PRIEST, BARON, BARON, BARON, PRINCESS], np.int8)
CARDS = len(DECK)
LETTER = np.dtype(
    [
        ("deck", np.int8, CARDS),  # from the end
        ("left", np.int8),
        ("hands", np.int8, (2, 2)),  # a card from before, and one that was just drawn
        ("played", np.int8, CARDS),
        ("turns", np.int8),
        (
            "likely",
            np.int16,
            (2, 5),
        ),  # what each player knows of the card that the other keeps: how many courses lead to each rank
        ("lost", np.int8),  # 1 + the player who was caught
    ]
)


def letter_start(state, rng):
    for i in range(CARDS):
        state.deck[i] = DECK[i]
    for i in range(CARDS - 1, 0, -1):
        j = below(rng, i + 1)
        card = state.deck[i]
        state.deck[i] = state.deck[j]
        state.deck[j] = card
    state.left = CARDS - 1  # one card is laid aside
    state.hands[0, 0] = take(state)
    state.hands[1, 0] = take(state)
    state.hands[0, 1] = take(state)
    for player in range(2):
        for rank in range(1, 5):
            state.likely[player, rank] = 1


def take(state):
    state.left -= 1
    card = state.deck[state.left + 1]
    state.deck[state.left + 1] = 0
    return card


def letter_mover(state):
    if state.lost > 0 or state.hands[state.turns & 1, 1] == 0:
        return -1
    return state.turns & 1


def letter_legal(state, out):
    """A card of the two, and with a guard the rank that is guessed."""
    count, player = 0, state.turns & 1
    for place in range(2):
        if state.hands[player, place] == GUARD:
            for guess in range(3):
                out[count] = 4 * place + guess
                count += 1
        else:
            out[count] = 4 * place + 3
            count += 1
    return count


def letter_play(state, action, rng):
    player = state.turns & 1
    other, place = 1 - player, action // 4
    card = state.hands[player, place]
    state.played[state.turns] = card
    if place == 0:
        state.hands[player, 0] = state.hands[player, 1]
    state.hands[player, 1] = 0
    # The other one has seen the card: it was the old one, or the one just drawn.
    was = state.likely[other, card]
    for rank in range(1, 5):
        state.likely[other, rank] += was
    if card == GUARD:
        guess = 2 + action % 4
        if state.hands[other, 0] == guess:
            state.lost = 1 + other
        state.likely[player, guess] = 0
    elif card == PRIEST:
        for rank in range(1, 5):
            state.likely[player, rank] = 1 if state.hands[other, 0] == rank else 0
    elif card == PRINCESS:
        state.lost = 1 + player
    state.turns += 1
    if state.left > 0 and state.lost == 0:
        state.hands[other, 1] = take(state)


def letter_returns(state, out):
    lead = 0
    if state.lost > 0:
        lead = 1 if state.lost == 2 else -1
    elif letter_mover(state) < 0:
        lead = (state.hands[0, 0] > state.hands[1, 0]) - (state.hands[0, 0] < state.hands[1, 0])
    out[0] = lead
    out[1] = -lead


def letter_observe(state, player):
    if letter_mover(state) >= 0:
        state.hands[1 - player, 0] = 0
        state.hands[1 - player, 1] = 0
        for i in range(CARDS):
            state.deck[i] = 0
        # What the other one knows of my card is no secret: guesses are heard, and I know which card a priest was shown.


def letter_worlds(state, player, rng, minds):
    """Deal what the player has not seen: the card that the other keeps by how many courses lead to it, the rest as it comes.

    `minds`: whether what was shown counts.
    """
    if letter_mover(state) < 0:
        return
    other, size = 1 - player, 0
    drawn = state.hands[other, 1] > 0
    total = 0
    for i in range(CARDS):
        if state.deck[i] > 0:
            size += 1
    # The cards that are not seen, in the places of the deck: those of the other player behind them.
    state.deck[size] = state.hands[other, 0]
    size += 1
    if drawn:
        state.deck[size] = state.hands[other, 1]
        size += 1
    for i in range(size):
        total += state.likely[player, state.deck[i]] if minds else 1
    chosen, place = below(rng, total), 0
    for i in range(size):
        chosen -= state.likely[player, state.deck[i]] if minds else 1
        if chosen < 0:
            place = i
            break
    card = state.deck[place]
    state.deck[place] = state.deck[size - 1]
    state.deck[size - 1] = card
    for i in range(size - 2, 0, -1):
        j = below(rng, i + 1)
        card = state.deck[i]
        state.deck[i] = state.deck[j]
        state.deck[j] = card
    size -= 1
    state.hands[other, 0] = state.deck[size]
    state.deck[size] = 0
    if drawn:
        size -= 1
        state.hands[other, 1] = state.deck[size]
        state.deck[size] = 0


def letter_determinize(state, player, rng):
    letter_worlds(state, player, rng, True)


def letter(**changes: Any) -> Game:
    """A love letter for two: guards guess, a priest looks, and the higher card wins at the end."""
    names = {
        "players": 2,
        "actions": 8,
        "State": LETTER,
        "start": letter_start,
        "legal": letter_legal,
        "play": letter_play,
        "mover": letter_mover,
        "returns": letter_returns,
        "observe": letter_observe,
        "determinize": letter_determinize,
        "returns_range": (-1, 1),
    }
    return Game("letter", {**names, **changes})


TRICKY = {"letter": letter, "scouts": scouts}
