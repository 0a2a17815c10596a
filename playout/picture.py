"""A small builder of SVG pictures, with a palette that all bundled games share.

    picture = Picture(100, 100, "One disc")
    picture.circle(50, 50, 40, PLAYER_COLOURS[0])
    return str(picture)

Coordinates run right and down, as in SVG itself; what is added later lies on top. What is drawn inside `with picture.action(3, "to d"):`
can be clicked on, and means action 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from playout.game.clicks import ACTION, PART

PLAYER_COLOURS = ("#d1495b", "#2e6f9e", "#edae49", "#4c956c", "#8e5aa8", "#e07a3f", "#3a9d9d", "#7a6a5d")
"""One fill per player, told apart at a glance and readable on PAPER, on BOARD and under WHITE text."""

PAPER = "#faf7f2"
"""The page behind everything."""
BOARD = "#ead9b8"
"""A wooden board."""
BOARD_DARK = "#d2b98c"
"""The other squares of a chequered board, and the frame of a plain one."""
LINE = "#a58d63"
"""Grid lines on a board."""
INK = "#333333"
"""Text and outlines."""
MUTED = "#8a8478"
"""Text of less weight: coordinates, captions."""
FAINT = "#d9d2c5"
"""Outlines of what is not there, or not to be had now."""
WHITE = "#ffffff"
BLACK = "#1f1f1f"
HIGHLIGHT = "#7cb342"
"""The last move, or a winning line."""


def _number(value: float) -> str:
    """At most two decimals, no trailing zeros: pictures stay small and equal on every machine."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _clean(text: str) -> str:
    """Text without the control characters that XML forbids even when escaped."""
    return "".join(letter for letter in text if letter >= " " or letter in "\t\n\r")


def choices(
    state: Any, mover: Callable[[Any], int], legal: Callable[[Any, Any], int], most: int, viewer: int | None = None
) -> frozenset[int]:
    """The actions that a picture may mark for a viewer: the legal ones for the player to act and for all eyes, none for others.

    What another player may do can tell what it holds, so a picture of a hidden game must not mark it.
    """
    player = mover(state)
    if player < 0 or viewer not in (None, player):
        return frozenset()
    out = np.zeros(most, np.int64)
    return frozenset(out[: legal(state, out)].tolist())


def standing(player: int, winner: int, names: str) -> str:
    """How a game of two stands, in words: `player` is to act, -1 when it is over; `winner` is -1 where nobody has won."""
    if winner >= 0:
        return f"{names[winner]} has won"
    return "a draw" if player < 0 else f"{names[player]} to move"


class Picture:
    """An SVG picture under construction; `str(picture)` is the whole file."""

    def __init__(self, width: float, height: float, title: str = "", background: str | None = None) -> None:
        self.width, self.height, self.title = width, height, title
        self._parts: list[str] = []
        if background is not None:
            self.rect(0, 0, width, height, background)

    def _add(self, tag: str, numbers: dict[str, float], words: dict[str, str], stroke: str, stroke_width: float) -> None:
        parts = [f'{name}="{_number(value)}"' for name, value in numbers.items()]
        parts += [f"{name}={quoteattr(_clean(value))}" for name, value in words.items()]
        if stroke != "none":
            parts += [f"stroke={quoteattr(stroke)}", f'stroke-width="{_number(stroke_width)}"']
        self._parts.append(f"<{tag} {' '.join(parts)}/>")

    def rect(
        self, x: float, y: float, w: float, h: float, fill: str, stroke: str = "none", stroke_width: float = 1.0, rx: float = 0.0
    ) -> None:
        """A rectangle with its top left corner at (x, y); `rx` rounds the corners."""
        numbers = {"x": x, "y": y, "width": w, "height": h}
        if rx:
            numbers["rx"] = rx
        self._add("rect", numbers, {"fill": fill}, stroke, stroke_width)

    def circle(self, x: float, y: float, r: float, fill: str, stroke: str = "none", stroke_width: float = 1.0) -> None:
        """A disc around (x, y)."""
        self._add("circle", {"cx": x, "cy": y, "r": r}, {"fill": fill}, stroke, stroke_width)

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str, stroke_width: float = 1.0) -> None:
        """A straight line with round ends."""
        self._add("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2}, {"stroke-linecap": "round"}, stroke, stroke_width)

    def cross(self, x: float, y: float, r: float, stroke: str, stroke_width: float) -> None:
        """An X around (x, y) whose ends are r to the side and r up or down."""
        self.line(x - r, y - r, x + r, y + r, stroke, stroke_width)
        self.line(x - r, y + r, x + r, y - r, stroke, stroke_width)

    def stone(self, x: float, y: float, r: float, player: int, letter: str) -> None:
        """A piece in the colour of a player, with a letter for those who cannot tell the colours apart."""
        self.circle(x, y, r, PLAYER_COLOURS[player], INK, 1.0)
        self.text(x, y, letter, 1.05 * r, WHITE, bold=True)

    def polygon(
        self,
        points: Iterable[tuple[float, float]],
        fill: str,
        stroke: str = "none",
        stroke_width: float = 1.0,
        opacity: float = 1.0,
    ) -> None:
        """A closed shape through the points; `opacity` below 1 lets through what lies under it."""
        corners = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        numbers = {"fill-opacity": opacity} if opacity < 1 else {}
        self._add("polygon", numbers, {"points": corners, "fill": fill, "stroke-linejoin": "round"}, stroke, stroke_width)

    def polyline(self, points: Iterable[tuple[float, float]], stroke: str, stroke_width: float = 1.0) -> None:
        """An open course through the points, not filled."""
        corners = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._add("polyline", {}, {"points": corners, "fill": "none", "stroke-linejoin": "round"}, stroke, stroke_width)

    @contextmanager
    def _group(self, marks: str, words: str) -> Iterator[None]:
        title = f"<title>{escape(_clean(words))}</title>" if words else ""
        self._parts.append(f"<g{marks}>{title}")
        yield
        self._parts.append("</g>")

    def note(self, words: str, **data: str) -> AbstractContextManager[None]:
        """What is drawn inside `with picture.note("words"):` shows the words to whoever points at it.

        `path="1 2"` is kept as `data-path="1 2"`, for a page that asks what was pointed at.
        """
        return self._group("".join(f" data-{name}={quoteattr(_clean(value))}" for name, value in data.items()), words)

    def action(self, action: int | None, words: str = "") -> AbstractContextManager[None]:
        """What is drawn inside means that action to whoever clicks on it, and nothing where it is None; the words say what it does."""
        return nullcontext() if action is None else self._group(f' {ACTION}="{int(action)}"', words)

    def part(self, name: str | None, words: str = "") -> AbstractContextManager[None]:
        """What is drawn inside is a part with a name, which the game's `clicked` makes an action of; and nothing where it is None."""
        return nullcontext() if name is None else self._group(f" {PART}={quoteattr(_clean(name))}", words)

    def hit(self, x: float, y: float, w: float, h: float, rx: float = 0.0) -> None:
        """A place to click that covers what lies under it and cannot be seen; a page that takes clicks lights it up."""
        corner = f' rx="{_number(rx)}"' if rx else ""
        numbers = " ".join(f'{name}="{_number(v)}"' for name, v in (("x", x), ("y", y), ("width", w), ("height", h)))
        self._parts.append(f'<rect class="hit" {numbers}{corner} fill="{WHITE}" fill-opacity="0"/>')

    def button(self, x: float, y: float, w: float, h: float, words: str, action: int | None, note: str = "") -> None:
        """An action in words, for what has no place on the board; pale where it is None, and cannot be chosen."""
        with self.action(action, note or words):
            live = action is not None
            self.rect(x, y, w, h, WHITE if live else PAPER, INK if live else FAINT, 1.5, rx=6)
            self.text(
                x + w / 2,
                y + h / 2,
                words,
                min(15.0, 0.5 * h, (w - 8) / (0.62 * max(1, len(words)))),
                INK if live else MUTED,
                bold=live,
            )
            if live:
                self.hit(x, y, w, h, 6)

    def text(
        self, x: float, y: float, words: str, size: float, fill: str = "#333", anchor: str = "middle", bold: bool = False
    ) -> None:
        """Words centred vertically on y; `anchor` is "start", "middle" or "end" of the words at x."""
        # A third of the size below the middle, since renderers disagree on dominant-baseline.
        weight = ' font-weight="bold"' if bold else ""
        self._parts.append(
            f'<text x="{_number(x)}" y="{_number(y + 0.35 * size)}" font-size="{_number(size)}" '
            f'fill={quoteattr(fill)} text-anchor="{anchor}"{weight}>{escape(_clean(words))}</text>'
        )

    def __str__(self) -> str:
        width, height = _number(self.width), _number(self.height)
        title = [f"<title>{escape(_clean(self.title))}</title>"] if self.title else []
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="system-ui, Helvetica, Arial, sans-serif">'
        )
        return "\n".join([head, *title, *self._parts, "</svg>"])
