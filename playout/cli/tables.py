"""Tables as all commands print them, and the numbers in their cells."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

UNKNOWN = "-"
"""Where there is no number."""


def bare_table(gap: int = 2) -> Table:
    """A table without lines, its columns still to come."""
    return Table(box=None, padding=(0, gap, 0, 0), pad_edge=False, header_style="bold")


def plain_table(first: str, *names: str) -> Table:
    """A table of numbers with words in its first column. Numbers are never cut; where the terminal is narrow, words are folded."""
    table = bare_table()
    for place, name in enumerate((first, *names)):
        table.add_column(
            name, justify="right" if place else "left", no_wrap=place > 0, overflow="fold", min_width=0 if place else 20
        )
    return table


def put(out: Console, table: Table) -> None:
    """Print a table: as wide as it likes, where there is no terminal to fit into."""
    (out if out.is_terminal else Console(file=out.file, width=500, highlight=False)).print(table)


# cells


def number(value: float | None, form: str) -> str:
    """A number in its form, where it is known."""
    return UNKNOWN if value is None else f"{value:{form}}"


def bounds(low: float | None, high: float | None, form: str, missing: str = UNKNOWN) -> str:
    """The two ends of an interval, where they are known."""
    return missing if low is None or high is None else f"{low:{form}} to {high:{form}}"


def percent_bounds(low: float, high: float) -> str:
    """The two ends of an interval of shares, in per cent."""
    return bounds(100 * low, 100 * high, ".1f")


def span(seconds: float | None) -> str:
    """A stretch of time in few letters."""
    if seconds is None:
        return UNKNOWN
    for size, unit in ((3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"
