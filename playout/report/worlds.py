"""The worlds behind a decision with hidden information: in how many each action was best, and how its outcomes lie."""

from __future__ import annotations

from html import escape

from playout.picture import Picture
from playout.planner.decision import Decision
from playout.planner.survey.record import ActionSurvey, Spread, Survey
from playout.report.axis import Axis, fitted, straight, text_width
from playout.report.boards import board
from playout.report.charts import MOST_BARS, colour_of
from playout.report.marks import SMALL, TEXT, WIDTH, plain, uprights, whisker
from playout.report.parts import figure
from playout.report.style import GRID, INK, MUTED

ROW, TOP = 25, 8


def survey_section(decision: Decision) -> str:
    """The block of a page about the surveyed worlds; empty where there was no survey."""
    survey = decision.survey
    if survey is None:
        return ""
    worst = ""
    if survey.worst is not None:
        worst = (
            f'<div><h3>The world that speaks most against it</h3><p class="note">{escape(survey.worst_words())} drawn with open '
            f"cards, and not the true state.</p>{board(survey.worst)}</div>"
        )
    sampled = "" if decision.worlds is None else f"The search itself drew {decision.worlds:,} worlds. "
    best = figure(
        "In how many worlds it was best",
        f"Bars: of {survey.worlds} worlds. Whiskers: 95 % interval. Where results are proven equal, several are best.",
        best_chart(decision, survey),
    )
    spread = figure(
        "How the outcomes spread",
        "Boxes: the middle half, with the median. Lines: from 5 to 95 %. Dots: means. On the right the share of wins.",
        spread_chart(decision, survey),
    )
    return (
        f'<div class="block"><h3>The worlds behind it</h3><p class="note">{sampled}{escape(survey.method())}</p>'
        f'<div class="two">{best}{spread}</div></div>'
        f'<div class="two block"><div><h3>What would change the mind</h3><p>{escape(survey.mind())}</p></div>{worst}</div>'
    )


def best_chart(decision: Decision, survey: Survey) -> str:
    """A bar per action: in how many worlds it was best, with its interval and the count."""
    rows, room = _rows(decision, survey)
    bottom = TOP + ROW * len(rows)
    picture = Picture(WIDTH, bottom + 40, f"In how many of {survey.worlds} worlds each action was best, {decision.game}")
    across = Axis(0, 100, room + 14, WIDTH - 62, (0, 25, 50, 75, 100))
    uprights(picture, across, TOP, bottom, plain)
    picture.text((across.start + across.end) / 2, bottom + 29, "share of worlds, %", SMALL, MUTED)
    for place, found in enumerate(rows):
        y = TOP + (place + 0.5) * ROW
        share = 100 * found.best / survey.worlds
        words = f"{found.name}: best in {found.best} of {survey.worlds} worlds ({100 * found.low:.0f} to {100 * found.high:.0f} %), alone in {found.alone}"
        with picture.note(words):
            _name(picture, decision, found, room, y)
            picture.rect(across(0), y - 7, across(share) - across(0), 14, colour_of(decision, decision[found.action]), rx=2)
            whisker(picture, across(100 * found.low), across(100 * found.high), y, INK, 1.6)
            picture.text(WIDTH, y, f"{found.best} of {survey.worlds}", SMALL, INK, "end", bold=found.action == decision.action)
    return str(picture)


def spread_chart(decision: Decision, survey: Survey) -> str:
    """A box per action for the outcomes of simulations through it."""
    rows, room = _rows(decision, survey)
    bottom = TOP + ROW * len(rows)
    picture = Picture(WIDTH, bottom + 40, f"How the outcomes of each action spread, {decision.game}")
    spreads = [found.spread for found in rows if found.spread is not None]
    across = straight([v for s in spreads for v in (*s.quantiles, s.mean)], room + 18, WIDTH - 66, 5)
    uprights(picture, across, TOP, bottom, plain)
    if across.low < 0 < across.high:
        picture.line(across(0), TOP, across(0), bottom, MUTED)
    picture.text((across.start + across.end) / 2, bottom + 29, f"returns of {decision.player}", SMALL, MUTED)
    for place, found in enumerate(rows):
        y = TOP + (place + 0.5) * ROW
        with picture.note(_spread_note(found)):
            _name(picture, decision, found, room, y)
            if found.spread is None:
                picture.text(across.start + 4, y, "too few simulations", SMALL, MUTED, "start")
                continue
            _box(picture, found.spread, across, y, colour_of(decision, decision[found.action]))
            if found.spread.wins is not None:
                bold = found.action == decision.action
                picture.text(WIDTH, y, f"{100 * found.spread.wins:.0f} % won", SMALL, INK, "end", bold=bold)
    return str(picture)


def _rows(decision: Decision, survey: Survey) -> tuple[list[ActionSurvey], float]:
    """The actions in the order of the decision, and the room for their names."""
    found = {a.action: a for a in survey.actions}
    rows = [found[a.action] for a in decision.ranked[:MOST_BARS]]
    return rows, min(118.0, max(text_width(a.name, TEXT) for a in rows) + 6)


def _name(picture: Picture, decision: Decision, found: ActionSurvey, room: float, y: float) -> None:
    picture.rect(0, y - ROW / 2, WIDTH, ROW, "transparent")
    picture.text(room, y, fitted(found.name, TEXT, room), TEXT, INK, "end", bold=found.action == decision.action)


def _box(picture: Picture, spread: Spread, across: Axis, y: float, colour: str) -> None:
    q05, q25, median, q75, q95 = (across(q) for q in spread.quantiles)
    whisker(picture, q05, q95, y, colour, 1.8)
    picture.rect(q25, y - 7, max(1.0, q75 - q25), 14, GRID, colour, 1.8, rx=2)
    picture.line(median, y - 7, median, y + 7, colour, 3)
    picture.circle(across(spread.mean), y, 2.6, INK)


def _spread_note(found: ActionSurvey) -> str:
    spread = found.spread
    if spread is None:
        return f"{found.name}: too few simulations went through it for a spread"
    wins = (
        ""
        if spread.wins is None
        else f"; won {100 * spread.wins:.0f} % ({100 * (spread.wins_low or 0):.0f} to {100 * (spread.wins_high or 0):.0f} %)"
    )
    five = ", ".join(f"{q:.3g}" for q in spread.quantiles)
    return f"{found.name}: mean {spread.mean:.3g}, deviation {spread.deviation:.3g}, 5/25/50/75/95 %: {five}{wins} of {spread.samples:,}"
