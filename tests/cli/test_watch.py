"""Rules that never come back: the command ends with a sentence, after a while or by Ctrl-C; and a process that dies says of what."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from playout.cli import watch
from playout.compile import kept, patience
from playout.game import calls

from ..checker.broken import broken

LOOPS = "def play(state, action, rng):\n    state.moves += 1\n    while state.cells[0] == 0:\n        state.bonus ^= 1"


class Left(Exception):
    pass


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """What is said at the end, in place of an end."""
    words: list[tuple[int, str]] = []

    def leave(code: int, sentence: str) -> None:
        words.append((code, sentence))
        raise Left

    monkeypatch.setattr(watch, "leave", leave)
    monkeypatch.setattr(patience, "seconds", 10.0)
    monkeypatch.setattr(calls, "running", {})
    return words


def note(what: str, head: object = None) -> calls.Call:
    calls.running[1] = call = calls.Call("mine.py", what, head)
    call.since = call.moved = 100.0
    return call


def test_a_call_that_does_not_come_back_is_ended_after_a_while(said: list[tuple[int, str]]) -> None:
    note("step")
    assert watch.look(None, 109.9) is None
    with pytest.raises(Left):
        watch.look(None, 110.1)
    assert said == [
        (
            2,
            "the rules of mine.py (compiled, in step) did not come back within 10 s: most likely a loop never ends; run playout check "
            "mine.py, or allow more with --timeout",
        )
    ]


def test_what_gets_on_may_take_any_time(said: list[tuple[int, str]]) -> None:
    head = np.zeros(1, [("simulations", np.int64)])
    note("simulate", head)
    for now in range(101, 200, 8):
        head["simulations"] += 1
        watch.look(None, float(now))
    with pytest.raises(Left):
        watch.look(None, 250.0)


def test_some_work_is_only_ended_by_hand(said: list[tuple[int, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    note("sweep", False)
    watch.look(None, 1e6)
    note("import")
    monkeypatch.setattr(patience, "seconds", 0.0)
    watch.look(None, 1e6)
    assert watch.look(101.0, 102.9) == 101.0
    with pytest.raises(Left):
        watch.look(101.0, 103.1)
    assert said == [(130, "interrupted, and reading game file 'mine.py' did not come back; run playout check mine.py")]


def test_one_that_came_back_after_ctrl_c_goes_on(said: list[tuple[int, str]]) -> None:
    note("simulate")
    assert watch.look(99.0, 105.0) is None


def start(code: str, *words: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def test_ctrl_c_ends_what_python_cannot_interrupt() -> None:
    # A hash of so many rounds is machine code that holds no lock and looks at no signal, as a kernel does.
    process = start(
        "import hashlib\nfrom playout.cli import watch\nfrom playout.game import calls\nwatch.GRACE = 0.2\nwatch.watch()\nprint('ready', flush=True)\n"
        "calls.noted('mine.py', 'simulate', False, hashlib.pbkdf2_hmac, 'sha256', b'a', b'b', (1 << 31) - 1)"
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    # Before the call Python would end it by itself.
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors == (
        "playout: interrupted, and the rules of mine.py (compiled, in simulate) did not come back; run playout check mine.py\n"
    )


@pytest.mark.compiles
def test_an_endless_rule_ends_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, and where workers play: they are told how long to wait, and how more is allowed."""
    monkeypatch.setenv("PLAYOUT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "_known", set())
    game = broken(tmp_path, play=LOOPS)
    kept.mark(game, kept.TRIED)  # else the first moment of play would say so
    places = {"here": f"the rules of {game.file} (compiled, in step)", "local": f"game 'mygame': play ({game.file}, line "}
    for engine, place in places.items():
        words = ("--games", "2", "--engine", engine, "--workers", "1", "--timeout", "1", "--by", "points")
        process = start("from playout.cli.main import main; main()", "arena", game.file, "random", "random", *words)
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 2, errors
        assert f"playout: {place}" in errors
        assert errors.endswith(
            f" did not come back within 1 s: most likely a loop never ends; run playout check {game.file}, or allow more with --timeout\n"
        )


def test_so_does_one_that_is_looked_at_as_plain_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYOUT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "_known", set())
    game = broken(tmp_path, play=LOOPS)
    kept.mark(game, kept.TRIED)
    process = start("from playout.cli.main import main; main()", "arena", game.file, "random", "random", "--timeout", "0.5")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2, errors
    assert errors.endswith(
        f"playout: the rules of {game.file} (in play) did not come back within 0.5 s: most likely a loop never ends; run playout "
        f"check {game.file}, or allow more with --timeout\n"
    )


def test_a_file_that_is_never_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("while True:\n    pass\n")
    process = start("from playout.cli.main import main; main()", "search", str(tmp_path / "mine.py"), "--timeout", "0.5")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert f"reading game file '{tmp_path / 'mine.py'}' did not come back within 0.5 s: most likely a loop never ends" in errors


def test_the_command_tries_a_new_game_before_it_shows_it(tmp_path: Path) -> None:
    game = broken(tmp_path, start="def start(state, rng):\n    state.cells[4] = 1")
    process = start("from playout.cli.main import main; main()", "search", game.file)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert errors.startswith(
        f"playout: game 'mygame' breaks the contract: start ({game.file}, line 11) reads or writes outside an array"
    )


def test_a_timeout_that_is_none_is_refused() -> None:
    process = start("from playout.cli.main import main; main()", "search", "tic-tac-toe", "--timeout", "-1")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2 and "-1 is no number of seconds; give 0 or more (0: wait for ever)" in errors


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="how signals are taken is written for Linux")
@pytest.mark.parametrize(("code", "left"), [(2, 2), (0, -signal.SIGSEGV)])
def test_a_process_that_dies_says_of_what(code: int, left: int) -> None:
    process = start(
        "import os, signal, sys\nfrom playout.game import calls\nfrom playout.compile import last_words\ncalls.last_words = int(sys.argv[1])\n"
        "last_words.prepare('mine.py')\nos.kill(os.getpid(), signal.SIGSEGV)",
        str(code),
    )
    _, errors = process.communicate(timeout=60)
    assert process.returncode == left
    assert errors == (
        "playout: the machine code of mine.py ended the process (SIGSEGV): most likely a rule calls itself without end, or playout itself "
        "has a mistake; run playout check mine.py\n"
    )
