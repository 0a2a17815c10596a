"""The first time: what is wrong with a game is said before it is compiled, by every verb, and once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import playout
from playout import GameError
from playout.checker import check
from playout.checker.contract.trial import trial
from playout.compile import binding, kept
from playout.game.load import bundled

from .broken import broken

FAULTS = {
    "law-broken": {"more": 'laws = ("two moves",)\ndef broken(state):\n    return state.moves // 3'},
    "play-outside": {"play": "def play(state, action, rng):\n    state.cells[100] = 1\n    state.moves += 1"},
    "legal-many": {"more": "most_legal = 2"},
    "returns-outside": {"returns": "def returns(state, out):\n    out[0] = 0.0\n    out[5] = 1.0"},
    "play-fails": {
        "play": "def dig(n):\n    return dig(n + 1)\ndef play(state, action, rng):\n    state.bonus = dig(0)\n    state.moves += 1"
    },
    "determinize-outside": {
        "worlds": "def observe(state, player):\n    pass\ndef determinize(state, player, rng):\n    state.cells[4 + player] = 1"
    },
    "action_name-same": {"more": "def action_name(state, action):\n    return 'go'"},
    "prior-number": {"more": "def prior(state, legal, count, out):\n    for i in range(count):\n        out[i] = np.nan"},
    "returns-missing": {"returns": "def returns(state, out):\n    return 1.0, -1.0"},
    "returns-range": {"returns": "def returns(state, out):\n    out[0] = 5.0\n    out[1] = -5.0"},
    "play-overflow": {"play": "def play(state, action, rng):\n    state.cells[action] = 300\n    state.moves += 1"},
    "key-collision": {"key": "def key(state):\n    return state.moves"},
    "source-print": {
        "play": "def play(state, action, rng):\n    print('hello', action)\n    state.moves += 1\n    state.cells[action] = 1"
    },
    "start-fails": {"start": "def start(state, rng):\n    state.bonus = below(rng, 0)"},
}


@pytest.mark.parametrize("code", FAULTS)
def test_a_moment_of_play_finds_it(code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = trial(broken(tmp_path, **FAULTS[code]))
    assert found is not None and found.code == code, found
    assert capsys.readouterr().out == ""


def test_the_sentence_is_the_checkers_own(tmp_path: Path) -> None:
    game = broken(tmp_path, **FAULTS["play-outside"])
    found = trial(game)
    assert found is not None
    assert found.message == (
        f"play ({game.file}, line 24) reads or writes outside an array (index 100 is out of bounds for axis 0 with size 4), in the "
        "state that start gives for seed 0 (cells=[0 0 0 0], moves=0, bonus=1); compiled this would damage other data, so check the "
        "index against the size of the field"
    )
    assert found in check(game, states=60, seconds=2, compiled=False).problems


def test_a_loop_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playout.checker.contract.trial.PATIENCE", 0.3)
    found = trial(broken(tmp_path, play="def play(state, action, rng):\n    while state.moves < 9:\n        pass"))
    assert found is not None and found.code == "play-stuck" and "a loop in it never ends" in found.message


def test_the_last_state_is_seen_though_time_is_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playout.checker.contract.trial.SECONDS", 1e-9)
    wrong = "def returns(state, out):\n    out[0] = 7.0 if state.moves == 4 else 0.0\n    out[1] = 0.0"
    found = trial(broken(tmp_path, returns=wrong))
    assert found is not None and found.code == "returns-range", found


@pytest.mark.parametrize("name", sorted(bundled()))
def test_bundled_games_pass(name: str) -> None:
    assert trial(playout.load(name)) is None


VERBS = {
    "search": lambda game: playout.search(game, simulations=10),
    "learn": lambda game: playout.learn(game, episodes=10),
    "solve": lambda game: playout.solve(game),
    "solve_position": lambda game: playout.solve_position(game.start()),
    "compete": lambda game: playout.compete(game, ["random", "random"], games=2, engine="here"),
}


@pytest.mark.compiles
@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_refuses_before_it_compiles(verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def compiles(self: object, function: object, kept: bool = False) -> None:
        raise AssertionError("compiled")

    monkeypatch.setattr(binding.Binding, "door", compiles)
    key = {"key": "def key(state):\n    return state.moves * 81 + state.cells[0]"} if verb in ("learn", "solve") else {}
    with pytest.raises(
        GameError, match=r"^game 'mygame' breaks the contract: play \(.*mygame.py, line 24\) reads or writes outside"
    ):
        VERBS[verb](broken(tmp_path, **FAULTS["play-outside"], **key))


def test_a_game_that_passed_is_remembered_until_it_is_edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYOUT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "_known", set())
    monkeypatch.setattr(binding, "_tried", set())
    asked = []
    monkeypatch.setattr(binding, "trial", lambda game: asked.append(game.name))
    for _ in range(2):
        binding.Binding(broken(tmp_path)).try_out()
        kept._known.clear()
        binding._tried.clear()
    assert asked == ["mygame"]
    binding.Binding(broken(tmp_path, more="returns_range = (-2, 2)")).try_out()
    assert asked == ["mygame"] * 2


def test_a_check_that_passed_counts_as_the_first_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYOUT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "_known", set())
    game = broken(tmp_path)
    check(game, states=60, seconds=2, compiled=False)
    assert kept.marked(game, kept.TRIED) and not kept.marked(game, kept.CHECKED)
    wrong = broken(tmp_path, **FAULTS["play-outside"])
    check(wrong, states=60, seconds=2, compiled=False)
    assert not kept.marked(wrong, kept.TRIED)


def test_the_command_line_says_the_same(tmp_path: Path) -> None:
    game = broken(tmp_path, **FAULTS["returns-outside"])
    done = subprocess.run(
        [sys.executable, "-m", "playout", "search", game.file, "--simulations", "10"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert f"game 'mygame' breaks the contract: returns ({game.file}, line 34) reads or writes outside an array" in done.stderr
