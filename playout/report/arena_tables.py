"""The tables of an arena page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from playout.arena.intervals import known
from playout.arena.standings import AgentRow, PairRow, SoloRow, Standings
from playout.arena.words import amount, elo, interval, likelihood, more, percent, scale_name
from playout.report.arena_charts import Field
from playout.report.axis import short_count, short_seconds
from playout.report.marks import Words
from playout.report.plots import DENSE, breakable, cross_table

MOST_ERROR = 600
"""Letters of an error's text that are shown."""
MOST_CROSSED = 60
"""So many agents, the best ones, are compared with each other."""
NOTHING = "–"

Column = tuple[str, str, list[str]]
"""Head, its meaning, and a text per row."""


def table(columns: Sequence[Column], wrapped: Sequence[int] = (1,), swatches: Sequence[str] = (), pick: int | None = None) -> str:
    """Columns of text as an HTML table; a second line of a text is small; `wrapped` columns hold names that may be long."""
    kinds = [' class="agent"' if number in wrapped else "" for number in range(len(columns))]
    head = "".join(f"<th{k}>{escape(name)}<small>{escape(meaning)}</small></th>" for k, (name, meaning, _) in zip(kinds, columns))
    rows = []
    for place in range(len(columns[0][2])):
        dot = f'<span class="swatch" style="background:{swatches[place]}"></span>' if swatches else ""
        cells = []
        for number, (_, _, texts) in enumerate(columns):
            words = breakable(texts[place]) if number in wrapped else _two_lines(texts[place])
            cells.append(f"<td{kinds[number]}>{dot if number == 1 else ''}{words}</td>")
        rows.append(f"<tr{' class=pick' if place == pick else ''}>{''.join(cells)}</tr>")
    return (
        f'<table class="{"dotted" if swatches else "plain"}"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    )


def _two_lines(text: str) -> str:
    first, _, second = text.partition("\n")
    return escape(first) + (f"<small>{escape(second)}</small>" if second else "")


def scrolled(text: str, whole: bool = False) -> str:
    """A table that scrolls sideways where it is too wide and, unless `whole`, upwards where it is too long."""
    return f'<div class="scroll{" whole" * whole}">{text}</div>'


# agents


def standings_table(field: Field) -> str:
    """All numbers of every agent."""
    rows = field.rows
    columns: list[Column] = [("", "", [str(i + 1) for i in range(len(rows))]), ("agent", "with its settings", field.names)]
    columns += _solo_columns(field.solo) if field.standings.players == 1 else _columns(field)
    columns.append(("games", "played", [f"{row.games:,}" for row in rows]))
    if any(row.seconds_per_decision is not None for row in rows):
        columns.append(("time", "per decision", [_maybe(row.seconds_per_decision, short_seconds) for row in rows]))
    if any(row.simulations_per_decision is not None for row in rows):
        columns.append(("simulations", "per decision", [_maybe(row.simulations_per_decision, short_count) for row in rows]))
    columns.append(("faults", "games lost by", [str(row.faults) for row in rows]))
    pick = 0 if len(rows) > 1 and field.standings.played else None
    return scrolled(table(columns, swatches=field.colours, pick=pick), whole=True)


def _columns(field: Field) -> list[Column]:
    rows: list[AgentRow] = field.versus
    ratings = [_with(_maybe(row.rating, elo), interval(row.rating_low, row.rating_high, elo)) for row in rows]
    points = [_with(percent(row.points), interval(row.low, row.high, percent)) if row.games else NOTHING for row in rows]
    columns: list[Column] = [(scale_name(field.standings), "mean 0; 95 % interval", ratings)]
    if any(row.openskill is not None for row in rows):
        columns.append(("openskill", "its own scale", [_maybe(row.openskill, amount) for row in rows]))
    columns.append(("points", "share; 95 % interval", points))
    return columns


def _solo_columns(rows: Sequence[SoloRow]) -> list[Column]:
    means = [_with(_maybe(row.mean_score, amount), interval(row.score_low, row.score_high, amount)) for row in rows]
    wins = [_with(percent(row.win_rate), interval(row.low, row.high, percent)) if row.games else NOTHING for row in rows]
    return [
        ("score", "mean; 95 % interval", means),
        ("median", "and the middle half", [_middle(row) for row in rows]),
        ("won", "share; 95 % interval", wins),
    ]


def _with(text: str, ends: str) -> str:
    return f"{text}\n{ends}" if ends else text


def _middle(row: SoloRow) -> str:
    if len(row.quartiles) != 5:
        return NOTHING
    return _with(amount(row.quartiles[2]), interval(row.quartiles[1], row.quartiles[3], amount))


def _maybe(value: float | None, words: Words) -> str:
    found = known(value)
    return NOTHING if found is None else words(found)


# pairs


def crossing(field: Field) -> str:
    """Row agent against column agent: the points of the row agent."""
    names = field.names[:MOST_CROSSED]
    dense = len(names) >= DENSE
    texts, parts, notes, smalls = [], [], [], []
    for a in names:
        pairs = [field.met.get((a, b)) for b in names]
        texts.append([_share(pair, dense) if a != b else "·" for pair, b in zip(pairs, names)])
        parts.append([None if pair is None else 2 * pair.points_a - 1 for pair in pairs])
        notes.append(["" if pair is None else _pair_words(pair) for pair in pairs])
        smalls.append(["" if pair is None else f"+{pair.wins_a:,} ={pair.draws:,} -{pair.wins_b:,}" for pair in pairs])
    return cross_table(names, texts, parts, notes, smalls)


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
    won = "share of deals; 95 %" if solo else "of a; 95 % interval"
    columns: list[Column] = [
        ("", "", [""] * len(pairs)),
        ("a", "", [pair.a for pair in pairs]),
        ("b", "", [pair.b for pair in pairs]),
        ("deals" if solo else "games", "of both", [f"{pair.games:,}" for pair in pairs]),
        ("better, equal, worse" if solo else "won, drawn, lost", "by a", [_counts(pair) for pair in pairs]),
        ("points", won, [_with(percent(pair.points_a), interval(pair.low, pair.high, percent)) for pair in pairs]),
        ("difference", apart, [_with(_maybe(pair.difference, words), _apart(pair, words)) for pair in pairs]),
        ("a is better", "likelihood", [likelihood(pair.superiority) or NOTHING for pair in pairs]),
    ]
    return scrolled(table(columns, wrapped=(1, 2)))


def _apart(pair: PairRow, words: Words) -> str:
    return interval(pair.difference_low, pair.difference_high, words)


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
