"""Watches over calls of machine code in a process that nobody else watches, a script or a notebook: what never comes back is stopped.

A thread looks a few times a second at the calls that run. One in which nothing got on for `timeout` seconds, or that goes on a second
after Ctrl-C, is told to stop at the next turn of a loop of the game's rules (`brakes`), and raises in its own thread. The process lives on.
The `playout` command has a watcher of its own, which may also end the process (`playout.cli.watch`).
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from playout.errors import PlayoutError, RulesError
from playout.game import calls

if TYPE_CHECKING:
    from playout.game.game import Game

LOOK = 0.2
"""Seconds between two looks."""
GRACE = 1.0
"""Seconds that machine code has to come back by itself after Ctrl-C, as it does between two rounds of a search."""
AWAY = 2.0
"""Between two looks: more than that, and nobody was running at all."""
LOST = 5.0
"""Seconds after which a call that was told to stop and did not is given up."""

seconds = 10.0
"""Seconds without a finished simulation (or episode, or position) after which a call is stopped; 0 for never."""
more = "playout.timeout(seconds)"
"""How whoever began this process allows more."""


def handed_on() -> tuple[str, str]:
    """What a process that works for this one is told of that."""
    return repr(seconds), more


def take_over(told: Sequence[str]) -> None:
    """Wait as long as the process does that this one works for."""
    global seconds, more
    seconds, more = float(told[0]), told[1]


class timeout:
    """How long a game's rules may take in this process before they are stopped: `playout.timeout(60)`, or 0 for as long as they like.

    That is, how long compiled code may run without a finished simulation, episode or position; 10 seconds unless you say otherwise.
    In a `with` it holds to the end of the block.

    >>> import playout
    >>> with playout.timeout(60):
    ...     playout.search("tic-tac-toe", simulations=100, compiled=False).parent_visits
    100
    """

    def __init__(self, wanted: float) -> None:
        global seconds
        if not 0 <= wanted < float("inf"):
            raise PlayoutError(f"timeout is {wanted}; give a number of seconds, 0 or more (0: wait for ever)")
        self._before, seconds = seconds, wanted

    def __enter__(self) -> timeout:
        return self

    def __exit__(self, *error: object) -> None:
        global seconds
        seconds = self._before


class _Watcher:
    """The thread that looks, and where Ctrl-C can be heard."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.interrupted: float | None = None
        self.reader, self.writer = os.pipe()
        for end in (self.reader, self.writer):
            os.set_blocking(end, False)
        threading.Thread(target=self._look_on, daemon=True, name="playout patience").start()

    def _look_on(self) -> None:
        last = time.monotonic()
        while True:
            # Nothing to watch over, nothing to do: idle, this costs next to nothing.
            if select.select([self.reader], [], [], LOOK)[0]:
                with contextlib.suppress(BlockingIOError):
                    if signal.SIGINT in os.read(self.reader, 256):
                        self.interrupted = time.monotonic()
            now = time.monotonic()
            for call in list(calls.running.values()):
                if now - last > AWAY:
                    # The process was stopped meanwhile, and so was the game.
                    call.moved += now - last
                self.look(call, now)
            last = now

    def look(self, call: calls.Call, now: float) -> None:
        """Stop a call that is waited for in vain, and say so where that does not help either."""
        if call.told is not None:
            if now - call.told > LOST and not call.lost:
                call.lost = True
                _say(f"playout: {call.words()} cannot be stopped; end the process by hand, and run playout check {call.game}\n")
            return
        silent, asked = call.silent(now), self.interrupted
        if asked is not None and call.since <= asked and now - asked > GRACE:
            call.why = ""
        elif seconds and silent > seconds:
            call.why = f"within {seconds:g} s"
        else:
            return
        call.told = now
        brakes().stop(call.block)


def _say(sentence: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(sentence)
        sys.stderr.flush()


@cache
def brakes() -> Any:
    """The brakes; they know the compiler, which is loaded only when something is compiled."""
    return import_module("playout.compile.brakes")


_watcher: _Watcher | None = None


def gather(futures: Sequence[Future[Any]], halt: Callable[[], object] = lambda: None) -> None:
    """Wait for what other threads do. After Ctrl-C they are told to `halt`, have a second to come back, and are waited for."""
    try:
        for future in futures:
            future.result()
    except KeyboardInterrupt:
        halt()
        if _watcher is not None:
            _watcher.interrupted = time.monotonic()
        wait(futures)
        stuck = next((future.exception() for future in futures if future.exception() is not None), None)
        if stuck is not None:
            raise stuck from None
        raise
    finally:
        wait(futures)


def run(game: Game, what: str, head: Any, made: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call machine code, watched over."""
    global _watcher
    if _watcher is None or _watcher.process != os.getpid():
        # A fork has the object and not the thread.
        _watcher = _Watcher()
    me, block = threading.get_ident(), brakes().block()
    call = calls.Call(game.spec, what, head)
    call.block = block
    outer, calls.running[me] = calls.running.get(me), call
    listening = _listen(_watcher.writer)
    try:
        return made(*arguments)
    except (RuntimeError, KeyboardInterrupt) as error:
        try:
            stopped = _stopped(game, call, error)
        except KeyboardInterrupt:
            # The one that it was stopped for, and that could not be raised any sooner.
            stopped = _stopped(game, call, error)
        if stopped is None:
            raise
        raise stopped from None
    finally:
        if listening:
            signal.set_wakeup_fd(-1)
        if outer is None:
            calls.running.pop(me, None)
        else:
            calls.running[me] = outer
        if block[1]:
            brakes().stop(block, False)


def _listen(writer: int) -> bool:
    """Have Ctrl-C heard while the main thread is in machine code; where somebody else listens to signals, they are left to them."""
    if threading.current_thread() is not threading.main_thread():
        return False
    other = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    if other in (-1, writer):
        return other == -1
    signal.set_wakeup_fd(other)
    return False


def _stopped(game: Game, call: calls.Call, error: BaseException) -> RulesError | None:
    """What is raised in place of an error, where it is the end of a call that was told to stop."""
    if call.told is None:
        return None
    place = brakes().where(game, error) if brakes().is_stopped(error) else call.words()
    cure = f"most likely a loop never ends; run playout check {game.spec}"
    if not call.why:
        return RulesError(f"game {game.name!r}: interrupted, and {place} did not come back: {cure}")
    return RulesError(f"game {game.name!r}: {place} did not come back {call.why}: {cure}, or allow more with {more}")
