"""Search of continuous games: against plain Python, which fate of moved actions is best, and total derivatives at equal time.

python bench/continuous.py speed                  simulations a second, ours and those of a plain-Python search, in one run
python bench/continuous.py moved                  moved=added, decayed and fresh: median regrets over seeds 500 and up
python bench/continuous.py time                   total derivatives and widening alone, given the same seconds
python bench/continuous.py rate                   simulations a second of short and of long searches, and the bytes of their trees
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import playout
from playout import Search
from playout.truth.continuous.regret import regret

GAMES = ("loss-1d", "loss-3d", "polynomial:seed=7")
FIRST_SEED = 500
LOW, HIGH = -5.0, 5.0


# A plain search of loss-1d, as one would write it in an afternoon: UCT with c = 1 on raw payoffs, floor(2 * sqrt(N)) actions,
# mean backup, uniform actions, random playouts.


class Node:
    __slots__ = ("action", "children", "scores", "visits")

    def __init__(self, action: float) -> None:
        self.action = action
        self.children: list[Node] = []
        self.visits = 0
        self.scores = [0.0, 0.0, 0.0]


def plain_payoffs(x: float, y: float, z: float) -> tuple[float, float, float]:
    return (
        -7 * x * x + 9 * x * z + x - z,
        -2 * y * y - 4 * y * z - 10 * x * x + 2 * x * z - 3 * z * z + 4 * y + 7 * x - 8 * z - 8 * x * y * z,
        -10 * z * z - 9 * y * z + 9 * y * y - 5 * z - 2 * y,
    )


def plain_search(simulations: int, seed: int) -> Node:
    draw = random.Random(seed)
    root = Node(0.0)
    for _ in range(simulations):
        node, path = root, [root]
        actions: list[float] = []
        while len(actions) < 3:
            if len(node.children) < max(1, math.floor(2 * math.sqrt(node.visits))):
                node.children.append(Node(draw.uniform(LOW, HIGH)))
                node = node.children[-1]
                path.append(node)
                actions.append(node.action)
                break
            player, bonus = len(actions), math.log(node.visits)
            node = max(node.children, key=lambda c: c.scores[player] / c.visits + math.sqrt(bonus / c.visits))
            path.append(node)
            actions.append(node.action)
        while len(actions) < 3:
            actions.append(draw.uniform(LOW, HIGH))
        payoffs = plain_payoffs(*actions)
        for node in path:
            node.visits += 1
            for player in range(3):
                node.scores[player] += payoffs[player]
    return root


WAYS: dict[str, dict[str, Any]] = {
    "widening, as the baseline": {"method": "widening", "width": 2.0, "sampling": "uniform", "backup": "mean", "borrow": False},
    "widening, defaults": {"method": "widening"},
    "gradient, defaults": {"method": "gradient"},
}


def cpu_seconds(act: Callable[..., Any], *arguments: Any) -> float:
    began = time.process_time()
    act(*arguments)
    return time.process_time() - began


def ours(words: dict[str, Any], count: int) -> None:
    """From nothing to a decision."""
    Search("loss-1d", seed=1, **words).run(simulations=count)


def kernel_alone(words: dict[str, Any], count: int) -> float:
    """The seconds of the simulations themselves, without making the search and the decision."""
    search = Search("loss-1d", seed=1, **words)
    search.run(simulations=1)
    return cpu_seconds(search.trees[0].run, count, 10**9)


def speed(options: argparse.Namespace) -> None:
    """The same simulations by CPU seconds, the sides in turn, the best of several times of each."""
    print(
        "| simulations | search | ms | simulations/s | times plain Python | of that, simulations alone |\n|--:|---|--:|--:|--:|--:|"
    )
    for words in WAYS.values():
        ours(words, 10)
    for count in (1600, 16_000):
        plain, whole, inner = math.inf, dict.fromkeys(WAYS, math.inf), dict.fromkeys(WAYS, math.inf)
        for _ in range(options.repeats):
            plain = min(plain, cpu_seconds(plain_search, count, 1))
            for name, words in WAYS.items():
                for _ in range(3):
                    whole[name] = min(whole[name], cpu_seconds(ours, words, count))
                    inner[name] = min(inner[name], kernel_alone(words, count))
        print(f"| {count:,} | plain Python | {1000 * plain:.1f} | {count / plain:,.0f} | 1 | 1 |")
        for name, took in whole.items():
            ratios = f"{plain / took:.0f} | {plain / inner[name]:.0f}"
            print(f"| {count:,} | {name} | {1000 * took:.1f} | {count / took:,.0f} | {ratios} |", flush=True)


def median_regrets(game: str, seeds: int, budget: dict[str, Any], settings: dict[str, Any]) -> tuple[list[float], float]:
    """The median regret of every player, and of the evaluations a simulation."""
    rows, spent = [], []
    for seed in range(FIRST_SEED, FIRST_SEED + seeds):
        decision = Search(game, seed=seed, **settings).run(**budget)
        found = regret(game, decision.line(until="end", complete=True)).players
        rows.append([r for r in found if r is not None])
        spent.append((decision.evaluations or 0) / decision.simulations)
    return [statistics.median(column) for column in zip(*rows, strict=True)], statistics.median(spent)


def moved(options: argparse.Namespace) -> None:
    print(f"medians over {options.seeds} seeds from {FIRST_SEED}\n")
    print("| game | simulations | moved | regret of each player | evaluations a simulation |\n|---|--:|---|---|--:|")
    for game in options.games or GAMES:
        playout.load(game)
        for count in (200, 400, 1600):
            for way in ("added", "decayed", "fresh"):
                found, spent = median_regrets(
                    game, options.seeds, {"simulations": count}, {"method": options.method, "moved": way}
                )
                print(f"| {game} | {count:,} | {way} | {', '.join(f'{r:.2g}' for r in found)} | {spent:.1f} |", flush=True)


def equal_time(options: argparse.Namespace) -> None:
    print(f"medians over {options.seeds} seeds from {FIRST_SEED}\n")
    print("| game | seconds | method | regret of each player |\n|---|--:|---|---|")
    ways = {
        "gradient, total derivatives": {"method": "gradient", "derivative": "total"},
        "widening alone": {"method": "widening"},
    }
    for game in options.games or GAMES:
        for seconds in (0.003, 0.01, 0.03, 0.1):
            for name, words in ways.items():
                found, _ = median_regrets(game, options.seeds, {"seconds": seconds}, words)
                print(f"| {game} | {seconds:g} | {name} | {', '.join(f'{r:.2g}' for r in found)} |", flush=True)


LENGTHS = (1600, 16_000, 80_000, 320_000, 1_000_000)
LONG = ("loss-1d", "loss-3d", "polynomial:seed=7", f"{Path(__file__).with_name('family.py')}:kind=smooth")


def begin(name: str) -> playout.State:
    """Where a search begins: games of a family after the number that says which of them it is."""
    game = playout.load(name)
    return game.start().play([1.0] * game.dimension) if "family.py" in name else game.start()


def rate(options: argparse.Namespace) -> None:
    """One tree. The simulations alone, then all from nothing to a decision; of short searches the best of many, of long ones of a few."""
    print("CPU seconds of one thread, one tree, seed 1\n")
    print(
        "| game | method | simulations | simulations/s | falls by | whole searches: simulations/s | falls by | slots | bytes a slot |"
    )
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for name in options.games or LONG:
        state = begin(name)
        for method in ("widening", "gradient"):
            first: list[float] = []
            for count in options.lengths or LENGTHS:
                alone, whole = math.inf, math.inf
                for _ in range(max(1, min(20, 40_000 // count), options.repeats if count < 10**6 else 1)):
                    began = time.process_time()
                    search = Search(state.game, seed=1, method=method, trees=1)
                    search.run(state, simulations=count)
                    whole = min(whole, time.process_time() - began)
                    search = Search(state.game, seed=1, method=method, trees=1)
                    search.run(state, simulations=1)
                    alone = min(alone, cpu_seconds(search.trees[0].run, count - 1, 10**10))
                rates = [count / alone, count / whole]
                first = first or rates
                falls = [before / now for before, now in zip(first, rates, strict=True)]
                words = " | ".join(f"{r:,.0f} | {f:.1f}" for r, f in zip(rates, falls, strict=True))
                tree, shown = search.trees[0], Path(name).name
                print(f"| {shown} | {method} | {count:,} | {words} | {tree.used:,} | {tree.slot_bytes} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "moved", "time", "rate"))
    parser.add_argument("--games", nargs="*", help="other games than " + ", ".join(GAMES))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument(
        "--lengths", nargs="*", type=int, help="of the rates; other simulations than " + ", ".join(map(str, LENGTHS))
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--method", default="gradient", help="of the experiment with moved actions: gradient or local")
    options = parser.parse_args()
    {"speed": speed, "moved": moved, "time": equal_time, "rate": rate}[options.what](options)


if __name__ == "__main__":
    main()
