"""Results as tables for other tools: a polars frame, or a pandas one where only that is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

import msgspec

from playout.errors import PlayoutError

PACKAGES = ("polars", "pandas")


def frame(rows: Iterable[Mapping[str, Any]]) -> Any:
    """A table with one row for each mapping; all have the same names, in the same order."""
    found = [dict(row) for row in rows]
    columns = {name: [row[name] for row in found] for name in (found[0] if found else ())}
    for package in PACKAGES:
        try:
            library = import_module(package)
        except ImportError:
            continue
        return library.DataFrame(columns, **({"strict": False} if package == "polars" else {}))
    raise PlayoutError("a table needs polars or pandas; pip install polars (or 'playout[analysis]'), or take to_dict()")


def spread(record: msgspec.Struct, **numbered: int) -> dict[str, Any]:
    """A record as a row. Fields named here are tuples with one number per player: they become columns of their own, means_0, means_1, ..."""
    row: dict[str, Any] = {}
    for name, value in msgspec.structs.asdict(record).items():
        if name in numbered:
            row |= {f"{name}_{at}": value[at] if value else None for at in range(numbered[name])}
        elif isinstance(value, msgspec.Struct):
            row |= {f"{name}_{inner}": cell for inner, cell in msgspec.structs.asdict(value).items()}
        else:
            row[name] = value
    return row
