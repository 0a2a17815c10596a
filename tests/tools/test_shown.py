"""What the tutorial shows is what comes out: its game is the example, and its commands answer as it says."""

from __future__ import annotations

from pathlib import Path

import pytest

import playout
from tests.cli.conftest import Cli, cli, uncompiled  # noqa: F401 - fixtures
from tools import shown

ROOT = Path(__file__).parents[2]
STEPS = list(shown.steps((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")))


def test_the_tutorial_quotes_its_game(tmp_path: Path) -> None:
    for step in STEPS:
        if step.python:
            shown.added(tmp_path / "chomp.py", step.python)
    assert (tmp_path / "chomp.py").read_bytes() == (ROOT / "examples" / "chomp.py").read_bytes()


def test_the_tutorial_searches_as_it_says(cli: Cli, uncompiled: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """Searches here; `make docs` runs all of it, machine code, solver and tournament included."""
    monkeypatch.chdir(tmp_path)
    asked = []
    for step in STEPS:
        if step.python:
            shown.added(tmp_path / "chomp.py", step.python)
        elif step.command[0] == "search":
            ran = cli(*step.command)
            assert ran.code == 0 and shown.same(step.expected, ran.out), ran.out + ran.err
            asked.append(step)
    assert len(asked) == 2
    assert {step.command[0] for step in STEPS if step.command} == {"check", "search", "solve", "arena"}


def test_the_game_of_the_tutorial_keeps_the_contract() -> None:
    game = playout.load(str(ROOT / "examples" / "chomp.py"))
    assert playout.check(game, states=200, seconds=2, compiled=False).ok
    assert game.start().replay(["c2", "a1"]).returns == (1.0, -1.0)


def test_what_a_page_shows_is_taken_apart() -> None:
    text = "```python\na = 1\n```\nx\n```\n$ playout search a.py\none ... two\n$ playout play a.py\nx\n$ make it\n```\n```\nno command\n```\n"
    assert list(shown.steps(text)) == [
        shown.Step(python="a = 1\n"),
        shown.Step(command=("search", "a.py"), expected="one ... two\n"),
    ]
    assert shown.same("one ... two\n", "one and\n   two\n") and not shown.same("one ... two\n", "one and three\n")
