"""The pages of a tuning and of a study: whole, self-contained, and true to the numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from playout.arena.study import study
from playout.arena.tune import tune
from playout.report.study_page import study_page, write_study_report
from playout.report.tune_page import tune_page, write_tune_report
from tests.arena.test_referee import STAIRS
from tests.report.test_arena_page import check

pytestmark = pytest.mark.compiles


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_a_tuning_page(tmp_path: Path) -> None:
    words: dict[str, Any] = {"games": 100, "engine": "here"}
    found = tune("tic-tac-toe", "uct:simulations=20", ["c=0.1..3", "rule=ucb1,ucb1-tuned"], **words)
    text = tune_page(found)
    check(text)
    for trial in found.trials:
        if trial.stage == "explore":
            assert f"{100 * trial.result:.1f} %" in text and found.dimensions[0].text(trial.values["c"]) in text
    assert "95 % interval" in text and "that took no part in finding it" in text and f"{found.confirmation.games} games" in text
    assert ("Not confirmed" in text) != found.confirmed
    assert write_tune_report(tmp_path / "deep" / "page.html", found).read_text() == text


def test_a_study_page(tmp_path: Path) -> None:
    found = study("tic-tac-toe", budgets=(4, 8, 16), games=24, engine="here")
    text = study_page(found)
    check(text)
    assert (
        "Elo above 4 simulations" in text
        and "How strength grows with the budget" in text
        and "uct:simulations=16" in text.replace("<wbr>", "")
    )
    assert write_study_report(tmp_path / "page.html", found).read_text() == text


def test_pages_of_a_solitaire() -> None:
    found = study(str(STAIRS), budgets=(1, 8), games=10, engine="here")
    text = study_page(found)
    check(text)
    assert "mean score" in text and "first mover" not in text
    tuned = tune(str(STAIRS), "uct:simulations=2", ["simulations=1..8"], games=100, engine="here")
    text = tune_page(tuned)
    check(text)
    assert "on fresh deals" in text
