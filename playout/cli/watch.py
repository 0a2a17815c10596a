"""Watches over a command from a thread of its own: machine code that never comes back ends with a sentence, by Ctrl-C or after a while.

Python hands signals to the main thread, and the main thread may be inside a rule that loops for ever. What was written to disk is
whole at any time, so the process may be left where it stands.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, NoReturn, TypeVar

import typer

from playout.cli import terminal
from playout.compile import patience
from playout.game import calls
from playout.game import load as loading
from playout.game.game import Game

F = TypeVar("F", bound=Callable[..., Any])
LOOK = 0.2
"""Seconds between two looks."""
GRACE = 2.0
"""Seconds that the main thread has to come back by itself after Ctrl-C."""
STOPPED = 2.0
"""Between two looks: more than that, and nobody was running at all."""
SHOW_CURSOR = "\x1b[?25h"


def _set_timeout(value: float) -> float:
    if not 0 <= value < float("inf"):
        raise typer.BadParameter(f"{value:g} is no number of seconds; give 0 or more (0: wait for ever)")
    patience.seconds = value
    return value


Timeout = Annotated[
    float,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        callback=_set_timeout,
        help="End the command when the game's rules do not come back: so long without a finished simulation; 0 to wait for ever.",
    ),
]


def with_timeout(command: F) -> F:
    """Give a command the option `--timeout`, which is for all of them and none of its own business."""

    @wraps(command)
    def run(*arguments: Any, timeout: float = patience.seconds, **words: Any) -> Any:
        return command(*arguments, **words)

    known = signature(command, eval_str=True)
    added = Parameter("timeout", Parameter.KEYWORD_ONLY, default=patience.seconds, annotation=Timeout)
    own = list(known.parameters.values())
    run.__signature__ = known.replace(parameters=[*own, added])  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in [*own, added]}
    return run  # type: ignore[return-value]


def watch() -> None:
    """Watch over this process from now on."""
    calls.watching, calls.last_words = True, 2
    patience.more = "--timeout"
    loading.on_new = try_out
    reader, writer = os.pipe()
    for end in (reader, writer):
        os.set_blocking(end, False)
    # The one thing that a signal does at once, whatever the main thread is in: a byte comes out of here.
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_look_on, args=(reader,), daemon=True, name="playout watch").start()


def try_out(game: Game) -> None:
    """A game that was never seen is tried out as soon as it is read, before anything of it is shown or compiled."""
    if game.compiled:
        from playout.compile import bind

        bind(game).try_out()


def _look_on(reader: int) -> None:
    interrupted: float | None = None
    last = time.monotonic()
    while True:
        if select.select([reader], [], [], LOOK)[0]:
            with contextlib.suppress(BlockingIOError):
                if signal.SIGINT in os.read(reader, 256) and interrupted is None:
                    interrupted = time.monotonic()
        now = time.monotonic()
        if now - last > STOPPED:
            # The process was stopped meanwhile (Ctrl-Z), and so was the game.
            for call in list(calls.running.values()):
                call.moved += now - last
        last, interrupted = now, look(interrupted, now)


def look(interrupted: float | None, now: float) -> float | None:
    """End the process if something does not come back; else when the Ctrl-C was that is still waited for, if any."""
    waited = False
    for call in list(calls.running.values()):
        if interrupted is not None and call.since <= interrupted:
            waited = True
            if now - interrupted > GRACE:
                leave(terminal.INTERRUPTED, f"interrupted, and {call.words()} did not come back; run playout check {call.game}")
        silent = call.silent(now)
        if patience.seconds and silent > patience.seconds:
            cure = f"run playout check {call.game}, or allow more with --timeout"
            leave(2, f"{call.words()} did not come back within {patience.seconds:g} s: most likely a loop never ends; {cure}")
    return interrupted if waited else None


def leave(code: int, sentence: str) -> NoReturn:
    """Say it, and end the process as it is."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    with contextlib.suppress(OSError, ValueError):
        line = f"{SHOW_CURSOR}{terminal.CLEAR}" if sys.stderr.isatty() else ""
        sys.stderr.write(f"{line}playout: {sentence}\n")
        sys.stderr.flush()
    os._exit(code)
