"""Payoffs in torch and in JAX: the same numbers and derivatives as the bundled game, uncompiled; broken ones get a sentence."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playout import Game, GameError, PlayoutError, Stream, load
from playout.bridges import jax_game, torch_game
from playout.compile import bind

ROOT = Path(__file__).parents[2]
LOSS = load("loss-1d")
WAYS = [
    pytest.param(
        (way, module),
        id=module,
        marks=pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed"),
    )
    for way, module in ((torch_game, "torch"), (jax_game, "jax"))
]


@pytest.fixture(params=WAYS)
def way(request: Any) -> Any:
    return request.param


def numbers(module: str) -> Any:
    """The library's own names for arrays."""
    return pytest.importorskip("jax.numpy" if module == "jax" else module)


def loss(actions: Any) -> Any:
    x, y, z = actions[0, 0], actions[1, 0], actions[2, 0]
    return (
        -7 * x * x + 9 * x * z + x - z,
        -2 * y * y - 4 * y * z - 10 * x * x + 2 * x * z - 3 * z * z + 4 * y + 7 * x - 8 * z - 8 * x * y * z,
        -10 * z * z - 9 * y * z + 9 * y * y - 5 * z - 2 * y,
    )


def loss_game(way: Any) -> Game:
    return way[0]("loss", loss, players=3, stages=3, dimension=1, bounds=(-5.0, 5.0))  # type: ignore[no-any-return]


def asked(game: Game, actions: np.ndarray, role: str = "payoffs", player: int = 0) -> np.ndarray:
    out = np.full(game.players if role == "payoffs" else actions.shape, np.nan)
    function = bind(game).role(role)
    function(actions, out, np.zeros(1)) if role == "payoffs" else function(actions, player, out, np.zeros(1))
    return out


def test_payoffs_and_derivatives_are_those_of_the_bundled_game(way):
    game, stream = loss_game(way), Stream(1)
    for _ in range(3):
        state = game.start()
        while not state.over:
            state = state.play(state.random(stream))
        actions = np.array(state.fields.actions)
        expected = np.zeros(3)
        LOSS.functions["payoffs"](actions, expected, np.zeros(1))
        assert state.returns == pytest.approx(expected, abs=1e-10)
        for player in range(3):
            found = asked(game, actions, "gradient", player)
            for stage in range(3):
                moved, out = actions.astype(complex), np.zeros(3, complex)
                moved[stage, 0] += 1e-30j
                LOSS.functions["payoffs"](moved, out, np.zeros(1))
                assert found[stage, 0] == pytest.approx(out[player].imag / 1e-30, abs=1e-10)


def test_double_precision_is_kept(way):
    game = way[0]("fine", lambda actions: [actions[0, 0] + 1], players=1, stages=1, dimension=1, bounds=(-1.0, 1.0))
    assert asked(game, np.array([[1e-12]]))[0] - 1 == pytest.approx(1e-12, rel=1e-3)


def test_it_is_never_compiled(way):
    game = loss_game(way)
    assert not game.compiled and LOSS.compiled
    assert not bind(game).compiled and bind(game) is bind(game, compiled=False)


def test_stacked_payoffs_movers_and_sets_of_any_continuous_game(way):
    stack = numbers(way[1]).stack
    game = way[0](
        "turned",
        lambda actions: stack([actions[0] @ actions[1], actions[0, 0]]),
        players=2,
        stages=2,
        dimension=2,
        movers=(1, 0),
        action_set="sphere",
        returns_range=(-1, 1),
    )
    state = game.start()
    assert state.mover == 1
    state = state.play((0.6, 0.8)).play((0.0, 1.0))
    assert state.returns == pytest.approx((0.8, 0.6)) and game.returns_range == (-1, 1)
    assert asked(game, np.array(state.fields.actions), "gradient", 0).tolist() == [[0, 1], [0.6, 0.8]]


def test_a_payoff_that_depends_on_nothing_has_zero_derivatives(way):
    stack, array = numbers(way[1]).stack, numbers(way[1]).asarray
    game = way[0](
        "still",
        lambda actions: stack([actions.sum(), array(3.0) + 0 * array(1.0)]),
        players=2,
        stages=1,
        dimension=2,
        bounds=(0.0, 1.0),
    )
    assert asked(game, np.ones((1, 2))).tolist() == [2, 3]
    assert asked(game, np.ones((1, 2)), "gradient", 0).tolist() == [[1, 1]]
    assert asked(game, np.ones((1, 2)), "gradient", 1).tolist() == [[0, 0]]


def test_asking_leaves_the_actions_alone(way):
    game, actions = loss_game(way), np.ones((3, 1))
    asked(game, actions, "gradient")
    assert actions.tolist() == [[1], [1], [1]]


def test_a_wrong_number_of_payoffs_gets_a_sentence(way):
    game = way[0]("short", lambda actions: [actions[0, 0]], players=2, stages=1, dimension=1, bounds=(0.0, 1.0))
    with pytest.raises(GameError, match=r"game 'short': payoffs gave the shape \(1,\), and 2 players need \(2,\); return one"):
        asked(game, np.zeros((1, 1)))


def test_no_tensor_gets_a_sentence(way):
    game = way[0]("none", lambda actions: None, players=1, stages=1, dimension=1, bounds=(0.0, 1.0))
    with pytest.raises(GameError, match=r"game 'none': payoffs gave None, which is no (tensor|array) .*; return one scalar"):
        asked(game, np.zeros((1, 1)))


def test_complex_steps_are_refused_rather_than_rounded(way):
    with pytest.raises(GameError, match=r"game 'loss': its payoffs take real numbers only; ask its gradient"):
        asked(loss_game(way), np.zeros((3, 1), complex))


def test_jax_without_tracing_may_branch_on_numbers():
    pytest.importorskip("jax")

    def payoffs(actions: Any) -> Any:
        return [actions[0, 0] ** 2 if actions[0, 0] > 0 else -actions[0, 0]]

    game = jax_game("kink", payoffs, players=1, stages=1, dimension=1, bounds=(-1.0, 1.0), jit=False)
    assert asked(game, np.array([[0.5]])).tolist() == [0.25]
    assert [asked(game, np.array([[x]]), "gradient").tolist() for x in (0.5, -0.5)] == [[[1.0]], [[-1.0]]]


@pytest.mark.parametrize(("make", "module", "extra"), [("torch_game", "torch", "neural"), ("jax_game", "jax", "jax")])
def test_a_missing_library_gets_a_sentence(make, module, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(PlayoutError, match=rf"is not installed: pip install 'playout\[{extra}\]'"):
        {"torch_game": torch_game, "jax_game": jax_game}[make]("mine", loss, players=3, stages=3, dimension=1, bounds=(-5.0, 5.0))


def test_bridges_import_neither_library():
    code = "import sys, playout.bridges; print([name for name in ('torch', 'jax') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_the_example_finds_the_best_reply(monkeypatch, capsys):
    pytest.importorskip("jax")
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    import autodiff_payoffs

    best, state = autodiff_payoffs.main(points=5)
    leader, follower = (float(row[0]) for row in np.array(state.fields.actions))
    assert leader == best == 5.0 and "JAX" in capsys.readouterr().out
    profit = [follower_profit(leader, follower + step) for step in (-0.01, 0.0, 0.01)]
    assert state.returns[1] == pytest.approx(profit[1], abs=1e-12) and profit[1] > max(profit[0], profit[2])


def follower_profit(leader: float, follower: float) -> float:
    return follower * (10 * np.exp(-(leader + follower) / 5) - 1.5)
