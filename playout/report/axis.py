"""Scales with round ticks, and numbers short enough to stand on them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

CHARACTER = 0.56
"""The mean width of a character in parts of the font size: SVG cannot measure text, so labels are fitted by estimate."""


@dataclass(frozen=True)
class Axis:
    """A straight scale from values to places on the picture, with its ticks."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def straight(values: list[float], start: float, end: float, about: int = 5) -> Axis:
    """An axis that holds the values, with its ends on round numbers."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    if high - low < 1e-9 * max(1.0, abs(low), abs(high)):
        low, high = low - 0.5, high + 0.5
    rough = (high - low) / about
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * m for m in (1, 2, 2.5, 5, 10) if unit * m >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return Axis(first * step, last * step, start, end, tuple(i * step for i in range(first, last + 1)))


def whole(axis: Axis) -> Axis:
    """The axis with ticks at whole numbers only."""
    return replace(axis, ticks=tuple(tick for tick in axis.ticks if abs(tick - round(tick)) < 1e-9))


def logarithmic(low: float, high: float, start: float, end: float) -> Axis:
    """An axis of log10 of the values; few decades get ticks at 2 and 5 too."""
    a, b = math.log10(low), math.log10(high)
    if b - a < 0.1:
        a, b = a - 0.3, b + 0.3
    decades = range(math.floor(a), math.ceil(b) + 1)
    marks = (1,) if b - a > 2.5 else (1, 2, 5)
    ticks = tuple(math.log10(m) + d for d in decades for m in marks if a - 1e-9 <= math.log10(m) + d <= b + 1e-9)
    return Axis(a, b, start, end, ticks)


def short_count(value: float) -> str:
    """A count in few letters: 950, 12.3 k, 4.1 M."""
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= size * 0.9995:
            return f"{value / size:.3g}{unit}"
    return f"{value:.0f}" if value >= 1 or value == 0 else f"{value:.2g}"


def short_seconds(value: float) -> str:
    """A time in the unit that fits it: 12 µs, 3.5 ms, 2 s."""
    for size, unit in ((1e-6, "µs"), (1e-3, "ms")):
        if value < 999.5 * size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.3g} s" if value < 9999.5 else f"{value:.2g} s"


def tick_number(value: float) -> str:
    """A tick's number without float dust."""
    return f"{0.0 if abs(value) < 1e-12 else value:.4g}"


def text_width(words: str, size: float) -> float:
    """About how wide words will be."""
    return len(words) * size * CHARACTER


def fitted(words: str, size: float, room: float) -> str:
    """The words, cut with an ellipsis where they would not fit; empty where not even one letter would."""
    if text_width(words, size) <= room:
        return words
    letters = int(room / (size * CHARACTER)) - 1
    return words[:letters] + "…" if letters >= 1 else ""
