"""Loss game with vectors: the payoffs of loss-1d at the sums of three numbers each.

Two directions of every action change nothing, so there are many equivalent solutions: what counts is the sums, and `invariant`
says so. Every coefficient is a parameter.
"""

from playout.games._loss import Solution, declared, polynomials

COEFFICIENTS = declared()

players = 3
stages = 3
dimension = 3
bounds = (-5.0, 5.0)


def total(actions, stage):
    return actions[stage, 0] + actions[stage, 1] + actions[stage, 2]


def payoffs(actions, out):
    polynomials(COEFFICIENTS, total(actions, 0), total(actions, 1), total(actions, 2), out)


def invariant(actions):
    return total(actions, 0), total(actions, 1), total(actions, 2)


_best = Solution(COEFFICIENTS, -15.0, 15.0)


def solution(stage, actions):
    """Of all the vectors with the best sum the one whose numbers are equal."""
    return (_best(stage, total(actions, 0), total(actions, 1)) / 3,) * 3
