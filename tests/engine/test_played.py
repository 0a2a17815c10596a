"""Actions credited wherever they were played (RAVE, GRAVE): counts followed by hand, and what they do to selection."""

import numpy as np
import pytest

from playout import Search
from playout.engine.layout import LONGEST_TRAIL
from playout.engine.played import judge_of as judge
from playout.engine.played import note, refer
from playout.engine.terms import blended
from playout.errors import PlayoutError
from tests.engine.trees import ROWS, dump, grown

NIM = "nim:heaps=1-1-1"
"""Take one of three single stones: ids of actions say which, and everybody can play each."""


def search(game=ROWS, simulations=60, **settings):
    found = Search(game, **{"seed": 5, "compiled": False, **settings})
    found.run(found.game.start(1), simulations=simulations)
    return found


def test_the_share_is_that_of_least_squared_error():
    # times / (visits + times + visits·times/K) = 10 / (5 + 10 + 50/25) = 10/17, of means 0.2 and 0.8.
    assert blended(1.0, 5, 8.0, 10.0, 1 / 25, 9.0) == pytest.approx(7 / 17 * 0.2 + 10 / 17 * 0.8)
    assert blended(1.0, 5, 0.0, 0.0, 1 / 25, 9.0) == pytest.approx(0.2), "nothing was played elsewhere"
    assert blended(0.0, 0, 8.0, 10.0, 1 / 25, 9.0) == pytest.approx(0.8), "not tried here"
    assert blended(0.0, 0, 0.0, 0.0, 1 / 25, 9.0) == 9.0


def test_counts_by_hand():
    """Every line of three single stones has the first player take two of them and the second one; who takes last wins."""
    found = search(NIM, 40, rave=10.0, solver=False)
    tree = found.trees[0]
    block, amaf = tree.block(), tree.tree.amaf
    # The first player plays two of the three in every simulation, the first one included, and always wins.
    assert amaf[block.slots, 0].sum() == 2 * 40 and (amaf[block.slots, 0] >= block.visits).all()
    assert (amaf[block.slots, 1] == amaf[block.slots, 0]).all()
    for edge in block.slots:
        below = tree.block(int(edge))
        if len(below.slots):
            # The second player plays one stone, the one chosen there; the first simulation through the edge ended at it.
            assert (amaf[below.slots, 0] >= below.visits).all()
            assert (amaf[below.slots, 1] == -amaf[below.slots, 0]).all()
            assert amaf[below.slots, 0].sum() == tree.visits_of(int(edge)) - (below.visits.sum() < tree.visits_of(int(edge)))


def test_the_same_id_of_another_player_is_another_action():
    """In Rows all ids belong to both: a player who never acts again gets no credit for what the other plays."""
    tree = search(simulations=1, rave=10.0).trees[0]
    block = tree.block()
    credited = int(tree.tree.amaf[block.slots, 0].sum())
    assert 0 < credited <= 3 and float(tree.tree.amaf[0, 0]) == 0.0
    totals = tree.tree.amaf[block.slots, 1]
    counted = tree.tree.amaf[block.slots, 0] > 0
    assert np.allclose(totals[counted], tree.scores_of(0)[0]), "the credit is the mover's return"


def test_untried_actions_are_told_apart_by_what_was_played():
    """With hardly any tries, an action that wins late draws the first try."""
    plain, rave = search("hex:size=5", 30, solver=False), search("hex:size=5", 30, rave=1000.0, solver=False)
    assert max(plain.trees[0].block().visits) == 2 and max(rave.trees[0].block().visits) >= 2
    assert rave.settings.fpu == "parent" and plain.settings.fpu == "first"
    assert dump(plain.trees[0]) != dump(rave.trees[0])


def test_grave_alone_has_the_usual_rave_and_differs_from_it_where_visits_are_few():
    assert search(grave=10).settings.rave == 500.0
    assert dump(search(grave=20).trees[0]) != dump(search(rave=500.0).trees[0])
    assert dump(search(grave=1).trees[0]) == dump(search(rave=500.0).trees[0]), "every position is its own reference"


def test_a_reference_lends_its_counts_by_action():
    found = search("hex:size=4", 80, grave=15)
    tree, sim = found.trees[0], found.trees[0].sim
    work = sim.work[0]
    referred, judge_of = tree.binding.kernel(refer), tree.binding.kernel(judge)
    # The second player's reference, and the position two plies below it that has too few visits.
    first = int(max(tree.edges(0), key=tree.visits_of))
    second = next(int(e) for e in tree.edges(first) if tree.edges(int(e)))
    work.reference[:] = 0
    referred(sim, 0, 0, 0)
    assert judge_of(sim, 0, tree.edges(0)[3], 0) == tree.edges(0)[3], "at the root its own"
    referred(sim, 0, second, 0)
    for slot in tree.edges(second):
        lent = judge_of(sim, 0, slot, 0)
        assert lent in tree.edges(0) and tree.action_of(lent) == tree.action_of(slot)


def test_kept_trees_keep_their_counts_and_go_on(tmp_path):
    found = search("hex:size=4", 60, grave=10)
    loaded = Search.load(found.save(tmp_path / "tree.npz"), compiled=False)
    for each in (found, loaded):
        each.run(simulations=40)
    assert dump(found.trees[0]) == dump(loaded.trees[0])
    action = found.run(simulations=1).action
    edge = found.trees[0].edge(0, action)
    before = {found.trees[0].action_of(e): tuple(found.trees[0].tree.amaf[e]) for e in found.trees[0].edges(edge)}
    found.play(action)
    tree = found.trees[0]
    assert before == {tree.action_of(e): tuple(tree.tree.amaf[e]) for e in tree.edges(0)}
    assert found.run(simulations=30).simulations == 30


def test_columns_only_where_asked():
    plain, rave = search(simulations=5).trees[0], search(simulations=5, rave=10.0).trees[0]
    assert len(plain.tree.amaf) == 1 and rave.slot_bytes == plain.slot_bytes + 8


@pytest.mark.parametrize(
    "settings", [{"transpositions": True}, {"decisive_playouts": "win"}, {"rule": "puct"}, {"fpu": "first"}, {"cutoff": 2}]
)
def test_with_other_settings(settings):
    tree = search(rave=20.0, **settings).trees[0]
    block = tree.block()
    assert block.visits.sum() >= 59 and (tree.tree.amaf[block.slots, 0] >= block.visits).all()


def test_a_long_playout_is_remembered_as_far_as_the_trail_goes():
    tree = search(simulations=1, rave=1.0).trees[0]
    noted, work = tree.binding.kernel(note), tree.sim.work[0]
    for _ in range(LONGEST_TRAIL + 5):
        noted(tree.sim.options[0], work, 1, 2)
    assert work.trailed[0] == LONGEST_TRAIL and work.trail[-1] == 2 * 2 + 1


@pytest.mark.parametrize(
    ("game", "settings", "words"),
    [
        (
            "kuhn-poker",
            {"rave": 50.0},
            "rave=50.0 credits actions of other moments, and where a position is met in many worlds those may not have been there; leave rave "
            "out, or use hidden=pimc",
        ),
        (
            ROWS,
            {"grave": 5, "playouts": 2},
            "grave=5 does not go together with playouts=2: it counts one undiscounted playout a simulation, and its part of a weight is not in "
            "the decision's table; leave one of them out",
        ),
        (ROWS, {"rave": 0.0}, "rave is 0.0; it must be from 0.001 to 1e+12"),
        (ROWS, {"grave": 0}, "grave is 0; it must be from 1 to 1e+09"),
        (
            "loss-1d",
            {"rave": 50.0},
            "rave=50.0 is for games whose actions can be listed, and actions of 'loss-1d' are real vectors; leave rave out",
        ),
    ],
)
def test_what_does_not_go_together(game, settings, words):
    with pytest.raises(PlayoutError) as caught:
        Search(game, compiled=False, **settings)
    assert str(caught.value) == words


def test_not_with_an_evaluator():
    with pytest.raises(PlayoutError, match="rave=9.0 is about playouts, and with an evaluator there are none; leave rave out"):
        Search("tic-tac-toe", rave=9.0, compiled=False, evaluator=lambda states: (None, np.zeros((len(states), 2))))


def test_pimc_and_chance_may_count():
    assert search("kuhn-poker", 40, hidden="pimc", trees=2, rave=20.0).run(simulations=2).simulations == 2
    assert grown(ROWS + ":dice=1", 40, rave=20.0, seed=1).trees[0].visits == 40
