"""The connection of this process to Ray: to a cluster, or to a Ray of our own that lives as long as it is used.

Ray talks on the terminal, waits for minutes and changes the process it runs in; what keeps it quiet is all here.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import logging
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from typing import Any

from playout.errors import PlayoutError

JOIN_SECONDS = 14.0
"""How long a cluster may take to answer when joined."""
STORE_BYTES = 80 << 20
"""Ray's object store: by default a third of the memory, for nothing more than a chunk's records."""
SETTINGS = ("RAY_BACKEND_LOG_LEVEL", "RAY_USAGE_STATS_ENABLED", "RAY_AUTH_TOKEN", "RAY_AUTH_MODE")
"""What is changed in the environment for as long as Ray is used, some of it by Ray itself."""
LONGEST_FOLDER = 24
"""Sockets lie below Ray's folder, and the path of a socket may have 107 characters."""


class Connection:
    """Ray has one connection per process, so this has one too; tournaments at the same time share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users, self._ours = 0, False
        self._address: str | None = None
        self._folder: str | None = None
        self._environment: dict[str, str | None] = {}
        # One for all the Rays that this process begins, since Ray reads it only once.
        self.token, self._guarded = secrets.token_hex(32), False

    def join(self, ray: Any, workers: int | None, address: str | None) -> None:
        """Join the cluster at an address, or begin a Ray of our own with so many CPUs."""
        with self._lock:
            if ray.is_initialized():
                self._check_same(ray, address)
            else:
                self._connect(ray, workers, address)
            self._users += 1

    def leave(self) -> None:
        """Undo one `join`; the last one ends the connection."""
        with self._lock:
            self._users = max(0, self._users - 1)
            if self._users == 0:
                self._end()

    def _check_same(self, ray: Any, address: str | None) -> None:
        there = {self._address if self._ours else None, ray.get_runtime_context().gcs_address, "auto", None}
        if address not in there:
            raise PlayoutError(
                f"--address {address}: this process is connected to another Ray cluster already; leave the address out to use that "
                "one, or call ray.shutdown() first"
            )

    def _connect(self, ray: Any, workers: int | None, address: str | None) -> None:
        if address is not None:
            _try(address)
            if self._guarded and os.environ.get("RAY_AUTH_MODE") != "token":
                raise PlayoutError(
                    f"--address {address}: Ray cannot join a cluster after one of its own; use a new process for it"
                )
        self._environment = {name: os.environ.get(name) for name in SETTINGS}
        self._ours, self._address = True, address
        try:
            os.environ["RAY_BACKEND_LOG_LEVEL"] = "fatal"
            options = {"address": address} if address is not None else self._alone(workers)
            _talk(ray, False)
            with _silence():
                ray.init(**options, logging_level=logging.CRITICAL, log_to_driver=False)
        except BaseException as error:
            self._end()
            if not isinstance(error, Exception):
                raise
            name = "this machine" if address is None else f"--address {address}"
            raise PlayoutError(f"Ray could not be used on {name}: {words(error)}; --engine local plays without it") from None

    def _alone(self, workers: int | None) -> dict[str, Any]:
        """The options of a Ray of our own: on this machine, in a folder of its own, so that nobody else takes it for theirs."""
        short = tempfile.gettempdir() if len(tempfile.gettempdir()) <= LONGEST_FOLDER else "/tmp"
        self._folder = tempfile.mkdtemp(prefix="playout-ray-", dir=short)
        # Ray ends with the process by itself, but its folder would stay.
        atexit.register(self._end)
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        # Strangers on the network must not give orders to it. Without this Ray writes a token into the home folder, and clusters
        # that are begun later then ask for that. An explicit RAY_AUTH_MODE goes first.
        self._guarded |= "RAY_AUTH_MODE" not in os.environ
        os.environ.setdefault("RAY_AUTH_TOKEN", self.token)
        options = {"num_cpus": workers, "include_dashboard": False, "object_store_memory": STORE_BYTES}
        return {"address": "local", "_temp_dir": self._folder, **options}

    def _end(self) -> None:
        """Leave, and leave the process as it was."""
        if not self._ours:
            return
        ray = import_ray()
        with contextlib.suppress(Exception):
            ray.shutdown()
        atexit.unregister(self._end)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        for name, value in self._environment.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        _talk(ray, True)
        self._ours, self._address, self._folder, self._environment = False, None, None, {}


connection = Connection()


def import_ray() -> Any:
    # Not as a statement: type checkers would read all of Ray.
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise PlayoutError("--engine ray needs Ray; pip install 'playout[ray]'") from None


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Ray's machine code writes past Python, first of all that it was told to be quiet."""
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


def _talk(ray: Any, may: bool) -> None:
    """Whether Ray may print about dead nodes, for which it has no option; and the environment is read again."""
    with contextlib.suppress(AttributeError):
        ray._private.worker._worker_logs_enabled = may
        ray._raylet.Config.initialize("")


PROBE = """
import logging, socket, sys
address = sys.argv[1]
try:
    if ":" in address:
        host, _, port = address.removeprefix("ray://").rpartition(":")
        socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
        print("answers", flush=True)
    import ray
    ray.init(address=address, logging_level=logging.CRITICAL, log_to_driver=False)
    print("joined", flush=True)
except Exception as error:
    print("failed", str(error).strip().partition("\\n")[0])
"""


def _try(address: str) -> None:
    """Join a cluster in another process first: Ray itself waits for minutes, talks on the terminal and may end the process."""
    command = [sys.executable, "-c", PROBE, address]
    try:
        done = subprocess.run(command, capture_output=True, timeout=JOIN_SECONDS, stdin=subprocess.DEVNULL)
        output, errors = done.stdout, done.stderr
    except subprocess.TimeoutExpired as error:
        output, errors = error.stdout or b"", error.stderr or b""
    said = output.decode(errors="replace").splitlines()
    if "joined" not in said:
        why = next((line.removeprefix("failed ") for line in said if line.startswith("failed ")), "no answer")
        raise PlayoutError(f"--address {address} {_cure(address, why, 'answers' in said, b'AuthToken' in errors)}")


def _cure(address: str, why: str, answers: bool, locked: bool) -> str:
    """What is wrong with an address, and what to do about it."""
    if "ray[client]" in why:
        return "needs Ray's client; pip install 'ray[client]', or give host:port of the head node"
    if locked:
        return "is a Ray cluster that asks for a token; set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN_PATH as on its head node"
    if answers:
        return (
            f"could not be joined ({why}); a Ray of the same version must run there, and this machine must be one of its nodes: "
            f"ray start --address={address}"
        )
    return f"is no Ray cluster ({why}); start one with ray start --head, or leave the address out to use this machine alone"


def words(error: BaseException) -> str:
    """One line of what Ray says in many."""
    cause = getattr(error, "cause", None) or error
    line = str(cause).strip().partition("\n")[0].rstrip(".")
    return line[:200] or type(cause).__name__
