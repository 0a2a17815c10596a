"""Derivatives of continuous games: four ways to the same slopes, total slopes against answers solved again, small matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import playout
from playout import Game, Search
from playout.engine.real.curvature import diagonalise, respond, uphill
from playout.engine.real.replies import top_slopes
from playout.engine.real.slopes import slopes_of
from playout.game.analytic import analytic
from tests.engine.real_games import Bench, logged

SOLUTION = np.array([[-0.22730963], [2.36034265], [-1.31215419]])


def loss_slopes(x: float, y: float, z: float) -> np.ndarray:
    """The partial derivatives of the loss game by hand: a row for each player."""
    return np.array(
        [
            [-14 * x + 9 * z + 1, 0.0, 9 * x - 1],
            [-20 * x + 2 * z + 7 - 8 * y * z, -4 * y - 4 * z + 4 - 8 * x * z, -4 * y + 2 * x - 6 * z - 8 - 8 * x * y],
            [0.0, -9 * z + 18 * y - 2, -20 * z - 9 * y - 5],
        ]
    )


def test_exact_differences_own_and_by_hand() -> None:
    loss = playout.load("loss-1d")

    def payoffs(actions, out):
        loss.functions["payoffs"](actions, out, np.zeros(1))

    def gradient(actions, player, out):
        out[:, 0] = loss_slopes(*actions[:, 0])[player]

    own = Game("own", players=3, stages=3, dimension=1, bounds=(-5.0, 5.0), payoffs=payoffs, gradient=gradient, compiled=False)
    benches = [Bench(loss, slopes="exact"), Bench(loss, slopes="differences"), Bench(own)]
    assert benches[2].tree.settings.slopes == "game"
    for actions in np.random.default_rng(1).uniform(-5, 5, (10, 3, 1)):
        for player in range(3):
            exact, rough, given = (bench.slopes(slopes_of, actions, player)[:, 0] for bench in benches)
            truth = loss_slopes(*actions[:, 0])[player]
            assert exact == pytest.approx(truth, rel=1e-13, abs=1e-12)
            assert rough == pytest.approx(truth, abs=2e-6)
            assert (given == truth).all()
    assert [int(bench.head["evaluations"]) for bench in benches] == [90, 180, 30]


def test_differences_at_the_edge_are_one_sided() -> None:
    game, log = logged(2, moving=False)
    bench = Bench(game, slopes="differences")
    exact = Bench(game, slopes="exact")
    del log[:]
    corner = np.array([[1.0], [-1.0]])
    rough = bench.slopes(slopes_of, corner, 1)
    assert np.max(log) == 1.0 and np.min(log) == -1.0
    assert rough == pytest.approx(exact.slopes(slopes_of, corner, 1), abs=1e-5)


def best_last(y: float) -> float:
    return -(9 * y + 5) / 20


def best_middle(x: float) -> float:
    return (7.925 + 1.1 * x) / (1.615 - 7.2 * x)


def leader(x: float) -> float:
    z = best_last(best_middle(x))
    return -7 * x * x + 9 * x * z + x - z


def test_total_slopes_at_the_solution() -> None:
    bench = Bench(playout.load("loss-1d"))
    bench.work.root[0] = 0
    bench.call(top_slopes, bench.head, bench.options, bench.work, SOLUTION.copy())
    assert np.abs(bench.work.slopes[:, 0]).max() < 1e-3
    assert abs(bench.work.newton[:, 0]).max() < 1e-5
    # The first answers directly; what the third does with x goes through the second alone.
    assert bench.work.responses[0, 1, 0, 0, 0] == pytest.approx(5.565, abs=1e-3)
    assert bench.work.responses[0, 2, 1, 0, 0] == pytest.approx(-0.45, abs=1e-6)
    assert bench.work.responses[0, 2, 0, 0, 0] == pytest.approx(0.0, abs=1e-6)
    through = bench.work.responses[0, 2, 1, 0, 0] * bench.work.responses[0, 1, 0, 0, 0]
    assert through == pytest.approx(-2.504, abs=1e-3)


def shared(compiled: bool = False) -> Game:
    """Two share a cake of size 1: player 1 takes all that player 0 leaves, who likes it best when it takes a quarter."""

    def bounds(stage, actions, low, high):
        low[0] = 0.0
        high[0] = 1.0 if stage == 0 else 1.0 - actions[0, 0]

    def payoffs(actions, out):
        x, y = actions[0, 0], actions[1, 0]
        out[0] = x - x * x + 0.5 * y
        out[1] = y

    return Game("cake", players=2, stages=2, dimension=1, bounds=bounds, payoffs=payoffs, compiled=compiled)


@pytest.mark.parametrize("x", [0.1, 0.3, 0.8])
def test_an_answer_at_a_moving_edge_moves_with_it(x: float) -> None:
    """U(x) = x - x² + (1 - x)/2, so the total slope is 1/2 - 2x; the answer falls as fast as the action grows."""
    bench = Bench(shared(), method="gradient")
    bench.work.root[0] = 0
    bench.call(top_slopes, bench.head, bench.options, bench.work, np.array([[x], [1.0 - x]]))
    assert bench.work.slopes[0, 0] == pytest.approx(0.5 - 2 * x, abs=1e-8)
    assert bench.work.responses[0, 1, 0, 0, 0] == pytest.approx(-1.0, abs=1e-8)
    assert bench.work.newton[0, 0] == pytest.approx(0.25 - x, abs=1e-5)


def test_a_free_number_answers_to_one_at_a_moving_edge() -> None:
    """Player 1 takes p = 1 - x at the edge of its box, and q follows p: q = 2p + x. So dq/dx = -2 + 1."""

    def bounds(stage, actions, low, high):
        low[:], high[:] = -9.0, 9.0
        if stage == 1:
            high[0] = 1.0 - actions[0, 0]

    def payoffs(actions, out):
        x, p, q = actions[0, 0], actions[1, 0], actions[1, 1]
        out[0] = q - x * x
        out[1] = 9 * p - (q - 2 * p - x) * (q - 2 * p - x)

    game = Game("two-numbers", players=2, stages=2, dimension=2, bounds=bounds, payoffs=payoffs, compiled=False)
    bench = Bench(game, method="gradient")
    bench.work.root[0] = 0
    x = 0.3
    bench.call(top_slopes, bench.head, bench.options, bench.work, np.array([[x, 0.0], [1.0 - x, 2.0 * (1.0 - x) + x]]))
    assert bench.work.responses[0, 1, 0, :, 0] == pytest.approx([-1.0, -1.0], abs=1e-6)
    assert bench.work.slopes[0, 0] == pytest.approx(-1.0 - 2 * x, abs=1e-6)


def test_a_search_with_a_moving_edge_finds_the_solution() -> None:
    decision = Search(shared(), compiled=False, seed=1, method="gradient").run(simulations=200)
    (x,), (y,) = decision.line(until="end").actions
    assert x == pytest.approx(0.25, abs=1e-6) and y == pytest.approx(0.75, abs=1e-6)


@pytest.mark.parametrize("x", [-2.0, -0.6, -0.1])
def test_total_slopes_elsewhere_on_the_path_of_answers(x: float) -> None:
    bench = Bench(playout.load("loss-1d"))
    actions = np.array([[x], [best_middle(x)], [best_last(best_middle(x))]])
    bench.work.root[0] = 0
    bench.call(top_slopes, bench.head, bench.options, bench.work, actions)
    h = 1e-5
    assert bench.work.slopes[0, 0] == pytest.approx((leader(x + h) - leader(x - h)) / (2 * h), rel=1e-4, abs=1e-4)
    slope = (best_middle(x + h) - best_middle(x - h)) / (2 * h)
    assert bench.work.responses[0, 1, 0, 0, 0] == pytest.approx(slope, rel=1e-4)


@pytest.mark.parametrize(("stages", "dimension"), [(2, 1), (3, 1), (2, 2), (4, 1), (3, 2)])
def test_the_price_is_what_is_paid(stages: int, dimension: int) -> None:
    game, log = logged(stages, dimension, moving=False)
    bench = Bench(game)
    actions = np.random.default_rng(2).uniform(-0.9, 0.9, (stages, dimension))
    for root in range(stages):
        bench.work.root[0] = root
        before = int(bench.head["evaluations"])
        del log[:]
        bench.call(top_slopes, bench.head, bench.options, bench.work, actions)
        assert len(log) == game.shape.price(root) == int(bench.head["evaluations"]) - before


def one_player(payoff: Any, **names: Any) -> Game:
    def payoffs(actions, out):
        out[0] = payoff(actions[0, 0])

    return Game("one", players=1, stages=1, dimension=1, bounds=(-1.0, 1.0), payoffs=payoffs, **names)


@pytest.mark.parametrize(
    ("payoff", "smooth", "best"),
    [
        (lambda x: -abs(x - 0.25), False, 0.25),
        (lambda x: min(x, 0.5 - x), False, 0.25),  # the compiler cannot order complex numbers, though NumPy can
        (lambda x: math.sin(2.0 * x), False, math.pi / 4),  # math takes no complex numbers
        (lambda x: np.sin(2.0 * x), True, math.pi / 4),
        (lambda x: -((x.real - 0.3) ** 2), False, 0.3),  # drops the imaginary part
        (lambda x: -((x - 0.3) ** 2), True, 0.3),
    ],
    ids=["abs", "min", "math.sin", "np.sin", "real", "square"],
)
def test_what_is_analytic(payoff: Any, smooth: bool, best: float) -> None:
    game = one_player(payoff)
    assert analytic(game) is smooth
    search = Search(game, compiled=False, seed=1)
    assert search.settings.slopes == ("exact" if smooth else "differences")
    kink = not smooth and best == 0.25  # where Newton steps find no curvature, only their halving comes near
    assert search.run(simulations=60).action[0] == pytest.approx(best, abs=0.03 if kink else 1e-4)


def test_what_is_never_compiled_may_use_all_of_numpy() -> None:
    def payoffs(actions, out):
        out[0] = -np.square(actions[0] - np.array([0.25, 0.5])).sum() + np.exp(-actions[0]).sum() * 0.0

    game = Game("arrays", players=1, stages=1, dimension=2, bounds=(-1.0, 1.0), payoffs=payoffs, compiled=False)
    assert analytic(game)
    assert Search(game, seed=1).run(simulations=20).action == pytest.approx((0.25, 0.5), abs=1e-6)
    assert analytic(one_player(lambda x: min(x, 0.5 - x), compiled=False))


def test_asking_for_exact_slopes_of_a_kink() -> None:
    with pytest.raises(playout.PlayoutError) as raised:
        Search(one_player(abs), compiled=False, slopes="exact")
    assert str(raised.value) == (
        "slopes=exact needs payoffs that work on complex numbers and are smooth, which those of 'one' are not; "
        "pass slopes=differences"
    )


def kernels(dimension: int) -> Bench:
    def payoffs(actions, out):
        out[0] = 0.0 * actions[0, 0]

    return Bench(Game("k", players=1, stages=1, dimension=dimension, bounds=(-1.0, 1.0), payoffs=payoffs, compiled=False))


def symmetric(rng: Any, n: int, rank: int) -> Any:
    basis = np.linalg.qr(rng.normal(size=(n, n)))[0]
    values = np.zeros(n)
    values[:rank] = rng.uniform(0.5, 3.0, rank) * rng.choice([-1.0, 1.0], rank)
    return basis @ np.diag(values) @ basis.T


@pytest.mark.parametrize(("n", "rank"), [(1, 1), (2, 2), (3, 3), (3, 1), (5, 5), (5, 3), (6, 0)])
def test_small_matrices(n: int, rank: int) -> None:
    bench, rng = kernels(n), np.random.default_rng(10 * n + rank)
    for _ in range(5):
        matrix = symmetric(rng, n, rank)
        a, vectors = matrix.copy(), np.zeros((n, n))
        bench.call(diagonalise, a, vectors)
        assert np.sort(np.diag(a)) == pytest.approx(np.linalg.eigvalsh(matrix), abs=1e-10)
        assert vectors @ np.diag(np.diag(a)) @ vectors.T == pytest.approx(matrix, abs=1e-10)
        assert vectors.T @ vectors == pytest.approx(np.eye(n), abs=1e-12)


@pytest.mark.parametrize(("n", "rank"), [(1, 1), (3, 3), (3, 2), (5, 3)])
def test_newton_steps_and_responses(n: int, rank: int) -> None:
    """Where it is a maximum in every direction that counts, a step is -pinv(a)·slope; with others it goes `far` uphill."""
    bench, rng = kernels(n), np.random.default_rng(n + rank)
    basis = np.linalg.qr(rng.normal(size=(n, n)))[0]
    curves = np.zeros(n)
    curves[:rank] = -rng.uniform(0.5, 3.0, rank)
    matrix, slope, mixed = basis @ np.diag(curves) @ basis.T, rng.normal(size=n), rng.normal(size=(n, n))
    a, vectors, step, moved = matrix.copy(), np.zeros((n, n)), np.zeros(n), np.zeros((n, n))
    bench.call(diagonalise, a, vectors)
    bench.call(uphill, a, vectors, slope, 7.0, step)
    bench.call(respond, a, vectors, mixed, moved)
    inverse = np.linalg.pinv(matrix, rcond=1e-5)
    assert step == pytest.approx(-inverse @ slope, abs=1e-9)
    assert moved == pytest.approx(-inverse @ mixed, abs=1e-9)
    curves[0] = 2.0
    a = basis @ np.diag(curves) @ basis.T
    bench.call(diagonalise, a, vectors)
    bench.call(uphill, a, vectors, slope, 7.0, step)
    bench.call(respond, a, vectors, mixed, moved)
    wrong = basis[:, 0]
    assert step @ wrong == pytest.approx(math.copysign(7.0, slope @ wrong), abs=1e-9)
    assert wrong @ moved == pytest.approx(np.zeros(n), abs=1e-9)
