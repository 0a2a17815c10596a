"""The second opinion: how a budget is shared, what the trees say and never more, and intervals by hand."""

import math
import threading
from collections import namedtuple

import numpy as np
import pytest

import playout
from playout import Search
from playout.agents import recipe
from playout.planner import opinion, run, search
from playout.planner.opinion import WITNESSES, opinion_of, pace, quotas, reach, spread
from playout.planner.real_root import RealRoot
from tests.engine.trees import same_bits


@pytest.fixture
def early(monkeypatch):
    """Witnesses from 160 simulations on, so that tests need few."""
    for name in ("ENOUGH", "REAL_ENOUGH"):
        monkeypatch.setattr(search, name, 160)


def searching(game="connect-four", **words):
    return Search(game, **{"compiled": False, "seed": 3, "decisive_playouts": "off", **words})


def test_the_main_tree_gets_three_quarters_and_nothing_is_lost():
    assert quotas(10_000, 8, main=True) == [7_501, *[357] * 7]
    assert quotas(10_000, 1, main=True) == [10_000]
    assert quotas(10_000, 3, main=False) == [3_334, 3_333, 3_333]
    for count in (4_000, 4_001, 5_555, 1_000_003):
        assert sum(quotas(count, 8, main=True)) == count


def test_threads_that_are_there_are_used_and_one_alone_gives_the_main_tree_most():
    assert pace(8, 1) == pytest.approx(1 / 49)  # one eighth of the time for seven witnesses
    assert pace(8, 2) == pytest.approx(1 / 7)
    assert pace(8, 8) == pace(8, 64) == 1.0
    assert pace(8, None) == pytest.approx(1 / 21)
    assert pace(1, 2) == 1.0


def test_the_spread_by_hand():
    # Three trees of four visits with means 0, 0.5 and 1: the mean is 0.5, the deviation of a tree 0.5, of the mean of three 0.5 / sqrt(3).
    visits, scores = np.array([[4.0], [4.0], [4.0]]), np.array([[0.0], [2.0], [4.0]])
    assert spread(visits, scores, False)[0] == pytest.approx(0.5 / math.sqrt(3))
    assert reach(3, False) == pytest.approx(4.302653, abs=1e-5)
    # With a main tree of 12 visits that agrees with the mean of the witnesses: half of the sum is as uncertain as one witness.
    visits, scores = np.vstack([[12.0], visits]), np.vstack([[6.0], scores])
    assert spread(visits, scores, True)[0] == pytest.approx(math.sqrt(0.25 * 0.25 + 0.25 * 0.25 / 3))
    # One that thinks otherwise, by 0.4, adds a tenth of the square of that.
    scores[0] = 12 * 0.9
    assert spread(visits, scores, True)[0] == pytest.approx(math.sqrt(0.25 * (0.25 + 0.1 * 0.16) + 0.25 * 0.25 / 3))
    assert spread(visits[:2], scores[:2], True)[0] == 0  # one witness has no spread


def test_means_of_trees_that_differ_in_size_are_told_apart_by_what_they_weigh():
    rng = np.random.default_rng(5)
    visits = rng.integers(5, 50, (2000, 8, 1)).astype(float)
    scores = visits * (0.2 + 0.3 * rng.standard_normal((2000, 8, 1)))
    means = (scores.sum(axis=1) / visits.sum(axis=1))[:, 0]
    inside = [abs(m - 0.2) <= reach(8, False) * spread(v, s, False)[0] for m, v, s in zip(means, visits, scores, strict=True)]
    assert 0.92 < np.mean(inside) < 0.97


def test_the_words_say_what_the_trees_say():
    assert opinion_of(["d"] * 8, [100] * 8, "d", 0.9).words() == "all 8 trees choose d"
    raced = opinion_of(["f"] * 5 + ["c"] * 3, [100] * 8, "c", 0.7, race=True)
    assert raced.words() == "5 of 8 trees choose f, 3 c (the choice is c): not settled", (
        "visits of a race tell nothing of ten times the budget"
    )
    divided = opinion_of(["f", "c", "f", "f", "c", "f", "f", "c"], [100] * 8, "f", 0.7)
    assert divided.words() == "5 of 8 trees choose f, 3 c: not settled; 10 times the budget would probably decide"
    assert not divided.settled and divided.agree == 5 and divided.choices == (("f", 5), ("c", 3))
    even = opinion_of(["c", "f", "f"], [100] * 3, "c", 0.4)
    assert even.words() == (
        "2 of 3 trees choose f, 1 c (the visits of all together choose c): not settled; even 10 times the budget may not decide: the "
        "actions may be about as good"
    )
    assert even.to_dict() == {
        "trees": 3,
        "simulations": (100, 100, 100),
        "choices": {"f": 2, "c": 1},
        "agree": 1,
        "share": 0.4,
        "settled": False,
    }


def test_a_small_budget_has_one_tree_and_says_so():
    decision = searching().run(simulations=100)
    assert decision.opinion is None and decision.settled is None and len(decision.trees) == 1
    assert decision.sureness == "one tree, so there is no second opinion"
    assert "one tree, so there is no second opinion: the intervals hold as if its simulations were independent" in decision.why()
    assert "trees" not in decision.columns and decision.to_dict()["settled"] is None
    assert opinion.ENOUGH == 4000


def test_a_larger_one_is_shared_by_a_main_tree_and_witnesses(early):
    decision = searching().run(simulations=800)
    assert [tree.simulations for tree in decision.trees] == [604, *[28] * 7]
    assert decision.simulations == 800 and decision.opinion.trees == 1 + WITNESSES
    assert sum(action.best for action in decision.actions) == 8
    assert decision.chosen.visits == max(action.visits for action in decision.actions)
    assert decision.settled == (decision.chosen.best == 8)
    assert decision.columns[2] == "trees" and decision.rows()[0][2] == f"{decision.chosen.best} of 8"
    assert decision.opinion.words() in decision.why()
    assert f"sure: {decision.sureness}" in str(decision) and "not its value when everybody plays best" in str(decision)
    assert decision.sureness in decision._repr_html_()
    alone = searching(trees=1).run(simulations=604)
    assert [(a.visits, a.score) for a in alone.actions] == [
        (int(v), float(s))
        for v, s in zip(*run.Root(decision.state.game, alone.settings, [decision.trees[0]]).counts(), strict=True)
    ]


def test_pairs_that_were_not_chosen_are_compared_by_the_trees_that_like_them(early):
    decision = searching().run(simulations=800)
    first, second = [action for action in decision.actions if action.action != decision.action][:2]
    assert f"{first.best} of 8 trees choose {first.name}, {second.best} {second.name}" in decision.why(first.name, second.name)


def test_threads_change_nothing(early):
    one, two = (searching(threads=threads).run(simulations=400) for threads in (1, 2))
    assert one.actions == two.actions and one.opinion == two.opinion
    assert searching(seed=4).run(simulations=400).actions != one.actions


def test_with_a_clock_the_witnesses_come_when_there_are_enough(early):
    short = searching().run(seconds=1e-6)
    assert short.simulations < 160 and short.opinion is None
    long = searching(threads=2).run(seconds=0.5)
    assert long.opinion is not None and len(long.trees) == 8
    assert long.simulations == long.parent_visits == sum(tree.simulations for tree in long.trees)
    main, *others = (tree.simulations for tree in long.trees)
    assert max(others) < main and max(others) - min(others) <= 1


def test_the_trees_are_kept_together(early, tmp_path):
    kept = searching()
    decision = kept.run(simulations=800)
    kept.play(decision.action)
    assert len(kept.trees) == 8 and all(tree.visits for tree in kept.trees)
    back = Search.load(kept.save(tmp_path / "tree.npz"), compiled=False)
    first, second = kept.run(simulations=300), back.run(simulations=300)
    assert first.actions == second.actions and first.opinion == second.opinion
    assert same_bits(kept, back)
    # A small budget leaves the witnesses where they are, and a larger one calls them to a tree that had none.
    assert len(searching().run(simulations=20).trees) == 1
    small = searching()
    small.run(simulations=20)
    assert len(small.run(simulations=400).trees) == 8


def test_a_proof_needs_no_opinion(early):
    decision = Search("nim:heaps=2-1", compiled=False).run(simulations=400)
    assert decision.proven and decision.settled is True and decision.sureness == "proven"


def test_where_all_trees_would_be_alike_there_is_one(early):
    assert Search("nim:heaps=3-4", evaluator=lambda states: [0.0] * len(states), compiled=False).settings.trees == 1
    assert searching("kuhn-poker", hidden="pimc").settings.trees == 20
    poker = searching("kuhn-poker", hidden="pimc").run(simulations=400)
    assert poker.opinion is None and poker.sureness == "its 20 trees are different worlds, so there is no second opinion"


def test_agents_have_one_tree_unless_told():
    game = playout.load("connect-four")
    assert recipe("uct:simulations=50000", game).make(1).search.settings.trees == 1
    assert recipe("uct:simulations=50000", game).name == "uct:simulations=50000"
    asked = recipe("uct:simulations=50000,trees=auto", game)
    assert asked.name == "uct:simulations=50000,trees=auto" and asked.make(1).search.settings.trees == "auto"


def test_a_number_of_trees_or_auto():
    for wrong in ("many", 0, 1_048_577):
        with pytest.raises(playout.PlayoutError, match=f"trees is {wrong}; it must be from 1 to 1,048,576, or auto"):
            playout.Settings(trees=wrong)


def hills(lower=0.5):
    """Two hills for the first player, the second as high as said; a second player follows the first."""

    def payoffs(actions, out):
        x, y = actions[0, 0], actions[1, 0]
        one, two = (x + 0.5) / 0.2, (x - 0.4) / 0.2
        out[0] = np.exp(-one * one) + lower * np.exp(-two * two)
        out[1] = -(y - x) * (y - x)

    return playout.Game("hills", players=2, stages=2, dimension=1, bounds=(-1.0, 1.0), payoffs=payoffs, compiled=False)


def test_real_valued_actions_have_a_second_opinion_too(early):
    decision = Search(hills(), seed=1, compiled=False).run(simulations=320)
    assert [tree.simulations for tree in decision.trees] == [242, *[26] * 3] and decision.simulations == 320
    assert decision.settled is True and decision.opinion.trees == 4 and len(decision.opinion.values) == 4
    assert decision.sureness == f"all 4 trees choose about {decision.name}, worth 1"
    assert "All 4 trees choose about" in decision.why() and f"sure: {decision.sureness}" in str(decision)
    # The choice, the table and its visits are those of the main tree, as it would be alone.
    alone = Search(hills(), seed=1, trees=1, compiled=False).run(simulations=242)
    assert alone.actions == decision.actions and alone.parent_visits == decision.parent_visits
    assert alone.action == decision.action and alone.basins == decision.basins
    assert alone.settled is None and alone.sureness == "one tree, so there is no second opinion"
    assert decision.columns == alone.columns and len(decision.rows()[0]) == len(decision.columns)
    data = decision.to_dict()["opinion"]
    assert data["settled"] and data["agree"] == 4 and data["values"] == decision.opinion.values


def test_real_choices_agree_by_distance_and_by_what_they_are_worth(monkeypatch):
    picks = []

    class Tree:
        visits, scores_of, visits_of = 5, staticmethod(lambda slot: [picks[slot][1]]), staticmethod(lambda slot: 1)
        action_of, root = staticmethod(lambda slot: (picks[slot][0],)), playout.load("loss-1d").start()

        def __init__(self, slot):
            self.slot = slot

    monkeypatch.setattr(RealRoot, "choose", lambda self: (0, self.trees[0], self.trees[0].slot))
    block = namedtuple("Block", "visits scores actions")
    tried = block(np.array([1, 1]), np.array([[2.0], [0.0]]), np.array([[1.0], [9.0]]))
    monkeypatch.setattr(RealRoot, "_tried", lambda self: [(None, tried)])

    def said(*choices):
        picks[:] = choices
        return RealRoot(playout.load("loss-1d"), playout.Settings(), [Tree(i) for i in range(len(choices))]).opinion(0)

    # The box is 10 wide and the values span 2: 0.5 apart, and 0.1 in value, are about the same.
    near = said((1.0, 2.0), (1.4, 1.95), (0.6, 2.05))
    assert near.settled and near.words() == "all 3 trees choose about 1, worth 1.95 to 2.05"
    away = said((1.0, 2.0), (1.6, 2.0), (1.7, 2.0), (1.1, 2.0))
    assert away.words() == "2 of 4 trees choose about 1, 2 1.6, worth 2: not settled" and away.share == 0.5
    # The same place, but another opinion of what it is worth.
    other = said((1.0, 2.0), (1.0, 1.0))
    assert other.words() == "1 of 2 trees choose about 1, 1 1 (worth 1), worth 1 to 2: not settled"
    most = said((1.0, 2.0), (3.0, 2.0), (3.0, 2.0))
    assert most.words() == "2 of 3 trees choose about 3, 1 1 (the choice is 1), worth 2: not settled"
    assert said((1.0, 2.0)) is None


def test_rules_that_are_called_as_they_are_are_called_one_at_a_time(early):
    threads = {}

    def payoffs(actions, out):
        threads[threading.get_ident()] = True
        out[0] = -actions[0, 0] * actions[0, 0]

    made = playout.Game("plain", players=1, stages=1, dimension=1, bounds=(-1.0, 1.0), payoffs=payoffs, compiled=False)
    decision = Search(made, seed=1, threads=2, last="sample", method="widening").run(simulations=200)
    assert len(decision.trees) == 4 and len(threads) == 1
