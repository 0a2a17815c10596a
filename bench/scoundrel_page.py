"""The comparison of bench/scoundrel.py as a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scoundrel_arms import Result, at_equal_time

from playout.report.parts import Column, figure, header, listed, scrolled, section
from playout.report.parts import table as table_of
from playout.report.plots import Series, dots, lines
from playout.report.shell import shell
from playout.report.style import AGENTS_CSS, SERIES


def page(found: Sequence[Result]) -> str:
    """Wins of all arms, and wins against what a decision costs."""
    title = "Scoundrel: a transformer and searches"
    most = max(len(one.returns) for one in found)
    parts = [section("Wins", figure("On the same deals", "Whiskers: 95 % interval.", _dots(found)))]
    costed = [one for one in found if one.ms]
    if costed:
        chart = figure("Wins against CPU milliseconds a decision", "One core; whiskers: 95 % interval.", _curves(costed))
        told = "".join(f"<p>{line}</p>" for line in at_equal_time(found))
        parts.append(section("At equal time", chart + told))
    parts.append(section("All figures", listed(scrolled(table_of(_columns(found))))))
    return shell(title, header(title, f"Up to {most:,} fresh deals, the same for all."), "\n".join(parts), AGENTS_CSS)


def _share(one: Result) -> float:
    return 100 * one.wins / len(one.returns)


def _dots(found: Sequence[Result]) -> str:
    ends = [one.interval for one in found]
    return dots(
        [one.arm.words for one in found],
        [_share(one) for one in found],
        [100 * low for low, _ in ends],
        [100 * high for _, high in ends],
        title="Wins",
        label="wins, %",
    )


def _curves(found: Sequence[Result]) -> str:
    series: list[Any] = []
    for name in dict.fromkeys(one.arm.name for one in found):
        own = sorted((one for one in found if one.arm.name == name), key=lambda one: one.ms or 0.0)
        ends = [one.interval for one in own]
        series.append(
            Series(
                name=name,
                values=[_share(one) for one in own],
                lows=[100 * low for low, _ in ends],
                highs=[100 * high for _, high in ends],
                at=[float(one.ms or 0) for one in own],
                colour=SERIES[len(series) % len(SERIES)],
            )
        )
    return lines(
        series, title="Wins against time", across="CPU ms a decision", down="wins, %", log=True, whiskers=True, height=320.0
    )


def _columns(found: Sequence[Result]) -> list[Column]:
    return [
        ("who", "with simulations", [one.arm.words for one in found]),
        (
            "wins",
            "95 % interval",
            [f"{_share(one):.1f} % ({100 * one.interval[0]:.1f} to {100 * one.interval[1]:.1f})" for one in found],
        ),
        ("deals", "played", [f"{len(one.returns):,}" for one in found]),
        ("score", "on average", [f"{one.score:.1f}" for one in found]),
        ("CPU", "ms a decision", ["" if one.ms is None else f"{one.ms:.2f}" for one in found]),
    ]
