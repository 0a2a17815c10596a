"""What the arena must reach, measured: `python bench/arena.py` runs all three, or name one: overhead, workers, kill.

overhead  100,000 games of random against random tic-tac-toe, stored and rated (goal: under 60 s on 2 cores)
workers   games a second of two worker processes against one, uct with 1,000 simulations on Connect Four (goal: 1.7 times)
kill      kill -9 at ten random moments of a 2,000-game run, resumed each time: exactly the games of an undisturbed run
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playout.arena import Store, Tournament, stored
from playout.errors import PlayoutError

UCT = ["uct:simulations=1000", "uct:simulations=1000"]


def overhead(folder: Path, games: int = 100_000) -> dict[str, object]:
    began = time.perf_counter()
    with Tournament("tic-tac-toe", ["random", "random"], games=games, file=folder / "overhead.db", workers=2) as tournament:
        tournament.run()
        played = time.perf_counter() - began
        standings = tournament.standings()
    seconds = time.perf_counter() - began
    draws = standings.pairs[0].draws / games
    return {"games": standings.games, "seconds": round(seconds, 1), "playing": round(played, 1), "draws": draws, "goal": 60}


def rate(folder: Path, workers: int, number: int, games: int) -> float:
    """Games a second of work: starting the processes is not counted, since a tournament does that once."""
    with Tournament("connect-four", UCT, games=games, seed=number, file=folder / f"{workers}-{number}.db", workers=workers) as t:
        marks: list[tuple[float, int]] = []
        t.run(lambda tally: marks.append((time.perf_counter(), tally.done)))
    # From the first games that came in to the last: between them all workers are busy.
    first = next(mark for mark in marks if mark[1] >= games // 10)
    return (marks[-1][1] - first[1]) / (marks[-1][0] - first[0])


def workers(folder: Path, games: int = 240, repeats: int = 5) -> dict[str, object]:
    one, two = [], []
    for number in range(repeats):
        one.append(rate(folder, 1, number, games))
        two.append(rate(folder, 2, number, games))
    ratios = sorted(b / a for a, b in zip(one, two))
    return {"one": round(max(one), 1), "two": round(max(two), 1), "ratios": [round(r, 2) for r in ratios], "goal": 1.7}


SCRIPT = """
import sys
from playout.arena import Tournament
with Tournament("connect-four", ["uct:simulations=40", "random"], games=2000, seed=5, file=sys.argv[1], workers=2) as t:
    t.run()
"""


def count(file: Path) -> int:
    try:
        with Store(file) as store:
            return store.count()
    except PlayoutError:
        return 0


def kill(folder: Path, times: int = 10) -> dict[str, object]:
    killed, whole = folder / "killed.db", folder / "whole.db"
    moments = random.Random()
    counts = []
    for time_number in range(times):
        process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(killed)], start_new_session=True)
        wanted = 1800 * (time_number + 1) // times
        while process.poll() is None and count(killed) < wanted:
            time.sleep(0.02)
        time.sleep(moments.random() * 0.6)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
        counts.append(count(killed))
    for file in (killed, whole):
        subprocess.run([sys.executable, "-c", SCRIPT, str(file)], check=True)
    one, two = ([(r.number, r.deal, r.seats, r.returns, r.moves) for r in Store(file).games()] for file in (killed, whole))
    ratings = [[row.rating for row in stored(file).agents] for file in (killed, whole)]
    return {"killed at": counts, "distinct": len(set(one)), "same games": one == two, "same ratings": ratings[0] == ratings[1]}


def main() -> None:
    tasks = {"overhead": overhead, "workers": workers, "kill": kill}
    for name in sys.argv[1:] or tasks:
        with tempfile.TemporaryDirectory() as folder:
            print(name, json.dumps(tasks[name](Path(folder))), flush=True)


if __name__ == "__main__":
    main()
