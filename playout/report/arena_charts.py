"""The charts of an arena page: standings turned into the plain lists that `plots` draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from playout.arena.intervals import known
from playout.arena.standings import AgentRow, PairRow, SoloRow, Standings
from playout.arena.words import (
    amount,
    counted,
    elo,
    graded,
    interval,
    more,
    percent,
    ranking,
    scale_name,
    signed,
    strength,
)
from playout.game.declared import who
from playout.report.axis import short_count, short_seconds
from playout.report.marks import SMALL, Numbers, Words, squeezed
from playout.report.plots import Series, dot_rows, dots, histograms, lines
from playout.report.style import FAINT, MUTED, SERIES

NAMED = 8
"""So many agents have their names beside their points; more have numbers."""
SEATS = (SERIES[1], SERIES[0], *SERIES[2:])
"""The colours that players have on boards, as they are on a page that may be dark."""
MOST_LETTERS = 40
"""Names with more letters are shortened in charts."""
LONG = 12
"""More rows than this are drawn as two halves side by side."""
EARLY = 0.02
"""The course begins after this part of the games: what came before is noise."""


@dataclass(frozen=True)
class Field:
    """The agents in order, the best first, with the colour that stands for each in all charts."""

    standings: Standings

    @cached_property
    def order(self) -> list[int]:
        return ranking(self.standings)

    @cached_property
    def rows(self) -> list[AgentRow | SoloRow]:
        return [self.standings.agents[place] for place in self.order]

    @cached_property
    def versus(self) -> list[AgentRow]:
        """The rows, where there are opponents."""
        return [row for row in self.rows if isinstance(row, AgentRow)]

    @cached_property
    def solo(self) -> list[SoloRow]:
        """The rows, where there are none."""
        return [row for row in self.rows if isinstance(row, SoloRow)]

    @cached_property
    def names(self) -> list[str]:
        return [row.agent for row in self.rows]

    @cached_property
    def met(self) -> dict[tuple[str, str], PairRow]:
        """Every pair, seen by either of the two."""
        pairs = self.standings.pairs
        return {(row.b, row.a): row.turned() for row in pairs} | {(row.a, row.b): row for row in pairs}

    @cached_property
    def labels(self) -> list[str]:
        """The names, numbered where other charts have room for numbers only."""
        many = len(self.rows) > NAMED
        return [f"{rank}. {name}" if many else name for rank, name in enumerate(self.short, 1)]

    @cached_property
    def short(self) -> list[str]:
        """The names as charts have room for them."""
        return short_names(self.names)

    @cached_property
    def colours(self) -> list[str]:
        return [colour(rank) for rank in range(len(self.rows))]


def colour(rank: int) -> str:
    """The first few have their own."""
    return SERIES[rank] if rank < len(SERIES) else MUTED


def short_names(names: Sequence[str]) -> list[str]:
    """Long names without the settings that all agents of their kind share, as long as they still differ."""
    if max(map(len, names), default=0) <= MOST_LETTERS:
        return list(names)
    kinds: dict[str, list[list[str]]] = {}
    for name in names:
        kind, _, rest = name.partition(":")
        kinds.setdefault(kind, []).append(rest.split(","))
    shared = {kind: set.intersection(*map(set, found)) if len(found) > 1 else set() for kind, found in kinds.items()}
    short = []
    for name in names:
        kind, _, rest = name.partition(":")
        short.append(":".join(filter(None, (kind, ",".join(part for part in rest.split(",") if part not in shared[kind])))))
    return short if len(set(short)) == len(set(names)) else list(names)


def halves(rows: int) -> list[slice]:
    """All rows, or their two halves."""
    return [slice(0, rows)] if rows <= LONG else [slice(0, (rows + 1) // 2), slice((rows + 1) // 2, rows)]


def side_by_side(charts: Sequence[str]) -> str:
    """The halves of one chart."""
    return charts[0] if len(charts) == 1 else f'<div class="half">{"".join(charts)}</div>'


def rows_chart(field: Field, values: Numbers, lows: Numbers, highs: Numbers, **words: Any) -> str:
    """A dot with its whisker per agent, all on one scale; empty where there is nothing to show."""
    if all(known(value) is None for value in values):
        return ""
    hold = [v for v in map(known, (*values, *lows, *highs)) if v is not None]
    return side_by_side(
        [
            dots(field.labels[part], values[part], lows[part], highs[part], colours=field.colours[part], hold=hold, **words)
            for part in halves(len(field.rows))
        ]
    )


# strength


def ratings_chart(field: Field) -> str:
    """A dot with its whisker per agent."""
    rows, scale = field.versus, scale_name(field.standings)
    return rows_chart(
        field,
        [row.rating for row in rows],
        [row.rating_low for row in rows],
        [row.rating_high for row in rows],
        title=f"Rating of each agent in {scale} with 95 % intervals",
        label=f"rating, {scale} (mean of all agents: 0)",
        words=elo,
        level=0.0,
    )


def returns_chart(field: Field) -> str:
    """Where returns count: what each agent gets a game."""
    return rows_chart(
        field,
        [row.mean_return for row in field.versus],
        [row.return_low for row in field.versus],
        [row.return_high for row in field.versus],
        title="Mean return of each agent with 95 % intervals",
        label="mean return a game",
        words=signed,
        level=0.0,
    )


def scores_chart(field: Field) -> str:
    """For one player: mean scores."""
    return rows_chart(
        field,
        [row.mean_score for row in field.solo],
        [row.score_low for row in field.solo],
        [row.score_high for row in field.solo],
        title="Mean score of each agent with 95 % intervals",
        label="mean score per deal",
        words=amount,
    )


def wins_chart(field: Field) -> str:
    """For one player: win rates."""
    return rows_chart(
        field,
        [100 * row.win_rate if row.games else None for row in field.solo],
        [100 * row.low for row in field.solo],
        [100 * row.high for row in field.solo],
        title="Deals won by each agent with 95 % intervals",
        label="deals won, %",
        words=hundredths,
    )


def hundredths(value: float) -> str:
    """A number that is per cent already."""
    return f"{value:.1f} %"


def price_chart(field: Field) -> str:
    """Strength over seconds per decision; empty where no agent has both."""
    beside = len(field.rows) <= NAMED
    series = []
    for rank, row in enumerate(field.rows):
        value, low, high = strength(field.standings, row)
        words = _words(field)
        seconds = known(row.seconds_per_decision)
        if value is None or seconds is None or seconds <= 0:
            continue
        ends = interval(low, high, words)
        series.append(
            Series(
                name=row.agent,
                at=[seconds],
                values=[value],
                lows=[low],
                highs=[high],
                notes=[
                    f"{rank + 1}. {row.agent}: {words(value)}{f' ({ends})' if ends else ''}, {short_seconds(seconds)} a decision"
                ],
                colour=colour(rank),
                label=squeezed(field.short[rank], SMALL, 140) if beside else str(rank + 1),
            )
        )
    if not series:
        return ""
    solo = field.standings.players == 1
    return lines(
        series,
        title="Strength of each agent over its seconds per decision, with 95 % intervals",
        across="time per decision",
        down="mean score per deal"
        if solo
        else "mean return a game"
        if graded(field.standings)
        else f"rating, {scale_name(field.standings)}",
        log=True,
        whiskers=True,
        across_words=short_seconds,
        height=max(190.0, 6.0 * len(series)),
    )


def _words(field: Field) -> Words:
    """How the strength of an agent is written."""
    return amount if field.standings.players == 1 else signed if graded(field.standings) else elo


# seats, deals, time


def sides_chart(field: Field) -> str:
    """A dot per agent and seat, and one per seat over all agents."""
    found = {(row.agent, row.seat): (row.points, row.low, row.high, row.games) for row in field.standings.sides}
    names, labels = list(field.names), list(field.labels)
    if field.standings.analytics is not None:
        names, labels = [*names, ""], [*labels, "all agents"]
        rates = field.standings.analytics.seats
        found |= {("", seat): (rate.share, rate.low, rate.high, rate.games) for seat, rate in enumerate(rates)}
    seats = sorted({seat for _, seat in found})
    series = [
        _side(seat, who(seat, field.standings.player_names), [found.get((name, seat)) for name in names], labels)
        for seat in seats
    ]
    hold = [v for one in series for v in (*one.values, *one.lows, *one.highs) if v is not None]
    charts = []
    for part in halves(len(labels)):
        shown = [
            replace(one, values=one.values[part], lows=one.lows[part], highs=one.highs[part], notes=one.notes[part])
            for one in series
        ]
        title = "Points of each agent by seat with 95 % intervals"
        charts.append(dot_rows(labels[part], shown, title=title, label="points, %", words=hundredths, level=50.0, hold=hold))
    return side_by_side(charts)


def _side(seat: int, player: str, rows: Sequence[tuple[float, float, float, int] | None], labels: Sequence[str]) -> Series:
    values, lows, highs = ([None if row is None or not row[3] else 100 * row[part] for row in rows] for part in range(3))
    notes = [
        f"{name} as {player}: {percent(row[0])} of the points ({interval(row[1], row[2], percent)}) in {counted(row[3], 'game')}"
        if row
        else ""
        for name, row in zip(labels, rows)
    ]
    return Series(name=f"as {player}", values=values, lows=lows, highs=highs, notes=notes, colour=SEATS[seat % len(SEATS)])


def pairs_chart(field: Field) -> str:
    """For one player: how far the leader is above each other agent on the same deals."""
    found = [(label, field.met.get((field.names[0], name))) for label, name in zip(field.labels[1:], field.names[1:])]
    pairs = {label: pair for label, pair in found if pair is not None}
    return dots(
        list(pairs),
        [pair.difference for pair in pairs.values()],
        [pair.difference_low for pair in pairs.values()],
        [pair.difference_high for pair in pairs.values()],
        title=f"Mean score of {field.names[0]} less that of each other agent on the same deals, with 95 % intervals",
        label="difference of the scores, mean per deal",
        words=more,
        level=0.0,
    )


def spread_chart(field: Field) -> str:
    """For one player: how the scores of each agent are spread."""
    scores = field.standings.scores
    return histograms(
        field.labels,
        scores[0].edges,
        [scores[place].counts for place in field.order if place < len(scores)],
        title="Scores of each agent",
        label="score of a deal",
        down="deals",
        means=[row.mean_score for row in field.solo],
        colours=field.colours,
    )


def course_chart(field: Field) -> str:
    """Shares of points, or of deals won, as the games went on."""
    course = [point for point in field.standings.course if point.games >= EARLY * field.standings.course[-1].games]
    at = [point.games for point in course]
    series = []
    for rank, place in enumerate(field.order):
        few = rank < len(SERIES)
        values = [_times_hundred(point.points, place) for point in course]
        lows, highs = ([_times_hundred(getattr(p, end), place) for p in course] if few else [] for end in ("low", "high"))
        series.append(
            Series(
                name=field.short[rank],
                at=at,
                values=values,
                lows=lows,
                highs=highs,
                colour=colour(rank) if few else FAINT,
                faint=not few,
            )
        )
    solo = field.standings.players == 1
    return lines(
        series,
        title="Share of deals won over the games" if solo else "Share of points over the games",
        across="games of all agents together" if solo else "games",
        down="deals won, %" if solo else "points, %",
        log=at[-1] >= 10 * at[0] > 0,
        level=None if solo else 50.0,
        focus=True,
        words=lambda value: f"{value:.4g}",
        across_words=short_count,
    )


def _times_hundred(values: Sequence[float | None], place: int) -> float | None:
    value = known(values[place]) if place < len(values) else None
    return None if value is None else 100 * value
