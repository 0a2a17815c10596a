"""Random polynomial games: payoffs are polynomials in all actions with coefficients from a seed.

Every player's payoff is a random polynomial of all the numbers in all the actions, minus `curve` times the squared distance of
its own action from a random place inside the box. The larger `curve`, the smoother the replies; with 0 the best reply often jumps
from one end of the box to the other. Where the first player does best just before a reply jumps, solutions are hard to find and to
certify: among the games with seeds 1 to 150 there are 2 such with a `curve` of 4, and 8 with 2.5. The random polynomial is scaled
to a standard deviation of about 1 over the box, so that games of all sizes are comparable.
"""

import itertools
import math

import numpy as np

from playout import PlayoutError, Stream, parameter
from playout.game.continuous import normal

seed = parameter("seed", 0, "which game", low=0, high=(1 << 62) - 1)
stages = parameter("stages", 3, "players, who move once each in turn", low=2, high=4)
degree = parameter("degree", 3, "degree of the polynomials", low=2, high=6)
dimension = parameter("dimension", 1, "numbers in an action", low=1, high=6)
curve = parameter("curve", 4.0, "how much is taken off for the distance from a random place", low=0.0, high=100.0)

players = stages
bounds = (-1.0, 1.0)
VARIABLES = stages * dimension
if math.comb(VARIABLES + degree, degree) > 5000:
    raise PlayoutError(
        f"parameters stages={stages}, dimension={dimension} and degree={degree} make "
        f"{math.comb(VARIABLES + degree, degree) - 1:,} terms, and at most 5,000 are allowed; lower one of them"
    )
MONOMIALS = tuple(m for d in range(1, degree + 1) for m in itertools.combinations_with_replacement(range(VARIABLES), d))
TERMS = len(MONOMIALS)


def _variance(monomial):
    """Of a product of powers of numbers uniform in -1 to 1."""
    counts = [monomial.count(v) for v in set(monomial)]
    square = math.prod(1 / (2 * n + 1) for n in counts)
    mean = math.prod(1 / (n + 1) if n % 2 == 0 else 0.0 for n in counts)
    return square - mean * mean


def _random():
    """Coefficients, a row for each monomial, and the place that each player likes best but for them.

    Each monomial moves the payoff as much as any other, on average.
    """
    stream = Stream(seed)
    rows = np.array([[normal(stream) for _ in range(players)] for _ in MONOMIALS])
    homes = np.array([[1.2 * stream.uniform() - 0.6 for _ in range(dimension)] for _ in range(players)])
    return rows / np.sqrt(np.array([[_variance(m)] for m in MONOMIALS]) * TERMS), homes


COEFFICIENTS, HOMES = _random()
LENGTHS = np.array([len(m) for m in MONOMIALS])
FACTORS = np.array([(*m, *m[:1] * (degree - len(m))) for m in MONOMIALS])
ROWS, COLUMNS = FACTORS // dimension, FACTORS % dimension
"""Which numbers each monomial is a product of: the first so many of its row."""
coefficients = (curve, *HOMES.ravel(), *COEFFICIENTS.ravel())
"""Handed to `payoffs` when it runs: games of one size are one machine code, whatever the seed."""
FIRST_TERM = 1 + HOMES.size


def payoffs(actions, out, coefficients):
    for player in range(players):
        square = 0.0 * actions[0, 0]
        for i in range(dimension):
            away = actions[player, i] - coefficients[1 + player * dimension + i]
            square = square + away * away
        out[player] = -coefficients[0] * square
    for term in range(TERMS):
        product = actions[ROWS[term, 0], COLUMNS[term, 0]]
        for place in range(1, LENGTHS[term]):
            product = product * actions[ROWS[term, place], COLUMNS[term, place]]
        for player in range(players):
            out[player] += coefficients[FIRST_TERM + term * players + player] * product
