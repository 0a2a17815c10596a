"""Comparing methods: what is run, kept, summed up and drawn. The methods are stand-ins with known answers."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
import pytest

from playout import FileError, PlayoutError
from playout.cli.compare import read_numbers
from playout.report.compare_page import check_plot, compare_page, write_plot
from playout.truth import reference, regret
from playout.truth.continuous import compare as module
from playout.truth.continuous.compare import Found, Run, Store, compare, payoff_range, sum_up

BEST = reference("loss-1d").actions
asked: list[tuple[str, str, int, int]] = []


def stand_in(game, method, simulations, seed):
    """Off the solution by an amount that the method, the simulations and the seed decide."""
    asked.append((game.spec, method, simulations, seed))
    off = {"good": 0.1, "bad": 1.0}[method] * (1 + seed) / simulations
    return Found([(v[0] + off,) for v in BEST], 0.001 * simulations, 5 * simulations)


@pytest.fixture
def found(tmp_path):
    asked.clear()
    return compare(["loss-1d"], ["good", "bad"], [10, 100], range(4), file=tmp_path / "runs.db", method=stand_in)


@pytest.mark.compiles
def test_rows(found):
    assert [(row.method, row.simulations, row.seeds) for row in found.rows] == [
        ("good", 10, 4),
        ("good", 100, 4),
        ("bad", 10, 4),
        ("bad", 100, 4),
    ]
    row = found.rows[0]
    reports = [regret("loss-1d", [v[0] + 0.01 * (1 + seed) for v in BEST]) for seed in range(4)]
    for part in row.regret:
        values = [report.players[part.player] for report in reports]
        assert part.median == pytest.approx(np.median(values)) and part.low == pytest.approx(np.percentile(values, 5))
        assert part.high == pytest.approx(np.percentile(values, 95)) and part.low <= part.median <= part.high
    assert row.distance == pytest.approx(np.median([0.01 * (1 + seed) * 3**0.5 for seed in range(4)]))
    assert row.seconds == pytest.approx(0.01) and row.evaluations == 5.0 and row.uncertified == 0
    assert found.rows[2].regret[0].median > 50 * row.regret[0].median
    assert row.regret[2].range == payoff_range(module.begin("loss-1d").game)[2] > 400


@pytest.mark.compiles
def test_the_same_command_goes_on(found, tmp_path):
    before = len(asked)
    assert before == 16 + 2  # every run, and one of each method to compile
    again = compare(["loss-1d"], ["good", "bad"], [10, 100], range(4), file=tmp_path / "runs.db", method=stand_in)
    assert again == found and len(asked) == before
    compare(["loss-1d"], ["good"], [10, 100], range(6), file=tmp_path / "runs.db", method=stand_in)
    assert len(asked) == before + 4 + 1
    compare(["loss-1d"], ["good"], [10], range(2), file=tmp_path / "runs.db", method=stand_in, fresh=True)
    assert len(asked) == before + 5 + 3


@pytest.mark.compiles
def test_an_interrupted_comparison_keeps_what_it_has(tmp_path):
    def stopping(game, method, simulations, seed):
        if seed == 2:
            raise KeyboardInterrupt
        return stand_in(game, method, simulations, seed)

    stopping.__qualname__ = stand_in.__qualname__
    with pytest.raises(KeyboardInterrupt):
        compare(["loss-1d"], ["good"], [10], range(4), file=tmp_path / "runs.db", method=stopping)
    asked.clear()
    compare(["loss-1d"], ["good"], [10], range(4), file=tmp_path / "runs.db", method=stand_in)
    assert [a[3] for a in asked] == [2, 2, 3]


def test_other_files_are_left_alone(tmp_path):
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    with pytest.raises(FileError, match=r"notes.txt' is no file of playout compare; it is left alone, so choose another name$"):
        Store(other)
    assert other.read_text() == "mine"
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE a (b)")
    with pytest.raises(FileError, match=r"is no file of playout compare"):
        Store(foreign)
    with pytest.raises(FileError, match=r"is a folder; give the name of a file, as in --file runs.db$"):
        Store(tmp_path)


def test_a_damaged_run_is_named(tmp_path):
    with Store(tmp_path / "runs.db") as store:
        store._connection.execute("INSERT INTO runs VALUES ('k', '{')")
        with pytest.raises(FileError, match=r"is damaged: a run cannot be read \(.*\); begin anew with --fresh$"):
            store.get("k", 2)


def test_players_who_do_not_move_have_no_row():
    run = Run(
        game="g",
        method="m",
        simulations=10,
        seed=0,
        regret=(0.5, None),
        distance=None,
        seconds=1.0,
        evaluations=20,
        certified=False,
    )
    row = sum_up([run], (1.0, 1.0))
    assert [part.player for part in row.regret] == [0] and row.distance is None and row.uncertified == 1


def test_wrong_words(tmp_path):
    with pytest.raises(PlayoutError, match=r"^nothing to compare: give at least one game, one method, one number"):
        compare(["loss-1d"], [], [10], range(2), file=tmp_path / "runs.db")
    with pytest.raises(PlayoutError, match=r"^nim has action ids, and this regret is of continuous games"):
        compare(["nim"], ["good"], [10], range(2), file=tmp_path / "runs.db", method=stand_in)
    with pytest.raises(PlayoutError, match=r"^--simulations '10,x' is not a row of numbers above 0; write for example"):
        read_numbers("10,x")
    assert read_numbers("1600, 100,100") == [100, 1600]


# pictures


@pytest.mark.compiles
def test_the_page_has_all_lines(found):
    page = compare_page(found)
    assert page.count("<svg") == 6 and "Player 2: regret and time" in page
    assert "good, 100 simulations: regret " in page and "4 seeds, 0 to 3" in page


@pytest.mark.slow
@pytest.mark.compiles
def test_plots(found, tmp_path):
    pytest.importorskip("matplotlib")
    for name, head in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml")):
        assert write_plot(tmp_path / name, found).read_bytes().startswith(head)
    with pytest.raises(
        PlayoutError, match=r"^--plot 'a.txt' is no picture that can be drawn; end the name with .png, .svg, .pdf$"
    ):
        check_plot(module.Path("a.txt"))


@pytest.mark.compiles
def test_the_command(tmp_path, monkeypatch, capsys):
    from playout.cli.main import run

    monkeypatch.setattr(module, "by_search", stand_in)
    words = [
        "compare",
        "loss-1d",
        "--methods",
        "good,bad",
        "--simulations",
        "10,100",
        "--seeds",
        "4",
        "--file",
        str(tmp_path / "r.db"),
    ]
    assert run([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert set(data["rows"][0]) >= {"game", "method", "simulations", "seeds", "regret", "distance", "seconds", "evaluations"}
    assert set(data["rows"][0]["regret"][0]) >= {"player", "median", "low", "high"}
    assert run([*words, "--report", str(tmp_path / "page.html")]) == 0
    out = capsys.readouterr().out
    assert out.startswith("loss-1d: regret, the median over 4 seeds and the band that holds 90 % of them\n")
    assert "seeds 0 to 3; distance: of the line from the solution" in out and (tmp_path / "page.html").is_file()
    assert run(["compare", "loss-1d", "--plot", str(tmp_path / "x.gif")]) == 2
