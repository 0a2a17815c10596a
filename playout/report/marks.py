"""The parts that charts are put together from: series of values, words that fit, grid lines, legends, labels beside points."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from playout.arena.intervals import known
from playout.picture import Picture
from playout.report.axis import Axis, logarithmic, short_count, straight, text_width, tick_number
from playout.report.style import GRID, INK, MUTED, SERIES

WIDTH = 440
"""Wide enough for a half of a desktop page, narrow enough that the letters stay readable on a phone."""
SMALL, TEXT = 11.5, 13.0
MOST_TICKS = 9

Numbers = Sequence[float | None]
Words = Callable[[float], str]


@dataclass(frozen=True, kw_only=True)
class Series:
    """Values with their intervals under one name: a line over `at`, or one dot in each row."""

    name: str
    values: Numbers
    lows: Numbers = ()
    highs: Numbers = ()
    at: Numbers = ()
    """Where each value stands on the horizontal axis. Not for rows."""
    notes: Sequence[str] = ()
    """What each value says to whoever points at it; left out, its name and numbers."""
    colour: str = SERIES[0]
    label: str = ""
    """A short name beside the last point of a line, in place of a legend."""
    faint: bool = False
    """One of many: thin, without a band and not in the legend."""


@dataclass(frozen=True)
class Spot:
    """One value, with numbers that are all finite."""

    value: float
    low: float | None
    high: float | None
    note: str
    at: float = 0.0


def squeezed(words: str, size: float, room: float) -> str:
    """The words, cut in the middle where they would not fit, since settings differ at the end as often as at the beginning."""
    if text_width(words, size) <= room:
        return words
    letters = max(2, int(len(words) * room / text_width(words, size)) - 1)
    return f"{words[: letters - letters // 2]}…{words[len(words) - letters // 2 :]}"


def spots_of(series: Series, words: Words, log: bool = False, rows: Sequence[str] = ()) -> list[Spot | None]:
    """The values as they are drawn; `rows` are the names of the rows that they stand in."""
    found: list[Spot | None] = []
    for i, raw in enumerate(series.values):
        value, at = known(raw), known(series.at[i]) if series.at else 0.0
        if value is None or at is None or (log and at <= 0):
            found.append(None)
            continue
        low = known(series.lows[i]) if i < len(series.lows) else None
        high = known(series.highs[i]) if i < len(series.highs) else None
        between = "" if low is None or high is None else f" ({words(low).removesuffix(' %')} to {words(high)})"
        name = ", ".join(filter(None, (rows[i] if i < len(rows) else "", series.name)))
        note = series.notes[i] if i < len(series.notes) else f"{name}: {words(value)}{between}"
        found.append(Spot(value, low, high, note, math.log10(at) if log else at))
    return found


def reach(spots: Sequence[Spot | None]) -> list[float]:
    """All numbers that an axis has to hold."""
    return [v for spot in spots if spot for v in (spot.value, spot.low, spot.high) if v is not None]


def plain(value: float) -> str:
    """A number short enough for a tick: 0.25, 1200, 35 k."""
    return tick_number(value) if abs(value) < 9999.5 else ("-" if value < 0 else "") + short_count(abs(value))


def tick_row(picture: Picture, across: Axis, y: float, words: Words) -> list[float]:
    """The numbers below an axis, no more of them than have room; gives the ticks that are shown."""
    widest = max((text_width(words(tick), SMALL) for tick in across.ticks), default=0.0) + 10
    most = max(2, min(MOST_TICKS, int(abs(across.end - across.start) / widest) + 1))
    shown = list(across.ticks[:: max(1, math.ceil(len(across.ticks) / most))])
    for tick in shown:
        half = text_width(words(tick), SMALL) / 2 + 2
        picture.text(max(half, min(WIDTH - half, across(tick))), y, words(tick), SMALL, MUTED)
    return shown


def uprights(picture: Picture, across: Axis, top: float, bottom: float, words: Words) -> None:
    """Grid lines from top to bottom with their numbers below."""
    for tick in tick_row(picture, across, bottom + 11, words):
        picture.line(across(tick), top, across(tick), bottom, GRID)


def whisker(picture: Picture, low: float, high: float, y: float, colour: str, thick: float) -> None:
    """An interval as a line from left to right with an upright stroke at either end."""
    picture.line(low, y, high, y, colour, thick)
    for end in (low, high):
        picture.line(end, y - 4, end, y + 4, colour, thick)


def flat_axis(values: list[float], start: float, end: float, log: bool, margin: float = 0.0) -> Axis:
    """The horizontal axis; it ends where the values end, with a part of its length as `margin` on either side.

    A short logarithmic one is widened until it has a tick at either end.
    """
    low, high = min(values, default=0.0), max(values, default=1.0)
    if high - low < 1e-9 * max(1.0, abs(low), abs(high)):
        low, high = (low - 0.3, high + 0.3) if log else (low - 0.5, high + 0.5)
    low, high = low - margin * (high - low), high + margin * (high - low)
    if not log:
        ticks = straight([low, high], start, end, 6).ticks
        return Axis(low, high, start, end, tuple(t for t in ticks if low - 1e-9 <= t <= high + 1e-9))
    if high - low < 0.85:
        marks = [d + math.log10(m) for d in range(math.floor(low) - 1, math.ceil(high) + 2) for m in (1, 2, 5)]
        low, high = max(m for m in marks if m <= low + 1e-9), min(m for m in marks if m >= high - 1e-9)
    return logarithmic(10**low, 10**high, start, end)


Place = tuple[float, int, Series, str]
"""Where an entry of a legend stands: from the left, in which row; and its words."""


def legend(series: Sequence[Series]) -> tuple[list[Place], int]:
    """The entries of a legend, and how many rows they take."""
    places: list[Place] = []
    x, row = 8.0, 0
    for one in series:
        words = squeezed(one.name, TEXT, WIDTH - 30)
        wide = 38 + text_width(words, TEXT)
        if x + wide - 18 > WIDTH and x > 8:
            x, row = 8.0, row + 1
        places.append((x, row, one, words))
        x += wide
    return places, row + 1 if places else 0


def draw_legend(picture: Picture, places: Sequence[Place], top: float) -> None:
    """A stroke of its colour and its name for every series."""
    for x, row, one, words in places:
        y = top + 20 * row
        picture.line(x, y, x + 12, y, one.colour, 3.4)
        picture.text(x + 19, y, words, TEXT, INK, "start")


Box = tuple[float, float, float, float]


def labels(picture: Picture, series: Sequence[Series], spots: Sequence[Sequence[Spot]], flat: Axis, upright: Axis) -> None:
    """Labels at the last points, each where it covers nothing; one that finds no such place is left out."""
    taken: list[Box] = []
    for spot in (spot for one in spots for spot in one):
        x, ends = flat(spot.at), [upright(v) for v in (spot.low, spot.high) if v is not None]
        y = upright(spot.value)
        taken += [(x - 5, y - 5, x + 5, y + 5), (x - 2, min(ends, default=y), x + 2, max(ends, default=y))]
    for one, found in zip(series, spots):
        if not one.label or not found:
            continue
        x, y, wide = flat(found[-1].at), upright(found[-1].value), 1.06 * text_width(one.label, SMALL)
        for down in (0.0, -14.0, 14.0, -28.0, 28.0):
            near = 9.0 if down == 0 else 5.0
            sides = ((near, "start", 0.0), (-near, "end", -wide))
            fits = [
                (shift, anchor, box)
                for shift, anchor, start in sides
                if _free(box := (x + shift + start, y + down - 7, x + shift + start + wide, y + down + 7), taken, flat, upright)
            ]
            if fits:
                picture.text(x + fits[0][0], y + down, one.label, SMALL, INK, fits[0][1])
                taken.append(fits[0][2])
                break


def _free(box: Box, taken: Sequence[Box], flat: Axis, upright: Axis) -> bool:
    left, top, right, bottom = box
    if left < flat.start + 2 or right > WIDTH or top < upright.end - 4 or bottom > upright.start:
        return False
    return not any(left < one[2] and one[0] < right and top < one[3] and one[1] < bottom for one in taken)
