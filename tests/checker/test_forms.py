"""The two forms of a game: compared field by field, and kept within their bounds."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from playout import load
from playout.checker import check, compare_forms
from playout.checker.contract import forms, speed
from playout.checker.contract.findings import Findings
from playout.checker.contract.forms import _compare_encodings, _compare_stretch, sweep
from playout.checker.contract.replay import Player
from playout.compile import bind, binding
from playout.game.load import bundled
from playout.game.stream import Stream

from .broken import broken

PICK = "def pick(state, rng):\n    place = below(rng, 4 - state.moves)\n    for i in range(4):\n        if state.cells[i] == 0:\n"
PICK += "            if place == 0:\n                return i\n            place -= 1\n    return {}"

# A game that hides something is audited for as long as it is given, and the tests of each such game do that.
OPEN = [name for name in sorted(bundled()) if not load(name).hidden]


@pytest.mark.parametrize("name", OPEN)
def test_every_open_bundled_game_passes_uncompiled(name: str) -> None:
    report = check(name, states=150, seconds=4, compiled=False)
    assert report.ok, str(report)
    assert report.playouts >= 1 and report.game == name


LISTED = [name for name in OPEN if not load(name).continuous]
"""Of continuous games `check` compares the forms itself (test_continuous.py); the tests of each game that hides something compare it too."""


@pytest.mark.compiles
@pytest.mark.parametrize("name", LISTED)
def test_every_open_bundled_game_is_the_same_compiled(name: str) -> None:
    assert compare_forms(load(name), seed=11, games=8, seconds=5) is None


HEAD = """
import numpy as np
from playout import below
players = 1
actions = 2
State = np.dtype([("word", np.uint64), ("small", np.float32), ("moves", np.int16), ("big", np.int64)])
"""
MOVER = "def mover(state):\n    return -1 if state.moves == 5 else 0"
LEGAL = "def legal(state, out):\n    out[0] = 0\n    out[1] = 1\n    return 2"
RETURNS = "def returns(state, out):\n    out[0] = 0.0"


def differing(folder: Path, play: str) -> str:
    problem = compare_forms(
        broken(
            folder,
            head=HEAD,
            start="def start(state, rng):\n    state.small = 0.1",
            legal=LEGAL,
            mover=MOVER,
            returns=RETURNS,
            play=play,
        ),
        games=2,
    )
    assert problem is not None and problem.code == "forms-differ"
    return problem.message


@pytest.mark.compiles
def test_rounded_reals_differ_and_are_explained(tmp_path: Path) -> None:
    play = "def play(state, action, rng):\n    state.moves += 1\n    s = state.small\n    state.small = (s + s * s) * (s + s * s * s) + s"
    message = differing(tmp_path, play)
    assert "play (" in message and "field small" in message and "float64" in message and "after action" in message


@pytest.mark.compiles
def test_numbers_beyond_64_bits_differ_and_are_explained(tmp_path: Path) -> None:
    play = "def play(state, action, rng):\n    state.moves += 1\n    x = (state.moves + 5) * 0x7FFFFFFFFFFFFFF\n    state.big = x * 64 // 128"
    message = differing(tmp_path, play)
    assert "field big" in message and "64 bits" in message and " uncompiled and " in message


@pytest.mark.compiles
def test_a_check_compiles_measures_and_advises(tmp_path: Path) -> None:
    report = check(broken(tmp_path, more=PICK.format(0)), states=60, seconds=2)
    assert report.ok, str(report)
    assert report.compiled_states > 1000 and report.speed is not None
    rows = {row.function: row for row in report.speed.rows}
    assert {"copy", "legal", "play", "mover", "returns", "start"} <= set(rows)
    assert sum(row.share for row in rows.values()) == pytest.approx(1, abs=0.01)
    # A playout that picks lists nothing.
    assert (rows["pick"].calls, rows["legal"].calls, rows["legal"].share, rows["mover"].calls) == (4, 0, 0, 5)
    assert report.speed.playouts_per_second > 10_000
    assert report.speed.costliest in rows and report.speed.advice.startswith(report.speed.costliest)
    assert "share" in str(report) and "playouts" in str(report)


@pytest.mark.compiles
def test_a_compile_fault_is_a_problem(tmp_path: Path) -> None:
    mover = "def mover(state):\n    return np.argwhere(state.moves == 4).nobody if state.moves < 0 else -1 if state.moves == 4 else state.moves & 1"
    found = {p.code: p.message for p in check(broken(tmp_path, mover=mover), states=20).problems}
    assert "mover (" in found["compile"] and "line 29" in found["compile"]


@pytest.mark.compiles
def test_a_game_with_problems_is_compiled_but_not_run(tmp_path: Path) -> None:
    play = "def play(state, action, rng):\n    state.cells[action * 100] = 1\n    state.moves += 1"
    report = check(broken(tmp_path, play=play), states=20)
    assert [p.code for p in report.problems] == ["play-outside"] and report.compiled_states == 0 and report.speed is None
    assert any("not played" in note for note in report.notes)


@pytest.mark.compiles
def test_a_write_outside_the_state_shows_in_the_guards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # One byte behind the 12 of the record: caught uncompiled, so the compiled form is run by hand here, and trusted.
    monkeypatch.setattr(binding, "trial", None)
    monkeypatch.setattr(binding, "trusted", lambda game: True)
    play = "def play(state, action, rng):\n    state.cells[action] = 1 + (state.moves & 1)\n    state.moves += 1\n"
    play += "    if state.moves == 4:\n        state.cells[state.bonus + 12] = 1"
    findings = Findings(broken(tmp_path, play=play))
    sweep(findings, seed=0, games=3, seconds=5)
    assert "wrote outside the state" in findings.problems["play-outside"].message


@pytest.mark.compiles
def test_the_sweep_sees_what_compiled_play_does_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binding, "trial", None)
    parts = {
        "legal": "def legal(state, out):\n    out[0] = 9 if state.bonus == 1 else 0\n    out[1] = 0\n    return 2 if state.moves < 3 else 0",
        "returns": "def returns(state, out):\n    out[0] = 2.0\n    out[1] = np.nan if state.moves > 1 else 0.0",
        "more": "def playout_action(state, legal, count, rng):\n    return 3\ndef evaluate(state, out):\n    out[0] = out[1] = -7.0\n"
        "def pick(state, rng):\n    return 3",
    }
    findings = Findings(broken(tmp_path, **parts, play="def play(state, action, rng):\n    state.moves += 1"))
    sweep(findings, seed=0, games=30, seconds=5)
    codes = set(findings.problems)
    assert {"legal-none", "returns-nan", "playout_action-illegal", "evaluate-range", "pick-wrong"} <= codes
    assert codes & {"legal-duplicate", "legal-range"}
    assert all("seed 0" in p.message for p in findings.problems.values())


@pytest.mark.parametrize(
    ("pick", "said"),
    [
        (PICK.format(0), ""),
        ("def pick(state, rng):\n    below(rng, 4 - state.moves)\n    return 7", "returned 7 where legal and that draw give "),
        (
            PICK.format(0).replace("    for", "    below(rng, 5)\n    for", 1),
            "has not drawn just once, by below(rng, count), where legal and ",
        ),
    ],
)
def test_the_sweep_compares_what_is_picked(tmp_path: Path, pick: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "bind", lambda game: bind(game, compiled=False))
    findings = Findings(broken(tmp_path, more=pick))
    sweep(findings, seed=3, games=5, seconds=5)
    found = {code: problem.message for code, problem in findings.problems.items()}
    assert set(found) == ({"pick-wrong"} if said else set())
    if said:
        assert found["pick-wrong"].startswith("pick (") and f"mygame.py, line 40) {said}" in found["pick-wrong"]
        assert "after 0 actions of the random game with seed 3 (cells=" in found["pick-wrong"]


def test_a_playout_of_the_speed_page_draws_as_searches_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    for name, more in (("with", PICK.format(0)), ("without", "")):
        (tmp_path / name).mkdir()
        game = broken(tmp_path / name, more=more)
        for role in ("legal", "pick"):
            if game.has(role):
                plain = game.functions[role]
                monkeypatch.setitem(
                    game.functions, role, lambda *args, role=role, plain=plain: (asked.append(role), plain(*args))[1]
                )
        state = game.start().copy_array()
        bind(game, compiled=False).kernel(speed.any_of)(game.view(state[0]), np.zeros(8, np.int64), Stream(1))
    assert asked == ["pick", "legal"]


@pytest.mark.parametrize(("more", "pick", "legal"), [("", None, 4), (PICK.format(0), 4, 0)])
def test_what_a_playout_calls_is_counted(
    tmp_path: Path, more: str, pick: int | None, legal: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four steps of functions that take ten nanoseconds each."""
    bench = SimpleNamespace(playouts=lambda: (1000.0, 4.0), nanoseconds=lambda what: 10.0)
    monkeypatch.setattr(speed, "_Bench", lambda *given: bench)
    monkeypatch.setattr(speed, "_sample", lambda game, seed: (None, None, None))
    rows = {row.function: row for row in speed.measure(broken(tmp_path, more=more)).rows}
    assert (rows["legal"].calls, rows["mover"].calls, rows["play"].calls) == (legal, 5, 4)
    assert (rows["pick"].calls if pick else None) == pick and (rows["legal"].share > 0) == (legal > 0)
    assert sum(row.share for row in rows.values()) == pytest.approx(1, abs=0.01)


def test_forms_that_pick_differently_are_told(tmp_path: Path) -> None:
    """Two games, since no rule could be found that draws with other numbers compiled."""
    one, other = (tmp_path / name for name in ("one", "other"))
    one.mkdir()
    other.mkdir()
    games = broken(one, more=PICK.format(0)), broken(other, more="def pick(state, rng):\n    return 2 + below(rng, 2)")
    findings, players = Findings(games[0]), [Player(bind(game, compiled=False)) for game in games]
    for player in players:
        player.begin(0)
        player.go_on()
    _compare_stretch(findings, players[0], players[1], 0, [])
    message = findings.problems["forms-differ"].message
    assert message.startswith("pick (") and "gives something else compiled than uncompiled: the answer is" in message


@pytest.mark.compiles
def test_long_games_are_played_in_stretches(tmp_path: Path) -> None:
    head = HEAD.replace("np.int16", "np.int32")
    play = "def play(state, action, rng):\n    state.moves += 1\n    state.word ^= np.uint64(below(rng, 1000))"
    mover = "def mover(state):\n    return -1 if state.moves == 1500 else 0"
    game = broken(
        tmp_path, head=head, start="def start(state, rng):\n    pass", legal=LEGAL, mover=mover, returns=RETURNS, play=play
    )
    assert compare_forms(game, games=2) is None
    player = Player(bind(game))
    player.begin(3)
    while not player.over or player.count == 0:
        player.go_on()
    assert player.before + player.count - 1 == 1500
    state = game.start(3)
    assert np.array_equal(player.array.dtype.names, state.copy_array().dtype.names)


@pytest.mark.compiles
def test_the_sweep_and_the_comparison_report_what_stops_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Else the first moment of play would say so.
    monkeypatch.setattr("playout.compile.binding.trial", None)
    problem = compare_forms(broken(tmp_path, play="def play(state, action, rng):\n    state.moves += 1 // 0"))
    assert problem is not None and problem.code == "forms-fails" and "ZeroDivisionError" in problem.message
    forever = {
        "legal": LEGAL,
        "play": "def play(state, action, rng):\n    state.bonus += 1",
        "mover": "def mover(state):\n    return 0",
    }
    findings = Findings(broken(tmp_path, **forever))
    sweep(findings, seed=0, games=1, seconds=5)
    assert "50,000 actions" in findings.problems["endless"].message


@pytest.mark.compiles
def test_laws_are_asked_compiled_far_beyond_what_plain_python_sees(tmp_path: Path) -> None:
    """A law that only one game in hundreds breaks, found by the compiled form and named with its state."""
    start = "def start(state, rng):\n    state.bonus = below(rng, 500)"
    game = broken(
        tmp_path, start=start, more='laws = ("a bonus below 499",)\ndef broken(state):\n    return 1 if state.bonus == 499 else 0'
    )
    findings = Findings(game)
    sweep(findings, 0, 5000, 5.0)
    (problem,) = findings.problems.values()
    assert (
        problem.code == "law-broken"
        and "start (" in problem.message
        and "law 1, 'a bonus below 499', broken after 0 actions" in problem.message
    )
    assert "bonus=499" in problem.message


@pytest.mark.compiles
def test_an_encoding_that_computes_in_float32_differs(tmp_path: Path) -> None:
    adds = "encoding = (1, 2)\ndef encode(state, player, out):\n    out[0, 1] = 0.1\n    out[0, 1] = out[0, 1] * 1e8 - 1e7"
    found = Findings(broken(tmp_path, more=adds))
    player = Player(bind(found.game, compiled=False))
    player.begin(0)
    player.go_on()
    _compare_encodings(found, player, 0, [])
    message = found.problems["forms-differ"].message
    assert "encode (" in message and "out[0, 1] is 0.0 uncompiled and 0.149" in message and "write each number once" in message
