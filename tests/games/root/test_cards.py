"""The deck, and sets of cards as numbers."""

import random
from collections import Counter

from playout.games.root.cards import (
    AFFORDABLE,
    AMBUSH,
    AMBUSHES,
    CARD_SUIT,
    CARDS,
    CLAIM,
    COPIES,
    FAVOR,
    ITEM,
    KINDS,
    LASTING,
    LOWS,
    NAMES,
    OF_ITEM,
    SORT,
    SUPPLY,
    WORDS,
    drop,
    held,
    nth,
    put,
)


def test_fifty_cards_of_38_kinds():
    assert (KINDS, CARDS) == (38, 50)
    assert len(set(NAMES)) == KINDS == len(set(WORDS)) and not any("," in name for name in NAMES)
    assert [int(COPIES[suit == CARD_SUIT].sum()) for suit in range(4)] == [13, 12, 12, 13]
    assert [int(COPIES[sort == SORT].sum()) for sort in (AMBUSH, ITEM, LASTING, FAVOR)] == [5, 20, 22, 3]
    assert SUPPLY.sum() == 12
    assert sorted(int(mask).bit_count() for mask in OF_ITEM) == [1, 2, 3, 3, 3, 4, 4]
    assert [int(mask).bit_count() for mask in AMBUSHES] == [3, 3, 3]


def test_sets_are_multisets():
    chance = random.Random(1)
    some, counts = 0, Counter()
    for _ in range(2000):
        kind = chance.randrange(KINDS)
        if counts[kind] < COPIES[kind] and chance.random() < 0.5:
            some, counts[kind] = int(put(some, kind)), counts[kind] + 1
        elif counts[kind]:
            some, counts[kind] = int(drop(some, kind)), counts[kind] - 1
        assert held(some, kind) == counts[kind]
    assert some.bit_count() == counts.total() > 0
    assert Counter(int(nth(some, n)) for n in range(some.bit_count())) == +counts
    assert (some & LOWS).bit_count() == len(+counts)


def test_what_pieces_pay():
    def payable(*pieces):
        return {WORDS[kind] for kind in range(KINDS) if int(AFFORDABLE[pieces]) >> int(sum(COPIES[:kind])) & 1}

    assert payable(0, 0, 0) == set()
    assert payable(1, 0, 0) == {"anvil", "mousecrossbow", "birdcrossbow", "armorers"}
    assert payable(0, 2, 0) == {
        "foxgear",
        "mousegear",
        "runners",
        "visit",
        "racket",
        "sale",
        "investments",
        "warren",
        "bank",
        "cobbler",
    }
    assert "tax" in payable(1, 1, 1) and "tax" not in payable(3, 3, 0)
    assert {"foxes", "rabbits", "mice", "stand"} <= payable(3, 3, 3) and not payable(3, 3, 3) & {
        "claim",
        "birdambush",
        "foxambush",
    }
    assert WORDS[CLAIM] == "claim"
