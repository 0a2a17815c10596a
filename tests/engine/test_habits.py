"""Playouts that learn (MAST, N-grams): means followed by hand, choices, decay, and what does not go together."""

import numpy as np
import pytest

from playout import Search, Settings
from playout.engine.habits import ENOUGH, gram_place, habitual, strengthen
from playout.engine.layout import BY_GRAMS, GRAMS
from playout.errors import PlayoutError
from tests.engine.trees import ROWS, dump

NIM = "nim:heaps=1-1-1"


def search(game=ROWS, simulations=40, **settings):
    found = Search(game, **{"seed": 5, "compiled": False, "solver": False, "playout": "mast", **settings})
    found.run(found.game.start(1), simulations=simulations)
    return found


def test_means_by_hand():
    """Three single stones: the first player takes two of them in every simulation and wins, the second takes one."""
    habits = search(NIM).trees[0].tree.habits.reshape(-1, 2, 2)
    assert habits[:, 0, 0].sum() == 2 * 40 and habits[:, 1, 0].sum() == 40
    assert set(habits[:, 0, 1]) <= {0.0, 1.0} and set(habits[:, 1, 1]) <= {0.0, -1.0}
    table = np.zeros((1, 2), np.float32)
    for value in (1.0, 0.0, -0.5, 1.5):
        strengthen(table, 0, value)
    assert table.tolist() == [[4.0, 0.5]]


def test_the_best_by_habit_is_played_but_for_chance():
    tree = search(simulations=1, epsilon=0.0).trees[0]
    sim, chosen = tree.sim, tree.binding.kernel(habitual)
    work = sim.work[0]
    work.ids[:3] = 0, 1, 2
    sim.habits[:, 0] = 5.0
    sim.habits[:, 1] = [0.1, 0.9, 0.5, 0.2, 0.3, 0.4]  # by action, and in it by player
    assert {chosen(sim.options[0], sim.habits, work, 0, 3) for _ in range(20)} == {1}
    assert {chosen(sim.options[0], sim.habits, work, 1, 3) for _ in range(20)} == {0}
    sim.habits[:, 1] = 0.5
    assert {chosen(sim.options[0], sim.habits, work, 0, 3) for _ in range(60)} == {0, 1, 2}, "among equals none is preferred"
    sim.habits[4, 0] = 0.0
    assert {chosen(sim.options[0], sim.habits, work, 0, 3) for _ in range(20)} == {2}, "one never played comes first"
    sim.habits[:, 0], sim.options[0].epsilon = 5.0, 0.5
    sim.habits[:, 1] = [0.1, 0, 0.9, 0, 0.5, 0]
    drawn = [chosen(sim.options[0], sim.habits, work, 0, 3) for _ in range(600)]
    assert 0.58 < drawn.count(1) / 600 < 0.75  # a half, and a third of the other half


def test_two_in_a_row_have_a_say_when_they_were_seen_often_enough():
    tree = search(simulations=1, playout="ngram", epsilon=0.0).trees[0]
    sim, chosen, place = tree.sim, tree.binding.kernel(habitual), tree.binding.kernel(gram_place)
    work = sim.work[0]
    work.ids[:3] = 0, 1, 2
    sim.habits[:] = 0.0
    sim.habits[:6, 0] = 100.0
    sim.habits[:6, 1] = [0.5, 0, 0.6, 0, 0.4, 0]
    work.trailed[0], work.trail[0] = 1, 3  # player 1 has just played action 1
    work.before[:] = -1
    assert sim.options[0].habits == BY_GRAMS and chosen(sim.options[0], sim.habits, work, 0, 3) == 1
    after = place(4, 3, -1)
    assert 6 <= after < 6 + GRAMS <= place(4, 3, 2) < 6 + 2 * GRAMS == len(sim.habits)
    sim.habits[after] = ENOUGH - 1, 1.0
    assert chosen(sim.options[0], sim.habits, work, 0, 3) == 1, "not often enough"
    sim.habits[after] = ENOUGH, 1.0
    assert chosen(sim.options[0], sim.habits, work, 0, 3) == 2, "(0.4 + 1) / 2 is more than 0.6"


def test_grams_are_counted_over_tree_and_playout():
    """In a line of n actions there are n - 1 pairs and n - 2 triples: here n is 3."""
    habits = search(NIM, 30, playout="ngram").trees[0].tree.habits
    assert [habits[a:b, 0].sum() for a, b in ((0, 6), (6, 6 + GRAMS), (6 + GRAMS, 6 + 2 * GRAMS))] == [90, 60, 30]


def test_playing_an_action_halves_what_is_remembered_and_a_new_tree_begins_anew(tmp_path):
    found = search("hex:size=4", 60)
    before = found.trees[0].tree.habits.copy()
    loaded = Search.load(found.save(tmp_path / "tree.npz"), compiled=False)
    for each in (found, loaded):
        each.run(simulations=30)
    assert dump(found.trees[0]) == dump(loaded.trees[0])
    before = found.trees[0].tree.habits.copy()
    found.play(found.run(simulations=1).action)
    after = found.trees[0].tree.habits
    assert after[:, 0].sum() == pytest.approx(before[:, 0].sum() / 2, abs=8) and before[:, 0].sum() > 500
    found.run(found.game.start(1), simulations=1)
    assert found.trees[0].tree.habits[:, 0].sum() < 20


def test_the_same_seed_has_the_same_habits_and_another_setting_others():
    trees = [
        search(ROWS + ":length=20", 60, **s).trees[0]
        for s in ({}, {}, {"epsilon": 0.1}, {"playout": "ngram"}, {"playout": "uniform"})
    ]
    assert (trees[0].tree.habits == trees[1].tree.habits).all() and dump(trees[0]) == dump(trees[1])
    assert len({str(dump(tree)) for tree in trees}) == 4
    assert len(trees[4].tree.habits) == 1 and trees[0].slot_bytes == trees[4].slot_bytes


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        ("kuhn-poker", {}),
        ("leduc-poker", {"hidden": "mo-ismcts", "playout": "ngram"}),
        (ROWS + ":dice=1", {"rave": 20.0}),
        (ROWS, {"decisive_playouts": "block", "transpositions": True}),
        (ROWS, {"discount": 0.9, "cutoff": 2}),
    ],
)
def test_with_other_settings(game, settings):
    tree = search(game, **settings).trees[0]
    assert tree.visits == 40 and tree.tree.habits[:, 0].sum() >= 40


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"playout": "mast", "playouts": 2},
            "playout=mast learns from one playout a simulation, and playouts=2 has several; leave one of them out",
        ),
        ({"playout": "mst"}, "playout is 'mst'; did you mean 'mast'?"),
        ({"epsilon": 1.5}, "epsilon is 1.5; it must be from 0 to 1"),
    ],
)
def test_what_does_not_go_together(settings, words):
    with pytest.raises(PlayoutError) as caught:
        Settings(**settings)
        Search(ROWS, compiled=False, **settings)
    assert str(caught.value) == words


def test_neither_with_an_evaluator_nor_with_real_actions():
    with pytest.raises(
        PlayoutError, match="playout=ngram is about playouts, and with an evaluator there are none; leave playout out"
    ):
        Search(NIM, playout="ngram", compiled=False, evaluator=lambda states: (None, np.zeros((len(states), 2))))
    with pytest.raises(PlayoutError, match="playout=mast is for games whose actions can be listed"):
        Search("loss-1d", playout="mast", compiled=False)
