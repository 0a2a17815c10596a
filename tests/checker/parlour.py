"""Two games for the audit to be tried on: one in which a player looks at a card in private, one in which what is shown limits the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from playout import Game, below, popcount
from tests.checker.bits import pick, some

CARDS, HAND, LOOK = 16, 5, 16
ALL = (1 << CARDS) - 1
SPY = np.dtype(
    [
        ("hands", np.int32, 2),  # a bit for each card
        ("gone", np.int32),
        ("looked", np.int8, 2),  # whether a player has looked, which everybody knows
        ("saw", np.int8, 2),  # 1 + the card of the other that a player has seen
        ("since", np.int32, 2),  # what a player has laid since it was looked at
        ("led", np.int8),  # 1 + the card
        ("taken", np.int8, 2),
        ("player", np.int8),
    ]
)


def spy_start(state, rng):
    state.hands[0] = some(ALL, HAND, rng)
    state.hands[1] = some(ALL & ~state.hands[0], HAND, rng)


def spy_mover(state):
    return state.player if state.taken[0] + state.taken[1] < HAND else -1


def spy_legal(state, out):
    count = 0
    for card in range(CARDS):
        if state.hands[state.player] >> card & 1:
            out[count] = card
            count += 1
    if state.looked[state.player] == 0 and popcount(state.hands[1 - state.player]) > 0:
        out[count] = LOOK
        count += 1
    return count


def spy_play(state, action, rng):
    player, other = state.player, 1 - state.player
    if action == LOOK:
        state.saw[player] = 1 + pick(state.hands[other], rng)
        state.looked[player] = 1
        state.since[other] = 0
        return
    state.hands[player] &= ~(1 << action)
    state.gone |= 1 << action
    state.since[player] |= 1 << action
    if state.led == 0:
        state.led = 1 + action
        state.player = other
    else:
        winner = player if action > state.led - 1 else other
        state.taken[winner] += 1
        state.player = winner
        state.led = 0


def spy_returns(state, out):
    out[0] = state.taken[0] - state.taken[1]
    out[1] = state.taken[1] - state.taken[0]


def spy_observe(state, player):
    if spy_mover(state) >= 0:
        state.hands[1 - player] = 0
        state.saw[1 - player] = 0


def spy_worlds(state, player, rng, known, pool):
    """Deal the other a hand around what is known of it, from a pool, and let it have seen any card that was in mine then."""
    other = 1 - player
    state.hands[other] = known | some(pool & ~known, popcount(state.hands[other]) - popcount(known), rng)
    if state.looked[other] == 1:
        state.saw[other] = 1 + pick(state.hands[player] | state.since[player], rng)


def spy_known(state, player):
    """The card that the player has seen, where the other still has it."""
    return 1 << state.saw[player] - 1 & ~state.gone if state.saw[player] > 0 else 0


def spy_determinize(state, player, rng):
    if spy_mover(state) >= 0:
        spy_worlds(state, player, rng, spy_known(state, player), ALL & ~(state.gone | state.hands[player]))


def spy_by_trying(state, player, rng):
    """The same by dealing until the card that was seen is there."""
    if spy_mover(state) < 0:
        return
    other, known = 1 - player, spy_known(state, player)
    size = popcount(state.hands[other])
    state.hands[other] = 0
    while state.hands[other] & known != known or popcount(state.hands[other]) != size:
        state.hands[other] = some(ALL & ~(state.gone | state.hands[player]), size, rng)
    if state.looked[other] == 1:
        state.saw[other] = 1 + pick(state.hands[player] | state.since[player], rng)


def spy(**changes: Any) -> Game:
    """Tricks of two cards; once in a game, at its turn, a player looks at a card of the other's hand."""
    names = {
        "players": 2,
        "actions": CARDS + 1,
        "most_legal": HAND + 1,
        "State": SPY,
        "start": spy_start,
        "legal": spy_legal,
        "play": spy_play,
        "mover": spy_mover,
        "returns": spy_returns,
        "observe": spy_observe,
        "determinize": spy_determinize,
        "returns_range": (-HAND, HAND),
    }
    return Game("spy", {**names, **changes})


DICE, FACES, SEATS, TURNS = 4, 6, 3, 12
CUPS = np.dtype(
    [
        ("dice", np.int8, (SEATS, DICE)),
        ("shown", np.int8, (SEATS, DICE)),
        ("most", np.int8, (SEATS, DICE)),  # what a die can be at most, as everybody knows
        ("turns", np.int8),
    ]
)


def cups_start(state, rng):
    for player in range(SEATS):
        for die in range(DICE):
            state.dice[player, die] = 1 + below(rng, FACES)
            state.most[player, die] = FACES


def cups_mover(state):
    return state.turns % SEATS if state.turns < TURNS else -1


def cups_legal(state, out):
    """Show a die that no hidden one of one's own is above, or roll a hidden one again; or pass when all lie open."""
    player, count, high = state.turns % SEATS, 0, 0
    for die in range(DICE):
        if state.shown[player, die] == 0:
            high = max(high, state.dice[player, die])
    for die in range(DICE):
        if state.shown[player, die] == 0:
            out[count] = DICE + die
            count += 1
            if state.dice[player, die] == high:
                out[count] = die
                count += 1
    if count == 0:
        out[0] = 2 * DICE
        return 1
    return count


def cups_play(state, action, rng):
    player = state.turns % SEATS
    state.turns += 1
    if action == 2 * DICE:
        return
    die = action % DICE
    if action >= DICE:
        state.dice[player, die] = 1 + below(rng, FACES)
        state.most[player, die] = FACES
        return
    state.shown[player, die] = 1
    for other in range(DICE):
        if state.shown[player, other] == 0:
            state.most[player, other] = min(state.most[player, other], state.dice[player, die])


def cups_returns(state, out):
    total = 0
    for player in range(SEATS):
        out[player] = 0
        for die in range(DICE):
            if state.shown[player, die] == 1:
                out[player] += state.dice[player, die]
        total += out[player]
    for player in range(SEATS):
        out[player] -= total / SEATS


def cups_observe(state, player):
    if state.turns < TURNS:
        for other in range(SEATS):
            for die in range(DICE):
                if other != player and state.shown[other, die] == 0:
                    state.dice[other, die] = 0


def cups_determinize(state, player, rng):
    if state.turns < TURNS:
        for other in range(SEATS):
            for die in range(DICE):
                if other != player and state.shown[other, die] == 0:
                    state.dice[other, die] = 1 + below(rng, state.most[other, die])


def cups_by_trying(state, player, rng):
    """The same by rolling until a die is low enough."""
    if state.turns < TURNS:
        for other in range(SEATS):
            for die in range(DICE):
                if other != player and state.shown[other, die] == 0:
                    state.dice[other, die] = 1 + below(rng, FACES)
                    while state.dice[other, die] > state.most[other, die]:
                        state.dice[other, die] = 1 + below(rng, FACES)


def cups(**changes: Any) -> Game:
    """Four dice under each of three cups: show the highest of the hidden ones, or roll one again unseen."""
    names = {
        "players": SEATS,
        "actions": 2 * DICE + 1,
        "most_legal": 2 * DICE,
        "State": CUPS,
        "start": cups_start,
        "legal": cups_legal,
        "play": cups_play,
        "mover": cups_mover,
        "returns": cups_returns,
        "observe": cups_observe,
        "determinize": cups_determinize,
        "returns_range": (-FACES * DICE, FACES * DICE),
    }
    return Game("cups", {**names, **changes})
