from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

import pytest

from playout import PlayoutError
from playout.bench import Plan, chosen, insert_table, measure, peers, rows
from playout.bench.report import Report, Row, amount, compared, limited
from playout.bench.timing import affordable, best_rates, rate
from playout.cli.main import run
from playout.errors import FileError

TINY = Plan(simulations=200, repeats=1, sample=0.0, patience=0.01)
FIELDS = {"name", "game", "ours", "peer", "theirs", "ratio", "unit", "target", "ok", "note"}


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plan, "quick", lambda *_: TINY)


@pytest.fixture
def without_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pyspiel", "open_spiel", "multimcts"):
        monkeypatch.setitem(sys.modules, module, None)  # Python then says that there is none


@pytest.mark.compiles
def test_rows_have_the_promised_shape(tiny: None, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    out = tmp_path / "bench.json"
    assert run(["bench", "--quick", "--only", "tic-tac-toe", "--json", "--out", str(out)]) == 0
    text = capsys.readouterr().out
    data = json.loads(text)
    assert json.loads(out.read_text()) == data
    assert [(row["name"], row["game"]) for row in data["rows"]] == [("openspiel-cpp", "tic-tac-toe"), ("bundled", "tic-tac-toe")]
    for row in data["rows"]:
        assert set(row) >= FIELDS and row["ours"] > 0
    assert data["rows"][0]["target"] == 2
    assert data["rows"][1]["bytes_per_node"] == 40 and data["rows"][1]["bytes_per_simulation"] > 0
    assert data["machine"]["cores"] == os.cpu_count() and data["machine"]["numba"]
    assert str(Path.home()) not in text and platform.node() not in data["machine"].values()


@pytest.mark.compiles
def test_a_missing_peer_is_a_note_and_not_a_crash(without_peers: None):
    row = measure(TINY, ["tic-tac-toe"]).rows[0]
    assert row.ours is not None and row.ours > 0
    assert (row.theirs, row.ratio, row.ok) == (None, None, None)
    assert row.note == "open_spiel is not installed: pip install 'playout[bench]'"
    assert row.cells()[-1] == "not measured"
    with pytest.raises(peers.MissingPeer, match="multimcts is not installed"):
        peers.multimcts()


@pytest.mark.compiles
def test_no_compiler_is_a_note(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("playout.bench.limit.shutil.which", lambda name: None)
    row = rows.c_limit(TINY, lambda: None)
    assert row.theirs is None and row.note == "no C compiler found: install gcc"


def test_the_c_program_searches_as_we_do():
    limit = pytest.importorskip("playout.bench.limit")
    try:
        answer = limit.c_search()(20_000, 1)()
    except peers.MissingPeer as missing:
        pytest.skip(str(missing))
    slots, column = divmod(answer, 16)
    assert column == 3 and 30_000 < slots < 60_000


def test_peers_play_the_same_connect_four():
    pyspiel, mm = pytest.importorskip("pyspiel"), pytest.importorskip("multimcts")
    assert mm is not None
    line = [3, 3, 2, 2, 4, 4, 1]  # four in the bottom row
    python, cpp = peers.python_connect_four().new_initial_state(), pyspiel.load_game("connect_four").new_initial_state()
    state = peers.multimcts_connect_four()()
    for action in line:
        assert not python.is_terminal() and not state.is_terminal()
        assert python.legal_actions() == cpp.legal_actions() == state.get_legal_moves()
        assert python.current_player() == cpp.current_player() == state.get_current_team()
        python.apply_action(action)
        cpp.apply_action(action)
        state = state.make_move(action)
    assert python.is_terminal() and cpp.is_terminal() and state.is_terminal()
    assert python.returns() == cpp.returns() == [1, -1] and state.get_reward() == 1


def test_both_sides_take_turns_and_the_best_counts():
    time, log = [0.0], []
    speeds = {"ours": iter([1, 4, 2, 4]), "theirs": iter([1, 8, 5, 10])}

    def side(name: str) -> Any:
        def prepare(simulations: int, seed: int) -> Any:
            def task() -> None:
                log.append((name, simulations, seed))
                time[0] += next(speeds[name])

            return task

        return prepare

    plan = Plan(simulations=100, repeats=3, sample=0.0, seed=7)
    assert best_rates([(side("ours"), 100), (side("theirs"), 50)], plan, lambda: time[0]) == [50.0, 10.0]
    assert [name for name, *_ in log] == ["ours", "theirs"] * 4
    assert [seed for *_, seed in log] == [7, 7, 7, 7, 8, 8, 9, 9]


def test_a_short_search_is_repeated_until_the_sample_is_long_enough():
    time = [0.0]

    def prepare(simulations: int, seed: int) -> Any:
        return lambda: time.__setitem__(0, time[0] + 0.25)

    assert rate(prepare, 100, 0, 1.0, lambda: time[0]) == 400 and time[0] == 1.0
    assert affordable(prepare, Plan(simulations=500)) == 500


def test_goals():
    assert compared(30, 10, 3, name="", game="", text="").ok is True
    assert compared(30, 10, 3.1, name="", game="", text="").ok is False
    assert limited(40, 40, "bytes", name="", game="", text="").ok is True
    assert limited(41, 40, "bytes", name="", game="", text="").ok is False
    assert [amount(v, u) for v, u in [(1234567, "simulations/s"), (0.755, "points"), (1.234, "seconds"), (40, "bytes")]] == [
        "1,230,000/s",
        "75.5%",
        "1.23 s",
        "40.0 bytes",
    ]


def test_the_table_goes_between_the_marks_and_a_missed_goal_is_said(tmp_path: Path):
    row = compared(10, 10, 2, name="a", game="g", text="one thing", peer="other")
    report = Report(rows=(row,), machine={"cores": 2, "machine": "x", "python": "3"}, repeats=1, simulations=1, quick=False)
    assert report.verdict() == "0 of 1 targets met; MISSED: one thing (1.00, goal at least 2)"
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- bench:start -->old<!-- bench:end -->\nafter\n")
    insert_table(page, report.markdown())
    text = page.read_text()
    assert text.startswith("before\n<!-- bench:start -->\n") and text.endswith("<!-- bench:end -->\nafter\n")
    assert "| one thing | 10/s | 10/s | 1.00 | at least 2 | MISSED |" in text and "old" not in text
    page.write_text("no marks")
    with pytest.raises(FileError, match="has no place for the table: add the lines"):
        insert_table(page, "")
    with pytest.raises(FileError, match="cannot be read"):
        insert_table(tmp_path / "none.md", "")


def test_the_page_has_the_marks():
    page = Path(__file__).parents[2] / "docs" / "performance.md"
    assert page.read_text().count("<!-- bench:start -->") == page.read_text().count("<!-- bench:end -->") == 1


def test_choosing():
    assert {one.game for one in chosen(["connect-four"])} == {"connect-four"}
    assert [one.name for one in chosen(["two-threads", "first-start"])] == ["two-threads", "first-start"]
    with pytest.raises(PlayoutError, match="nothing to measure is called 'conect-four'; did you mean"):
        chosen(["conect-four"])


def test_row_without_goal():
    assert Row(name="a", game="g", text="t", ours=5.0).cells() == ("t", "5/s", "", "", "", "")
