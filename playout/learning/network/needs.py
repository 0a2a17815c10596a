"""What networks need beside the library itself, imported late, with one sentence where it is missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from playout.errors import PlayoutError


def needed(name: str) -> Any:
    """A package of the extra `neural`: torch or safetensors."""
    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise PlayoutError(f"a network needs {package}, which is not installed: pip install 'playout[neural]'") from None
