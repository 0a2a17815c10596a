"""The evolution of Root's rules of thumb: which numbers it changes, and that a copy with these numbers plays as the game does."""

import sys
from pathlib import Path

import numpy as np

from playout.games.root import policy, policy_eyrie, policy_marquise
from tests.games.root.boards import position, view

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

import root_weights

MODULES = {"m": policy_marquise, "e": policy_eyrie, "b": policy}


def test_every_table_is_a_field_and_the_copy_weighs_alike(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    game, weights = root_weights.laboratory()
    assert len(weights) > 25 and all(
        np.array_equal(getattr(MODULES[name[0]], name[2:]), table) for name, table in weights.items()
    )
    weigh = sys.modules["rootlab.policy"].weight
    state = position(hers={1: 4, 5: 1, 9: 1}, wood={1: 3}, sawmills=[8], recruiters=[9], theirs={3: 3}, roosts=[3], keep=1)
    array = np.zeros(1, game.dtype)
    for name in state.copy_array().dtype.names:
        array[name] = state.copy_array()[name]
    for name, table in weights.items():
        array[name][0] = table
    copy = game.view(array[0])
    assert [weigh(copy, action) for action in state.legal] == [policy.weight(view(state), action) for action in state.legal]
    array["m_BUILD_WEIGHT"][0] = 1
    assert [weigh(copy, action) for action in state.legal] != [policy.weight(view(state), action) for action in state.legal]


def test_a_faction_is_taken_out_and_put_back():
    weights = {
        "m_BORDER": np.array(10),
        "e_STAY_WEIGHT": np.array([[3, 5], [2, 7]]),
        "b_CRAFT_WEIGHT": np.array([[1, 2], [3, 4]]),
    }
    logs = root_weights.flat(weights, "eyrie")
    assert np.exp(logs).round().tolist() == [3, 4, 3, 5, 2, 7]
    changed = root_weights.spread(weights, "eyrie", logs + np.log(2))
    assert changed["m_BORDER"] == 10 and changed["b_CRAFT_WEIGHT"].tolist() == [[1, 2], [6, 8]]
    assert changed["e_STAY_WEIGHT"].tolist() == [[6, 10], [4, 14]]
    assert root_weights.exchange(weights, changed, "marquise")["e_STAY_WEIGHT"].tolist() == [[3, 5], [2, 7]]
    assert root_weights.rounded(np.array([7, 43, 1234, 18765])) == [7, 43, 1200, 19000]
