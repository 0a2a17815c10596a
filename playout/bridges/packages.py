"""Packages of others: imported when they are first needed, with a sentence where they are missing."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playout.errors import PlayoutError


def need(module: str, package: str, what: str) -> Any:
    """A module of another package, or the sentence that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in ("", module.partition(".")[0], package):
            raise PlayoutError(f"{what} needs {missing}, which is not installed: pip install {missing}") from None
        raise PlayoutError(f"{what} needs {package}, which is not installed: pip install 'playout[bridges]'") from None


@contextmanager
def silence() -> Iterator[None]:
    """Keep C++ from writing its exceptions to standard error, where they are caught and said in other words."""
    sys.stderr.flush()
    try:
        before = os.dup(2)
    except OSError:
        yield
        return
    with tempfile.TemporaryFile() as nowhere:
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(before, 2)
            os.close(before)
