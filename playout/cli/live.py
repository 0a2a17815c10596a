"""Work to watch on the standard error while it goes on: pictures that change, bars, and lines where there is no terminal."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec
import rich.live
from rich.console import Console, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from playout.cli.terminal import compiling, console, plain

if TYPE_CHECKING:
    from playout.game.state import State
    from playout.planner.decision import Decision
    from playout.planner.search import Search
    from playout.planner.settings import Budget

SHOWN_EVERY = 0.25
SAID_EVERY = 10.0
"""Seconds between two pictures on a terminal, and between two lines elsewhere."""


class Live:
    """A picture that changes; where there is no terminal, a line now and then. Each kind of work says what is in them."""

    def __init__(self, err: Console, *, quiet: bool = False, at_once: bool = False) -> None:
        """`quiet` leaves out the lines; `at_once` draws the first picture without waiting."""
        self.err, self.quiet = err, quiet
        self._said = time.monotonic()
        self._shown = 0.0 if at_once else self._said
        self._live = rich.live.Live(console=err, transient=True, auto_refresh=False) if err.is_terminal else None

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def update(self, words: Callable[[], str], picture: Callable[[], RenderableType], *, last: bool = False) -> None:
        """Show where things stand, if it is time to; the `last` picture is always shown."""
        now = time.monotonic()
        if self._live is None:
            if not self.quiet and now - self._said >= SAID_EVERY:
                self._said = now
                plain(self.err, words())
        elif now - self._shown >= SHOWN_EVERY or last:
            self._shown = now
            self._live.update(picture(), refresh=True)


def foot(done: float, total: float, words: str) -> Table:
    """The last line of a picture: a bar, and beside it the progress in words."""
    line = Table.grid(padding=(0, 2, 0, 0))
    line.add_row(ProgressBar(total=total, completed=done, width=40), Text(words))
    return line


class Steps:
    """One line with a bar for work in several stages; where there is no terminal, a line now and then."""

    def __init__(self, err: Console) -> None:
        self.err, self._said = err, time.monotonic()
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        if self.err.is_terminal:
            columns = (BarColumn(24), TextColumn("{task.percentage:.0f} %"), TextColumn("{task.description}"))
            self._bar = Progress(*columns, TimeElapsedColumn(), console=self.err, transient=True)
            self._bar.add_task("starting", total=1.0)
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, words: str, done: float) -> None:
        """What is being done, and which part of all is done."""
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], description=escape(words), completed=done)
        elif time.monotonic() - self._said >= SAID_EVERY:
            self._said = time.monotonic()
            plain(self.err, f"{100 * done:.0f} %  {words}")


# a search


class SearchProgress:
    """One line with a bar while a search runs; nothing where there is no terminal."""

    def __init__(self, err: Console, budget: Budget) -> None:
        self.budget, self.err = budget, err
        self.bar: Progress | None = None

    def show(self, decision: Decision) -> None:
        if not self.err.is_terminal:
            return
        if self.bar is None:
            self.bar = Progress(BarColumn(24), TextColumn("{task.description}"), console=self.err, transient=True)
            self.bar.start()
            self.bar.add_task("", total=1.0)
        mean = decision.chosen.mean
        words = (
            f"{decision.simulations:,} simulations, {decision.simulations_per_second:,.0f}/s, best so far "
            f"{escape(decision.name)}" + ("" if mean is None else f" ({mean:+.3f})")
        )
        self.bar.update(self.bar.task_ids[0], completed=self._done(decision), description=words)

    def _done(self, decision: Decision) -> float:
        parts = [decision.simulations / self.budget.simulations] if self.budget.simulations else []
        parts += [decision.seconds / self.budget.seconds] if self.budget.seconds else []
        return min(1.0, max(parts))

    def close(self) -> None:
        if self.bar is not None:
            self.bar.stop()


def run_shown(engine: Search, state: State, budget: Budget, *, quiet: bool = False) -> Decision:
    """Search with progress on the standard error; Ctrl-C gives the best so far."""
    progress = SearchProgress(console(stderr=True), budget)
    decision: Decision | None = None
    try:
        with compiling(engine.game.spec, quiet=quiet):
            for decision in engine.iterate(state, budget):
                progress.show(decision)
    except KeyboardInterrupt:
        if decision is None:
            raise
        decision = msgspec.structs.replace(decision, stopped="interrupted")
    finally:
        progress.close()
    assert decision is not None
    return decision
