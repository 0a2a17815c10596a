"""From the games to the standings: counting points, rating agents, measuring prices, and saying what to beware of."""

from __future__ import annotations

import importlib.util
import itertools
import math
from typing import Any

import msgspec
import numpy as np

from playout.arena.analytics import Histogram, analyse, histogram
from playout.arena.columns import Columns
from playout.arena.counts import mean_return, more_than_places
from playout.arena.experiment import Experiment
from playout.arena.intervals import mean_interval
from playout.arena.ratings import League, Skills, openskill_ratings, plackett_luce
from playout.arena.standings import AgentRow, CoursePoint, FaultRow, PairRow, SideRow, SoloRow, Standings
from playout.arena.words import counted
from playout.game.declared import who
from playout.intervals import CONFIDENCE, student_chance, student_quantile, wilson

COURSE_POINTS = 60


def standings(
    experiment: Experiment, columns: Columns, *, by: str | None = None, notes: tuple[str, ...] = (), file: str = ""
) -> Standings:
    """Count, rate and describe the games of an experiment; `by` says what counts, and without it the results do."""
    solo = experiment.players == 1
    graded = solo or _graded(columns)
    by = by or ("returns" if graded else "points")
    if by == "points" and graded:
        notes = (
            *notes,
            "points say who was ahead and not by how much, and the returns of this game differ in that; --by returns counts them",
        )
    league = None if solo else plackett_luce(columns.seats, columns.points, columns.round, len(experiment.agents))
    return Standings(
        game=experiment.game,
        players=experiment.players,
        player_names=experiment.player_names,
        games=len(columns) // len(experiment.agents) if solo else len(columns),
        played=len(columns),
        seed=experiment.seed,
        shape=experiment.shape,
        openings=experiment.rules.openings,
        by=by,
        scale=None if solo else "elo",
        agents=tuple(_solo_rows(experiment, columns)) if solo else tuple(_agent_rows(experiment, columns, league)),
        pairs=tuple(_solo_pairs(experiment, columns) if solo else _pairs(experiment, columns, league, by)),
        sides=() if solo else tuple(_sides(experiment, columns)),
        faults=tuple(_faults(experiment, columns)),
        course=tuple(_course(experiment, columns)),
        scores=_scores(experiment, columns) if solo and len(columns) else (),
        analytics=analyse(columns),
        notes=(*notes, *_warnings(experiment, columns, by)),
        file=file,
    )


def _graded(columns: Columns) -> bool:
    """Whether the results that were seen are more than win, draw and loss; games that were not played to their end do not tell."""
    whole = ~np.isin(columns.number, [fault.number for fault in columns.faults])
    return bool(whole.any()) and more_than_places(columns.points[whole], columns.returns[whole])


def _prices(experiment: Experiment, columns: Columns) -> list[dict[str, Any]]:
    """Per agent: decisions, seconds and simulations of each, and games lost by fault."""
    count = len(experiment.agents)
    # A game that was ended from outside has no times: no decision takes no time at all.
    decided = columns.decided & (columns.seconds > 0)
    agent = columns.agent[decided]
    decisions = np.bincount(agent, minlength=count)
    seconds = np.bincount(agent, columns.seconds[decided], count)
    simulations = np.bincount(agent, columns.simulations[decided], count)
    faults = np.bincount([fault.agent for fault in columns.faults], minlength=count)
    return [
        {
            "decisions": int(decisions[i]),
            "seconds_per_decision": float(seconds[i] / decisions[i]) if decisions[i] else None,
            "simulations_per_decision": float(simulations[i] / decisions[i]) if simulations[i] else None,
            "faults": int(faults[i]),
        }
        for i in range(count)
    ]


def _agent_rows(experiment: Experiment, columns: Columns, league: League | None) -> list[AgentRow]:
    assert league is not None
    count = len(experiment.agents)
    seats, points = columns.seats.ravel(), columns.points.ravel()
    games, total = np.bincount(seats, minlength=count), np.bincount(seats, points, count)
    skills, returns, rounds = _skills(columns, count), columns.returns.ravel(), np.repeat(columns.round, columns.players)
    rows = []
    for i, price in enumerate(_prices(experiment, columns)):
        low, high = wilson(float(total[i]), int(games[i]))
        mean, return_low, return_high = mean_return(returns[seats == i], rounds[seats == i])
        own: dict[str, Any] = {}
        if skills is not None:
            own = {"openskill": skills.ratings[i], "openskill_low": skills.low[i], "openskill_high": skills.high[i]}
        rows.append(
            AgentRow(
                agent=experiment.labels[i],
                games=int(games[i]),
                points=float(total[i] / games[i]) if games[i] else 0.0,
                low=low,
                high=high,
                points_total=float(total[i]),
                mean_return=mean,
                return_low=return_low,
                return_high=return_high,
                rating=league.ratings[i],
                rating_low=league.low[i],
                rating_high=league.high[i],
                **own,
                **price,
            )
        )
    return rows


def _skills(columns: Columns, count: int) -> Skills | None:
    """What openskill says of games with three players and more, where it is installed."""
    if columns.players < 3 or not len(columns) or importlib.util.find_spec("openskill") is None:
        return None
    return openskill_ratings(columns.seats, columns.points, count, columns.round)


def _pairs(experiment: Experiment, columns: Columns, league: League | None, by: str) -> list[PairRow]:
    """Every two agents over the games that both were in, seat against seat."""
    assert league is not None
    count = len(experiment.agents)
    tally = np.zeros((3, count, count), np.int64)
    for one in range(columns.players):
        for two in range(columns.players):
            if one == two:
                continue
            ahead = np.sign(columns.points[:, one] - columns.points[:, two]).astype(np.int64)
            np.add.at(tally, (ahead + 1, columns.seats[:, one], columns.seats[:, two]), 1)
    rows = []
    for i in range(count):
        for j in range(i + 1, count):
            lost, drawn, won = (int(tally[k, i, j]) for k in range(3))
            if not lost + drawn + won:
                continue
            apart: tuple[float | None, float | None, float | None] = league.difference(i, j) or (None, None, None)
            superiority = league.superiority(i, j)
            mine, other, rounds = met(columns, i, j)
            if by == "returns":
                apart = mean_return(mine - other, rounds)
                superiority = _by_deals(apart, len(np.unique(rounds)))
            row = _pair(experiment, (i, j), (won, drawn, lost), superiority=superiority, apart=apart)
            got = {"return_a": mean_return(mine, rounds)[0], "return_b": mean_return(other, rounds)[0]}
            rows.append(msgspec.structs.replace(row, **got))
    return rows


def met(columns: Columns, i: int, j: int) -> tuple[Any, Any, Any]:
    """Returns of two agents, seat against seat in the games that both were in, with the rounds."""
    parts = []
    for one, two in itertools.permutations(range(columns.players), 2):
        here = (columns.seats[:, one] == i) & (columns.seats[:, two] == j)
        parts.append((columns.returns[here, one], columns.returns[here, two], columns.round[here]))
    mine, other, rounds = (np.concatenate(part) for part in zip(*parts))
    return mine, other, rounds


def _by_deals(apart: tuple[float | None, float | None, float | None], deals: int) -> float | None:
    """The probability that a mean difference is above 0, by Student's t; None where no spread was seen."""
    mean, low, high = apart
    if mean is None or low is None or high is None or not high > low:
        return None
    error = (high - low) / 2 / student_quantile((1 + CONFIDENCE) / 2, deals - 1)
    return student_chance(mean / error, deals - 1)


def _pair(
    experiment: Experiment,
    agents: tuple[int, int],
    counts: tuple[int, int, int],
    superiority: float | None,
    apart: tuple[float | None, float | None, float | None],
) -> PairRow:
    won, drawn, lost = counts
    games, points = won + drawn + lost, won + drawn / 2
    low, high = wilson(points, games)
    return PairRow(
        a=experiment.labels[agents[0]],
        b=experiment.labels[agents[1]],
        games=games,
        wins_a=won,
        draws=drawn,
        wins_b=lost,
        points_a=points / games,
        low=low,
        high=high,
        superiority=superiority,
        difference=apart[0],
        difference_low=apart[1],
        difference_high=apart[2],
    )


def _sides(experiment: Experiment, columns: Columns) -> list[SideRow]:
    rows = []
    for i, label in enumerate(experiment.labels):
        for seat in range(columns.players):
            here = columns.seats[:, seat] == i
            games, points = int(here.sum()), float(columns.points[here, seat].sum())
            if games:
                name = who(seat, experiment.player_names)
                low, high = wilson(points, games)
                mean, least, most = mean_return(columns.returns[here, seat], columns.round[here])
                got = {"mean_return": mean, "return_low": least, "return_high": most}
                rows.append(
                    SideRow(agent=label, seat=seat, player=name, games=games, points=points / games, low=low, high=high, **got)
                )
    return rows


def _faults(experiment: Experiment, columns: Columns) -> list[FaultRow]:
    found: dict[tuple[int, str], list[Any]] = {}
    for fault in columns.faults:
        found.setdefault((fault.agent, fault.kind), []).append(fault)
    return [
        FaultRow(agent=experiment.labels[agent], kind=kind, games=len(faults), first=faults[0].number, error=faults[0].error)
        for (agent, kind), faults in sorted(found.items())
    ]


def _course(experiment: Experiment, columns: Columns) -> list[CoursePoint]:
    """How the shares of points settled, at about `COURSE_POINTS` moments that are further apart later."""
    count, total = len(experiment.agents), len(columns)
    if not total:
        return []
    first = max(1, min(total, 2 * experiment.schedule.per_round))
    ends = sorted({round(first * (total / first) ** (k / (COURSE_POINTS - 1))) for k in range(COURSE_POINTS)})
    sums, games = np.zeros((total, count)), np.zeros((total, count))
    for seat in range(columns.players):
        rows = np.arange(total)
        np.add.at(sums, (rows, columns.seats[:, seat]), columns.points[:, seat])
        np.add.at(games, (rows, columns.seats[:, seat]), 1)
    sums, games = sums.cumsum(axis=0), games.cumsum(axis=0)
    course = []
    for end in ends:
        got, of = sums[end - 1], games[end - 1].astype(int)
        bounds = [wilson(float(p), int(n)) for p, n in zip(got, of)]
        course.append(
            CoursePoint(
                games=end,
                points=tuple(float(p / n) if n else None for p, n in zip(got, of)),
                low=tuple(low for low, _ in bounds),
                high=tuple(high for _, high in bounds),
            )
        )
    return course


# one player


def _own_scores(experiment: Experiment, columns: Columns) -> list[dict[int, float]]:
    """Per agent: the score on each deal."""
    found: list[dict[int, float]] = [{} for _ in experiment.agents]
    for round, agent, score in zip(columns.round.tolist(), columns.seats[:, 0].tolist(), columns.returns[:, 0].tolist()):
        if math.isfinite(score):
            found[agent][round] = score
    return found


def _solo_rows(experiment: Experiment, columns: Columns) -> list[SoloRow]:
    rows = []
    for i, price in enumerate(_prices(experiment, columns)):
        here = columns.seats[:, 0] == i
        scores, games, wins = columns.returns[here, 0], int(here.sum()), int(columns.points[here, 0].sum())
        scores = scores[np.isfinite(scores)]
        low, high = wilson(wins, games)
        mean, score_low, score_high = mean_interval(scores)
        rows.append(
            SoloRow(
                agent=experiment.labels[i],
                games=games,
                wins=wins,
                win_rate=wins / games if games else 0.0,
                low=low,
                high=high,
                mean_score=mean,
                score_low=score_low,
                score_high=score_high,
                quartiles=tuple(np.quantile(scores, (0, 0.25, 0.5, 0.75, 1)).tolist()) if len(scores) else (),
                **price,
            )
        )
    return rows


def _solo_pairs(experiment: Experiment, columns: Columns) -> list[PairRow]:
    """Every two agents on the deals that both played: what is left of the difference when luck is the same."""
    scores = _own_scores(experiment, columns)
    rows = []
    for i in range(len(scores)):
        for j in range(i + 1, len(scores)):
            apart = np.array([scores[i][deal] - scores[j][deal] for deal in sorted(scores[i].keys() & scores[j].keys())])
            if not len(apart):
                continue
            counts = (int((apart > 0).sum()), int((apart == 0).sum()), int((apart < 0).sum()))
            mean, low, high = mean_interval(apart)
            rows.append(_pair(experiment, (i, j), counts, _chance_above(apart), (mean, low, high)))
    return rows


def _chance_above(values: Any) -> float | None:
    """The probability that a mean is above 0, by Student's t; None where no spread was seen."""
    error = float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return student_chance(float(values.mean()) / error, len(values) - 1) if error > 0 else None


def _scores(experiment: Experiment, columns: Columns) -> tuple[Histogram, ...]:
    scores, agents = columns.returns[:, 0], columns.seats[:, 0]
    there = np.isfinite(scores)
    if not there.any():
        return ()
    edges = histogram(scores[there]).edges
    return tuple(
        Histogram(edges=edges, counts=tuple(np.histogram(scores[there & (agents == i)], edges)[0].tolist()))
        for i in range(len(experiment.agents))
    )


# what a reader should know


def _warnings(experiment: Experiment, columns: Columns, by: str) -> list[str]:
    notes = []
    if columns.faults and experiment.players > 1 and by == "returns":
        notes.append(
            f"{counted(len(columns.faults), 'game')} lost by fault: by returns the one at fault gets the lowest return of the game's "
            "returns_range and the others the highest, or all what they had, where the game declares none"
        )
    if columns.cut:
        notes.append(
            f"{columns.cut:,} of {len(columns):,} games were cut off after {experiment.rules.most_actions:,} actions and count by "
            "their returns so far"
        )
    if experiment.players == 1 and not np.isfinite(columns.returns).all():
        lost = int((~np.isfinite(columns.returns[:, 0])).sum())
        notes.append(
            f"{counted(lost, 'deal')} lost by fault without a score, since the game declares no returns_range: the mean scores leave "
            "them out"
        )
    schedule = experiment.schedule
    if experiment.players > 1 and len(columns) % schedule.per_round:
        notes.append(
            f"{counted(len(columns), 'game')} {'is' if len(columns) == 1 else 'are'} no whole number of rounds of {schedule.per_round}, so not everybody played equally often; "
            f"{math.ceil(len(columns) / schedule.per_round) * schedule.per_round:,} would be"
        )
    if len(columns) >= 4 * schedule.per_round and _repeats(columns) > 0.5:
        notes.append(
            f"{_repeats(columns):.0%} of the games repeat another game of the same agents move by move, so there is less evidence "
            "than it seems and the intervals are too narrow; --openings 4 begins every pair of games with other moves"
        )
    return notes


def _repeats(columns: Columns) -> float:
    """The share of games that are copies of another one with the same agents in the same seats."""
    apart = len(set(zip(map(tuple, columns.seats.tolist()), columns.deal.tolist(), columns.moves)))
    return 1 - apart / len(columns)
