"""The games as a table for other tools: Parquet for DuckDB, polars and pandas, or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playout.arena.experiment import Experiment
from playout.arena.referee import Record
from playout.arena.store import Store
from playout.errors import PlayoutError
from playout.files import save

SUFFIXES = (".parquet", ".csv")


def check_export(file: str | Path) -> None:
    """Say before the games, not after them, that a file cannot be exported."""
    if Path(file).suffix not in SUFFIXES:
        raise PlayoutError(f"{str(file)!r} ends in {Path(file).suffix!r}; export to a name that ends in .parquet or .csv")
    if Path(file).suffix == ".parquet":
        _polars()


def export(store: Store, file: str | Path, below: int | None = None) -> Path:
    """Write all games that count (those with a number `below`), a row each; lists are lists in Parquet and words with spaces between in CSV."""
    check_export(file)
    experiment = store.experiment
    rows = (_row(experiment, record) for record in store.games(store.stop if below is None else below))
    if Path(file).suffix == ".csv":
        return save(file, _csv(rows))
    data = io.BytesIO()
    _polars().DataFrame(list(rows), schema=_schema(experiment.players)).write_parquet(data)
    return save(file, data.getvalue())


def _polars() -> Any:
    try:
        import polars
    except ImportError:
        raise PlayoutError(
            "Parquet needs polars; pip install 'playout[analysis]', or export to a name that ends in .csv"
        ) from None
    return polars


def _row(experiment: Experiment, record: Record) -> dict[str, Any]:
    row: dict[str, Any] = {"number": record.number, "game": experiment.game, "round": record.round, "seed": record.deal}
    for seat, agent in enumerate(record.seats):
        row |= {
            f"agent_{seat}": experiment.labels[agent],
            f"return_{seat}": record.returns[seat],
            f"points_{seat}": record.points[seat],
        }
    row |= {
        "ended": record.ended,
        "fault": experiment.labels[record.seats[record.fault]] if record.fault >= 0 else None,
        "error": record.error or None,
        "opening": record.opening,
        "length": len(record.movers),
    }
    row |= {name: record.column(name).tolist() for name in ("moves", "movers", "choices", "seconds", "simulations")}
    return row


def _schema(players: int) -> dict[str, Any]:
    pl = _polars()
    seats = {
        f"{name}_{seat}": kind
        for seat in range(players)
        for name, kind in (("agent", pl.String), ("return", pl.Float64), ("points", pl.Float64))
    }
    return {
        "number": pl.Int64,
        "game": pl.String,
        "round": pl.Int64,
        "seed": pl.Int64,
        **seats,
        "ended": pl.String,
        "fault": pl.String,
        "error": pl.String,
        "opening": pl.Int64,
        "length": pl.Int64,
        "moves": pl.List(pl.UInt16),
        "movers": pl.List(pl.UInt8),
        "choices": pl.List(pl.UInt16),
        "seconds": pl.List(pl.Float32),
        "simulations": pl.List(pl.UInt32),
    }


def _csv(rows: Iterator[dict[str, Any]]) -> bytes:
    text = io.StringIO(newline="")
    writer: csv.DictWriter[str] | None = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(text, list(row))
            writer.writeheader()
        writer.writerow({name: " ".join(map(str, value)) if isinstance(value, list) else value for name, value in row.items()})
    return text.getvalue().encode()
