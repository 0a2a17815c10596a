"""A game that is being written: when its file is saved it is read again, checked, and played on from the same moves."""

from __future__ import annotations

import threading
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from playout.checker import check
from playout.checker.contract.report import Report
from playout.errors import PlayoutError
from playout.game.game import Game

STATES, SECONDS = 400, 3.0
"""States that are looked at each time, and how long at most; `playout check` looks much closer."""


class Watched:
    """The file of a game and what was last seen of it."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.seen = self._stamp()

    def _stamp(self) -> tuple[tuple[int, int], int]:
        """When it and its neighbours were last written: helpers beside a game are part of it."""
        stamps = []
        for path in [self.file, *self.file.parent.glob("*.py")]:
            try:
                found = path.stat()
                stamps.append((found.st_mtime_ns, found.st_size))
            except OSError:
                stamps.append((0, 0))
        return max(stamps), len(stamps)

    def changed(self) -> bool:
        """Whether it was saved since somebody asked."""
        now = self._stamp()
        before, self.seen = self.seen, now
        return now != before


def findings(game: Game) -> Report | str:
    """What the checker says, or why it cannot."""
    try:
        return check(game, states=STATES, seconds=SECONDS, compiled=False)
    except PlayoutError as error:
        return str(error)
    except Exception as error:
        return f"the game's own code failed while it was checked: {type(error).__name__}: {error}"


def page(report: Report | str) -> str:
    """The findings as HTML; every word of them is escaped."""
    if isinstance(report, str):
        return f"<p class='bad'>{escape(report)}</p>"
    rows = [f"<li class='bad'><b>{escape(one.code)}</b> {escape(one.message)}</li>" for one in report.problems]
    rows += [f"<li class='quiet'>{escape(note)}</li>" for note in report.notes]
    verdict = (
        f"<p class='good'>Keeps the contract in {report.states:,} states.</p>"
        if report.ok
        else f"<p class='bad'>{len(report.problems)} problem{'s' * (len(report.problems) != 1)} in {report.states:,} states.</p>"
    )
    return f"{verdict}<ul class='findings'>{''.join(rows)}</ul>"


class Checking(threading.Thread):
    """The checker at work beside the game."""

    def __init__(self, game: Game, tell: Callable[[str, bool], Any]) -> None:
        super().__init__(name="playout studio check", daemon=True)
        self.game, self.tell = game, tell

    def run(self) -> None:
        report = findings(self.game)
        self.tell(page(report), not isinstance(report, str) and report.ok)
