"""Staircase: turn up card after card, build stairs that only rise, and put a few cards under the deck for later.

The deck is hidden but for its top card and the cards that were put under it: the player knows those, in order, and which
cards are left in between, but not how they lie.
"""

import numpy as np

from playout import below, parameter

RANKS, SUITS = 6, 2
CARDS = RANKS * SUITS
most_tucks = parameter("tucks", 3, "cards that may be put under the deck", low=0, high=9)

STEP, TUCK, DROP = 0, 1, 2
players = 1
actions = 3
returns_range = (0, RANKS)
State = np.dtype(
    [
        ("deck", np.int8, CARDS + most_tucks),  # ranks 1 to RANKS from top to end - 1, 0 where no card lies
        ("top", np.int8),
        ("end", np.int8),
        ("known", np.int8),  # how many cards at the bottom the player has put there
        ("tucks", np.int8),
        ("stairs", np.int8),  # the rank of the last step
        ("steps", np.int8),
        ("gone", np.int8, RANKS + 1),  # cards out of the game by rank: what the player has learnt and needs
    ]
)


def start(state, rng):
    for i in range(CARDS):
        state.deck[i] = 1 + i % RANKS
    state.end = CARDS
    shuffle(state, 0, CARDS, rng)


def shuffle(state, first, last, rng):
    for i in range(last - 1, first, -1):
        j = first + below(rng, i - first + 1)
        state.deck[i], state.deck[j] = state.deck[j], state.deck[i]


def legal(state, out):
    count = 0
    if state.deck[state.top] > state.stairs:
        out[count] = STEP
        count += 1
    if state.tucks < most_tucks:
        out[count] = TUCK
        count += 1
    out[count] = DROP
    return count + 1


def play(state, action, rng):
    card = state.deck[state.top]
    state.deck[state.top] = 0
    state.top += 1
    if action == TUCK:
        state.deck[state.end] = card
        state.end += 1
        state.known += 1
        state.tucks += 1
    else:
        state.gone[card] += 1
    if action == STEP:
        state.stairs = card
        state.steps += 1
    state.known = min(state.known, state.end - state.top)


def mover(state):
    return 0 if state.top < state.end else -1


def returns(state, out):
    out[0] = state.steps


def observe(state, player):
    for i in range(state.top + 1, state.end - state.known):
        state.deck[i] = 0


def determinize(state, player, rng):
    shuffle(state, state.top + 1, state.end - state.known, rng)


def action_name(state, action):
    return ("step", "tuck", "drop")[action]


def draw(state, viewer):
    cards = []
    for i in range(state.top, state.end):
        seen = viewer is None or i == state.top or i >= state.end - state.known
        cards.append(str(state.deck[i]) if seen else "?")
    return f"deck: {' '.join(cards)}\nstairs: {state.steps} up to {state.stairs}, {most_tucks - state.tucks} tucks left"
