"""`playout new`: what it writes works as it is, and nothing is overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

import playout
from playout.cli.new import TEMPLATES, Kind
from tests.cli.conftest import Cli


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", list(Kind))
def test_a_new_game_keeps_the_contract_and_is_searched(cli: Cli, kind: Kind) -> None:
    ran = cli("new", "my_game", "--kind", kind.value)
    assert ran.code == 0 and ran.out.startswith("my_game.py: a") and "playout check my_game.py" in ran.out
    game = playout.load("my_game.py")
    assert game.title.startswith("My game: ") and "NEXT" in Path("my_game.py").read_text()
    report = playout.check("my_game.py", states=200, seconds=2, compiled=False)
    assert report.ok, report.problems
    decision = playout.Search(game, compiled=False, seed=1).run(simulations=50)
    assert decision.name and decision.line(until="end", complete=True).finished
    assert game.hidden == (kind is Kind.cards) and game.continuous == (kind is Kind.continuous)


def test_nothing_is_overwritten_and_odd_names_are_refused(cli: Cli) -> None:
    Path("mine.py").write_text("x = 1\n")
    ran = cli("new", "mine")
    assert (ran.code, ran.err) == (2, "playout: 'mine.py' is there already, and is left as it is; choose another name\n")
    assert Path("mine.py").read_text() == "x = 1\n"
    for name in ("2games", "a b", "", ".py", "é"):
        ran = cli("new", name)
        assert ran.code == 2 and "use letters, digits, - and _, a letter first, as in mygame" in ran.err
    assert cli("new", "nowhere/mine").err == (
        "playout: 'nowhere/mine.py' cannot be written: No such file or directory; choose another place\n"
    )
    assert cli("new", "mine2", "--kind", "chess").code == 2 and not Path("mine2.py").exists()


def test_templates_are_those_of_the_kinds() -> None:
    assert {file.stem for file in TEMPLATES.glob("*.py")} == {*(kind.value for kind in Kind), "__init__"}
