"""The loss games: their known solution, and the closed form against brute force for other coefficients."""

from __future__ import annotations

import numpy as np
import pytest

import playout
from playout import PlayoutError
from playout.games._loss import Solution, polynomials

SOLUTION = (-0.22730963, 2.36034265, -1.31215419)
PAYOFFS = (3.40754444, 8.87605774, 62.63775777)


def solved(game):
    actions, out = np.zeros((3, game.shape.dimension)), np.zeros(3)
    for stage in range(3):
        actions[stage] = game.solution(stage, actions)
    game.functions["payoffs"](actions, out, np.zeros(1))
    return actions, out


@pytest.mark.parametrize("name", ["loss-1d", "loss-3d"])
def test_known_solution(name):
    actions, out = solved(playout.load(name))
    assert actions.sum(axis=1) == pytest.approx(SOLUTION, abs=1e-7)
    assert out == pytest.approx(PAYOFFS, abs=1e-7)


def test_replies_of_the_facts():
    one, three = playout.load("loss-1d").solution, playout.load("loss-3d").solution
    for x in (-3.0, -0.5, 0.0):
        assert one(1, np.array([[x], [0], [0]]))[0] == pytest.approx((7.925 + 1.1 * x) / (1.615 - 7.2 * x), abs=1e-10)
    assert one(1, np.array([[0.0041], [0], [0]])) == (5.0,)  # the cap binds from 0.004043 on
    assert one(1, np.array([[0.0040], [0], [0]]))[0] < 5.0
    assert 14.9 < sum(three(1, np.array([[0.149, 0, 0], [0] * 3, [0] * 3]))) < 15.0  # and on sums from 0.1493 on
    assert sum(three(1, np.array([[0.05, 0.05, 0.05], [0] * 3, [0] * 3]))) == pytest.approx(15.0, abs=1e-12)
    for x in (0.3, 2.0, 5.0):  # where the second player's parabola opens upwards, one of the ends is best
        y = one(1, np.array([[x], [0], [0]]))[0]
        assert abs(y) == 5.0
    assert one(2, np.array([[0], [1.0], [0]])) == (-0.7,)


def test_payoffs_as_text():
    x, y, z = 0.5, -1.25, 2.0
    state = playout.load("loss-1d").start().replay([x, y, z])
    assert state.returns == pytest.approx(
        (
            -7 * x**2 + 9 * x * z + x - z,
            -2 * y**2 - 4 * y * z - 10 * x**2 + 2 * x * z - 3 * z**2 + 4 * y + 7 * x - 8 * z - 8 * x * y * z,
            -10 * z**2 - 9 * y * z + 9 * y**2 - 5 * z - 2 * y,
        ),
        abs=1e-12,
    )


def test_the_formula_for_other_coefficients():
    """Against a fine grid: nothing on it is better, and near the answer it is as good."""
    rng = np.random.default_rng(4)
    for _ in range(6):
        c = (*rng.normal(0, 5, 13).tolist(), -0.5 - abs(rng.normal(0, 5)), *rng.normal(0, 5, 4).tolist())
        best = Solution(c, -5.0, 5.0)
        grid = np.linspace(-5, 5, 4001)
        replies = np.clip(-(c[14] * grid + c[16]) / (2 * c[13]), -5, 5)
        for x in rng.uniform(-5, 5, 8):
            out = [0.0, 0.0, 0.0]
            polynomials(c, x, grid, replies, out)
            y = best.middle(x)
            assert np.max(out[1]) <= best._payoff(1, x, y, best.last(y)) + 1e-9
            assert np.max(out[1]) >= best._payoff(1, x, y, best.last(y)) - 0.05
        top = best._worth(best.first())
        assert max(best._worth(x) for x in np.linspace(-5, 5, 1001)) <= top + 1e-7 * (1 + abs(top))


def test_coefficients_are_parameters():
    game = playout.load("loss-1d:u1_xx=-3")
    assert game.spec == "loss-1d:u1_xx=-3.0"
    assert game.start().replay([1.0, 0.0, 0.0]).returns[0] == -2.0
    assert abs(game.solution(0, np.zeros((3, 1)))[0] - SOLUTION[0]) > 0.01
    with pytest.raises(
        PlayoutError, match=r"^parameter u3_zz=0.0 is out of range: coefficient of zz in u3 must be from -1000.0 to -0.01$"
    ):
        playout.load("loss-1d:u3_zz=0")
