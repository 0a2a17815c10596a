"""Ends a call of the game's that never comes back: a rule with an endless loop gets a sentence, not a dead terminal."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any

from playout.checker.contract.findings import Findings, current_line
from playout.compile.source import Place


class Stuck(BaseException):
    """Raised inside the call that took too long. No Exception, so that a rule's own `except` does not swallow it."""


class Watch:
    """`with Watch(findings, 5.0) as watch: watch.call("play", play, state, action, rng)`."""

    def __init__(self, findings: Findings, limit: float) -> None:
        self.findings, self.limit = findings, limit
        self.role, self.where = "", Place("", "", 0)
        self._since: float | None = None
        self._thread = threading.get_ident()
        self._done = threading.Event()

    def __enter__(self) -> Watch:
        threading.Thread(target=self._look, daemon=True, name="playout check").start()
        return self

    def __exit__(self, *error: object) -> None:
        self._done.set()

    def call(self, role: str, function: Callable[..., Any], *arguments: Any) -> Any:
        self.role = role
        self._since = time.monotonic()
        try:
            return function(*arguments)
        finally:
            self._since = None

    def _look(self) -> None:
        while not self._done.wait(0.1):
            since = self._since
            if since is not None and time.monotonic() - since > self.limit and not self._done.is_set():
                self.where = current_line(self._thread, self.findings, self.role)  # type: ignore[assignment]
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), ctypes.py_object(Stuck))
                return

    def report(self) -> None:
        """Say which function did not come back."""
        self.findings.problem(
            f"{self.role}-stuck",
            f"{self.where or self.role} did not come back within {self.limit:.0f} seconds; a loop in it never ends, so check "
            "what its condition waits for",
        )
