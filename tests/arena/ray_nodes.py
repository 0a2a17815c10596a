"""Ray nodes for tests: real `ray start` processes on this machine that can be killed like a machine that loses power."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType

STORE_BYTES = 80 << 20
LINE = ["--num-cpus=1", f"--object-store-memory={STORE_BYTES}", "--disable-usage-stats", "--block"]
QUICK = {
    # A dead node is noticed after two seconds instead of half a minute.
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "1500",
    "RAY_health_check_failure_threshold": "3",
}


class Node:
    """One `ray start`, in a session of its own: whoever is in that session belongs to it, and nobody else does."""

    def __init__(self, token: str, *options: str) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", *LINE, f"--dashboard-agent-listen-port={free_port()}"]
        self.process = subprocess.Popen(
            [*command, *options],
            env={**clean, **QUICK, "RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def processes(self) -> list[int]:
        """Everything in the session."""
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if _session(pid) == self.process.pid]

    def kill(self) -> None:
        """Without a warning, all of it, until nothing is left."""
        deadline = time.monotonic() + 10
        while (left := self.processes()) and time.monotonic() < deadline:
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.poll()
            time.sleep(0.02)
        self.process.wait(timeout=10)


class Nodes:
    """A head and one more node, one CPU each; others on the network cannot use them, since they want a token."""

    def __init__(self, token: str) -> None:
        self.folder = tempfile.mkdtemp(prefix="po", dir="/tmp")
        self.address = f"{_own_address()}:{free_port()}"
        port = self.address.rpartition(":")[2]
        self.head = Node(token, "--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={self.folder}")
        self.other: Node | None = None
        try:
            _wait_for(self.address, self.head)
            self.other = Node(token, f"--address={self.address}")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        for node in (self.other, self.head):
            if node is not None:
                node.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Nodes:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as found:
        found.bind(("", 0))
        return int(found.getsockname()[1])


def _own_address() -> str:
    """As Ray finds it: the address of the way out, to which nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        try:
            out.connect(("192.0.2.1", 9))
            return str(out.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def _wait_for(address: str, node: Node) -> None:
    host, _, port = address.rpartition(":")
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline and node.process.poll() is None:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the head node did not start at {address} (exit code {node.process.poll()})")


def _session(pid: int) -> int | None:
    """Of a living process; the dead that nobody has fetched do not count."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[3])
