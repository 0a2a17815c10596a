"""Races at the root: sequential halving and the Gumbel race, by known schedules, and with all that a budget can be."""

import numpy as np
import pytest

import playout
from playout import Search, Settings
from playout.engine.race import drawn_for, places_at
from playout.errors import PlayoutError
from tests.engine.trees import ROWS, dump

FOUR = "connect-four:columns=5,rows=4"


def visits(decision):
    return sorted((a.visits for a in decision.actions), reverse=True)


def left(decision):
    return [a for a in decision.actions if not a.dropped]


def test_the_field_is_halved_in_equal_parts_of_the_budget_down_to_two():
    assert [places_at(7, done, 90) for done in (0, 29, 30, 59, 60, 89, 200)] == [7, 7, 4, 4, 2, 2, 2]
    assert [places_at(16, done, 64) for done in (0, 16, 32, 48, 63)] == [16, 8, 4, 2, 2]
    assert [places_at(n, 99, 100) for n in (0, 1, 2, 3)] == [0, 1, 2, 2]
    assert places_at(3, 0, 0) == 3
    # With 20 simulations for 16 runners the first round still has a try for each.
    assert [places_at(16, done, 20) for done in (4, 15, 16, 19, 23, 24)] == [16, 16, 8, 8, 8, 4]


def test_halving_gives_every_runner_of_a_round_the_same_and_chooses_the_better_of_the_last_two():
    # Five actions, three rounds of 40: 8 each; 3 of them 13 or 14 more; 2 of them 20 more.
    decision = Search(FOUR, root_rule="halving", seed=3, solver=False, compiled=False).run(simulations=120)
    assert visits(decision) == [42, 41, 21, 8, 8]
    assert len(left(decision)) == 2 and decision.chosen.mean == max(a.mean for a in left(decision))
    assert not decision.chosen.dropped and decision.settings.final == "mean"
    out = next(a for a in decision.actions if a.dropped)
    assert decision.why(out.action).startswith(f"{out.name} fell out of the race (halving) after {out.visits} visits")
    assert str(decision).count("dropped") == 3


@pytest.mark.parametrize("rule", ["halving", "gumbel"])
def test_a_race_has_the_same_bits_however_its_budget_is_looked_at(rule):
    def trees(go):
        search = Search(FOUR, root_rule=rule, seed=4, compiled=False)
        go(search)
        return dump(search.trees[0])

    whole = trees(lambda search: search.run(simulations=90))
    assert whole == trees(lambda search: list(search.iterate(simulations=90, every=0.0)))
    assert whole == trees(lambda search: search.choose(simulations=90))


def test_running_on_is_a_new_race_among_all_with_what_is_known():
    search = Search(FOUR, root_rule="halving", seed=3, solver=False, compiled=False)
    first = search.run(simulations=60)
    second = search.run(simulations=60)
    assert len(left(first)) == len(left(second)) == 2 and second.parent_visits == 120
    # Those who fell out before catch up first.
    assert min(visits(second)) > min(visits(first))
    after = search.play(second.action)
    assert search.run(after, simulations=40).parent_visits == 40 + second.chosen.visits


def test_a_partial_decision_is_among_those_who_are_left():
    search = Search(FOUR, root_rule="halving", seed=3, compiled=False)
    for decision in search.iterate(simulations=400, every=0.0):
        assert not decision.chosen.dropped or decision.chosen.proven is not None


def test_a_budget_in_seconds_is_planned_by_the_speed_so_far():
    now = [0.0]

    def clock():
        now[0] += 0.01
        return now[0]

    decision = Search(FOUR, root_rule="halving", seed=3, solver=False, compiled=False, clock=clock).run(seconds=1.0)
    most, second, third, *rest = visits(decision)
    assert decision.stopped == "seconds" and len(left(decision)) == 2
    assert abs(most - second) <= 1 and second > third > max(rest) and max(rest) - min(rest) <= 1


def test_several_trees_race_each_for_itself_and_what_most_have_left_is_chosen_from():
    decision = Search(FOUR, root_rule="halving", trees=3, threads=1, seed=1, solver=False, compiled=False).run(simulations=180)
    times = np.sum([tree.block().dropped[np.argsort(tree.block().actions)] for tree in decision.trees], axis=0)
    assert [a.dropped for a in decision.actions] == [bool(n > times.min()) for n in times]
    assert sum(times) == 9 and decision.chosen.mean == max(a.mean for a in left(decision))


def test_a_main_tree_decides_by_its_own_race(monkeypatch):
    monkeypatch.setattr("playout.planner.search.ENOUGH", 400)
    decision = Search(FOUR, root_rule="halving", threads=1, seed=2, solver=False, compiled=False).run(simulations=400)
    main, *witnesses = decision.trees
    assert len(witnesses) == 7 and all(tree.block().dropped.sum() == 3 for tree in decision.trees)
    order = np.argsort(main.block().actions)
    assert [a.dropped for a in decision.actions] == main.block().dropped[order].tolist()
    assert any(
        (tree.block().dropped[np.argsort(tree.block().actions)] != main.block().dropped[order]).any() for tree in witnesses
    )


def test_without_a_plan_nobody_falls_out():
    tree = Search(FOUR, root_rule="halving", seed=3, compiled=False).plant(playout.load(FOUR).start(), 0)
    tree.run(50, 10**9)
    assert set(tree.block().visits) == {10} and not tree.block().dropped.any()


def test_proven_runners_leave_the_race_and_those_who_fell_out_come_back():
    # Two stones of each heap are left to search: everything is proven long before the plan is over.
    search = Search("nim:heaps=1-2-3", root_rule="halving", seed=1, compiled=False)
    decision = search.run(simulations=4000)
    assert decision.stopped == "proven" and decision.proven == (-1.0, 1.0)
    search = Search("nim:heaps=1-2-2", root_rule="gumbel", seed=1, compiled=False)
    assert search.run(simulations=4000).chosen.proven == (1.0, -1.0)


def test_the_gumbel_race_begins_with_sixteen_by_prior_and_lot():
    def evaluator(states):
        priors = np.full((len(states), 25), 1e-9)
        priors[:, 3:19] = 1.0
        return priors, np.zeros((len(states), 2))

    decision = Search("hex:size=5", evaluator=evaluator, root_rule="gumbel", batch=4, seed=1, compiled=False).run(simulations=64)
    # Sixteen with a chance; all values are equal, so priors and lots alone decide.
    assert [a.action for a in decision.actions if a.visits] == list(range(3, 19))
    # The first simulation valued the root itself.
    assert visits(decision)[:2] == [15, 14] and decision["d1"].prior == pytest.approx(1 / 16)
    other = Search("hex:size=5", evaluator=evaluator, root_rule="gumbel", batch=4, seed=2, compiled=False).run(simulations=64)
    assert {a.action for a in left(decision)} != {a.action for a in left(other)}


def test_gumbel_lots_follow_the_priors():
    """Who leads by lot and log of the prior alone is drawn with the probability of the prior: 1, 2, 3 of 6 in Rows."""
    first = np.zeros(3)
    for seed in range(400):
        search = Search(ROWS, root_rule="gumbel", seed=seed, compiled=False)
        tree = search.plant(search.game.start(1), 0)
        with np.errstate(over="ignore"):
            lots = [drawn_for(tree.sim.head[0], tree.sim.options[0], a) + np.log(a + 1) for a in range(3)]
        first[int(np.argmax(lots))] += 1
    assert np.abs(first / 400 - np.array([1, 2, 3]) / 6).max() < 0.08


@pytest.mark.parametrize("settings", [{}, {"hidden": "mo-ismcts"}, {"open_loop": True}, {"hidden": "pimc", "trees": 2}])
def test_races_with_hidden_information(settings):
    decision = Search("leduc-poker", root_rule="halving", seed=1, compiled=False, **settings).run(simulations=60)
    assert not decision.chosen.dropped and decision.simulations == 60
    if settings != {"hidden": "pimc", "trees": 2}:
        assert max(a.visits for a in decision.actions) - min(a.visits for a in left(decision)) <= 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"rule": "halving"}, "rule is 'halving'; known: auto, equal, puct, regret-matching, ucb1, ucb1-tuned"),
        ({"root_rule": "halve"}, "root_rule is 'halve'; did you mean 'halving'?"),
        (
            {"root_rule": "gumbel", "early_stop": True},
            "early_stop=True goes by visits and weights, and with root_rule=gumbel who is left in the race decides; leave early_stop out",
        ),
        (
            {"root_rule": "halving", "final": "ucb"},
            "final=ucb goes by visits and weights, and with root_rule=halving who is left in the race decides; leave final out",
        ),
    ],
)
def test_what_does_not_go_together(settings, words):
    with pytest.raises(PlayoutError) as caught:
        Settings(**settings)
    assert str(caught.value) == words


def test_not_for_real_valued_actions():
    with pytest.raises(PlayoutError, match="root_rule=halving is for games whose actions can be listed"):
        Search("loss-1d", root_rule="halving", compiled=False)
