"""Machine code on disk: one file per function and signature, named by digest; trouble with it only costs time.

Files are written whole and renamed into place, carry a checksum, and are ignored when they do not fit, so two processes
may compile the same game at once and a full disk loses nothing. The content is Numba's own serialised code, which is
trusted as installed code is: the folder is made for its owner alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import compiler
from numba.core.caching import _Cache

from playout.compile.kept import folder
from playout.files import write_whole
from playout.game import calls

MAGIC = b"playout machine code 1\n"

on_compile: Callable[[str], None] | None = None
"""Told the name of a function when it has to be compiled because the cache does not hold it."""

troubles: list[str] = []
"""Why the cache could not be written, if it could not; `playout check` and `--debug` show it."""


class DiskCache(_Cache):  # type: ignore[misc]
    """What a Numba dispatcher asks before it compiles and tells after it compiled."""

    def __init__(self, name: str, digest: str) -> None:
        self.name, self.digest = name, digest

    @property
    def cache_path(self) -> str:
        return str(folder())

    def _file(self, signature: Any, codegen: Any) -> Path:
        key = hashlib.sha256(repr((str(signature), codegen.magic_tuple())).encode()).hexdigest()[:16]
        return folder() / self.digest[:2] / f"{self.name}-{self.digest}-{key}.bin"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        # Whoever watches a call must not take the compiler for a rule that never comes back.
        call = calls.running.get(threading.get_ident())
        if call is not None:
            call.head = False
        target_context.refresh()
        # A cache that cannot be read is no cache: whatever is wrong with the file, compiling mends it.
        with contextlib.suppress(Exception):
            data = self._file(signature, target_context.codegen()).read_bytes()
            head, check, payload = data[: len(MAGIC)], data[len(MAGIC) :][:32], data[len(MAGIC) + 32 :]
            if head == MAGIC and hashlib.sha256(payload).digest() == check:
                return self._unpacked(payload, target_context)
        if on_compile is not None:
            on_compile(self.name)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        if not self._able(result):
            return
        try:
            file = self._file(signature, result.codegen)
            payload = self._packed(result)
            folder().mkdir(parents=True, exist_ok=True, mode=0o700)
            file.parent.mkdir(exist_ok=True, mode=0o700)
            write_whole(file, MAGIC + hashlib.sha256(payload).digest() + payload)
        except Exception as error:
            troubles.append(f"the compiled {self.name} could not be kept in {folder()}: {error}")

    def _able(self, result: Any) -> bool:
        """Whether what was compiled can be kept."""
        return not result.library.has_dynamic_globals and all(lifted.can_cache for lifted in result.lifted)

    def _packed(self, result: Any) -> bytes:
        return pickle.dumps(result._reduce(), protocol=pickle.HIGHEST_PROTOCOL)

    def _unpacked(self, payload: bytes, target_context: Any) -> Any:
        return compiler.CompileResult._rebuild(target_context, *pickle.loads(payload))  # type: ignore[no-untyped-call]

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...
