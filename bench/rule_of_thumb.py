"""How often Scoundrel's rule of thumb wins, with the slips that playouts make and without: the figures of docs/hidden.md.

Run: python bench/rule_of_thumb.py --deals 100000 (about 20 s on one core). The deals are those of the seeds from --seed on.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import playout
from playout import Game
from playout.compile import bind
from playout.compile.holes import legal, mover, play, playout_action, returns, start, whole
from playout.compile.records import new_stream, pool, set_word, slack
from playout.game.stream import PICKS, seed_word
from playout.games.scoundrel import rules
from playout.games.scoundrel.rules import policy
from playout.intervals import wilson


def deal(states: Any, ids: Any, out: Any, rng: Any, own: Any) -> int:
    """One game from the start to the end by the game's own rule, which draws from a stream of its own."""
    state = states[0]
    start(state, rng)
    while mover(state) >= 0:
        play(state, playout_action(state, ids, whole(legal(state, ids)), own), rng)
    returns(state, out)
    return 0


def without_slips(state: Any, legal: Any, count: int, rng: Any) -> int:
    return policy(state, legal, count)  # type: ignore[no-any-return]


def won(game: Game, deals: int, seed: int) -> int:
    """Deals that the rule wins."""
    kernel, array = bind(game).kernel(deal), np.zeros(1, game.dtype)
    states, ids, out = pool(array, True), np.zeros(slack(game.most_legal), np.int64), np.zeros(1)
    rng, own, count = new_stream(True), new_stream(True), 0
    for number in range(seed, seed + deals):
        array.view(np.uint8)[:] = 0
        set_word(rng, seed_word(number))
        set_word(own, seed_word(number, PICKS))
        kernel(states, ids, out, rng, own)
        count += bool(out[0] > 0)
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1_000_000)
    options = parser.parse_args()
    names = {name: value for name, value in vars(rules).items() if not name.startswith("__")}
    exact = Game("scoundrel-exact", {**names, "playout_action": without_slips})
    for words, game in (("agent rule, with slips", playout.load("scoundrel")), ("without slips", exact)):
        count = won(game, options.deals, options.seed)
        low, high = (100 * end for end in wilson(count, options.deals))
        print(f"{words}: {100 * count / options.deals:.1f} % ({low:.1f} to {high:.1f}) of {options.deals:,} deals", flush=True)


if __name__ == "__main__":
    main()
