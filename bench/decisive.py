"""What playouts that look for wins in one cost, in units of plain ones: a simulation, and a step of a playout.

python bench/decisive.py                                   the games that list their wins, best of 7
python bench/decisive.py --games connect-four --repeats 15

Processor time of simulations from the start, one tree without the solver, in turns so that the machine's other work meets all alike.
"""

from __future__ import annotations

import argparse
import time

import playout

GAMES = ("connect-four", "breakthrough:rows=6,columns=6", "breakthrough", "mnk:m=7,n=7,k=5", "hex:size=7", "hex", "othello")
LEVELS = ("off", "win", "block")


def once(game: playout.Game, level: str, simulations: int, seed: int) -> tuple[float, int]:
    """Seconds of a search, and the steps of its playouts."""
    search = playout.Search(
        game,
        seed=seed,
        fit=False,
        trees=1,
        threads=1,
        solver=False,
        playout="uniform",
        rave=None,
        cutoff=None,
        transpositions=False,
        decisive_playouts=level,
    )
    began = time.process_time()
    search.run(game.start(0), simulations=simulations)
    return time.process_time() - began, int(search.trees[0].head("steps"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=list(GAMES), metavar="GAME")
    parser.add_argument("--simulations", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=7)
    words = parser.parse_args()
    print("| game | simulation: win | block | step: win | block | ns a plain simulation |\n|---|--:|--:|--:|--:|--:|")
    for spec in words.games:
        game, best = playout.load(spec), {}
        for level in LEVELS:
            once(game, level, 10, 0)
        for seed in range(words.repeats):
            for level in LEVELS:
                found = once(game, level, words.simulations, seed)
                best[level] = min(best.get(level, found), found)
        plain, steps = best["off"]
        whole = [best[level][0] / plain for level in LEVELS[1:]]
        step = [best[level][0] / best[level][1] * steps / plain for level in LEVELS[1:]]
        cells = " | ".join(f"{ratio:.2f}" for ratio in whole + step)
        print(f"| {spec} | {cells} | {1e9 * plain / words.simulations:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
