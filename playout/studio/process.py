"""The life of the process behind a tab: its pipe, and who watches that it neither hangs nor grows too large.

A thread of its own watches: rules that do not come back and memory beyond the limit end the process, with a sentence first.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec

from playout.compile import cache
from playout.game import calls
from playout.studio.catalog import Catalog
from playout.studio.desk import Desk
from playout.studio.worker import Worker

TICK = 0.5
"""Seconds after which somebody looks whether the file of a game was saved, while nothing else is to be done."""
LOOK = 0.25
"""Seconds between two looks at the clock."""
RARELY = 2
"""Looks at the clock for one at the memory, which takes longer: all processes of the machine are asked whose they are."""


def serve(pipe: Connection, catalog_data: bytes, kind: str = "play") -> None:
    """The life of the process of one tab."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    catalog: Catalog = msgspec.json.decode(catalog_data, type=Catalog)
    lock = threading.Lock()

    def send(message: dict[str, Any]) -> None:
        with lock, contextlib.suppress(OSError, ValueError):
            pipe.send_bytes(msgspec.json.encode(message))

    worker = _desk(kind, catalog, send)
    cache.on_compile = lambda function: send({"kind": "compiling", "words": "Compiling the game for this machine, once ..."})
    threading.Thread(target=_watch, args=(worker, send), daemon=True, name="playout studio watch").start()
    threading.Thread(target=_listen, args=(pipe, worker.inbox), daemon=True, name="playout studio ears").start()
    while True:
        try:
            worker.work(worker.inbox.get(timeout=TICK))
        except queue.Empty:
            worker.work(TICK)


def _desk(kind: str, catalog: Catalog, send: Callable[[dict[str, Any]], None]) -> Desk:
    """Who works off the commands of such a page."""
    if kind == "arena":
        from playout.studio.arena import ArenaDesk

        return ArenaDesk(catalog, send)
    if kind == "learning":
        from playout.studio.learning import LearningDesk

        return LearningDesk(catalog, send)
    return Worker(catalog, send)


def _listen(pipe: Connection, inbox: queue.Queue[Any]) -> None:
    """Put what comes in into the inbox; the end of the pipe is the end of the tab."""
    while True:
        try:
            message = msgspec.json.decode(pipe.recv_bytes())
        except (EOFError, OSError):
            # Whatever the main thread is in: nobody is there any more.
            os._exit(0)
        except msgspec.DecodeError:
            continue
        if isinstance(message, dict):
            inbox.put(message)


def _watch(worker: Desk, send: Callable[[dict[str, Any]], None]) -> None:
    """End the process when rules do not come back, or when it takes too much memory."""
    calls.watching = True
    limits, before, main, looks = worker.catalog.limits, _megabytes(), threading.main_thread().ident, 0
    while True:
        time.sleep(LOOK)
        stuck, since = calls.stuck(limits.patience), worker.busy_since
        if since is not None and _compiles(main):
            worker.busy_since = time.monotonic()
            continue
        if stuck is not None or (since is not None and time.monotonic() - since > limits.patience):
            who = "the game's own code" if stuck is None else stuck.words()
            words = f"{who} did not come back within {limits.patience:g} s: most likely a loop never ends"
            _leave(send, f"{words}. This game was ended; other tabs go on. playout check finds out why.")
        looks += 1
        if looks % RARELY:
            continue
        taken = sum(max(0.0, _megabytes(pid) - before) for pid in family())
        if taken > limits.memory:
            _leave(
                send,
                f"this tab took {taken:,.0f} MB, more than the {limits.memory:,.0f} MB that one may have; its game was ended",
            )


def _compiles(thread: int | None) -> bool:
    """Whether a thread waits for the compiler, which takes its time and is no fault of the game's."""
    frame = sys._current_frames().get(thread or 0)
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] in ("numba", "llvmlite"):
            return True
        frame = frame.f_back
    return False


def _leave(send: Callable[[dict[str, Any]], None], words: str) -> None:
    # The pipe may be held by a thread that hangs.
    teller = threading.Thread(target=send, args=({"kind": "ended", "words": words},), daemon=True)
    teller.start()
    teller.join(2.0)
    for worker in family()[1:]:
        with contextlib.suppress(OSError):
            os.kill(worker, signal.SIGKILL)
    os._exit(2)


def family() -> list[int]:
    """This process and all that it has started, such as the workers of a tournament; alone where nobody tells."""
    below: dict[int, list[int]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            below.setdefault(int(file.read_text().rpartition(")")[2].split()[1]), []).append(int(file.parent.name))
    found = [os.getpid()]
    for pid in found:
        found += below.get(pid, [])
    return found


def _megabytes(pid: int | None = None) -> float:
    """The memory that a process takes; 0 where nobody tells."""
    try:
        return int(Path(f"/proc/{pid or 'self'}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0
