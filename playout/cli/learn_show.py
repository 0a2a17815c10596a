"""Learning as people watch it: a small table on the standard error; where that is no terminal, a line now and then."""

from __future__ import annotations

from rich.console import Console, Group
from rich.table import Table

from playout.cli.live import Live, foot
from playout.cli.tables import number, plain_table, span
from playout.cli.terminal import plain
from playout.learning.evaluate import Outcome
from playout.learning.run import Point, Progress


class LiveLearning(Live):
    """Shows the progress of `learn`; quiet, it says only what went wrong."""

    def __init__(self, err: Console, *, quiet: bool = False) -> None:
        super().__init__(err, quiet=quiet, at_once=True)
        self._note = ""

    def show(self, now: Progress) -> None:
        """Where learning stands."""
        if now.note and now.note != self._note:
            self._note = now.note
            plain(self.err, f"note: {now.note}")
        self.update(lambda: words(now), lambda: _picture(now))


def words(now: Progress) -> str:
    """The progress in one line."""
    left = (now.target - now.episodes) / now.per_second if now.per_second > 0 else None
    return (
        f"{now.episodes:,} of {now.target:,} episodes, {now.per_second:,.0f} a second, {now.entries:,} values "
        f"({now.bytes / 1e6:.3g} MB)" + (f", about {span(left)} left" if left else "")
    )


def _picture(now: Progress) -> Group:
    last = foot(now.episodes, now.target, words(now))
    return Group(last) if now.point is None else Group(_table(now.point), last)


def _table(point: Point) -> Table:
    """The last point of the curve."""
    found = point.evaluation
    kind = "exact" if found.exact else f"{found.games:,} games"
    table = plain_table(f"greedy after {point.episodes:,} ({kind})", "win", "draw", "loss", "losing lines")
    for opponent, seats in found.against.items():
        for place, (seat, outcome) in enumerate((seats or {}).items()):
            losing = found.losing_lines[place]
            table.add_row(f"{seat} against {opponent}", *cells(outcome), number(losing, ","))
    return table


def cells(outcome: Outcome) -> list[str]:
    """Win, draw and loss, with intervals where there are any."""
    shares = (outcome.win, outcome.draw, outcome.loss)
    bounds = (outcome.win_interval, outcome.draw_interval, outcome.loss_interval)
    return [f"{s:.4f}" + ("" if b is None else f"  ({b[0]:.3f} to {b[1]:.3f})") for s, b in zip(shares, bounds)]
