"""The ends of what the contract allows: very many actions, very big states, one player and eight."""

import numpy as np
import pytest

import playout
from playout import Game, Search

WIDE = np.dtype([("done", np.int32), ("last", np.int32), ("rest", np.int8, 65_528)])


def start(state, rng):
    state.done = 0


def legal(state, out):
    for i in range(65_536):
        out[i] = i
    return 65_536


def play(state, action, rng):
    state.done += 1
    state.last = action
    state.rest[65_527] = 1


def mover(state):
    return -1 if state.done == 2 else state.done * 7


def returns(state, out):
    for player in range(8):
        out[player] = 0.0
    out[0] = 1.0 if state.last == 65_535 else -1.0


NAMES = {
    "players": 8,
    "actions": 65_536,
    "State": WIDE,
    "start": start,
    "legal": legal,
    "play": play,
    "mover": mover,
    "returns": returns,
}


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [False, True])
def test_the_widest_game(compiled):
    """65,536 actions, 64 KiB of state and eight players, the first and the last of whom move."""
    search = Search(Game("wide", NAMES), compiled=compiled, solver=False)
    decision = search.run(simulations=3 if not compiled else 3000)
    assert len(decision.actions) == 65_536
    assert sum(a.visits for a in decision.actions) == decision.simulations
    # Each simulation tried another action, and the last id is stored whole.
    assert max(a.visits for a in decision.actions) == 1
    assert decision[65_535].action == 65_535


def test_eight_players_and_one():
    eight = Search("pig:players=8,target=10", compiled=False).run(simulations=200)
    assert len(eight.actions[0].means) == 8
    assert sum(eight.actions[0].means) == pytest.approx(0.0, abs=1e-9)
    one = Search(Game("one", {**NAMES, "players": 1, "State": np.dtype([("done", np.int8)]), **ALONE}), compiled=False)
    decision = one.run(simulations=60)
    assert decision.action == 2 and decision.proven == (2.0,)


def alone_legal(state, out):
    out[0], out[1], out[2] = 0, 1, 2
    return 3


def alone_play(state, action, rng):
    state.done = action + 1


ALONE = {
    "actions": 3,
    "legal": alone_legal,
    "play": alone_play,
    "start": lambda state, rng: None,
    "mover": lambda state: -1 if state.done > 0 else 0,
    "returns": lambda state, out: out.__setitem__(0, state.done - 1.0),
}


@pytest.mark.compiles
@pytest.mark.parametrize("game", ["connect-four", "pig:target=20", "leduc-poker"])
@pytest.mark.parametrize("megabytes", [0.1, 0.2, 0.3, 1.0])
def test_small_memory_never_ends_a_search(game, megabytes):
    """Columns that were copied once must still be resizable in place when there is no room for two copies."""
    loaded = playout.load(game)
    decision = playout.Search(loaded, seed=1, solver=False).run(loaded.start(1), simulations=20_000, memory=megabytes)
    assert decision.full or game == "leduc-poker", "a whole tree of leduc poker may fit"
    assert decision.simulations == 20_000 and decision.bytes <= megabytes * 1e6 + 100_000
