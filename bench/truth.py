"""How often a search decides rightly: positions whose actions are all solved, and the share of decisions that keep the value.

python bench/truth.py make                                     make the sets in bench/truth/ (some minutes)
python bench/truth.py                                          accuracy by game, budget and setting, on the half that is for reporting
python bench/truth.py --half choose --games kalah --simulations 1000 10000 --settings c=0.5 c=0.5,decisive_playouts=off
python bench/truth.py --seconds 0.01 0.1                       at equal time instead
python bench/truth.py --network four.net --simulations 0 200   a network on all solved positions of its game; 0 is its policy alone

Half of the positions come from random play, half from games of a weak search after some random actions. Every other one is kept for
reporting and never used to choose anything. A position where all actions are equally good tells nothing and is left out.

Positions of two players without chance are solved by playout solve; the others by what `truth_exact.py` beside this file has: Pig by value
iteration, three players by backward induction. Of a long game nothing is known: a decision counts there if it is the one that long
searches with different seeds agree on, which says that more time would not change it, and not that it is right.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import truth_exact

import playout
from playout.intervals import wilson

FOLDER = Path(__file__).parent / "truth"
Judge = Callable[[playout.State, int], dict[str, float] | None]
"""What every action of a state is worth to its mover, or None where nobody knows; the number of the state seeds what is random."""
SETS = {
    # actions played before, from and to; positions wanted
    "connect-four": (14, 26, 120),
    "mnk:m=4,n=4,k=3": (1, 7, 60),
    "mnk:m=5,n=4,k=4": (3, 10, 60),
    "breakthrough:rows=5,columns=4": (6, 16, 80),
    "hex:size=4": (0, 8, 60),
    "hex:size=5": (6, 14, 60),
    "kalah:houses=4,seeds=3": (2, 14, 80),
    "kalah:houses=5,seeds=3": (8, 24, 60),
    "kalah": (24, 38, 60),
    "kalah:houses=4,seeds=5": (10, 24, 40),
    "kalah:houses=4,seeds=6": (12, 28, 40),
    "othello": (46, 54, 60),
    "othello:size=6": (18, 26, 40),
    "nim:heaps=3-5-7-9": (0, 6, 40),
    "breakthrough:rows=5,columns=5": (12, 22, 40),
    "breakthrough:rows=6,columns=5": (18, 30, 40),
}
TREASURE = "treasure:coins=53-97-8-61-74-29-90-17-45-83-36-68-11-99-57-24"
INDUCED = {TREASURE: (1, 9, 40)}
"""The same for games of more than two."""
AGREED = {"othello": (8, 30, 30)}
"""The same for long games, and for positions that long searches agree on."""
PIG, PIG_POSITIONS = "pig", 60
SEED, WEAK, PATIENCE = 20_261_116, 100, 10.0
"""The seed of all positions; simulations of the weak search that plays to half of them; seconds that one may take to be solved."""


def position(game: playout.Game, first: int, last: int, number: int) -> list[int]:
    """The actions that lead to a position, at random or, if its number is odd, mostly by a weak search."""
    stream = playout.Stream(SEED + number)
    actions = first + stream.below(last - first + 1)
    at_random = actions if number % 2 == 0 else actions // 3
    state, moves = game.start(), []
    while len(moves) < actions and not state.over:
        if len(moves) < at_random:
            moves.append(int(state.random(stream)))
        else:
            moves.append(int(playout.Search(game, seed=SEED + number, fit=False).choose(state, simulations=WEAK).action))
        state = state.play(moves[-1])
    return moves


def after(game: playout.Game, each: dict[str, Any]) -> playout.State:
    """The state of an entry: by its moves or, where chance has a say, by its fields."""
    state = game.start() if "moves" in each else game.state(each["state"])
    for action in each.get("moves", ()):
        state = state.play(action)
    return state


def solved(state: playout.State, number: int) -> dict[str, float] | None:
    """What every action is worth to the mover, by playout solve; None where that takes too long."""
    found = playout.solve_position(state, seconds=PATIENCE)
    values = {str(action.action): action.value for action in found.actions}
    return None if None in values.values() else {name: float(value) for name, value in values.items() if value is not None}


def make(spec: str, span: tuple[int, int, int], judge: Judge, kind: str) -> None:
    """Write the set of a game, as many positions as are wanted, each with what its actions are worth to the mover."""
    game, (first, last, wanted) = playout.load(spec), span
    found: list[dict[str, Any]] = []
    seen: set[bytes] = set()
    number = given_up = 0
    while len(found) < wanted and number < 40 * wanted:
        moves = position(game, first, last, number)
        state = after(game, {"moves": moves})
        number += 1
        if state.over or len(state.legal) < 2 or bytes(state) in seen:
            continue
        seen.add(bytes(state))
        values = judge(state, number)
        if values is None:
            given_up += 1
        elif len(set(values.values())) > 1:
            found.append({"moves": moves, "values": values})
    write(spec, kind, found, given_up)
    print(f"{spec}: {len(found)} positions out of {number}, {given_up} left open", flush=True)


def write(spec: str, kind: str, found: list[dict[str, Any]], given_up: int) -> None:
    FOLDER.mkdir(exist_ok=True)
    lines = ",\n".join(json.dumps(each) for each in found)
    head = f'{{"game": "{spec}", "kind": "{kind}", "seed": {SEED}, "given_up": {given_up}, "positions": [\n'
    name, _, parameters = spec.partition(":")
    digits = "" if parameters.count("-") > 8 else "".join(c for c in parameters if c.isdigit())
    (FOLDER / f"{name}{digits}{'-' + kind if kind == 'agreed' else ''}.json").write_text(f"{head}{lines}\n]}}\n")


def make_all(begins: tuple[str, ...]) -> None:
    """All sets whose game begins so."""
    induced = truth_exact.Induction()
    kinds: list[tuple[dict[str, tuple[int, int, int]], Judge, str]] = [
        (SETS, solved, "solved"),
        (INDUCED, lambda state, number: induced.values(state), "induced"),
        (AGREED, lambda state, number: truth_exact.agreed(state, SEED + number), "agreed"),
    ]
    for spans, judge, kind in kinds:
        for spec, span in spans.items():
            if f"{kind}:{spec}".startswith(begins) or spec.startswith(begins):
                make(spec, span, judge, kind)
    if PIG.startswith(begins):
        write(PIG, "iterated", truth_exact.pig_positions(100, PIG_POSITIONS, SEED), 0)


def measure(
    file: Path, half: str, budgets: list[dict[str, Any]], settings: list[str], seeds: int, wrong: Counter[tuple[str, int]]
) -> int:
    """Print a row for every setting and a column for every budget; errors are added up in `wrong`, and decisions returned."""
    told = json.loads(file.read_text())
    game = playout.load(told["game"])
    chosen = told["positions"][half == "report" :: 2]
    for words in settings:
        given = dict(pair.split("=") for pair in words.split(",")) if words != "default" else {}
        cells = []
        for column, budget in enumerate(budgets):
            # Processor time of one thread: what else the machine does takes nothing from either side.
            way: dict[str, Any] = {"clock": time.process_time, "threads": 1} if "seconds" in budget else {}
            right = 0
            for number, each in enumerate(chosen):
                state, best = after(game, each), max(each["values"].values())
                for seed in range(seeds):
                    search = playout.Search(game, seed=1000 * seed + number, fit=False, **way, **given)
                    right += each["values"][str(search.choose(state, **budget).action)] == best
            tried = seeds * len(chosen)
            low, high = wilson(right, tried)
            wrong[words, column] += tried - right
            cells.append(f"{right / tried:.3f} ({low:.3f} to {high:.3f})")
        name = told["game"] if len(told["game"]) < 40 else told["game"].partition(":")[0]
        name += ", agreement" if told.get("kind") == "agreed" else ""
        print(f"| {name} ({tried}) | {words} | " + " | ".join(cells) + " |", flush=True)
    return seeds * len(chosen)


def measure_network(file: str, simulations: list[int], seeds: int) -> None:
    """How often a network decides rightly, on both halves: its training saw neither."""
    from playout.learning.network import Network

    try:
        network = Network.load(file, device="cpu")
    except playout.PlayoutError as error:
        raise SystemExit(str(error)) from None
    sets = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
    sets = [told for told in sets if told.get("kind") != "agreed" and playout.load(told["game"]).spec == network.game.spec]
    if not sets:
        raise SystemExit(f"{FOLDER.name}/ has no solved positions of {network.game.spec}; python bench/truth.py make makes sets")
    for told in sets:
        for count in simulations:
            right = 0
            for number, each in enumerate(told["positions"]):
                state, best = after(network.game, each), max(each["values"].values())
                for seed in range(seeds):
                    if count:
                        search = playout.Search(network.game, evaluator=network, seed=1000 * seed + number, fit=False)
                        action = search.choose(state, simulations=count).action
                    else:
                        shares, _ = network.look(state)
                        action = max(shares, key=lambda each: shares[each])
                    right += each["values"][str(action)] == best
            tried = seeds * len(told["positions"])
            low, high = wilson(right, tried)
            print(f"{told['game']}, {count:,} simulations: {right / tried:.3f} ({low:.3f} to {high:.3f}) of {tried}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("make", nargs="?", choices=["make"], help="make the sets anew")
    parser.add_argument("--games", nargs="*", default=[""], help="those whose name begins so")
    parser.add_argument("--half", choices=["report", "choose"], default="report")
    parser.add_argument("--simulations", nargs="*", type=int, default=[1000, 10_000])
    parser.add_argument("--seconds", nargs="*", type=float, help="budgets in seconds of one thread, instead of simulations")
    parser.add_argument("--settings", nargs="*", default=["default", "decisive_playouts=off"])
    parser.add_argument("--seeds", type=int, default=1, help="searches of every position")
    parser.add_argument("--network", metavar="FILE", help="a network, with those simulations, instead of searches with settings")
    words = parser.parse_args()
    if words.network:
        measure_network(words.network, words.simulations, words.seeds)
        return
    if words.make:
        make_all(tuple(words.games))
        return
    budgets = [{"seconds": s} for s in words.seconds] if words.seconds else [{"simulations": n} for n in words.simulations]
    print("| game (decisions) | setting | " + " | ".join(", ".join(f"{v:,} {k}" for k, v in b.items()) for b in budgets) + " |")
    print("|---|---|" + "--:|" * len(budgets))
    wrong, decisions = Counter[tuple[str, int]](), 0
    for file in sorted(FOLDER.glob("*.json")):
        if json.loads(file.read_text())["game"].startswith(tuple(words.games)):
            decisions += measure(file, words.half, budgets, words.settings, words.seeds, wrong)
    for setting in words.settings:
        errors = " | ".join(f"{wrong[setting, column]:,} wrong" for column in range(len(budgets)))
        print(f"| all ({decisions:,}) | {setting} | {errors} |")


if __name__ == "__main__":
    main()
