"""Cards as bits, for the games that the audit is tried on."""

from __future__ import annotations

from playout import below, popcount

CARDS = 48
"""The most that there are in any of them."""


def pick(cards, rng):
    """One of some cards, as a number."""
    place = below(rng, popcount(cards))
    for card in range(CARDS):
        if cards >> card & 1:
            if place == 0:
                return card
            place -= 1
    return 0


def some(cards, count, rng):
    """So many of some cards."""
    taken = cards & 0
    for _ in range(count):
        taken |= 1 << pick(cards & ~taken, rng)
    return taken
