"""The autumn map: twelve clearings, their suits and slots, and the paths between them.

Clearings are numbered 1 to 12 for people and 0 to 11 here. Sets of clearings are bits of a number.
"""

import numpy as np

CLEARINGS = 12
FOX, RABBIT, MOUSE, BIRD = 0, 1, 2, 3
SUIT_NAMES = ("fox", "rabbit", "mouse", "bird")

SUIT = np.array([FOX, MOUSE, RABBIT, RABBIT, RABBIT, FOX, MOUSE, FOX, MOUSE, RABBIT, MOUSE, FOX], np.int64)
PRINTED = (1, 2, 1, 1, 2, 2, 2, 2, 2, 2, 3, 2)
RUINS = (5, 9, 10, 11)  # nobody in this game can remove one
SLOTS = np.array([PRINTED[c] - (c in RUINS) for c in range(CLEARINGS)], np.int64)

PATHS = (
    (1, 5), (1, 9), (1, 10), (2, 5), (2, 6), (2, 10), (3, 6), (3, 7), (3, 11),
    (4, 8), (4, 9), (4, 12), (6, 11), (7, 8), (7, 12), (9, 12), (10, 12), (11, 12),
)  # fmt: skip
"""As people number them, each once."""

# A way is a path with a direction; sorted, so that the ways out of one clearing are neighbours.
WAYS = tuple(sorted((a - 1, b - 1) for path in PATHS for a, b in (path, path[::-1])))
WAY_FROM = np.array([a for a, _ in WAYS], np.int64)
WAY_TO = np.array([b for _, b in WAYS], np.int64)
WAY = np.full((CLEARINGS, CLEARINGS), -1, np.int64)
"""The number of the way from one clearing to another; -1 where there is no path."""
for _number, (_a, _b) in enumerate(WAYS):
    WAY[_a, _b] = _number
NEAR = np.array([sum(1 << b for a, b in WAYS if a == c) for c in range(CLEARINGS)], np.int64)
"""The clearings next to each, as bits."""
HALF = 6


def _by_halves(bits):
    """For each set of six clearings, the low ones and the high ones, the union of what each of them has; two look-ups do for any set."""
    halves = [
        [sum({1 << b for c in range(HALF) if some >> c & 1 for b in bits(c + high)}) for some in range(1 << HALF)]
        for high in (0, HALF)
    ]
    return np.array(halves, np.int64)


NEXT_TO = _by_halves(lambda c: [b for a, b in WAYS if a == c])
OUT_OF = _by_halves(lambda c: [way for way, (a, _) in enumerate(WAYS) if a == c])
INTO = _by_halves(lambda c: [way for way, (_, b) in enumerate(WAYS) if b == c])


def next_to(some):
    """The clearings next to any of a set, as bits."""
    return NEXT_TO[0, some & 63] | NEXT_TO[1, some >> HALF]


def out_of(some):
    """The ways that begin in a set of clearings, as bits."""
    return OUT_OF[0, some & 63] | OUT_OF[1, some >> HALF]


def into(some):
    """The ways that end in a set of clearings, as bits."""
    return INTO[0, some & 63] | INTO[1, some >> HALF]


OF_SUIT = np.array([sum(1 << c for c in range(CLEARINGS) if suit in (BIRD, SUIT[c])) for suit in range(4)], np.int64)
"""The clearings that a card of the suit works in, as bits; a bird works everywhere."""

BY_SUIT = np.array([[c for c in range(CLEARINGS) if SUIT[c] == suit] for suit in range(3)], np.int64)
"""The four clearings of each suit."""
ALL = (1 << CLEARINGS) - 1
CORNERS = 4  # the clearings 0 to 3
OPPOSITE = np.array([2, 3, 0, 1], np.int64)
"""The corner diagonally across from a corner."""

PLACE = ((12, 14), (87, 23), (82, 87), (12, 81), (54, 10), (90, 52), (58, 77), (37, 90), (11, 41), (43, 29), (63, 48), (31, 55))
"""Where each clearing lies, in hundredths of the map's width and height."""
