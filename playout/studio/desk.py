"""What the process behind any page is: commands come in, messages go out, and one thing is done at a time."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from playout.errors import PlayoutError
from playout.studio.catalog import Catalog

Send = Callable[[dict[str, Any]], None]
USED_UP = (
    "this tab has used up the seconds of search that one may have; open another, or start the studio with a higher --seconds"
)


class Allowance:
    """The seconds of search that are left to a tab, whoever spends them: its searches, the workers of its tournament, a run that learns."""

    def __init__(self, seconds: float) -> None:
        self.left, self._lock = seconds, threading.Lock()

    def spend(self, seconds: float) -> bool:
        """Whether there is still something left after so much was spent."""
        with self._lock:
            self.left -= seconds
            return self.left > 0

    def check(self) -> None:
        """Refuse to begin anything where nothing is left."""
        if self.left <= 0:
            raise PlayoutError(USED_UP)


class Desk:
    """Works off what comes in; each kind of page has its own."""

    def __init__(self, catalog: Catalog, send: Send) -> None:
        self.catalog, self.send = catalog, send
        self.allowance = Allowance(catalog.limits.seconds)
        self.inbox: queue.Queue[Any] = queue.Queue()
        """Commands from the page, and what threads of this process report."""
        self.busy_since: float | None = None
        """When the command began that is being worked off."""
        self.commands: dict[str, Callable[..., Any]] = {}

    def work(self, item: Any) -> None:
        """One thing that came in; a number says that nothing else is to be done just now."""
        self.busy_since = time.monotonic()
        try:
            self.do(item)
        except Exception as error:
            self.problem(words_of(error))
        finally:
            self.busy_since = None

    def do(self, item: Any) -> None:
        """A command from the page; desks that have threads hear from them here, too."""
        if isinstance(item, dict):
            self.handle(item)

    def handle(self, message: dict[str, Any]) -> None:
        """One command; what is wrong with it is said, and leaves things as they were."""
        words = dict(message)
        name = words.pop("do", "")
        command = self.commands.get(name)
        if command is None:
            raise PlayoutError(f"there is no command {name!r}")
        try:
            command(**words)
        except TypeError as error:
            raise PlayoutError(f"the command {name!r} does not fit: {error}") from error

    def problem(self, words: str) -> None:
        """Something cannot be done, and why."""
        self.send({"kind": "problem", "words": words})


def words_of(error: BaseException) -> str:
    """An error for the page: a sentence of ours as it is, and what a game's own code did with its kind."""
    if isinstance(error, PlayoutError):
        return str(error)
    return f"the game's own code failed: {type(error).__name__}: {error}"
