"""The fuzzers without end: `make fuzz`. Every failing case is printed with the words that replay it, and its files are kept.

    python -m tests.fuzz                              all of them in turn, until Ctrl-C
    python -m tests.fuzz tree_contents --compiled     one of them, with machine code
    python -m tests.fuzz tree_bytes --seed 17 --cases 1

The cases run in a process of their own, so that one that dies or cannot be interrupted is only one more failure.
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.fuzz import harness, load_all

BATCH = 50
KEPT = Path("fuzz-failures")


def child(name: str, first: int, count: int, folder: Path) -> None:
    """Some cases here; before each its seed is told, so that whoever watches knows which one was the last."""
    for seed in range(first, first + count):
        print(f"case {seed}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        wrong = harness.attempt(name, seed, folder)
        if wrong is not None:
            told(name, seed, wrong, folder)


def told(name: str, seed: int, wrong: str, folder: Path) -> None:
    """Print a failure and keep what it was made of."""
    place = KEPT / f"{name}-{seed}"
    shutil.rmtree(place, ignore_errors=True)
    if folder.exists():
        shutil.copytree(folder, place)
    more = " --compiled" * harness.COMPILED
    print(f"FAILED {name} --seed {seed}: files in {place}; again: python -m tests.fuzz {name} --seed {seed} --cases 1{more}")
    print("    " + wrong.rstrip().replace("\n", "\n    "), flush=True)


def watched(name: str, first: int, count: int) -> int:
    """Cases in a process of their own; how many failed."""
    failed, seed = 0, first
    while seed < first + count:
        with tempfile.TemporaryDirectory(prefix="playout-fuzz-") as place:
            folder = Path(place) / "case"
            words = [name, "--child", str(folder), "--seed", str(seed), "--cases", str(first + count - seed)]
            command = [sys.executable, "-m", "tests.fuzz", *words, *["--compiled"] * harness.COMPILED]
            try:
                ran = subprocess.run(
                    command,
                    stdout=subprocess.PIPE,
                    text=True,
                    errors="replace",
                    timeout=(2 + count) * harness.PATIENCE,
                    check=False,
                )
                output, code = ran.stdout, ran.returncode
            except subprocess.TimeoutExpired as error:
                output, code = (error.stdout or b"").decode(errors="replace"), "no end"
            shown = [line for line in output.splitlines() if not line.startswith("case ")]
            print("\n".join(shown) + "\n" * bool(shown), end="", flush=True)
            failed += sum(line.startswith("FAILED ") for line in shown)
            if code == 0:
                return failed
            seed = max((int(line.split()[1]) for line in output.splitlines() if line.startswith("case ")), default=seed)
            told(name, seed, f"the process ended with {code}", folder)
            failed, seed = failed + 1, seed + 1
    return failed


def main() -> int:
    load_all()
    options = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(harness.FUZZERS)}")
    options.add_argument("--seed", type=int, default=0, help="the first case")
    options.add_argument("--cases", type=int, help="how many of each; without it there is no end")
    options.add_argument("--compiled", action="store_true", help="with machine code")
    options.add_argument("--child", help=argparse.SUPPRESS)
    given = options.parse_args()
    harness.COMPILED = given.compiled
    if given.child:
        child(given.names[0], given.seed, given.cases, Path(given.child))
        return 0
    names, failed, done = given.names or list(harness.FUZZERS), 0, 0
    for unknown in set(names) - set(harness.FUZZERS):
        options.error(f"no fuzzer {unknown!r}; there are {', '.join(harness.FUZZERS)}")
    try:
        for turn in itertools.count():
            first = given.seed + turn * BATCH
            count = BATCH if given.cases is None else min(BATCH, given.seed + given.cases - first)
            if count <= 0:
                break
            for name in names:
                failed += watched(name, first, count)
                done += count
            print(f"{done:,} cases, {failed:,} failed", flush=True)
    except KeyboardInterrupt:
        print(f"\n{done:,} cases, {failed:,} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
