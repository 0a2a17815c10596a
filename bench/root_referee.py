"""Root against its referee over many random games: `python bench/root_referee.py 1000 --from 1000`.

The referee of `tests/games/root` was written from the rules page alone. Every decision of every game is looked at from both sides, about
0.2 s of one core a game; a disagreement is shown with its position, and ends with exit code 1. With `--options` the games take turns in
eight readings of the rules and smaller decks; every second eight of them are led by the game's own rule, and in every second sixteen pieces are made
scarce now and then.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import playout
from tests.games.root.trials import SPECS, play
from tests.games.root.witness import Disagreement


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", type=int, nargs="?", default=1000)
    parser.add_argument("--from", dest="first", type=int, default=1000, help="the seed of the first game")
    parser.add_argument("--led", action="store_true", help="by the game's own rule, seven actions of eight, which gets further")
    parser.add_argument(
        "--options", action="store_true", help="other readings of the rules, smaller decks and short supplies too"
    )
    asked = parser.parse_args()
    games = [playout.load(spec) for spec in (SPECS if asked.options else SPECS[:1])]
    compared, bad, began = Counter[str](), 0, time.process_time()
    for seed in range(asked.first, asked.first + asked.games):
        try:
            led, crowds = asked.led or (asked.options and seed // 8 % 2 == 1), asked.options and seed // 16 % 2 == 1
            compared += play(games[seed % len(games)], seed, led, crowds)
        except Disagreement as found:
            bad += 1
            print(found, flush=True)
    for what, count in sorted(compared.items()):
        print(f"{count:>10,}  {what}")
    seconds = time.process_time() - began
    print(
        f"{asked.games:,} {'led ' * asked.led}games from seed {asked.first}, {sum(compared.values()):,} comparisons, {bad} disagreements, {seconds:.0f} s"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
