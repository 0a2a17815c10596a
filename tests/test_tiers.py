"""Who asks for machine code says so: an unmarked test that asks fails, whatever the cache holds and whichever test came before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TESTS = """
import numpy as np
import pytest
from playout.compile import bind
from playout.compile.holes import mover
from playout.game.load import load

GAME = load("tic-tac-toe")

def who(state):
    return mover(state)

def ask(compiled=True):
    states = GAME.start().copy_array()
    return bind(GAME, compiled).kernel(who)(states[0] if compiled else GAME.view(states[0]))

@pytest.fixture(scope="module")
def asked():
    return ask()

@pytest.mark.compiles
def test_marked():
    assert ask() == 0

def test_unmarked():
    assert ask() == 0

def test_by_fixture(asked):
    assert asked == 0

def test_by_the_same_fixture(asked):
    assert asked == 0

def test_uncompiled():
    assert ask(compiled=False) == 0

@pytest.mark.parametrize("compiled", [True, False])
def test_both(compiled):
    assert ask(compiled) == 0

def test_wrong():
    assert ask() == 1
"""


@pytest.mark.compiles
def test_an_unmarked_test_that_asks_fails_with_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "test_asking.py"
    file.write_text(TESTS)
    words = ["-p", "tests.conftest", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml"), "-rA", "--tb=short", str(file)]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    failed = {line.split("::")[1].split(" ")[0] for line in ran.stdout.splitlines() if line.startswith("FAILED ")}
    assert failed == {"test_unmarked", "test_by_fixture", "test_by_the_same_fixture", "test_wrong"}, ran.stdout
    cure = "mark it with @pytest.mark.compiles, or search with compiled=False"
    for name in failed - {"test_wrong"}:
        assert f"{name} compiled who of tic-tac-toe: {cure}" in ran.stdout.splitlines()
    assert "assert 0 == 1" in ran.stdout, "a test that is wrong says so"
