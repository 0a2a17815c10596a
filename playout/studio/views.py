"""What a page shows of a sitting, as HTML and plain data, made for the eyes of who looks. Everything of a game is escaped or cleaned here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape, unescape
from typing import Any
from urllib.parse import quote

from playout.agents import CHEATS
from playout.errors import PlayoutError
from playout.game.clicks import next_parts
from playout.game.state import State
from playout.planner.decision import Decision
from playout.planner.why import result_words
from playout.report.axis import short_count
from playout.report.boards import board, player_dot
from playout.report.charts import colour_of, trace_chart
from playout.report.icicle import Icicle, draw
from playout.report.worlds import survey_section
from playout.studio.real import trajectory
from playout.studio.sitting import PERSON, Sitting

MOST_ROWS = 12
"""Actions in the table of a search; the rest is summed up in a line."""
MOST_LISTED = 600
"""Legal actions that the list shows; the search box finds the others by typing."""
FRAMES = 8
"""Small boards of a line."""
MARK = re.compile(r'\sdata-(action|part)="([^"]*)"')


def view(sitting: Sitting) -> dict[str, Any]:
    """Everything that the page shows beside what is thought."""
    course, state, game = sitting.course, sitting.state, sitting.game
    shown: dict[str, Any] = {
        "game": game.spec,
        "title": game.title,
        "players": [game.player_name(player) for player in range(game.players)],
        "seats": sitting.specs,
        "turn": sitting.turn,
        "hides": sitting.hides,
        "may_think": sitting.may_think,
        "open_book": sitting.open_book,
        "all_eyes": sitting.all_eyes,
        "guarded": course.guarded,
        "continuous": game.continuous,
        "hidden": game.hidden,
        "own": bool(game.file),
        "played": 0 if sitting.hides else sitting.place + len(sitting.future),
        "can_redo": bool(sitting.future),
        "holding": sitting.holding and not state.over,
    }
    if sitting.turn == "pass":
        # Not a word about the position: whoever holds the device now is not the one it is for.
        player = sitting.passing
        assert player is not None
        return shown | {
            "board": "",
            "status": f"Pass the device to {escape(game.player_name(player))}. Nothing is shown until they are there.",
            "passing": game.player_name(player),
            "actions": "",
            "moves": "",
            "can_undo": False,
        }
    return shown | {
        "board": _board(sitting),
        "status": _status(sitting),
        "passing": "",
        "actions": _actions(sitting),
        "count": 0 if game.continuous or sitting.turn != "person" else len(state.legal),
        "moves": _moves(sitting),
        "can_undo": bool(course.history),
        "box": _box(sitting),
        "link": _link(sitting),
        "results": _results(sitting) if state.over else "",
    }


# the board


def _board(sitting: Sitting) -> str:
    state = sitting.state
    names: dict[int, str] = {}
    if sitting.turn == "person" and not sitting.game.continuous:
        names = {action: state.name(action, sitting.viewer) for action in state.legal}
    after = next_parts(state, sitting.parts[-1], sitting.viewer) if sitting.parts else ()
    return clickable(board(state, sitting.viewer), names, parts=bool(names), chosen=sitting.parts, after=after)


def clickable(
    picture: str, names: dict[int, str], *, parts: bool = False, chosen: Sequence[str] = (), after: Sequence[str] = ()
) -> str:
    """The marks of a picture as buttons: those of legal actions, or parts, can be reached and say what they do; the others are plain.

    `chosen` is the part that was clicked first, and `after` are those that make an action with it.
    """

    def button(mark: re.Match[str]) -> str:
        kind, value = mark[1], mark[2]
        if kind == "part" and parts:
            pressed = "true" if unescape(value) in chosen else "false"
            follows = " data-next" if unescape(value) in after else ""
            return f' data-part="{value}" tabindex="0" role="button" aria-pressed="{pressed}"{follows}'
        if kind == "action" and value.isdecimal() and len(value) < 10 and int(value) in names:
            name = escape(names[int(value)], quote=True)
            return f' data-action="{value}" tabindex="0" role="button" aria-label="{name}"'
        return ""

    return MARK.sub(button, picture)


def _box(sitting: Sitting) -> list[list[float]]:
    """Of a continuous game: the lowest and highest values of the next action."""
    if not sitting.game.continuous or sitting.turn != "person":
        return []
    low, high = sitting.state.box
    return [list(low), list(high)]


# words


def _status(sitting: Sitting) -> str:
    state, game = sitting.state, sitting.game
    if state.over:
        return _verdict(sitting)
    who = f"{player_dot(state.mover)}<b>{escape(game.player_name(state.mover))}</b>"
    if sitting.turn == "person":
        part = " <span class='hint'>now the second click: where to?</span>" if sitting.parts else ""
        return f"{who} to act{part}"
    spec = escape(sitting.specs[state.mover])
    return f"{who} to act <span class='hint'>{spec}</span>"


def _verdict(sitting: Sitting) -> str:
    found = sitting.course.results()
    won = [player for player, (_, _, verdict, _) in enumerate(found) if verdict == "won"]
    values = (
        " to ".join(f"{value:g}" for _, value, _, _ in found) if len(found) == 2 else ", ".join(f"{v:g}" for _, v, _, _ in found)
    )
    after = "" if sitting.hides else f" after {sitting.place} action{'s' * (sitting.place != 1)}"
    if won:
        name = escape(sitting.game.player_name(won[0]))
        return f"{player_dot(won[0])}<b>{name}</b> won{after}: {values}"
    if len(found) == 1:
        return f"The game is over{after}: <b>{found[0][1]:g}</b>"
    drawn = all(verdict == "draw" for _, _, verdict, _ in found)
    return f"{'A draw' if drawn else 'The game is over'}{after}: {values}"


def _results(sitting: Sitting) -> str:
    """At the end, what everybody got."""
    peeking = sitting.course.seats.peeking
    rows = "".join(
        f"<tr><td>{player_dot(player)}{escape(name)}</td><td class='num'>{value:g}</td><td>{escape(verdict)}</td>"
        f"<td class='quiet'>{escape(agent)}{CHEATS if peeking[player] else ''}</td></tr>"
        for player, (name, value, verdict, agent) in enumerate(sitting.course.results())
    )
    return f"<table class='results'><thead><tr><th>player</th><th class='num'>return</th><th></th><th>seat</th></tr></thead><tbody>{rows}</tbody></table>"


def _actions(sitting: Sitting) -> str:
    """The legal actions in words, as buttons."""
    state = sitting.state
    if sitting.turn != "person" or sitting.game.continuous:
        return ""
    legal = sorted(state.legal)
    shown = "".join(
        f'<button type="button" class="act" data-action="{action}">{escape(state.name(action, sitting.viewer))}</button>'
        for action in legal[:MOST_LISTED]
    )
    more = f'<p class="quiet">and {len(legal) - MOST_LISTED:,} more: type the name</p>' if len(legal) > MOST_LISTED else ""
    return shown + more


def _moves(sitting: Sitting) -> str:
    """What was played, as who looks was told of it; a click jumps there."""
    course, viewer = sitting.course, sitting.viewer if sitting.hides else None
    rows = [_row(0, "the start", sitting.place == 0, "start")]
    told = course.news if not sitting.all_eyes else []
    number = 0
    for place in range(sitting.place):
        before, action = course.history[place]
        words = told[place].get(viewer) if told else f"{sitting.game.player_name(before.mover)} plays {before.name(action)}"
        if words is None:
            continue
        number += 1
        rows.append(_row(place + 1, words, place + 1 == sitting.place, str(number), before.mover if not sitting.hides else None))
    if not sitting.hides:
        state = sitting.state
        for step, action in enumerate(sitting.future):
            words = f"{sitting.game.player_name(state.mover)} plays {state.name(action)}"
            rows.append(_row(sitting.place + step + 1, words, False, str(sitting.place + step + 1), state.mover, later=True))
            state = state.after(action)
    return "".join(rows)


def _row(place: int, words: str, here: bool, number: str, mover: int | None = None, later: bool = False) -> str:
    said, _, why = words.partition("   ")
    dot = "" if mover is None else player_dot(mover)
    current = ' aria-current="true"' if here else ""
    return (
        f'<button type="button" class="move{" later" * later}" data-place="{place}"{current}><span class="num">{number}</span>'
        f"<span>{dot}{escape(said)}<small>{escape(why.strip('()'))}</small></span></button>"
    )


def _link(sitting: Sitting) -> str:
    """The part of an address that leads to this position; empty where it would tell what is hidden."""
    if not sitting.open_book:
        return ""
    way = sitting.way_here()
    moves = f"&moves={quote(way['moves'].rstrip(',') if way['moves'].count(',') > 1 else way['moves'])}" if way["moves"] else ""
    return f"/?game={quote(sitting.game.spec)}&seed={way['seed']}{moves}"


# what is thought


def thought(decision: Decision, viewer: int | None, full: bool = True, steps: str = "") -> dict[str, str]:
    """The parts of a search to show: the headline, the table, the line, the sentence; and (`full`) the charts.

    `steps` lead to the cell of the tree that its picture begins at.
    """
    parts = {
        "headline": _headline(decision),
        "table": _table(decision),
        "why": escape(decision.why()) if decision.simulations else "",
        "line": trajectory(decision) if decision.state.game.continuous else _line(decision, viewer),
        "spent": _spent(decision),
    }
    if full and not decision.state.game.continuous:
        parts["trace"] = trace_chart(decision) if len(decision.trace) > 1 else ""
        parts["worlds"] = survey_section(decision)
        parts["tree"] = tree(decision, viewer, steps)
    return parts


def tree(decision: Decision, viewer: int | None, steps: str = "") -> str:
    """The tree from one of its cells on, with the board there; a click on a cell goes on from it."""
    try:
        icicle = Icicle.read(decision, steps)
    except PlayoutError:
        icicle, steps = Icicle.read(decision), ""
    picture = draw(icicle, asked=True).replace("data-steps=", 'tabindex="0" role="button" data-steps=')
    if not steps or icicle.root is None:
        return f"<p class='quiet'>Every cell is an action, as high as its share of the visits. A click begins there.</p>{picture}"
    eyes = viewer if decision.state.game.has("observe") else None
    up = " ".join(steps.split()[:-1])
    return (
        f"<div class='here'><div class='frame'>{small(icicle.root.state, eyes)}</div><div><b>{escape(icicle.root.path)}</b>"
        f"<p><button type='button' class='act' data-steps='{escape(up)}'>one action back</button> "
        f"<button type='button' class='act' data-steps=''>from the beginning</button></p></div></div>{picture}"
    )


def _headline(decision: Decision) -> str:
    chosen = decision.chosen
    worth = "" if chosen.mean is None else f"{chosen.mean:+.3f}"
    if chosen.proven is not None:
        worth = result_words(chosen.proven, decision.mover)
    share = chosen.visits / max(1, sum(a.visits for a in decision.actions))
    return (
        f"<span class='best'>{player_dot(decision.mover)}{escape(decision.name)}</span>"
        f"<span class='worth num'>{escape(worth)}</span><span class='quiet num'>{100 * share:.0f} % of visits</span>"
    )


def _spent(decision: Decision) -> str:
    speed = short_count(decision.simulations_per_second)
    return (
        f"<span class='num'>{decision.simulations:,}</span> simulations · <span class='num'>{decision.seconds:.1f}</span> s · "
        f"<span class='num'>{speed}</span>/s · <span class='num'>{decision.nodes:,}</span> nodes"
    )


def _table(decision: Decision) -> str:
    """The best actions with bars of their visits, means with intervals, weights, and what is proven."""
    ranked = decision.ranked
    most = max(1, max(a.visits for a in ranked))
    rows = []
    for action in ranked[:MOST_ROWS]:
        picked = " class='pick'" if action.action == decision.action else ""
        known = "refuted" if action.refuted else "" if action.proven is None else result_words(action.proven, decision.mover)
        between = "" if action.low is None or action.high is None else f"{action.low:+.2f} to {action.high:+.2f}"
        rows.append(
            f"<tr{picked}><td class='name'>{escape(action.name)}</td>"
            f"<td class='num'>{action.visits:,}</td>"
            f"<td class='bar'><i style='width:{100 * action.visits / most:.1f}%;background:{colour_of(decision, action)}'></i></td>"
            f"<td class='num'>{'' if action.mean is None else f'{action.mean:+.3f}'}</td><td class='num quiet'>{between}</td>"
            f"<td class='num quiet'>{'' if action.weight is None else f'{action.weight:.3f}'}</td><td>{escape(known)}</td></tr>"
        )
    left = ranked[MOST_ROWS:]
    foot = f"<p class='quiet'>and {len(left):,} more with {sum(a.visits for a in left):,} visits together</p>" if left else ""
    heads = (
        "<th>action</th><th class='num'>visits</th><th></th><th class='num'>mean</th><th class='num'>interval</th>"
        "<th class='num'>weight</th><th>proven</th>"
    )
    return f"<table class='thought'><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>{foot}"


def _line(decision: Decision, viewer: int | None) -> str:
    """The principal line as small boards."""
    line = decision.line()
    eyes = viewer if decision.state.game.has("observe") else None
    frames = [
        f"<li tabindex='0'><div class='frame'>{plain(board(state, eyes))}</div>"
        f"<span><b>{at}</b> {player_dot(line.states[at - 1].mover)}{escape(line.names[at - 1])}</span></li>"
        for at, state in enumerate(line.states[1 : FRAMES + 1], 1)
    ]
    left = len(line.actions) - FRAMES
    more = f"<li class='quiet'>and {left} more</li>" if left > 0 else ""
    chance = "<p class='quiet'>One course of chance among many.</p>" if line.sampled else ""
    return f"<ol class='strip'>{''.join(frames)}{more}</ol>{chance}"


def plain(picture: str) -> str:
    """A picture to look at, without anything to click."""
    return MARK.sub("", picture)


def small(state: State, viewer: int | None) -> str:
    """A small board."""
    return plain(board(state, viewer))


__all__ = ["PERSON", "clickable", "plain", "small", "thought", "view"]
