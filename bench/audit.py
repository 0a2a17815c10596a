"""The honesty audit on planted leaks and on honest games: how many it catches, how many it passes, how long it takes.

python bench/audit.py [seeds] [--seconds S] [--only TEXT]
python bench/audit.py [seeds] --planted       flaws that were planted after the audit was finished: any failure counts as caught
python bench/audit.py [seeds] --decisions     action blindness: an agent that cheats must be caught, an honest one must pass
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from playout import Game, load
from playout.checker.honesty.audit import audit
from tests.checker.flaws import PLANTED
from tests.checker.leaks import DECIDING, HONEST, LEAKS
from tests.checker.tricky import TRICKY

PEEKS, SEES_NOTHING = "peek:simulations=200", "uct:simulations=200"
FIRST_SEED = 7_000_000
"""Beyond the seeds on which the number of walks and the second look were settled (0 to 19,000)."""
Row = tuple[str, str, Callable[[], Game], str | None]
"""The game in words, what is wanted, the game itself, who decides."""


def rows(decisions: bool, planted: bool) -> list[Row]:
    if planted:
        return [(name, "caught", make, None) for name, make in PLANTED.items()]
    if decisions:
        return [
            (f"{spec}, {agent}", wanted, lambda spec=spec: load(spec), agent)
            for agent, wanted in ((PEEKS, "honesty-blind"), (SEES_NOTHING, "passed"))
            for spec in DECIDING
        ]
    found: list[Row] = [(name, code, make, None) for name, (code, make) in LEAKS.items()]
    found += [(spec, "passed", lambda spec=spec: load(spec), None) for spec in HONEST]
    return found + [(name, "passed", make, None) for name, make in TRICKY.items()]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("seeds", type=int, nargs="?", default=20)
    options.add_argument("--seconds", type=float, default=20.0)
    options.add_argument("--decisions", action="store_true", help="test the decisions of agents")
    options.add_argument("--planted", action="store_true", help="flaws that the audit was not made with")
    options.add_argument("--only", default="", help="games whose name has this in it")
    asked = options.parse_args()
    print(f"{'game':<64}{'wanted':<22}{'right':>9}{'s an audit':>12}")
    for name, wanted, make, agent in rows(asked.decisions, asked.planted):
        if asked.only not in name:
            continue
        right, began, wrong = 0, time.process_time(), []
        for seed in range(asked.seeds):
            number = FIRST_SEED + 1000 * seed
            found = audit(make(), seed=number, seconds=asked.seconds, agent=agent)
            codes = {finding.code for finding in found.failed}
            good = not codes if wanted == "passed" else bool(codes) if wanted == "caught" else wanted in codes
            right += good
            if not good:
                wrong.append(f"seed {number}: {[finding.code for finding in found.failed]}")
        each = (time.process_time() - began) / asked.seeds
        print(f"{name:<64}{wanted:<22}{right:>4}/{asked.seeds:<4}{each:>12.1f}  {'; '.join(wrong)}", flush=True)


if __name__ == "__main__":
    main()
