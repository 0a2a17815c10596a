"""Settings against the defaults of before, at equal time: are they better, and in how many games?

python bench/matches.py                                                  auto against plain UCT, 10 ms a decision, every bundled game of two
python bench/matches.py --settings transpositions=true decisive=win --games connect-four kalah --count 100
python bench/matches.py --against auto --settings c=0.3                  against today's auto
python bench/matches.py --settings fit --fit-seconds 60                  what playout fit finds for a game, or auto where it keeps nothing
python bench/matches.py --settings seconds=0.1 --games pig liars-dice    what ten times the time is worth: a ceiling
python bench/matches.py --settings policy:eq.json --games leduc-poker    any other agent by its string

Time is processor time of this process, so that what else the machine does takes nothing from either side. Sides are swapped, each pair of
games begins with the same two random actions (where chance or hidden cards do not make games differ), and trees are kept from move to move.
Points are wins and half of the draws; where a game pays more than that, the mean return says more, over pairs of games on one deal.
`auto` is what a user gets without settings, `old` what there was before anything was chosen by a trial (commit 816dc46).
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import tempfile
import time
from dataclasses import replace
from typing import Any

import numpy as np

import playout
from playout.agents import MAKERS, Recipe, recipe
from playout.arena.referee import Referee, Rules
from playout.arena.schedule import Schedule
from playout.intervals import wilson

GAMES = (
    "breakthrough",
    "breakthrough:rows=6,columns=6",
    "connect-four",
    "hex:size=7",
    "hex",
    "kalah",
    "mnk:m=7,n=7,k=5",
    "gomoku",
    "tic-tac-toe",
    "nim:heaps=3-5-7-9",
    "othello",
    "pig",
    "knockout-whist",
    "leduc-poker",
    "liars-dice",
    "phantom-tic-tac-toe",
)
NAMES = {
    "old": "c=0.5,root_rule=ucb1,hidden=ismcts,decisive_playouts=off,playout=uniform,rave=off,cutoff=off,transpositions=false",
    "auto": "",
}


def agent(words: str, game: playout.Game, seconds: float) -> Recipe:
    """A search with these settings, whose clock is processor time; or any agent, by its string."""
    words = NAMES.get(words, words)
    if words.partition(":")[0] not in MAKERS:
        budget = "" if "seconds=" in words else f"seconds={seconds:g},"
        words = f"uct:{budget}fit=false" + (f",{words}" if words else "")
    found = recipe(words, game, fit=False)

    def make(seed: int) -> Any:
        made: Any = found.make(seed)
        if hasattr(made, "search"):
            made.search.clock = time.process_time
        return made

    return replace(found, make=make)


def fitted(spec: str, seconds: float, patience: float, seed: int) -> str:
    """What `playout fit` on one core keeps for a game and a budget, as settings; nothing is left in the user's own folder."""
    with tempfile.TemporaryDirectory() as folder:
        before, os.environ["PLAYOUT_DATA"] = os.environ.get("PLAYOUT_DATA"), folder
        try:
            found = playout.fit(spec, seconds=patience, move_seconds=seconds, workers=1, seed=seed)
        finally:
            del os.environ["PLAYOUT_DATA"]
            if before is not None:
                os.environ["PLAYOUT_DATA"] = before
    tried = f"{found.fit.options}: {found.fit.got}" if found.fit.games else "nothing looked better than auto"
    print(f"{spec:32} fit of {patience:g} s, {'kept' if found.kept else 'not kept'}: {tried}", flush=True)
    return found.fit.options.replace(" ", "") if found.kept else "auto"


def match(task: tuple[str, str, str, int, float, int]) -> dict[str, Any]:
    """One match: the share of the points that the settings got."""
    spec, words, against, count, seconds, seed = task
    game = playout.load(spec)
    recipes = [agent(words, game, seconds), agent(against, game, seconds)]
    for each in recipes:
        each.prepare()
    differs = game.hidden or game.start(0) != game.start(1) or spec.startswith("pig")
    referee = Referee(game, recipes, Rules(openings=0 if differs else 2))
    schedule = Schedule(players=2, agents=2, seed=seed)
    points, simulations, decisions = 0.0, [0, 0], [0, 0]
    got = np.zeros(-(-count // 2))
    for number in range(count):
        fixture = schedule.fixture(number)
        played = referee.play(fixture)
        if played.error:
            raise SystemExit(f"{spec}, {words}: game {number} ended by {played.ended}: {played.error}")
        points += played.points[fixture.seats.index(0)]
        got[fixture.round] += played.returns[fixture.seats.index(0)] / 2
        for mover, added in zip(played.column("movers"), played.column("simulations")):
            if added:
                simulations[fixture.seats[mover]] += int(added)
                decisions[fixture.seats[mover]] += 1
    low, high = wilson(points, count)
    rates = [total / max(1, number) for total, number in zip(simulations, decisions)]
    return {
        "game": spec,
        "settings": words,
        "against": against,
        "seconds": seconds,
        "games": count,
        "points": points / count,
        "low": low,
        "high": high,
        "mean": float(got.mean()),
        "spread": float(1.96 * got.std(ddof=1) / math.sqrt(len(got))) if len(got) > 1 else math.inf,
        "simulations": rates[0],
        "simulations_against": rates[1],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=list(GAMES), metavar="GAME")
    parser.add_argument(
        "--settings", nargs="+", default=["auto"], help="old, auto, fit, settings such as c=0.3,decisive=win, or an agent"
    )
    parser.add_argument("--against", default="old")
    parser.add_argument("--count", type=int, default=400, help="games a match")
    parser.add_argument("--seconds", type=float, nargs="+", default=[0.01])
    parser.add_argument("--fit-seconds", type=float, default=60.0, help="the time of a fit, for --settings fit")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one line of JSON a match")
    options = parser.parse_args()
    tasks = []
    for seconds in options.seconds:
        for spec in options.games:
            for words in options.settings:
                # With a seed of its own: the match is not to be on the deals that the fit saw.
                chosen = fitted(spec, seconds, options.fit_seconds, options.seed + 1000) if words == "fit" else words
                tasks.append((spec, chosen, options.against, options.count, seconds, options.seed))
    with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
        for row in pool.imap(match, tasks):
            if options.json:
                print(json.dumps(row), flush=True)
                continue
            print(
                f"{row['game']:32} {1000 * row['seconds']:4.0f} ms  {row['settings']:44} {100 * row['points']:5.1f} % "
                f"({100 * row['low']:.0f} to {100 * row['high']:.0f}) of {row['games']} against {row['against']}; "
                f"mean return {row['mean']:+.3f} ± {row['spread']:.3f}; "
                f"{row['simulations']:,.0f} and {row['simulations_against']:,.0f} simulations a decision",
                flush=True,
            )


if __name__ == "__main__":
    main()
