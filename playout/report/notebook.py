"""What a notebook shows of a state, a decision, standings and a learning run: the cards of the reports, in a cell.

A cell brings its style sheet along and keeps it to itself, has no script and asks nobody for anything, and whatever a game or an agent is
called is text in it. It is light or dark as the notebook is, where that says so (Jupyter, VS Code), else as the reader's system is.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from playout.report.shell import CONTROL
from playout.report.style import AGENTS_CSS, CSS, DARK, DARK_SHADES, LIGHT, LIGHT_SHADES

if TYPE_CHECKING:
    from playout.arena.standings import Standings
    from playout.game.state import State
    from playout.learning.network.result import NetworkResult
    from playout.learning.run import Result
    from playout.planner.decision import Decision

NAMED = 12
"""So many legal actions are named below a state; the rest is counted."""


def _own(sheet: str) -> str:
    """A style sheet that holds inside of a cell alone (nested rules): what it says of the page is said of the cell."""
    return f".playout-cell {{ {sheet.replace(':root', '&').replace('body {', '& {')} }}"


def _colours(shades: str, colours: str) -> str:
    return f"{shades.removeprefix(':root {').removesuffix('}')} {colours}"


# Rows are striped by Jupyter in colours of its own, which are not those of the ink here.
SHEET = (
    _own(
        f"{CSS} & {{ border-radius: 16px; max-width: 1120px; }} section.decision {{ margin: 0; }} section + section {{ margin-top: 14px; }}"
    )
    + _own("tbody tr:nth-child(n), thead tr:nth-child(n) { background: transparent; } td, th { max-width: none; }")
    + '\nbody[data-jp-theme-light="false"] .playout-cell, body.vscode-dark .playout-cell { color-scheme: dark; '
    + f"{_colours(DARK_SHADES, DARK)} }}"
    + '\nbody[data-jp-theme-light="true"] .playout-cell, body.vscode-light .playout-cell { color-scheme: light; '
    + f"{_colours(LIGHT_SHADES, LIGHT)} }}"
)


def cell(body: str, css: str = "") -> str:
    """HTML for the output of a notebook cell around cards that are HTML already; `css` is added to the common sheet."""
    return CONTROL.sub("", f'<div class="playout-cell"><style>{SHEET}{_own(css) if css else ""}</style>{body}</div>')


def state_cell(state: State) -> str:
    """A state: its board, and whose turn it is or how it ended."""
    from playout.report.boards import board, player_dot

    if state.over:
        words = "over; returns: " + ", ".join(
            f"{state.game.player_name(player)} {value:+g}" for player, value in enumerate(state.returns)
        )
    else:
        words = f"{state.game.player_name(state.mover)} to act{_legal(state)}"
    dot = "" if state.over else player_dot(state.mover)
    return cell(
        f'<section class="decision"><p class="game"><b>{escape(state.game.spec)}</b> · {escape(state.game.title)}</p>'
        f'<div class="board" style="--tall: 320px">{board(state)}</div><p class="note">{dot}{escape(words)}</p></section>'
    )


def _legal(state: State) -> str:
    if state.game.continuous:
        return ""
    names = [state.name(action) for action in sorted(state.legal)[:NAMED]]
    more = f", ... ({len(state.legal)} in all)" if len(state.legal) > NAMED else ""
    return f": {', '.join(names)}{more}"


def state_picture(state: State) -> str | None:
    """The game's own picture, cleaned of whatever could act; None where there is none."""
    from playout.report.boards import picture_of

    picture = picture_of(state)
    return None if picture is None else picture.svg


def decision_cell(decision: Decision) -> str:
    """A decision: what was chosen and why, the board, the means, the table, and the line."""
    from playout.report.decision_page import card

    return cell(card(decision))


def standings_cell(standings: Standings) -> str:
    """A tournament: who is better and how sure that is, and everybody against everybody."""
    from playout.report.arena_page import arena_parts

    parts = arena_parts(standings)
    return cell("".join(parts[name] for name in ("standings", "against", "faults")), AGENTS_CSS)


def learning_cell(found: Result | NetworkResult) -> str:
    """A learning run: its curve, how strong it is, and how it was learned."""
    from playout.report.learning_page import learning_parts

    return cell("".join(learning_parts(found)), AGENTS_CSS)
