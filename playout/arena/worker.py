"""The owner of a process that plays games: whatever it does, its games come back.

If it dies, they are played again; if it hangs in code that no timer can interrupt, it is killed. What happens inside is `serving`.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import selectors
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from playout.arena.experiment import Experiment
from playout.arena.referee import MOST_WORDS, Record, forfeit, record
from playout.arena.serving import HEAD, IDLE, LENGTH, MOST_MOVES, NOBODY, send
from playout.compile import patience
from playout.errors import PlayoutError
from playout.files import owned
from playout.game import calls
from playout.game.load import load

BEGIN = "import sys; sys.path.append(sys.path.pop(0)); from playout.arena.serving import serve; serve(*sys.argv[1:])"
"""What a process begins with. The folder that it is started in comes last: a playout that lies there need not be the owner's."""
GRACE = 5.0
"""Seconds beyond the limit before a process that cannot be interrupted is killed."""
RULES_SECONDS = 120.0
"""How long the game's own rules may take over one action."""
TRIES = 3
"""How often a game is played again after the process died during an agent's decision, before that is the agent's fault."""
MOST_SIGNALS = 3 * TRIES
"""After so many the games are given up: machine code that ends processes in one game after the other is nobody's bad move."""
MOST_PRINTED = 1 << 20

Deliver = Callable[[list[Record]], None]


class WorkerLost(Exception):
    """The process cannot be used any more, and its games are somebody else's now."""


class Worker:
    """A worker process as its owner holds it: `play(numbers, deliver)` until all are delivered, whatever happens inside."""

    def __init__(self, experiment: Experiment, *, grace: float = GRACE) -> None:
        self.experiment, self.grace = experiment, grace
        self.schedule = experiment.schedule
        self.deaths: dict[int, int] = {}
        self.by_signal = 0
        """How often machine code ended the process by a signal, in whatever game and whoever asked for it."""
        self._folder = tempfile.mkdtemp(prefix=owned("playout-worker-"))
        self._shared_file = Path(self._folder) / "shared"
        self._words = Path(self._folder) / "words"
        self._shared_file.write_bytes(bytes(HEAD.size + 2 * MOST_MOVES))
        with self._shared_file.open("r+b") as handle:
            self._shared = mmap.mmap(handle.fileno(), 0)
        self._process: subprocess.Popen[bytes] | None = None
        self._buffer = bytearray()
        self.closed = False

    @property
    def pid(self) -> int | None:
        """The process, for whoever wants to look at it or kill it."""
        return None if self._process is None else self._process.pid

    def play(self, numbers: Sequence[int], deliver: Deliver) -> None:
        """Play the games of these numbers and deliver each exactly once."""
        left = dict.fromkeys(numbers)

        def got(records: list[Record]) -> None:
            fresh = [r for r in records if r.number in left]
            for r in fresh:
                del left[r.number]
            if fresh:
                deliver(fresh)

        while left and not self.closed:
            if self._process is None:
                self._spawn()
            fault = self._play_some(list(left), got)
            if fault is not None and fault.number in left:
                got([fault])

    def start(self) -> None:
        """Have the process ready before the first games come; what goes wrong comes up again with them."""
        with contextlib.suppress(WorkerLost, PlayoutError):
            if self._process is None and not self.closed:
                self._spawn()

    def take_on(self, experiment: Experiment) -> None:
        """Another experiment; a process that is there goes on with it, and need not be started again."""
        self.experiment, self.schedule, self.deaths = experiment, experiment.schedule, {}
        if self._process is None:
            return
        try:
            self._write(msgspec.msgpack.encode(experiment.encode()))
            self._ready()
        except (EOFError, OSError):
            self._end()

    def _ready(self) -> None:
        """Wait until the process has made what it needs, or says why it cannot."""
        while words := self._read_message():
            said = msgspec.msgpack.decode(words, type=list[Record] | str)
            if isinstance(said, str):
                self._end()
                raise PlayoutError(said)
            assert not said, "only the end of the last games may still be on its way, and that is empty"

    def _spawn(self) -> None:
        self._shared[: HEAD.size] = HEAD.pack(0, IDLE, 0, time.monotonic())
        self._buffer.clear()
        self._words.unlink(missing_ok=True)
        with self._words.open("ab") as words:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-c",
                    BEGIN,
                    str(self._shared_file),
                    *patience.handed_on(),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=words,
                # Ctrl-C is for the owner, who then ends its workers in order.
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join([_package_folder(), os.environ.get("PYTHONPATH", "")])},
            )
        try:
            self._write(self.experiment.encode())
            self._ready()
        except (EOFError, OSError):
            last = self._last_words()
            self._end()
            raise WorkerLost(f"a worker process could not start{': ' + last if last else ''}") from None

    def _play_some(self, numbers: list[int], got: Deliver) -> Record | None:
        """Until all are there or the process has to be ended; the record of a game that was lost by that, if one was."""
        wanted = len(numbers)

        def count(records: list[Record]) -> None:
            nonlocal wanted
            wanted -= len(records)
            got(records)

        try:
            self._write(msgspec.msgpack.encode(numbers))
            while wanted > 0 and not self.closed:
                found = msgspec.msgpack.decode(self._read_message(self._hangs), type=list[Record] | str)
                if isinstance(found, str):
                    self._end()
                    raise PlayoutError(found)
                count(found)
            return None
        except _Hangs as found:
            self._end()
            words = f"no answer within {self.experiment.rules.limit:g} s, and the process had to be ended"
            return self._lost("time", words, found.snapshot)
        except (EOFError, OSError):
            last = self._last_words()
            code = self._end()
            return None if self.closed else self._after_death(f"the process died{_cause(code)}{': ' + last if last else ''}")

    def _after_death(self, words: str) -> Record | None:
        number, seat, _, _ = HEAD.unpack(self._snapshot())
        if seat == IDLE:
            return None
        self.deaths[number] = self.deaths.get(number, 0) + 1
        self.by_signal += calls.DYING in words
        if self.by_signal >= MOST_SIGNALS:
            raise PlayoutError(f"{MOST_SIGNALS} times in this tournament, the last in game {number}, {words}")
        if self.deaths[number] < TRIES:
            return None
        if seat < 0:
            raise PlayoutError(
                f"the rules of {self.experiment.game!r} ended the process {TRIES} times in game {number} ({words}); "
                f"run playout check {self.experiment.game}"
            )
        return self._lost("died", f"{words}, {TRIES} times during this agent's decision", self._snapshot())

    def _lost(self, kind: str, error: str, snapshot: bytes) -> Record:
        """The record of the game in play, lost by whoever was thinking."""
        number, seat, ply, _ = HEAD.unpack(snapshot)
        if seat < 0:
            raise PlayoutError(
                f"the rules of {self.experiment.game!r} hang in game {number} after {ply} actions (longer than {RULES_SECONDS:g} s); "
                f"run playout check {self.experiment.game}"
            )
        fixture = self.schedule.fixture(number)
        game = load(self.experiment.game)
        columns = _columns(self.experiment, fixture.deal, self._shared[HEAD.size : HEAD.size + 2 * min(ply, MOST_MOVES)])
        returns = forfeit(game, columns.pop("returns"), seat)
        return record(fixture, self.experiment.rules, returns, kind, seat, error[:MOST_WORDS], columns)

    def _snapshot(self) -> bytes:
        return bytes(self._shared[: HEAD.size])

    def _hangs(self) -> None:
        """Raise when somebody has been thinking too long: the same somebody at two looks, since one may be half written."""
        snapshot = self._snapshot()
        _, seat, _, since = HEAD.unpack(snapshot)
        allowed = RULES_SECONDS if seat == NOBODY else self.experiment.rules.limit + self.grace
        if seat == IDLE or time.monotonic() - since <= allowed:
            return
        time.sleep(0.1)
        if self._snapshot() == snapshot:
            raise _Hangs(snapshot)

    # the pipe

    def _write(self, data: bytes) -> None:
        assert self._process is not None and self._process.stdin is not None
        send(self._process.stdin, data)

    def _read_message(self, check: Callable[[], None] = lambda: None) -> bytes:
        assert self._process is not None and self._process.stdout is not None
        handle = self._process.stdout.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(handle, selectors.EVENT_READ)
            while True:
                if len(self._buffer) >= LENGTH.size:
                    end = LENGTH.size + LENGTH.unpack_from(self._buffer)[0]
                    if len(self._buffer) >= end:
                        message = bytes(self._buffer[LENGTH.size : end])
                        del self._buffer[:end]
                        return message
                if selector.select(0.1):
                    data = os.read(handle, 1 << 20)
                    if not data:
                        raise EOFError
                    self._buffer += data
                elif self.closed or self._process.poll() is not None:
                    # Dead, even if something that it left behind holds the pipe open.
                    raise EOFError
                else:
                    check()
                    self._cut_words()

    def _cut_words(self) -> None:
        """Agents may print as much as they like, but nobody keeps it all."""
        with contextlib.suppress(OSError):
            if self._words.stat().st_size > MOST_PRINTED:
                os.truncate(self._words, 0)

    def _last_words(self) -> str:
        with contextlib.suppress(OSError), self._words.open("rb") as words:
            words.seek(max(0, self._words.stat().st_size - 4096))
            lines = words.read().decode(errors="replace").strip().splitlines()
            return lines[-1][:200] if lines else ""
        return ""

    def _end(self) -> int:
        """End the process at once; its exit code."""
        process, self._process = self._process, None
        if process is None:
            return 0
        # One that is dying anyway is left a moment to do so, so that its exit code is its own.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.2)
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        return code

    def close(self) -> None:
        """End the process and remove its files. May be called from another thread while `play` waits."""
        self.closed = True
        process = self._process
        if process is not None:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


class _Hangs(Exception):
    def __init__(self, snapshot: bytes) -> None:
        self.snapshot = snapshot


def _package_folder() -> str:
    return str(Path(__file__).resolve().parents[2])


def _cause(code: int) -> str:
    """The exit code of a dead process in words."""
    if code >= 0:
        return f" (exit code {code})"
    with contextlib.suppress(ValueError):
        return f" ({signal.Signals(-code).name})"
    return f" (signal {-code})"


def _columns(experiment: Experiment, deal: int, moves: bytes) -> dict[str, Any]:
    """The columns of a game that was ended from outside, by playing its moves again: there are no seconds."""
    from playout.arena.table import Table

    table = Table(load(experiment.game))
    table.begin(deal)
    actions = [action for (action,) in struct.iter_unpack("<H", moves)]
    movers, choices = [], []
    for action in actions:
        movers.append(table.mover)
        choices.append(min(len(table.legal), 65_535))
        table.play(action)
    return {
        "returns": table.returns,
        "moves": moves,
        "movers": bytes(movers),
        "choices": struct.pack(f"<{len(choices)}H", *choices),
        "seconds": struct.pack(f"<{len(actions)}f", *[0.0] * len(actions)),
        "simulations": b"",
        "chance": table.drawn,
    }
