"""Does a decision know how sure it is? Settled choices against those of other seeds and against the truth, and what intervals cover.

python bench/certainty.py                                      the half of bench/truth/ that is for reporting, 200 seeds
python bench/certainty.py --half choose --games kalah hex --simulations 10000 100000 --seeds 40 --positions 4
python bench/certainty.py --unsolved scoundrel root            games that nobody solves: positions of random games, no truth

Every position is searched with many seeds. A decision that is not proven and calls itself settled should be what other seeds choose, and
keep the value of the position; a 95 % interval should cover the mean over the seeds. Positions that most seeds prove are left out of
the intervals: what is left of them are the unlucky seeds.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from truth import FOLDER, after

import playout
from playout.intervals import wilson
from playout.planner.tryout import random_game

FIRST_SEED = 50_000


class Count:
    """So many of so many, and how that is said."""

    def __init__(self) -> None:
        self.yes = self.all = 0.0

    def add(self, yes: float, of: float = 1.0) -> None:
        self.yes, self.all = self.yes + yes, self.all + of

    def __str__(self) -> str:
        if not self.all:
            return "-"
        low, high = wilson(self.yes, int(self.all))
        return f"{self.yes / self.all:.3f} ({low:.3f} to {high:.3f})"


COUNTS = ("proven", "settled", "same", "right", "right when not settled", "covered", "covered for the choice")


def look(state: playout.State, values: dict[str, float] | None, simulations: int, seeds: int, counts: dict[str, Count]) -> None:
    """Search one position with all seeds; without values nobody knows what is right."""
    found = [playout.Search(state.game, seed=FIRST_SEED + seed).run(state, simulations=simulations) for seed in range(seeds)]
    chosen = Counter(decision.action for decision in found)
    open_ones = [decision for decision in found if decision.proven is None]
    counts["proven"].add(len(found) - len(open_ones), len(found))
    for decision in open_ones:
        counts["settled"].add(bool(decision.settled))
        if decision.settled:
            counts["same"].add((chosen[decision.action] - 1) / (seeds - 1))
        if values is not None:
            counts["right" if decision.settled else "right when not settled"].add(
                values[str(decision.action)] == max(values.values())
            )
    if 2 * len(open_ones) < len(found):
        return
    for place in range(len(found[0].actions)):
        records = [decision.actions[place] for decision in open_ones]
        means = np.array([np.nan if record.mean is None else record.mean for record in records])
        middle = float(np.nanmean(means))
        for record, decision in zip(records, open_ones, strict=True):
            if record.low is None or record.high is None or record.proven is not None:
                continue
            inside = record.low <= middle <= record.high
            counts["covered"].add(inside)
            if record.action == decision.action:
                counts["covered for the choice"].add(inside)


Positions = list[tuple[playout.State, dict[str, float] | None]]


def solved(file: Path, words: argparse.Namespace) -> tuple[str, Positions]:
    """Positions of a set, each with the value of every action."""
    told: dict[str, Any] = json.loads(file.read_text())
    game, wanted = playout.load(told["game"]), told["positions"][words.half == "report" :: 2][: words.positions]
    return told["game"], [(after(game, each["moves"]), each["values"]) for each in wanted]


def unsolved(spec: str, count: int) -> tuple[str, Positions]:
    """Positions with a choice out of random games, each from another part of its game."""
    game, found = playout.load(spec), []
    for number in range(count):
        states = [state for state in random_game(game, FIRST_SEED + number) if not state.over and len(state.legal) > 1]
        found.append((states[len(states) * number // count], None))
    return spec, found


def measure(sets: list[tuple[str, Positions]], words: argparse.Namespace) -> None:
    for simulations in words.simulations:
        whole: dict[str, Count] = {name: Count() for name in COUNTS}
        for spec, positions in sets:
            counts = {name: Count() for name in COUNTS}
            for state, values in positions:
                look(state, values, simulations, words.seeds, counts)
            for name in COUNTS:
                whole[name].add(counts[name].yes, counts[name].all)
            print(f"| {spec} | {simulations:,} | " + " | ".join(str(counts[name]) for name in COUNTS) + " |", flush=True)
        print(f"| all | {simulations:,} | " + " | ".join(str(whole[name]) for name in COUNTS) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="*", default=[""], help="those whose name begins so")
    parser.add_argument("--unsolved", nargs="+", metavar="GAME", help="positions of random games in place of the sets")
    parser.add_argument("--half", choices=["report", "choose"], default="report")
    parser.add_argument("--simulations", nargs="*", type=int, default=[10_000])
    parser.add_argument("--seeds", type=int, default=200, help="searches of every position")
    parser.add_argument("--positions", type=int, default=6, help="positions of every game")
    words = parser.parse_args()
    print("| game | simulations | " + " | ".join(COUNTS) + " |\n|---|--:|" + "--:|" * len(COUNTS))
    if words.unsolved:
        measure([unsolved(spec, words.positions) for spec in words.unsolved], words)
        return
    files = sorted(FOLDER.glob("*.json"))
    chosen = [file for file in files if json.loads(file.read_text())["game"].startswith(tuple(words.games))]
    measure([solved(file, words) for file in chosen], words)


if __name__ == "__main__":
    main()
