"""Standings made by hand: what a tournament might have given, without playing one."""

import math
import random
from itertools import combinations

from playout.arena.analytics import Analytics, Histogram, Rate, Spread
from playout.arena.sequential import Verdict
from playout.arena.standings import AgentRow, CoursePoint, FaultRow, PairRow, SideRow, SoloRow, Standings
from playout.intervals import wilson


def spread(mean, low, high, least, median, most):
    return Spread(
        mean=mean, low=low, high=high, least=least, quarter=median - 1, median=median, three_quarters=median + 1, most=most
    )


def analytics(games=600, players=2, length=31, wide=5.5, seed=1):
    chance = random.Random(seed)
    lengths = [max(7, min(42, round(chance.gauss(length, 5)))) for _ in range(games)]
    edges = [x + 0.5 for x in range(min(lengths) - 1, max(lengths) + 1)]
    plies = range(max(lengths))
    solo = players == 1
    points = [games / 2 + games * 0.07 * (1 - 2 * s / max(1, players - 1)) for s in range(players)]
    return Analytics(
        games=games,
        length=spread(sum(lengths) / games, length - 0.4, length + 0.4, min(lengths), length, max(lengths)),
        lengths=Histogram(edges=tuple(edges), counts=tuple(lengths.count(round(e + 0.5)) for e in edges[:-1])),
        branching=spread(wide, None, None, 1, wide, 7),
        branching_by_ply=tuple(max(1.0, 7 - 0.004 * p * p + 0.2 * math.sin(p)) for p in plies),
        reached_by_ply=tuple(sum(n > p for n in lengths) for p in plies),
        tree_size=length * math.log10(wide),
        seats=() if solo else tuple(Rate.of(p, games) for p in points),
        first_mover=None if solo else Rate.of(points[0], games),
        draws=None if solo else Rate.of(round(games * 0.04), games),
        decisive=None if solo else Rate.of(games - round(games * 0.04), games),
        distinct=games - 3,
    )


def course(shares, games, first=6, points=60):
    chance = random.Random(7)
    ends = sorted({round(first * (games / first) ** (k / (points - 1))) for k in range(points)})
    got, each, found = [0.0] * len(shares), 0, []
    for end in ends:
        while each < max(1, 2 * end // len(shares)):
            got, each = [g + (chance.random() < s) for g, s in zip(got, shares)], each + 1
        bounds = [wilson(p, each) for p in got]
        low, high = zip(*bounds)
        found.append(CoursePoint(games=end, points=tuple(p / each for p in got), low=low, high=high))
    return tuple(found)


def expected(difference):
    return 1 / (1 + 10 ** (-difference / 400))


def versus(names, ratings, games=600, players=2, error=14.0, seconds=None, simulations=None, **more):
    """Agents with these ratings against each other, in a game where player 0 has an advantage."""
    count = len(names)
    seconds, simulations = seconds or [None] * count, simulations or [None] * count
    each = games * players // count
    shares = [
        sum(expected(ratings[i] - ratings[j]) for j in range(count) if j != i) / max(1, count - 1) if count > 1 else 0.5
        for i in range(count)
    ]
    rows, sides, pairs = [], [], []
    for i, name in enumerate(names):
        low, high = wilson(shares[i] * each, each)
        rows.append(
            AgentRow(
                agent=name,
                games=each,
                points=shares[i],
                low=low,
                high=high,
                points_total=shares[i] * each,
                rating=ratings[i],
                rating_low=ratings[i] - 1.96 * error,
                rating_high=ratings[i] + 1.96 * error,
                openskill=25 + ratings[i] / 60 if players > 2 else None,
                seconds_per_decision=seconds[i],
                simulations_per_decision=simulations[i],
                decisions=each * 15,
                faults=0,
            )
        )
        for seat in range(players):
            here, got = each // players, min(1.0, max(0.0, shares[i] + 0.06 * (1 - 2 * seat / (players - 1))))
            low, high = wilson(got * here, here)
            sides.append(SideRow(agent=name, seat=seat, games=here, points=got, low=low, high=high))
    for i, j in combinations(range(count), 2):
        pairs.append(pair(names[i], names[j], max(2, games // math.comb(count, 2)), ratings[i] - ratings[j], error))
    settled = {
        "game": "connect-four",
        "players": players,
        "games": games,
        "played": games,
        "seed": 7,
        "shape": "round-robin",
        "openings": 4,
        "scale": "elo",
        "faults": (),
        "scores": (),
        "course": course(shares, games),
        "analytics": analytics(games, players),
        "file": "results/connect-four.arena",
    }
    return Standings(agents=tuple(rows), pairs=tuple(pairs), sides=tuple(sides), **{**settled, **more})


def pair(a, b, games, apart, error):
    won = round(games * expected(apart) * 0.96)
    drawn = round(games * 0.04)
    low, high = wilson(won + drawn / 2, games)
    wide = 1.96 * 1.5 * error
    return PairRow(
        a=a,
        b=b,
        games=games,
        wins_a=won,
        draws=drawn,
        wins_b=games - won - drawn,
        points_a=(won + drawn / 2) / games,
        low=low,
        high=high,
        superiority=0.5 * (1 + math.erf(apart / (1.5 * error) / math.sqrt(2))),
        difference=apart,
        difference_low=apart - wide,
        difference_high=apart + wide,
    )


def solitaire(names, means, deals=500, **more):
    """Agents alone with a pack of cards: scores from 0 to 52, a win is 52."""
    chance = random.Random(3)
    luck = [chance.gauss(0, 9) for _ in range(deals)]
    played = [[min(52, max(0, round(mean + one + chance.gauss(0, 5)))) for one in luck] for mean in means]
    rows, pairs, edges = [], [], tuple(x - 0.5 for x in range(0, 56, 2))
    for i, scores in enumerate(played):
        wins, mean = sum(s == 52 for s in scores), sum(scores) / deals
        error = math.sqrt(sum((s - mean) ** 2 for s in scores) / deals / deals)
        low, high = wilson(wins, deals)
        ordered = sorted(scores)
        rows.append(
            SoloRow(
                agent=names[i],
                games=deals,
                wins=wins,
                win_rate=wins / deals,
                low=low,
                high=high,
                mean_score=mean,
                score_low=mean - 1.96 * error,
                score_high=mean + 1.96 * error,
                quartiles=tuple(float(ordered[round(q * (deals - 1))]) for q in (0, 0.25, 0.5, 0.75, 1)),
                seconds_per_decision=1e-5 * 20**i,
                simulations_per_decision=None if i == 0 else 10.0 * 10**i,
                decisions=deals * 80,
                faults=0,
            )
        )
    for i, j in combinations(range(len(names)), 2):
        apart = [a - b for a, b in zip(played[i], played[j])]
        mean = sum(apart) / deals
        error = math.sqrt(sum((d - mean) ** 2 for d in apart) / deals / deals)
        one = pair(names[i], names[j], deals, 0.0, 1.0)
        better, equal = sum(d > 0 for d in apart), sum(d == 0 for d in apart)
        pairs.append(
            PairRow(
                a=one.a,
                b=one.b,
                games=deals,
                wins_a=better,
                draws=equal,
                wins_b=deals - better - equal,
                points_a=(better + equal / 2) / deals,
                low=max(0.0, (better + equal / 2) / deals - 0.04),
                high=min(1.0, (better + equal / 2) / deals + 0.04),
                superiority=0.5 * (1 + math.erf(mean / error / math.sqrt(2))),
                difference=mean,
                difference_low=mean - 1.96 * error,
                difference_high=mean + 1.96 * error,
            )
        )
    counts = [[0] * (len(edges) - 1) for _ in played]
    for row, scores in zip(counts, played):
        for score in scores:
            row[score // 2] += 1
    settled = {
        "game": "klondike:draw=3",
        "players": 1,
        "games": deals,
        "played": deals * len(names),
        "seed": 11,
        "shape": "round-robin",
        "openings": 0,
        "scale": None,
        "sides": (),
        "faults": (),
        "course": course([row.win_rate for row in rows], deals * len(names), first=2 * len(names)),
        "analytics": analytics(deals, 1, length=34, wide=6.2),
        "file": "results/klondike.arena",
    }
    spreads = tuple(Histogram(edges=edges, counts=tuple(row)) for row in counts)
    return Standings(agents=tuple(rows), pairs=tuple(pairs), scores=spreads, **{**settled, **more})


def three_agents():
    return versus(
        ["random", "uct:simulations=1000", "uct:simulations=10000"],
        [-410.0, 130.0, 280.0],
        seconds=[2.1e-6, 1.2e-3, 1.15e-2],
        simulations=[None, 1000.0, 10000.0],
        verdict=Verdict(better=2, decided=((1, 0), (2, 0), (2, 1)), rounds=44, confidence=0.95, shape="round-robin"),
    )


def three_players():
    return versus(
        ["random", "greedy", "uct:simulations=500", "uct:simulations=500,rule=puct"],
        [-220.0, -35.0, 120.0, 135.0],
        players=3,
        games=960,
        seconds=[1.8e-6, 9e-6, 2.4e-3, 2.9e-3],
        simulations=[None, None, 500.0, 500.0],
        game="treasure",
    )


def patience():
    return solitaire(["random", "greedy", "uct:simulations=100", "uct:simulations=1000"], [11.0, 21.0, 30.0, 33.5])


def many(count=20, games=3800):
    names = [
        f"uct:simulations={10 ** (2 + i % 4)},c={0.3 + 0.1 * i:.1f},rule={'puct' if i % 2 else 'ucb1-tuned'},playout=<greedy & quick>"
        for i in range(count)
    ]
    middle = (count - 1) / 2
    ratings = [35.0 * (middle - i) for i in range(count)]
    seconds = [1e-4 * 10 ** (i % 4) * (1 + 0.05 * i) for i in range(count)]
    return versus(
        names, ratings, games=games, error=22.0, seconds=seconds, simulations=[10.0 ** (2 + i % 4) for i in range(count)]
    )


def faulty():
    found = versus(
        ["mine.py:Bold", "mine.py:Careful", "uct:seconds=0.1"],
        [-60.0, 25.0, 35.0],
        games=240,
        error=21.0,
        seconds=[0.02, 0.03, 0.1],
        notes=(
            "12 of 240 games were cut off after 1,000 actions and count by their returns so far",
            "61% of the games repeat another game of the same agents move by move, so there is less evidence than it seems and the "
            "intervals are too narrow; --openings 4 begins every pair of games with other moves",
        ),
    )
    faults = (
        FaultRow(
            agent="mine.py:Bold",
            kind="crash",
            games=14,
            first=17,
            error="ZeroDivisionError: division by zero in Bold.act, line 31",
        ),
        FaultRow(
            agent="mine.py:Bold", kind="illegal", games=3, first=40, error="action 9 is not legal here; legal are 0, 1, 2 and 6"
        ),
        FaultRow(agent="mine.py:Careful", kind="late", games=1, first=201, error="decided after 3.2 s, allowed are 2 s"),
    )
    lost = {"mine.py:Bold": 17, "mine.py:Careful": 1}
    import msgspec

    agents = tuple(msgspec.structs.replace(row, faults=lost.get(row.agent, 0)) for row in found.agents)
    return msgspec.structs.replace(found, faults=faults, agents=agents)


def empty(players=2, names=("a", "b")):
    """Asked for, and not played yet."""
    if players == 1:
        rows = tuple(
            SoloRow(
                agent=name,
                games=0,
                wins=0,
                win_rate=0.0,
                low=0.0,
                high=1.0,
                mean_score=None,
                score_low=None,
                score_high=None,
                quartiles=(),
                seconds_per_decision=None,
                simulations_per_decision=None,
                decisions=0,
                faults=0,
            )
            for name in names
        )
    else:
        rows = tuple(
            AgentRow(
                agent=name,
                games=0,
                points=0.0,
                low=0.0,
                high=1.0,
                points_total=0.0,
                rating=None,
                rating_low=None,
                rating_high=None,
                seconds_per_decision=None,
                simulations_per_decision=None,
                decisions=0,
                faults=0,
            )
            for name in names
        )
    return Standings(
        game="connect-four",
        players=players,
        games=0,
        played=0,
        seed=0,
        shape="round-robin",
        openings=0,
        scale=None if players == 1 else "elo",
        agents=rows,
        pairs=(),
        sides=(),
        faults=(),
        course=(),
        scores=(),
        analytics=None,
    )


SAMPLES = {
    "three-agents": three_agents,
    "three-players": three_players,
    "patience": patience,
    "many": many,
    "faulty": faulty,
    "empty": empty,
}
