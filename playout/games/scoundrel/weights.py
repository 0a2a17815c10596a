"""What the policy of Scoundrel weighs, in points of health.

The weights were found by the cross-entropy method on games of the full rules and then rounded; the decks on which the policy's
figures were measured are others.
"""

import numpy as np

from playout.games.scoundrel.cards import FRESH

DEAD = -1000.0
HURT = 0.2  # how much more a point of health is worth when little is left
BLADE, BLADE_BEND = 1.24, 0.8  # a fresh weapon of 6 per point, and how much more per point a better one is worth
REACH_BEND = 0.68  # how the worth of a weapon falls with its last kill: 0 in a straight line, 1 as a square
FADE = 27.0  # with fewer monsters than this left, a weapon is worth less
KEPT_DAMAGE, KEPT_MONSTER = 0.73, 0.15  # a monster that stays: per point it would cost now, and per point of its value
KEPT_WEAPON, KEPT_POTION, KEPT_CURE = 1.3, 0.73, 0.17  # a weapon that stays, a potion, and what that could heal now
AVOID_COST = 22.8  # a room that costs more is avoided
SLIP = 128  # one playout action in so many is a random one


def blade_worth(weapon, last):
    reach = last / FRESH
    return BLADE * weapon * (1 + BLADE_BEND * (weapon - 6) / 10) * reach * (1 - REACH_BEND + REACH_BEND * reach)


BLADES = np.array([[blade_worth(weapon, last) for last in range(FRESH + 1)] for weapon in range(11)])


def life_worth(full):
    """What each number of points of health is worth, where there can be `full`."""
    return np.array([now - HURT * (full - now) ** 2 / full for now in range(full + 1)])
