"""Sharing the games out: chunks of numbers go to hands, records come back, and what a lost hand had is played again.

A hand is anything with `play(numbers, deliver)` and `close()`: a local process (`worker.Worker`), an actor on a Ray cluster
(`cluster.RayHand`), or the calling process itself (`Here`). Which hand plays a game makes no difference to the game.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from playout.agents import Recipe
from playout.arena.experiment import Experiment
from playout.arena.referee import Record, Referee
from playout.arena.serving import Timer
from playout.arena.worker import Deliver, Worker, WorkerLost
from playout.errors import PlayoutError
from playout.game.game import Game

CHUNK_SECONDS = 0.5
"""About how long a hand is busy with a chunk: long enough to be worth the message, short enough to end together."""
MOST_CHUNK = 2000
STAFF_SECONDS = 1.0
"""How long games may still go on when a staff's experiment is stopped; processes that take longer are ended."""
MOST_LOSSES = 5
"""How often in a row a hand may be lost without having delivered anything."""


class Hand(Protocol):
    """Who plays games."""

    def play(self, numbers: Sequence[int], deliver: Deliver) -> None:
        """Play these games and deliver each once; `WorkerLost` when it cannot go on."""

    def close(self) -> None:
        """Stop, at once, even in the middle of a game."""


HandMaker = Callable[[threading.Event], Hand]
"""Makes a hand. It may wait until there is room for one, as long as the event (the crew has stopped) is not set."""


class Here:
    """Games in the calling process: for agents and games that exist only there, and for debuggers."""

    def __init__(self, experiment: Experiment, game: Game, recipes: Sequence[Recipe]) -> None:
        self.schedule, self.timer = experiment.schedule, Timer(experiment.rules.limit)
        self.referee = Referee(game, recipes, experiment.rules, self.timer)

    def games(self, numbers: Sequence[int]) -> Iterator[list[Record]]:
        """One game after the other."""
        for number in numbers:
            yield [self.referee.play(self.schedule.fixture(number))]

    def close(self) -> None:
        """Give the caller's signals back."""
        self.timer.close()


class Crew:
    """Hands at work on a list of games; iterate over `results()`, which ends when all are there."""

    def __init__(self, numbers: Sequence[int], makers: Sequence[HandMaker]) -> None:
        self._left = list(reversed(numbers))
        self._open = len(self._left)
        self._lock = threading.Lock()
        self._results: queue.Queue[list[Record] | BaseException] = queue.Queue()
        self._hands: list[Hand] = []
        self._stopped = threading.Event()
        self.notes: list[str] = []
        """What went wrong on the way and was made good."""
        self._hands_left = len(makers)
        self._threads = [threading.Thread(target=self._work, args=(maker,), daemon=True) for maker in makers]

    def results(self) -> Iterator[list[Record]]:
        """The records as they come; now and then an empty list, so that whoever shows progress can go on doing so."""
        for thread in self._threads:
            thread.start()
        try:
            while self._open > 0:
                try:
                    found = self._results.get(timeout=0.2)
                except queue.Empty:
                    yield []
                    continue
                if isinstance(found, BaseException):
                    raise found
                self._open -= len(found)
                yield found
        finally:
            self.stop()

    def rest(self) -> list[Record]:
        """What came in after somebody stopped listening: finished games, not to be lost."""
        found: list[Record] = []
        while not self._results.empty():
            part = self._results.get()
            if not isinstance(part, BaseException):
                found += part
        return found

    def stop(self) -> None:
        """End all hands at once."""
        self._stopped.set()
        with self._lock:
            hands = list(self._hands)
        for hand in hands:
            hand.close()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(timeout=10)

    def _take(self, size: int) -> list[int]:
        with self._lock:
            # At the end everybody gets a little, so that all finish together.
            fair = max(1, len(self._left) // (2 * len(self._threads)))
            chunk = [self._left.pop() for _ in range(min(size, fair, len(self._left)))]
        return chunk

    def _give_back(self, numbers: Sequence[int]) -> None:
        with self._lock:
            self._left += sorted(numbers, reverse=True)

    def _work(self, maker: HandMaker) -> None:
        losses = 0
        try:
            while not self._stopped.is_set() and self._open > 0:
                try:
                    self._use(maker)
                    losses = 0
                except WorkerLost as error:
                    losses += 1
                    if self._stopped.is_set():
                        return
                    self.notes.append(str(error))
                    if losses >= MOST_LOSSES:
                        self._retire(f"{error}; tried {losses} times")
                        return
                    time.sleep(0.2 * losses)
        except BaseException as error:
            self._results.put(error)

    def _retire(self, words: str) -> None:
        """One who never can leaves the games to the others; the last one says so."""
        with self._lock:
            self._hands_left -= 1
            if self._hands_left == 0:
                raise PlayoutError(words)

    def _use(self, maker: HandMaker) -> None:
        """Make a hand and keep it busy until there is nothing left, or it is lost."""
        hand = maker(self._stopped)
        with self._lock:
            self._hands.append(hand)
        size, delivered = 1, 0
        try:
            while not self._stopped.is_set() and self._open > 0:
                chunk = self._take(size)
                if not chunk:
                    # Another hand may still be lost, and its games come back.
                    time.sleep(0.05)
                    continue
                began, missing = time.monotonic(), dict.fromkeys(chunk)

                def deliver(records: list[Record], missing: dict[int, None] = missing) -> None:
                    nonlocal delivered
                    for record in records:
                        missing.pop(record.number, None)
                    delivered += len(records)
                    self._results.put(records)

                try:
                    hand.play(chunk, deliver)
                finally:
                    self._give_back(list(missing))
                took = (time.monotonic() - began) / len(chunk)
                size = max(1, min(MOST_CHUNK, 4 * size, int(CHUNK_SECONDS / max(took, 1e-6))))
        except WorkerLost as error:
            if delivered:
                # It did work for a while: that is an accident, not a worker that never can.
                self.notes.append(str(error))
                return
            raise
        finally:
            with self._lock:
                if hand in self._hands:
                    self._hands.remove(hand)
            hand.close()


class Staff:
    """Processes that stay from one experiment to the next: starting one takes as long as many short games."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._free: list[Worker] = []
        self._hired: list[Worker] = []
        self._lock = threading.Lock()
        self._patience: float | None = None

    def start(self, experiment: Experiment) -> None:
        """Have all processes ready, at the same time, before a clock runs."""
        self._free += [Worker(experiment) for _ in range(self.workers)]
        threads = [threading.Thread(target=worker.start, daemon=True) for worker in self._free]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def makers(self, experiment: Experiment) -> list[HandMaker]:
        """For the crew of an experiment; that of the one before has been stopped."""
        self._patience = None
        return [lambda stopped: _Hired(self, self._hire(experiment))] * self.workers

    def _hire(self, experiment: Experiment) -> Worker:
        with self._lock:
            known = self._free.pop() if self._free else None
            worker = known or Worker(experiment)
            self._hired.append(worker)
        if known is not None:
            worker.take_on(experiment)
        return worker

    def release(self, worker: Worker) -> None:
        """A worker that has nothing to do waits for the next experiment; one that was ended does not."""
        with self._lock:
            if worker in self._hired:
                self._hired.remove(worker)
                self._free += [] if worker.closed else [worker]

    def patience(self) -> float:
        """How long a game may still go on: all of them together have a little time to be finished."""
        now = time.monotonic()
        self._patience = self._patience or now + STAFF_SECONDS
        return max(0.0, self._patience - now)

    def close(self) -> None:
        """End all processes."""
        for worker in (*self._free, *self._hired):
            worker.close()


class _Hired:
    """A worker of the staff as the hand of one crew."""

    def __init__(self, staff: Staff, worker: Worker) -> None:
        self.staff, self.worker = staff, worker
        self._busy, self._left = threading.Lock(), False

    def play(self, numbers: Sequence[int], deliver: Deliver) -> None:
        with self._busy:
            # Who has left may already work for the next crew.
            if not self._left:
                self.worker.play(numbers, deliver)

    def close(self) -> None:
        finished = self._busy.acquire(timeout=self.staff.patience())
        self._left = True
        if not finished:
            self.worker.close()
        self.staff.release(self.worker)
        if finished:
            self._busy.release()


def local_makers(experiment: Experiment, workers: int) -> list[HandMaker]:
    """So many processes on this machine."""
    return [lambda stopped: Worker(experiment)] * workers
