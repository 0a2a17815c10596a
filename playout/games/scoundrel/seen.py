"""What a network sees of Scoundrel: a token for the player, one for each slot of the room, and one for each card of the deck.

It reads an observation, so the unknown front of the dungeon is not in it. A card's token says what has become of the card: gone, in the room,
unseen, or known to lie at some depth of the dungeon.
"""

from itertools import permutations

import numpy as np

from playout.games.scoundrel.cards import FRESH, POTION, WEAPON

# The columns, in groups: what kind of token, which card it is about, then what each kind of token has for itself.
PLAYER, SLOT, CARD = 0, 1, 2
KINDS = 3  # clubs, spades, weapons, potions
VALUE, VALUES = 7, 8  # the value as a number, then 2 to 14 one-hot
ORDER = 21  # in which place of an avoided room the card would lie
USABLE, WITH_WEAPON, BARE, DIES_ARMED, DIES_BARE, HEALS = 25, 26, 27, 28, 29, 30
GONE, IN_ROOM, UNSEEN, KNOWN = 31, 32, 33, 34
DEPTH, DEPTHS, NEAR = 35, 36, 8  # how deep, as a number; the topmost ones one-hot
HEALTH_LEFT, BLADE, LAST, UNUSED, DRUNK, RAN, FACED = 44, 45, 46, 47, 48, 49, 50  # how many are faced: one-hot, four columns
DUNGEON, FRONT, MONSTERS, ALL_KNOWN, CAN_AVOID = 54, 55, 56, 57, 58
FEATURES = 59
SLOTS = 4
FIRST_CARD = 1 + SLOTS


def places_of(deck):
    """The token of each card, by its number."""
    found = np.zeros(64, np.int64)
    for place, code in enumerate(deck):
        found[code] = FIRST_CARD + place
    return found


def write_card(out, token, card):
    """Which card a token is about."""
    value = card & 15
    out[token, KINDS + (card >> 4)] = 1.0
    out[token, VALUE] = value / 14.0
    out[token, VALUES + value - 2] = 1.0


def write_player(state, out, health, monsters, cards):
    out[0, PLAYER] = 1.0
    out[0, HEALTH_LEFT] = state.health / health
    out[0, BLADE] = state.weapon / 10.0
    out[0, LAST] = state.last / 15.0
    out[0, UNUSED] = 1.0 if state.last == FRESH else 0.0
    out[0, DRUNK] = state.potion
    out[0, RAN] = state.avoided
    out[0, FACED + min(max(state.faced, 0), 3)] = 1.0
    out[0, DUNGEON] = state.cards / cards
    out[0, FRONT] = state.unknown / cards
    out[0, MONSTERS] = state.monsters / max(1, monsters)
    out[0, ALL_KNOWN] = 1.0 if state.unknown == 0 else 0.0
    avoidable = state.faced == 0 and state.avoided == 0 and state.left == 4 and state.cards > 0
    out[0, CAN_AVOID] = 1.0 if avoidable else 0.0


def write_slot(state, out, slot, usable, health):
    """A card of the room, and what facing it would do; `usable` says whether the weapon may be used on it."""
    card, token = state.room[slot], 1 + slot
    value = card & 15
    out[token, SLOT] = 1.0
    out[token, ORDER + slot] = 1.0
    if card == 0:
        return
    write_card(out, token, card)
    if card < WEAPON:
        armed = max(0, value - state.weapon) if usable else value
        out[token, USABLE] = 1.0 if usable else 0.0
        out[token, WITH_WEAPON] = armed / health
        out[token, BARE] = value / health
        out[token, DIES_ARMED] = 1.0 if armed >= state.health else 0.0
        out[token, DIES_BARE] = 1.0 if value >= state.health else 0.0
    elif card >= POTION and state.potion == 0:
        out[token, HEALS] = min(value, health - state.health) / health


def write_cards(state, out, deck, places, by_rooms):
    """What has become of every card; where avoided rooms are shuffled, the depth is that of the top of its room."""
    cards = len(deck)
    for place in range(cards):
        token = FIRST_CARD + place
        out[token, CARD] = 1.0
        write_card(out, token, deck[place])
        out[token, UNSEEN if state.unseen >> deck[place] & 1 else GONE] = 1.0
    for slot in range(SLOTS):
        if state.room[slot] != 0:
            out[places[state.room[slot]], GONE] = 0.0
            out[places[state.room[slot]], IN_ROOM] = 1.0
    known = state.cards - state.unknown
    for i in range(known):
        token = places[state.dungeon[i]]
        depth = state.cards - 1 - (min(i | 3, known - 1) if by_rooms else i)
        out[token, GONE] = 0.0
        out[token, KNOWN] = 1.0
        out[token, DEPTH] = depth / cards
        if depth < NEAR:
            out[token, DEPTHS + depth] = 1.0


# Two ways to see the same: the slots in any order, and clubs for spades. A slot's token keeps the place that its card would have in an
# avoided room, which counts, so that nothing but the numbers of the actions changes.


def ways_of(deck):
    """Every order of the slots, as it is first, each with whether suits change; they only do where every club has its spade."""
    suits = all((code ^ 16) in deck for code in deck if code < WEAPON)
    return [(slots, change) for change in ((False, True) if suits else (False,)) for slots in permutations(range(SLOTS))]


def mirror(way, encoded, deck, places):
    slots, change = way
    turned = encoded.copy()
    if change:
        for token in range(1, FIRST_CARD):
            turned[token, KINDS], turned[token, KINDS + 1] = encoded[token, KINDS + 1], encoded[token, KINDS]
        for code in deck:
            if code < WEAPON:
                # What became of the one is said of the other; which card a token is about stays.
                turned[places[code], GONE:HEALTH_LEFT] = encoded[places[code ^ 16], GONE:HEALTH_LEFT]
    rooms = turned[1:FIRST_CARD].copy()
    for slot in range(SLOTS):
        turned[1 + slots[slot]] = rooms[slot]
    return turned


def mirror_move(way, action):
    return action if action >= 2 * SLOTS else (action & ~3) | way[0][action & 3]
