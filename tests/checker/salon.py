"""Three games for the audit to be tried on: a heap that is shuffled again, roles that are guessed and looked at, bids under seal."""

from __future__ import annotations

from typing import Any

import numpy as np

from playout import Game, below, popcount
from tests.checker.bits import pick, some

CARDS, HAND, TURNS = 14, 3, 22
ALL = (1 << CARDS) - 1
MARKET = np.dtype(
    [
        ("hands", np.int32, 2),
        ("deck", np.int32),
        ("left", np.int8),  # cards in the deck
        ("pile", np.int32),
        ("known", np.int32, 2),  # what a player knows the other to hold
        ("shuffles", np.int8),
        ("turns", np.int8),
        ("last", np.int8),
        ("points", np.int8, 2),
    ]
)


def market_start(state, rng):
    state.hands[0] = some(ALL, HAND, rng)
    state.hands[1] = some(ALL & ~state.hands[0], HAND, rng)
    state.deck = ALL & ~(state.hands[0] | state.hands[1])
    state.left = CARDS - 2 * HAND


def market_mover(state):
    return state.turns & 1 if state.turns < TURNS else -1


def market_legal(state, out):
    count = 0
    for card in range(CARDS):
        if state.hands[state.turns & 1] >> card & 1:
            out[count] = card
            count += 1
    return count


def market_play(state, action, rng):
    player = state.turns & 1
    state.hands[player] &= ~(1 << action)
    state.known[1 - player] &= ~(1 << action)
    if action > state.last:
        state.points[player] += 1
    state.last = action
    if state.left == 0:
        # Nothing else is hidden at this moment: each knows what the other holds.
        state.known[0] = state.hands[1]
        state.known[1] = state.hands[0]
        state.deck = state.pile
        state.left = popcount(state.pile)
        state.pile = 0
        state.shuffles += 1
    state.pile |= 1 << action
    card = pick(state.deck, rng)
    state.deck &= ~(1 << card)
    state.left -= 1
    state.hands[player] |= 1 << card
    state.turns += 1


def market_returns(state, out):
    out[0] = state.points[0] - state.points[1]
    out[1] = -out[0]


def market_observe(state, player):
    if state.turns < TURNS:
        state.hands[1 - player] = 0
        state.deck = 0


def market_worlds(state, player, rng, known):
    pool = ALL & ~(state.hands[player] | state.pile | known)
    state.hands[1 - player] = known | some(pool, HAND - popcount(known), rng)
    state.deck = ALL & ~(state.hands[0] | state.hands[1] | state.pile)


def market_determinize(state, player, rng):
    if state.turns < TURNS:
        market_worlds(state, player, rng, state.known[player])


def market_by_trying(state, player, rng):
    """The same by dealing until what is known is there."""
    if state.turns < TURNS:
        known, hand = state.known[player], 0
        while popcount(hand) != HAND or hand & known != known:
            hand = some(ALL & ~(state.hands[player] | state.pile), HAND, rng)
        state.hands[1 - player] = hand
        state.deck = ALL & ~(state.hands[player] | hand | state.pile)


def market(**changes: Any) -> Game:
    """Lay a card and draw one; when the deck is empty the pile becomes the deck, and what the other holds is known."""
    names = {
        "players": 2,
        "actions": CARDS,
        "most_legal": HAND,
        "State": MARKET,
        "start": market_start,
        "legal": market_legal,
        "play": market_play,
        "mover": market_mover,
        "returns": market_returns,
        "observe": market_observe,
        "determinize": market_determinize,
        "returns_range": (-TURNS, TURNS),
    }
    return Game("market", {**names, **changes})


SEATS, ROLES, ROUNDS, PEEK = 3, 6, 12, 12
COURT = np.dtype(
    [
        ("role", np.int8, SEATS),  # 1 to ROLES, all different
        ("ruled", np.int8, SEATS),  # a bit for each role that somebody was guessed to have and has not
        ("found", np.int8, SEATS),
        ("saw", np.int8, SEATS),  # the role of the next seat, once it was looked at
        ("peeked", np.int8, SEATS),
        ("turns", np.int8),
    ]
)


def court_start(state, rng):
    state.role[0] = 1 + below(rng, ROLES)
    state.role[1] = state.role[0]
    while state.role[1] == state.role[0]:
        state.role[1] = 1 + below(rng, ROLES)
    state.role[2] = state.role[0]
    while state.role[2] == state.role[0] or state.role[2] == state.role[1]:
        state.role[2] = 1 + below(rng, ROLES)


def court_mover(state):
    return state.turns % SEATS if state.turns < ROUNDS else -1


def court_legal(state, out):
    """Guess the role of the next seat or of the one after, or look at the next one's; who has nothing to ask may guess again."""
    player, count = state.turns % SEATS, 0
    for other in range(2):
        seat = (player + 1 + other) % SEATS
        for role in range(ROLES):
            if state.found[seat] == 0 and state.ruled[seat] >> role & 1 == 0:
                out[count] = ROLES * other + role
                count += 1
    if state.peeked[player] == 0 or count == 0:
        out[count] = PEEK
        count += 1
    return count


def court_play(state, action, rng):
    player = state.turns % SEATS
    state.turns += 1
    if action == PEEK:
        state.peeked[player] = 1
        state.saw[player] = state.role[(player + 1) % SEATS]
        return
    seat = (player + 1 + action // ROLES) % SEATS
    if state.role[seat] == 1 + action % ROLES:
        state.found[seat] = 1
    else:
        state.ruled[seat] |= 1 << action % ROLES


def court_returns(state, out):
    for seat in range(SEATS):
        out[seat] = 0.5 - state.found[seat]


def court_observe(state, player):
    if state.turns < ROUNDS:
        for seat in range(SEATS):
            if seat != player:
                state.saw[seat] = 0
                if state.found[seat] == 0:
                    state.role[seat] = 0


def court_fits(state, player, seat, role):
    """Whether a seat can have a role, by what all know and what the player saw."""
    if state.ruled[seat] >> role - 1 & 1:
        return False
    return not (seat == (player + 1) % SEATS and state.saw[player] > 0 and state.saw[player] != role)


def court_saw(state, player):
    """What others have looked at follows from the roles."""
    for seat in range(SEATS):
        if seat != player and state.peeked[seat] == 1:
            state.saw[seat] = state.role[(seat + 1) % SEATS]


def court_determinize(state, player, rng):
    """Any two roles that fit, each as likely: drawn until they do."""
    if state.turns < ROUNDS:
        one, two = (player + 1) % SEATS, (player + 2) % SEATS
        first, second = 0, 0
        while first == 0:
            first = state.role[one] if state.found[one] else 1 + below(rng, ROLES)
            second = state.role[two] if state.found[two] else 1 + below(rng, ROLES)
            if (
                first == second
                or first == state.role[player]
                or second == state.role[player]
                or not (court_fits(state, player, one, first) and court_fits(state, player, two, second))
            ):
                first = 0
        state.role[one] = first
        state.role[two] = second
        court_saw(state, player)


def court_by_counting(state, player, rng):
    """The same by counting the two roles that fit, and taking one of them."""
    if state.turns < ROUNDS:
        one, two = (player + 1) % SEATS, (player + 2) % SEATS
        chosen = -1
        for again in range(2):
            count = 0
            for pair in range(ROLES * ROLES):
                first, second = 1 + pair // ROLES, 1 + pair % ROLES
                fits = first != second and first != state.role[player] and second != state.role[player]
                fits = fits and court_fits(state, player, one, first) and court_fits(state, player, two, second)
                fits = fits and (state.found[one] == 0 or first == state.role[one])
                if fits and (state.found[two] == 0 or second == state.role[two]):
                    if again == 1 and count == chosen:
                        state.role[one] = first
                        state.role[two] = second
                        court_saw(state, player)
                        return
                    count += 1
            chosen = below(rng, count)


def court(**changes: Any) -> Game:
    """Three secret roles of six: guess another's, which all hear answered, or look at the next one's once."""
    names = {
        "players": SEATS,
        "actions": 2 * ROLES + 1,
        "State": COURT,
        "start": court_start,
        "legal": court_legal,
        "play": court_play,
        "mover": court_mover,
        "returns": court_returns,
        "observe": court_observe,
        "determinize": court_determinize,
        "returns_range": (-1, 1),
    }
    return Game("court", {**names, **changes})


BIDS = 6
SEALED = np.dtype(
    [
        ("left", np.int16, 2),  # a bit for each card that a player has not bid
        ("bid", np.int8, 2),  # 1 + the card; another's is seen when both have bid
        ("prizes", np.int8, BIDS),
        ("round", np.int8),
        ("points", np.int8, 2),
    ]
)


def sealed_start(state, rng):
    for i in range(BIDS):
        state.prizes[i] = 1 + i
    sealed_shuffle(state, 0, rng)
    state.left[0] = (1 << BIDS) - 1
    state.left[1] = (1 << BIDS) - 1


def sealed_shuffle(state, first, rng):
    for i in range(BIDS - 1, first, -1):
        j = first + below(rng, i - first + 1)
        prize = state.prizes[i]
        state.prizes[i] = state.prizes[j]
        state.prizes[j] = prize


def sealed_mover(state):
    if state.round == BIDS:
        return -1
    first = state.round & 1
    return first if state.bid[first] == 0 else 1 - first


def sealed_legal(state, out):
    count, left = 0, state.left[sealed_mover(state)]
    for card in range(BIDS):
        if left >> card & 1:
            out[count] = card
            count += 1
    return count


def sealed_play(state, action, rng):
    player = sealed_mover(state)
    state.bid[player] = 1 + action
    if state.bid[1 - player] > 0:
        lead = state.bid[0] - state.bid[1]
        if lead != 0:
            state.points[0 if lead > 0 else 1] += state.prizes[state.round]
        for seat in range(2):
            state.left[seat] &= ~(1 << state.bid[seat] - 1)
            state.bid[seat] = 0
        state.round += 1


def sealed_returns(state, out):
    out[0] = state.points[0] - state.points[1]
    out[1] = -out[0]


def sealed_observe(state, player):
    for i in range(state.round + 1, BIDS):
        state.prizes[i] = 0
    if state.bid[1 - player] > 0:
        state.bid[1 - player] = 1 + BIDS  # there is one


def sealed_determinize(state, player, rng):
    if state.round < BIDS:
        sealed_shuffle(state, state.round + 1, rng)
        if state.bid[1 - player] > 0:
            state.bid[1 - player] = 1 + pick(state.left[1 - player], rng)


def sealed(**changes: Any) -> Game:
    """Six bids for six prizes, each a card that is then gone; the first of two bids lies face down."""
    names = {
        "players": 2,
        "actions": BIDS,
        "State": SEALED,
        "start": sealed_start,
        "legal": sealed_legal,
        "play": sealed_play,
        "mover": sealed_mover,
        "returns": sealed_returns,
        "observe": sealed_observe,
        "determinize": sealed_determinize,
        "returns_range": (-21, 21),
    }
    return Game("sealed", {**names, **changes})
