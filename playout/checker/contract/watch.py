"""Ends a call of the game's that never comes back: a rule with an endless loop gets a sentence, not a dead terminal."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from playout.checker.contract.findings import Findings, current_line
from playout.compile.source import Place
from playout.game import record
from playout.game.contract import SHOWN
from playout.game.saved import raise_in

MOST_NOTED = 8
PATIENCE = 5.0
"""Seconds that one call may take at most."""


class Stuck(BaseException):
    """Raised inside the call that took too long. No Exception, so that a rule's own `except` does not swallow it."""


class _Held(io.TextIOBase):
    """Where printed texts go: all that is kept is who printed, and what first."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if text.strip():
            self.watch.printed.setdefault(self.watch.role, text)
        return len(text)


class Wrapped(NamedTuple):
    """A number that did not fit its field, and where it was stored."""

    field: str
    dtype: np.dtype[Any]
    value: int
    file: str
    line: int


class Watch:
    """`with Watch(findings, 5.0) as watch: watch.call("play", play, state, action, rng)`.

    What the game prints meanwhile is held back: it would come thousands of times.
    """

    def __init__(self, findings: Findings, limit: float) -> None:
        self.findings, self.limit = findings, limit
        self.role, self.where = "", Place("", "", 0)
        self._since: float | None = None
        self._thread = threading.get_ident()
        self._done = threading.Event()
        self.printed: dict[str, str] = {}
        """The first text that each function printed."""
        self.wrapped: list[Wrapped] = []
        """Numbers that did not fit their fields, since somebody last looked."""
        self._held = contextlib.redirect_stdout(_Held(self))  # type: ignore[type-var]

    def __enter__(self) -> Watch:
        threading.Thread(target=self._look, daemon=True, name="playout check").start()
        self._held.__enter__()
        record.on_wrap = self._note
        return self

    def __exit__(self, *error: object) -> None:
        record.on_wrap = None
        self._held.__exit__(None, None, None)
        self._done.set()

    def call(self, role: str, function: Callable[..., Any], *arguments: Any) -> Any:
        self.role = role
        self._since = time.monotonic()
        try:
            return function(*arguments)
        finally:
            self._since = None

    def _note(self, name: str, dtype: np.dtype[Any], value: int) -> None:
        # Numbers of 64 bits wrap on purpose, where keys are mixed.
        if dtype.itemsize < 8 and len(self.wrapped) < MOST_NOTED:
            frame: Any = sys._getframe(1)
            while frame is not None and frame.f_code.co_filename == record.__file__:
                frame = frame.f_back
            self.wrapped.append(Wrapped(name, dtype, value, frame.f_code.co_filename, frame.f_lineno))

    def _look(self) -> None:
        while not self._done.wait(0.1):
            since = self._since
            if since is not None and time.monotonic() - since > self.limit and not self._done.is_set():
                self.where = current_line(self._thread, self.findings, self.role)  # type: ignore[assignment]
                raise_in(self._thread, Stuck)
                return

    def say_printed(self, say: Callable[[str, str], None]) -> None:
        """Say once of every rule that prints that it does; what shows the game to people only had better not."""
        for role, text in self.printed.items():
            if role not in SHOWN:
                where, words = self.findings.where(role), text.strip().partition("\n")[0][:60]
                say(
                    "source-print",
                    f"{where} prints ({words!r}), which is outside what rules may use on every machine; take it out, or put it into draw",
                )

    def report(self) -> None:
        """Say which function did not come back."""
        self.findings.problem(
            f"{self.role}-stuck",
            f"{self.where or self.role} did not come back within {self.limit:.0f} seconds; a loop in it never ends, so check "
            "what its condition waits for",
        )
