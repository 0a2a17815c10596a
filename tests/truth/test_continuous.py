"""The reference of continuous games against answers worked out by hand, and regret as it is defined."""

from __future__ import annotations

import re

import msgspec
import numpy as np
import pytest

import playout
from playout import Stream
from playout.compile import binding
from playout.errors import GameError, IllegalAction, PlayoutError, UnfinishedLine
from playout.truth import reference, regret
from playout.truth.continuous.regret import CLOSED, NESTED
from playout.truth.continuous.solver import Infeasible

from . import continuous_games as games

SOLUTION = (-0.22730963, 2.36034265, -1.31215419)
PAYOFFS = (3.40754444, 8.87605774, 62.63775777)


def flat(actions):
    return [v for action in actions for v in action]


# the reference


@pytest.mark.parametrize(
    ("rules", "actions", "payoffs"),
    [
        (games.chase, (0.5, 0.25), (0.25, 0.0)),
        (games.capped, (1 / 3, 1.0), (2 / 3, 0.0)),
        (games.jumping, (-0.2, 1.0), (3.2, 0.0)),
    ],
)
def test_small_games_are_solved(rules, actions, payoffs):
    found = reference(games.game(rules), compiled=False)
    assert found.source == NESTED and found.certified and found.first == 0
    assert flat(found.actions) == pytest.approx(actions, abs=1e-6)
    assert found.payoffs == pytest.approx(payoffs, abs=1e-6)


def test_the_higher_of_two_tops_is_found():
    found = reference(games.game(games.two_tops, players=1, stages=1), compiled=False)
    assert found.actions[0][0] == pytest.approx(0.75005555, abs=1e-6) and found.certified


def test_a_stage_that_nobody_cares_about():
    rules = games.game(games.ignoring)
    found = reference(rules, compiled=False)
    assert found.actions == ((pytest.approx(0.25, abs=1e-9),), (-1.0,))  # the first of equal actions, from the lower end
    report = regret(rules, [0.25, 0.7], compiled=False)
    assert report.players == (pytest.approx(0, abs=1e-12), 0.0) and report.certified


@pytest.mark.compiles
def test_chance_is_averaged():
    rules = games.game(games.guess, **games.CHANCE)
    found = reference(rules)
    assert found.actions == ((pytest.approx(1 / 3, abs=1e-7),),)  # after chance there is no single best action
    assert found.payoffs == pytest.approx((-4 / 45, 0.0), abs=1e-7)
    report = regret(rules, [0.0, 0.5, 0.25])
    assert [row.stage for row in report.stages] == [0, 2] and report.distance is None
    assert report.players == pytest.approx((1 / 9, 1 / 16), abs=1e-7)
    with pytest.raises(IllegalAction, match=r"^stage 1: 7.0 is not what chance can bring; it draws within -1 to 1$"):
        regret(rules, [0.0, 7.0, 0.25])


@pytest.mark.compiles
def test_two_dimensions_compiled():
    found = reference(games.game(games.valley, dimension=2))
    assert found.actions[0] == pytest.approx((0.5, 0.25), abs=1e-5)
    assert found.payoffs == pytest.approx((0.0, 0.0), abs=1e-9) and found.certified


def test_unit_vectors():
    rules = games.game(games.pole, players=1, stages=1, dimension=3, action_set="sphere", bounds=None)
    found = reference(rules, compiled=False)
    assert found.payoffs == pytest.approx((5.0,), abs=1e-9) and found.actions[0] == pytest.approx((0.6, 0.8, 0.0), abs=1e-5)


def test_moving_bounds_are_kept():
    def bounds(stage, actions, low, high):
        low[0] = 0.0 if stage == 0 else actions[0, 0]
        high[0] = 1.0

    def payoffs(actions, out):
        out[0] = actions[0, 0] - 2 * actions[1, 0] * actions[1, 0]
        out[1] = -actions[1, 0]

    found = reference(games.game(payoffs, bounds=bounds), compiled=False)
    assert flat(found.actions) == pytest.approx((0.25, 0.25), abs=1e-6) and found.payoffs[0] == pytest.approx(0.125, abs=1e-8)


@pytest.mark.compiles
def test_loss_game_without_its_closed_form():
    found = reference("loss-1d", closed=False)
    assert found.source == NESTED and found.certified and found.value_error < 1e-8
    assert flat(found.actions) == pytest.approx(SOLUTION, abs=1e-7)
    assert found.payoffs[0] == pytest.approx(PAYOFFS[0], abs=1e-8)
    assert found.payoffs == pytest.approx(PAYOFFS, abs=10 * found.error)
    exact = reference("loss-1d")
    assert exact.source == CLOSED and exact.payoffs == pytest.approx(PAYOFFS, abs=1e-8)


@pytest.mark.compiles
def test_compiled_and_uncompiled_agree():
    rules = games.game(games.chase)
    one, other = reference(rules, compiled=True), reference(rules, compiled=False)
    assert flat(one.actions) == pytest.approx(flat(other.actions), abs=1e-9)


@pytest.mark.compiles
def test_from_the_middle():
    rules = playout.load("loss-1d")
    state = rules.start().play(0.5)
    for closed in (True, False):
        found = reference(state, closed=closed)
        assert found.first == 1 and found.actions[0] == (0.5,)
        assert flat(found.actions[1:]) == pytest.approx((5.0, -2.5), abs=1e-7)
        report = regret(state, [4.0, -2.5], closed=closed)
        assert report.players[0] is None and [row.stage for row in report.stages] == [1, 2]
        assert report.stages[1].best == pytest.approx((-2.05,), abs=1e-7)
        assert report.players[2] == pytest.approx(10 * 0.45**2, abs=1e-6)


# regret


@pytest.mark.compiles
def test_regret_is_what_the_definition_says():
    """By the formulas of the loss game, written out: z*(y) = -(9y + 5) / 20, and y*(x) below its cap."""

    def u(x, y, z):
        return (
            -7 * x * x + 9 * x * z + x - z,
            -2 * y * y - 4 * y * z - 10 * x * x + 2 * x * z - 3 * z * z + 4 * y + 7 * x - 8 * z - 8 * x * y * z,
            -10 * z * z - 9 * y * z + 9 * y * y - 5 * z - 2 * y,
        )

    x, y, z = -0.4, 1.0, -0.5
    best_y, reply = (7.925 + 1.1 * x) / (1.615 - 7.2 * x), lambda y: -(9 * y + 5) / 20
    wanted = (
        PAYOFFS[0] - u(x, best_y, reply(best_y))[0],
        u(x, best_y, reply(best_y))[1] - u(x, y, reply(y))[1],
        u(x, y, reply(y))[2] - u(x, y, z)[2],
    )
    for closed in (True, False):
        report = regret("loss-1d", [x, y, z], closed=closed)
        assert report.players == pytest.approx(wanted, abs=1e-7) and report.certified
        assert report.payoffs == pytest.approx(u(x, y, z), abs=1e-12)
        assert report.distance == pytest.approx(np.linalg.norm(np.subtract((x, y, z), SOLUTION)), abs=1e-6)


def test_misleading_points_have_regret():
    """Where each player's own derivative is 0, the players do not answer each other."""
    for point in ((-0.415575, 1.127914, -0.757561), (1.098115, -4.104594, 1.597067), (-0.547, 1.586, -0.964)):
        assert regret("loss-1d", point).players[0] > 0.1


@pytest.mark.compiles
def test_regret_is_never_negative_and_zero_at_the_solution():
    stream = Stream(5)
    for spec, closed in (("loss-1d", True), ("loss-1d", False), ("loss-3d", True), ("stackelberg:firms=5", True)):
        rules = playout.load(spec)
        for _ in range(12):
            state = rules.start()
            while not state.over:
                state = state.play(state.random(stream))
            report = regret(rules, state, closed=closed)
            assert all(row.regret >= 0 and row.error < 1e-6 * (1 + abs(row.value)) for row in report.stages), spec
            assert max(row.regret for row in report.stages) > 1e-3
        best = reference(rules, closed=closed)
        report = regret(rules, best.actions, closed=closed)
        assert max(row.regret for row in report.stages) < 1e-9 and report.distance == 0.0


def test_loss_3d_is_measured_on_sums():
    best = reference("loss-3d")
    x = best.actions[0][0]
    moved = [(x + 1, x - 2, x + 1), best.actions[1], best.actions[2]]
    report = regret("loss-3d", moved)
    assert max(report.players) < 1e-9 and report.distance == pytest.approx(0, abs=1e-12)


@pytest.mark.compiles
def test_a_player_with_two_moves_has_the_larger_regret():
    rules = games.game(games.twice, stages=3, movers=(0, 1, 0))
    report = regret(rules, [0.3, 0.4, 0.9])
    assert [row.regret for row in report.stages] == pytest.approx((0.09, 0.0, 0.25), abs=1e-7)
    assert report.players == pytest.approx((0.25, 0.0), abs=1e-7)


def test_reports_are_readable_and_json():
    report = regret("loss-1d", [-0.2, 2.0, -1.0])
    assert str(report).splitlines()[0].startswith("loss-1d: regret by closed form, error about ")
    assert "stage 0  player 0  played -0.2, best -0.22731: regret 0.009704" in str(report)
    again = msgspec.json.decode(msgspec.json.encode(report))
    assert again["players"] == pytest.approx(report.players) and again["source"] == CLOSED


# what cannot be measured


def test_unfinished_trajectories():
    want = r"so nobody's regret is known: give it to the end of the game, as decision.line\(until='end', complete=True\) does$"
    with pytest.raises(UnfinishedLine, match=r"^the trajectory has 2 of the 3 actions that loss-1d takes, " + want):
        regret("loss-1d", [0.0, 1.0])
    state = playout.load("loss-1d").start().play(0.0)
    with pytest.raises(UnfinishedLine, match=r"^the trajectory has 1 of the 3 actions that loss-1d takes, " + want):
        regret("loss-1d", state)
    with pytest.raises(
        UnfinishedLine, match=r"^the trajectory has 1 of the 2 actions that loss-1d takes from stage 1 on, " + want
    ):
        regret(state, [0.0])


@pytest.mark.parametrize(
    ("trajectory", "kind", "message"),
    [
        ([0.0, 1.0, 2.0, 3.0], PlayoutError, "the trajectory has 4 actions, and loss-1d has 3 to come from stage 0 on; leave"),
        (7, PlayoutError, "7 is no trajectory of loss-1d: give a finished state, a finished line, or one action for each stage"),
        ([0.0, [1.0, 2.0], 0.0], IllegalAction, "stage 1: [1.0, 2.0] has the shape (2,), and an action of loss-1d is one number"),
        ([0.0, 5.5, 0.0], IllegalAction, "stage 1: 5.5 (component 0) is outside -5 to 5, the box of loss-1d at stage 1"),
        ([0.0, np.nan, 0.0], IllegalAction, "stage 1: nan is not an action of loss-1d: its numbers must be finite"),
        ([0.0, "x", 0.0], IllegalAction, "stage 1: 'x' is not an action of loss-1d; give one number, as in 0.5"),
    ],
)
def test_wrong_trajectories(trajectory, kind, message):
    with pytest.raises(kind) as error:
        regret("loss-1d", trajectory)
    assert str(error.value).startswith(message)


def test_lines_of_another_beginning():
    rules = playout.load("loss-1d")
    end = rules.start().replay([0.0, 1.0, 2.0])
    with pytest.raises(PlayoutError, match=r"^the trajectory does not begin with the actions of the state; ask from"):
        regret(rules.start().play(1.0), end)
    with pytest.raises(PlayoutError, match=r"^the trajectory is of loss-1d, and its regret in stackelberg was asked for$"):
        regret("stackelberg", end)
    with pytest.raises(PlayoutError, match=r"^nim has action ids, and this regret is of continuous games; see playout exploit"):
        regret("nim", end)


@pytest.mark.compiles
def test_no_number_in_a_corner_is_named(monkeypatch):
    # Else the first moment of the compiled form would say so already.
    monkeypatch.setattr(binding, "trial", None)
    want = (
        r"^game 'mine': payoffs gives player 1 nan for the actions 1, -1; every payoff must be a finite number over the whole box"
    )
    for compiled in (False, True):
        with pytest.raises(GameError, match=want):
            reference(games.game(games.corner), compiled=compiled)


def test_bounds_that_make_no_box_are_named():
    def bounds(stage, actions, low, high):
        low[0] = actions[0, 0] if stage else 0.0
        high[0] = 0.5 if stage else 1.0

    def payoffs(actions, out):
        out[0] = actions[0, 0]
        out[1] = actions[1, 0]

    want = r"^game 'mine': bounds of component 0 at stage 1 after 0\.\d+ are 0\.\d+ to 0\.5; the lower one comes first"
    with pytest.raises(GameError, match=want):
        reference(games.game(payoffs, bounds=bounds), compiled=False)


@pytest.mark.compiles
def test_what_is_too_large_says_what_is_possible():
    def payoffs(actions, out):
        out[0] = 0.0
        for stage in range(9):
            for i in range(4):
                out[0] = out[0] + actions[stage, i] * (stage - i)
        out[1] = -out[0]

    rules = games.game(payoffs, stages=9, dimension=4, action_set="sphere", bounds=None, name="deep")
    with pytest.raises(Infeasible) as error:
        reference(rules, seconds=5)
    words = str(error.value)
    assert words.startswith(
        "deep from stage 0 on is too large for the reference: 9 stages one inside the other would take about "
    )
    assert re.search(r"and 5 s are allowed; ask from stage [78] on, regret\(state, rest\) with a state there", words)
    state = rules.start()
    for _ in range(8):
        state = state.play((1.0, 0.0, 0.0, 0.0))
    last = reference(state)
    assert last.actions[8] == pytest.approx(np.array([8, 7, 6, 5]) / np.linalg.norm([8, 7, 6, 5]), abs=1e-5)


def test_a_wrong_closed_form_is_found_out():
    rules = games.game(games.chase, solution=lambda stage, actions: (0.1,))
    with pytest.raises(GameError, match=r"^game 'mine': solution gives player 1 -?[\d.e-]+ at stage 1, and 0.25 gives "):
        regret(rules, [0.5, 0.25])
    rules = games.game(games.chase, solution=lambda stage, actions: (0.1, 0.2))
    with pytest.raises(
        GameError, match=r"^game 'mine': solution gave \(0.1, 0.2\) at stage 0, and an action is 1 numbers; return"
    ):
        reference(rules)
