"""Score-bounded proofs: bounds hold for every position of a tree, and prove with fewer simulations than exact results alone."""

import numpy as np
import pytest

from playout import PlayoutError, Search
from playout.engine.bounds import at_least, at_most
from playout.engine.layout import LINK, PROVEN, REFUTED
from tests.engine.test_truth import minimax
from tests.engine.trees import ROWS, grown

BOARD = "mnk:m=3,n=2,k=3"


def walk(tree, position, state):
    """(slot, state) of all that was visited below a position."""
    yield position, state
    for edge in tree.edges(position):
        if tree.visits_of(edge):
            after = state.play(tree.action_of(edge))
            yield edge, after
            below = int(tree.tree.nodes[edge]["first"]) if tree.tagged(edge, LINK) else edge
            if not after.over and len(tree.edges(below)):
                yield from walk(tree, below, after)


@pytest.mark.parametrize(
    ("game", "simulations", "changes"),
    [
        (ROWS + ":length=8", 40, {}),
        (ROWS + ":length=8", 40, {"graph": True}),
        (BOARD, 400, {"transpositions": True}),
    ],
)
def test_the_truth_lies_within_the_bounds(game, simulations, changes):
    """Many results (rows) and wins, draws and losses (the board), before and after the proof."""
    search = grown(game, simulations, score_bounds=True, seed=2, decisive_playouts="off", **changes)
    tree, options = search.trees[0], search.trees[0].sim.options[0]
    narrowed = refuted = 0
    for slot, state in walk(tree, 0, search.state):
        value = minimax(state)[0]
        low, high = at_least(options, tree.tree.bounds, slot, 0), at_most(options, tree.tree.bounds, slot, 0)
        assert low - 1e-9 <= value <= high + 1e-9
        assert (low >= high) == tree.tagged(slot, PROVEN)
        assert at_least(options, tree.tree.bounds, slot, 1) == -high and at_most(options, tree.tree.bounds, slot, 1) == -low
        narrowed += (low, high) != tuple(search.game.returns_range) and low < high
        refuted += tree.tagged(slot, REFUTED)
        if tree.tagged(slot, PROVEN):
            assert tuple(tree.tree.values[slot]) == minimax(state)
    assert narrowed and refuted


def test_refuted_actions_are_no_better_than_what_is_sure():
    search = grown(BOARD, 400, score_bounds=True, seed=2, transpositions=True, decisive_playouts="off")
    tree, found = search.trees[0], 0
    for slot, state in walk(tree, 0, search.state):
        for edge in () if state.over or tree.tagged(slot, LINK) else tree.edges(slot):
            if tree.tagged(edge, REFUTED):
                found += 1
                assert minimax(state.play(tree.action_of(edge)))[state.mover] <= minimax(state)[state.mover]
    assert found > 20


@pytest.mark.parametrize(("game", "exact", "bounded"), [(BOARD, 603, 454), (ROWS + ":length=9", 325, 56)])
def test_a_draw_is_proven_sooner(game, exact, bounded):
    for bounds, simulations in ((False, exact), (True, bounded)):
        search = Search(game, score_bounds=bounds, seed=1, compiled=False, decisive_playouts="off", transpositions=game == BOARD)
        decision = search.run(simulations=3000)
        assert decision.proven == minimax(search.state) and decision.simulations == simulations


def test_an_action_that_cannot_be_better_is_not_chosen_and_why_says_so():
    decision = grown(BOARD, 400, score_bounds=True, seed=2, transpositions=True, decisive_playouts="off").run(simulations=1)
    cut = [a for a in decision.actions if a.refuted]
    still = next(a for a in decision.actions if not a.refuted and a.proven is None)
    assert decision.proven is None and len(cut) == 2 and not decision.chosen.refuted
    words = f"{cut[0].name} cannot bring more than another action is sure of; {still.name} is still open."
    assert decision.why(cut[0].name, still.name) == words


@pytest.mark.parametrize(
    ("game", "changes", "message"),
    [
        (
            "tic-tac-toe",
            {"solver": False},
            "score_bounds=True is a way of proving, and solver=False proves nothing; leave one of them out",
        ),
        (
            "treasure",
            {},
            "score_bounds=True is for two players who want the opposite, and 'treasure' has 3 players; leave score_bounds out",
        ),
        ("loss-1d", {}, "score_bounds=True needs to know what a game can bring: add returns_range = (-1, 1) to game 'loss-1d'"),
    ],
)
def test_what_bounds_need_is_said(game, changes, message):
    with pytest.raises(PlayoutError) as told:
        Search(game, score_bounds=True, compiled=False, **changes)
    assert str(told.value) == message


def test_bounds_move_with_the_root():
    search = grown(BOARD, 150, score_bounds=True, seed=2, decisive_playouts="off")
    action = int(search.trees[0].action_of(search.trees[0].edges(0)[0]))
    before = np.array(search.trees[0].tree.bounds[search.trees[0].edges(0)[0]])
    search.play(action)
    assert np.array_equal(search.trees[0].tree.bounds[0], before)
