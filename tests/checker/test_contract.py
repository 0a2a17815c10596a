"""Every message of the checker, from a game that deserves it; uncompiled, since none of these faults needs a compiler."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from playout import PlayoutError, load
from playout.checker import check
from playout.checker.contract.findings import Findings
from playout.checker.contract.mirrors import Mirrors
from playout.checker.contract.probe import Probe
from playout.checker.contract.watch import Watch
from playout.cli.position import read_state
from playout.errors import FileError
from playout.game.symmetry import symmetries_of

from .broken import broken
from .mistakes import CASES, LAWS, symmetric


@pytest.mark.parametrize("name", CASES)
def test_a_broken_game_gets_its_message(name: str, tmp_path: Path) -> None:
    code, words, parts = CASES[name]
    report = check(broken(tmp_path, **parts), states=60, seconds=2 if name != "never over" else 20, compiled=False)
    assert not report.ok
    found = {problem.code: problem.message for problem in report.problems}
    assert code in found, found
    for word in words:
        assert word in found[code]
    assert "mygame.py" in found[code] and "\n" not in found[code]


def test_the_good_game_passes(tmp_path: Path) -> None:
    report = check(broken(tmp_path), states=100, compiled=False)
    assert report.ok and report.problems == () and report.speed is None
    assert report.states >= 100 and report.playouts >= 20 and report.longest == 4 and report.most_legal == 4
    assert any("key(state)" in note for note in report.notes)
    data = json.loads(report.to_json())
    assert data["ok"] is True and data["problems"] == [] and data["speed"] is None and data["game"].endswith("mygame.py")
    assert "keeps the contract" in str(report)


def test_a_finished_game_is_shown(tmp_path: Path) -> None:
    report = check(
        broken(tmp_path, draw="def draw(state):\n    return f'first cell: {state.cells[0]}'"), states=20, compiled=False
    )
    sample = report.sample
    assert sample is not None and len(sample.actions) == 4 and sample.seed == 0
    end = broken(tmp_path).start(0).replay(sample.actions)
    assert end.over and end.returns == sample.returns and set(sample.returns) == {1.0, -1.0}
    assert sample.drawing == f"first cell: {end.fields.cells[0]}"
    paid = ", ".join(f"player {player} {value:+g}" for player, value in enumerate(sample.returns))
    assert (
        f"  a random game (seed 0, 4 actions): {', '.join(sample.actions)}\n    {sample.drawing}\n    returns: {paid}; is that right?"
        in str(report)
    )
    assert json.loads(report.to_json())["sample"]["returns"] == list(sample.returns)


def test_a_key_that_leaves_out_what_does_not_matter_is_only_noted(tmp_path: Path) -> None:
    key = "def key(state):\n    return state.cells[0] + 3 * state.cells[1] + 9 * state.cells[2] + 27 * state.cells[3]"
    report = check(broken(tmp_path, key=key), states=60, compiled=False)
    assert report.ok and any("is the same for states that differ in bonus" in note for note in report.notes)


def test_pick_is_compared_with_other_draws_in_every_state(tmp_path: Path) -> None:
    """In a long game all states may be of one seed."""
    parts = {
        "legal": "def legal(state, out):\n    for i in range(4):\n        out[i] = i\n    return 4",
        "play": "def play(state, action, rng):\n    state.moves += 1",
        "mover": "def mover(state):\n    return -1 if state.moves == 400 else state.moves & 1",
        "returns": "def returns(state, out):\n    out[0] = out[1] = 0.0",
    }
    for wrong in range(4):
        pick = f"def pick(state, rng):\n    place = below(rng, 4)\n    return {(wrong + 1) % 4} if place == {wrong} else place"
        report = check(broken(tmp_path, **parts, more=pick), states=40, compiled=False)
        assert [problem.code for problem in report.problems] == ["pick-wrong"]


def test_what_a_game_prints_is_held_back_and_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loud = "def play(state, action, rng):\n    print('playing', action)\n    state.cells[action] = 1 + (state.moves & 1)\n    state.moves += 1"
    report = check(broken(tmp_path, play=loud), states=60, compiled=False)
    assert capsys.readouterr().out == ""
    assert [p.code for p in report.problems].count("source-print") == 1
    hidden = "say = print\n" + loud.replace("print(", "say(")
    report = check(broken(tmp_path, play=hidden), states=60, compiled=False)
    (found,) = (p for p in report.problems if p.code == "source-print")
    assert capsys.readouterr().out == ""
    assert "prints ('playing" in found.message and found.message.endswith("take it out, or put it into draw")


def test_a_report_prints_and_encodes_its_problems(tmp_path: Path) -> None:
    report = check(broken(tmp_path, mover="def mover(state):\n    return 5"), states=10, compiled=False)
    assert "has 1 problem" in str(report) and "mover-range" in str(report)
    (problem,) = json.loads(report.to_json())["problems"]
    assert problem["code"] == "mover-range" and problem["message"].startswith("mover (")
    assert str(report.problems[0]).startswith("mover-range: mover (")


def test_the_state_in_a_message_can_be_reached_again(tmp_path: Path) -> None:
    parts = {"play": "def play(state, action, rng):\n    state.cells[action] = 1\n    state.moves += 1 + 7 * (state.moves == 2)"}
    game = broken(
        tmp_path, **parts, more="def evaluate(state, out):\n    out[0] = 0.0 if state.moves < 9 else 4.0\n    out[1] = 0.0"
    )
    (message,) = (p.message for p in check(game, states=40, compiled=False).problems if p.code == "evaluate-range")
    actions = message.partition("after actions ")[2].partition(" from seed ")[0]
    seed = message.partition(" from seed ")[2].partition(" ")[0]
    assert game.start(int(seed)).replay(actions.split(", ")).fields.moves == 10


def test_a_play_that_changes_nothing_is_noted(tmp_path: Path) -> None:
    parts = {
        "play": "def play(state, action, rng):\n    if action == 3 and state.bonus == 0:\n        state.bonus = 1\n        return\n"
    }
    parts["play"] += (
        "    if action != 2 or state.moves == 3 or state.bonus == 2:\n        state.moves += 1\n        state.cells[action] = 1"
    )
    parts["returns"] = "def returns(state, out):\n    out[0] = 0.0\n    out[1] = 0.0"
    report = check(broken(tmp_path, **parts), states=300, compiled=False)
    assert report.ok and any("changed nothing for action 2" in note for note in report.notes)


def test_problems_are_found_after_a_failure_to_show(tmp_path: Path) -> None:
    more = "def draw(state):\n    return 1 // 0\ndef action_name(state, action):\n    return 'x'"
    codes = {p.code for p in check(broken(tmp_path, more=more), states=20, compiled=False).problems}
    assert codes == {"draw-fails", "action_name-same"}


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[str, float]] = []
    check(broken(tmp_path), states=20, compiled=False, progress=lambda doing, done: told.append((doing, done)))
    assert told[0] == ("reading the rules", 0.0) and told[-1] == ("playing uncompiled", 1.0)


def test_a_wide_most_legal_is_noted(tmp_path: Path) -> None:
    notes = check(broken(tmp_path, more="most_legal = 65536"), states=20, compiled=False).notes
    assert any("most_legal is 65,536" in note for note in notes)


@pytest.mark.parametrize("wrong", [{"states": 0}, {"seconds": 0.0}, {"seed": -1}])
def test_what_cannot_be_checked_with_is_refused(wrong: dict[str, int], tmp_path: Path) -> None:
    with pytest.raises(PlayoutError, match="cannot be used"):
        check(broken(tmp_path), compiled=False, **wrong)  # type: ignore[arg-type]


def test_laws_that_hold_are_named(tmp_path: Path) -> None:
    report = check(broken(tmp_path, more=f"{LAWS}def broken(state):\n    return state.bonus // 3"), states=40, compiled=False)
    assert report.ok and report.laws == ("a bonus below 3", "as many moves as cells")
    assert "held in every state: a bonus below 3; as many moves as cells" in str(report)


def test_worlds_keep_the_laws(tmp_path: Path) -> None:
    hidden = "def observe(state, player):\n    state.bonus = 0\ndef determinize(state, player, rng):\n    state.bonus = below(rng, 4)\n"
    game = broken(tmp_path, more=f"{LAWS}{hidden}def broken(state):\n    return state.bonus // 3")
    found = {problem.code: problem.message for problem in check(game, states=40, seconds=1, compiled=False).problems}
    assert "determinize broke the law 'a bonus below 3' in a world of player" in found["law-broken"]


def test_a_saved_state_is_refused_by_the_law_it_breaks(tmp_path: Path) -> None:
    game = broken(tmp_path, more=f"{LAWS}def broken(state):\n    return 1 if state.bonus > 2 else 0")
    file = tmp_path / "saved.json"
    file.write_text(game.state({"bonus": 7}).to_json(), encoding="utf-8")
    with pytest.raises(FileError) as refused:
        read_state(game, file)
    assert str(refused.value) == f"state file {str(file)!r} is damaged: it breaks the law 'a bonus below 3'"
    file.write_text(game.state({"bonus": 2}).to_json(), encoding="utf-8")
    assert read_state(game, file).fields.bonus == 2


def test_a_symmetry_of_the_rules_passes(tmp_path: Path) -> None:
    """Cells 1 and 2 are worth the same."""
    swap, move = "encoded[[0, 2, 1, 3]] if symmetry else encoded", "(0, 2, 1, 3)[action] if symmetry else action"
    report = check(broken(tmp_path, more=symmetric(swap, move)), states=100, compiled=False)
    assert report.ok and not any("not held against" in note for note in report.notes), str(report)


@pytest.mark.parametrize(
    "name",
    [
        "tic-tac-toe",
        "connect-four:columns=5,rows=4",
        "othello:size=4",
        "hex:size=3,swap=true",
        "breakthrough:rows=5,columns=3",
        "scoundrel:deck=2C-2S-9C-9S-3D-4H",
    ],
)
def test_symmetries_of_bundled_games_are_ones(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playout.checker.contract.mirrors.ENOUGH", 30)
    found, pairs = mirrored(name, 20.0)
    assert not found.problems and not found.notes and pairs > 20


def test_a_symmetry_that_leads_to_no_state_is_noted() -> None:
    """The slots of a room in another order are the same state, told in another way."""
    found, pairs = mirrored("scoundrel:deck=2C-3S-5D-5H-9S-4H", 0.1)
    assert pairs == 0 and "no two states that are images of each other were met" in found.notes["symmetry-unseen"]


def mirrored(name: str, seconds: float) -> tuple[Findings, int]:
    """What is found of the symmetries of a bundled game, and how many pairs of states were looked at."""
    found = Findings(load(name))
    with Watch(found, 5.0) as watch:
        symmetries = symmetries_of(found.game)
        assert symmetries is not None
        mirrors = Mirrors(Probe(found, watch), symmetries)
        mirrors.look(1, time.monotonic() + seconds)
    return found, mirrors.pairs
