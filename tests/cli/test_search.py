"""`playout search`: what it prints, the JSON that tools rely on, positions, trees, Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

import playout
from playout.cli.position import position
from playout.cli.show import sparkline
from tests.cli.conftest import Cli
from tests.engine.trees import ROWS

SEARCH = ("search", "tic-tac-toe", "--simulations", "500", "--no-solver")


@pytest.mark.compiles
def test_prints_position_table_line_and_reason(cli: Cli) -> None:
    ran = cli(*SEARCH, "--moves", "a1", "--seed", "3", "--trace")
    assert ran.code == 0
    assert "1 X . ." in ran.out and "player 1 to act: 500 simulations" in ran.out
    header = next(row for row in ran.out.splitlines() if "visits" in row and "weight" in row)
    assert header.split() == ["name", "visits", "score", "mean", "interval", "exploit", "explore", "weight", "proven"]
    choice = ran.out.split("choice: ")[1].split()[0]
    assert f"*  {choice} " in ran.out and f"line:   {choice} " in ran.out and f"why:    {choice} leads" in ran.out
    assert "share of visits" in ran.out and "mean return" in ran.out


@pytest.mark.compiles
def test_json_has_the_promised_shape(cli: Cli) -> None:
    data = cli(*SEARCH, "--seed", "7", "--json").data
    promised = ["game", "seed", "mover", "simulations", "seconds", "nodes", "action", "name", "actions", "line"]
    assert set(promised) <= data.keys()
    assert (data["game"], data["seed"], data["mover"], data["simulations"]) == ("tic-tac-toe", 7, 0, 500)
    most = max(data["actions"], key=lambda a: a["visits"])
    assert (data["action"], data["name"]) == (most["action"], most["name"])
    row = data["actions"][0]
    assert {"action", "name", "visits", "score", "mean", "low", "high", "exploit", "explore", "weight"} <= row.keys()
    assert sum(a["visits"] for a in data["actions"]) == 500
    assert {"actions", "names", "finished", "returns"} <= data["line"].keys()
    again = cli(*SEARCH, "--seed", "7", "--json").data
    assert again["actions"] == data["actions"]


@pytest.mark.compiles
def test_line_to_the_end_says_where_the_tree_stops(cli: Cli) -> None:
    line = cli("search", "tic-tac-toe", "--simulations", "20", "--line", "end", "--json").data["line"]
    assert line["finished"] and len(line["returns"]) == 2 and line["from_tree"] < len(line["actions"])
    line = cli("search", "tic-tac-toe", "--simulations", "20", "--json").data["line"]
    assert not line["finished"] and line["returns"] is None


def test_a_single_name_with_spaces_is_one_move() -> None:
    root = playout.load("root")
    assert position(root, 0, " keep in 1 ", None) == root.start(0).play("keep in 1")
    assert position(root, 0, "keep in 1, build sawmill in 1", None) == root.start(0).replay(["keep in 1", "build sawmill in 1"])
    with pytest.raises(playout.IllegalAction, match="move 1: 'keep' is not a legal action"):
        position(root, 0, "keep in 7", None)


@pytest.mark.compiles
def test_moves_by_id_and_name_spaces_and_commas(cli: Cli) -> None:
    positions = [cli(*SEARCH, "--moves", moves).out.split("\n\n")[0] for moves in ("b2 a1", "b2, a1", "4,0", "B2 0 ")]
    assert len(set(positions)) == 1 and positions[0].splitlines()[1:3] == ["2 . X .", "1 O . ."]


@pytest.mark.compiles
def test_every_setting_is_an_option(cli: Cli) -> None:
    words = [
        "--c",
        "0.7",
        "--rule",
        "ucb1-tuned",
        "--root-rule",
        "equal",
        "--batch",
        "4",
        "--fpu",
        "0.5",
        "--scale",
        "raw",
        "--depth",
        "4",
        "--playout",
        "uniform",
        "--playouts",
        "2",
        "--cutoff",
        "3",
        "--cut",
        "returns",
        "--decisive",
        "win",
        "--decisive-playouts",
        "win",
        "--transpositions",
        "--discount",
        "0.9",
        "--final",
        "mean",
        "--trees",
        "2",
        "--threads",
        "1",
        "--seed",
        "5",
        "--memory",
        "10",
    ]
    # The game that discounts in the other tests too.
    settings = cli("search", ROWS, "--simulations", "50", "--no-solver", *words, "--json").data["settings"]
    assert settings == {
        "rule": "ucb1-tuned", "root_rule": "equal", "c": 0.7, "fpu": 0.5, "scale": "raw", "solver": False, "prove": 0.0, "score_bounds": False, "proof_weight": 0.0, "depth": 4, "playout": "uniform",
        "playouts": 2, "cutoff": 3, "cut": "returns", "decisive": "win", "decisive_playouts": "win", "transpositions": True, "value": "",
        "graph": False, "hidden": "none", "open_loop": False, "redraw": False, "observation_width": None, "observation_power": 0.5,
        "method": "auto", "width": 2.0, "power": 0.5, "sampling": "sequence", "borrow": True, "backup": "max", "exponent": 8.0,
        "last": "auto", "refine": 1.0, "evaluations": 40.0, "derivative": "auto", "slopes": "auto", "rate": 0.001, "branches": 5,
        "distance": 0.001, "moved": "added", "discount": 0.9, "final": "mean", "early_stop": False, "batch": 4, "trees": 2,
        "threads": 1, "seed": 5, "rave": None, "grave": None,
        "epsilon": 0.4, "bias": None, "implicit": None, "mixing": 0.1, "smooth": False, "reward": "",
    }  # fmt: skip
    assert set(settings) == set(playout.Settings.__struct_fields__)
    assert cli(*SEARCH, "--early-stop", "--json").data["settings"]["early_stop"]


@pytest.mark.compiles
def test_why_compares_the_two_asked_for(cli: Cli) -> None:
    assert "why:    a2 " in cli(*SEARCH, "--why", "a2", "2").out
    assert " c1 " in cli(*SEARCH, "--why", "a2", "2", "--json").data["why"]


@pytest.mark.compiles
def test_the_default_budget_is_said(cli: Cli) -> None:
    ran = cli("search", "tic-tac-toe", "--json")
    assert "searching for 1 second (choose with --seconds or --simulations)" in ran.err
    assert ran.data["stopped"] == "proven"


@pytest.mark.compiles
def test_state_round_trip(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "position.json"
    cli("play", "tic-tac-toe", "--moves", "b2 a1", typed=f"save {file}\n")
    saved = cli(*SEARCH, "--state", str(file), "--json").data
    assert saved["actions"] == cli(*SEARCH, "--moves", "b2 a1", "--json").data["actions"]
    further = cli(*SEARCH, "--state", str(file), "--moves", "c1", "--json").data
    assert further["mover"] == 1 and len(further["actions"]) == 6


@pytest.mark.compiles
def test_tree_saved_resumed_and_moved_on(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "x.tree"
    assert f"tree saved: {file}" in cli(*SEARCH, "--moves", "b2", "--tree", str(file)).err
    data = cli("search", "tic-tac-toe", "--simulations", "100", "--resume", str(file), "--json").data
    assert (data["simulations"], data["parent_visits"], data["mover"]) == (100, 600, 1)
    moved = cli("search", "tic-tac-toe", "--simulations", "100", "--resume", str(file), "--moves", "a1", "--json").data
    assert moved["mover"] == 0 and moved["parent_visits"] > 100 and len(moved["actions"]) == 7


@pytest.mark.compiles
def test_report_is_written(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "out.html"
    assert f"report written: {file}" in cli(*SEARCH, "--report", str(file)).err
    assert "<html" in file.read_text()


@pytest.mark.compiles
def test_top_rows(cli: Cli) -> None:
    assert "and 6 more (--top 9 shows them" in cli(*SEARCH, "--top", "3").out


def _interrupted(after: float) -> tuple[int, str, str, float]:
    words = [sys.executable, "-c", "from playout.cli.main import main; main()", *SEARCH[:2], "--seconds", "60", "--no-solver"]
    # A shell without job control starts what is behind "&" deaf to Ctrl-C, and children inherit that.
    listening = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=listening) as process:
        assert process.stdout is not None
        process.stdout.readline()  # the position is drawn; what was compiled is loaded, and the search begins
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        out, err = process.communicate(timeout=30)
    return process.returncode, out, err, time.monotonic() - began


@pytest.mark.compiles
def test_ctrl_c_gives_the_best_so_far(cli: Cli) -> None:
    cli(*SEARCH)  # compiled by now
    for after in (2.0, 10.0):
        code, out, err, took = _interrupted(after)
        assert "Traceback" not in err
        if code == 0:
            break
        assert (code, err.splitlines()[-1]) == (130, "playout: interrupted")  # a busy machine: not yet searching
    assert "stopped: interrupted" in out and "choice: " in out and took < 10


def test_sparkline() -> None:
    assert sparkline([0, 1, None, 0.5]) == "▁█ ▅"
    assert sparkline([2, 2]) == "▄▄" and sparkline([None]) == " "


@pytest.mark.compiles
def test_hidden_games_tell_of_their_worlds(cli: Cli, tmp_path: Path) -> None:
    words = ("search", "kuhn-poker", "--simulations", "500", "--seed", "4", "--survey", "12", "--survey-simulations", "40")
    ran = cli(*words, "--report", str(tmp_path / "page.html"))
    assert ran.code == 0 and "500 simulations in 500 worlds" in ran.out
    assert "worlds: 500 sampled by the search (one for each simulation)" in ran.out
    assert "survey: 12 further worlds, each searched with open cards (40 simulations each" in ran.out
    assert "best in" in ran.out and "of 12" in ran.out and "mind:   The mean of" in ran.out
    page = (tmp_path / "page.html").read_text()
    assert "In how many worlds it was best" in page and "How the outcomes spread" in page and "worlds sampled" in page
    data = cli(*words, "--json").data
    assert data["worlds"] == 500 and data["survey"]["worlds"] == 12 and data["note"] is None
    bare = cli(*words[:6], "--survey", "0", "--json").data
    assert bare["survey"] is None and bare["actions"] == data["actions"]
    assert "one for each tree" in cli(*words, "--hidden", "pimc").out


@pytest.mark.compiles
def test_nothing_hidden_is_said(cli: Cli) -> None:
    asked = (*SEARCH, "--hidden", "ismcts")
    assert "note:   nothing is hidden in tic-tac-toe, so hidden=ismcts changed nothing" in cli(*asked).out
    data = cli(*asked, "--json").data
    assert data["note"].startswith("nothing is hidden") and data["worlds"] is None and data["survey"] is None


def test_a_survey_that_is_too_big_is_refused_before_the_search(cli: Cli) -> None:
    ran = cli("search", "kuhn-poker", "--seconds", "60", "--survey", "10001")
    assert ran.code == 2 and "survey is 10001; give a number of worlds from 1 to 10,000, or 0 for none" in ran.err


@pytest.mark.compiles
def test_a_continuous_tree_is_saved_and_resumed(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "x.tree"
    words = ("search", "loss-1d", "--simulations", "100", "--json")
    assert cli(*words, "--seed", "3", "--tree", str(file)).code == 0
    data = cli(*words, "--resume", str(file)).data
    assert data["line"]["finished"] and max(data["regret"]["players"]) < 1e-4
    assert cli("search", "loss-1d", "--simulations", "200", "--seed", "3", "--json").data["action"] == data["action"]


def test_with_one_legal_action_the_decision_is_there_at_once(cli: Cli) -> None:
    words = ("search", "tic-tac-toe", "--moves", "a1 b1 a2 b2 c1 c2 b3 a3", "--simulations", "50000")
    ran = cli(*words)
    assert ran.code == 0 and "choice: c3   (player 0, the only legal action)" in ran.out
    assert "one legal action, so nothing was searched" in ran.out and "why:    c3 is the only legal action." in ran.out
    data = cli(*words, "--json").data
    assert data["simulations"] == 0 and data["stopped"] == "only" and data["settled"]
