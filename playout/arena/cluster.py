"""Games on a Ray cluster: each hand is an actor on some node, and the actor owns an ordinary worker process there.

What agents do wrong is handled on the node exactly as on this machine (`worker.Worker`). What the cluster does wrong is
handled here: an actor or a node that dies is a `WorkerLost`, and its games go to others. A hand that finds no place, since
nodes are gone or busy, waits until there is one, without holding any game, while the others play on.

    makers = ray_makers(experiment, workers=4, address=None)   # begins a Ray of our own, or joins a cluster
    ...
    leave()                                                    # once per ray_makers, when its crew has stopped

Ray is imported only when it is used; between the machines travel bytes of MessagePack and JSON.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from playout.arena.connection import connection, import_ray, words
from playout.arena.crew import Hand, HandMaker
from playout.arena.experiment import Experiment
from playout.arena.referee import Record
from playout.arena.worker import Deliver, Worker, WorkerLost
from playout.compile import patience
from playout.errors import PlayoutError

PLACE_SECONDS = 120.0
"""How long a crew waits for its first place on the cluster."""
CLOSE_SECONDS = 2.0
"""How long an actor may take to clean up behind itself before it is killed."""
POLL_SECONDS = 0.2
HEAD_SECONDS, HEAD_EVERY = 20.0, 4.0
"""How long the head node may be away, and how often one looks. After 60 s Ray would end this process without a word."""


class Reply(msgspec.Struct):
    """What an actor answers: the games, and in one sentence what ended them early."""

    records: list[Record]
    wrong: str = ""
    """The user has to do something: a `PlayoutError`."""
    lost: str = ""
    """The worker process cannot be used: a `WorkerLost`."""


# on the node


class Host:
    """The actor: a worker process on its node."""

    def __init__(self, experiment: bytes, folder: str, told: tuple[str, str]) -> None:
        # Its worker process asks for it.
        patience.take_over(told)
        # Games and agents are named by path, some of them relative to where the tournament was begun.
        with contextlib.suppress(OSError):
            os.chdir(folder)
        self.experiment = Experiment.decode(experiment)
        self.worker = Worker(self.experiment)

    def where(self) -> tuple[str, str, int]:
        """The node's name, its address and the actor's process."""
        ray = import_ray()
        return ray.get_runtime_context().get_node_id(), ray.util.get_node_ip_address(), os.getpid()

    def process(self) -> int | None:
        """The worker process."""
        return self.worker.pid

    def play(self, numbers: bytes) -> bytes:
        """Play these games."""
        reply = Reply([])
        try:
            self._check_version()
            self.worker.play(msgspec.msgpack.decode(numbers, type=list[int]), reply.records.extend)
        except PlayoutError as error:
            reply.wrong = str(error)
        except WorkerLost as error:
            reply.lost = str(error)
        return msgspec.msgpack.encode(reply)

    def close(self) -> None:
        """End the worker process and remove its files; Ray's own kill would leave the files."""
        self.worker.close()

    def _check_version(self) -> None:
        from playout import __version__

        if __version__ != self.experiment.version:
            raise PlayoutError(
                f"playout is {__version__} here and {self.experiment.version} where the tournament began; use the same"
            )


# on this side


class Outlook:
    """How one crew stands with its cluster: has any hand a place, and is the head node there?"""

    def __init__(self, head: str) -> None:
        self._lock, self._head = threading.Lock(), head
        self._placed = 0
        self._waiting_since = self._seen = self._looked = time.monotonic()
        # Who cannot see the head from the beginning learns nothing from not seeing it later.
        self._watching = self._sees()

    def change(self, by: int) -> None:
        """A hand found its place, or lost it."""
        with self._lock:
            self._placed += by
            self._waiting_since = time.monotonic()

    def check(self, ray: Any) -> None:
        """Complain if the whole crew has been waiting too long for a place, or the cluster is without its head."""
        with self._lock:
            now = time.monotonic()
            if self._watching and now - self._looked > HEAD_EVERY:
                self._looked = now
                self._seen = now if self._sees() else self._seen
            waiting = 0.0 if self._placed else now - self._waiting_since
        if self._looked - self._seen > HEAD_SECONDS:
            raise PlayoutError(
                f"the head node of the Ray cluster at {self._head} is gone; the games so far are kept, so start Ray again and run "
                "the same command to go on"
            )
        if waiting > PLACE_SECONDS:
            there, free = (int(found.get("CPU", 0)) for found in (ray.cluster_resources(), ray.available_resources()))
            raise PlayoutError(
                f"no node of the Ray cluster started a worker within {PLACE_SECONDS:g} s ({free} of {there} CPUs are free); see "
                "ray status, free a CPU or add a node, and run the same command again to go on"
            )

    def _sees(self) -> bool:
        host, _, port = self._head.rpartition(":")
        with contextlib.suppress(OSError):
            socket.create_connection((host.strip("[]"), int(port)), timeout=2).close()
            return True
        return False


class RayHand:
    """A hand on the cluster. Making one waits for its place, until `stopped` says that it is not needed any more."""

    def __init__(self, experiment: Experiment, outlook: Outlook, stopped: threading.Event) -> None:
        self.ray, self.outlook = import_ray(), outlook
        self.node, self.address, self.pid = "", "", 0
        self._closing, self._placed, self._closed = threading.Lock(), False, False
        options: dict[str, Any] = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0, "scheduling_strategy": "SPREAD"}
        try:
            # Two threads: one plays, and one is free to be told to stop.
            actor = self.ray.remote(**options, max_concurrency=2)(Host)
            self.actor = actor.remote(experiment.encode(), os.getcwd(), patience.handed_on())
        except _faults(self.ray) as error:
            raise WorkerLost(f"no worker could be started on the Ray cluster: {words(error)}") from None
        try:
            self.node, self.address, self.pid = self._wait(self.actor.where.remote(), stopped)
        except BaseException:
            self.close()
            raise
        self._placed = True
        outlook.change(1)

    def play(self, numbers: Sequence[int], deliver: Deliver) -> None:
        """Play these games on the node and deliver each once."""
        try:
            answer = self.actor.play.remote(msgspec.msgpack.encode(list(numbers)))
        except _faults(self.ray) as error:
            raise self._lost(error) from None
        reply = msgspec.msgpack.decode(self._wait(answer), type=Reply)
        if reply.records:
            deliver(reply.records)
        if reply.wrong:
            raise PlayoutError(f"{reply.wrong} (on Ray node {self.address})")
        if reply.lost:
            raise WorkerLost(f"{reply.lost} (on Ray node {self.address})")

    def close(self) -> None:
        """End the actor at once. May be called from another thread while `play` waits."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
        with contextlib.suppress(*_faults(self.ray)):
            if self._placed:
                self.outlook.change(-1)
                self.ray.wait([self.actor.close.remote()], timeout=CLOSE_SECONDS)
        with contextlib.suppress(*_faults(self.ray)):
            self.ray.kill(self.actor)

    def _wait(self, answer: Any, stopped: threading.Event | None = None) -> Any:
        """The answer of the actor, or `WorkerLost` when there will be none."""
        try:
            while not self.ray.wait([answer], timeout=POLL_SECONDS)[0]:
                if self._closed or (stopped is not None and stopped.is_set()):
                    raise WorkerLost("stopped")
                self.outlook.check(self.ray)
            return self.ray.get(answer)
        except _faults(self.ray) as error:
            raise self._lost(error) from None

    def _lost(self, error: BaseException) -> Exception:
        if "No module named 'playout" in str(error):
            return PlayoutError("playout is not installed on every node of the Ray cluster; pip install the same version there")
        where = f" on node {self.address}" if self.address else ""
        gone = isinstance(error, self.ray.exceptions.RayActorError)
        return WorkerLost(f"a Ray worker{where} was lost: {'its process or its node is gone' if gone else words(error)}")


def ray_makers(experiment: Experiment, workers: int | None, address: str | None) -> list[HandMaker]:
    """So many hands on the Ray cluster at `address` (None for workers: one per CPU), or on a Ray of our own on this machine.

    Each call that returns wants one `leave()` later.
    """
    ray = import_ray()
    connection.join(ray, workers, address)
    wanted = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
    through = address is not None and address.startswith("ray://")
    outlook = Outlook(str(address).removeprefix("ray://") if through else ray.get_runtime_context().gcs_address)

    def make(stopped: threading.Event) -> Hand:
        return RayHand(experiment, outlook, stopped)

    return [make] * wanted


def leave() -> None:
    """Leave the cluster, or end our own, when nobody in this process uses it any more."""
    connection.leave()


def _faults(ray: Any) -> tuple[type[BaseException], ...]:
    """What Ray raises when an actor, a node or the connection is gone."""
    return (ray.exceptions.RayError, ConnectionError, RuntimeError)
