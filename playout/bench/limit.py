"""The hand-written C search (limit.c): built when it is asked for, where there is a C compiler."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

from playout.bench.peers import MissingPeer
from playout.bench.timing import Prepare, Task

SOURCE = Path(__file__).with_name("limit.c")


def c_search() -> Prepare:
    """(simulations, seed) to a search of Connect Four in C."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise MissingPeer("no C compiler found: install gcc")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        library = Path(folder) / "limit.so"
        built = subprocess.run(
            [compiler, "-O3", "-march=native", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-lm"],
            capture_output=True,
            text=True,
            check=False,
        )
        if built.returncode != 0:
            raise MissingPeer(
                f"the C compiler failed: {built.stderr.strip().splitlines()[-1] if built.stderr.strip() else 'no message'}"
            )
        search = ctypes.CDLL(str(library)).search
    search.argtypes, search.restype = (ctypes.c_int64, ctypes.c_uint64, ctypes.c_double), ctypes.c_int64

    def prepare(simulations: int, seed: int) -> Task:
        return lambda: search(simulations, seed + 1, 1.4)

    return prepare
