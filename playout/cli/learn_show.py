"""Learning as people watch it: a small table on the standard error; where that is no terminal, a line now and then."""

from __future__ import annotations

import time
from types import TracebackType

import rich.live
from rich.console import Console, Group
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from playout.cli.arena_show import SAID_EVERY, SHOWN_EVERY, plain_table, span
from playout.cli.terminal import plain
from playout.learning.run import Point, Progress


class Live:
    """Shows the progress of `learn`; quiet, it says only what went wrong."""

    def __init__(self, err: Console, *, quiet: bool = False) -> None:
        self.err, self.quiet = err, quiet
        self._shown, self._said, self._note = 0.0, time.monotonic(), ""
        self._live = rich.live.Live(console=err, transient=True, auto_refresh=False) if err.is_terminal else None

    def __enter__(self) -> Live:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, now: Progress) -> None:
        """Where learning stands."""
        if now.note and now.note != self._note:
            self._note = now.note
            plain(self.err, f"note: {now.note}")
        clock = time.monotonic()
        if self._live is None:
            if not self.quiet and clock - self._said >= SAID_EVERY:
                self._said = clock
                plain(self.err, words(now))
        elif clock - self._shown >= SHOWN_EVERY:
            self._shown = clock
            self._live.update(_picture(now), refresh=True)


def words(now: Progress) -> str:
    """The progress in one line."""
    left = (now.target - now.episodes) / now.per_second if now.per_second > 0 else None
    return (
        f"{now.episodes:,} of {now.target:,} episodes, {now.per_second:,.0f} a second, {now.entries:,} values "
        f"({now.bytes / 1e6:.3g} MB)" + (f", about {span(left)} left" if left else "")
    )


def _picture(now: Progress) -> Group:
    foot = Table.grid(padding=(0, 2, 0, 0))
    foot.add_row(ProgressBar(total=now.target, completed=now.episodes, width=40), Text(words(now)))
    return Group(foot) if now.point is None else Group(_table(now.point), foot)


def _table(point: Point) -> Table:
    """The last point of the curve."""
    from playout.cli.learn import cells

    found = point.evaluation
    kind = "exact" if found.exact else f"{found.games:,} games"
    table = plain_table(f"greedy after {point.episodes:,} ({kind})", "win", "draw", "loss", "losing lines")
    for opponent, seats in found.against.items():
        for place, (seat, outcome) in enumerate((seats or {}).items()):
            losing = found.losing_lines[place]
            table.add_row(f"{seat} against {opponent}", *cells(outcome), "-" if losing is None else f"{losing:,}")
    return table
