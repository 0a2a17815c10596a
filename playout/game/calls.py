"""Which of a game's code is running just now: for whoever watches that it comes back.

Machine code cannot be interrupted from Python, and a rule with a loop that never ends would hold a terminal for ever. So calls are noted
here while somebody watches: `playout.cli.watch` in a command, the studio in its processes, `playout.compile.patience` elsewhere.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

watching = False
"""Whether somebody else than `playout.compile.patience` watches."""
last_words: int | None = None
"""Whether a process that machine code ends by a signal says so first, and leaves with this exit code (0: by the signal)."""
DYING = "playout: the machine code of"
"""How its last words begin."""
PLAY = "play"
"""What is said of the rule itself, run as plain Python."""
running: dict[int, Call] = {}
"""What each thread is in, by the number of the thread."""


class Call:
    """One call of a game's code."""

    __slots__ = ("block", "game", "head", "lost", "moved", "seen", "since", "told", "what", "why")

    def __init__(self, game: str, what: str, head: Any) -> None:
        self.game, self.what = game, what
        self.head = head
        """The record in which a kernel counts what it has done; None where there is none; False where any time may be right."""
        self.since = self.moved = time.monotonic()
        self.seen: bytes | None = None
        self.block: Any = None
        """Where the thread finds out that it is to stop (`playout.compile.brakes`)."""
        self.told: float | None = None
        """When it was told to."""
        self.why, self.lost = "", False
        """Within what time it did not come back, empty after Ctrl-C; and whether it went on all the same."""

    def silent(self, now: float) -> float:
        """Seconds since the call was last seen to get on: since it began, where it has nothing to count."""
        if self.head is False:
            return 0.0
        told = None if self.head is None else self.head.tobytes()
        if told != self.seen:
            self.seen, self.moved = told, now
        return now - self.moved

    def words(self) -> str:
        """Whose code it is, and what of it."""
        if self.what == "import":
            return f"reading game file {self.game!r}"
        return f"the rules of {self.game} ({'in' if self.what == PLAY else 'compiled, in'} {self.what})"


def stuck(patience: float) -> Call | None:
    """A call that was last seen to get on longer ago than that, where there is one."""
    now = time.monotonic()
    return next((call for call in list(running.values()) if call.silent(now) > patience), None)


def noted(game: str, what: str, head: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function, noted while it runs."""
    me = threading.get_ident()
    outer, running[me] = running.get(me), Call(game, what, head)
    try:
        return function(*arguments)
    finally:
        if outer is None:
            del running[me]
        else:
            running[me] = outer
