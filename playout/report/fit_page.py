"""A fit as a page: what fresh games say of the settings that were found, and what every way to set something got on the way there."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from playout.arena.words import UNITS, amount, counted, interval, percent
from playout.intervals import wilson
from playout.planner.fit import Fit, Level, in_words
from playout.report.parts import NOTHING, Column, figure, header, listed, scrolled, section, table, two
from playout.report.plots import dots
from playout.report.shell import shell, write_page
from playout.report.style import AGENTS_CSS


def write_fit_report(path: str | Path, fits: Sequence[Fit]) -> Path:
    """Write one self-contained HTML page about the fits of a game, one for every budget; it opens offline, and needs no script."""
    return write_page(path, fit_page(fits))


def fit_page(fits: Sequence[Fit]) -> str:
    """The page as text."""
    title = f"{fits[0].game}: settings found by playing"
    games = sum(fit.explored + fit.games for fit in fits)
    head = header(title, f"{counted(len(fits), 'fit')}, {counted(games, 'game')}, seed {fits[0].seed}.")
    return shell(title, head, "\n".join(part for fit in fits for part in (_result(fit), _tried(fit))), AGENTS_CSS)


def _result(fit: Fit) -> str:
    if not fit.games:
        what = "No setting looked better than auto" if not fit.settings else f"{fit.options} looked best; nothing confirmed it"
        words = f"{counted(fit.explored, 'game')} at {fit.pace} were played to look for settings, and no fresh ones."
        return section(f"At {fit.pace}: {what}.", f'<p class="why">{escape(words)}</p>')
    share = fit.unit == "points"
    scale, level = (100.0, 50.0) if share else (1.0, 0.0)
    chart = dots(
        [fit.options],
        [scale * fit.result],
        [scale * fit.low],
        [scale * fit.high],
        title="What was found in fresh games",
        label="points against auto, %" if share else f"{UNITS[fit.unit]} above auto's",
        level=level,
        hold=[40, 60] if share else [],
    )
    better = fit.low > (0.5 if share else 0.0)
    words = (
        f"{fit.options} got {fit.got} that took no part in finding it, at {fit.pace}; {fit.seconds:.0f} s in all, on {fit.when}."
    )
    note = "The whole interval right of the line means: better than auto. Whisker: 95 % interval."
    verdict = "better than auto" if better else "not known to be better than auto"
    return section(
        f"At {fit.pace}: {fit.options}, {verdict}.",
        f'<p class="why">{escape(words)}</p>{two(figure("Fresh games", note, chart))}',
    )


def _tried(fit: Fit) -> str:
    """Every way to set something: as rows of dots choice by choice, and as a table."""
    note = (
        "Of all games of the candidates that had it, whose other settings differed: it says which way to go, not how much it is "
        "worth. The best of many noisy results is partly luck."
    )
    played = {
        choice: [one for one in fit.tried if one.choice == choice and one.games]
        for choice in dict.fromkeys(one.choice for one in fit.tried)
    }
    charts = [
        figure(choice, f"{UNITS[fit.unit]} against auto", _of_choice(fit, levels))
        for choice, levels in played.items()
        if len(levels) > 1  # "auto" alone tells nothing of a choice
    ]
    rows = [two(*charts[place : place + 2]) for place in range(0, len(charts), 2)]
    return section(f"What was tried at {fit.pace}", f"<p>{note}</p>" + "".join(rows) + listed(scrolled(_table(fit))))


def _of_choice(fit: Fit, levels: list[Level]) -> str:
    share = fit.unit == "points"
    ends = [wilson(level.result * level.games, level.games) if share else (None, None) for level in levels]
    scale, words = (100.0, percent) if share else (1.0, amount)
    return dots(
        [in_words(level.settings) for level in levels],
        [scale * level.result for level in levels],
        [None if low is None else scale * low for low, _ in ends],
        [None if high is None else scale * high for _, high in ends],
        title=f"Results by {levels[0].choice}",
        label="points, %" if share else UNITS[fit.unit],
        notes=[
            f"{words(level.result)}{f' ({interval(low, high, words)})' if share else ''} of {counted(level.games, 'game')}"
            for level, (low, high) in zip(levels, ends)
        ],
        level=50.0 if share else None,
    )


def _table(fit: Fit) -> str:
    words = percent if fit.unit == "points" else amount
    columns: list[Column] = [
        ("choice", "what is set", [level.choice for level in fit.tried]),
        ("setting", "auto: as it is without a fit", [in_words(level.settings) for level in fit.tried]),
        (UNITS[fit.unit], "of its candidates", [words(level.result) if level.games else NOTHING for level in fit.tried]),
        ("games", "played", [f"{level.games:,}" for level in fit.tried]),
        ("dropped", "after round", ["stayed" if level.dropped is None else str(level.dropped) for level in fit.tried]),
    ]
    return table(columns)
