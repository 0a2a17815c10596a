"""The quick decision: the action that `run` decides for, and its visits."""

import pytest

import playout
from playout import Search
from tests.engine.trees import ROWS

CASES = {
    "plain": ("connect-four", {}),
    "proven": ("tic-tac-toe", {}),
    "refuted": ("connect-four:columns=5,rows=4", {"decisive": "block"}),
    "mean": (ROWS, {"final": "mean", "solver": False}),
    "secure": (ROWS, {"final": "secure", "solver": False}),
    "two trees": ("connect-four", {"trees": 2}),
    "early stop": ("connect-four", {"early_stop": True}),
    "hidden": ("leduc-poker", {}),
    "real": ("loss-1d", {}),
    "two real trees": ("loss-1d", {"trees": 2, "method": "widening"}),
}
MOVES = {"refuted": ["b", "a", "c", "a"], "proven": ["b2", "a1", "c3"]}


@pytest.mark.parametrize("name", CASES)
def test_it_is_what_run_decides(name):
    spec, words = CASES[name]
    game = playout.load(spec)
    state = game.start(2).replay(MOVES.get(name, []))
    decision = Search(game, compiled=False, seed=4, **words).run(state, simulations=90)
    choice = Search(game, compiled=False, seed=4, **words).choose(state, simulations=90)
    assert choice.action == decision.action and choice.visits == decision.chosen.visits
    assert choice.simulations == decision.simulations and choice.stopped == decision.stopped


def test_the_search_goes_on_from_it():
    game = playout.load("connect-four")
    search = Search(game, compiled=False, seed=4)
    search.choose(simulations=50)
    assert search.run(simulations=30).parent_visits == 80
    with pytest.raises(playout.PlayoutError, match="give a budget or its parts"):
        search.choose(None, playout.Budget(simulations=5), simulations=4)
