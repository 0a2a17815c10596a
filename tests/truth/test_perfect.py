"""Exact solutions against known ones: values, counts of positions, and exact results of known ways to play."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.load import load
from playout.truth.perfect.perfect import report, solve
from playout.truth.perfect.plainly import Plainly
from playout.truth.perfect.positions import positions

pytestmark = pytest.mark.compiles


def test_plain_python_finds_the_same_positions() -> None:
    """What stands in for the kernels where rules do not compile: the same arrays, with dice among them."""
    for spec in ("tic-tac-toe", "pig:target=2"):
        game, found = load(spec), positions(spec, symmetric=False)
        plainly = Plainly(game, symmetric=False)
        assert list(plainly.run())[-1] == (len(found), len(found.target))
        columns = plainly.columns()
        pairs = {"nodes": "nodes", "keys": "keys", "movers": "mover", "finals": "final", "first": "first", "actions": "action"}
        for name, ours in {**pairs, "ways": "ways", "targets": "target", "chances": "chance"}.items():
            assert (columns[name] == getattr(found, ours)).all(), (spec, name)


def test_tic_tac_toe_has_its_known_positions() -> None:
    found = positions("tic-tac-toe", symmetric=False)
    assert len(found) == 5478 and int((found.mover >= 0).sum()) == 4520
    assert len(positions("tic-tac-toe")) == 765


@pytest.mark.parametrize("symmetric", [False, True])
def test_tic_tac_toe_against_exact_figures(symmetric: bool) -> None:
    solved = solve("tic-tac-toe", symmetric=symmetric)
    assert solved.value == (0.0, 0.0)
    assert solved.outcome(0, solved.uniform, solved.uniform) == pytest.approx((737 / 1260, 8 / 63, 121 / 420))
    assert solved.outcome(0, solved.best, solved.uniform) == pytest.approx((0.968, 0.032, 0.0), abs=5e-4)
    assert solved.outcome(1, solved.best, solved.uniform) == pytest.approx((0.778, 0.223, 0.0), abs=6e-4)
    assert solved.outcome(0, solved.best, solved.best) == pytest.approx((0, 1, 0))


def test_every_line_of_tic_tac_toe_is_counted() -> None:
    solved = solve("tic-tac-toe")
    # 255,168 games: 131,184 won by the first, 77,904 by the second, 46,080 drawn.
    assert solved.losing_lines(0, solved.uniform) == (77_904, 255_168)
    assert solved.losing_lines(1, solved.uniform) == (131_184, 255_168)
    assert solved.losing_lines(0, solved.best)[0] == 0  # type: ignore[index]


def test_small_boards_have_their_values() -> None:
    assert solve("mnk:m=3,n=4,k=3").value == (1.0, -1.0)
    assert solve("connect-four:columns=4,rows=4").value == (0.0, 0.0)
    assert len(positions("connect-four:columns=4,rows=4", symmetric=False)) == 161_029


def test_nim_is_won_unless_the_heaps_cancel() -> None:
    game = load("nim:heaps=3-4-5")
    assert solve(game).value == (1.0, -1.0)
    found = {row.name for row in report(game).actions if row.best}
    assert found == {"2 from heap A"}
    # 1, 4 and 5 cancel, and whoever is to move has lost; 2, 4 and 5 do not.
    for taken, value in (("2 from heap A", [1.0, -1.0]), ("1 from heap A", [-1.0, 1.0])):
        assert report(game, game.start().replay([taken])).value == value


def test_chance_is_enumerated_and_repetition_settles() -> None:
    solved = solve("pig:target=2")
    # One throw of 2 to 6 wins at once; else the other is to roll: p = 5/6 + 1/6 (1 - p).
    p = 6 / 7
    assert solved.positions.cyclic and solved.value == pytest.approx((2 * p - 1, 1 - 2 * p), abs=1e-10)
    assert solved.losing_lines(0, solved.best) is None


def test_a_state_of_ones_own_is_told_about() -> None:
    game = load("tic-tac-toe")
    found = report(game, game.start().replay(["b2", "b1"]))
    assert found.value == [1.0, -1.0] and {row.name: row.value for row in found.actions}["b3"] == 0.0
    assert sorted(row.name for row in found.actions if row.best) == ["a1", "a2", "a3", "c1", "c2", "c3"]


def _circle(zero_sum: bool = True, stops: bool = False) -> Game:
    def start(state: Any, rng: Any) -> None:
        state.place = 0

    def legal(state: Any, out: Any) -> int:
        # Going round is one action, and leaving the circle another: a game must be able to end.
        out[0], out[1] = 0, 1
        return 1 if stops else 2

    def play(state: Any, action: int, rng: Any) -> None:
        state.place = 5 if action == 1 else state.place + 1 if stops else (state.place + 1) % 4

    def mover(state: Any) -> int:
        return -1 if state.place == 5 else state.place % 2

    def returns(state: Any, out: Any) -> None:
        out[0] = 1.0
        out[1] = -1.0 if zero_sum else float(state.place)

    def key(state: Any) -> int:
        return state.place  # type: ignore[no-any-return]

    return Game(
        "circle",
        players=2,
        actions=2,
        State=np.dtype([("place", np.int8)]),
        **{f.__name__: f for f in (start, legal, play, mover, returns, key)},
    )


def test_what_cannot_be_solved_says_why() -> None:
    with pytest.raises(
        PlayoutError, match="^circle can repeat a position without end, so going back from the ends gives no value; "
    ):
        solve(_circle())
    with pytest.raises(PlayoutError, match="^tic-tac-toe has more than 700 positions"):
        solve("tic-tac-toe", most=700)  # of 765
    with pytest.raises(PlayoutError, match="^kuhn-poker hides something, so a position has no one value; playout exploit"):
        solve("kuhn-poker")
    with pytest.raises(PlayoutError, match="^best play is not one thing among 3 players"):
        solve("pig:players=3,target=2")
