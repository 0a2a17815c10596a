"""Which exploration constant and which scale should be the default? Every candidate plays the same opponent.

Sides are swapped and the first two actions are random, the same for both sides of a pair. Connect Four is left out on
purpose: it is the game that strength is reported on. Run: python bench/defaults.py --games 100 --simulations 1000
"""

from __future__ import annotations

import argparse
import math

import playout
from playout import Search, Settings, Stream

GAMES = ("mnk:m=7,n=7,k=4", "breakthrough:rows=6,columns=6", "hex:size=7", "treasure", "pig:target=50")
CANDIDATES = [
    ("range c=0.3", Settings(c=0.3, decisive_playouts="off")),
    ("range c=0.5", Settings(c=0.5, decisive_playouts="off")),
    ("range c=0.7", Settings(c=0.7, decisive_playouts="off")),
    ("range c=1.0", Settings(c=1.0, decisive_playouts="off")),
    ("range c=1.4", Settings(c=1.4, decisive_playouts="off")),
    ("raw c=0.7", Settings(c=0.7, scale="raw", decisive_playouts="off")),
    ("raw c=1.4", Settings(c=1.4, scale="raw", decisive_playouts="off")),
    ("tuned c=1.0", Settings(c=1.0, rule="ucb1-tuned", decisive_playouts="off")),
]
OPPONENT = Settings(c=0.7, decisive_playouts="off")


def opening(game: playout.Game, seed: int) -> playout.State:
    state, stream = game.start(seed), Stream(seed, 7)
    for _ in range(2):
        state = state.play(state.legal[stream.below(len(state.legal))])
    return state


def points(game: playout.Game, settings: Settings, seat: int, seed: int, simulations: int) -> float:
    """1 for a win, 1/2 for a draw (or a share of the first place) of `settings` in that seat."""
    mine = Search(game, settings, seed=seed)
    theirs = Search(game, OPPONENT, seed=seed + 1)
    state = opening(game, seed)
    while not state.over:
        search = mine if state.mover == seat else theirs
        state = state.play(search.run(state, simulations=simulations).action)
    returns = state.returns
    if game.players == 2:
        return (math.copysign(1, returns[seat]) + 1) / 2 if returns[seat] else 0.5
    return 1.0 / returns.count(max(returns)) if returns[seat] == max(returns) else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    print("| game | " + " | ".join(name for name, _ in CANDIDATES) + " |")
    print("|---|" + "---|" * len(CANDIDATES))
    for name in GAMES:
        if options.only and options.only not in name:
            continue
        game, cells = playout.load(name), []
        for _, settings in CANDIDATES:
            results = [
                points(game, settings, n % game.players, 1000 + n // game.players, options.simulations)
                for n in range(options.games)
            ]
            share = sum(results) / len(results)
            error = 1.96 * math.sqrt(max(share * (1 - share), 0.25 / len(results)) / len(results))
            cells.append(f"{100 * share:.0f} ± {100 * error:.0f} %")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
