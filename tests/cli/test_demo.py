"""`playout demo`: every stop of the tour is searched and shown, and the report is where it says."""

from __future__ import annotations

from pathlib import Path

import pytest

import playout
from playout.cli import demo as module
from playout.cli.demo import TOUR
from tests.cli.conftest import Cli


@pytest.mark.compiles
def test_demo_shows_every_stop_and_writes_the_report(cli: Cli, uncompiled: None, tmp_path: Path) -> None:
    ran = cli("demo", "--out", str(tmp_path / "demo"), "--seconds", "0.05", "--games", "6")
    assert ran.code == 0, ran.err
    report = tmp_path / "demo" / "report.html"
    arena_report = tmp_path / "demo" / "arena.html"
    assert report.resolve().as_uri() in ran.out and arena_report.resolve().as_uri() in ran.out
    assert "After 6 games between 3 agents" in ran.out and "uct:simulations=1000" in arena_report.read_text().replace("<wbr>", "")
    for number, stop in enumerate(TOUR, 1):
        assert f"{number}/{len(TOUR)}  {stop.game}" in ran.out
        assert stop.words in ran.out
    assert ran.out.count("line:  ") == ran.out.count("why:   ") == ran.out.count("spent: ") == len(TOUR)
    assert "playout --help" in ran.out and "playout play connect-four" in ran.out
    assert "\x1b" not in ran.out and not any(line.startswith("Traceback") for line in ran.err.splitlines())
    assert report.read_text(encoding="utf-8").count('<section class="decision"') == len(TOUR)


@pytest.mark.compiles
def test_demo_json(cli: Cli, uncompiled: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "TOUR", TOUR[:2])
    ran = cli("demo", "--out", str(tmp_path), "--seconds", "0.02", "--seed", "5", "--games", "2", "--json")
    assert ran.data["report"] == str(tmp_path / "report.html")
    assert [d["seed"] for d in ran.data["decisions"]] == [5, 5]
    assert ran.data["arena"]["games"] == 2 and ran.data["arena"]["seed"] == 5
    assert "What to try next" in ran.err


def test_demo_says_what_cannot_be_used(cli: Cli, uncompiled: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "TOUR", TOUR[:1])
    (tmp_path / "file").write_text("")
    ran = cli("demo", "--out", str(tmp_path / "file"), "--seconds", "0.02")
    assert ran.code == 2 and "cannot hold the report" in ran.err
    assert "1/1" not in ran.out, "said before the search, not after it"
    assert cli("demo", "--seconds", "0").code == 2


def test_every_stop_is_a_position_to_decide() -> None:
    for stop in TOUR:
        state = playout.load(stop.game).start(1).replay(stop.moves.split())
        assert not state.over and (state.game.continuous or len(state.legal) > 1)
