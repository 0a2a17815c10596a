"""The answer of an arena: who is better, by how much, how sure that is, and at what price. `counting` fills it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from playout.arena.analytics import Analytics, Histogram
from playout.arena.sequential import Verdict
from playout.errors import PlayoutError, suggest
from playout.frame import frame, spread


class AgentRow(msgspec.Struct, frozen=True, kw_only=True):
    """An agent among others."""

    agent: str
    games: int
    points: float
    """Share of the points, 0 to 1: a win is 1, a draw a half; of several others, the share of those beaten."""
    low: float
    high: float
    points_total: float
    mean_return: float | None = None
    """The mean of its returns, in the units of the game, with the interval over deals: a deal is played from all sides."""
    return_low: float | None = None
    return_high: float | None = None
    rating: float | None
    """Elo, mean 0 over the agents; None where games do not connect it with the others."""
    rating_low: float | None
    rating_high: float | None
    openskill: float | None = None
    """For three players and more: openskill's own rating (mu), on its own scale."""
    openskill_low: float | None = None
    openskill_high: float | None = None
    seconds_per_decision: float | None
    simulations_per_decision: float | None
    decisions: int
    faults: int


class SoloRow(msgspec.Struct, frozen=True, kw_only=True):
    """An agent in a game for one player."""

    agent: str
    games: int
    wins: int
    win_rate: float
    low: float
    high: float
    mean_score: float | None
    score_low: float | None
    score_high: float | None
    quartiles: tuple[float, ...]
    """Lowest, a quarter, the median, three quarters, highest."""
    seconds_per_decision: float | None
    simulations_per_decision: float | None
    decisions: int
    faults: int


class PairRow(msgspec.Struct, frozen=True, kw_only=True):
    """Two agents: the games (or, for one player, the deals) that both were in."""

    a: str
    b: str
    games: int
    wins_a: int
    draws: int
    wins_b: int
    points_a: float
    """Share of the points of a against b."""
    low: float
    high: float
    superiority: float | None
    """The probability that a is better than b: by ratings, given all games of the tournament; by returns, by Student's t."""
    difference: float | None
    """Rating of a minus rating of b. Where returns count, and for one player, the mean difference of their returns on the same deals."""
    difference_low: float | None
    difference_high: float | None
    return_a: float | None = None
    return_b: float | None = None
    """The mean return of each in the games that both were in."""

    def turned(self) -> PairRow:
        """The same games seen by b."""

        def less(value: float | None) -> float | None:
            return None if value is None else -value

        return PairRow(
            a=self.b,
            b=self.a,
            games=self.games,
            wins_a=self.wins_b,
            draws=self.draws,
            wins_b=self.wins_a,
            points_a=1 - self.points_a,
            low=1 - self.high,
            high=1 - self.low,
            superiority=None if self.superiority is None else 1 - self.superiority,
            difference=less(self.difference),
            difference_low=less(self.difference_high),
            difference_high=less(self.difference_low),
            return_a=self.return_b,
            return_b=self.return_a,
        )


class SideRow(msgspec.Struct, frozen=True, kw_only=True):
    """An agent in one seat."""

    agent: str
    seat: int
    player: str = ""
    """The seat in words: the name that the game gives that player, else its number."""
    games: int
    points: float
    low: float
    high: float
    mean_return: float | None = None
    return_low: float | None = None
    return_high: float | None = None


class FaultRow(msgspec.Struct, frozen=True, kw_only=True):
    """Games that an agent lost by a fault of one kind."""

    agent: str
    kind: str
    games: int
    first: int
    error: str


class CoursePoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where things stood after so many games: per agent the share of points (or wins) with its interval."""

    games: int
    points: tuple[float | None, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


class Standings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about a tournament that is printed, plotted and given as JSON."""

    game: str
    players: int
    player_names: tuple[str, ...] = ()
    """What the game calls its players; empty where it does not say."""
    games: int
    """As they are asked for: for one player the deals that every agent played."""
    played: int
    """All games in the file that count."""
    seed: int
    shape: str
    openings: int
    by: str = "points"
    """What counts, and so what agents are ranked by: "points", or "returns" where results are more than win, draw and loss."""
    scale: str | None
    """"elo"; None for one player."""
    agents: tuple[AgentRow | SoloRow, ...]
    pairs: tuple[PairRow, ...]
    sides: tuple[SideRow, ...]
    faults: tuple[FaultRow, ...]
    course: tuple[CoursePoint, ...]
    scores: tuple[Histogram, ...]
    """For one player: how the scores of each agent are spread, all over the same edges."""
    analytics: Analytics | None
    verdict: Verdict | None = None
    notes: tuple[str, ...] = ()
    file: str = ""

    @property
    def ranked(self) -> tuple[AgentRow | SoloRow, ...]:
        """The agents, the best first: by rating, or for one player by mean score. `agents` has them in the order they were given."""
        from playout.arena.words import ranking

        return tuple(self.agents[place] for place in ranking(self))

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data

    def to_json(self) -> str:
        """What `playout arena --json` prints; numbers that are not finite become null."""
        return msgspec.json.encode(self.to_dict()).decode()

    def to_frame(self, table: str = "agents") -> Any:
        """A table as a polars frame (or a pandas one): "agents", the best first, "pairs", "sides", "faults", or "course".

        The course has a row for every agent and number of games.
        """
        tables: dict[str, Any] = {
            name: lambda name=name: map(spread, getattr(self, name)) for name in ("pairs", "sides", "faults")
        }
        tables |= {"agents": lambda: map(spread, self.ranked), "course": self._course_rows}
        if table not in tables:
            raise PlayoutError(f"standings have no table {table!r}; {suggest(table, tables)}")
        return frame(tables[table]())

    def _repr_html_(self) -> str:
        from playout.report.notebook import standings_cell

        return standings_cell(self)

    def _course_rows(self) -> Iterator[dict[str, Any]]:
        for point in self.course:
            for place, row in enumerate(self.agents):
                ends = {"points": point.points[place], "low": point.low[place], "high": point.high[place]}
                yield {"games": point.games, "agent": row.agent, **ends}
