"""Continuous games that are wrong, or asked for what cannot be: one sentence with the thing, the value and the fix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import playout
from playout import Game, PlayoutError, Search
from playout.errors import GameError, IllegalAction


def flat(actions, out):
    out[0] = -actions[0, 0] * actions[0, 0]
    out[1] = 0.0 * actions[0, 0]


def made(payoffs: Any = flat, **names: Any) -> Game:
    given = {"players": 2, "stages": 2, "dimension": 1, "bounds": (-1.0, 1.0), "compiled": False}
    return Game("mine", payoffs=payoffs, **{**given, **names})


def said(act: Any) -> str:
    with pytest.raises(PlayoutError) as raised:
        act()
    return str(raised.value)


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        ({"bounds": (1.0, -1.0)}, "bounds of component 0 are 1 to -1; the lower one comes first, so swap them"),
        (
            {"bounds": (-np.inf, 1.0)},
            "bounds of component 0 are -inf to 1; both must be finite numbers, so choose limits wide enough",
        ),
        (
            {"bounds": (0.0, np.nan)},
            "bounds of component 0 are 0 to nan; both must be finite numbers, so choose limits wide enough",
        ),
        ({"dimension": 0}, "dimension is 0; it must be a whole number from 1 to 256 (the real numbers in an action)"),
        ({"stages": 0}, "stages is 0; it must be a whole number from 1 to 64 (one action is taken at each)"),
    ],
)
def test_what_is_declared(names: dict[str, Any], sentence: str) -> None:
    assert said(lambda: made(**names)) == f"game 'mine': {sentence}"


def test_bounds_that_turn_over_during_the_game() -> None:
    def bounds(stage, actions, low, high):
        low[0] = -1.0 if stage == 0 else actions[0, 0]
        high[0] = 1.0 if stage == 0 else 0.0

    game = made(bounds=bounds)
    sentence = said(lambda: game.start(0).play(0.5).random(playout.Stream(1)))
    assert sentence == "game 'mine': bounds of component 0 at stage 1 are 0.5 to 0; the lower one comes first, so swap them"
    assert "the lower one comes first" in said(lambda: Search(game, compiled=False, seed=1).run(simulations=30))


@pytest.mark.parametrize("method", ["widening", "gradient", "local", "local-alone"])
def test_no_number_in_a_corner(method: str) -> None:
    """The search finds the corner, since everybody wants to be there, and says where it was."""

    def payoffs(actions, out):
        x, y = actions[0, 0], actions[1, 0]
        out[0] = x + 0.0 * y
        out[1] = y + 0.0 * x
        if x.real > 0.9 and y.real > 0.9:
            out[1] = np.nan

    sentence = said(
        lambda: Search(made(payoffs), compiled=False, seed=1, method=method, sampling="uniform").run(simulations=2000)
    )
    start, _, rest = sentence.partition(" for the actions ")
    assert start == "game 'mine': payoffs gave nan to player 1, which is not a finite number,"
    where, _, cure = rest.partition("; ")
    assert all(0.9 < float(number) <= 1.0 for number in where.split(", "))
    assert cure == "make bounds leave such actions out, or payoffs finite there"


def test_infinity_is_no_number_either() -> None:
    def payoffs(actions, out):
        out[0] = actions[0, 0]
        out[1] = np.inf

    with np.errstate(all="ignore"):
        sentence = said(lambda: Search(made(payoffs), compiled=False, slopes="differences").run(simulations=5))
    assert sentence.startswith("game 'mine': payoffs gave inf to player 1, which is not a finite number, for the actions ")


def test_a_payoff_that_ignores_an_action() -> None:
    """Nothing is flat enough to divide by: the first player's best is 0 whatever the second does."""
    for words in ({"method": "gradient"}, {"method": "local"}, {"method": "widening"}, {"derivative": "own"}):
        decision = Search(made(), compiled=False, seed=1, **words).run(simulations=60)
        assert decision.line().finished
    assert Search(made(), compiled=False, seed=1).run(simulations=60).action[0] == pytest.approx(0.0, abs=1e-6)


def test_a_finished_game_is_not_searched() -> None:
    game = playout.load("loss-1d")
    over = game.start(0).replay([0.0, 0.0, 0.0])
    assert said(lambda: Search(game, compiled=False).run(over, simulations=5)) == (
        "the game of loss-1d is over in this state: there is nothing to decide"
    )
    assert said(lambda: over.play(0.0)) == "the game of loss-1d is over: no action is legal, so 0.0 cannot be played"


@pytest.mark.parametrize(
    ("spec", "action", "sentence"),
    [
        ("loss-1d", 5.5, "5.5 (component 0) is outside -5 to 5, the box of loss-1d at stage 0; choose a number inside"),
        ("loss-1d", (1.0, 2.0), "(1.0, 2.0) has the shape (2,), and an action of loss-1d is one number, as in 0.5"),
        ("loss-3d", 1.0, "1.0 has the shape (1,), and an action of loss-3d is 3 numbers, as in 0.5,0.5,0.5"),
        ("loss-3d", "1,2,x", "'1,2,x' is not an action of loss-3d; give 3 numbers, as in 0.5,0.5,0.5"),
        (
            "loss-3d",
            (1.0, -7.0, 1.0),
            "-7 (component 1) is outside -5 to 5, the box of loss-3d at stage 0; choose a number inside",
        ),
        ("loss-1d", float("nan"), "nan is not an action of loss-1d: its numbers must be finite"),
    ],
)
def test_actions_that_are_none(spec: str, action: Any, sentence: str) -> None:
    state = playout.load(spec).start(0)
    with pytest.raises(IllegalAction) as raised:
        state.play(action)
    assert str(raised.value) == sentence


LISTED = "is for games whose actions can be listed, and actions of 'loss-1d' are real vectors; leave {} out"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"rule": "puct"}, "rule=puct " + LISTED.format("rule")),
        ({"depth": 2}, "depth=2 " + LISTED.format("depth")),
        ({"playouts": 3}, "playouts=3 " + LISTED.format("playouts")),
        ({"cutoff": 5}, "cutoff=5 " + LISTED.format("cutoff")),
        ({"fpu": 0.5}, "fpu=0.5 " + LISTED.format("fpu")),
        (
            {"discount": 0.9, "solver": False},
            "discount=0.9 does not work with continuous games; leave discount out",
        ),
        ({"method": "gradients"}, "method is 'gradients'; did you mean 'gradient'?"),
        ({"width": 0.0}, "width is 0.0; it must be from 1e-06 to 1e+06"),
        ({"power": 1.5}, "power is 1.5; it must be from 0 to 1"),
        ({"branches": 1}, "branches is 1; it must be from 2 to 16"),
        (
            {"slopes": "game"},
            "slopes=game needs the game's gradient, which 'loss-1d' does not define; define it or leave slopes out",
        ),
    ],
)
def test_settings_that_make_no_sense(words: dict[str, Any], sentence: str) -> None:
    assert said(lambda: Search("loss-1d", compiled=False, **words)) == sentence


def test_total_derivatives_of_a_large_game() -> None:
    assert said(lambda: Search("quantum-tic-tac-toe", compiled=False, derivative="total")) == (
        "derivative=total is for boxes, without chance, and for few stages and dimensions, which 'quantum-tic-tac-toe' is not; "
        "pass derivative=own"
    )


def test_a_wrong_game_error_is_a_game_error() -> None:
    with pytest.raises(GameError):
        made(bounds=(2.0, 1.0))


def test_bounds_always_get_an_array() -> None:
    """Uncompiled they once got a view, which has no sum, though compiled the same line worked."""

    def bounds(stage, actions, low, high):
        low[0] = -1.0
        high[0] = 1.0 + 0.5 * actions[:stage].sum()

    def payoffs(actions, out):
        out[0] = -((actions[0, 0] - 0.2) ** 2)
        out[1] = actions[1, 0]

    game = Game("sums", players=2, stages=2, dimension=1, bounds=bounds, payoffs=payoffs, compiled=False)
    line = Search(game, seed=1).run(simulations=60).line(until="end")
    assert line.actions[1][0] == pytest.approx(1.1, abs=1e-6)
