"""How many steps a second a vector of games makes, with masks and observations: the median and the best step.

python bench/vector.py connect-four --envs 256 1024 4096
"""

import argparse
import time

import numpy as np

from playout.bridges.vector import PlayoutVector


def rates(spec, count, steps, copy):
    """(median, best) steps a second, choosing the actions not counted."""
    games, draws, spent = PlayoutVector(spec, count, copy=copy), np.random.default_rng(0), []
    games.reset(seed=0)
    games.step(games.random_actions(draws))
    for _ in range(steps):
        actions = games.random_actions(draws)
        began = time.perf_counter()
        games.step(actions)
        spent.append(time.perf_counter() - began)
    return count / np.median(spent), count / min(spent)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=["connect-four"])
    parser.add_argument("--envs", type=int, nargs="*", default=[256, 1024, 4096])
    parser.add_argument("--steps", type=int, default=400)
    words = parser.parse_args()
    for spec in words.games:
        for count in words.envs:
            for copy in (True, False):
                median, best = rates(spec, count, words.steps, copy)
                how = "copied" if copy else "not copied"
                print(
                    f"{spec}, {count:,} at once, arrays {how}: {median:,.0f} steps a second (median), {best:,.0f} (best)",
                    flush=True,
                )


if __name__ == "__main__":
    main()
