"""Inside a process that plays games: a referee that plays the numbers it is sent.

A timer interrupts an agent that thinks too long. Who watches over the process from outside is `Worker`; the two share a small file in
memory that says who is thinking. Messages are MessagePack with their length in front; nothing is pickled.
"""

from __future__ import annotations

import mmap
import os
import shutil
import signal
import struct
import threading
import time
from pathlib import Path
from typing import IO, Any

import msgspec

from playout.agents import recipe
from playout.arena.experiment import Experiment
from playout.arena.referee import Record, Referee, TimeLimit, Watch
from playout.compile import patience
from playout.errors import PlayoutError
from playout.game import calls
from playout.game.load import load

FLUSH_SECONDS = 0.1
MOST_MOVES = 60_000
HEAD = struct.Struct("<qqqd")
"""In the shared file: the game, the seat that is thinking (below 0: nobody), the actions so far, since when."""
NOBODY, IDLE = -1, -2
LENGTH = struct.Struct("<I")


class Timer:
    """Watches from inside: interrupts a decision that takes too long, and notes in the shared file who is thinking."""

    def __init__(self, limit: float, shared: mmap.mmap | None = None) -> None:
        self.limit, self.shared, self.number, self.ply = limit, shared, 0, 0
        self.alone = shared is not None
        # Signals reach only the main thread; elsewhere the watcher outside is all there is.
        self.armed = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
        self._before: Any = signal.signal(signal.SIGALRM, self._ring) if self.armed else None

    def _ring(self, number: int, frame: Any) -> None:
        raise TimeLimit

    def _note(self, seat: int) -> None:
        if self.shared is not None:
            # In one go: `pack_into` would clear it first, and somebody may look in between.
            self.shared[: HEAD.size] = HEAD.pack(self.number, seat, self.ply, time.monotonic())

    def game(self, number: int) -> None:
        self.number, self.ply = number, 0
        self._note(NOBODY)

    def thinking(self, seat: int) -> None:
        self._note(seat)
        if self.armed:
            signal.setitimer(signal.ITIMER_REAL, self.limit)

    def answered(self) -> None:
        if self.armed:
            signal.setitimer(signal.ITIMER_REAL, 0)
        self._note(NOBODY)

    def played(self, ply: int, action: int) -> None:
        self.ply = ply + 1
        if self.shared is not None and ply < MOST_MOVES:
            struct.pack_into("<H", self.shared, HEAD.size + 2 * ply, action)

    def close(self) -> None:
        """Take the timer away again."""
        if self.armed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before or signal.SIG_DFL)

    def idle(self) -> None:
        """Between games there is nothing to watch."""
        self._note(IDLE)


def make_referee(experiment: Experiment, watch: Watch | None = None) -> Referee:
    """The referee of an experiment, out of its description alone."""
    game = load(experiment.game)
    from playout.compile.digest import rules

    if rules(game) != experiment.rules_digest:
        raise PlayoutError(f"game {experiment.game!r} has other rules here than where the tournament began; use the same file")
    # What a fit gave stands in the spec already; what is kept on this machine, or was kept since, must not change the games.
    recipes = [recipe(agent.spec, game, fit=False) for agent in experiment.agents]
    for made, agent in zip(recipes, experiment.agents):
        if made.digest != agent.digest:
            raise PlayoutError(f"agent {agent.spec!r} has another file here than where the tournament began; use the same file")
        made.prepare()
    referee = Referee(game, recipes, experiment.rules, watch)
    referee.table.prepare()
    return referee


def serve(shared_file: str, *told: str) -> None:
    """The life of a worker process, which is told how long its owner waits for rules."""
    patience.take_over(told)
    parent = os.getppid()
    source = os.fdopen(os.dup(0), "rb")
    target = os.fdopen(os.dup(1), "wb")
    # What agents print must not get among the messages.
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    threading.Thread(target=_leave_with_parent, args=(parent, Path(shared_file).parent), daemon=True).start()
    with open(shared_file, "r+b") as handle:
        shared = mmap.mmap(handle.fileno(), 0)
    calls.last_words = 0
    try:
        experiment = Experiment.decode(receive(source))
        timer = Timer(experiment.rules.limit, shared)
        while True:
            referee = make_referee(experiment, timer)
            timer.limit = experiment.rules.limit
            timer.idle()
            send(target, b"")
            experiment = _play_all(referee, experiment, timer, source, target)
    except (BrokenPipeError, EOFError):
        return
    except PlayoutError as error:
        send(target, msgspec.msgpack.encode(str(error)))
    finally:
        if os.getppid() != parent:
            shutil.rmtree(Path(shared_file).parent, ignore_errors=True)


def _play_all(referee: Referee, experiment: Experiment, timer: Timer, source: IO[bytes], target: IO[bytes]) -> Experiment:
    """Play the numbers that come in, until another experiment does."""
    schedule = experiment.schedule
    while True:
        numbers = msgspec.msgpack.decode(receive(source), type=list[int] | bytes)
        if isinstance(numbers, bytes):
            return Experiment.decode(numbers)
        done: list[Record] = []
        sent = time.monotonic()
        for number in numbers:
            done.append(referee.play(schedule.fixture(number)))
            if time.monotonic() - sent > FLUSH_SECONDS:
                timer.idle()
                send(target, msgspec.msgpack.encode(done))
                done, sent = [], time.monotonic()
        timer.idle()
        send(target, msgspec.msgpack.encode(done))


def _leave_with_parent(parent: int, folder: Path) -> None:
    """An orphan has nobody to play for, and tidies up before it goes."""
    while os.getppid() == parent:
        time.sleep(0.5)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def send(target: IO[bytes], data: bytes) -> None:
    target.write(LENGTH.pack(len(data)) + data)
    target.flush()


def receive(source: IO[bytes]) -> bytes:
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    size = LENGTH.unpack(head)[0]
    data = source.read(size)
    if len(data) < size:
        raise EOFError
    return data
