"""Priors from outside with leaves that are played out, and decisions of many searches side by side."""

import numpy as np
import pytest

import playout
from playout import Search
from playout.engine.layout import FIELDS
from playout.errors import PlayoutError
from playout.planner.beside import choose_beside
from playout.planner.settings import Settings


class Guide:
    """Likes some actions, and says nothing of what a position is worth."""

    plays_out = True

    def __init__(self, actions, liked=()):
        self.weights = np.ones(actions)
        self.weights[list(liked)] = 50.0
        self.asked = 0

    def __call__(self, states):
        self.asked += len(states)
        return np.tile(self.weights, (len(states), 1)), None


def columns(search):
    return [np.array(getattr(search.trees[0].tree, name)).tobytes() for name in FIELDS]


def test_leaves_are_played_out():
    """It finds the win in one, by playouts, and its decision says whose the priors are and that nobody valued anything."""
    guide = Guide(9)
    state = playout.load("tic-tac-toe").start().replay(["a1", "b1", "a2", "b2"])
    search = Search("tic-tac-toe", evaluator=guide, seed=1, compiled=False)
    decision = search.run(state, simulations=60)
    assert decision.name == "a3" and decision.valued is None
    assert decision.note == "the evaluator Guide gave the priors, and leaves were played out"
    assert decision.playout_actions > 0 and guide.asked > 0
    assert all(one.evaluated is None for one in decision.actions) and "evaluated" not in decision.columns


def test_priors_lead_the_playouts():
    liked = Search("tic-tac-toe", evaluator=Guide(9, [2]), seed=1, solver=False, compiled=False).run(simulations=60)
    plain = Search("tic-tac-toe", evaluator=Guide(9), seed=1, solver=False, compiled=False).run(simulations=60)
    assert liked[2].visits > 20 > plain[2].visits


@pytest.mark.compiles
def test_compiled_and_uncompiled_grow_the_same_tree():
    """In batches."""
    trees = []
    for compiled in (True, False):
        search = Search("tic-tac-toe", evaluator=Guide(9, [1]), seed=3, batch=4, compiled=compiled)
        search.run(simulations=100)
        trees.append(columns(search))
    assert trees[0] == trees[1]


@pytest.mark.parametrize("hidden", ["ismcts", "mo-ismcts"])
def test_searches_side_by_side_choose_as_each_would_by_itself(hidden):
    """Kept trees, other states, other numbers of leaves: what one decides does not depend on who is beside it."""
    game, guide = playout.load("kuhn-poker"), Guide(2)
    words = {"batch": 3, "trees": 1, "hidden": hidden, "compiled": False}
    states = [game.start(seed) for seed in range(3)] + [game.start(4).play("bet")]
    alone = [Search(game, evaluator=guide, seed=seed, **words) for seed in range(4)]
    beside = [Search(game, evaluator=guide, seed=seed, **words) for seed in range(4)]
    one = [search.choose(state, simulations=30) for search, state in zip(alone, states)]
    two = choose_beside(beside, states, 30)
    assert [(c.action, c.visits, c.simulations) for c in one] == [(c.action, c.visits, c.simulations) for c in two]
    assert [columns(search) for search in alone] == [columns(search) for search in beside]


def test_races_know_their_budget_side_by_side():
    words = {"evaluator": Guide(9), "root_rule": "gumbel", "seed": 5, "compiled": False}
    alone = Search("tic-tac-toe", **words).choose(simulations=32)
    assert choose_beside([Search("tic-tac-toe", **words)], [playout.load("tic-tac-toe").start(5)], 32)[0].action == alone.action


def test_bad_guides_are_said():
    def values(states):
        return None, None

    class Liar(Guide):
        def __call__(self, states):
            return None, np.zeros((len(states), 2))

    with pytest.raises(PlayoutError, match="returned None in place of values; return an array, or say with plays_out = True"):
        Search("tic-tac-toe", evaluator=values, compiled=False).run(simulations=5)
    with pytest.raises(PlayoutError, match=r"gives priors alone \(plays_out\), and returned values; return \(priors, None\)"):
        Search("tic-tac-toe", evaluator=Liar(9), compiled=False).run(simulations=5)
    with pytest.raises(PlayoutError, match="searches side by side share one evaluator, and each has one tree"):
        choose_beside([Search("tic-tac-toe", compiled=False)], [playout.load("tic-tac-toe").start()], 5)


def one_liked(liked, weight=1.0):
    def prior(states):
        asked.append(len(states))
        found = np.full((len(states), 9), 0.001)
        found[:, liked] = weight
        return found

    asked: list[int] = []
    prior.asked = asked
    return prior


def test_a_prior_for_the_root_is_asked_once_for_every_decision():
    """It leads at the root, counts no simulation twice, and is asked anew where the tree was kept."""
    prior = one_liked(2)
    search = Search("tic-tac-toe", prior=prior, seed=1, solver=False, compiled=False)
    decision = search.run(simulations=60)
    assert decision[2].visits > 30 and decision.simulations == 60 and prior.asked == [1]
    assert search.settings.root_rule == "puct" and search.settings.rule == "ucb1" and "priors, which were given" in decision.note
    search.play(2)
    search.play(search.run(simulations=20).action)
    assert prior.asked == [1, 1] and len(search.trees) == 1
    again = Search("tic-tac-toe", prior=one_liked(2), seed=1, solver=False, compiled=False).run(simulations=60)
    assert [one.visits for one in again.actions] == [one.visits for one in decision.actions]


def test_a_prior_of_nothing_leaves_the_choice_to_the_search():
    state = playout.load("tic-tac-toe").start().replay(["a1", "b1", "a2", "b2"])
    found = Search("tic-tac-toe", prior=lambda states: np.zeros((len(states), 9)), compiled=False).run(state, simulations=60)
    assert found.name == "a3"


def test_bad_priors_are_said():
    for prior, words, message in (
        (lambda states: np.ones(9), {}, r"the prior gave shape \(9,\); return finite weights of 0 or more, of shape \(1, 9\)"),
        (lambda states: np.full((1, 9), -1.0), {}, "return finite weights of 0 or more"),
        (one_liked(1), {"root_rule": "ucb1"}, "is read by root_rule=puct or gumbel, and not by ucb1; pass root_rule=puct"),
        (one_liked(1), {"evaluator": Guide(9)}, "a prior for the root and an evaluator, which has priors for all positions"),
    ):
        with pytest.raises(PlayoutError, match=message):
            Search("tic-tac-toe", prior=prior, compiled=False, **words).run(simulations=5)
    with pytest.raises(PlayoutError, match="are real vectors; leave prior out"):
        Search("polynomial", Settings(), prior=one_liked(1), compiled=False)
