"""The tables of an arena page."""

from __future__ import annotations

from collections.abc import Sequence

from playout.arena.standings import AgentRow, PairRow, SoloRow, Standings
from playout.arena.words import amount, elo, graded, interval, likelihood, more, percent, scale_name, signed
from playout.report.arena_charts import Field
from playout.report.axis import short_count, short_seconds
from playout.report.parts import NOTHING, Column, maybe, measured, scrolled, table
from playout.report.plots import DENSE, cross_table

MOST_ERROR = 600
"""Letters of an error's text that are shown."""
MOST_CROSSED = 60
"""So many agents, the best ones, are compared with each other."""


# agents


def standings_table(field: Field) -> str:
    """All numbers of every agent."""
    rows = field.rows
    columns: list[Column] = [("", "", [str(i + 1) for i in range(len(rows))]), ("agent", "with its settings", field.names)]
    columns += _solo_columns(field.solo) if field.standings.players == 1 else _columns(field)
    columns.append(("games", "played", [f"{row.games:,}" for row in rows]))
    if any(row.seconds_per_decision is not None for row in rows):
        columns.append(("time", "per decision", [maybe(row.seconds_per_decision, short_seconds) for row in rows]))
    if any(row.simulations_per_decision is not None for row in rows):
        columns.append(("simulations", "per decision", [maybe(row.simulations_per_decision, short_count) for row in rows]))
    columns.append(("faults", "games lost by", [str(row.faults) for row in rows]))
    pick = 0 if len(rows) > 1 and field.standings.played else None
    return scrolled(table(columns, swatches=field.colours, pick=pick), whole=True)


def _columns(field: Field) -> list[Column]:
    rows: list[AgentRow] = field.versus
    ratings = [measured(row.rating, row.rating_low, row.rating_high, elo) for row in rows]
    points = [measured(row.points, row.low, row.high, percent) if row.games else NOTHING for row in rows]
    columns: list[Column] = []
    if graded(field.standings):
        means = [measured(row.mean_return, row.return_low, row.return_high, signed) for row in rows]
        columns.append(("return", "mean a game; 95 % interval", means))
    columns.append((scale_name(field.standings), "mean 0; 95 % interval", ratings))
    if any(row.openskill is not None for row in rows):
        columns.append(("openskill", "its own scale", [maybe(row.openskill, amount) for row in rows]))
    columns.append(("points", "share; 95 % interval", points))
    return columns


def _solo_columns(rows: Sequence[SoloRow]) -> list[Column]:
    means = [measured(row.mean_score, row.score_low, row.score_high, amount) for row in rows]
    wins = [measured(row.win_rate, row.low, row.high, percent) if row.games else NOTHING for row in rows]
    return [
        ("score", "mean; 95 % interval", means),
        ("median", "and the middle half", [_middle(row) for row in rows]),
        ("won", "share; 95 % interval", wins),
    ]


def _middle(row: SoloRow) -> str:
    if len(row.quartiles) != 5:
        return NOTHING
    return measured(row.quartiles[2], row.quartiles[1], row.quartiles[3], amount)


# pairs


def crossing(field: Field) -> str:
    """Row agent against column agent: the points of the row agent."""
    names = field.names[:MOST_CROSSED]
    dense, chips = len(names) >= DENSE, graded(field.standings)
    widest = max((abs(pair.difference or 0.0) for pair in field.met.values()), default=0.0) or 1.0
    texts, parts, notes, smalls = [], [], [], []
    for a in names:
        pairs = [field.met.get((a, b)) for b in names]
        texts.append([(_got(pair) if chips else _share(pair, dense)) if a != b else "·" for pair, b in zip(pairs, names)])
        ahead = [None if pair is None else (pair.difference or 0.0) / widest for pair in pairs]
        parts.append(ahead if chips else [None if pair is None else 2 * pair.points_a - 1 for pair in pairs])
        notes.append(["" if pair is None else _pair_words(pair) for pair in pairs])
        smalls.append(["" if pair is None else f"+{pair.wins_a:,} ={pair.draws:,} -{pair.wins_b:,}" for pair in pairs])
    return cross_table(names, texts, parts, notes, smalls)


def _got(pair: PairRow | None) -> str:
    return "" if pair is None or pair.return_a is None else signed(pair.return_a)


def _share(pair: PairRow | None, dense: bool) -> str:
    if pair is None:
        return ""
    return f"{100 * pair.points_a:.0f}" if dense else percent(pair.points_a)


def _pair_words(pair: PairRow) -> str:
    sure = f"\nlikelihood that it is the better one: {likelihood(pair.superiority)}" if pair.superiority is not None else ""
    return (
        f"{pair.a} against {pair.b}\n{percent(pair.points_a)} of the points ({interval(pair.low, pair.high, percent)})\n"
        f"{pair.wins_a:,} won, {pair.draws:,} drawn, {pair.wins_b:,} lost{sure}"
    )


def pairs_table(field: Field) -> str:
    """Every pair, the better ranked agent first."""
    names, standings = field.names[:MOST_CROSSED], field.standings
    found = [field.met.get((a, b)) for i, a in enumerate(names) for b in names[i + 1 :]]
    pairs = [pair for pair in found if pair is not None]
    solo = standings.players == 1
    words, apart = (more, "of scores; 95 % interval") if solo else (elo, f"{scale_name(standings)}; 95 % interval")
    if graded(standings):
        words, apart = more, "of mean returns; 95 % interval"
    won = "share of deals; 95 %" if solo else "of a; 95 % interval"
    columns: list[Column] = [
        ("", "", [""] * len(pairs)),
        ("a", "", [pair.a for pair in pairs]),
        ("b", "", [pair.b for pair in pairs]),
        ("deals" if solo else "games", "of both", [f"{pair.games:,}" for pair in pairs]),
        ("better, equal, worse" if solo else "won, drawn, lost", "by a", [_counts(pair) for pair in pairs]),
        ("points", won, [measured(pair.points_a, pair.low, pair.high, percent) for pair in pairs]),
        ("difference", apart, [measured(p.difference, p.difference_low, p.difference_high, words) for p in pairs]),
        ("a is better", "likelihood", [likelihood(pair.superiority) or NOTHING for pair in pairs]),
    ]
    return scrolled(table(columns, wrapped=(1, 2)))


def _counts(pair: PairRow) -> str:
    return f"{pair.wins_a:,} / {pair.draws:,} / {pair.wins_b:,}"


# faults


def faults_table(standings: Standings) -> str:
    """Games that were lost by faults."""
    rows = sorted(standings.faults, key=lambda row: -row.games)
    columns: list[Column] = [
        ("", "", [""] * len(rows)),
        ("agent", "", [row.agent for row in rows]),
        ("kind", "of fault", [row.kind for row in rows]),
        ("games", "lost by it", [f"{row.games:,}" for row in rows]),
        ("first", "number of the game", [f"{row.first:,}" for row in rows]),
        ("what went wrong", "in the first of them", [_cut(row.error) for row in rows]),
    ]
    return scrolled(table(columns, wrapped=(1, 5)))


def _cut(text: str) -> str:
    return text if len(text) <= MOST_ERROR else text[:MOST_ERROR] + "…"
