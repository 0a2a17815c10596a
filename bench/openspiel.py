"""OpenSpiel beside ours: are the rules the same, and is a bridged game as fast as its own bot in Python?

python bench/openspiel.py alike --games 10000
python bench/openspiel.py speed
"""

import argparse
import time

import numpy as np

import playout
from playout.bench.alike import GAMES, compare
from playout.bench.rows import PLAIN
from playout.bridges.openspiel import PLAIN as PLAIN_WORD
from playout.bridges.openspiel import WORD
from playout.bridges.packages import need

BRIDGED = ("tic_tac_toe", "connect_four", "breakthrough(rows=6,columns=6)", "hex(board_size=7)", "othello", "pig")


def alike(games, seed, names):
    """Random games on both boards, game by game; the first difference ends it."""
    for spec in names or GAMES:
        began = time.perf_counter()
        found = compare(spec, games, seed)
        seconds = time.perf_counter() - began
        print(
            f"{spec}: {found.games:,} games, {found.states:,} states, {found.views:,} views, no difference ({seconds:.0f} s)",
            flush=True,
        )


def speed(simulations, repeats, names):
    """Simulations a second of plain UCT with one uniform playout, in turns, the best of each."""
    pyspiel = need("pyspiel", "open_spiel", "this")
    mcts = need("open_spiel.python.algorithms.mcts", "open_spiel", "this")
    for name in names or BRIDGED:
        theirs = pyspiel.load_game(name)
        ways = {f"{word}:": ours(f"{word}:{name}") for word in (WORD, PLAIN_WORD)}
        ways["its bot in Python"] = python_bot(mcts, theirs)
        best = dict.fromkeys(ways, 0.0)
        for _ in range(repeats):
            for way, search in ways.items():
                best[way] = max(best[way], search(simulations))
        peer = best["its bot in Python"]
        told = (f"{way} {rate:,.0f}/s ({rate / peer:.2f})" for way, rate in best.items())
        print(f"{name}: {', '.join(told)}", flush=True)


def ours(spec):
    """Our search of a bridged game, compiled before the clock runs."""
    game = playout.load(spec)
    start = game.start(1)

    def rate(simulations):
        search = playout.Search(game, PLAIN, seed=1, trees=1)
        search.choose(start, simulations=5)
        search.trees = []
        began = time.perf_counter()
        search.choose(start, simulations=simulations)
        return simulations / (time.perf_counter() - began)

    return rate


def python_bot(mcts, theirs):
    """Its own bot in Python on the same game in C++."""

    def rate(simulations):
        draws = np.random.RandomState(1)
        bot = mcts.MCTSBot(theirs, 1.4, simulations, mcts.RandomRolloutEvaluator(1, draws), solve=False, random_state=draws)
        began = time.perf_counter()
        bot.mcts_search(theirs.new_initial_state())
        return simulations / (time.perf_counter() - began)

    return rate


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("alike", "speed"))
    parser.add_argument("names", nargs="*")
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=5)
    words = parser.parse_args()
    if words.what == "alike":
        alike(words.games, words.seed, words.names)
    else:
        speed(words.simulations, words.repeats, words.names)


if __name__ == "__main__":
    main()
