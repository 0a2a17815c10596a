"""Real-valued actions on a page: the landscape of what actions pay, the trajectory with all payoffs, and what was given away.

At the last stage the landscape is exact: the payoff of the mover for every action. Before it, what an action is worth depends on answers
that somebody has to find, so there the landscape is what a search has tried so far, point by point, and nothing is made up between them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from playout.errors import PlayoutError
from playout.game.continuous import BOX, action_words
from playout.game.state import State
from playout.picture import Picture
from playout.planner.decision import Decision
from playout.report.axis import Axis, straight, tick_number
from playout.report.boards import player_dot
from playout.report.marks import SMALL, WIDTH
from playout.report.style import GRID, INK, MUTED, SERIES, shade
from playout.studio.desk import Allowance

FINE, COARSE = 81, 25
"""Points along one dimension of a curve, and of a map."""
MOST_POINTS = 400
"""Tried actions that are drawn."""
SLICES = 4
"""Dimensions that are shown one by one, where there are more than two."""

Point = tuple[tuple[float, ...], float]
"""An action and what it is worth to its mover."""


def landscape(state: State, decision: Decision | None = None) -> str:
    """What the next action pays its mover, as far as that is known; empty where nothing is."""
    if state.over or not state.game.continuous or state.game.shape is None:
        return ""
    low, high = state.box
    last = int(state.fields.stage) == state.game.stages - 1
    tried = _tried(decision)
    who = f"payoff of {state.game.player_name(state.mover)}"
    if len(low) == 1:
        exact = _along(state, 0, [(a + b) / 2 for a, b in zip(low, high)]) if last else []
        return _curve(exact, tried, 0, (low[0], high[0]), who) if exact or tried else ""
    if len(low) == 2 and state.game.shape.kind == BOX:
        exact = _grid(state) if last else []
        return _map(exact, tried, low, high, who) if exact or tried else ""
    centre = list(decision.action) if decision is not None else [(a + b) / 2 for a, b in zip(low, high)]
    charts = [
        _curve(
            _along(state, axis, centre) if last and state.game.shape.kind == BOX else [],
            tried,
            axis,
            (low[axis], high[axis]),
            who,
            centre,
        )
        for axis in range(min(SLICES, len(low)))
    ]
    return "".join(charts) if tried or last else ""


def _tried(decision: Decision | None) -> list[Point]:
    """The actions that a search has tried, those with most visits."""
    if decision is None:
        return []
    known = [record for record in decision.ranked[:MOST_POINTS] if record.mean is not None]
    return [(tuple(record.action), float(record.mean or 0.0)) for record in known]


def _along(state: State, axis: int, centre: Sequence[float]) -> list[Point]:
    """Exact payoffs of the last action along one axis through a point."""
    low, high = state.box
    found: list[Point] = []
    for step in range(FINE):
        action = list(centre)
        action[axis] = low[axis] + step / (FINE - 1) * (high[axis] - low[axis])
        found.append((tuple(action), state.play(tuple(action)).returns[state.mover]))
    return found


def _grid(state: State) -> list[Point]:
    """Exact payoffs of the last action all over a box of two dimensions, at the middle of every cell."""
    (a, b), (c, d) = state.box
    found: list[Point] = []
    for row in range(COARSE):
        for column in range(COARSE):
            action = (a + (column + 0.5) / COARSE * (c - a), b + (row + 0.5) / COARSE * (d - b))
            found.append((action, state.play(action).returns[state.mover]))
    return found


def _curve(
    exact: Sequence[Point],
    tried: Sequence[Point],
    axis: int,
    span: tuple[float, float],
    who: str,
    centre: Sequence[float] | None = None,
) -> str:
    """One dimension: a line where payoffs are exact, dots where actions were tried; a click anywhere takes that value."""
    picture = Picture(WIDTH, 190, f"Landscape: {who}")
    values = [value for _, value in (*exact, *tried)]
    upright = straight(values, 150, 20, 4)
    left = 56.0
    flat = Axis(span[0], span[1], left, WIDTH - 14, straight(list(span), left, WIDTH - 14, 6).ticks)
    for tick in upright.ticks:
        picture.line(left, upright(tick), flat.end, upright(tick), GRID)
        picture.text(left - 7, upright(tick), tick_number(tick), SMALL, MUTED, "end")
    for tick in flat.ticks:
        if span[0] <= tick <= span[1]:
            picture.text(flat(tick), 162, tick_number(tick), SMALL, MUTED)
    picture.text(left, 9, who, SMALL, MUTED, "start")
    picture.text((left + flat.end) / 2, 180, f"component {axis + 1} of the action", SMALL, MUTED)
    if exact:
        picture.polyline([(flat(action[axis]), upright(value)) for action, value in exact], SERIES[0], 2.4)
    for action, value in reversed(tried):
        with picture.note(f"{action_words(action)}: {value:.5g}"):
            picture.circle(flat(action[axis]), upright(value), 3, SERIES[1])
    strips = [span[0] + (step + 0.5) / 100 * (span[1] - span[0]) for step in range(100)]
    wide = (flat.end - left) / 100
    cells = "".join(
        f'<rect data-vector="{axis}:{value:.6g}" x="{flat(value) - wide / 2:.2f}" y="20" width="{wide:.2f}" height="130" fill="transparent"/>'
        for value in strips
    )
    return _with(str(picture), cells)


def _map(exact: Sequence[Point], tried: Sequence[Point], low: Sequence[float], high: Sequence[float], who: str) -> str:
    """Two dimensions: a heat map where payoffs are exact, dots where actions were tried; a click takes that point."""
    picture = Picture(WIDTH, WIDTH - 20, f"Landscape: {who}")
    flat, upright = Axis(low[0], high[0], 50, WIDTH - 30, ()), Axis(low[1], high[1], WIDTH - 70, 24, ())
    values = [value for _, value in (*exact, *tried)]
    middle, spread = (max(values) + min(values)) / 2, (max(values) - min(values)) / 2 or 1.0
    wide, tall = (flat.end - flat.start) / COARSE, (upright.start - upright.end) / COARSE
    picture.text(flat.start, 11, f"{who}: {min(values):.4g} (orange) to {max(values):.4g} (blue)", SMALL, MUTED, "start")
    for action, value in exact:
        with picture.note(f"{action_words(action)}: {value:.5g}"):
            picture.rect(
                flat(action[0]) - wide / 2,
                upright(action[1]) - tall / 2,
                wide + 0.4,
                tall + 0.4,
                shade((value - middle) / spread)[0],
            )
    for action, value in reversed(tried):
        with picture.note(f"{action_words(action)}: {value:.5g}"):
            picture.circle(flat(action[0]), upright(action[1]), 4, shade((value - middle) / spread)[0], INK, 0.6)
    for at, axis in ((0, flat), (1, upright)):
        for end in (low[at], high[at]):
            x, y = (axis(end), WIDTH - 56.0) if at == 0 else (40.0, axis(end))
            picture.text(x, y, tick_number(end), SMALL, MUTED, "middle" if at == 0 else "end")
    cells = "".join(
        f'<rect data-vector="0:{low[0] + (c + 0.5) / COARSE * (high[0] - low[0]):.6g},1:{low[1] + (r + 0.5) / COARSE * (high[1] - low[1]):.6g}" '
        f'x="{flat.start + c * wide:.2f}" y="{upright.start - (r + 1) * tall:.2f}" width="{wide:.2f}" height="{tall:.2f}" fill="transparent"/>'
        for r in range(COARSE)
        for c in range(COARSE)
    )
    return _with(str(picture), cells)


def _with(picture: str, cells: str) -> str:
    """The picture with places to click on top."""
    return picture.replace("</svg>", f"{cells}</svg>")


def trajectory(decision: Decision) -> str:
    """The line that a search expects, with what everybody gets at its end."""
    line = decision.line()
    rows = "".join(
        f"<tr><td class='num'>{int(state.fields.stage)}</td><td>{_who(state)}</td><td class='num'>{escape(name)}</td></tr>"
        for state, name in zip(line.states, line.names)
    )
    payoffs = ""
    if line.finished:
        game = decision.state.game
        paid = ", ".join(f"{escape(game.player_name(player))} {value:.5g}" for player, value in enumerate(line.returns))
        payoffs = f"<p class='quiet'>payoffs: <span class='num'>{paid}</span></p>"
    head = "<tr><th class='num'>stage</th><th>player</th><th class='num'>action</th></tr>"
    return f"<table class='plain'><thead>{head}</thead><tbody>{rows}</tbody></table>{payoffs}"


def _who(state: State) -> str:
    return f"{player_dot(state.mover)}{escape(state.game.player_name(state.mover))}" if state.mover >= 0 else "chance"


class Regrets(threading.Thread):
    """What everybody gave away in a game that was played, measured against the reference in the background."""

    def __init__(self, start: State, actions: Sequence[Any], tell: Callable[[str], Any], allowance: Allowance) -> None:
        super().__init__(name="playout studio regret", daemon=True)
        self.start_state, self.actions, self.tell, self.allowance = start, actions, tell, allowance

    def run(self) -> None:
        from playout.truth import regret

        try:
            found = regret(self.start_state, list(self.actions))
        except PlayoutError as error:
            self.tell(f"<p class='quiet'>What was given away is not known: {escape(str(error))}</p>")
            return
        game = self.start_state.game
        rows = "".join(
            f"<tr><td class='num'>{row.stage}</td><td>{player_dot(row.player)}{escape(game.player_name(row.player))}</td>"
            f"<td class='num'>{escape(action_words(row.action))}</td>"
            f"<td class='num'>{'' if row.best is None else escape(action_words(row.best))}</td><td class='num'>{max(0.0, row.regret):.3g}</td></tr>"
            for row in found.stages
        )
        head = "<tr><th class='num'>stage</th><th>player</th><th class='num'>played</th><th class='num'>best</th><th class='num'>regret</th></tr>"
        self.tell(
            f"<table class='plain'><thead>{head}</thead><tbody>{rows}</tbody></table>"
            f"<p class='quiet'>against the {escape(found.source)}, error about {found.error:.1g}</p>"
        )
