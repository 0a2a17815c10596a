"""Cards in hands, deck and discard pile: drawing, spending, what each player knows of the other hand, and other worlds.

Nobody ever sees or arranges the deck, so it is a set, and a draw picks one of its cards at that moment; only hands are hidden. `known`
carries the part of a hand that the other player knows: all of it after Codebreakers and whenever the deck runs out (what is neither in
the own hand nor open must be there), a card that was stolen, until it leaves the hand. Of two copies the known one leaves first.
"""

import numpy as np

from playout import below, lowest, pop, popcount
from playout.games.root.cards import CARDS, FIRST, KIND_AT, drop, nth, put
from playout.games.root.options import DECK
from playout.games.root.record import DISCARDING


def draw(state, player, number, rng):
    """Cards into a hand, one by one; the discard pile is the new deck as soon as the old one is empty."""
    for _ in range(number):
        left = popcount(state.deck)
        if left > 0:
            kind = nth(state.deck, below(rng, left))
            state.deck = drop(state.deck, kind)
            state.hands[player] = put(state.hands[player], kind)
            state.sizes[player] += 1
            if state.deck == 0:
                state.deck = state.discard
                state.discard = 0
                state.known[0] = state.hands[0]
                state.known[1] = state.hands[1]


def discard(state, kind):
    """A card onto the discard pile. Where deck and pile were both empty it is the new deck."""
    if state.deck == 0:
        state.deck = put(state.deck, kind)
    else:
        state.discard = put(state.discard, kind)


def take_out(state, player, kind):
    """A card out of a hand, for all to see. A known copy goes first."""
    state.hands[player] = drop(state.hands[player], kind)
    state.sizes[player] -= 1
    if state.known[player] >> FIRST[kind] & 1:
        state.known[player] = drop(state.known[player], kind)


def spend(state, player, kind):
    take_out(state, player, kind)
    discard(state, kind)


def steal(state, player, rng):
    """A random card of the other hand into this one. Both know it then: one sees it, the other sees what is missing."""
    other = 1 - player
    kind = nth(state.hands[other], below(rng, state.sizes[other]))
    take_out(state, other, kind)
    state.hands[player] = put(state.hands[player], kind)
    state.sizes[player] += 1
    state.known[player] = put(state.known[player], kind)


def may_hold(state, player, some):
    """Whether what both players know leaves it open that a hand has one of these cards (whole kinds).

    Questions are asked by this, and never by the hand itself, so that nobody learns anything from being asked or from not being asked.
    """
    if state.known[player] & some != 0:
        return True
    if popcount(state.known[player]) == state.sizes[player]:
        return False
    lying = popcount(state.known[1 - player] & some) + popcount(state.discard & some)
    lying += popcount(state.crafted[0] & some) + popcount(state.crafted[1] & some)
    for column in range(4):
        lying += popcount(state.decree[column] & some)
    return lying < popcount(DECK & some)


def observe(state, player):
    """The other hand is what is known of it; the rest of it and the deck are one heap. `sizes` still says how many cards there are."""
    heap_up(state, 1 - player)


def heap_up(state, player):
    """The unknown cards of a hand into the deck."""
    hidden = state.hands[player] & ~state.known[player]
    while hidden:
        state.deck = put(state.deck, KIND_AT[lowest(hidden)])
        hidden = pop(hidden)
    state.hands[player] = state.known[player]


def determinize(state, player, rng):
    """Another hand for the other player: what is known of it, and as many unknown cards, drawn evenly from all that are unseen."""
    other = 1 - player
    heap_up(state, other)
    unknown = state.sizes[other] - popcount(state.known[other])
    rest = 0
    if state.stage == DISCARDING and state.asked == other:
        # Discards come in ascending order, so whoever has discarded one still holds enough that are not below it.
        high = (1 << CARDS) - (1 << FIRST[state.mark])
        least = state.left - popcount(state.known[other] & high)
        if least > 0:
            number = split(popcount(state.deck & high), popcount(state.deck & ~high), unknown, least, rng)
            rest = state.deck & ~high
            state.deck &= high
            deal(state, other, number, rng)
            unknown -= number
            rest, state.deck = state.deck, rest
    deal(state, other, unknown, rng)
    state.deck |= rest


def deal(state, player, number, rng):
    """Cards of the deck into a hand, without a look at what that means."""
    for _ in range(number):
        kind = nth(state.deck, below(rng, popcount(state.deck)))
        state.deck = drop(state.deck, kind)
        state.hands[player] = put(state.hands[player], kind)


CHOOSE = np.zeros((CARDS + 1, CARDS + 1), np.int64)
CHOOSE[:, 0] = 1
for _n in range(1, CARDS + 1):
    CHOOSE[_n, 1:] = CHOOSE[_n - 1, 1:] + CHOOSE[_n - 1, :-1]


def split(high, low, number, least, rng):
    """How many of so many cards are high ones, if at least some are: each choice of cards as likely."""
    most = min(high, number)
    total = 0
    for some in range(max(least, number - low), most + 1):
        total += CHOOSE[high, some] * CHOOSE[low, number - some]
    # A stream draws below 2^32. More than that only a hand of 11 unknown cards brings about; its weights lose their last bits.
    cut = 0
    while total >> cut > 1 << 31:
        cut += 1
    total = 0
    for some in range(max(least, number - low), most + 1):
        total += CHOOSE[high, some] * CHOOSE[low, number - some] >> cut
    chosen = below(rng, total)
    for some in range(max(least, number - low), most + 1):
        chosen -= CHOOSE[high, some] * CHOOSE[low, number - some] >> cut
        if chosen < 0:
            return some
    return most
