"""`playout games`, `playout check`, the help pages, and how quickly the command line starts."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import playout
from playout.cli.options import EVERYDAY
from tests.cli.conftest import Cli

FOUR = Path(__file__).parents[2] / "examples" / "connect_four.py"


def test_games_lists_names_aliases_and_parameters(cli: Cli) -> None:
    ran = cli("games")
    assert ran.code == 0
    for words in ("connect-four", "columns of the board, 1 to 50", "another name of mnk:m=3,n=3,k=3", "Pig: roll as often"):
        assert words in ran.out
    rows = {row["name"]: row for row in cli("games", "--json").data["games"]}
    assert rows["tic-tac-toe"]["alias"] == "mnk:m=3,n=3,k=3" and rows["gomoku"]["actions"] == 225
    assert rows["mnk"]["parameters"][0] == {
        "name": "m",
        "value": 3,
        "default": 3,
        "low": 1,
        "high": 50,
        "help": "columns of the board",
    }


def test_one_game_closely(cli: Cli) -> None:
    out = cli("games", "mnk:m=4,n=3,k=3").out
    assert out.startswith("mnk:m=4\n") and "3 . . . ." in out and "player 0 to act: a1, b1" in out and "m=4  columns" in out
    data = cli("games", "tic-tac-toe", "--json").data
    assert (
        data["players"] == 2
        and data["start"]["mover"] == 0
        and "draw" in data["defines"]
        and data["start"]["state"]["moves"] == 0
    )


def test_games_tells_what_a_network_sees(cli: Cli, tmp_path: Path) -> None:
    assert "a network sees 3 planes of 6 x 7, by the game's encode, 2 symmetries" in cli("games", "connect-four").out
    data = cli("games", "leduc-poker", "--json").data
    assert data["encoding"]["source"] == "made" and data["encoding"]["plan"]["columns"][0]["field"] == "cards"
    assert cli("games", "loss-1d", "--json").data["encoding"] is None
    file = tmp_path / "falls.py"
    file.write_text(FOUR.read_text(encoding="utf-8").replace("state.discs += 1", "state.discs += 1 // 0"), encoding="utf-8")
    assert "a network cannot see it: game 'falls' cannot be encoded: ZeroDivisionError" in " ".join(
        cli("games", str(file)).out.split()
    )


def test_a_hidden_deck_is_not_shown(cli: Cli) -> None:
    assert "dungeon  40 cards: 40 unknown\n" in cli("games", "scoundrel").out
    assert cli("games", "scoundrel", "--json").data["start"]["draw"].endswith("40 cards: 40 unknown")
    assert "player 1: ?" in cli("games", "kuhn-poker").out
    # Two deals that the first player cannot tell apart give the same JSON, whatever the other holds and chance will bring.
    game = playout.load("kuhn-poker")
    deals: dict[bytes, list[int]] = {}
    for seed in range(30):
        deals.setdefault(game.start(seed).observed(0), []).append(seed)
    for seeds in deals.values():
        assert len({bytes(game.start(seed)) for seed in seeds}) > 1
        printed = [cli("games", "kuhn-poker", "--json", "--seed", str(seed)).data["start"] for seed in seeds]
        assert all(one == printed[0] for one in printed) and printed[0]["viewer"] == 0 and "state" not in printed[0]


def test_the_package_runs_as_a_module() -> None:
    words = [sys.executable, "-m", "playout", "games", "nosuch"]
    ran = subprocess.run(words, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (2, "") and ran.stderr.startswith("playout: unknown game 'nosuch'")


def test_one_continuous_game_closely(cli: Cli) -> None:
    out = cli("games", "pursuit:wind=1,rounds=1").out
    for words in (
        "2 players, 3 stages, a state of 88 bytes, returns from -1 to 1",
        "movers: player 0, chance, player 1",
        "an action is a vector of 2 real numbers",
        "player 0 to act, every number from -1 to 1",
    ):
        assert words in out
    out = cli("games", "quantum-line").out
    assert (
        "an action is a unit complex vector of 5 components, 10 real numbers" in out and "also defines action_name, draw" in out
    )
    assert "player 0 to act, a number from -5 to 5" in cli("games", "loss-1d").out
    data = cli("games", "pursuit:wind=1,rounds=1", "--json").data
    assert data["actions"] is None and data["start"]["box"] == [[-1, -1], [1, 1]]
    assert data["continuous"] == {"stages": 3, "movers": [0, None, 1], "dimension": 2, "action_set": "box"}
    assert "solution" in cli("games", "pursuit:arena=0", "--json").data["defines"]
    listed = {row["name"]: row for row in cli("games", "--json").data["games"]}
    assert listed["connect-four"]["continuous"] is None and listed["quantum-tic-tac-toe"]["continuous"]["dimension"] == 18
    assert "real^18" in cli("games").out


def test_a_parameter_that_is_no_number_is_out_of_range(cli: Cli) -> None:
    ran = cli("games", "pursuit:arena=nan")
    assert ran.code == 2
    assert "parameter arena=nan is out of range: distance of the walls from the middle, 0: no walls must be from 0.0" in ran.err


@pytest.mark.compiles
def test_check_passes_and_gives_json(cli: Cli) -> None:
    data = cli("check", "tic-tac-toe", "--seconds", "1", "--json").data
    assert data["ok"] and data["game"] == "tic-tac-toe" and data["problems"] == [] and "rows" in data["speed"]


@pytest.mark.compiles
def test_check_of_a_wrong_game_exits_with_1(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(
        "import numpy as np\nplayers, actions = 1, 2\nState = np.dtype([('n', np.int8)])\n"
        "def start(state, rng): pass\ndef legal(state, out):\n    out[0] = 5\n    return 1\n"
        "def play(state, action, rng): state.n += 1\ndef mover(state): return -1 if state.n > 3 else 0\n"
        "def returns(state, out): out[0] = 0\n"
    )
    ran = cli("check", str(file), "--seconds", "1")
    assert ran.code == 1 and "problem" in ran.out and "legal" in ran.out


def test_help_of_a_search_shows_ten_options_and_all_when_asked(cli: Cli) -> None:
    def options(word: str) -> set[str]:
        page = re.sub(r"\x1b\[[0-9;]*m", "", cli("search", word).out)
        return set(re.findall(r"^│ (?:\*? *)--([a-z-]+)", page, re.MULTILINE)) - {
            "help",
            "help-all",
            "timeout",
        }  # the last belongs to every command

    assert options("--help") == EVERYDAY and len(EVERYDAY) == 11
    every = {name.replace("_", "-") for name in (*playout.Settings.__struct_fields__, *playout.Budget.__struct_fields__)}
    assert every | {"survey", "debug", "trace", "resume", "top"} <= options("--help-all")


@pytest.mark.parametrize("command", ["games", "search", "play", "check", "bench", "demo"])
def test_every_command_has_a_help_page_with_examples(cli: Cli, command: str) -> None:
    ran = cli(command, "--help")
    page = re.sub(r"\x1b\[[0-9;]*m", "", ran.out)
    assert ran.code == 0 and f"playout {command}" in page and ("Examples" in page or command == "demo")
    assert "--seed" in page and "--json" in page and ("--debug" in page or command == "search")


def test_the_first_page_leads_on(cli: Cli) -> None:
    for words in ((), ("--help",)):
        ran = cli(*words)
        assert ran.code == 0 and "playout play connect-four" in ran.out
    assert cli("--version").out.startswith("playout 0.")


def test_help_does_not_load_the_compiler() -> None:
    script = (
        "import sys; from playout.cli.main import run; run(['--help']); "
        "sys.exit(any(m in sys.modules for m in ('numba', 'matplotlib', 'playout.report', 'playout.agents', 'playout.checker')))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True).returncode == 0
