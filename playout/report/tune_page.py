"""A tuning as a page: what every candidate got over each setting, and what the fresh games say of the best."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from playout.arena.tune import Dimension, Trial, Tuning
from playout.arena.words import UNITS, amount, counted, interval, likelihood, more, percent
from playout.report.axis import short_seconds
from playout.report.parts import Column, figure, header, listed, maybe, measured, scrolled, section, table, two
from playout.report.plots import Series, dots, lines
from playout.report.shell import shell, write_page
from playout.report.style import AGENTS_CSS, SERIES

STAGES = {"explore": ("explored", SERIES[0]), "choose": ("the best few again", SERIES[2])}


def write_tune_report(path: str | Path, tuning: Tuning) -> Path:
    """Write one self-contained HTML page about a tuning; it opens offline, and needs no script."""
    return write_page(path, tune_page(tuning))


def tune_page(tuning: Tuning) -> str:
    """The page as text."""
    title = f"{tuning.game}: settings for {tuning.base}"
    head = header(title, f"{counted(len(_first(tuning)), 'candidate')}, {counted(tuning.games, 'game')}, seed {tuning.seed}.")
    sections = [_result(tuning), _explored(tuning), _table(tuning)]
    return shell(title, head, "\n".join(sections), AGENTS_CSS)


def _first(tuning: Tuning) -> list[Trial]:
    return sorted((trial for trial in tuning.trials if trial.stage == "explore"), key=lambda trial: -trial.result)


def _result(tuning: Tuning) -> str:
    pair, share = tuning.confirmation, tuning.unit == "points"
    if share:
        got = f"{percent(pair.points_a)} of the points ({interval(pair.low, pair.high, percent)})"
        chart = dots(
            ["fresh games"],
            [100 * pair.points_a],
            [100 * pair.low],
            [100 * pair.high],
            title="Points of the best setting in fresh games",
            label="points, %",
            level=50.0,
            hold=[40, 60],
        )
    else:
        got = f"a {UNITS[tuning.unit]} {more(pair.difference or 0.0)} higher ({interval(pair.difference_low, pair.difference_high, more)})"
        chart = dots(
            ["fresh deals"],
            [pair.difference],
            [pair.difference_low],
            [pair.difference_high],
            title="The best setting above the base on fresh deals",
            label=f"difference of {UNITS[tuning.unit]}s",
            level=0.0,
        )
    words = (
        f"{pair.a} got {got} against {pair.b} in {counted(pair.games, 'game')} that took no part in finding it; "
        f"the likelihood that it is the better one is {likelihood(pair.superiority)}."
    )
    what = "Confirmed" if tuning.confirmed else "Not confirmed: it may be no better"
    values = ", ".join(f"{d.name}={d.text(tuning.values[d.name])}" for d in tuning.dimensions)
    note = "The whole interval right of the line would mean: better than before. Whisker: 95 % interval."
    return section(
        f"{values}. {what}.", f'<p class="why">{escape(words)}</p>{two(figure("The best against the base", note, chart))}'
    )


def _explored(tuning: Tuning) -> str:
    charts = [
        figure(
            f"{dimension.name}: {'share of the points' if tuning.unit == 'points' else UNITS[tuning.unit]}",
            "Dots: one candidate each. Whiskers: 95 % interval. The best of many noisy results is partly luck, so they are "
            "not the answer, the fresh games are.",
            _over(tuning, dimension),
        )
        for dimension in tuning.dimensions
    ]
    rows = [two(*charts[place : place + 2]) for place in range(0, len(charts), 2)]
    return section("What was tried", "".join(rows))


def _over(tuning: Tuning, dimension: Dimension) -> str:
    """Results over the values of one setting; a setting in words gets a row of dots for each word."""
    share = tuning.unit == "points"
    scale, level = (100.0, 50.0) if share else (1.0, None)
    down = "points, %" if share else UNITS[tuning.unit]
    if dimension.words:
        return _by_word(tuning, dimension, scale, level, down)
    series = []
    for stage, (name, colour) in STAGES.items():
        # One point is one series: a line between candidates would say something that nobody measured.
        for place, trial in enumerate(t for t in tuning.trials if t.stage == stage):
            series.append(_dot(trial, dimension, name if place == 0 else "", colour, scale))
    return lines(
        series,
        title=f"Results over {dimension.name}",
        across=dimension.name,
        down=down,
        log=dimension.log,
        level=level,
        whiskers=True,
    )


def _dot(trial: Trial, dimension: Dimension, name: str, colour: str, scale: float) -> Series:
    ends = [None if end is None else scale * end for end in (trial.low, trial.high)]
    note = f"{trial.agent}: {scale * trial.result:.4g} over {counted(trial.games, 'game')}"
    return Series(
        name=name,
        at=[float(trial.values[dimension.name])],
        values=[scale * trial.result],
        lows=[ends[0]],
        highs=[ends[1]],
        notes=[note],
        colour=colour,
        faint=not name,
    )


def _by_word(tuning: Tuning, dimension: Dimension, scale: float, level: float | None, down: str) -> str:
    trials = [t for word in dimension.words for t in _first(tuning) if t.values[dimension.name] == word]

    def ends(values: Sequence[float | None]) -> list[float | None]:
        return [None if value is None else scale * value for value in values]

    return dots(
        [str(t.values[dimension.name]) for t in trials],
        ends([t.result for t in trials]),
        ends([t.low for t in trials]),
        ends([t.high for t in trials]),
        title=f"Results by {dimension.name}",
        label=down,
        level=level,
        notes=[t.agent for t in trials],
    )


def _table(tuning: Tuning) -> str:
    trials, share = _first(tuning), tuning.unit == "points"
    words = percent if share else amount
    columns: list[Column] = [("", "", [str(place + 1) for place in range(len(trials))])]
    columns.append(("candidate", "with its settings", [trial.agent for trial in trials]))
    columns += [(d.name, "setting", [d.text(t.values[d.name]) for t in trials]) for d in tuning.dimensions]
    got = [measured(trial.result, trial.low, trial.high, words) for trial in trials]
    columns.append((UNITS[tuning.unit], "95 % interval", got))
    columns.append(("games", "played", [f"{t.games:,}" for t in trials]))
    columns.append(("time", "per decision", [maybe(trial.seconds_per_decision, short_seconds) for trial in trials]))
    pick = next((place for place, trial in enumerate(trials) if trial.agent == tuning.best), None)
    return section("All candidates", listed(scrolled(table(columns, pick=pick))))
