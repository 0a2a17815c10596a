"""Pictures of states on a page: the game's own SVG where it is sound, its text drawing elsewhere, lines as filmstrips."""

from __future__ import annotations

from html import escape

from playout.game.state import State
from playout.picture import PLAYER_COLOURS
from playout.planner.line import Line
from playout.report.clean import Cleaned, clean

FRAMES = 9
"""Boards in a filmstrip, the present one included."""


LETTER, ROW, WIDTH = 6.0, 12.0, 0.6
"""Of a drawing in letters: the size of a letter in its picture, and how wide one is of its height."""
MOST = 1.6
"""Letters of a drawing are at most so many times as high as those of the page."""
WIDE = 1.9
"""Boards at least this much wider than high get frames to match."""


def picture_of(state: State, viewer: int | None = None, clickable: bool = False) -> Cleaned | None:
    """The game's own picture of a state, cleaned; None where it has none that can be used."""
    picture = state.svg(viewer)
    cleaned = None if picture is None else clean(picture, clickable)
    return None if cleaned is None or cleaned.trouble else cleaned


def board(state: State, viewer: int | None = None, clickable: bool = False) -> str:
    """The state as a piece of HTML, for one viewer or (None) for all eyes; with `clickable`, marks are buttons for a keyboard."""
    picture = picture_of(state, viewer, clickable)
    if picture is not None:
        return f'<div class="fit" style="--ratio:{picture.ratio:.4g}">{picture.svg}</div>'
    text = text_picture(state.draw(viewer))
    columns, rows = text_size(state.draw(viewer))
    return f'<div class="fit text" style="--ratio:{columns / rows:.4g}; max-width:{MOST * columns / LETTER * WIDTH:.3g}em">{text}</div>'


def text_size(text: str) -> tuple[float, float]:
    """Width and height of a drawing in letters, the size of the picture of it."""
    lines = text.splitlines() or [""]
    return LETTER * max(1, *map(len, lines)), ROW * len(lines)


def text_picture(text: str) -> str:
    """A drawing in letters as a picture, so that it is fitted into its frame as other boards are, and never cropped.

    Every line is given its length: whatever letters a reader's machine has for `monospace`, columns stay below each other.
    """
    width, height = text_size(text)
    rows = "".join(
        f'<text x="0" y="{ROW * (at + 0.74):.5g}" textLength="{LETTER * len(line):.5g}" lengthAdjust="spacingAndGlyphs" '
        f'xml:space="preserve">{escape(line.replace(" ", chr(160)))}</text>'
        for at, line in enumerate(text.splitlines())
        if line.strip()
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.5g} {height:.5g}" role="img" aria-label="{escape(text, quote=True)}" '
        f'font-family="ui-monospace, monospace" font-size="{LETTER / WIDTH:.5g}" fill="currentColor">{rows}</svg>'
    )


def player_dot(player: int) -> str:
    """A player's colour as a dot."""
    return f'<span class="swatch" style="background:{PLAYER_COLOURS[player % len(PLAYER_COLOURS)]}"></span>'


def filmstrip(line: Line, viewer: int | None = None) -> str:
    """A line as small boards with the actions below them; a long line shows its beginning and its last state."""
    last = len(line.states) - 1
    shown = list(range(len(line.states)))
    if len(shown) > FRAMES:
        shown = [*range(FRAMES - 1), last]
    frames = []
    for before, at in zip([-1, *shown], shown):
        gap = "… " if at - before > 1 else ""
        words = "now" if at == 0 else f"{gap}{at}. {player_dot(line.states[at - 1].mover)}<b>{escape(line.names[at - 1])}</b>"
        frames.append(f'<li><div class="frame">{board(line.states[at], viewer)}</div>{words}</li>')
    kind = "film wide" if _ratio(line.states[0], viewer) > WIDE else "film"
    return f'<ol class="{kind}">{"".join(frames)}</ol>{_ending(line)}'


def _ratio(state: State, viewer: int | None) -> float:
    """Width by height of the board of a state."""
    picture = picture_of(state, viewer)
    columns, rows = text_size(state.draw(viewer))
    return columns / rows if picture is None else picture.ratio


def _ending(line: Line) -> str:
    if line.finished:
        game = line.states[0].game
        results = ", ".join(
            f"{player_dot(player)}{escape(game.player_name(player))}: <b>{value:g}</b>"
            for player, value in enumerate(line.returns)
        )
        end = f"The game ends after {_actions(len(line.actions))}. Returns: {results}."
    else:
        end = f"The tree reaches {_actions(len(line.actions))} deep along this line."
    chance = " Chance was drawn on the way: this is one possible course of many." if line.sampled else ""
    return f'<p class="note" style="margin-top:8px">{end}{chance}</p>'


def _actions(count: int) -> str:
    return f"{count} action{'s' * (count != 1)}"
