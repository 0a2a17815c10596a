"""After the game: a search of every position in the background, the course of the game as a curve, and the moves that cost most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from playout.errors import PlayoutError
from playout.game.state import State
from playout.planner.search import Search
from playout.planner.settings import Budget
from playout.report.boards import player_dot
from playout.report.course import Moment, course_chart, moment, worst
from playout.studio.desk import Allowance
from playout.studio.thinking import Tell, Thought

SIMULATIONS = 4000
"""Simulations for each position, unless more are asked for."""
WORST = 5
"""Moves that are listed as those that cost most."""


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
        self.moments: list[Moment] = []

    def think(self) -> None:
        if not self.course:
            raise PlayoutError("nothing was played yet, so there is nothing to look back at")
        search = Search(self.course[0][0].game)
        search.clock, self.searching = self.clock, search
        for place, (state, action) in enumerate(self.course):
            if self.stopping:
                return
            before = self.clock()
            decision = search.run(self.world(state), self.asked)
            if self.stopping:  # and so it may have been cut short
                return
            self.moments.append(moment(decision, place, 0, action, state.name(action)))
            if not self.allowance.spend(self.clock() - before):
                raise PlayoutError("this tab has used up the seconds of search that one may have; what was found so far is shown")
            self.tell(self, None, False)
            self._wait(0.0)


def mistakes(moments: Sequence[Moment], players: Sequence[str]) -> str:
    """The moves that surely cost something, the worst first, each a button that leads to its position."""
    rows = "".join(
        f'<button type="button" class="move" data-place="{one.place}"><span class="num">{one.place + 1}</span>'
        f"<span>{player_dot(one.mover)}{escape(players[one.mover])} played <b>{escape(one.name)}</b>: {one.loss or 0.0:.2f} behind "
        f"<b>{escape(one.best)}</b><small>what should I have played?</small></span></button>"
        for one in worst(moments, WORST)
    )
    return rows or "<p class='quiet'>No move is surely worse than another one.</p>"


def parts(review: Review, span: tuple[float, float] | None, players: Sequence[str], here: int) -> dict[str, str]:
    """What the page shows of a review."""
    if not review.moments:
        return {"curve": "", "worst": ""}
    # Those that are still to be searched are there already, so that the picture does not jump.
    rest = [
        Moment(place=place, mover=state.mover, name=state.name(action))
        for place, (state, action) in enumerate(review.course)
        if place >= len(review.moments)
    ]
    chart = course_chart([*review.moments, *rest], player=players[0], span=span, here=here)
    return {"curve": chart, "worst": mistakes(review.moments, players)}
