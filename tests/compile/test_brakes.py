"""Rules that never come back, or go too deep: machine code stops with a sentence, in the thread that runs it, and the process lives on."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import playout
from playout import PlayoutError
from playout.arena.table import step
from playout.compile import bind, binding, patience
from playout.compile.records import new_stream
from playout.engine.forest import collect_rows, read_roots, tend_some
from playout.errors import RulesError
from playout.game import calls
from playout.truth.perfect.positions import grow

from ..checker.broken import broken

DIG = "def dig(n, m):\n    if n == 0:\n        return m\n    return dig(n - 1, m) + (m & 1)\n"
TURNS = (
    "def odd(n):\n    if n == 0:\n        return 0\n    return even(n - 1) ^ 1\n"
    "def even(n):\n    if n == 0:\n        return 7\n    return odd(n - 1) ^ 1\n"
)
# Below 1,024 for ever: a plain int32 comes round to -1 within a second or so where a processor is fast.
LOOPS = "def play(state, action, rng):\n    while state.cells[3] == 0:\n        state.bonus = (state.bonus + 1) & 1023\n        if state.bonus == action:\n            break"
COUNTS = "def play(state, action, rng):\n    for i in range(1 << 60):\n        state.bonus ^= i"


@pytest.fixture(autouse=True)
def nothing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the first moment of play, uncompiled, would find it all."""
    monkeypatch.setattr(binding, "trial", None)


@pytest.fixture
def heard() -> Iterator[None]:
    """Ctrl-C is heard, also where a shell began the tests in the background and has them ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def play(game: Any, action: int, trust: bool = False) -> Any:
    states = np.zeros(1, game.dtype)
    bind(game, trust=trust).role("play")(states[0], action, new_stream(True))
    return states[0]


def elsewhere(work: Any) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


@pytest.mark.compiles
@pytest.mark.parametrize(("helper", "name", "trust"), [(DIG, "dig", False), (TURNS, "(even|odd)", True)])
def test_a_rule_that_calls_itself_too_deeply_is_a_sentence(helper: str, name: str, trust: bool, tmp_path: Path) -> None:
    call = "dig(1000 ** action, action)" if name == "dig" else "odd(1000 ** action + 1)"
    game = broken(tmp_path, play=f"{helper}def play(state, action, rng):\n    state.bonus = {call}")
    shallow = 1001 if name == "dig" else 6
    assert play(game, 1, trust)["bonus"] == shallow
    words = (
        rf"^game 'mygame': {name} \({game.file}, line \d+\) calls itself deeper than the stack of this thread has room for; write it as a loop, "
        rf"with what is still to do in an array of the state, and run playout check {game.file}$"
    )
    with pytest.raises(RulesError, match=words):
        play(game, 5, trust)
    with pytest.raises(RulesError, match=words):
        elsewhere(lambda: play(game, 5, trust))
    assert elsewhere(lambda: play(game, 1, trust))["bonus"] == shallow


@pytest.mark.compiles
@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="Ctrl-C is for the main thread")
@pytest.mark.usefixtures("heard")
def test_a_loop_that_never_ends_is_stopped_in_its_own_thread(tmp_path: Path) -> None:
    game = broken(tmp_path, play=LOOPS)
    assert play(game, 7)["bonus"] == 7
    place = f"play ({game.file}, line "
    with playout.timeout(0.5), pytest.raises(RulesError) as found:
        play(game, -1)
    said = str(found.value)
    assert said.startswith(f"game 'mygame': {place}")
    assert said.endswith(
        f") did not come back within 0.5 s: most likely a loop never ends; run playout check {game.file}, or allow more with "
        "playout.timeout(seconds)"
    )
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    # If Ctrl-C were in vain, the time would end it, with other words.
    with (
        playout.timeout(20),
        pytest.raises(RulesError, match=r"^game 'mygame': interrupted, and .* did not come back: most likely"),
    ):
        play(game, -1)
    assert time.monotonic() - began < 15
    with playout.timeout(0.5), pytest.raises(RulesError):
        elsewhere(lambda: play(game, -1))
    assert calls.running == {} and patience.brakes()._numbers[0] == 0
    assert signal.set_wakeup_fd(-1) == -1


def test_of_many_trees_it_is_seen_that_one_of_them_gets_on() -> None:
    """Else a wave would be stopped though it gets on, or a loop in it never."""
    forest = SimpleNamespace(head=np.zeros((3, 1), [("simulations", np.int64)]))
    for kernel in (tend_some, collect_rows):
        call = calls.Call("nim", kernel.__name__, binding._head(kernel, (forest, None, None)))
        assert call.silent(call.since + 7) == 0 and call.silent(call.since + 9) == 2
        forest.head[2, 0]["simulations"] += 1
        assert call.silent(call.since + 10) == 0 and call.silent(call.since + 20) == 10
    assert binding._head(read_roots, (forest, None)) is False


def test_a_state_that_changes_is_no_sign_that_a_kernel_gets_on() -> None:
    head, state = np.zeros(1, [("done", np.int64)]), playout.load("nim").start().copy_array()
    assert binding._head(step, (state, 0)) is None
    assert binding._head(grow, (head, state)) is head


@pytest.mark.compiles
def test_only_the_thread_that_is_told_to_stops(tmp_path: Path) -> None:
    game, brakes = broken(tmp_path, play=LOOPS), patience.brakes()
    other = elsewhere(brakes.block)
    brakes.stop(other)
    try:
        assert play(game, 1000)["bonus"] == 1000
    finally:
        brakes.stop(other, False)
    assert brakes._numbers[0] == 0


@pytest.mark.compiles
def test_loops_over_a_range_stop_where_indices_are_checked(tmp_path: Path) -> None:
    with playout.timeout(0.3), pytest.raises(RulesError, match="did not come back within 0.3 s"):
        play(broken(tmp_path, play=COUNTS), 1)


@pytest.mark.compiles
def test_a_draw_from_more_than_there_are_ends(tmp_path: Path) -> None:
    game = broken(tmp_path, play="def play(state, action, rng):\n    state.bonus = below(rng, 1 << 40) >> 39")
    with playout.timeout(5):
        assert play(game, 1)["bonus"] in (0, 1)


def test_a_timeout_is_a_number_of_seconds() -> None:
    before = patience.seconds
    with playout.timeout(3):
        assert patience.seconds == 3
    assert patience.seconds == before == 10
    for wrong in (-1, float("inf"), float("nan")):
        with pytest.raises(PlayoutError, match=r"^timeout is .*; give a number of seconds, 0 or more \(0: wait for ever\)$"):
            playout.timeout(wrong)
    assert patience.seconds == before


def looking(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, calls.Call, list[Any]]:
    """A watcher without a thread, a call that began at 100, and who was told to stop."""
    stopped: list[Any] = []
    watcher = object.__new__(patience._Watcher)
    watcher.interrupted = None
    call = calls.Call("mine.py", "simulate", None)
    call.since = call.moved = 100.0
    call.block = "its block"

    class Brakes:
        stop = staticmethod(stopped.append)

    monkeypatch.setattr(patience, "brakes", lambda: Brakes)
    return watcher, call, stopped


def test_who_is_told_to_stop_and_when(monkeypatch: pytest.MonkeyPatch) -> None:
    watcher, call, stopped = looking(monkeypatch)
    watcher.look(call, 109.9)
    assert not stopped
    watcher.look(call, 110.1)
    assert stopped == ["its block"] and call.why == "within 10 s"
    watcher.look(call, 111.0)
    assert stopped == ["its block"]


def test_ctrl_c_is_for_calls_that_began_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    watcher, call, stopped = looking(monkeypatch)
    call.head, watcher.interrupted = False, 99.0
    watcher.look(call, 1000.0)
    watcher.interrupted = 100.5
    watcher.look(call, 101.4)
    assert not stopped
    watcher.look(call, 101.6)
    assert stopped == ["its block"] and call.why == ""


def test_what_cannot_be_stopped_is_said_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    watcher, call, _ = looking(monkeypatch)
    for now in (111.0, 115.9, 116.1, 200.0):
        watcher.look(call, now)
    assert capsys.readouterr().err == (
        "playout: the rules of mine.py (compiled, in simulate) cannot be stopped; end the process by hand, and run playout check mine.py\n"
    )


class Struck(Future[None]):
    """Ctrl-C comes while it is waited for."""

    def result(self, timeout: float | None = None) -> None:
        raise KeyboardInterrupt


def test_after_ctrl_c_other_threads_are_told_and_waited_for() -> None:
    halted, here = threading.Event(), Struck()
    here.set_result(None)

    def stuck() -> None:
        assert halted.wait(10)
        raise RulesError("a rule never came back")

    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(RulesError, match="a rule never came back"):
            patience.gather([here, pool.submit(stuck)], halted.set)
        with pytest.raises(KeyboardInterrupt):
            patience.gather([here, pool.submit(halted.wait)], halted.set)


def test_a_tree_that_was_left_in_the_midst_of_a_simulation_begins_anew() -> None:
    search = playout.Search("tic-tac-toe", seed=1, compiled=False, trees=1)
    search.run(simulations=50)
    (tree,) = search.trees
    simulate = tree._simulate

    def breaks(sim: Any, count: int) -> int:
        simulate(sim, count)
        if count:
            raise RulesError("play is outside")
        return 0

    tree._simulate = breaks
    with pytest.raises(RulesError):
        search.run(simulations=50)
    assert tree.used == 1 and tree.simulations == 0
    tree._simulate = simulate
    again = search.run(simulations=50)
    assert again.actions == playout.search("tic-tac-toe", seed=1, compiled=False, trees=1, simulations=50).actions
