"""What is compiled for a GPU, looked at on a machine that has none: it counts as a core does, and what it refuses is said in words."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from playout.compile.binding import bind
from playout.compile.gpu import Nowhere
from playout.engine.shift import shift, shift_some
from playout.errors import CompileError
from playout.game import calls
from playout.game.load import load
from playout.game.stream import base_word, base_words
from playout.planner.forest import Forest, Plan
from playout.planner.grove import Grove, steps
from playout.planner.search import Search

GAME = """
import numpy as np

players = 2
actions = 3
State = np.dtype([("heap", np.int64)])


def start(state, rng):
    state.heap = 7


def legal(state, out):
    count = min(3, state.heap)
    for i in range(count):
        out[i] = i
    return count


def play(state, action, rng):
    {play}


def mover(state):
    return -1 if state.heap <= 0 else state.heap % 2


def returns(state, out):
    out[0] = 1.0
    out[1] = -1.0
"""


@pytest.mark.compiles
@pytest.mark.slow
def test_code_for_a_device_rounds_as_a_core_does_and_keeps_tables_in_its_memory() -> None:
    code = Forest(Search("nim", trees=1), Nowhere()).assembled()
    assert code.count(".entry") == 1
    assert "fma.rn.f64" not in code and ".f64" in code
    assert ".const" not in code and "_playout_table_" in code


@pytest.mark.compiles
@pytest.mark.slow
@pytest.mark.parametrize("game", ["nim", "kuhn-poker"])
def test_roots_move_on_a_device(game: str) -> None:
    """The kernel that keeps trees from move to move compiles for one, and counts as a core does; also where something is hidden."""
    forest, none = Forest(Search(game, trees=1), Nowhere()), np.zeros(1, np.int64)
    start = forest.game.start().copy_array()
    grove = Grove(forest, Plan(64, 64, 64), start, none, 1)
    moves = grove.moves(steps(none, none, start))
    found: Any = forest.device.rows(forest.binding, shift, shift_some)(grove.columns, moves, 1)
    assert found.count(".entry") == 1 and "fma.rn.f64" not in found


@pytest.mark.compiles
def test_what_a_device_cannot_do_is_said_with_function_and_line(tmp_path: Path) -> None:
    file = tmp_path / "heap.py"
    file.write_text(GAME.format(play="state.heap -= int(np.ones(action + 1).sum())"))
    with pytest.raises(CompileError) as error:
        Forest(Search(load(str(file)), trees=1), Nowhere()).assembled()
    assert str(error.value).startswith(f"play ({file}, line 2")
    assert "cannot be compiled for a GPU: it calls ones, which makes something new; nothing can be built while playing" in str(
        error.value
    )


def test_streams_of_many_trees_are_those_of_each() -> None:
    seeds, trees = np.array([0, 1, 2**40, 7]), np.array([0, 3, 5, 2**33])
    assert base_words(seeds, trees).tolist() == [base_word(int(s), int(t)) for s, t in zip(seeds, trees)]


def test_a_kernel_that_never_ends_is_known_to_whoever_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wait for the device is noted, and not the start, which may have to compile first."""
    seen: list[str] = []

    class Launcher:
        def __getitem__(self, shape: Any) -> Any:
            return lambda *arguments: seen.extend(call.words() for call in calls.running.values())

    def synchronize() -> None:
        seen.extend(call.words() for call in calls.running.values())

    device = Nowhere()
    monkeypatch.setattr(device, "cuda", SimpleNamespace(synchronize=synchronize))
    monkeypatch.setattr(calls, "watching", True)
    game = load("nim")
    start = device._starts(bind(game, False), shift, Launcher(), lambda arguments: 1)
    start()
    assert seen == ["the rules of nim (compiled, in shift on the device)"] and not calls.running
