"""Loss game: three players move once each with a number; what one gains depends on all.

A general-sum game with perfect information whose stationary points mislead: where each player's own derivative is zero is not
where the players should go, because the later ones answer. The polynomials are those of the usual benchmark; every coefficient
is a parameter.
"""

from playout.games._loss import Solution, declared, polynomials

COEFFICIENTS = declared()

players = 3
stages = 3
dimension = 1
bounds = (-5.0, 5.0)


def payoffs(actions, out):
    polynomials(COEFFICIENTS, actions[0, 0], actions[1, 0], actions[2, 0], out)


_best = Solution(COEFFICIENTS, -5.0, 5.0)


def solution(stage, actions):
    return (_best(stage, actions[0, 0], actions[1, 0]),)
