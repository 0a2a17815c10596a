"""Decisions as a page to keep and to show around: one HTML file with everything in it, boards, tables, charts, the tree."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

import msgspec

from playout.game.game import Game
from playout.game.load import ALIASES
from playout.planner.decision import Decision
from playout.planner.settings import USUAL_RULE, Settings
from playout.planner.why import result_words
from playout.report.axis import short_count
from playout.report.boards import board, filmstrip, player_dot
from playout.report.charts import MOST_BARS, colour_of, means_chart, trace_chart
from playout.report.icicle import Icicle, draw
from playout.report.parts import figure, header, scrolled, spent
from playout.report.shell import shell, write_page
from playout.report.style import SERIES
from playout.report.worlds import survey_section

MEANINGS = {
    "": "",
    "name": "of the action",
    "trees": "where it was best",
    "visits": "times tried",
    "score": "sum of returns",
    "mean": "score / visits: an average of simulations",
    "interval": "95 % for the mean",
    "prior": "what the evaluator liked before",
    "evaluated": "its value by itself, without search",
    "exploit": "mean on the search's scale",
    "explore": "bonus for few visits",
    "weight": "exploit + explore",
    "proven": "exact result",
}
"""A few words for each column of `Decision.columns`."""


def write_report(path: str | Path, decisions: Sequence[Decision], title: str) -> Path:
    """Write one self-contained HTML page about the decisions; it opens offline, and needs no script.

    The page reads the trees of the searches, so write it before they go on.
    """
    return write_page(path, page(decisions, title))


def page(decisions: Sequence[Decision], title: str) -> str:
    """The page as text."""
    simulations, seconds = sum(d.simulations for d in decisions), sum(d.seconds for d in decisions)
    count = f"{len(decisions)} decision{'s' * (len(decisions) != 1)}"
    head = header(
        title,
        f"{count} from {short_count(simulations)} simulations in {seconds:.3g} s, by Monte Carlo tree search.",
        _contents(decisions) if len(decisions) > 1 else "",
    )
    sections = "\n".join(_section(decision, number) for number, decision in enumerate(decisions, 1))
    return shell(title, head, sections)


def game_name(game: Game) -> str:
    """What people call the game: tic-tac-toe rather than mnk with its parameters."""
    for name, (base, preset) in ALIASES.items():
        if base == game.name and all(game.parameters.get(word) == value for word, value in preset.items()):
            return name
    return game.spec


def _short_name(game: Game) -> str:
    name = game_name(game)
    return game.name if name == game.spec else name


def _contents(decisions: Sequence[Decision]) -> str:
    cards = (
        f'<li><a href="#decision-{number}"><div class="board">{board(d.state, d.viewer)}</div><b>{escape(_short_name(d.state.game))}</b>'
        f'<span class="quiet">{player_dot(d.mover)}{escape(d.name)}</span></a></li>'
        for number, d in enumerate(decisions, 1)
    )
    return f'<ol class="contents">{"".join(cards)}</ol>'


def card(decision: Decision) -> str:
    """The decision alone, for a notebook: the tree may go on growing behind it."""
    blocks = _blocks(decision)
    if decision.proven is None:
        blocks.append(f'<p class="note">Sure: {escape(decision.sureness)}.</p>')
    if _still_there(decision):
        blocks.append(f'<p class="note">Line: {escape(str(decision.line()))}</p>')
    return f'<section class="decision">{"".join(blocks)}{_footer(decision)}</section>'


def _section(decision: Decision, number: int) -> str:
    blocks = _blocks(decision)
    if _still_there(decision):
        blocks.append(f'<div class="two block">{_trace(decision)}{_tree(decision)}</div>')
        blocks.append(
            '<div class="block"><h3>The principal variation</h3><p class="note">The most visited actions from here on: what the search '
            f"expects when everybody plays for themselves.</p>{filmstrip(decision.line(), decision.viewer)}</div>"
        )
    else:
        blocks.append(f'<div class="two block">{_trace(decision)}</div>')
        blocks.append('<p class="note">The search has gone on since this decision, so its tree and its line are not shown.</p>')
    return f'<section class="decision" id="decision-{number}">{"".join(blocks)}{_footer(decision)}</section>'


def _blocks(decision: Decision) -> list[str]:
    """What is shown of every decision: the choice, why, the board, the means, the table, the worlds behind it."""
    game = decision.state.game
    blocks = [
        f'<p class="game"><b>{escape(game_name(game))}</b> · {escape(game.title)}</p>',
        f"<h2>{player_dot(decision.mover)}{escape(headline(decision))}</h2>",
        f'<p class="why">{escape(decision.why())}</p>',
        f'<div class="two"><div class="board">{board(decision.state, decision.viewer)}</div>{_means(decision)}</div>',
        f'<div class="block"><h3>The decision</h3>{_table(decision)}</div>',
        survey_section(decision),
    ]
    for word, said in (("Auto", decision.auto), ("Note", decision.note), ("Basins", _basins(decision))):
        if said:
            blocks.insert(3, f'<p class="note">{word}: {escape(said)}.</p>')
    return blocks


def _still_there(decision: Decision) -> bool:
    """Whether the trees still begin where the decision was made."""
    return bool(decision.trees) and all(tree.root == decision.state for tree in decision.trees)


def _basins(decision: Decision) -> str:
    return "" if decision.basins is None else decision.basins.words()


def headline(decision: Decision) -> str:
    """What was chosen, and what that is known to be worth, in one sentence."""
    chosen, words = decision.chosen, f"{decision.player[0].upper()}{decision.player[1:]} plays {decision.name}"
    known = decision.proven or chosen.proven
    if known is not None:
        result = result_words(known, decision.mover)
        return f"{words}: proven {result}." if result.startswith("(") else f"{words}: a proven {result}."
    if chosen.mean is None or chosen.low is None or chosen.high is None:
        return f"{words}."
    sure = {True: ", settled", False: ", not settled", None: ""}[decision.settled]
    return f"{words}: mean return {chosen.mean:+.3f}, between {chosen.low:+.3f} and {chosen.high:+.3f}{sure}."


def _means(decision: Decision) -> str:
    rest = len(decision.actions) - MOST_BARS
    more = f" The {MOST_BARS} most visited of {len(decision.actions)} actions; the table has all." if rest > 0 else ""
    proven = " Diamonds: proven results." if any(a.proven is not None for a in decision.actions) else ""
    note = f"Bars: mean return of the simulations, not the value under best play. Whiskers: 95 % interval.{proven}{more}"
    return figure("What each action is worth", note, means_chart(decision))


def _table(decision: Decision) -> str:
    head = "".join(f"<th>{name}<small>{MEANINGS[name]}</small></th>" for name in decision.columns)
    rows = []
    for action, row in zip(decision.ranked, decision.rows()):
        dot = f'<span class="swatch" style="background:{colour_of(decision, action)}"></span>'
        mark = "▸" if row[0] else ""
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in row[2:])
        rows.append(f"<tr{' class=pick' if row[0] else ''}><td>{mark}</td><td>{dot}{escape(row[1])}</td>{cells}</tr>")
    return scrolled(f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>")


def _trace(decision: Decision) -> str:
    if not any(point.simulations for point in decision.trace):
        return ""
    thin = " Thin lines: other actions." if len(decision.actions) > len(SERIES) else ""
    note = f"Where the simulations went, and what they found, as their number grew.{thin}"
    return figure("How the search made up its mind", note, trace_chart(decision))


def _tree(decision: Decision) -> str:
    icicle = Icicle.read(decision)
    chance = " Strips at the right of a cell: the outcomes of chance." if any(cell.outcomes for cell in icicle.cells) else ""
    scale = (
        " The visits are spread so thin that the first of each group is drawn larger than its share." if icicle.enlarged else ""
    )
    note = (
        "The top of the tree: every cell is an action, as high as its share of the visits, with the replies on its right."
        f"{chance}{scale}"
    )
    return figure("What the search looked at", note, draw(icicle))


def _footer(decision: Decision) -> str:
    facts = {
        "simulations": f"{decision.simulations:,}",
        "seconds": f"{decision.seconds:.3g}",
        "simulations/s": f"{decision.simulations_per_second:,.0f}",
        "stopped by": decision.stopped,
        "nodes": f"{decision.nodes:,}",
        "memory": f"{decision.bytes / 1e6:,.3g} MB" + (" (full)" if decision.full else ""),
        "deepest": f"{decision.deepest:,} actions",
        "mean playout": f"{decision.playout_actions:.1f} actions",
        **({} if decision.worlds is None else {"worlds sampled": f"{decision.worlds:,}"}),
        "seed": str(decision.seed),
    }
    # What these are where nothing was set, unless a trial says otherwise.
    usual = msgspec.to_builtins(Settings(rule=USUAL_RULE, transpositions=False))
    chosen = [f"{word}={value}" for word, value in msgspec.to_builtins(decision.settings).items() if word != "seed"]
    changed = [
        f"{w}={v}" for w, v in msgspec.to_builtins(decision.settings).items() if usual[w] not in (v, "auto") and w != "seed"
    ]
    words = ", ".join(changed) or "all as usual"
    return spent(
        facts,
        f"<p>Settings that differ from the usual: {escape(words)}.</p>"
        f"<details><summary>All settings</summary>{escape(', '.join(chosen))}</details>",
    )
