"""Indices of rules in machine code: one outside its array ends the kernel with a sentence, in games that were never checked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playout import GameError, load
from playout.arena.table import Table
from playout.checker import check
from playout.compile import bind, binding, kept
from playout.compile.records import new_stream

from ..checker.broken import PARTS, broken

LINES = {
    "state.cells[100] = 1": "writes outside state.cells: index 100, and it has 4 entries",
    "state.cells[action - 9] = 1": "writes outside state.cells: index -8, and it has 4 entries",
    "state.bonus = state.cells[action + 4]": "reads outside state.cells: index 5, and it has 4 entries",
    "state.bonus = TABLE[action, action + 1]": "reads outside TABLE: index 2, and it has 2 entries",
}


@pytest.fixture(autouse=True)
def nothing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the first moment of play, uncompiled, would find it all."""
    monkeypatch.setattr(binding, "trial", None)


def play(game: Any, action: int) -> Any:
    states = np.zeros(1, game.dtype)
    bind(game).role("play")(states[0], action, new_stream(True))
    return states[0]


@pytest.mark.compiles
@pytest.mark.parametrize("line", LINES)
def test_the_sentence_names_function_array_index_and_size(line: str, tmp_path: Path) -> None:
    game = broken(
        tmp_path, play=f"TABLE = np.zeros((3, 2), np.int64)\ndef play(state, action, rng):\n    {line}\n    state.moves += 1"
    )
    with pytest.raises(GameError) as found:
        play(game, 1)
    assert str(found.value) == (
        f"game 'mygame': play ({game.file}, line 24) {LINES[line]}; check the index against the size, and run playout check {game.file} "
        "to see in which state"
    )


@pytest.mark.compiles
def test_what_is_inside_goes_on_as_before(tmp_path: Path) -> None:
    assert play(broken(tmp_path), 3)["cells"].tolist() == [0, 0, 0, 1]
    backwards = broken(tmp_path, play="def play(state, action, rng):\n    state.cells[-1 - action] = 1\n    state.moves += 1")
    assert play(backwards, 0)["cells"].tolist() == [0, 0, 0, 1]


@pytest.mark.compiles
def test_a_write_outside_the_record_deep_in_a_game_is_no_crash(tmp_path: Path) -> None:
    wild = "def play(state, action, rng):\n    state.cells[action] = 1\n    state.moves += 1\n    state.cells[(state.moves // 4) << 40] = 1"
    table = Table(broken(tmp_path, play=wild))
    table.begin(0)
    for action in range(3):
        table.play(action)
    with pytest.raises(GameError, match=re.escape("writes outside state.cells: index 1099511627776, and it has 4 entries")):
        table.play(3)


def test_games_that_were_checked_and_those_of_the_library_are_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYOUT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "_known", set())
    game = broken(tmp_path)
    assert "guards" in bind(game).features and "guards" not in bind(game, compiled=False).features
    assert "guards" not in bind(game, trust=True).features
    kept.mark(game, kept.CHECKED)
    assert "guards" not in bind(game).features
    assert "guards" in bind(broken(tmp_path, more="most_legal = 5")).features
    assert all("guards" not in bind(load(name)).features for name in ("hex", "loss-1d", "scoundrel"))


@pytest.mark.compiles
def test_fields_of_true_and_false_compile_as_arrays_too(tmp_path: Path) -> None:
    head = PARTS["head"].replace('("bonus", np.int32)', '("bonus", np.int32), ("used", np.bool_, (2, 2)), ("last", np.bool_)')
    flags = """
def play(state, action, rng):
    state.last = not state.used[action // 2, 0]
    state.used[action // 2, action % 2] = state.moves < 3
    state.cells[action] = 1 + (state.moves & 1)
    state.moves += 1
"""
    game = broken(tmp_path, head=head, play=flags)
    assert play(game, 3)["used"].tolist() == [[False, False], [False, True]]
    assert check(game, states=40, seconds=1, compiled=False).ok
