"""The honesty audit on planted flaws and on honest games: how many it catches, how many it passes, how long it takes.

python bench/audit.py [seeds] [--seconds S] [--only TEXT]    the leaks and honest games of the tests
python bench/audit.py [seeds] --developed     the flaws and tricky honest games that the audit was developed with
python bench/audit.py [seeds] --planted       flaws and tricky honest games that were written when it was finished
python bench/audit.py [seeds] --decisions     action blindness: an agent that cheats must be caught, an honest one must pass

`--out FILE` keeps every audit as soon as it is done, and goes on from there the next time. All games of one seed come before the next seed, so
that a part of it is a fair part.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playout import Game, load
from playout.checker.honesty.audit import audit
from playout.intervals import wilson
from tests.checker import earlier, flaws, planted, tricky
from tests.checker.leaks import DECIDING, HONEST, LEAKS

PEEKS, SEES_NOTHING = "peek:simulations=200", "uct:simulations=200"
FIRST_SEED = 9_000_000
"""Beyond the seeds with which anything was settled."""
Row = tuple[str, str, Callable[[], Game], str | None]
"""The game in words, what is wanted (a code, "caught" or "passed"), the game itself, who decides."""


def rows(asked: argparse.Namespace) -> list[Row]:
    if asked.planted:
        new: list[Row] = [(name, "caught", make, None) for name, make in planted.PLANTED.items()]
        return new + [(name, "passed", make, None) for name, make in planted.TRICKY.items()]
    if asked.developed:
        found: list[Row] = [(name, "caught", make, None) for name, make in (flaws.PLANTED | earlier.PLANTED).items()]
        return found + [(name, "passed", make, None) for name, make in (tricky.TRICKY | earlier.TRICKY).items()]
    if asked.decisions:
        return [
            (f"{spec}, {agent}", wanted, lambda spec=spec: load(spec), agent)
            for agent, wanted in ((PEEKS, "honesty-blind"), (SEES_NOTHING, "passed"))
            for spec in DECIDING
        ]
    found = [(name, code, make, None) for name, (code, make) in LEAKS.items()]
    found += [(spec, "passed", lambda spec=spec: load(spec), None) for spec in HONEST]
    return found + [(name, "passed", make, None) for name, make in tricky.TRICKY.items()]


def one(row: Row, seed: int, seconds: float) -> dict[str, Any]:
    """One audit."""
    name, wanted, make, agent = row
    began = time.process_time()
    found = audit(make(), seed=seed, seconds=seconds, agent=agent)
    codes = sorted({finding.code for finding in found.failed})
    right = not codes if wanted == "passed" else bool(codes) if wanted == "caught" else wanted in codes
    tests = sorted({finding.test for finding in found.failed})
    looked = round(sum(spent for _, spent in found.spent), 2)
    return {
        "game": name,
        "wanted": wanted,
        "seed": seed,
        "seconds": seconds,
        "right": right,
        "codes": codes,
        "tests": tests,
        "looked": looked,
        "took": round(time.process_time() - began, 2),
    }


def table(done: list[dict[str, Any]]) -> str:
    """What was found, by game and in all."""
    games: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for result in done:
        games[result["game"], result["wanted"]].append(result)
    lines = [f"{'game':<58}{'wanted':<20}{'right':>9}{'s an audit':>12}  by"]
    for (name, wanted), results in games.items():
        right, looked = sum(r["right"] for r in results), sum(r["looked"] for r in results) / len(results)
        by = ", ".join(sorted({test for r in results for test in r["tests"]}))
        lines.append(f"{name:<58}{wanted:<20}{right:>4}/{len(results):<4}{looked:>12.1f}  {by}")
    for title, group in (("caught", False), ("passed", True)):
        results = [result for result in done if (result["wanted"] == "passed") == group]
        if results:
            right = sum(result["right"] for result in results)
            low, high = wilson(right, len(results))
            lines.append(f"{title}: {right} of {len(results)}, {right / len(results):.1%} ({low:.1%} to {high:.1%})")
    return "\n".join(lines)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("seeds", type=int, nargs="?", default=20)
    options.add_argument("--seconds", type=float, default=20.0)
    options.add_argument("--decisions", action="store_true", help="test the decisions of agents")
    options.add_argument("--planted", action="store_true", help="flaws that the audit was not made with")
    options.add_argument("--developed", action="store_true", help="flaws and honest games that it was made with")
    options.add_argument("--only", default="", help="games whose name has this in it")
    options.add_argument("--wanted", default="", help="only where this is wanted: caught, passed, or a code")
    options.add_argument("--first", type=int, default=FIRST_SEED, help="the first seed")
    options.add_argument("--out", type=Path, help="where results are kept, and read from when there are some")
    asked = options.parse_args()
    done: list[dict[str, Any]] = json.loads(asked.out.read_text()) if asked.out and asked.out.exists() else []
    known = {(result["game"], result["wanted"], result["seed"], result["seconds"]) for result in done}
    for number in range(asked.seeds):
        seed = asked.first + 1000 * number
        for row in rows(asked):
            if asked.only in row[0] and asked.wanted in row[1] and (row[0], row[1], seed, asked.seconds) not in known:
                done.append(one(row, seed, asked.seconds))
                print(json.dumps(done[-1]), flush=True)
                if asked.out:
                    fresh = asked.out.with_suffix(".new")
                    fresh.write_text(json.dumps(done, indent=1))
                    fresh.replace(asked.out)
    print(table(done))


if __name__ == "__main__":
    main()
