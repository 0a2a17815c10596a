"""How long positions take to be solved: random ones of a game, by every method, one core.

python bench/positions.py connect-four 16 20                 20 positions after 16 random actions
python bench/positions.py connect-four 12 20 alpha-beta      by one method
python bench/positions.py hex:size=4 0 1                     the start of a game
"""

from __future__ import annotations

import statistics
import sys
import time

import playout
from playout.game.state import State
from playout.truth.perfect.position import METHODS

LONGEST = 300.0
"""Seconds after which a position is given up."""


def random_position(game: playout.Game, actions: int, stream: playout.Stream) -> State:
    while True:
        state = game.start()
        for _ in range(actions):
            if not state.over:
                state = state.play(state.random(stream))
        if not state.over:
            return state


def main(spec: str, actions: int, count: int, methods: tuple[str, ...]) -> None:
    game = playout.load(spec)
    stream = playout.Stream(seed=1)
    states = [random_position(game, actions, stream) for _ in range(count)]
    values: dict[str, list[list[float] | None]] = {}
    for method in methods:
        playout.solve_position(states[0], method=method, nodes=1)
        times, nodes = [], 0
        values[method] = []
        for state in states:
            began = time.process_time()
            found = playout.solve_position(state, method=method, seconds=LONGEST, every=False)
            times.append(time.process_time() - began)
            nodes += found.nodes
            values[method].append(found.value)
            if not found.complete:
                print(f"{method}: {found.sentence()}")
        print(
            f"{spec}, {count} positions after {actions} actions, {method}: median {statistics.median(times):.3g} s, max {max(times):.3g} s, "
            f"{nodes:,} positions visited, {nodes / sum(times) / 1e6:.1f} million a second, "
            f"{values[method].count(None)} not solved"
        )
    for answers in zip(*values.values()):
        if len({tuple(answer) for answer in answers if answer is not None}) > 1:
            sys.exit(f"the methods differ: {answers}")


if __name__ == "__main__":
    spec, actions, count, *methods = sys.argv[1:]
    main(spec, int(actions), int(count), tuple(methods) or METHODS)
