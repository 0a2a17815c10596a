"""A study as a page: the strength curve, and the game as it is played well and at random."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

from playout.arena.analytics import Analytics, Rate
from playout.arena.study import Level, Study
from playout.arena.words import UNITS, amount, counted, elo, interval, more, percent, signed
from playout.report.axis import short_count, short_seconds
from playout.report.game_charts import branching_chart, lengths_chart
from playout.report.parts import NOTHING, Column, figure, header, listed, maybe, measured, scrolled, section, table, two
from playout.report.plots import Series, lines
from playout.report.shell import shell, write_page
from playout.report.style import AGENTS_CSS, SERIES
from playout.truth.converge import Convergence


def write_study_report(path: str | Path, study: Study) -> Path:
    """Write one self-contained HTML page about a study; it opens offline, and needs no script."""
    return write_page(path, study_page(study))


def write_truth_report(path: str | Path, found: Convergence) -> Path:
    """Write one self-contained HTML page about how decisions converge with the budget."""
    return write_page(path, truth_page(found))


def truth_page(found: Convergence) -> str:
    """The page as text."""
    title = f"{found.game}: does more budget decide better?"
    asked = f"{counted(found.positions, 'position')}, {counted(found.seeds, 'seed')} each, seed {found.seed}"
    head = header(title, f"{escape(found.agent)} at growing {escape(found.option)}: {asked}.")
    first, last = found.stages[0], found.stages[-1]
    figures, said = [], []
    if last.right is not None and first.right is not None:
        said.append(f"right decisions from {percent(first.right)} to {percent(last.right)}")
        note = f"Line: share of decisions that keep the value of {counted(found.solved, 'solved position')}. Band: 95 % interval."
        level = "" if found.by_chance is None else f" Level line: choosing at random, {percent(found.by_chance)}."
        points = [(stage.right, stage.right_low, stage.right_high) for stage in found.stages]
        figures.append(figure("How many decisions are right", note + level, _shares(found, "right", points, found.by_chance)))
    if last.agree is not None and first.agree is not None:
        said.append(f"agreement of two seeds from {percent(first.agree)} to {percent(last.agree)}")
        note = "Line: chance that two seeds choose the same action, over all positions. Band: 95 % interval."
        points = [(stage.agree, stage.agree_low, stage.agree_high) for stage in found.stages]
        figures.append(figure("How often seeds agree", note, _shares(found, "agree", points, None)))
    span = f"From {first.budget:,g} to {last.budget:,g} {found.option}"
    columns: list[Column] = [
        ("", "", [str(place) for place in range(1, len(found.stages) + 1)]),
        ("agent", "with its settings", [stage.agent for stage in found.stages]),
        ("right", "95 % interval", [measured(x.right, x.right_low, x.right_high, percent) for x in found.stages]),
        ("seeds agree", "95 % interval", [measured(x.agree, x.agree_low, x.agree_high, percent) for x in found.stages]),
        ("time", "per decision", [short_seconds(stage.seconds) for stage in found.stages]),
    ]
    notes = "".join(f'<p class="note">{escape(note)}.</p>' for note in found.notes)
    body = two(*figures) + listed(scrolled(table(columns)), "The budgets") + notes
    return shell(title, head, section(f"{span}: {', '.join(said) or 'one seed, nothing solved'}.", body), AGENTS_CSS)


def _shares(
    found: Convergence, name: str, points: list[tuple[float | None, float | None, float | None]], level: float | None
) -> str:
    series = Series(
        name=name,
        at=[stage.budget for stage in found.stages],
        values=[value for value, _, _ in points],
        lows=[low for _, low, _ in points],
        highs=[high for _, _, high in points],
        colour=SERIES[0],
    )
    return lines(
        [series],
        title=name,
        across=f"{found.option} a decision",
        down="share of decisions" if name == "right" else "chance that two seeds agree",
        log=True,
        level=level,
        words=percent,
        across_words=short_count,
    )


def study_page(study: Study) -> str:
    """The page as text."""
    title = f"{study.game}: a study"
    head = header(
        title,
        f"{escape(study.agent)} at growing {escape(study.option)}, {counted(study.games, 'game')}, seed {study.seed}.",
    )
    return shell(title, head, "\n".join([_strength(study), _character(study), _games(study)]), AGENTS_CSS)


def _strength(study: Study) -> str:
    rated, solo = study.unit == "elo", study.unit == "score"
    words: Callable[[float], str] = elo if rated else amount if solo else signed
    last = study.levels[-1]
    gains = [level for level in study.levels[1:] if level.gain is not None]
    headline = f"From {study.levels[0].budget:,g} to {last.budget:,g} {study.option}: " + (
        f"mean score {amount(study.levels[0].strength or 0.0)} to {amount(last.strength or 0.0)}."
        if solo
        else f"{words(last.strength or 0.0)} {'Elo' if rated else 'of mean return'} ({interval(last.low, last.high, words)})."
    )
    curve = lines(
        [_series(study, "strength", study.levels, lambda level: (level.strength, level.low, level.high))],
        title="Strength over the budget",
        across=f"{study.option} a decision",
        down="mean score" if solo else f"{'Elo' if rated else 'mean return'} above {study.levels[0].budget:,g} {study.option}",
        log=True,
        words=words,
        across_words=short_count,
    )
    steps = lines(
        [_series(study, "gain", gains, lambda level: (level.gain, level.gain_low, level.gain_high))],
        title="Gain of each step",
        across=f"{study.option} a decision",
        down="Elo above the level before" if rated else f"gain of {UNITS[study.unit]}",
        log=True,
        level=0.0,
        whiskers=True,
        words=elo if rated else more,
        across_words=short_count,
    )
    figures = two(
        figure("How strength grows with the budget", "Line: strength. Band: 95 % interval.", curve),
        figure("What each step brings", "Dots: gain over the level before. Whiskers: 95 % interval.", steps),
    )
    return section(headline, figures + listed(_levels(study), "The levels"))


def _series(
    study: Study,
    name: str,
    levels: list[Level] | tuple[Level, ...],
    read: Callable[[Level], tuple[float | None, float | None, float | None]],
) -> Series:
    found = [read(level) for level in levels]
    return Series(
        name=name,
        at=[level.budget for level in levels],
        values=[value for value, _, _ in found],
        lows=[low for _, low, _ in found],
        highs=[high for _, _, high in found],
        colour=SERIES[0],
    )


def _levels(study: Study) -> str:
    rated, solo, levels = study.unit == "elo", study.unit == "score", study.levels
    words: Callable[[float], str] = elo if rated else amount if solo else signed
    step: Callable[[float], str] = elo if rated else more
    columns: list[Column] = [
        ("", "", [str(place) for place in range(1, len(levels) + 1)]),
        ("agent", "with its settings", [level.agent for level in levels]),
        (
            "Elo" if rated else UNITS[study.unit],
            "95 % interval",
            [measured(x.strength, x.low, x.high, words) if solo or x.budget > levels[0].budget else words(0.0) for x in levels],
        ),
        ("gain", "over the level before", [measured(x.gain, x.gain_low, x.gain_high, step) for x in levels]),
        ("games", "played", [f"{level.games:,}" for level in levels]),
        ("time", "per decision", [maybe(level.seconds_per_decision, short_seconds) for level in levels]),
        ("length", "actions, mean", [f"{level.length:.1f}" for level in levels]),
    ]
    if not solo:
        columns.append(("first mover", "points; 95 % interval", [_rate(level.first_mover) for level in levels]))
        columns.append(("drawn", "95 % interval", [_rate(level.draws) for level in levels]))
    return scrolled(table(columns))


def _rate(rate: Rate | None) -> str:
    return NOTHING if rate is None else measured(rate.share, rate.low, rate.high, percent)


def _character(study: Study) -> str:
    """The same numbers for good and for random play, side by side."""
    both = (study.analytics, study.random)
    names, well, random = zip(*[(name, read(both[0]), read(both[1])) for name, read in FACTS if read(both[0]) != NOTHING])
    columns: list[Column] = [
        ("", "", [""] * len(names)),
        ("the game", "", list(names)),
        ("played well", f"{counted(both[0].games, 'game')} of the strongest", list(well)),
        ("at random", counted(both[1].games, "game"), list(random)),
    ]
    return section("What kind of game it is", listed(scrolled(table(columns))))


FACTS: tuple[tuple[str, Callable[[Analytics], str]], ...] = (
    ("actions a game", lambda a: f"{a.length.mean:.1f}\n{a.length.least:.0f} to {a.length.most:.0f}"),
    ("legal actions a decision", lambda a: f"{a.branching.mean:.1f}\nat most {a.branching.most:.0f}"),
    ("different games, about", lambda a: f"10^{a.tree_size:.0f}"),
    ("points of the first mover", lambda a: _rate(a.first_mover)),
    ("drawn", lambda a: _rate(a.draws)),
    ("with one winner", lambda a: _rate(a.decisive)),
    ("games that differ", lambda a: f"{a.distinct:,}\nof {a.games:,}"),
)


def _games(study: Study) -> str:
    note = "Bars: games. Upright line: the mean."
    return section(
        "Length and choices",
        two(
            figure("How long games are, played well", note, lengths_chart(study.analytics)),
            figure("How long games are, at random", note, lengths_chart(study.random)),
        )
        + two(
            figure(
                "Choices over the game, played well", "Mean over the games that got so far.", branching_chart(study.analytics)
            ),
            figure("Choices over the game, at random", "Mean over the games that got so far.", branching_chart(study.random)),
        ),
    )
