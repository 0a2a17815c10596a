"""Where the numbers of Root's rules of thumb come from: evolution, rules against rules (docs/root.md).

python bench/root_weights.py match                              the rules as they are, 20,000 games
python bench/root_weights.py evolve --faction eyrie --minutes 10 --out eyrie.json
python bench/root_weights.py evolve --faction marquise --with eyrie.json --minutes 10 --out both.json
python bench/root_weights.py match --with both.json
python bench/root_weights.py show --with both.json              the tables, rounded, to be put into the policy's files

Every table of numbers in the files of the policy becomes a field of the record in a copy of the game, so nothing is compiled anew for a
candidate. An evolution strategy with mirrored candidates (Salimans and others 2017) changes the logarithms of one faction's numbers, ranks
candidates by games on the same seeds, against each of the others in `--with` and `--pool` in turn, and takes Adam's step.
"""

from __future__ import annotations

import argparse
import ast
import atexit
import importlib
import json
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from playout import Game
from playout.compile import bind
from playout.compile.holes import legal, mover, play, playout_action, returns, start, whole
from playout.compile.records import new_stream, pool, set_word, slack
from playout.game.stream import seed_word
from playout.games import root
from playout.intervals import wilson

FACTIONS = ("marquise", "eyrie")
FILES = {"policy_marquise": "m", "policy_eyrie": "e", "policy": "b"}
SHARED = {"CRAFT_WEIGHT"}
"""Tables of both factions, one row each."""
PAIRS, GAMES, STEP, SPREAD = 16, 500, 0.08, 0.25
"""Mirrored pairs of candidates a generation, games of each, the length of a step and the spread of candidates, in logarithms."""
Tables = dict[str, np.ndarray[Any, Any]]


def tables_of(text: str) -> dict[str, Any]:
    """The tables of numbers at the top of a file of the policy."""
    found: dict[str, Any] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign):
            for target, value in _pairs(node.targets[0], node.value):
                if target.endswith(("WEIGHT", "LEADER", "SHARE", "BORDER")):
                    found[target] = np.array(ast.literal_eval(value), np.int64)
    return found


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    assert isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
    return [pair for a, b in zip(target.elts, value.elts) for pair in _pairs(a, b)]


def laboratory() -> tuple[Game, Tables]:
    """The game with its weights in the record, and the weights that it has now; a table's name begins with its faction's letter."""
    home = Path(tempfile.mkdtemp(prefix="root-weights-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    folder = home / "rootlab"
    shutil.copytree(Path(root.__file__).parent, folder, ignore=shutil.ignore_patterns("__pycache__"))
    weights: Tables = {}
    for file, letter in FILES.items():
        weights |= {f"{letter}_{name}": table for name, table in tables_of((folder / f"{file}.py").read_text()).items()}
    for file, letter in FILES.items():
        rewrite(folder / f"{file}.py", letter, weights)
    record = folder / "record.py"
    fields = "".join(f'("{name}", np.int64, {table.shape}), ' for name, table in weights.items())
    record.write_text(record.read_text().replace('("turns", np.int16)', fields + '("turns", np.int16)'))
    for path in folder.glob("*.py"):
        path.write_text(path.read_text().replace("playout.games.root", "rootlab"))
    sys.path.insert(0, str(home))
    rules = importlib.import_module("rootlab.rules")
    # Before it has any weights it has no `prior`, either.
    found = {name: value for name, value in vars(rules).items() if not name.startswith("__") and name != "prior"}
    return Game("rootlab", found), weights


def rewrite(path: Path, letter: str, weights: Tables) -> None:
    """Let the functions of a file read its tables off the state."""

    def spelled(found: re.Match[str]) -> str:
        # The file of both factions imports the leaders of the Eyrie.
        known = [f"{each}_{found[0]}" for each in (letter, "e") if f"{each}_{found[0]}" in weights]
        return f"state.{known[0]}" if known and (known[0][0] == letter or letter == "b") else found[0]

    top, rest = path.read_text().split("\n\ndef ", 1)
    rest = re.sub(r"\b[A-Z_]{5,}\b", spelled, rest).replace("below(rng, total)", "below(rng, max(1, total))")
    path.write_text(f"{top}\n\ndef {rest}")


def series(states: Any, ids: Any, out: Any, rng: Any, games: int, result: Any) -> int:
    """Games of rules against rules with the weights in states[0]: wins of the Marquise, her leads, and decisions."""
    state = states[1]
    for _ in range(games):
        states[1] = states[0]
        start(state, rng)
        while mover(state) >= 0:
            play(state, playout_action(state, ids, whole(legal(state, ids)), rng), rng)
            result[2] += 1
        returns(state, out)
        result[0] += 1.0 if out[0] > 0 else 0.0
        result[1] += out[0]
    return 0


class Laboratory:
    """Plays series of games with any weights."""

    def __init__(self) -> None:
        self.game, self.now = laboratory()
        self.array = np.zeros(2, self.game.dtype)
        self.states = pool(self.array, True)
        self.ids, self.out = np.zeros(slack(self.game.most_legal), np.int64), np.zeros(2)
        self.rng = new_stream(True)
        self.kernel = bind(self.game, trust=True).kernel(series)

    def play(self, weights: Tables, games: int, seed: int) -> tuple[float, float, float]:
        """The Marquise's wins and mean lead, and decisions a game."""
        for name, table in weights.items():
            self.array[name][0] = table
        set_word(self.rng, seed_word(seed))
        result = np.zeros(3)
        self.kernel(self.states, self.ids, self.out, self.rng, games, result)
        return float(result[0]), float(result[1] / games), float(result[2] / games)


def of_faction(name: str, faction: str) -> bool:
    return name[0] == faction[0] or name[2:] in SHARED


def flat(weights: Tables, faction: str) -> np.ndarray[Any, Any]:
    """The logarithms of a faction's weights; 0 counts as a half."""
    parts = [_row(weights[name], name, faction).ravel() for name in sorted(weights) if of_faction(name, faction)]
    logs: np.ndarray[Any, Any] = np.log(np.maximum(0.5, np.concatenate(parts).astype(float)))
    return logs


def _row(table: np.ndarray[Any, Any], name: str, faction: str) -> np.ndarray[Any, Any]:
    row: np.ndarray[Any, Any] = table[FACTIONS.index(faction)] if name[2:] in SHARED else table
    return row


def spread(weights: Tables, faction: str, logs: np.ndarray[Any, Any]) -> Tables:
    """The weights with a faction's put in place."""
    found = {name: table.copy() for name, table in weights.items()}
    values, used = np.minimum(1e6, np.rint(np.exp(logs))).astype(np.int64), 0
    for name in sorted(found):
        if of_faction(name, faction):
            size = _row(found[name], name, faction).size
            part = values[used : used + size]
            used += size
            if name[2:] in SHARED:
                found[name][FACTIONS.index(faction)] = part
            else:
                found[name] = part.reshape(found[name].shape)
    return found


def exchange(weights: Tables, other: Tables, faction: str) -> Tables:
    """The weights with a faction's taken from others."""
    return spread(weights, faction, flat(other, faction))


class Evolution:
    """Changes one faction's weights against a pool of the other's."""

    def __init__(self, lab: Laboratory, weights: Tables, faction: str, opponents: list[Tables], seed: int) -> None:
        self.lab, self.weights, self.faction = lab, weights, faction
        other = FACTIONS[1 - FACTIONS.index(faction)]
        self.fields = [exchange(weights, each, other) for each in opponents]
        self.mean = flat(weights, faction)
        self.chance = np.random.default_rng(seed)
        self.first, self.second, self.generation, self.seed = np.zeros_like(self.mean), np.zeros_like(self.mean), 0, seed

    def fitness(self, logs: np.ndarray[Any, Any], field: Tables, games: int, seed: int) -> float:
        wins, lead, _ = self.lab.play(spread(field, self.faction, logs), games, seed)
        found = wins / games + lead / 30
        return found if self.faction == "marquise" else -found

    def step(self) -> None:
        noise = self.chance.standard_normal((PAIRS, len(self.mean)))
        field = self.fields[self.generation % len(self.fields)]
        seed = 1_000_000 * (1 + self.seed) + self.generation
        both = [[self.fitness(self.mean + sign * SPREAD * each, field, GAMES, seed) for sign in (1, -1)] for each in noise]
        ranks = np.argsort(np.argsort(np.ravel(both))).reshape(PAIRS, 2) / (2 * PAIRS - 1) - 0.5
        slope = ((ranks[:, 0] - ranks[:, 1])[:, None] * noise).mean(axis=0)
        self.generation += 1
        self.first += 0.2 * (slope - self.first)
        self.second += 0.05 * (slope**2 - self.second)
        scale = np.sqrt(self.second / (1 - 0.95**self.generation)) + 1e-8
        self.mean = np.clip(self.mean + STEP * self.first / (1 - 0.8**self.generation) / scale, np.log(0.5), np.log(2e5))

    def found(self) -> Tables:
        return spread(self.weights, self.faction, self.mean)


def save(weights: Tables, path: str) -> None:
    Path(path).write_text(json.dumps({name: table.tolist() for name, table in weights.items()}))


def read(path: str) -> Tables:
    return {name: np.array(table, np.int64) for name, table in json.loads(Path(path).read_text()).items()}


def told(lab: Laboratory, weights: Tables, games: int, seed: int) -> str:
    wins, lead, length = lab.play(weights, games, seed)
    low, high = wilson(wins, games)
    return (
        f"the Marquise wins {100 * wins / games:.1f} % ({100 * low:.1f} to {100 * high:.1f}) of {games:,} games, "
        f"mean lead {lead:+.2f}, {length:.0f} decisions"
    )


def rounded(table: np.ndarray[Any, Any]) -> Any:
    """Numbers of two digits, as the policy's files have them."""
    digits = 10.0 ** np.maximum(0, np.floor(np.log10(np.maximum(1, table))) - 1)
    return (np.rint(table / digits) * digits).astype(np.int64).tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("match", "evolve", "show"))
    parser.add_argument("--faction", choices=FACTIONS, default="eyrie")
    parser.add_argument("--with", dest="path", default="", help="weights to begin with, in place of those of the game")
    parser.add_argument("--pool", nargs="*", default=[], help="files whose weights of the other faction are opponents, too")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="root-weights.json")
    options = parser.parse_args()
    lab = Laboratory()
    weights = {**lab.now, **(read(options.path) if options.path else {})}
    if options.what == "show":
        for name, table in weights.items():
            print(name, "=", rounded(table))
        return
    print(told(lab, weights, options.games, 900 + options.seed), flush=True)
    if options.what == "match":
        return
    course = Evolution(lab, weights, options.faction, [weights, *map(read, options.pool)], options.seed)
    until = time.process_time() + 60 * options.minutes
    while time.process_time() < until:
        course.step()
        if course.generation % 10 == 0:
            save(course.found(), options.out)
            print(course.generation, told(lab, course.found(), 4000, 900), flush=True)
    save(course.found(), options.out)
    print(told(lab, course.found(), options.games, 900 + options.seed))


if __name__ == "__main__":
    main()
