"""One tab as the server holds it: the process behind it, what is sent to it, and who hears what comes back."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import msgspec

from playout.studio.catalog import Catalog

MOST_TABS = 24
"""Tabs at once."""
LONGEST_COMMAND = 2_000_000
GONE = "the process behind this tab has ended; open the game again"

Hear = Callable[[dict[str, Any]], None]


class Tab:
    """The process of one tab. `hear` is called in the loop of the server with every message."""

    count = 0
    """Tabs that are open."""

    def __init__(self, catalog: Catalog, hear: Hear, kind: str = "play") -> None:
        self.catalog, self.hear, self.kind = catalog, hear, kind
        self._loop = asyncio.get_running_loop()
        self._pipe: Connection | None = None
        self._process: Any = None
        self._closed = False
        Tab.count += 1

    @property
    def pid(self) -> int | None:
        """The process, for whoever wants to know."""
        return None if self._process is None else self._process.pid

    @property
    def alive(self) -> bool:
        return self._process is not None and bool(self._process.is_alive())

    def start(self) -> None:
        """Have a process; again after one has ended."""
        context: Any = multiprocessing.get_context(
            "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
        )
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, msgspec.json.encode(self.catalog), self.kind), daemon=True)
        self._process.start()
        theirs.close()
        threading.Thread(target=self._listen, args=(self._pipe,), daemon=True, name="playout studio tab").start()

    def send(self, do: str, **words: Any) -> None:
        """A command for the process."""
        data = msgspec.json.encode({"do": do, **words})
        if len(data) > LONGEST_COMMAND:
            self.hear({"kind": "problem", "words": "that is too long to be sent"})
            return
        if self._pipe is None or self._closed:
            return
        try:
            self._pipe.send_bytes(data)
        except (OSError, ValueError):
            self.hear({"kind": "ended", "words": GONE})

    def _listen(self, pipe: Connection) -> None:
        while True:
            try:
                message = msgspec.json.decode(pipe.recv_bytes())
            except (EOFError, OSError, msgspec.DecodeError):
                message = {"kind": "ended", "words": GONE}
            if self._closed or pipe is not self._pipe:
                return
            with contextlib.suppress(RuntimeError):  # the loop is gone: so is the studio
                self._loop.call_soon_threadsafe(self._deliver, pipe, message)
            if message["kind"] == "ended":
                return

    def _deliver(self, pipe: Connection, message: dict[str, Any]) -> None:
        if not self._closed and pipe is self._pipe:
            self.hear(message)

    def end(self) -> None:
        """End the process at once, and with it all its searches."""
        if self._process is not None:
            self._process.kill()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None

    def close(self) -> None:
        """The tab was closed."""
        if not self._closed:
            self._closed = True
            Tab.count -= 1
            self.end()


def warm_up() -> None:
    """Have a process ready that has loaded everything, from which those of tabs are split off in no time."""
    if "forkserver" in multiprocessing.get_all_start_methods():
        context: Any = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["playout.studio.process", "playout.studio.tab"])
        process = context.Process(target=_nothing)
        process.start()
        process.join()


def _serve(pipe: Connection, catalog: bytes, kind: str) -> None:
    """What the process of a tab does. It imports that itself: the server runs no game, and its first page would wait a second for it."""
    from playout.studio.process import serve

    serve(pipe, catalog, kind)


def _nothing() -> None:
    """What the first process does."""
