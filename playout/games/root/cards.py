"""The 50 cards of the game for two, by kind, and sets of cards as one number.

There are 38 kinds. A set of cards has one bit for each copy, the copies of a kind side by side and always filled from the lowest, so
that two sets with the same cards are the same number, and counting is `popcount`.
"""

import numpy as np

from playout import popcount
from playout.games.root.map import BIRD, FOX, MOUSE, RABBIT, SUIT_NAMES

AMBUSH, ITEM, LASTING, FAVOR = 0, 1, 2, 3
BAG, BOOTS, CROSSBOW, SWORD, HAMMER, TEA, COINS = range(7)
ITEMS = 7
ITEM_NAMES = ("bag", "boots", "crossbow", "sword", "hammer", "tea", "coins")
SUPPLY = np.array([2, 2, 1, 2, 1, 2, 2], np.int64)
"""How many of each item there are."""

# Title, word for the parameter `deck`, suit, copies, cost (f, r, m; any four for *), sort, item and points.
TABLE = (
    ("Ambush!", "foxambush", FOX, 1, "", AMBUSH, 0, 0),
    ("Gently Used Knapsack", "knapsack", FOX, 1, "m", ITEM, BAG, 1),
    ("Travel Gear", "foxgear", FOX, 1, "r", ITEM, BOOTS, 1),
    ("Foxfolk Steel", "steel", FOX, 1, "ff", ITEM, SWORD, 2),
    ("Anvil", "anvil", FOX, 1, "f", ITEM, HAMMER, 2),
    ("Root Tea", "foxtea", FOX, 1, "m", ITEM, TEA, 2),
    ("Protection Racket", "racket", FOX, 1, "rr", ITEM, COINS, 3),
    ("Stand and Deliver!", "stand", FOX, 2, "mmm", LASTING, 0, 0),
    ("Tax Collector", "tax", FOX, 3, "frm", LASTING, 0, 0),
    ("Favor of the Foxes", "foxes", FOX, 1, "fff", FAVOR, 0, 0),
    ("Ambush!", "rabbitambush", RABBIT, 1, "", AMBUSH, 0, 0),
    ("Smuggler's Trail", "trail", RABBIT, 1, "m", ITEM, BAG, 1),
    ("A Visit to Friends", "visit", RABBIT, 1, "r", ITEM, BOOTS, 1),
    ("Root Tea", "rabbittea", RABBIT, 1, "m", ITEM, TEA, 2),
    ("Bake Sale", "sale", RABBIT, 1, "rr", ITEM, COINS, 3),
    ("Command Warren", "warren", RABBIT, 2, "rr", LASTING, 0, 0),
    ("Better Burrow Bank", "bank", RABBIT, 2, "rr", LASTING, 0, 0),
    ("Cobbler", "cobbler", RABBIT, 2, "rr", LASTING, 0, 0),
    ("Favor of the Rabbits", "rabbits", RABBIT, 1, "rrr", FAVOR, 0, 0),
    ("Ambush!", "mouseambush", MOUSE, 1, "", AMBUSH, 0, 0),
    ("Mouse-in-a-Sack", "sack", MOUSE, 1, "m", ITEM, BAG, 1),
    ("Travel Gear", "mousegear", MOUSE, 1, "r", ITEM, BOOTS, 1),
    ("Crossbow", "mousecrossbow", MOUSE, 1, "f", ITEM, CROSSBOW, 1),
    ("Sword", "sword", MOUSE, 1, "ff", ITEM, SWORD, 2),
    ("Root Tea", "mousetea", MOUSE, 1, "m", ITEM, TEA, 2),
    ("Investments", "investments", MOUSE, 1, "rr", ITEM, COINS, 3),
    ("Scouting Party", "scouting", MOUSE, 2, "mm", LASTING, 0, 0),
    ("Codebreakers", "codebreakers", MOUSE, 2, "m", LASTING, 0, 0),
    ("Favor of the Mice", "mice", MOUSE, 1, "mmm", FAVOR, 0, 0),
    ("Ambush!", "birdambush", BIRD, 2, "", AMBUSH, 0, 0),
    ("Birdy Bindle", "bindle", BIRD, 1, "m", ITEM, BAG, 1),
    ("Woodland Runners", "runners", BIRD, 1, "r", ITEM, BOOTS, 1),
    ("Crossbow", "birdcrossbow", BIRD, 1, "f", ITEM, CROSSBOW, 1),
    ("Arms Trader", "trader", BIRD, 1, "ff", ITEM, SWORD, 2),
    ("Armorers", "armorers", BIRD, 2, "f", LASTING, 0, 0),
    ("Sappers", "sappers", BIRD, 2, "m", LASTING, 0, 0),
    ("Brutal Tactics", "brutal", BIRD, 2, "ff", LASTING, 0, 0),
    ("Royal Claim", "claim", BIRD, 1, "*", LASTING, 0, 0),
)  # fmt: skip
KINDS = len(TABLE)
WORDS = tuple(row[1] for row in TABLE)
NAMES = tuple(f"{row[0]} ({SUIT_NAMES[row[2]]})" for row in TABLE)
STAND, TAX, WARREN, BANK, COBBLER = (WORDS.index(word) for word in ("stand", "tax", "warren", "bank", "cobbler"))
SCOUTING, CODEBREAKERS, ARMORERS = (WORDS.index(word) for word in ("scouting", "codebreakers", "armorers"))
SAPPERS, BRUTAL, CLAIM = (WORDS.index(word) for word in ("sappers", "brutal", "claim"))

COPIES = np.array([row[3] for row in TABLE], np.int64)
CARDS = int(COPIES.sum())
CARD_SUIT = np.array([row[2] for row in TABLE], np.int64)
SORT = np.array([row[5] for row in TABLE], np.int64)
ITEM_OF = np.array([row[6] for row in TABLE], np.int64)
POINTS_OF = np.array([row[7] for row in TABLE], np.int64)
COST = np.array([[row[4].count(letter) for letter in "frm"] for row in TABLE], np.int64)
"""How many pieces of each suit a card costs. Royal Claim, any four, has nothing here."""

FIRST = np.cumsum(COPIES) - COPIES
"""The lowest bit of each kind."""
FIELD = (1 << COPIES) - 1
"""All copies of a kind, from bit 0 on."""
KIND_AT = np.repeat(np.arange(KINDS), COPIES)
"""The kind that a bit belongs to."""


def all_of(kinds):
    """All copies of some kinds, as a set."""
    return sum(int(FIELD[kind]) << int(FIRST[kind]) for kind in kinds)


BIT = np.array([1 << int(first) for first in FIRST], np.int64)
"""A set with one card of the kind: in a set that has any, this bit is there."""
LOWS = int(BIT.sum())
"""The lowest bit of every kind: what is left of a set is each of its kinds once."""
OF_CARD_SUIT = np.array([all_of(k for k in range(KINDS) if CARD_SUIT[k] == suit) for suit in range(4)], np.int64)
BIRDS = int(OF_CARD_SUIT[BIRD])
FITTING = np.array([int(OF_CARD_SUIT[suit]) | BIRDS for suit in range(3)], np.int64)
"""The cards that may be spent for a suit."""
AMBUSHES = np.array([all_of(k for k in range(KINDS) if SORT[k] == AMBUSH and CARD_SUIT[k] in (suit, BIRD)) for suit in range(3)])
"""The ambushes that may be played in a clearing of a suit."""
OF_ITEM = np.array([all_of(k for k in range(KINDS) if SORT[k] == ITEM and ITEM_OF[k] == item) for item in range(ITEMS)], np.int64)
WHOLE = np.array([all_of([kind]) for kind in range(KINDS)], np.int64)
"""All copies of a kind."""


def _affordable(pieces):
    """The cards that so many crafting pieces of each suit can pay; Royal Claim is not among them."""
    craftable = [k for k in range(KINDS) if SORT[k] != AMBUSH and k != CLAIM]
    return all_of(k for k in craftable if all(COST[k, suit] <= pieces[suit] for suit in range(3)))


MOST_COST = 3
AFFORDABLE = np.array(
    [[[_affordable((f, r, m)) for m in range(MOST_COST + 1)] for r in range(MOST_COST + 1)] for f in range(MOST_COST + 1)],
    np.int64,
)


def held(cards, kind):
    """How many cards of a kind a set has."""
    return popcount(cards >> FIRST[kind] & FIELD[kind])


def put(cards, kind):
    """The set with one more of a kind."""
    return cards + ((cards >> FIRST[kind] & FIELD[kind]) + 1 << FIRST[kind])


def drop(cards, kind):
    """The set with one less of a kind that it has."""
    filled = cards >> FIRST[kind] & FIELD[kind]
    return cards - (filled - (filled >> 1) << FIRST[kind])


def nth(cards, n):
    """The kind of the card that lies above n others of the set, found by halving."""
    place, half = 0, 32
    while half:
        low = popcount(cards & (1 << half) - 1)
        if n >= low:
            n -= low
            cards >>= half
            place += half
        half >>= 1
    return KIND_AT[place]
