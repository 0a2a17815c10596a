"""A game that hides something and has no drawing of its own: every command shows the observation, and never the hidden truth."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import playout
from tests.cli.conftest import Cli

GUESS = '''"""Guess: one is dealt a card and says something, and the other guesses the card."""
import numpy as np
from playout import below

players = 2
actions = 3
returns_range = (-1, 1)
compiled = False
State = np.dtype([("card", np.int8), ("said", np.int8), ("moves", np.int8), ("guess", np.int8)])


def start(state, rng):
    state.card = 71 + below(rng, 3)


def legal(state, out):
    for i in range(3):
        out[i] = i
    return 3


def play(state, action, rng):
    if state.moves == 0:
        state.said = action
    else:
        state.guess = action
    state.moves += 1


def mover(state):
    return state.moves if state.moves < 2 else -1


def returns(state, out):
    right = state.moves == 2 and state.guess + 71 == state.card
    out[0] = -1.0 if right else 1.0 if state.moves == 2 else 0.0
    out[1] = -out[0]


def observe(state, player):
    if player == 1:
        state.card = 0


def determinize(state, player, rng):
    if player == 1:
        state.card = 71 + below(rng, 3)


def action_name(state, action, viewer):
    return f"guess {action}" + (f" of {state.card}" if viewer is None else "")
'''
TIMES = re.compile(r"in [\d.e-]+ s|\([\d,]+/s\)|[\d,.]+ (?:µs|ms|s)\b|[\d,.]+(?=/s|</td><td>simulations a second)")


@pytest.fixture
def truths(tmp_path: Path) -> list[Path]:
    """The same moment with two different cards, which the one to guess cannot tell apart."""
    (tmp_path / "guess.py").write_text(GUESS, encoding="utf-8")
    game = playout.load(str(tmp_path / "guess.py"))
    files = []
    for card in (71, 73):
        files.append(tmp_path / f"card{card}.json")
        files[-1].write_text(game.state({"card": card, "said": 1, "moves": 1}, stream=5).to_json(), encoding="utf-8")
    return files


def words(text: str, file: Path) -> str:
    return TIMES.sub("TIME", text.replace(file.name, "FILE"))


@pytest.mark.parametrize("settings", [("--hidden", "ismcts"), ("--hidden", "pimc", "--trees", "4")])
def test_a_search_says_the_same_whatever_is_hidden(settings: tuple[str, ...], truths: list[Path], cli: Cli) -> None:
    told = []
    for file in truths:
        ran = cli(
            "search", str(file.parent / "guess.py"), "--state", str(file), "--simulations", "60", "--survey", "6", *settings
        )
        assert ran.code == 0, ran.err
        told.append(words(ran.out, file))
    assert told[0] == told[1] and "card=0" in told[0] and "guess 0" in told[0]
    assert " of 7" not in told[0]


def test_a_report_shows_the_observation(truths: list[Path], cli: Cli) -> None:
    pages = []
    for file in truths:
        page = file.with_suffix(".html")
        words_ = ("--simulations", "60", "--survey", "0", "--report", str(page))
        assert cli("search", str(file.parent / "guess.py"), "--state", str(file), *words_).code == 0
        pages.append(page.read_text(encoding="utf-8"))
    shown = [set(re.findall(r"card=\d+", page)) for page in pages]
    assert shown[0] == shown[1] == {"card=0"}


def test_play_hint_and_what_is_printed_at_the_end_show_the_observation(
    truths: list[Path], cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playout.agents.search_agent.DEFAULT_SIMULATIONS", 150)
    told = []
    for file in truths:
        typed = "moves\nhint\ndraw\n"
        ran = cli(
            "play", str(file.parent / "guess.py"), "--as", "1", "--agent", "random", "--state", str(file), "--json", typed=typed
        )
        told.append(words(ran.out + ran.err, file))
    assert told[0] == told[1] and '"observation":{"card":0' in told[0]


def test_a_decision_in_a_notebook_shows_the_observation(truths: list[Path]) -> None:
    game = playout.load(str(truths[0].parent / "guess.py"))
    state = game.load_state(truths[1].read_text(encoding="utf-8"))
    shown = playout.search(state, simulations=30)._repr_html_()
    assert "card=0" in shown and "card=7" not in shown and " of 7" not in shown
