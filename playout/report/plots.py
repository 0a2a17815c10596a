"""Charts out of plain lists, for any page: dots with whiskers, lines with bands, histograms, coloured cross tables.

Values may be None where there is nothing to show; what is no finite number counts as None.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from playout.arena.intervals import known
from playout.picture import Picture
from playout.report.axis import Axis, short_count, straight, text_width, whole
from playout.report.marks import (
    SMALL,
    TEXT,
    WIDTH,
    Numbers,
    Series,
    Spot,
    Words,
    draw_legend,
    flat_axis,
    labels,
    legend,
    plain,
    reach,
    spots_of,
    squeezed,
    tick_row,
    uprights,
    whisker,
)
from playout.report.style import GRID, INK, MUTED, SERIES, shade

__all__ = ["Series", "cross_table", "dot_rows", "dots", "histograms", "lines"]

BESIDE = 170.0
"""Names wider than this stand above their rows and not beside them."""
FEW_BINS = 8
"""Fewer bins are drawn as narrow as if there were so many."""
DENSE = 9
"""A cross table of so many rows shows numbers only."""


# rows


def dots(
    names: Sequence[str],
    values: Numbers,
    lows: Numbers,
    highs: Numbers,
    *,
    title: str,
    label: str,
    words: Words = plain,
    notes: Sequence[str] = (),
    colours: Sequence[str] = (),
    level: float | None = None,
    hold: Sequence[float] = (),
) -> str:
    """One row per name: a dot, its whisker and its number.

    `level` is a value to compare with, a line through all rows; the axis is long enough for it and for what it shall `hold`.
    """
    series = Series(name="", values=values, lows=lows, highs=highs, notes=notes)
    return dot_rows(names, [series], title=title, label=label, words=words, colours=colours, level=level, hold=hold)


def dot_rows(
    names: Sequence[str],
    series: Sequence[Series],
    *,
    title: str,
    label: str,
    words: Words = plain,
    colours: Sequence[str] = (),
    level: float | None = None,
    hold: Sequence[float] = (),
) -> str:
    """Rows with several dots each, one of every series; `colours` are those of the rows where there is but one."""
    room = 1.06 * max((text_width(name, TEXT) for name in names), default=0.0)
    stacked = room > BESIDE
    lane = 23.0 if len(series) == 1 else 14.0
    above, row = (16.0 if stacked else 0.0), lane * max(1, len(series)) + (6 if len(series) > 1 else 0)
    top, step = 6.0, row + above
    bottom = top + step * len(names)
    entries, lines_used = legend(series) if len(series) > 1 else ([], 0)
    picture = Picture(WIDTH, bottom + 42 + 20 * lines_used, title)
    spots = [spots_of(one, words, rows=names) for one in series]
    texts = [words(spot.value) for one in spots for spot in one if spot]
    left = 18.0 if stacked else 14 + room
    right = WIDTH - 12 - max((text_width(text, SMALL) for text in texts), default=0.0)
    held = [v for one in spots for v in reach(one)] + [v for v in map(known, (level, *hold)) if v is not None]
    across = straight(held, left, right, 4 if right - left < 260 else 5)
    uprights(picture, across, top, bottom, plain)
    picture.text((left + right) / 2, bottom + 29, label, SMALL, MUTED)
    if level is not None:
        picture.line(across(level), top, across(level), bottom, MUTED)
    for place, name in enumerate(names):
        y = top + place * step
        if stacked:
            shown = squeezed(name, TEXT, WIDTH - 14)
            # On its own ground, or the grid would strike it through.
            picture.rect(0, y + 1, min(WIDTH, 8 + 1.08 * text_width(shown, TEXT)), 17, "var(--card)")
            picture.text(2, y + 10, shown, TEXT, INK, "start")
        else:
            picture.text(left - 12, y + row / 2, name, TEXT, INK, "end")
        for number, one in enumerate(series):
            middle = y + above + (row - lane * len(series)) / 2 + lane * (number + 0.5)
            colour = colours[place] if place < len(colours) else one.colour
            _dot(picture, spots[number][place] if place < len(spots[number]) else None, across, middle, lane, colour, words)
    draw_legend(picture, entries, bottom + 48)
    return str(picture)


def _dot(picture: Picture, spot: Spot | None, across: Axis, y: float, lane: float, colour: str, words: Words) -> None:
    if spot is None:
        picture.text(WIDTH, y, "–", SMALL, MUTED, "end")
        return
    thick = 2.2 if lane > 20 else 1.8
    with picture.note(spot.note):
        picture.rect(across.start, y - lane / 2, WIDTH - across.start, lane, "transparent")
        if spot.low is not None and spot.high is not None:
            whisker(picture, across(spot.low), across(spot.high), y, colour, thick)
        picture.circle(across(spot.value), y, 4.6 if lane > 20 else 4.2, colour, "var(--card)", 1.4)
        picture.text(WIDTH, y, words(spot.value), SMALL, INK, "end")


# lines


def lines(
    series: Sequence[Series],
    *,
    title: str,
    across: str,
    down: str,
    log: bool = False,
    level: float | None = None,
    whiskers: bool = False,
    focus: bool = False,
    words: Words = plain,
    across_words: Words | None = None,
    height: float = 190.0,
) -> str:
    """Lines with a band for their intervals; with `whiskers`, points with whiskers instead, joined where a series has several.

    `focus` lets the bands of the first half run off the picture, where they would squeeze all that follows.
    """
    spots = [[spot for spot in spots_of(one, words, log) if spot] for one in series]
    named = [one for one in series if not one.faint and not one.label and one.name]
    entries, rows = legend(named) if len(named) > 1 else ([], 0)
    picture = Picture(WIDTH, 18 + height + 42 + 20 * rows, title)
    held = [v for one in spots for v in reach(one)]
    if focus:
        held = [spot.value for one in spots for spot in one] + [v for one in spots for v in reach(one[len(one) // 2 :])]
    upright = straight(held + ([] if level is None else [level]), 18 + height, 18, 4)
    left = 14 + max(text_width(words(tick), SMALL) for tick in upright.ticks)
    flat = flat_axis([spot.at for one in spots for spot in one], left, WIDTH - 14, log, 0.06 if whiskers else 0.0)
    tick_words = across_words or (short_count if log else plain)
    uprights(picture, flat, upright.end, upright.start, lambda tick: tick_words(10**tick if log else tick))
    for tick in upright.ticks:
        picture.line(left, upright(tick), flat.end, upright(tick), GRID)
        picture.text(left - 7, upright(tick), words(tick), SMALL, MUTED, "end")
    if level is not None:
        picture.line(left, upright(level), flat.end, upright(level), MUTED)
    picture.text(left, upright.end - 11, down, SMALL, MUTED, "start")
    picture.text((left + flat.end) / 2, upright.start + 29, across + (" (logarithmic)" if log else ""), SMALL, MUTED)
    for one, found in reversed(list(zip(series, spots))):
        (_points if whiskers else _course)(picture, one, found, flat, upright)
    labels(picture, series, spots, flat, upright)
    draw_legend(picture, entries, upright.start + 48)
    return str(picture)


def _course(picture: Picture, series: Series, spots: Sequence[Spot], flat: Axis, upright: Axis) -> None:
    if not spots:
        return
    held = [(flat(s.at), s.low, s.high) for s in spots if s.low is not None and s.high is not None]
    last = spots[-1].note
    with picture.note(last):
        if len(held) > 1 and not series.faint:
            over = [(x, upright(min(high, upright.high))) for x, _, high in held]
            under = [(x, upright(max(low, upright.low))) for x, low, _ in held]
            picture.polygon(over + under[::-1], series.colour, opacity=0.13)
        thick = 0.8 if series.faint else 2.2
        if len(spots) > 1:
            picture.polyline([(flat(s.at), upright(s.value)) for s in spots], series.colour, thick)
        picture.circle(flat(spots[-1].at), upright(spots[-1].value), 1.3 * thick, series.colour)


def _points(picture: Picture, series: Series, spots: Sequence[Spot], flat: Axis, upright: Axis) -> None:
    if len(spots) > 1:
        picture.polyline([(flat(s.at), upright(s.value)) for s in spots], series.colour, 1.2)
    for spot in spots:
        x = flat(spot.at)
        with picture.note(spot.note):
            if spot.low is not None and spot.high is not None:
                picture.line(x, upright(spot.low), x, upright(spot.high), series.colour, 1.8)
                for end in (spot.low, spot.high):
                    picture.line(x - 4, upright(end), x + 4, upright(end), series.colour, 1.8)
            picture.circle(x, upright(spot.value), 5, series.colour, "var(--card)", 1.4)


# histograms


def histograms(
    names: Sequence[str],
    edges: Sequence[float],
    counts: Sequence[Sequence[int]],
    *,
    title: str,
    label: str,
    down: str = "games",
    means: Numbers = (),
    colours: Sequence[str] = (),
) -> str:
    """One panel per name, under each other, all over the same edges and to the same scale; `means` get a line each."""
    high = 150.0 if len(names) < 2 else 58.0
    named = any(names)
    step, top = high + (24 if named else 14), (40.0 if named else 20.0)
    bottom = top + step * max(1, len(names)) - (step - high)
    picture = Picture(WIDTH, bottom + 42, title)
    most = max((count for row in counts for count in row), default=0)
    about = 2 if named else 4
    left = 14 + max(text_width(plain(tick), SMALL) for tick in _count_axis(most, 0, 1, about).ticks)
    ends = [v for v in map(known, edges) if v is not None]
    across = _bin_axis(ends, left, WIDTH - 14)
    picture.text(left, 9, down, SMALL, MUTED, "start")
    for place, row in enumerate(counts):
        upright = _count_axis(most, top + place * step + high, top + place * step, about)
        if place < len(names) and names[place]:
            picture.text(left, upright.end - 9, squeezed(names[place], TEXT, WIDTH - left), TEXT, INK, "start")
        _bars(picture, ends, row, across, upright, colours[place] if place < len(colours) else SERIES[0])
        mean = known(means[place]) if place < len(means) else None
        if mean is not None and across.low <= mean <= across.high:
            with picture.note(f"mean {mean:.4g}"):
                picture.line(across(mean), upright.start, across(mean), upright.end, INK, 1.4)
    tick_row(picture, across, bottom + 11, plain)
    picture.text((left + across.end) / 2, bottom + 29, label, SMALL, MUTED)
    return str(picture)


def _bin_axis(edges: Sequence[float], start: float, end: float) -> Axis:
    """An axis from the first edge to the last; a few bins do not fill it, and between whole numbers there are no ticks."""
    low, high = (edges[0], edges[-1]) if len(edges) > 1 and edges[-1] > edges[0] else (0.0, 1.0)
    bins = max(1, len(edges) - 1)
    more = max(0, FEW_BINS - bins) / 2 * (high - low) / bins
    low, high = low - more, high + more
    whole = bool(edges) and all(edge % 1 == 0.5 for edge in edges)
    ticks = [
        t for t in straight([low, high], start, end, 6).ticks if low <= t <= high and not (whole and abs(t - round(t)) > 1e-9)
    ]
    return Axis(low, high, start, end, tuple(ticks))


def _count_axis(most: int, start: float, end: float, about: int) -> Axis:
    """An axis from zero for whole numbers only."""
    return whole(straight([0.0, float(max(1, most))], start, end, about))


def _bars(picture: Picture, edges: Sequence[float], counts: Sequence[int], across: Axis, upright: Axis, colour: str) -> None:
    for tick in upright.ticks:
        picture.line(across.start, upright(tick), across.end, upright(tick), GRID)
        picture.text(across.start - 7, upright(tick), plain(tick), SMALL, MUTED, "end")
    total = max(1, sum(counts))
    for count, low, high in zip(counts, edges, edges[1:]):
        if not count:
            continue
        x, wide = across(low), across(high) - across(low)
        gap = min(1.5, wide / 6)
        with picture.note(f"{_bin_words(low, high)}: {count:,} ({100 * count / total:.1f} %)"):
            tall = max(0.8, upright.start - upright(count))
            picture.rect(x + gap / 2, upright.start - tall, max(0.4, wide - gap), tall, colour)


def _bin_words(low: float, high: float) -> str:
    """Bins of whole numbers lie half a step around them."""
    if low % 1 == 0.5 and high % 1 == 0.5:
        return f"{low + 0.5:g}" if high - low == 1 else f"{low + 0.5:g} to {high - 0.5:g}"
    return f"{low:.4g} to {high:.4g}"


# tables


def breakable(name: str) -> str:
    """A name as HTML that may be broken after the marks between its settings."""
    return re.sub(r"([,:=])", r"\1<wbr>", escape(name))


def cross_table(
    names: Sequence[str],
    texts: Sequence[Sequence[str]],
    parts: Sequence[Numbers],
    notes: Sequence[Sequence[str]],
    smalls: Sequence[Sequence[str]] = (),
) -> str:
    """Names against names as an HTML table: a text and a colour (-1 bad, 0 even, +1 good) in each cell, a note on pointing.

    Columns carry the number of their row. `smalls` is a second line in each cell, and left out of large tables.
    """
    dense = len(names) >= DENSE
    head = "".join(
        f'<th scope="col" title="{escape(name)}">{i}{"" if dense else f"<small>{breakable(name)}</small>"}</th>'
        for i, name in enumerate(names, 1)
    )
    rows = []
    for i, name in enumerate(names):
        cells = []
        for j in range(len(names)):
            part = known(parts[i][j])
            fill, ink = ("", "") if part is None else shade(part)
            style = f' style="background:{fill};color:{ink}"' if fill else ' class="none"'
            small = f"<small>{escape(smalls[i][j])}</small>" if smalls and smalls[i][j] and not dense else ""
            note = f' title="{escape(notes[i][j])}"' if notes[i][j] else ""
            cells.append(f"<td{style}{note}>{escape(texts[i][j])}{small}</td>")
        rows.append(f'<tr><th scope="row"><b>{i + 1}</b> {breakable(name)}</th>{"".join(cells)}</tr>')
    return (
        f'<div class="scroll whole"><table class="cross{" dense" * dense}"><thead><tr><th></th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
