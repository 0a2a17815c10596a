"""The basins that a decision tells of: known tops, what is said of one alone, of young ones, and where distances are no box's."""

import json

import numpy as np
import pytest

from playout import Game, PlayoutError, Search
from playout.planner.basins import MOST, Basin, Basins, basins_of
from playout.report.decision_page import page

WIDE, NARROW = -0.5, 0.31


def bumps(lower, stages=2):
    """The first player gets 1 at -0.5 and `lower` at 0.31; a second wants to play as the first did."""

    def payoffs(actions, out):
        x, y = actions[0, 0], actions[stages - 1, 0]
        one, two = (x - WIDE) / 0.2, (x - NARROW) / 0.1
        out[0] = np.exp(-one * one) + lower * np.exp(-two * two)
        if stages > 1:
            out[1] = -(y - x) * (y - x)

    return Game("bumps", players=stages, stages=stages, dimension=1, bounds=(-1.0, 1.0), payoffs=payoffs, compiled=False)


def searched(game, simulations=150, **settings):
    return Search(game, compiled=False, seed=2, **settings).run(simulations=simulations)


@pytest.mark.parametrize("words", [{"method": "gradient"}, {"last": "everywhere"}])
def test_two_bumps_are_two_basins_and_the_second_is_as_much_worse_as_it_is(words):
    basins = searched(bumps(0.9), **words).basins
    assert basins.seen == 2 == len(basins.tops)
    assert basins.tops[0].action[0] == pytest.approx(WIDE, abs=0.03) and basins.chosen == pytest.approx(1.0, abs=0.01)
    assert basins.second.action[0] == pytest.approx(NARROW, abs=0.03)
    assert basins.short == pytest.approx(0.1, abs=0.02) and basins.span == pytest.approx(1.0, abs=0.02)
    assert basins.share == pytest.approx(basins.short / basins.span)


def test_a_last_action_is_known_at_once_so_no_top_is_young():
    basins = searched(bumps(0.5, stages=1), 60, last="sample").basins
    assert basins.seen == 2 and not any(top.young for top in basins.tops) and basins.starts == 60
    assert basins.short == pytest.approx(0.5, abs=0.02)


def test_where_the_last_action_is_looked_for_everywhere_only_what_competes_is_kept():
    alone = searched(bumps(0.5, stages=1), 60, last="everywhere").basins
    assert alone.words() == "one basin kept of what was seen by 60 starts; lower ones are not kept"


def test_a_decision_says_it_everywhere():
    decision = searched(bumps(0.9))
    words = decision.basins.words()
    second = decision.basins.second
    assert words == (
        f"2 basins seen by {decision.basins.starts} starts; the second best, at {second.name} ({second.visits} visit), is worth "
        f"{decision.basins.short:.2g} less ({100 * decision.basins.share:.2g} % of what the actions span)"
    )
    assert f"basins: {words}" in str(decision) and words in decision._repr_html_() and words in page([decision], "t")
    # The runner-up in words is the other basin, and not the action a hair's breadth away.
    assert f"that through {second.name}" in decision.why() and decision.why().count(words) == 1
    assert "basin" not in decision.why(decision.action, second.action)
    data = json.loads(decision.to_json())["basins"]
    assert data["seen"] == 2 and data["second"] == data["tops"][1] and data["second"]["action"] == list(second.action)
    assert data["short"] == decision.basins.short and data["starts"] == decision.basins.starts < 150


def test_one_basin_is_said_to_be_the_one_that_was_seen():
    decision = searched(bumps(0.0), 60)
    assert decision.basins.seen == 1 and decision.basins.second is None and decision.basins.share is None
    assert decision.basins.words() == f"one basin seen by {decision.basins.starts} starts; others may exist"
    assert json.loads(decision.to_json())["basins"]["second"] is None


def test_tops_that_were_hardly_tried_are_no_basins_yet():
    def top(mean, visits):
        return Basin(action=(mean,), name=f"{mean}", mean=mean, visits=visits, young=visits < 10)

    many = Basins(starts=30, tops=(top(1.0, 90), top(1.2, 2), top(0.5, 40), top(0.4, 1)), chosen=1.0, span=2.0)
    assert many.seen == 2 and many.second.mean == 0.5
    assert many.words() == (
        "2 basins seen by 30 starts, and 2 more that were hardly tried; the second best, at 0.5 (40 visits), is worth 0.5 less "
        "(25 % of what the actions span)"
    )
    one = Basins(starts=1, tops=(top(1.0, 90), top(1.2, 1)), chosen=1.0, span=2.0)
    assert one.seen == 1 and one.short == pytest.approx(-0.2)
    assert one.words() == (
        "one basin seen by 1 start, and 1 more that was hardly tried; that one, at 1.2 (1 visit), is worth 0.2 more "
        "(10 % of what the actions span)"
    )
    several = Basins(starts=9, tops=(top(1.0, 90), top(0.8, 1), top(0.6, 1)), chosen=1.0, span=2.0)
    assert "2 more that were hardly tried; the best of these, at 0.8 (1 visit), is worth 0.2 less" in several.words()


def found(game, actions, values, choice=0, enough=1):
    actions, values = np.array(actions, float), np.array(values, float)
    return basins_of(game.start(), actions, values, np.full(len(values), 5), choice, len(values), enough)


def test_basins_by_hand():
    line = bumps(0.0, stages=1)
    # 3, 1, 2.5, 0: the top of 2.5 stands 1.5 above the dip; a dip of 0.01 parts nothing.
    deep = found(line, [[-0.9], [-0.3], [0.3], [0.9]], [3, 1, 2.5, 0])
    assert [top.mean for top in deep.tops] == [3, 2.5] and deep.short == 0.5 and deep.share == pytest.approx(0.5 / 3)
    assert found(line, [[-0.9], [-0.3], [0.3], [0.9]], [3, 2.49, 2.5, 0]).seen == 1
    # Seen from the lower basin that one comes first, and the other is worth more.
    assert found(line, [[-0.9], [-0.3], [0.3], [0.9]], [3, 1, 2.5, 0], choice=2).short == -0.5
    # A rough value in the shadow of a better one close by is no dip.
    assert found(line, [[0.0], [0.01], [0.02], [0.5]], [3, 1, 2.9, 0]).seen == 1
    assert found(line, [[0.0], [0.5]], [1, 1]).seen == 1
    assert [top.young for top in found(line, [[0.0], [0.5], [1.0]], [3, 0, 2], enough=10).tops] == [True, True]


def test_two_hills_of_a_plane_and_more_actions_than_are_compared():
    def payoffs(actions, out):
        out[0] = actions[0, 0]

    plane = Game("plane", players=1, stages=1, dimension=2, bounds=((-1.0, -2.0), (1.0, 2.0)), payoffs=payoffs, compiled=False)
    places = np.random.default_rng(1).uniform((-1, -2), (1, 2), (6 * MOST, 2))

    def hill(x, y):
        return np.exp(-8 * np.square(places[:, 0] - x) - 2 * np.square(places[:, 1] - y))

    values = hill(-0.5, -1.0) + 0.8 * hill(0.5, 1.0)
    seen = found(plane, places, values, choice=int(values.argmax()))
    assert seen.seen == 2 and np.allclose(seen.second.action, (0.5, 1.0), atol=0.2)
    assert found(plane, places, hill(0.1, 0.1), 3).seen == 1


def test_a_phase_is_no_distance():
    def payoffs(actions, out):
        out[0] = actions[0, 0]

    ring = Game("ring", players=1, stages=1, dimension=4, action_set="projective", payoffs=payoffs, compiled=False)
    turn, other = np.exp(0.7j), np.array([0.28, 0.96])
    vectors = [np.array([1.0, 0.0]), turn * np.array([1.0, 0.0]), other, np.array([0.8, 0.6])]
    rows = [[part for number in vector for part in (number.real, number.imag)] for vector in vectors]
    assert found(ring, rows, [3.0, 2.9, 2.0, 1.0]).seen == 2
    assert found(ring, rows[:2], [3.0, 0.0]).seen == 1


def test_chance_is_told_from_no_basin():
    from playout.game.continuous import NATURE

    def payoffs(actions, out):
        out[0] = -actions[0, 0] * actions[0, 0] + actions[1, 0]

    lucky = Game(
        "lucky", players=1, stages=2, dimension=1, movers=(0, NATURE), bounds=(-1.0, 1.0), payoffs=payoffs, compiled=False
    )
    decision = searched(lucky, 30)
    assert decision.basins is None and decision.to_dict()["basins"] is None and "basin" not in str(decision)


def test_an_action_that_is_not_there_is_answered_with_some_of_those_that_are():
    decision = searched(bumps(0.9, stages=1), 120, last="sample")
    with pytest.raises(PlayoutError, match=r"'x' is not an action of this decision; it has .* and \d+ more$") as error:
        decision["x"]
    assert str(error.value).count(", ") == 99
