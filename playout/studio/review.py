"""After the game: a search of every position in the background, the course of the game as a curve, and the moves that cost most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from playout.errors import PlayoutError
from playout.game.state import State
from playout.planner.decision import Decision
from playout.planner.search import Search
from playout.planner.settings import Budget
from playout.report.boards import player_dot
from playout.report.plots import Series, lines
from playout.report.style import SERIES
from playout.studio.thinking import Allowance, Tell, Thought

SIMULATIONS = 4000
"""Simulations for each position, unless more are asked for."""
WORST = 5
"""Moves that are listed as those that cost most."""
NEVER = 0.02
"""A move that costs less than this part of what a game can bring is not listed."""


@dataclass(frozen=True)
class Point:
    """One position of the course as its search saw it, from the first player's side, and what the move played in it cost."""

    place: int
    mover: int
    played: str
    best: str
    value: float
    low: float | None
    high: float | None
    cost: float
    """By how much the move that was played looked worse than the best one, for who played it; 0 for the best."""


class Review(Thought):
    """Searches the positions of a game one after the other, each as its mover saw it."""

    def __init__(
        self,
        tell: Tell,
        allowance: Allowance,
        course: Sequence[tuple[State, Any]],
        world: Callable[[State], State],
        memory: float,
        simulations: int = SIMULATIONS,
    ) -> None:
        super().__init__("review", tell, allowance)
        self.course, self.world = course, world
        self.asked = Budget(simulations=simulations, memory=memory)
        self.points: list[Point] = []

    def think(self) -> None:
        if not self.course:
            raise PlayoutError("nothing was played yet, so there is nothing to look back at")
        search = Search(self.course[0][0].game)
        search.clock = self.clock
        for place, (state, action) in enumerate(self.course):
            if self.stopping:
                return
            before = self.clock()
            decision = search.run(self.world(state), self.asked)
            self.points.append(_point(place, state, action, decision))
            if not self.allowance.spend(self.clock() - before):
                raise PlayoutError("this tab has used up the seconds of search that one may have; what was found so far is shown")
            self.tell(self, None, False)
            self._wait(0.0)


def _point(place: int, state: State, action: Any, decision: Decision) -> Point:
    """What a search says of a position and of the move that was played in it."""
    chosen = decision.chosen
    played = next((record for record in decision.actions if record.action == action), None)
    worth = _worth(chosen, decision.mover)
    cost = 0.0
    if played is not None and played.action != chosen.action:
        cost = max(0.0, worth - _worth(played, decision.mover))
    name = state.name(action)
    # Seen from the first player, so that the curve goes one way; with more than two players its own mean is taken.
    players = state.game.players
    value, low, high = worth, chosen.low, chosen.high
    if decision.mover != 0:
        if players == 2 and _opposed(chosen):
            value, low, high = -worth, None if high is None else -high, None if chosen.low is None else -chosen.low
        elif chosen.means:
            value, low, high = chosen.means[0], None, None
    return Point(place, state.mover, name, chosen.name, value, low, high, cost)


def _opposed(record: Any) -> bool:
    return len(record.means) == 2 and abs(record.means[0] + record.means[1]) < 1e-9 * (1 + abs(record.means[0]))


def _worth(record: Any, mover: int) -> float:
    if record.proven is not None:
        return float(record.proven[mover])
    return float(record.mean or 0.0)


def curve(points: Sequence[Point], players: Sequence[str]) -> str:
    """The course of the game: what it was worth for the first player, with the band of its intervals."""
    notes = [
        f"before move {point.place + 1}: {point.value:+.3f} for {players[0]}; {players[point.mover]} played {point.played}"
        + (f" and {point.best} looked {point.cost:.3f} better" if point.cost else "")
        for point in points
    ]
    made = Series(
        name="",
        at=[float(point.place) for point in points],
        values=[point.value for point in points],
        lows=[point.low for point in points],
        highs=[point.high for point in points],
        notes=notes,
        colour=SERIES[0],
    )
    return lines(
        [made],
        title="The course of the game",
        across="actions played before",
        down=f"value for {players[0]}",
        level=0.0,
        height=150.0,
    )


def worst(points: Sequence[Point], span: float) -> list[Point]:
    """The moves that cost most, the worst first."""
    found = [point for point in points if point.cost > NEVER * span]
    return sorted(found, key=lambda point: -point.cost)[:WORST]


def worst_moves(points: Sequence[Point], span: float, players: Sequence[str]) -> str:
    """The moves that cost most, each a button that leads to its position."""
    rows = "".join(
        f'<button type="button" class="move" data-place="{point.place}"><span class="num">{point.place + 1}</span>'
        f"<span>{player_dot(point.mover)}{escape(players[point.mover])} played <b>{escape(point.played)}</b>, and "
        f"<b>{escape(point.best)}</b> looked {point.cost:.2f} better<small>what should I have played?</small></span></button>"
        for point in worst(points, span)
    )
    return rows or "<p class='quiet'>No move looks worse than another one by much.</p>"


def parts(review: Review, span: float, players: Sequence[str]) -> dict[str, str]:
    """What the page shows of a review."""
    if not review.points:
        return {"curve": "", "worst": ""}
    return {"curve": curve(review.points, players), "worst": worst_moves(review.points, span, players)}
