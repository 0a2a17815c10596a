"""How much a search of Pig gives away: its chance to win against a player without a fault, which value iteration knows.

python bench/pig.py                                              the defaults and those of before, 10 ms a decision
python bench/pig.py --settings auto c=1 seconds=0.1 --count 60

Against a player without a fault every decision costs what its action is worse than the best one, and the chance to win is one half less
the sum of that over a game (sides swapped). So a few dozen games tell it to half a percent, where counting wins would take thousands.
"""

from __future__ import annotations

import argparse
import math

import matches
import numpy as np
import truth_exact

import playout
from playout.arena.schedule import one_way

TARGET = 100


def given_away(words: str, seconds: float, count: int, seed: int, chances: truth_exact.Chances) -> list[float]:
    """What every game cost the search, which has each side in turn."""
    game = playout.load("pig", target=len(chances))
    found = matches.agent(words, game, seconds)
    found.prepare()
    costs = []
    for number in range(count):
        state, agent, cost = game.start(one_way(seed, number)), found.make(one_way(seed, number, 1)), 0.0
        while not state.over:
            fields = state.fields
            mine, other, turn = int(fields.banked[state.mover]), int(fields.banked[1 - state.mover]), int(fields.turn)
            action = state.legal[0]
            if len(state.legal) > 1:
                values = truth_exact.pig_values(chances, mine, other, turn)
                action = int(np.argmax(values))
                if state.mover == number % 2:
                    action = agent.act(state)
                    cost += max(values) - values[action]
            after = state.play(action)
            agent.observe_action(state, action, after)
            state = after
        costs.append(cost)
    return costs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--settings", nargs="+", default=["auto", "old"], help="as for bench/matches.py")
    parser.add_argument("--count", type=int, default=60, help="games each")
    parser.add_argument("--seconds", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chances = truth_exact.pig_chances(TARGET)
    for words in options.settings:
        costs = given_away(words, options.seconds, options.count, options.seed, chances)
        wide = 1.96 * np.std(costs, ddof=1) / math.sqrt(len(costs))
        print(
            f"{words:44} {1000 * options.seconds:4.0f} ms  wins {100 * (0.5 - np.mean(costs)):.1f} % (± {100 * wide:.1f}) against a player "
            f"without a fault, {len(costs)} games",
            flush=True,
        )


if __name__ == "__main__":
    main()
