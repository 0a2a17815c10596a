"""`playout arena`, `replay`, `tune` and `study` as users type them."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from playout.cli.tables import span
from tests.arena.test_referee import FAILING, STAIRS
from tests.cli.conftest import Cli
from tests.tiers import compiling


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def arena(games: int = 20) -> tuple[str, ...]:
    """A small tournament with one worker: what two of them do is asked once here and everywhere in tests/arena."""
    return ("arena", "tic-tac-toe", "uct:simulations=50", "random", "--games", str(games), "--workers", "1")


ARENA = arena()


@pytest.mark.compiles
def test_a_tournament_in_words(cli: Cli) -> None:
    ran = cli(*ARENA[:-1], "2")
    assert ran.code == 0, ran.err
    for words in (
        "uct:simulations=50 leads with",
        "After 20 games between 2 agents",
        "seed 0",
        "Elo",
        "95 % interval",
        "points of the row against the column",
    ):
        assert words in ran.out
    for words in (
        "points per side",
        "player 0",
        "player 1",
        "s/decision",
        "the game: ",
        "of the points to the first mover",
        "drawn",
    ):
        assert words in ran.out
    kept = re.search(r"games are kept in (\S+)", ran.err)
    assert kept and Path(kept[1]).is_file() and kept[1].startswith("playout-arena/tic-tac-toe-")


@pytest.mark.compiles
def test_the_same_command_finds_its_games_again(cli: Cli) -> None:
    first = cli(*ARENA, "--json").data
    assert cli(*ARENA, "--json").data == first
    assert len(list(Path("playout-arena").iterdir())) == 1
    longer = cli(*arena(30), "--json").data
    assert longer["games"] == 30 and len(list(Path("playout-arena").iterdir())) == 1
    other = cli(*ARENA, "--seed", "3", "--json").data
    assert other["seed"] == 3 and len(list(Path("playout-arena").iterdir())) == 2


@pytest.mark.compiles
def test_fresh_forgets(cli: Cli) -> None:
    file = ("--file", "a.db")
    cli(*arena(30), *file)
    assert cli("arena", "--file", "a.db", "--json").data["games"] == 30
    assert cli(*ARENA, *file, "--fresh", "--json").data["games"] == 20
    assert cli("arena", "--file", "a.db", "--json").data["games"] == 20


@pytest.mark.compiles
def test_report_export_and_replay(cli: Cli) -> None:
    ran = cli(*ARENA, "--file", "a.db", "--report", "out.html", "--export", "games.parquet")
    assert ran.code == 0, ran.err
    page = Path("out.html").read_text()
    assert (
        "<svg" in page
        and "uct:simulations=50" in page
        and "<script" not in page
        and "http" not in page.replace("http://www.w3.org", "")
    )
    import duckdb
    import polars

    table = polars.read_parquet("games.parquet")
    assert table.height == 20 and {"agent_0", "points_1", "moves", "seconds"} <= set(table.columns)
    total = duckdb.sql("SELECT sum(points_0) + sum(points_1), count(DISTINCT number) FROM 'games.parquet'").fetchall()
    assert total == [(20.0, 20)]
    assert cli("arena", "--file", "a.db", "--export", "games.csv").code == 0
    assert len(Path("games.csv").read_text().splitlines()) == 21
    assert "20 games of tic-tac-toe" in cli("replay", "a.db").out
    assert cli("replay", "a.db", "--json").data["games"] == 20
    shown = cli("replay", "a.db", "--game", "3")
    data = cli("replay", "a.db", "--game", "3", "--json").data
    assert shown.code == 0 and f"plays {data['names'][0]}" in shown.out and "over after" in shown.out
    assert cli("replay", "a.db", "--game", "3", "--last").out.count("over after") == 1
    assert data["moves"] == table["moves"][3].to_list() and data["agents"] == [table["agent_0"][3], table["agent_1"][3]]


def uncompiled(name: str) -> str:
    """A bundled game in a file of its own, to be played without machine code."""
    file = Path(f"{name}_plain.py")
    file.write_text(f'"""{name}, uncompiled."""\nfrom playout.games.{name} import *\ncompiled = False\n')
    return str(file)


def test_a_replay_for_one_player_shows_what_that_player_saw(cli: Cli) -> None:
    game = uncompiled("phantom_tic_tac_toe")
    ran = cli("arena", game, "random", "random", "--games", "2", "--file", "p.db", "--engine", "here")
    assert ran.code == 0, ran.err
    open_eyes, mine = cli("replay", "p.db", "--game", "1").out, cli("replay", "p.db", "--game", "1", "--as", "1").out
    assert "player 0 plays" in open_eyes and "player 1 plays" in open_eyes
    assert "player 0 plays" not in mine and "player 0 acted" in mine and "player 1 plays" in mine and "over: " in mine
    data = cli("replay", "p.db", "--game", "1", "--as", "1", "--json").data
    assert "moves" not in data and "seed" not in data and data["viewer"] == 1 and "player 0 acted" in data["told"]
    assert "player 0 acted, player 1 plays" in cli("replay", "p.db", "--game", "1", "--as", "1", "--last").out
    assert "--as is 2, but" in cli("replay", "p.db", "--game", "1", "--as", "2").err
    assert "--as 1 shows one game as a player saw it; say which one with --game NUMBER" in cli("replay", "p.db", "--as", "1").err


@pytest.mark.compiles
def test_a_file_alone_is_shown_and_made_longer(cli: Cli) -> None:
    first = cli(*ARENA, "--file", "a.db", "--json").data
    assert cli("arena", "--file", "a.db", "--json").data["agents"] == first["agents"]
    longer = cli("arena", "--file", "a.db", "--games", "24", "--workers", "1", "--json").data
    assert longer["games"] == 24


@pytest.mark.compiles
def test_a_solitaire(cli: Cli) -> None:
    words = ("arena", str(STAIRS), "random", f"{FAILING}:make_first", "--games", "20", "--workers", "1")
    ran = cli(*words)
    assert (
        ran.code == 0 and "mean score" in ran.out and "on the same deals" in ran.out and "leads with a mean score of" in ran.out
    )
    data = cli(*words, "--json").data
    assert (
        data["games"] == 20
        and {"wins", "win_rate", "low", "high", "mean_score", "score_low", "score_high"} <= data["agents"][0].keys()
    )


@pytest.mark.compiles
def test_three_players(cli: Cli) -> None:
    ran = cli("arena", "treasure", "uct:simulations=20", "random", "random", "--games", "12", "--workers", "1")
    assert ran.code == 0 and "openskill" in ran.out and "player 2" in ran.out


@pytest.mark.compiles
def test_until(cli: Cli) -> None:
    ran = cli("arena", "tic-tac-toe", "uct:simulations=60", "random", "--games", "4000", "--until", "0.99", "--workers", "1")
    assert ran.code == 0 and "at 99 % confidence: uct:simulations=60 is better than the other one." in ran.out


@pytest.mark.compiles
def test_faults_are_said(cli: Cli) -> None:
    ran = cli("arena", "tic-tac-toe", f"{FAILING}:make_crash", "random", "--games", "4", "--workers", "1")
    assert ran.code == 0 and "by an error, first game 0: ValueError: lost my mind" in ran.out and "faults" in ran.out


@pytest.mark.slow
@pytest.mark.compiles
def test_ctrl_c_keeps_what_is_finished(tmp_path: Path) -> None:
    """A real process, a real signal: partial standings, exit code 130, and the same command goes on."""
    words = [
        sys.executable,
        "-c",
        "from playout.cli.main import main; main()",
        "arena",
        "tic-tac-toe",
        "uct:simulations=100",
        "random",
    ]
    words += ["--games", "3000", "--workers", "2", "--file", "a.db"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    from playout.arena import Store
    from playout.errors import PlayoutError

    def count() -> int:
        try:
            with Store("a.db") as store:
                return store.count()
        except PlayoutError:
            return 0

    deadline = time.monotonic() + 60
    while count() < 20 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "what is finished is kept, and the same command goes on from here" in err and "Traceback" not in err
    found = re.search(r"After ([\d,]+) games", out)
    assert found and 20 <= int(found[1].replace(",", "")) == count() < 3000
    assert not Path("a.db.lock").exists() and not Path("a.db-wal").exists()


@pytest.mark.compiles
def test_unrated_agents_and_single_games(cli: Cli) -> None:
    ran = cli("arena", "treasure", *["random"] * 6, "--games", "3", "--workers", "1", "--report", "out.html")
    assert ran.code == 0 and "openskill" in ran.out, ran.err
    ran = cli("arena", "tic-tac-toe", *["random"] * 5, "--games", "1", "--workers", "1", "--report", "out.html")
    assert ran.code == 0 and "1 game is no whole number of rounds" in ran.out and "1 different game\n" in ran.out


@pytest.mark.compiles
def test_export_writes_what_was_asked_for(cli: Cli) -> None:
    cli(*ARENA, "--file", "a.db")
    assert cli(*arena(6), "--file", "a.db", "--export", "few.csv", "--json").data["games"] == 6
    assert len(Path("few.csv").read_text().splitlines()) == 7


def test_a_file_of_others_survives_fresh(cli: Cli) -> None:
    Path("precious.txt").write_text("precious\n")
    ran = cli(*ARENA, "--file", "precious.txt", "--fresh")
    assert ran.code == 2 and "'precious.txt' is no experiment's file of playout; it is left alone" in ran.err
    assert Path("precious.txt").read_text() == "precious\n"


@pytest.mark.compiles
def test_tuning_says_when_candidates_fail(cli: Cli) -> None:
    Path("late.py").write_text("def make(game, seed=0, k='1'):\n    return lambda state: 77 if int(k) > 1 else state.legal[0]\n")
    ran = cli("tune", "tic-tac-toe", "late.py:make", "k=2..9", "--games", "100", "--workers", "1", "--openings", "2")
    assert ran.code == 0 and "by faults (errors, illegal actions, time), not by being beaten" in ran.out
    ran = cli("tune", "tic-tac-toe", "late.py:make", "q=2..9", "--games", "100")
    assert ran.code == 2 and "could not be made: TypeError" in ran.err


BAD = {
    "arena": "say which game and which agents: playout arena connect-four uct random; or --file with an experiment",
    "arena tic-tac-toe": "0 agents are given; give 1 to 200, as in: random uct:simulations=1000",
    "arena tic-tac-toe random": "1 agent is given for a game of 2 players; give at least two (the same one twice plays against itself)",
    "arena tic-tac-toe random utc": "unknown agent 'utc'; did you mean 'uct'?",
    "arena tictactoe random random": "unknown game 'tictactoe'; did you mean 'tic-tac-toe' or 'quantum-tic-tac-toe' or 'phantom-tic-tac-toe'?",
    "arena tic-tac-toe random person": "agent 'person' cannot sit in the arena, which waits for nobody; play with playout play instead",
    "arena tic-tac-toe random random --until 2": "until is 2.0; give the confidence to reach, above 0.5 and below 1, for example 0.99",
    "arena tic-tac-toe random random --limit 0": "limit is 0.0; give the seconds that a decision may take, above 0",
    "arena tic-tac-toe random random --address auto": "--address auto names a Ray cluster; add --engine ray",
    "arena tic-tac-toe random random --export games.xls": "'games.xls' ends in '.xls'; export to a name that ends in .parquet or .csv",
    "arena tic-tac-toe random random --report no/out.html": "'no/out.html' cannot be written: there is no folder 'no'; "
    "make it or choose another place",
    "arena --file nothere.db": "experiment file 'nothere.db' does not exist; playout arena writes one",
    "arena --file a.db --seed 5": "--seed is already said in --file; leave it out, or give the game and the agents for another experiment",
    "arena tic-tac-toe random random --win-above nan": "win_above is nan; give the score above which a game is won",
    "study tic-tac-toe --budgets 1,inf": "budgets '1,inf' give 2 levels; write 2 to 20 growing numbers, as in 50..1600",
    "arena --file a.db --fresh": "--fresh forgets the games of --file, so say which game and agents to begin anew with",
    "arena tic-tac-toe random random --openings 9 --games 2 --workers 1": "openings is 9, but tic-tac-toe was over within 9 random "
    "actions 200 times in a row; take fewer",
    "replay nothere.db": "experiment file 'nothere.db' does not exist; playout arena writes one",
    "tune tic-tac-toe uct c": "'c' is no setting to vary; write for example c=0.1..3, or rule=ucb1,ucb1-tuned",
    "tune tic-tac-toe uct d=1..2": "agent 'uct' has no option 'd'; known: ",
    "study tic-tac-toe --budgets 5": "budgets '5' give 1 levels; write 2 to 20 growing numbers, as in 50..1600",
}


@pytest.mark.parametrize("line", compiling(BAD, ["arena tic-tac-toe random random --openings 9 --games 2 --workers 1"]))
def test_bad_input_gets_one_sentence(cli: Cli, line: str) -> None:
    ran = cli(*line.split())
    assert ran.code == 2 and ran.out == "" and ran.err.splitlines()[-1].startswith(f"playout: {BAD[line]}")
    assert "Traceback" not in ran.err


@pytest.mark.compiles
def test_damaged_and_foreign_files_are_said(cli: Cli) -> None:
    cli(*ARENA, "--file", "a.db")
    assert "holds another experiment, and this one has seed 1 instead of 0" in cli(*ARENA, "--file", "a.db", "--seed", "1").err
    data = Path("a.db").read_bytes()
    Path("a.db").write_bytes(data[: len(data) // 2])
    for line in (("arena", "--file", "a.db"), ("replay", "a.db"), (*ARENA, "--file", "a.db")):
        ran = cli(*line)
        assert (
            ran.code == 2 and "'a.db' is damaged" in ran.err and "restore it from a copy, or begin anew with --fresh" in ran.err
        )
    Path("b.db").write_text("not a database " * 100)
    ran = cli("replay", "b.db")
    assert ran.code == 2 and "'b.db' is no experiment's file" in ran.err
    assert Path("b.db").read_text() == "not a database " * 100


@pytest.mark.slow
@pytest.mark.compiles
def test_tune_and_study(cli: Cli) -> None:
    line = ("tune", "tic-tac-toe", "uct:simulations=20", "c=0.1..3", "rule=ucb1,ucb1-tuned", "--games", "100", "--workers", "1")
    ran = cli(*line, "--report", "tune.html")
    assert ran.code == 0, ran.err
    assert (
        re.search(r"^(not )?confirmed: uct:simulations=20,c=", ran.out, re.MULTILINE)
        and "fresh games" in ran.out
        and "rule" in ran.out
    )
    data = cli(*line, "--json").data
    assert {"best", "values", "confirmation", "confirmed", "trials"} <= data.keys()
    ran = cli("study", "tic-tac-toe", "--budgets", "5..20", "--games", "30", "--workers", "1", "--report", "study.html")
    assert ran.code == 0 and "played well" in ran.out and "at random" in ran.out and "Elo" in ran.out
    data = cli("study", "tic-tac-toe", "--budgets", "5..20", "--games", "30", "--workers", "1", "--json").data
    assert [level["budget"] for level in data["levels"]] == [5, 10, 20]
    for page in ("tune.html", "study.html"):
        assert "<svg" in Path(page).read_text()


def test_help_is_there_for_all(cli: Cli) -> None:
    for command in ("arena", "replay", "tune", "study"):
        ran = cli(command, "--help")
        assert ran.code == 0 and "Examples" in ran.out and "--json" in ran.out


def test_spans_of_time() -> None:
    assert [span(s) for s in (None, 2e-6, 0.0123, 1.5, 90, 7200)] == ["-", "2 µs", "12.3 ms", "1.5 s", "1.5 min", "2 h"]


@pytest.mark.compiles
def test_json_is_all_that_is_printed(cli: Cli) -> None:
    ran = cli(*ARENA, "--json")
    assert ran.code == 0 and json.loads(ran.out)["game"] == "tic-tac-toe"
