"""The honesty audit on planted leaks and on honest games: how many it catches, how many it passes, how long it takes.

python bench/audit.py [seeds] [--seconds S] [--agent SPEC] [--only TEXT]
"""

from __future__ import annotations

import argparse
import time

from playout import load
from playout.check.honesty import audit
from tests.check.leaks import HONEST, LEAKS


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("seeds", type=int, nargs="?", default=20)
    options.add_argument("--seconds", type=float, default=20.0)
    options.add_argument("--agent", default=None, help="also test the decisions of this agent; not by default")
    options.add_argument("--only", default="", help="games whose name has this in it")
    asked = options.parse_args()
    print(f"{'game':<44}{'wanted':<22}{'right':>9}{'s an audit':>12}")
    rows = [(name, code, make) for name, (code, make) in LEAKS.items()]
    rows += [(spec, "passed", lambda spec=spec: load(spec)) for spec in HONEST]
    for name, wanted, make in rows:
        if asked.only not in name:
            continue
        right, began, wrong = 0, time.perf_counter(), []
        for seed in range(asked.seeds):
            found = audit(make(), seed=1000 * seed, seconds=asked.seconds, agent=asked.agent)
            good = found.ok if wanted == "passed" else wanted in {finding.code for finding in found.failed}
            right += good
            if not good:
                wrong.append(f"seed {1000 * seed}: {[finding.code for finding in found.failed]}")
        each = (time.perf_counter() - began) / asked.seeds
        print(f"{name:<44}{wanted:<22}{right:>4}/{asked.seeds:<4}{each:>12.1f}  {'; '.join(wrong)}", flush=True)


if __name__ == "__main__":
    main()
