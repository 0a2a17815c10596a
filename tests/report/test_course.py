"""The course of a game: values for one player, what actions gave away, and the picture of it."""

from __future__ import annotations

import re

import msgspec
import pytest

import playout
from playout.report.clean import clean
from playout.report.course import Moment, course_chart, moment, words, worst
from playout.report.marks import WIDTH


def decide(moves: str, **budget: int) -> playout.Decision:
    search = playout.Search("tic-tac-toe", seed=3, compiled=False)
    return search.run(search.game.start().replay(moves.split()), **(budget or {"simulations": 400}))


@pytest.fixture(scope="module")
def lost() -> playout.Decision:
    """X has two corners opposite each other, O the centre: a corner loses for O, an edge holds the draw."""
    return decide("a1 b2 c3")


def test_what_was_given_away(lost: playout.Decision) -> None:
    corner, edge = (next(a for a in lost.state.legal if lost.state.name(a) == name) for name in ("a3", lost.name))
    assert lost[edge].proven == (0.0, 0.0) and lost[corner].proven == (1.0, -1.0)
    bad = moment(lost, 3, player=0, action=corner, name="a3")
    assert (bad.loss, bad.sure, bad.value, bad.low, bad.high, bad.mover) == (1.0, True, 0.0, 0.0, 0.0, 1)
    good = moment(lost, 3, player=1, action=edge, name=lost.name)
    assert (good.loss, good.sure, good.best) == (0.0, False, lost.name)
    assert words(bad) == f"after 3 actions: +0.000; a3 was played, 1.000 behind {lost.name}"
    assert words(good) == f"after 3 actions: +0.000; {lost.name} was played"


def test_values_are_those_of_one_player_throughout() -> None:
    open_one = decide("", simulations=40)
    assert open_one.proven is None
    own, other = moment(open_one, 0, player=0), moment(open_one, 0, player=1)
    assert own.value == open_one.chosen.mean == -other.value
    assert (own.low, own.high) == (-other.high, -other.low) and own.low <= own.value <= own.high
    assert own.loss is None and own.name == ""


def test_an_interval_of_another_player_is_not_made_up(lost: playout.Decision) -> None:
    chosen = msgspec.structs.replace(lost.chosen, proven=None, mean=0.5, means=(0.25, 0.5), low=0.4, high=0.6)
    shared = msgspec.structs.replace(lost, proven=None, actions=(chosen,))
    found = moment(shared, 3, player=0)
    assert (found.value, found.low, found.high) == (0.25, None, None)


def test_a_loss_within_its_uncertainty_is_no_mistake(lost: playout.Decision) -> None:
    best = msgspec.structs.replace(lost.chosen, proven=None, mean=0.3, error=0.1)
    played = msgspec.structs.replace(lost.actions[0], action=99, name="z", proven=None, mean=0.2, error=0.1)
    close = msgspec.structs.replace(lost, proven=None, actions=(best, played))
    found = moment(close, 3, player=0, action=99, name="z")
    assert (
        found.loss == pytest.approx(0.1)
        and not found.sure
        and words(found).endswith("behind " + lost.name + ", which may be chance")
    )
    untried = msgspec.structs.replace(close, actions=(best, msgspec.structs.replace(played, mean=None)))
    assert moment(untried, 3, player=0, action=99).loss is None is moment(untried, 3, player=0, action=7).loss


def course(count: int = 30) -> list[Moment]:
    made = [
        Moment(
            place=i,
            mover=i % 2,
            name=f"m{i}",
            value=0.02 * i - 0.2,
            low=0.02 * i - 0.3,
            high=0.02 * i,
            loss=0.01 * i,
            sure=i % 3 == 0,
        )
        for i in range(count)
    ]
    made[9] = msgspec.structs.replace(made[9], value=None, low=None, high=None)
    return made


def test_the_worst_actions_are_marked() -> None:
    moments = course()
    assert [one.place for one in worst(moments)] == [27, 24, 21] and worst(moments[:1]) == []
    chart = course_chart(moments, player="red & <b>", span=(-1, 1), here=12)
    assert not clean(chart).trouble and "nan" not in chart
    assert all(f">m{place}?</text>" in chart for place in (27, 24, 21)) and ">m18?</text>" not in chart
    assert re.findall(r'data-place="(\d+)"', chart) == [str(i) for i in range(30)]
    assert chart.count("<polyline") == 2 and chart.count("<polygon") == 2  # a gap where nobody has searched yet
    assert "after 9 actions: not searched yet" in chart and "red &amp; &lt;b&gt;" in chart


@pytest.mark.parametrize("count", [0, 1, 2, 400])
def test_any_length_makes_a_picture(count: int) -> None:
    moments = [Moment(place=i, mover=0, value=0.0, name="x" * 40, loss=1.0, sure=True) for i in range(count)]
    chart = course_chart(moments, player="player 0")
    assert not clean(chart).trouble and "nan" not in chart and "inf" not in chart
    for x in re.findall(r'<(?:circle c|text )x="([^"]*)"', chart):
        assert 0 <= float(x) <= WIDTH
