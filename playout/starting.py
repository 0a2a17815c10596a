"""Ctrl-C on the command line, from the first moment to the last: it ends the work, and never in a traceback.

Loading takes half a second, and whoever sees a typing mistake presses Ctrl-C in it: so this is the first thing that `playout` loads, and
it does something only where `playout` is the command that runs. Python's own start, before anything of ours, is out of reach.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import Any

QUICK = 1.0
"""Seconds in which a second Ctrl-C is taken for the same wish: what the first one left is being tidied up."""
INTERRUPTED = 130
"""The exit code of who was interrupted."""


def is_command() -> bool:
    """Whether this process is `playout ...` or `python -m playout ...`, and not a program of the user's."""
    return os.path.basename(sys.argv[0] if sys.argv else "") == "playout" or sys.orig_argv[1:3] == ["-m", "playout"]


def _end(number: int, frame: Any) -> None:
    """While loading there is nothing to tidy up."""
    os.write(2, b"playout: interrupted\n")
    os._exit(INTERRUPTED)


class Interrupts:
    """While a command works: Ctrl-C raises `KeyboardInterrupt`, but not again right after it did."""

    def __init__(self) -> None:
        self.last = -QUICK

    def __call__(self, number: int, frame: Any) -> None:
        now = time.monotonic()
        if now - self.last >= QUICK:
            self.last = now
            raise KeyboardInterrupt


def _listen(handler: Any) -> None:
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)


def while_loading() -> None:
    """From now on Ctrl-C ends the process at once, if it is the command."""
    if is_command():
        _listen(_end)


def while_working() -> None:
    """From now on Ctrl-C ends the work."""
    _listen(Interrupts())


def at_the_end() -> None:
    """From now on Ctrl-C changes nothing: all is done, and Python tidies up."""
    _listen(signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        # Python gives signals their old meaning back before it is gone.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


while_loading()
