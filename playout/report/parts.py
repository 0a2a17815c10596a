"""The parts that pages are put together from: headers, cards, figures, facts and tables, all as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from playout.arena.intervals import known
from playout.arena.words import interval
from playout.report.marks import Words
from playout.report.plots import breakable

NOTHING = "–"
"""Where there is no number."""

Column = tuple[str, str, list[str]]
"""Head, its meaning, and a text per row."""


def header(title: str, words: str, more: str = "") -> str:
    """The top of a page; `words` and `more` are HTML already."""
    return f'<header class="top"><h1>{escape(title)}</h1><p class="quiet">{words}</p>{more}</header>'


def section(title: str, body: str, name: str = "") -> str:
    """A card of the page."""
    anchor = f' id="{name}"' if name else ""
    return f'<section class="decision part"{anchor}><h2>{escape(title)}</h2>{body}</section>'


def figure(title: str, note: str, chart: str) -> str:
    """A chart with its title and what there is to see in it; nothing where there is no chart."""
    return f'<div class="chart"><h3>{escape(title)}</h3><p class="note">{escape(note)}</p>{chart}</div>' if chart else ""


def two(*figures: str) -> str:
    """Figures side by side where there is room."""
    shown = [one for one in figures if one]
    return f'<div class="two block">{"".join(shown)}</div>' if shown else ""


def listed(body: str, title: str = "") -> str:
    """A table as a block of a card."""
    return f'<div class="block list">{f"<h3>{escape(title)}</h3>" if title else ""}{body}</div>'


def spent(facts: Mapping[str, str], more: str = "") -> str:
    """The foot of a card or a page: what was asked and what it took."""
    cells = "".join(f"<div><dt>{word}</dt><dd>{escape(value)}</dd></div>" for word, value in facts.items())
    return f'<footer class="spent"><dl>{cells}</dl>{more}</footer>'


# tables


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


def maybe(value: float | None, words: Words) -> str:
    """A number in words, where it is known."""
    found = known(value)
    return NOTHING if found is None else words(found)


def measured(value: float | None, low: float | None, high: float | None, words: Words) -> str:
    """A number in words, and below it the ends of its interval where they are known."""
    ends = interval(low, high, words)
    return f"{maybe(value, words)}\n{ends}" if ends else maybe(value, words)
