"""Small continuous games with answers that can be worked out by hand."""

from __future__ import annotations

import numpy as np

from playout import Game
from playout.game.continuous import NATURE


def game(payoffs, name="mine", **names):
    """A game of two players who move once each in [-1, 1], unless said otherwise."""
    return Game(name, **{"players": 2, "stages": 2, "dimension": 1, "bounds": (-1.0, 1.0), "payoffs": payoffs, **names})


def chase(actions, out):
    """The second player wants to be at half of the first one's number; the first wants to be far out and followed."""
    x, y = actions[0, 0], actions[1, 0]
    out[0] = 2 * y - x * x  # with y = x / 2: x - x², best at 0.5
    out[1] = -(y - x / 2) * (y - x / 2)


def capped(actions, out):
    """The reply 3x is cut off at 1, from x = 1/3 on: there is the first player's best action, in a kink."""
    x, y = actions[0, 0], actions[1, 0]
    out[0] = y - x
    out[1] = -(y - 3 * x) * (y - 3 * x)


def jumping(actions, out):
    """The second player goes to the end of x + 0.2's sign; the first gains by -x, but only as long as the reply is the upper end."""
    x, y = actions[0, 0], actions[1, 0]
    out[0] = 3 * y - x
    out[1] = y * (x + 0.2)


def ignoring(actions, out):
    """Nobody cares what the second player does."""
    x = actions[0, 0]
    out[0] = -(x - 0.25) * (x - 0.25)
    out[1] = x


def two_tops(actions, out):
    """One player, two tops of nearly the same height: the higher one is at about 0.75."""
    x = actions[0, 0]
    out[0] = -4 * (x * x - 0.5625) * (x * x - 0.5625) + 0.001 * x


def corner(actions, out):
    """No number in one corner of the box."""
    x, y = actions[0, 0], actions[1, 0]
    out[0] = x
    out[1] = y
    if x == 1.0 and y == -1.0:
        out[1] = np.nan


def guess(actions, out):
    """Chance draws c in [-1, 1] after x; then y follows c. The first gets -(x - c²)²: best at the mean of c², 1/3."""
    x, c, y = actions[0, 0], actions[1, 0], actions[2, 0]
    out[0] = -(x - y * y) * (x - y * y)
    out[1] = -(y - c) * (y - c)


CHANCE = {"stages": 3, "movers": (0, NATURE, 1)}


def twice(actions, out):
    """The first player moves at both ends, the second between."""
    x, y, z = actions[0, 0], actions[1, 0], actions[2, 0]
    out[0] = -x * x - (z - y) * (z - y)
    out[1] = -(y - 0.5 * x - 0.25) * (y - 0.5 * x - 0.25)


def valley(actions, out):
    """In two dimensions: a bent ridge whose top is at (0.5, 0.25), and a follower who copies the sum."""
    a, b, s = actions[0, 0], actions[0, 1], actions[1, 0] + actions[1, 1]
    out[0] = -20 * (b - a * a) * (b - a * a) - (a - 0.5) * (a - 0.5) - (s - a - b) * (s - a - b)
    out[1] = -(s - a - b) * (s - a - b)


def pole(actions, out):
    """On a sphere: as far along (3, 4, 0) as a unit vector can be."""
    out[0] = 3 * actions[0, 0] + 4 * actions[0, 1]
