"""How fast a network is in the kernel, beside torch: simulations a second of whole searches, by the processor time of one core.

python bench/embedded.py                                        the transformer of Scoundrel, two towers, a stack
python bench/embedded.py --network four.net --batches 1 8 32    one of your own

In turns, so that the machine's other work meets all alike; best of some repeats. Apart from the first, the networks have learned nothing: how
fast they are does not depend on it but for what a cut leaves at 0.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from playout import Search, load
from playout.errors import PlayoutError
from playout.learning.network import Network
from playout.learning.network.whole import whole

CARDS = Path(__file__).with_name("cards.net")
NEW = (("connect-four", "small"), ("connect-four", "medium"), ("nim", "small"))


def searches(network: Network, simulations: int, batches: list[int]) -> list[Callable[[], object]]:
    """The same search with the network in the kernel, then with torch and so many leaves at a time."""
    game, start = network.game, load(network.game.spec).start(seed=3)
    small = whole(network)
    found = [lambda: Search(game, value=small, seed=1).run(start, simulations=simulations)]
    for batch in batches:
        found.append(lambda batch=batch: Search(game, evaluator=network, seed=1, batch=batch).run(start, simulations=simulations))
    return found


def rates(turns: list[Callable[[], object]], simulations: int, repeats: int) -> list[float]:
    """Simulations a second of each."""
    for turn in turns:
        turn()
    best = [0.0] * len(turns)
    for _ in range(repeats):
        for number, turn in enumerate(turns):
            began = time.process_time()
            turn()
            best[number] = max(best[number], simulations / (time.process_time() - began))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", help="a file of playout learn, in place of all")
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 4, 12])
    parser.add_argument("--repeats", type=int, default=7)
    args = parser.parse_args()
    if min(args.simulations, args.repeats, *args.batches) < 1:
        parser.error("--simulations, --batches and --repeats are whole numbers, 1 or more")
    try:
        if args.network:
            networks = [Network.load(args.network, device="cpu")]
        else:
            networks = [Network.load(CARDS, device="cpu")]
            networks += [Network(game, size=size, seed=1, device="cpu") for game, size in NEW]
        turns = [searches(network, args.simulations, args.batches) for network in networks]
    except PlayoutError as wrong:
        parser.exit(2, f"{wrong}\n")
    print(f"{'simulations a second':<40} {'kernel':>9}" + "".join(f" {'batch ' + str(b):>9}" for b in args.batches))
    for network, mine in zip(networks, turns, strict=True):
        found = rates(mine, args.simulations, args.repeats)
        told = f"{network.game.name}, {network.shape}, {network.size}"
        print(f"{told:<40}" + "".join(f" {rate:>9,.0f}" for rate in found))


if __name__ == "__main__":
    main()
