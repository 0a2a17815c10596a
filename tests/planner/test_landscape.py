"""What the last stage looks like decides how last actions are found: tops counted by hand, games of known shape, and what is said."""

import numpy as np
import pytest

import playout
from playout import Search
from playout.planner.landscape import _count_tops, rugged


def game(payoff, **words):
    """Two players, one number each; the second is paid by `payoff` of the last action."""

    def payoffs(actions, out):
        out[0] = -actions[0, 0] * actions[0, 0]
        out[1] = payoff(actions[1, 0]) - 0.1 * actions[0, 0] * actions[1, 0]

    return playout.Game("made", {"players": 2, "stages": 2, "dimension": 1, "bounds": (-1.0, 1.0), "payoffs": payoffs, **words})


@pytest.mark.parametrize(
    ("values", "tops"),
    [
        ([0, 1, 2, 1, 0], 1),
        ([0, 1, 2], 1),
        ([2, 1, 0], 1),
        ([2, 1, 0, 1, 2], 2),
        ([0, 2, 0, 2, 0, 2], 3),
        ([0, 2, 1.99, 2, 0], 1),  # a dip of half a hundredth is none
        ([1, 1, 1], 1),
        ([0, np.inf, 0], 0),
    ],
)
def test_tops_by_hand(values, tops):
    assert _count_tops(np.array(values, float)) == tops


def test_smooth_games_are_climbed_and_others_looked_at_everywhere():
    one, many = game(lambda x: -(x - 0.3) * (x - 0.3)), game(lambda x: np.sin(9.0 * x))
    two, kinks = game(lambda x: x * x), game(lambda x: -abs(x - 0.3))
    assert rugged(two) == "the last action has several tops along 24 of 24 lines that were tried"
    assert rugged(one) == "" and Search(one, compiled=False).settings.last == "solve" and Search(one, compiled=False).auto == ""
    assert rugged(many) == "the last action has several tops along 24 of 24 lines that were tried"
    search = Search(many, compiled=False)
    assert search.settings.last == "everywhere"
    assert search.auto == f"last actions are looked for everywhere before they are climbed: {rugged(many)}"
    assert rugged(kinks) == "payoffs have kinks" and Search(kinks, compiled=False).settings.last == "everywhere"
    for last in ("solve", "sample"):
        told = Search(many, compiled=False, last=last)
        assert told.settings.last == last and told.auto == ""
    assert Search(many, compiled=False, method="widening").settings.last == "sample"


def test_the_bundled_games_are_smooth():
    for name in ("loss-1d", "loss-3d", "polynomial:seed=7", "quantum-line"):
        assert rugged(playout.load(name)) == "", name


def test_what_does_not_work_is_left_to_the_search():
    def broken(x):
        raise ZeroDivisionError

    assert rugged(game(broken)) == "" and rugged(playout.load("connect-four")) == ""


def test_where_total_derivatives_are_too_dear_replies_are_tabled_and_the_last_is_solved():
    def payoffs(actions, out):
        for player in range(8):
            out[player] = -(actions[player, 0] - 0.1 * player) * (actions[player, 0] - 0.1 * player)

    long = playout.Game("long", players=8, stages=8, dimension=1, bounds=(-1.0, 1.0), payoffs=payoffs)
    assert not long.totals and Search("loss-1d", compiled=False).settings.method == "gradient"
    settings = Search(long, compiled=False).settings
    assert (settings.method, settings.last) == ("tables", "solve")
    assert Search(long, compiled=False, method="gradient").settings.derivative == "own"
    assert Search(long, compiled=False, method="widening").settings.last == "sample"
    assert Search("quantum-line", compiled=False).settings.method == "gradient"
