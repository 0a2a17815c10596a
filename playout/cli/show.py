"""Decisions as people read them in a terminal: the table, the survey, the trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from playout.cli.tables import bare_table, number
from playout.cli.terminal import plain, prose
from playout.planner.decision import MEAN, ONLY, Decision
from playout.planner.line import Line
from playout.planner.survey.record import Survey

BARS = "▁▂▃▄▅▆▇█"
MOST_POINTS = 8
LEADING = 4
SPARKS = 14
"""Few enough that a trace fits into 80 columns."""


def decision_table(out: Console, decision: Decision, top: int) -> Table:
    """The actions with every number, the choice first and marked.

    On a narrow terminal the columns that follow from the others give way, since cut numbers would mislead.
    """
    thin = ("score", "exploit", "explore")
    thinner = ((*thin, "weight"), (*thin, "weight", "interval")) if decision.sighted else ()
    return _fitting(out, decision.columns, decision.rows()[:top], ((), ("score",), thin, *thinner))


def survey_table(out: Console, survey: Survey, top: int) -> Table:
    """The actions over the surveyed worlds, the choice first and marked."""
    thin = ("alone", "deviation")
    return _fitting(
        out, survey.COLUMNS, survey.rows()[:top], ((), ("alone",), thin, (*thin, "q25", "q75"), (*thin, "q25", "q75", "wins"))
    )


def _fitting(out: Console, columns: Sequence[str], rows: Sequence[Sequence[str]], left_out: Sequence[Sequence[str]]) -> Table:
    """The table with as many columns as fit; what may give way is named in the order in which it does."""
    table = bare_table()
    for gap, missing in ((2, left_out[0]), *((1, missing) for missing in left_out)):
        table = bare_table(gap)
        kept = [place for place, name in enumerate(columns) if name not in missing]
        for place in kept:
            table.add_column(columns[place], justify="left" if place < 2 else "right", no_wrap=True)
        for row in rows:
            table.add_row(*(escape(row[place]) for place in kept), style="bold green" if row[0] else "")
        if Measurement.get(out, out.options.update(max_width=1000), table).maximum <= out.width:
            break
    return table


def show_decision(out: Console, decision: Decision, line: Line, why: str, top: int) -> None:
    """Everything about a decision: what was spent, the table, the line, the reason."""
    prose(out, decision.summary())
    out.print(decision_table(out, decision, top))
    hidden = len(decision.actions) - top
    if hidden > 0:
        plain(out, f"   and {hidden} more (--top {len(decision.actions)} shows them, --json has them all)")
    plain(out)
    plain(out, f"choice: {decision.name}   ({', '.join(_plain_facts(decision))})")
    if decision.sureness:
        prose(out, f"sure:   {decision.sureness}")
    if decision.basins is not None:
        prose(out, f"basins: {decision.basins.words()}")
    prose(out, f"line:   {line}")
    prose(out, f"why:    {why}")
    if decision.auto and decision.auto not in why:
        prose(out, f"auto:   {decision.auto}")
    if not decision.state.game.continuous:
        prose(out, MEAN)
    if decision.note:
        prose(out, f"note:   {decision.note}")
    if decision.survey is not None:
        plain(out)
        show_survey(out, decision, decision.survey, top)


def show_survey(out: Console, decision: Decision, survey: Survey, top: int) -> None:
    """What a survey of worlds found, and the world that speaks most against the choice."""
    if decision.worlds is not None:
        prose(out, f"worlds: {decision.worlds:,} sampled by the search ({_per_world(decision)})")
    prose(out, f"survey: {survey.method()}")
    out.print(survey_table(out, survey, top))
    prose(out, f"mind:   {survey.mind()}")
    if survey.worst is not None:
        prose(out, f"        {survey.worst_words()}")
        plain(out, "\n".join(f"          {line}".rstrip() for line in survey.worst.draw().splitlines()))


def _per_world(decision: Decision) -> str:
    return "one for each tree" if decision.settings.hidden == "pimc" else "one for each simulation"


def show_trajectory(out: Console, line: Line, regret: dict[str, Any]) -> None:
    """The whole course of a continuous game, stage by stage, with the payoffs and what each player gave away."""
    table = bare_table()
    for name in ("stage", "player", "action"):
        table.add_column(name, justify="right" if name != "action" else "left")
    for state, name in zip(line.states, line.names, strict=False):
        table.add_row(str(state.fields.stage), str(state.mover), name)
    plain(out)
    out.print(table)
    if not line.finished:
        return
    plain(out, f"payoffs: {', '.join(f'{v:.6g}' for v in line.returns)}")
    if regret["players"] is None:
        prose(out, f"regret:  not known: {regret['why']}")
        return
    words = ", ".join(number(r, ".3g") for r in regret["players"])
    prose(out, f"regret:  {words} (against the {regret['source']}, error at most {regret['error']:.1g})")


def _plain_facts(decision: Decision) -> list[str]:
    chosen = decision.chosen
    if decision.stopped == ONLY:
        return [decision.player, "the only legal action"]
    facts = [decision.player, f"{chosen.visits:,} of {decision.parent_visits:,} visits"]
    return facts if chosen.mean is None else [*facts, f"mean return {chosen.mean:+.3f}"]


def sparkline(values: Sequence[float | None]) -> str:
    """Numbers as a row of small bars, from the lowest to the highest of them; a gap where there is no number."""
    known = [value for value in values if value is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    span = high - low
    return "".join(" " if v is None else BARS[round((v - low) / span * 7) if span > 0 else 3] for v in values)


def trace_table(decision: Decision) -> Table:
    """How visits and means of the leading actions moved, one row per point in time, with the whole course as small bars."""
    columns = [decision.actions.index(record) for record in decision.ranked[:LEADING]]
    table = bare_table()
    table.add_column("simulations", justify="right", no_wrap=True)
    for column in columns:
        table.add_column(escape(decision.actions[column].name), justify="right", no_wrap=True)
    points = decision.trace
    step = max(1, -(-(len(points) - 1) // (MOST_POINTS - 1)))
    for point in [*points[:-1][::step], *points[-1:]]:
        table.add_row(f"{point.simulations:,}", *(f"{point.visits[c]:,} {_mean(point.means[c])}" for c in columns))
    thin = [points[round(i * (len(points) - 1) / (SPARKS - 1))] for i in range(SPARKS)] if len(points) > SPARKS else points
    shares = [sparkline([p.visits[c] / max(1, sum(p.visits)) for p in thin]) for c in columns]
    table.add_row("share of visits", *shares, style="cyan")
    table.add_row("mean return", *(sparkline([p.means[c] for p in thin]) for c in columns), style="cyan")
    return table


def _mean(value: float | None) -> str:
    return "   -  " if value is None else f"{value:+.3f}"
