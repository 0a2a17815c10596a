"""What the two loss games share: their polynomials, whose coefficients are parameters, and the solution as a formula.

u1 = xx x² + xz xz + x x + z z, and so on: the parameter `u2_xyz` is the coefficient of xyz in the second player's payoff.
"""

import numpy as np

from playout import parameter

U1 = {"xx": -7.0, "xz": 9.0, "x": 1.0, "z": -1.0}
U2 = {"yy": -2.0, "yz": -4.0, "xx": -10.0, "xz": 2.0, "zz": -3.0, "y": 4.0, "x": 7.0, "z": -8.0, "xyz": -8.0}
U3 = {"zz": -10.0, "yz": -9.0, "yy": 9.0, "z": -5.0, "y": -2.0}


def declared():
    """The coefficients of the three payoffs as the user wants them, in the order of the tables above."""
    found = []
    for name, terms in (("u1", U1), ("u2", U2), ("u3", U3)):
        for word, value in terms.items():
            # With zz below 0 the last player has exactly one best reply, which is what makes the solution a formula.
            high = -0.01 if (name, word) == ("u3", "zz") else 1000.0
            found.append(parameter(f"{name}_{word}", value, f"coefficient of {word} in {name}", low=-1000.0, high=high))
    return tuple(found)


def polynomials(c, x, y, z, out):
    out[0] = c[0] * x * x + c[1] * x * z + c[2] * x + c[3] * z
    out[1] = c[4] * y * y + c[5] * y * z + c[6] * x * x + c[7] * x * z + c[8] * z * z
    out[1] += c[9] * y + c[10] * x + c[11] * z + c[12] * x * y * z
    out[2] = c[13] * z * z + c[14] * y * z + c[15] * y * y + c[16] * z + c[17] * y


class Solution:
    """The best actions in closed form, each given the earlier ones: ordinary Python, never compiled.

    The last reply is linear in y, cut off at the box. So the second player's payoff is a parabola in y on each of at most three
    pieces, and its best y is the vertex of one of them or an end: where a parabola opens upwards, both ends are looked at. As
    a function of x the vertex is a quotient of two linear functions, so the first player's payoff has its stationary points at
    the roots of a cubic, one for each piece, and the second player changes its mind at roots of a quartic. All of them are tried.
    """

    def __init__(self, c, low, high):
        self.c, self.low, self.high = c, low, high
        slope, level = -c[14] / (2 * c[13]), -c[16] / (2 * c[13])
        marks = {low, high}
        if slope != 0:
            marks |= {y for y in ((low - level) / slope, (high - level) / slope) if low < y < high}
        self.marks = sorted(marks)
        """The ends of the pieces in y on which the last reply is linear."""
        self.pieces = []
        for left, right in zip(self.marks, self.marks[1:]):
            middle = level + slope * (left + right) / 2
            inside = low < middle < high
            self.pieces.append((left, right, level if inside else min(max(middle, low), high), slope if inside else 0.0))

    def last(self, y):
        c = self.c
        return min(max(-(c[14] * y + c[16]) / (2 * c[13]), self.low), self.high)

    def _parabola(self, alpha, beta):
        """The second player's payoff on z = alpha + beta y as a polynomial in y, its coefficients polynomials in x."""
        c = self.c
        square = np.poly1d([c[12] * beta, c[4] + c[5] * beta + c[8] * beta * beta])
        line = np.poly1d([c[7] * beta + c[12] * alpha, c[5] * alpha + 2 * c[8] * alpha * beta + c[9] + c[11] * beta])
        rest = np.poly1d([c[6], c[7] * alpha + c[10], c[8] * alpha * alpha + c[11] * alpha])
        return square, line, rest

    def _payoff(self, player, x, y, z):
        out = [0.0, 0.0, 0.0]
        polynomials(self.c, x, y, z, out)
        return out[player]

    def middle(self, x):
        """The second player's best action: the best of all ends and vertices, the lowest of equal ones."""
        found = list(self.marks)
        for left, right, alpha, beta in self.pieces:
            square, line, _ = self._parabola(alpha, beta)
            if square(x) < 0:
                found.append(min(max(-line(x) / (2 * square(x)), left), right))
        return max(sorted(found), key=lambda y: self._payoff(1, x, y, self.last(y)))

    def _regimes(self):
        """The ways in which the second player may answer: (y as a quotient of polynomials in x, z on y, its own payoff)."""
        for y in self.marks:
            z = self.last(y)
            square, line, rest = self._parabola(z, 0.0)
            yield np.poly1d([y]), np.poly1d([1.0]), z, 0.0, square * (y * y) + line * y + rest, np.poly1d([1.0])
        for _, _, alpha, beta in self.pieces:
            square, line, rest = self._parabola(alpha, beta)
            yield -line, 2 * square, alpha, beta, 4 * square * rest - line * line, 4 * square

    def _marks_of_first(self):
        """Where the first player's payoff can be largest: every stationary point, change of regime and end."""
        c, regimes = self.c, list(self._regimes())
        for top, bottom, alpha, beta, *_ in regimes:
            turn = top.deriv() * bottom - top * bottom.deriv()
            yield (
                np.poly1d([2 * c[0], c[2] + c[1] * alpha]) * bottom * bottom
                + c[1] * beta * top * bottom
                + np.poly1d([c[1], c[3]]) * beta * turn
            )
            for mark in self.marks:
                yield top - mark * bottom
        for i, one in enumerate(regimes):
            for other in regimes[:i]:
                yield one[4] * other[5] - other[4] * one[5]

    def first(self):
        low, high = self.low, self.high
        found = {low, high}
        for polynomial in self._marks_of_first():
            if polynomial.order and np.any(polynomial.coeffs):
                roots = polynomial.roots
                real = roots[abs(roots.imag) < 1e-6 * (1 + abs(roots.real))].real
                found |= {_polished(polynomial, root) for root in real if low <= root <= high}
        found = {min(max(x, low), high) for x in found}
        best = max(sorted(found), key=self._worth)
        # Where the second player's answer jumps, the payoff may be largest on one side of the jump only.
        nudge = 1e-11 * (high - low)
        beside = max(sorted(min(max(x + step, low), high) for x in found for step in (-nudge, nudge)), key=self._worth)
        return beside if self._worth(beside) > self._worth(best) + 1e-8 * (1 + abs(self._worth(best))) else best

    def _worth(self, x):
        y = self.middle(x)
        return self._payoff(0, x, y, self.last(y))

    def __call__(self, stage, x, y):
        return (self.first, lambda: self.middle(x), lambda: self.last(y))[stage]()


def _polished(polynomial, x):
    """A root to the last digits: two steps of Newton's method."""
    slope = polynomial.deriv()
    for _ in range(2):
        if slope(x):
            x -= polynomial(x) / slope(x)
    return float(x)
