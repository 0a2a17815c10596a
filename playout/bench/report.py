"""What the benchmark says: rows, the machine they were measured on, and the table in the documentation."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from playout.errors import FileError
from playout.files import save

START, END = "<!-- bench:start -->", "<!-- bench:end -->"
PACKAGES = ("numpy", "numba", "llvmlite", "open_spiel", "multimcts")
HEADER = ("what", "ours", "theirs", "ratio", "goal", "")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement. Where there is a peer, `ratio` is ours by theirs; a goal is on the ratio then, else on `ours`."""

    name: str
    """Which measurement: "openspiel-cpp"."""
    game: str
    text: str
    """The same in words, for the table."""
    ours: float | None = None
    unit: str = "simulations/s"
    peer: str | None = None
    theirs: float | None = None
    ratio: float | None = None
    target: float | None = None
    most: bool = False
    """Whether the target is the most allowed, and not the least."""
    ok: bool | None = None
    """Whether the target is met; None without a target, or when it could not be measured."""
    note: str = ""
    bytes_per_node: float | None = None
    bytes_per_simulation: float | None = None

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        goal = "" if self.target is None else f"{'at most' if self.most else 'at least'} {self.target:g}"
        met = {True: "met", False: "MISSED", None: "not measured" if self.target is not None else ""}[self.ok]
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}" if self.ratio < 20 else f"{self.ratio:,.0f}"
        theirs = amount(self.theirs, self.unit)
        return self.text, amount(self.ours, self.unit), theirs, ratio, goal, met


def compared(ours: float, theirs: float, target: float | None = None, **words: Any) -> Row:
    """A row of two rates and the ratio between them."""
    ratio = ours / theirs
    return Row(ours=ours, theirs=theirs, ratio=ratio, target=target, ok=None if target is None else ratio >= target, **words)


def limited(ours: float, most: float, unit: str, **words: Any) -> Row:
    """A row whose own number must not exceed a limit."""
    return Row(ours=ours, unit=unit, target=most, most=True, ok=ours <= most, **words)


def amount(value: float | None, unit: str) -> str:
    """A number with its unit, no more digits than the noise leaves meaning."""
    if value is None:
        return ""
    if unit == "simulations/s":
        digits = max(0, len(str(int(value))) - 3)
        return f"{round(value, -digits):,.0f}/s"
    if unit == "points":
        return f"{value:.1%}"
    return f"{value:.2f} s" if unit == "seconds" else f"{value:.1f} {unit}"


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """All rows of one run."""

    rows: tuple[Row, ...]
    machine: dict[str, Any]
    repeats: int
    simulations: int
    quick: bool

    @property
    def missed(self) -> list[Row]:
        """The rows whose target is not met."""
        return [row for row in self.rows if row.ok is False]

    def to_json(self) -> str:
        """The report as JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode()

    def verdict(self) -> str:
        """One sentence: how many targets are met, and which are not."""
        judged = [row for row in self.rows if row.ok is not None]
        if not judged:
            return "no target was measured"
        missed = "; ".join(f"{row.text} ({_shown(row)}, goal {row.cells()[4]})" for row in self.missed)
        return f"{len(judged) - len(self.missed)} of {len(judged)} targets met" + (f"; MISSED: {missed}" if missed else "")

    def markdown(self) -> str:
        """The table of the documentation."""
        machine = self.machine
        versions = ", ".join(f"{name} {machine[name]}" for name in ("python", *PACKAGES) if machine.get(name))
        lines = [
            f"{self.verdict()}.",
            "",
            "| " + " | ".join(HEADER) + " |",
            "|---|--:|--:|--:|--:|---|",
            *("| " + " | ".join(row.cells()) + " |" for row in self.rows),
            "",
            f"Best of {self.repeats}, {machine['cores']} cores of {machine['machine']}, {versions}."
            + (" A quick look, not a measurement." if self.quick else ""),
        ]
        notes = [f"- {row.text}: {row.note}." for row in self.rows if row.note]
        return "\n".join([*lines, "", *notes] if notes else lines)


def _shown(row: Row) -> str:
    return f"{row.ratio:.2f}" if row.ratio is not None and row.theirs is not None else amount(row.ours, row.unit)


def machine() -> dict[str, Any]:
    """What the numbers depend on; nothing that names the machine or its user."""
    known = {
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            known[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            known[package] = None
    return known


def insert_table(file: str | Path, table: str) -> Path:
    """Put the table between the two marks of a page; the prose around them stays."""
    path = Path(file)
    try:
        page = path.read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(f"{str(path)!r} cannot be read: {error.strerror}; give a page with the lines {START} and {END}") from None
    before, start, rest = page.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise FileError(f"{str(path)!r} has no place for the table: add the lines {START} and {END}")
    return save(path, f"{before}{START}\n\n{table}\n\n{END}{after}".encode())
