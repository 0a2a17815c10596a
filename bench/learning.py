"""Learning, measured: speed against the same rule in plain Python, and what the presets reach, exact, over several seeds.

    python bench/learning.py speed          episodes a CPU second, plain Python and playout
    python bench/learning.py classic        the classic preset at 5 x 1024, 50,000 and 500,000 episodes
    python bench/learning.py best           the defaults at the same numbers of episodes
    python bench/learning.py symmetry       with and without shared values of mirrored boards
    python bench/learning.py boards         4x4 with three in a row, and Connect Four 4x4, against their solved values
    python bench/learning.py seven          7x7 with four in a row by patterns, against a bot that wins or blocks

Seconds are CPU seconds of learning alone, without compiling and evaluating.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Sequence
from statistics import fmean

import numpy as np

from playout.game.load import load
from playout.intervals import wilson
from playout.learning import Evaluation, Judge, Learner, from_preset
from playout.learning.evaluate import sampled
from playout.learning.learner import fitted

SEEDS = 20
EPISODES = (5 * 1024, 50_000, 500_000)
GAMES = 2000
TARGETS = {"first": 0.8, "second": 0.5}


# the same rule in plain Python: a dictionary keyed by the printed board, the board a NumPy array

LINES = [[(r, c) for c in range(3)] for r in range(3)] + [[(r, c) for r in range(3)] for c in range(3)]
LINES += [[(i, i) for i in range(3)], [(i, 2 - i) for i in range(3)]]


def plain_episode(values: dict[str, float], draw: random.Random, lr: float, discount: float, epsilon: float) -> None:
    """One episode of self-play, both players fed, with the backward rule."""
    board, player, paths = np.zeros((3, 3), dtype=int), 1, {1: [], -1: []}  # type: tuple[np.ndarray, int, dict[int, list[str]]]
    result = {1: 0.0, -1: 0.0}
    while True:
        free = [(int(r), int(c)) for r, c in np.argwhere(board == 0)]
        if not free:
            break
        if draw.random() < epsilon:
            move = draw.choice(free)
        else:
            best, moves = -np.inf, []
            for cell in free:
                after = board.copy()
                after[cell] = player
                value = values.get(str(after), 0.0)
                if value > best:
                    best, moves = value, [cell]
                elif value == best:
                    moves.append(cell)
            move = draw.choice(moves)
        board[move] = player
        paths[player].append(str(board))
        if any(all(board[cell] == player for cell in line) for line in LINES):
            result = {player: 1.0, -player: -1.0}
            break
        player = -player
    for side in (1, -1):
        reward = result[side]
        for key in reversed(paths[side]):
            value = values.get(key, 0.0)
            values[key] = value + lr * (discount * reward - value)
            reward = values[key]


def plain_speed(seconds: float = 20.0) -> tuple[float, int]:
    """Episodes a CPU second, measured after 200 episodes of warming up."""
    values: dict[str, float] = {}
    draw = random.Random(0)
    for _ in range(200):
        plain_episode(values, draw, 0.05, 0.95, 0.2)
    done, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        plain_episode(values, draw, 0.05, 0.95, 0.2)
        done += 1
    return done / (time.process_time() - began), done


def trained(game: str, episodes: int, **words: object) -> tuple[Learner, float]:
    """A learner after that many episodes, and the CPU seconds they took."""
    rules = load(game)
    learner = Learner(rules, fitted(rules, from_preset(**words), episodes))  # type: ignore[arg-type]
    learner.prepare()
    began = time.process_time()
    learner.run(episodes)
    return learner, time.process_time() - began


def speed() -> None:
    """The same rule both ways."""
    slow, done = plain_speed()
    print(f"plain Python, classic rule            {slow:>12,.0f} episodes a CPU second ({done:,} episodes)")
    for name, words in (("classic", {"preset": "classic"}), ("defaults, with symmetry", {})):
        rates = []
        for seed in range(5):
            wall = time.perf_counter()
            _, seconds = trained("tic-tac-toe", 500_000, seed=seed, **words)
            rates.append(500_000 / seconds)
            wall = time.perf_counter() - wall
        best, median = max(rates), sorted(rates)[2]
        print(
            f"playout, {name:28} {median:>12,.0f} episodes a CPU second (median of 5; best {best:,.0f}); 500,000 in "
            f"{500_000 / median:.2f} s; {median / slow:,.0f} times plain Python"
        )


def row(found: Sequence[Evaluation]) -> str:
    """The mean over seeds: win/draw/loss of each seat against each, and how many seeds have no losing line."""
    parts = []
    for opponent in ("random", "perfect"):
        for seat in ("first", "second"):
            told = [(e.against[opponent] or {})[seat] for e in found]
            parts.append("/".join(f"{fmean(getattr(o, field) for o in told):.3f}" for field in ("win", "draw", "loss")))
    none = [sum(e.losing_lines[seat] == 0 for e in found) for seat in (0, 1)]
    return " | ".join(parts) + f" | {none[0]}, {none[1]} of {len(found)}"


def preset(name: str) -> Callable[[], None]:
    def run() -> None:
        judge: Judge | None = None
        print("episodes | first v random | second v random | first v perfect | second v perfect | seeds without a losing line")
        for episodes in EPISODES:
            found = []
            for seed in range(SEEDS):
                learner, _ = trained("tic-tac-toe", episodes, preset=name, seed=seed)
                judge = judge or Judge(learner.game, symmetric=learner.settings.symmetry == "on")
                found.append(judge.evaluate(learner))
            print(f"{episodes:>8,} | {row(found)}", flush=True)

    return run


def symmetry() -> None:
    """Episodes until no line of play is lost any more, and the price in speed."""
    for symmetric in ("off", "on"):
        needed, rates, judge = [], [], None
        for seed in range(SEEDS):
            rules = load("tic-tac-toe")
            learner = Learner(rules, fitted(rules, from_preset(symmetry=symmetric, lr="0.1", epsilon="0.3", seed=seed), 100_000))
            judge = judge or Judge(rules, symmetric=symmetric == "on")
            learner.prepare()
            spent, step = 0.0, 500
            while learner.episode < 100_000:
                began = time.process_time()
                learner.run(learner.episode + step)
                spent += time.process_time() - began
                if judge.evaluate(learner).losing_lines == [0, 0]:
                    break
            needed.append(learner.episode)
            rates.append(learner.episode / spent)
        middle = sorted(needed)[SEEDS // 2]
        print(
            f"symmetry {symmetric:3}: no losing line after {middle:,} episodes (median of {SEEDS} seeds, {min(needed):,} to {max(needed):,}), "
            f"{fmean(rates):,.0f} episodes a CPU second, {learner.entries:,} values"
        )


def boards() -> None:
    """The greedy policy from the start against perfect play, beside the value of the game."""
    for game in ("mnk:m=4,n=4,k=3", "connect-four:columns=4,rows=4"):
        judge = Judge(load(game), symmetric=True)
        for episodes in (500_000, 2_000_000):
            for seed in range(5):
                learner, seconds = trained(game, episodes, seed=seed)
                found = judge.evaluate(learner)
                told = found.against["perfect"] or {}
                reached = [told[seat].win - told[seat].loss for seat in ("first", "second")]
                print(
                    f"{game}: {episodes:,} episodes, seed {seed}, value {found.value}, greedy against perfect play gets {reached[0]:+.4f} "
                    f"and {reached[1]:+.4f}; losing lines {found.losing_lines} of {found.lines}; {seconds:.1f} s, {learner.entries:,} values",
                    flush=True,
                )


def seven() -> None:
    """Patterns on 7x7, four in a row: three seeds, games that chose nothing."""
    for words in ({"values": "patterns"}, {"values": "table"}):
        for seed in range(3 if words["values"] == "patterns" else 1):
            episodes = 20_000 if words["values"] == "patterns" else 50_000
            learner, seconds = trained("mnk:m=7,n=7,k=4", episodes, seed=seed, **words)
            said = []
            for seat, name in enumerate(TARGETS):
                won, drawn, _ = sampled(learner, seat, GAMES, True)
                low, high = wilson(won + drawn / 2, GAMES)
                said.append(f"{name} {(won + drawn / 2) / GAMES:.3f} ({low:.3f} to {high:.3f})")
            print(
                f"{words['values']:8} seed {seed}, {episodes:,} episodes in {seconds:.1f} s: points against win-or-block {', '.join(said)}; "
                f"{GAMES:,} games a seat",
                flush=True,
            )


PARTS: dict[str, Callable[[], None]] = {
    "speed": speed,
    "classic": preset("classic"),
    "best": preset("best"),
    "symmetry": symmetry,
    "boards": boards,
    "seven": seven,
}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        print(f"== {part}")
        PARTS[part]()
