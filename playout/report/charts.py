"""Two charts of one decision: what each action is worth, and how the search came to think so."""

from __future__ import annotations

import math

from playout.picture import Picture
from playout.planner.actions import ActionRecord
from playout.planner.decision import Decision
from playout.planner.why import result_words
from playout.report.axis import Axis, fitted, logarithmic, short_count, straight, text_width, tick_number
from playout.report.marks import SMALL, TEXT, WIDTH, whisker
from playout.report.style import FAINT, GRID, INK, MUTED, SERIES

MOST_BARS = 16
MOST_OTHERS = 20


def colour_of(decision: Decision, action: ActionRecord) -> str:
    """The colour that stands for an action in all charts of a decision: the first few have their own."""
    place = decision.ranked.index(action)
    return SERIES[place] if place < len(SERIES) else FAINT


# what each action is worth


def means_chart(decision: Decision) -> str:
    """A bar per action from zero to its mean, a whisker for the 95 % interval, a diamond for a proven result; visits beside it."""
    shown = decision.ranked[:MOST_BARS]
    name_room = min(118.0, max(text_width(a.name, TEXT) for a in shown) + 6)
    top, row = 8, 23
    bottom = top + row * len(shown)
    picture = Picture(WIDTH, bottom + 40, f"Mean return and visits of each action, {decision.game}")
    means = straight(_worths(decision, shown), name_room + 14, WIDTH - 122, 4)
    most = max(1, max(a.visits for a in shown))
    visits = Axis(0, most, WIDTH - 104, WIDTH - 52, ())
    for tick in means.ticks:
        picture.line(means(tick), top, means(tick), bottom, GRID)
        picture.text(means(tick), bottom + 11, tick_number(tick), SMALL, MUTED)
    picture.text((means.start + means.end) / 2, bottom + 29, f"mean return for {decision.player}", SMALL, MUTED)
    picture.text((visits.start + WIDTH) / 2, bottom + 29, "visits", SMALL, MUTED)
    for place, action in enumerate(shown):
        y = top + (place + 0.5) * row
        with picture.note(_worth_words(decision, action)):
            picture.rect(0, y - row / 2, WIDTH, row, "transparent")
            bold = action.action == decision.action
            picture.text(name_room, y, fitted(action.name, TEXT, name_room), TEXT, INK, "end", bold=bold)
            _worth(picture, decision, action, means, y)
            picture.rect(
                visits.start, y - 5, max(0.6, visits(action.visits) - visits.start), 10, colour_of(decision, action), rx=2
            )
            picture.text(WIDTH, y, short_count(action.visits), SMALL, INK if bold else MUTED, "end", bold=bold)
    base = means(max(means.low, min(means.high, 0.0)))
    picture.line(base, top, base, bottom, MUTED)
    return str(picture)


def _worths(decision: Decision, shown: list[ActionRecord]) -> list[float]:
    """All that the axis has to hold: zero, where bars begin, the intervals, and what is proven."""
    ends = [v for a in shown for v in (a.low, a.high, a.mean) if v is not None]
    return [0.0, *ends, *(a.proven[decision.mover] for a in shown if a.proven is not None)]


def _worth(picture: Picture, decision: Decision, action: ActionRecord, means: Axis, y: float) -> None:
    colour = colour_of(decision, action)
    if action.mean is not None:
        zero, at = means(0.0), means(action.mean)
        picture.rect(min(zero, at), y - 7, abs(at - zero), 14, colour, rx=2)
    if action.low is not None and action.high is not None:
        whisker(picture, means(action.low), means(action.high), y, INK, 1.6)
    if action.proven is not None:
        x = means(action.proven[decision.mover])
        picture.polygon([(x - 6, y), (x, y - 6), (x + 6, y), (x, y + 6)], "var(--card)", INK, 1.8)


def _worth_words(decision: Decision, action: ActionRecord) -> str:
    if action.mean is None:
        return f"{action.name}: never tried"
    known = "" if action.proven is None else f", proven: {result_words(action.proven, decision.mover)}"
    between = "" if action.low is None else f" ({action.low:+.3f} to {action.high:+.3f})"
    return f"{action.name}: mean {action.mean:+.4f}{between}, {action.visits:,} visits{known}"


# how the search came to think so


def trace_chart(decision: Decision) -> str:
    """Visit shares above, means below, over the simulations on a logarithmic axis."""
    left, right, high, gap = 46, 16, 132, 30
    legend, rows = _legend(decision, left, WIDTH - 4)
    picture = Picture(WIDTH, 2 * high + gap + 62 + 20 * rows, f"Visit shares and means over the simulations, {decision.game}")
    counts = [point.simulations for point in decision.trace if point.simulations > 0]
    across = logarithmic(min(counts), max(counts), left, WIDTH - right)
    tops = (18.0, 18.0 + high + gap)
    shares = _share_courses(decision)
    means: dict[int, list[tuple[float, float]]] = {
        i: [(math.log10(p.simulations), m) for p in decision.trace if p.simulations and (m := p.means[i]) is not None]
        for i in range(len(decision.actions))
    }
    named = [decision.actions.index(a) for a in decision.ranked[: len(SERIES)]]
    down = straight([0.0, *(share for i in named for _, share in shares[i])], tops[0] + high, tops[0], 4)
    _panel(picture, across, down, "share of visits, %")
    _courses(picture, decision, shares, across, down)
    down = straight([mean for i in named for _, mean in means[i]], tops[1] + high, tops[1], 4)
    _panel(picture, across, down, f"mean return for {decision.player}")
    _courses(picture, decision, means, across, down)
    for tick in across.ticks:
        picture.text(across(tick), tops[1] + high + 13, short_count(10**tick), SMALL, MUTED)
    picture.text((left + WIDTH - right) / 2, tops[1] + high + 31, "simulations (logarithmic)", SMALL, MUTED)
    for x, row, action in legend:
        y = tops[1] + high + 54 + 20 * row
        picture.line(x, y, x + 14, y, colour_of(decision, action), 3.2)
        picture.text(x + 20, y, fitted(action.name, TEXT, 130), TEXT, INK, "start", bold=action.action == decision.action)
    return str(picture)


def _share_courses(decision: Decision) -> dict[int, list[tuple[float, float]]]:
    points = [(math.log10(p.simulations), p.visits, max(1, sum(p.visits))) for p in decision.trace if p.simulations]
    return {i: [(x, 100 * visits[i] / total) for x, visits, total in points] for i in range(len(decision.actions))}


def _panel(picture: Picture, across: Axis, down: Axis, title: str) -> None:
    for tick in across.ticks:
        picture.line(across(tick), down.start, across(tick), down.end, GRID)
    for tick in down.ticks:
        picture.line(across.start, down(tick), across.end, down(tick), GRID)
        picture.text(across.start - 7, down(tick), tick_number(tick), SMALL, MUTED, "end")
    picture.text(across.start, down.end - 11, title, SMALL, MUTED, "start")


def _courses(
    picture: Picture, decision: Decision, courses: dict[int, list[tuple[float, float]]], across: Axis, down: Axis
) -> None:
    """The named actions over a few of the others, the chosen one on top of all."""
    for place in reversed(range(min(len(decision.ranked), len(SERIES) + MOST_OTHERS))):
        action = decision.ranked[place]
        named = place < len(SERIES)
        course = courses[decision.actions.index(action)]
        if not named:
            course = [(x, y) for x, y in course if down.low <= y <= down.high]
        points = [(across(x), down(y)) for x, y in course]
        if not points:
            continue
        colour, thick = colour_of(decision, action), 2.8 if place == 0 else 1.9 if named else 0.7
        with picture.note(action.name):
            if len(points) > 1:
                picture.polyline(points, colour, thick)
            picture.circle(*points[-1], 1.2 * thick, colour)


def _legend(decision: Decision, left: float, right: float) -> tuple[list[tuple[float, int, ActionRecord]], int]:
    """Where each named action stands in the legend, and how many rows that takes."""
    places: list[tuple[float, int, ActionRecord]] = []
    x, row = left, 0
    for action in decision.ranked[: len(SERIES)]:
        wide = 20 + text_width(fitted(action.name, TEXT, 130), TEXT) + 18
        if x + wide > right and x > left:
            x, row = left, row + 1
        places.append((x, row, action))
        x += wide
    return places, row + 1
