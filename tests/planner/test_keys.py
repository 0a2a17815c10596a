"""One key for states that are not alike: a search that shares positions finds out and says so; a key that leaves out what does not matter may."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import playout
from playout import GameError, load
from playout.planner import keys

GAME = """
import numpy as np
from playout import below

players = 2
actions = 3
most_legal = 3
returns_range = (-1, 1)
State = np.dtype([("heap", np.int16, 3), ("moves", np.int16), ("first", np.int8), ("seen", np.int8)])

def start(state, rng):
    for i in range(3):
        state.heap[i] = 7
    state.first = -1

def legal(state, out):
    count = 0
    for i in range(3):
        if state.heap[i] > 0:
            out[count] = i
            count += 1
    return count

def play(state, action, rng):
    if state.moves == 0:
        state.first = action
    state.heap[action] -= 1 + (state.heap[action] > 1 and state.moves % 3 == action)
    if DICE and state.moves < 4:
        state.heap[action] = max(0, state.heap[action] - below(rng, 2))
    state.moves += 1

def mover(state):
    return -1 if state.heap[0] + state.heap[1] + state.heap[2] == 0 else state.moves & 1

def returns(state, out):
    # Which heap was touched first says what the game is worth: a key without that is wrong from the first action on.
    worth = 0.25 + (0.25 * state.first if TELLS else 0.0)
    out[0] = worth if state.moves & 1 == 0 else -worth
    out[1] = -out[0]

def key(state):
    return ((state.heap[0] * 8 + state.heap[1]) * 8 + state.heap[2]) * 64 + state.moves
"""
"""`first` is not in the key: where it decides the game that is wrong, and where nobody asks for it, right."""


@pytest.fixture(autouse=True)
def nobody_was_judged() -> None:
    keys._seen.clear()


def made(folder: Path, tells: bool, dice: bool = False) -> playout.Game:
    (folder / "heaps.py").write_text(GAME.replace("TELLS", str(tells)).replace("DICE", str(dice)))
    return load(folder / "heaps.py")


@pytest.mark.parametrize("shared", [{"transpositions": True}, {"graph": True}])
def test_a_wrong_key_ends_the_search_with_the_checkers_sentence(shared: dict[str, bool], tmp_path: Path) -> None:
    search = playout.Search(made(tmp_path, tells=True), seed=1, compiled=False, trees=1, solver=False, **shared)
    with pytest.raises(GameError) as found:
        search.run(simulations=2000)
    said = str(found.value)
    assert said.startswith(f"game 'heaps' breaks the contract: key ({tmp_path / 'heaps.py'}, line ")
    assert "from the searched state and the one after actions " in said and "different returns" in said
    assert said.endswith("which differ in first; put everything that matters, the mover included, into the key")


def test_chance_on_the_way_is_no_hindrance(tmp_path: Path) -> None:
    search = playout.Search(made(tmp_path, tells=True, dice=True), seed=2, compiled=False, trees=1, transpositions=True)
    with pytest.raises(GameError, match="differ in first; put everything"):
        search.run(simulations=4000)


@pytest.mark.parametrize("shared", [{"transpositions": True}, {"graph": True}])
def test_a_key_may_leave_out_what_does_not_matter(
    shared: dict[str, bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = made(tmp_path, tells=False)
    search = playout.Search(game, seed=1, compiled=False, trees=1, solver=False, **shared)
    search.run(simulations=1500)
    assert 1 <= keys._seen[id(game)] <= keys.MOST_JUDGED
    # Looking changed nothing, and neither do searches that share nothing look.
    monkeypatch.setattr(keys, "judged", None)
    again = playout.Search(game, seed=1, compiled=False, trees=1, solver=False, **shared)
    again.run(simulations=1500)
    used = search.trees[0].used
    assert again.trees[0].used == used
    assert np.asarray(again.trees[0].tree.nodes[:used]).tobytes() == np.asarray(search.trees[0].tree.nodes[:used]).tobytes()


def test_who_shares_nothing_keeps_no_prints() -> None:
    plain = playout.Search("tic-tac-toe", seed=1, compiled=False, trees=1, transpositions=False)
    plain.run(simulations=20)
    assert len(plain.trees[0].tree.prints) == 1
    shares = playout.Search("tic-tac-toe", seed=1, compiled=False, trees=1, transpositions=True)
    shares.run(simulations=20)
    assert shares.trees[0].slot_bytes == plain.trees[0].slot_bytes + 1


@pytest.mark.compiles
def test_compiled_finds_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playout.compile.binding.trial", None)
    game = made(tmp_path, tells=True)
    said = []
    for compiled in (True, False):
        search = playout.Search(game, seed=1, compiled=compiled, trees=1, solver=False, transpositions=True)
        with pytest.raises(GameError, match="differ in first; put everything") as found:
            search.run(simulations=3000)
        said.append(str(found.value).partition("gave")[0])
    assert said[0] == said[1]
