"""Where total derivatives are too dear at the first stage: later stages are moved along them, the first is searched number by number."""

import math

import numpy as np
import pytest

from playout import Game, Search
from playout.game import continuous
from playout.planner.options import option_record, prices
from tests.engine.trees import same_bits


@pytest.fixture
def dear(monkeypatch):
    """A look at the first stage of loss-3d takes 1,044 evaluations, 108 from the second on, and 12 from the last."""
    monkeypatch.setattr(continuous, "MOST_PRICE", 500)


def grown(simulations=40, **words):
    search = Search("loss-3d", compiled=False, seed=2, **words)
    search.run(simulations=simulations)
    return search


def test_the_stage_is_the_first_that_can_be_afforded(dear):
    def shape(stages, dimension):
        made = Game(
            "made",
            players=1,
            stages=stages,
            dimension=dimension,
            bounds=(0.0, 1.0),
            payoffs=lambda actions, out: None,
            movers=[0] * stages,
        )
        return made.total_from, made.totals

    assert shape(3, 3) == (1, True) and shape(3, 5) == (1, True) and shape(2, 3) == (0, True)
    assert shape(4, 5) == (2, True)  # 6,030 from the second stage on, and 390 from the third
    assert shape(6, 1) == (6, False)  # with single numbers from the first stage on, or not at all
    settings = Search("loss-3d", compiled=False).settings
    assert (settings.method, settings.derivative) == ("gradient", "total")


def test_a_stage_that_is_too_dear_is_never_moved_and_others_have_three_times_the_evaluations(dear):
    search = grown()
    assert prices(search.game, search.settings) == [math.inf, 108.0, 12.0]
    assert option_record(search.game, search.settings)[0]["evaluations"] == 120.0
    (tree,) = search.trees
    assert tree.tree.head[0]["credit"][0] == 0.0 and tree.tree.head[0]["credit"][1] > 0.0
    assert tree.tree.moved[0] == 0 and tree.tree.moved.sum() > 0  # actions are hung in below the root, and never at it


def test_most_new_first_actions_are_another_one_with_one_number_changed(dear):
    actions = np.array([record.action for record in Search("loss-3d", compiled=False, seed=2).run(simulations=120).actions])
    alike = (actions[:, None] == actions[None]).sum(axis=2)
    np.fill_diagonal(alike, 0)
    assert (alike.max(axis=1) == 2).mean() > 0.5


def test_without_slopes_nothing_changes(monkeypatch):
    before = grown(method="widening")
    monkeypatch.setattr(continuous, "MOST_PRICE", 500)
    assert same_bits(before, grown(method="widening"))
    assert not same_bits(before, grown())


@pytest.mark.compiles
def test_compiled_is_uncompiled(dear):
    fast = Search("loss-3d", seed=2)
    fast.run(simulations=40)
    assert same_bits(fast, grown())
