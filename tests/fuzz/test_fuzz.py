"""A fixed number of cases of every fuzzer; `make fuzz` goes on where these end."""

import signal
from pathlib import Path

import numpy as np
import pytest

from playout import FileError, Search
from tests.fuzz import harness, load_all, trees

load_all()

CASES = {
    **{"tree_contents": 12, "tree_shapes": 8, "tree_bytes": 12, "arena_cells": 8, "arena_bytes": 8, "policy_bytes": 10},
    **{
        "policy_contents": 10,
        "network_bytes": 10,
        "network_contents": 15,
        "state_files": 15,
        "fit_files": 10,
        "moves": 40,
        "settings": 30,
        "agents": 40,
        "games": 40,
        "compare_files": 15,
        "command_line": 20,
    },
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_damaged_or_odd_gets_a_sentence(name: str, tmp_path: Path) -> None:
    for seed in range(CASES[name]):
        folder = tmp_path / str(seed)
        folder.mkdir()
        wrong = harness.attempt(name, seed, folder)
        assert wrong is None, f"python -m tests.fuzz {name} --seed {seed} --cases 1 shows: {wrong}"


def test_every_fuzzer_has_its_cases() -> None:
    assert set(CASES) == set(harness.FUZZERS)


def test_the_harness_notices_what_it_looks_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback, a message of two lines, and a case that never ends are failures; a sentence is none."""

    def raising(error: BaseException) -> harness.Fuzzer:
        def case(rng: harness.Rng, folder: Path) -> None:
            raise error

        return case

    def endless(rng: harness.Rng, folder: Path) -> None:
        while True:
            pass

    for case, words in (
        (raising(IndexError("out of bounds")), "IndexError: out of bounds"),
        (raising(FileError("two\nlines")), "not one sentence"),
        (raising(SystemExit(3)), "SystemExit: 3"),
        (endless, "Hangs"),
    ):
        monkeypatch.setitem(harness.FUZZERS, "case", case)
        monkeypatch.setattr(harness, "PATIENCE", 0.2)
        assert words in str(harness.attempt("case", 0, tmp_path))
    monkeypatch.setitem(harness.FUZZERS, "case", raising(FileError("one sentence")))
    assert harness.attempt("case", 0, tmp_path) is None
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0.0


def flawed(tmp_path: Path, kind: int, column: str, change: object) -> str:
    """What is said of a tree in one of whose columns something was changed."""
    arrays = dict(trees.parts(kind))
    arrays[column] = arrays[column].copy()
    change(arrays[column])  # type: ignore[operator]
    file = tmp_path / "tree.npz"
    file.write_bytes(trees.written(arrays))
    with pytest.raises(FileError) as caught:
        Search.load(file, compiled=False)
    return str(caught.value).removeprefix(f"tree file {str(file)!r} is damaged: ").removesuffix("; save it again")


def put(field: str, place: int, value: float) -> object:
    def change(column: np.ndarray) -> None:
        column[field][place] = value

    return change


BLOCK = 0
"""The first kind: a plain tree of tic-tac-toe, whose root has the slots 1 to 9 and whose slot 1 has a block of its own."""
SHARED = 2
"""One with transpositions."""


@pytest.mark.parametrize(
    ("kind", "column", "change", "words"),
    [
        (BLOCK, "nodes-0", put("first", 0, 1 << 20), "a slot of it points outside"),
        (BLOCK, "nodes-0", put("first", 0, 0), "a slot of it is the action of two positions, or of one below itself"),
        (BLOCK, "nodes-0", put("first", 0, 2), "a position of it has actions of two movers"),
        (
            BLOCK,
            "nodes-0",
            lambda c: c["first"].__setitem__(2, c["first"][1]),
            "a slot of it is the action of two positions, or of one below itself",
        ),
        (BLOCK, "nodes-0", put("count", 0, 10), "a position of it has more actions than there can be"),
        (BLOCK, "nodes-0", put("mover", 1, 1), "a position of it has actions of two movers"),
        (BLOCK, "nodes-0", put("mover", 1, 2), "a slot of it has a mover that the game has not"),
        (BLOCK, "nodes-0", put("action", 1, 9), "a slot of it has an action that the game has not"),
        (BLOCK, "nodes-0", lambda c: c["action"].__setitem__(1, c["action"][2]), "a position of it has an action twice"),
        (BLOCK, "nodes-0", put("visits", 0, 5), "a score in it is beyond its visits"),
        (BLOCK, "nodes-0", put("visits", 1, -1), "a count of its visits is impossible"),
        (BLOCK, "nodes-0", put("visits", 1, 119), "actions of it were tried oftener than their position"),
        (BLOCK, "nodes-0", put("tags", 1, 4), "a slot of it has a tag that its settings do not give"),
        (BLOCK, "nodes-0", put("tags", 1, 1), "a slot of it has a tag that its settings do not give"),
        (BLOCK, "nodes-0", put("tags", 1, 128), "a leaf of it waits for a value"),
        (BLOCK, "nodes-0", put("tags", 1, 8), "a position of it is not in its table"),
        (BLOCK, "nodes-0", put("squares", 1, np.nan), "a sum of squares in it is none"),
        (BLOCK, "head-0", put("used", 0, 5), "it says that 5 slots are in use, and has "),
        (BLOCK, "head-0", put("trouble", 0, 9), "its head is not that of a tree at rest"),
        (BLOCK, "head-0", put("stream", 0, 9), "its stream is not that of its seed"),
        (BLOCK, "head-0", put("low", 0, np.nan), "the range of its returns is impossible"),
        (BLOCK, "head-0", put("positions", 0, 1), "its table is not as full as it says"),
        (
            SHARED,
            "table-0",
            lambda c: c["slot"].__setitem__(np.flatnonzero(c["slot"])[0], 1),
            "a position of it is not in its table",
        ),
        (SHARED, "table-0", put("owner", 0, 1 << 20), "its table points outside"),
    ],
)
def test_every_flaw_of_a_tree_is_named(tmp_path: Path, kind: int, column: str, change: object, words: str) -> None:
    assert flawed(tmp_path, kind, column, change).startswith(words)
