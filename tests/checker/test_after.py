"""`check --after N`: the contract and the honesty of states deep in a game, which looks from the start on do not reach."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import playout
from playout import PlayoutError
from playout.checker import audit, check
from playout.checker.honesty.full import gather as gather_pairs
from playout.checker.honesty.rank import gather as gather_ranks
from playout.checker.honesty.rank import rank
from playout.game.game import Game

from .broken import broken
from .leaks import sought

LONG = {
    "head": """
import numpy as np
from playout import below

players = 2
actions = 3
returns_range = (-1, 1)
most_legal = 3
State = np.dtype([("hands", np.int8, (2, 2)), ("deck", np.int8), ("moves", np.int16), ("table", np.int8)])
""",
    "start": """
def start(state, rng):
    for i in range(2):
        for j in range(2):
            state.hands[i, j] = 1 + below(rng, 5)
""",
    "legal": """
def legal(state, out):
    out[0] = 0
    out[1] = 1
    return 2
""",
    "play": """
def play(state, action, rng):
    who = state.moves & 1
    state.table = state.hands[who, action]
    state.hands[who, action] = 1 + below(rng, 5)
    state.moves += 1
""",
    "mover": """
def mover(state):
    return -1 if state.moves == 120 else state.moves & 1
""",
    "returns": """
def returns(state, out):
    out[0] = 0.0
    out[1] = 0.0
""",
    "observe": """
def observe(state, player):
    for j in range(2):
        state.hands[1 - player, j] = 0
""",
    "determinize": """
def determinize(state, player, rng):
    for j in range(2):
        state.hands[1 - player, j] = 1 + below(rng, 5)
""",
}
"""A hundred and twenty times a card of two is laid open and another one drawn: what the other holds is anybody's guess."""


def long_game(folder: Path, **parts: str) -> Game:
    return broken(folder, **{**LONG, **parts})


def late(text: str) -> str:
    """What a rule does only late in the game."""
    return f"\n    if 80 <= state.moves < 110:\n        {text}\n"


def test_a_fault_late_in_a_game_is_seen_from_there_on(tmp_path: Path) -> None:
    game = long_game(tmp_path, returns=LONG["returns"].rstrip() + late("out[1] = 7.0"), observe="", determinize="")
    # The first game is looked at from its start on for so few states, and played on in a hurry.
    assert check(game, states=60, seconds=0.5, compiled=False, after=0).ok
    found = check(game, states=60, seconds=20, compiled=False, after=80)
    assert [problem.code for problem in found.problems] == ["returns-range"] and found.after == 80
    assert "after 80 actions from seed 0" in found.problems[0].message


def test_moments_of_the_audit_are_so_deep(tmp_path: Path) -> None:
    game = long_game(tmp_path)
    pairs = gather_pairs(game, 1, 0.2, None, after=90)
    assert len(pairs) >= 12 and all(pair.one.step >= 90 for pair in pairs)
    samples = gather_ranks(game, 1, 0.3, fair=True, after=90)
    assert len(samples) >= 60 and all(sample.truth.fields.moves >= 90 for sample in samples)


def test_an_honest_game_passes_deep_down(tmp_path: Path) -> None:
    found = audit(long_game(tmp_path), seconds=0.8, agent=None, compiled=False, after=90)
    assert found.ok and found.after == 90 and "after 90 actions" in str(found)
    assert any("not enumerated" in finding.message for finding in found.findings)
    assert any(finding.test == "weights" and finding.result == "passed" for finding in found.findings)


FLAWS: dict[str, tuple[str, dict[str, str]]] = {
    "the last cards are true": (
        "honesty-leak",
        {"determinize": LONG["determinize"].replace("for j in range(2):", "for j in range(2 - (state.moves >= 80)):")},
    ),
    "worlds are high late": (
        "honesty-weights",
        {"determinize": LONG["determinize"].replace("1 + below(rng, 5)", "1 + below(rng, 5 - 3 * (state.moves >= 93))")},
    ),
}


@pytest.mark.parametrize("name", FLAWS)
def test_a_flaw_that_begins_late_is_caught(name: str, tmp_path: Path) -> None:
    code, parts = FLAWS[name]
    found = sought(long_game(tmp_path, **parts), code, 0.8, after=90)
    assert code in {finding.code for finding in found.failed}, str(found)


def test_ranks_deep_down_are_even_for_an_honest_game_and_another_start_is_no_matter(tmp_path: Path) -> None:
    assert rank(long_game(tmp_path), 5, 0.01, 0.5, after=40).result == "passed"


@pytest.mark.parametrize(
    ("spec", "after", "message"),
    [
        ("kuhn-poker", -1, "after is -1; give how many random actions deep to look, 0 or more"),
        (
            "loss-1d",
            3,
            "after=3 is for games whose actions can be listed, and actions of 'loss-1d' are real vectors; leave it out",
        ),
    ],
)
def test_depths_that_cannot_be(spec: str, after: int, message: str) -> None:
    for ask in (check, audit):
        call: Any = ask
        with pytest.raises(PlayoutError) as refused:
            call(spec, after=after, compiled=False)
        assert str(refused.value) == message


def test_deeper_than_games_go() -> None:
    with pytest.raises(
        PlayoutError, match="after=4 looks deeper than games of 'kuhn-poker' go: the longest of 20 random ones had 3 actions"
    ):
        check(playout.load("kuhn-poker"), after=4, compiled=False)
