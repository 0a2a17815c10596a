"""How a game's searches would run on a GPU, counted without one: what the threads of a warp do together, and what they wait for.

python bench/warps.py                                   the rows of `playout bench --device cuda`
python bench/warps.py root --show 20                    one game by its functions, the dearest first
python bench/warps.py connect-four --set decisive_playouts=off --simulations 540 --before 500 --json

The code that a GPU would get is run by this machine's processor, one tree after the other (`tests/gpu/processor.py`), and notes where it comes
by; the ways of 32 trees are then gone once more as a warp goes them, all threads in step (`warps_replay`). `slots` are instructions that a warp
has to give, for each simulation of each thread, `used` those that the thread itself has a use for, so used / slots is the share of threads that
do not wait. `sectors` are pieces of 32 bytes that are read or written, without a look at caches. How long memory takes, what NVIDIA's compiler
makes of the code, and registers that are wanting are not in it; docs/gpu.md holds it against what an H200 did.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from warps_code import NotingProcessor
from warps_replay import counted

from playout.bench.device import CASES, Case
from playout.engine.forest import tend, tend_some
from playout.errors import PlayoutError
from playout.planner.forest import Forest
from playout.planner.search import Search

THREADS = 32
LATELY = {"hex": 5, "hex auto": 5, "root": 6}
"""Simulations that are counted where others would take long; else 20."""


def stack() -> tuple[int, int]:
    """Where this process has its stack, on which the code keeps what is a thread's own."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        if line.endswith("[stack]"):
            low, high = line.split()[0].split("-")
            return int(low, 16) & ~127, int(high, 16)
    raise PlayoutError("this system does not say where a process has its stack: warps can be counted on Linux only")


def study(case: Case, before: int) -> dict[str, Any]:
    """What a warp does for simulations after the first `before` of 32 trees of one position."""
    search = Search(case.game, trees=1, seed=0, **case.settings)
    device = NotingProcessor()
    forest = Forest(search, device, real=True)
    start, settings, total = search.game.start(0).copy_array(), search.settings, case.simulations
    seeds, numbers = np.zeros(THREADS, np.int64), np.arange(THREADS)
    plan = forest.plan(settings, np.repeat(start, 6), total)
    columns = forest.planted(settings, plan, np.repeat(start, THREADS), seeds, numbers, total)
    kept = forest.scratch(settings, plan, seeds, numbers)
    grow, done = device.growth(forest.binding, tend, tend_some, forest.lanes(plan.longest)), np.zeros(THREADS, np.int64)
    for simulations in (before, total - before):
        done[:] = 0
        grow(columns, kept, np.full(THREADS, simulations), done)
    # What has this device's trees grow was started last.
    noting, simulations = device.codes[-1], int(done.sum())
    if not simulations:
        raise PlayoutError(f"{case.name}: all trees were proven before anything was counted; take fewer simulations before")
    found = counted(noting, stack())
    names: dict[str, Any] = defaultdict(lambda: np.zeros(4))
    for number, one in enumerate(noting.stretches):
        whole = sum(one.whose.values())
        for name, part in one.whose.items() if whole else [("", 1.0)]:
            share = part / (whole or 1.0)
            names[name or "(nobody's)"] += share * np.array([column[number] for column in found])
    # Of a warp's instructions each thread has one at a time.
    scale = np.array([THREADS, THREADS, 1.0, 1.0]) / simulations

    def row(name: str, counts: Any) -> dict[str, Any]:
        return {"name": name, **dict(zip(("slots", "used", "shared_sectors", "own_sectors"), map(float, counts * scale)))}

    functions = sorted((row(name, counts) for name, counts in names.items()), key=lambda one: -one["slots"])
    whole = np.array([column.sum() for column in found])
    return {**row(case.name, whole), "settings": case.settings, "simulations": simulations, "functions": functions}


def cases(words: argparse.Namespace) -> Iterator[tuple[Case, int]]:
    """What is asked for, and how many simulations come before what is counted."""
    if words.game:
        yield Case(words.game, words.game, THREADS, words.simulations, dict(pair for pair in words.set)), words.before
        return
    for case in CASES:
        if not case.name.startswith("connect-four ") or case.name.endswith("auto"):
            yield case, case.simulations - LATELY.get(case.name, 20)


def setting(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is no setting; write for example c=0.5")
    return name, value


def show(one: dict[str, Any], most: int, head: bool) -> None:
    """A row of the table, and one for each of its dearest functions."""
    if head:
        print("| game | slots a simulation | used | threads that do not wait | sectors, all's | threads' own |")
        print("|---|--:|--:|--:|--:|--:|")
    for row in [one, *one["functions"][:most]]:
        name = f"**{row['name']}**" if row is one and most else row["name"]
        counts = [f"{row[column]:,.0f}" for column in ("slots", "used", "shared_sectors", "own_sectors")]
        counts.insert(2, f"{row['used'] / max(row['slots'], 1e-9):.0%}")
        print(f"| {name} | {' | '.join(counts)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", help="a game or a file; without one, the rows of the bench")
    parser.add_argument("--set", nargs="*", type=setting, default=[], metavar="NAME=VALUE", help="settings of its search")
    parser.add_argument("--simulations", type=int, default=120, help="of every tree, in all (default 120)")
    parser.add_argument("--before", type=int, default=100, help="of these, the first that are not counted (default 100)")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="the N dearest functions of each game")
    parser.add_argument("--json", action="store_true", help="all of it as JSON")
    words = parser.parse_args()
    if words.game and not 0 < words.before < words.simulations:
        parser.error(f"--before is {words.before}, and must be above 0 and below --simulations, which is {words.simulations}")
    found = list[dict[str, Any]]()
    try:
        for case, before in cases(words):
            found.append(study(case, before))
            if not words.json:
                show(found[-1], words.show, head=len(found) == 1)
    except PlayoutError as error:
        print(f"warps: {error}", file=sys.stderr)
        sys.exit(2)
    if words.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
