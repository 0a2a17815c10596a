"""Everything a user can get wrong: one exact sentence on the standard error, exit code 2, nothing on the standard output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import playout
from tests.cli.conftest import Cli

LEGAL = "a1, b1, c1, a2, b2, c2, a3, b3, c3"
SEARCH = "search tic-tac-toe --simulations 10"

BAD = {
    "search conect-four": "unknown game 'conect-four'; did you mean 'connect-four'?",
    "games tictactoe": "unknown game 'tictactoe'; did you mean 'tic-tac-toe' or 'quantum-tic-tac-toe' or 'phantom-tic-tac-toe'?",
    "search nothere.py": "game file 'nothere.py' does not exist; give the path of a Python file, or a bundled name (see: playout games)",
    "games mnk:m=60": "parameter m=60 is out of range: columns of the board must be from 1 to 50",
    "games mnk:q=6": "game 'mnk' has no parameter 'q'; parameters: m, n, k",
    "search tic-tac-toe --simulations 0": "simulations is 0; give a whole number from 1 to 2,000,000,000",
    "search tic-tac-toe --seconds -1": "seconds is -1.0; give a number above 0",
    "search tic-tac-toe --memory 0": "memory is 0.0; give a number of megabytes above 0",
    f"{SEARCH} --c nan": "c is nan; the exploration constant must be a finite number, 0 or more",
    f"{SEARCH} --rule ucb2": "rule is 'ucb2'; did you mean 'ucb1' or 'puct'?",
    f"{SEARCH} --trees 0": "trees is 0; it must be from 1 to 1,048,576, or auto",
    f"{SEARCH} --seed -3": "seed is -3; it must be a whole number from 0 to 2**63 - 1",
    f"{SEARCH} --moves b2,a1,b2": "move 3: 'b2' is not a legal action of tic-tac-toe here; legal: b1, c1, a2, c2, a3, b3, c3",
    f"{SEARCH} --moves a1,b1,a2,b2,a3,c1": "move 6: the game of tic-tac-toe is over: no action is legal, so 'c1' cannot be played",
    f"{SEARCH} --why a1 z9": f"'z9' is not a legal action of tic-tac-toe here; legal: {LEGAL}",
    f"{SEARCH} --state nothere.json": "state file 'nothere.json' does not exist; save one with `save FILE` in playout play",
    f"{SEARCH} --tree no/where.tree": "'no/where.tree' cannot be written: there is no folder 'no'; make it or choose another place",
    f"{SEARCH} --tree x.tree --trees 2": "--tree saves one tree, but --trees is 2; leave one of the two out",
    f"{SEARCH} --resume nothere.tree": "tree file 'nothere.tree' does not exist; save one with Search.save",
    f"{SEARCH} --resume x.tree --c 2": "--resume goes on with the settings that the tree was made with; leave --c out, or start anew",
    "play tic-tac-toe --agent utc": "unknown agent 'utc'; did you mean 'uct'?",
    "play tic-tac-toe --agent uct:simulation=10": "agent 'uct' has no option 'simulation'; "
    "did you mean 'simulations' or 'epsilon' or 'evaluations'?",
    "play tic-tac-toe --agent uct:simulations=0": "simulations is 0; give a whole number from 1 to 2,000,000,000",
    "play tic-tac-toe --agent random:c=1": "agent 'random' has no option 'c'; it takes none, so write just 'random'",
    "play tic-tac-toe --as 2": "--as is 2, but tic-tac-toe has 2 players: give 0 to 1",
    "play tic-tac-toe --as 1 --watch": "--watch has no seat for you; leave out --as or --watch",
    "play tic-tac-toe --agent random --agent random": "2 agents are given with --agent, but tic-tac-toe has 1 seat for them; give 1",
    "play tic-tac-toe --moves a1,b1,a2,b2,a3": "the game of tic-tac-toe is over in this position: there is nothing to play",
    "search scoundrel --deck 2C-3S-5D-2C-9S": "parameter deck='2C-3S-5D-2C-9S' has the card 2C twice; give every card once",
    "play scoundrel --deck 2C,3S,5D,5H,9S,9S": "parameter deck='2C-3S-5D-5H-9S-9S' has the card 9S twice; give every card once",
    "search scoundrel:deck=2C-3S-5D-5H-9S,order=2C-3S-5D-2C-9S": "parameter order='2C-3S-5D-2C-9S' has the card 2C twice; "
    "give every card once",
    "search scoundrel:deck=2C-3S-5D-5H-9S --deck 2C-3S-5D-9S": "parameter order='2C-3S-5D-9S' leaves out 5H; "
    "give every card of the deck once",
    "search connect-four --deck 2C-3S": "--deck lays out the cards of a game with a parameter 'order', and 'connect-four' has none; "
    "leave it out",
    **{
        f"{command} loss-1d {rest}".strip(): f"{who} works with actions that can be listed, and actions of loss-1d are real vectors; "
        "use playout search or playout compare for it"
        for command, rest, who in (
            ("arena", "random uct --games 2", "the arena"),
            ("study", "", "a study"),
            ("tune", "uct:simulations=10 c=0.1..3", "tuning"),
            ("exploit", "", "exploitability"),
        )
    },
    "search loss-1d --simulations 10 --rule puct": "rule=puct is for games whose actions can be listed, and actions of 'loss-1d' are "
    "real vectors; leave rule out",
    "search loss-1d --simulations 10 --moves 7": "move 1: 7 (component 0) is outside -5 to 5, the box of loss-1d at stage 0; choose a "
    "number inside",
    "serch": "No such command 'serch'. Did you mean 'search', 'serve', 'bench'? See playout --help",
    "search": "Missing argument 'GAME'; see playout search --help",
}


@pytest.mark.parametrize("line", BAD)
def test_one_sentence(cli: Cli, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = cli(*line.split())
    assert ran == (2, "", f"playout: {BAD[line]}\n")


@pytest.mark.parametrize(
    "line", ["search half.py", "play half.py --watch --agent random", "arena half.py random random --games 2"]
)
def test_a_game_that_hides_and_cannot_redraw(cli: Cli, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (Path(playout.__file__).parent / "games" / "kuhn_poker.py").read_text(encoding="utf-8")
    Path("half.py").write_text(text.replace("def determinize(", "def another("), encoding="utf-8")
    ran = cli(*line.split())
    assert ran.code == 2 and ran.err.endswith(
        "playout: game 'half' has observe, so something is hidden, but no determinize: add def determinize(state, player, rng), "
        "which redraws what the player cannot know\n"
    )


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["search", "tic-tac-toe", "--seconds", "soon"], "--seconds"),
        (["search", "tic-tac-toe", "--line", "middle"], "--line"),
        (["check", "tic-tac-toe", "--seed", "-1"], "--seed"),
        (["search", "tic-tac-toe", "--simulation", "5"], "--simulation"),
    ],
)
def test_typer_s_own_complaints_look_the_same(cli: Cli, words: list[str], option: str) -> None:
    ran = cli(*words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("playout: ") and option in ran.err and ran.err.count("\n") == 1
    assert ran.err.endswith(f"see playout {words[0]} --help\n")


def test_over_finished_position(cli: Cli) -> None:
    ran = cli(*SEARCH.split(), "--moves", "a1 b1 a2 b2 a3", "--json")
    assert ran == (2, "", "playout: the game of tic-tac-toe is over in this state: there is nothing to decide\n")


def test_over_finished_continuous_game(cli: Cli) -> None:
    ran = cli("search", "loss-1d", "--simulations", "10", "--moves", "0 0 0", "--json")
    assert ran == (2, "", "playout: the game of loss-1d is over in this state: there is nothing to decide\n")


def test_file_with_a_syntax_error(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "game.py"
    file.write_text("players = 2\ndef start(:\n")
    ran = cli("search", str(file))
    assert ran == (2, "", f"playout: game file {str(file)!r} has a syntax error in line 2: invalid syntax\n")


def _saved(tmp_path: Path, **changes: object) -> Path:
    data = json.loads(playout.load("tic-tac-toe").start().to_json())
    data["state"].update(changes)
    file = tmp_path / "state.json"
    file.write_text(json.dumps(data))
    return file


def test_damaged_state_files(cli: Cli, tmp_path: Path) -> None:
    file = _saved(tmp_path)
    file.write_text(file.read_text()[:40])
    ran = cli(*SEARCH.split(), "--state", str(file))
    assert ran.code == 2 and ran.err.startswith(f"playout: state file {str(file)!r}: that is no saved state (JSONDecodeError: ")
    ran = cli(*SEARCH.split(), "--state", str(_saved(tmp_path, winer=1)))
    assert ran == (
        2,
        "",
        f"playout: state file {str(file)!r}: a state of tic-tac-toe has no field 'winer'; did you mean 'winner'?\n",
    )
    for changes in ({"moves": 77}, {"free": [200] * 9}, {"place": [250] * 9}):
        ran = cli(*SEARCH.split(), "--state", str(_saved(tmp_path, **changes)))
        assert ran.code == 2 and ran.err.startswith(
            f"playout: state file {str(file)!r} is damaged: no game can be played on from it ("
        )
        assert ran.err.count("\n") == 1


def test_state_of_another_game_and_no_text(cli: Cli, tmp_path: Path) -> None:
    file = _saved(tmp_path)
    ran = cli("search", "mnk:m=4", "--state", str(file))
    assert ran.code == 2 and "the saved state is of mnk {'m': 3, 'n': 3, 'k': 3}, not of mnk {'m': 4, 'n': 3, 'k': 3}" in ran.err
    file.write_bytes(b"\xff\xfe\x00")
    assert cli(*SEARCH.split(), "--state", str(file)) == (
        2,
        "",
        f"playout: state file {str(file)!r} cannot be read: it is not text\n",
    )


@pytest.mark.compiles
def test_a_tree_file_cut_in_half(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "x.tree"
    assert cli(*SEARCH.split(), "--tree", str(file)).code == 0
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    ran = cli("search", "tic-tac-toe", "--resume", str(file))
    assert ran == (2, "", f"playout: tree file {str(file)!r} is damaged or cut short (BadZipFile); save it again\n")


FAULTY = """
import numpy as np
players, actions = 1, 2
State = np.dtype([("n", np.int8)])
def start(state, rng): pass
def legal(state, out):
    out[0], out[1] = 0, 1
    return 2
def play(state, action, rng): state.n += 1 + action
def mover(state): return -1 if state.n > 5 else 0
def returns(state, out): out[0] = state.n
"""


def test_a_fault_in_the_game_is_located_and_debug_shows_all(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "faulty.py"
    file.write_text(FAULTY + "def draw(state): return [1][state.n + 3]\n")
    ran = cli("search", str(file))
    assert ran.code == 2
    assert ran.err == (
        f"playout: draw fails in line 12 of {str(file)!r}: IndexError: list index out of range; "
        "playout check finds out why, --debug shows all\n"
    )
    assert "Traceback" in cli("search", str(file), "--debug").err
    assert "Traceback" in cli("--debug", "search", str(file)).err


@pytest.mark.compiles
def test_a_compile_error_is_a_sentence_and_debug_has_the_pages(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "faulty.py"
    file.write_text(FAULTY.replace("state.n += 1 + action", "state.n += len(str({action: 1}))"))
    ran = cli("search", str(file), "--simulations", "5", "--json")
    assert ran.code == 2 and ran.out == "" and "play" in ran.err and "Traceback" not in ran.err
    assert len(cli("search", str(file), "--simulations", "5", "--json", "--debug").err) > len(ran.err) + 200


def test_a_study_of_the_truth_says_what_has_no_meaning(cli: Cli) -> None:
    for words, sentence in (
        (("--games", "3"), "--truth plays no games, so --games 3 has no meaning; give --positions and --seeds"),
        (
            ("--workers", "2"),
            "--truth decides its positions in this process; leave --workers, --engine, --address and --fresh out",
        ),
    ):
        ran = cli("study", "tic-tac-toe", "--truth", *words)
        assert ran.code == 2 and " ".join(ran.err.split()) == f"playout: {sentence}"
