"""What `pick` saves: simulations a second of each game with it and without it, the trees being the same to the last bit.

python bench/picked.py                               the games that have one, best of 9
python bench/picked.py --games hex --repeats 25

Processor time of simulations from the start, one tree without the solver, in turns so that the machine's other work meets both alike.
"""

from __future__ import annotations

import argparse

from decisive import once

from playout import Game, load
from playout.game.contract import OPTIONAL, REQUIRED

GAMES = (
    "hex",
    "hex:size=7",
    "gomoku",
    "mnk:m=7,n=7,k=5",
    "breakthrough",
    "breakthrough:rows=6,columns=6",
    "othello",
    "kalah",
    "connect-four",
)
LEFT_OUT = ("pick", "patterns")  # no search reads patterns, and they want declarations of their own


def without(game: Game) -> Game:
    """The same rules without `pick`."""
    names = {role: game.functions[role] for role in (*REQUIRED, *OPTIONAL) if game.has(role) and role not in LEFT_OUT}
    declared = {"State": game.dtype, "players": game.players, "actions": game.actions, "most_legal": game.most_legal}
    return Game(f"{game.name}-listed", returns_range=game.returns_range, **names, **declared)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=list(GAMES), metavar="GAME")
    parser.add_argument("--simulations", type=int, default=50_000)
    parser.add_argument("--repeats", type=int, default=9)
    words = parser.parse_args()
    print("| game | playouts | without | with `pick` | ratio |\n|---|---|--:|--:|--:|")
    for spec in words.games:
        game = load(spec)
        ways = (without(game), game)
        for level in ("off", "block") if game.has("safe") else ("off",):
            for way in ways:
                once(way, level, 10, 0)
            best = [float("inf")] * 2
            for seed in range(words.repeats):
                for place, way in enumerate(ways):
                    best[place] = min(best[place], once(way, level, words.simulations, seed)[0])
            rates = [words.simulations / seconds for seconds in best]
            kind = "blocking" if level == "block" else "plain"
            print(f"| {spec} | {kind} | {rates[0]:,.0f} | {rates[1]:,.0f} | {rates[1] / rates[0]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
