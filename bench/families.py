"""How far from the best a search of continuous games ends, on families of games that nobody tuned it for.

python bench/families.py                              all families, the games for reporting, 1,600 and 16,000 simulations
python bench/families.py waves six --half choose      the games that settings may be chosen on
python bench/families.py --settings method=widening   other settings; more of them, each in quotes, are run in turn
python bench/families.py --json

What counts is the regret of the worst player as a share of the span of that player's payoffs (over random actions): the median over the
games, and what 90 % of them stay below. The best comes from references that share nothing with the search: nested optimisation
(`playout.truth`), mostly on finer grids than usual; for six stages dynamic programming on a grid; for five dimensions nested optimisation
with the last answer in closed form. A decision that is settled (all trees of its second opinion agree) is counted as right if the first mover loses at most .005 of the span
by it. bench/family.py has the games. Settings were chosen on the games from 1 on, and those reported
begin at 50,001.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import statistics
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import playout
from playout import Search
from playout.game.game import Game
from playout.game.state import State
from playout.truth.continuous.solver import Effort, solver

FILE = Path(__file__).with_name("family.py")
FAMILIES = ("waves", "six", "five", "kinks", "bumps", "boxes", "smooth", "pairs")
FIRST = {"choose": 1, "report": 50_001}
BUDGETS = (1600, 16_000)
POINTS = {"waves": 2.0, "kinks": 2.0, "boxes": 2.0, "smooth": 1.0, "bumps": 3.0, "five-reduced": 1.0}
"""How much finer than usual the grids of the nested reference are."""
MEMORY = {"six": (1, 401), "pairs": (2, 61)}
"""In games of six stages: how many of the last actions count, and the points of the grid, along each of them, that they are solved on."""
JUMP = 0.1
"""Answers of neighbours on the grid that differ by more are two answers."""

RIGHT = 0.005
"""A settled decision is right if whoever decides loses no more than this part of the span by it."""

Array = np.ndarray[Any, Any]


def load(kind: str) -> Game:
    return playout.load(f"{FILE}:kind={kind}")


def begin(game: Game, seed: int) -> State:
    """The state after the action that says which game it is; see `seed_of` in bench/family.py."""
    return game.start().play([(seed if seed <= 500 else seed - 49_500) / 1000.0] * game.dimension)


class Nested:
    """Best play by nested optimisation."""

    def __init__(self, kind: str, seed: int) -> None:
        self.game = load(kind)
        self.seed, self.last = seed, self.game.stages
        self.effort = Effort(f"points {POINTS[kind]:g}", POINTS[kind], 5e-4, 0)

    def payoffs(self, stage: int, actions: Array) -> Array:
        """What everybody gets when all from a stage on play best."""
        found = solver(self.game).best(stage, actions[: self.last], self.effort, 3600.0)
        return np.asarray(found.payoffs)


class Reduced(Nested):
    """The same where the last answer is known: the game without it is solved."""

    def __init__(self, kind: str, seed: int) -> None:
        super().__init__(f"{kind}-reduced", seed)
        self.whole = load(kind)

    def payoffs(self, stage: int, actions: Array) -> Array:
        if stage > self.last:
            out = np.zeros(3)
            self.whole.functions["payoffs"](actions, out, np.zeros(1))
            return out
        # The last mover gets 0 by its best answer.
        return np.append(super().payoffs(stage, actions), 0.0)


class Backwards:
    """Best play of six stages where only the last one or two actions count: tables of answers, from the last stage to the first."""

    def __init__(self, kind: str, seed: int) -> None:
        self.game = load(kind)
        self.place, self.stages = begin(self.game, seed).fields.actions[0, 0], self.game.stages - 1
        self.memory, self.points = MEMORY[kind]
        self.grid = np.linspace(-1.0, 1.0, self.points)
        self.answers: dict[int, Array] = {}
        """By stage, for every place of the grid as the actions just before: the best actions from that stage on."""
        for stage in range(self.stages - 1, 0, -1):
            before = np.meshgrid(*[self.grid] * min(stage, self.memory), indexing="ij")
            self.answers[stage] = np.stack(self.best(stage, before), axis=-1)

    def worth(self, stage: int, before: Sequence[Array], own: Array) -> tuple[Array, list[Array]]:
        """What the mover of a stage gets, and the actions from there on, for arrays of the actions before and its own."""
        actions = [own, *self.follow(stage + 1, [*before, own])]
        shape = np.broadcast_shapes(own.shape, *(action.shape for action in before))
        history = np.zeros((self.stages + 1, 1, *shape))
        history[0] = self.place
        for back, action in enumerate(reversed(before)):
            history[stage - back] = action
        for k, action in enumerate(actions):
            history[1 + stage + k, 0] = action
        out = np.zeros((self.stages, *shape))
        self.game.functions["payoffs"](history, out, np.zeros(1))
        return out[stage], actions

    def follow(self, stage: int, before: Sequence[Array]) -> list[Array]:
        """The answers from a stage on, between the places of the grid; beside a jump those of the nearest place."""
        if stage == self.stages:
            return []
        table, before = self.answers[stage], list(before)[-min(stage, self.memory) :]
        places = [np.clip((action + 1.0) * (self.points - 1) / 2.0, 0.0, self.points - 1.0) for action in before]
        lows = [np.minimum(place.astype(int), self.points - 2) for place in places]
        parts = [place - low for place, low in zip(places, lows, strict=True)]
        corners = list(itertools.product((0, 1), repeat=len(before)))
        found = [table[tuple(low + up for low, up in zip(lows, corner, strict=True))] for corner in corners]
        jump = (np.max(found, axis=0) - np.min(found, axis=0)).max(axis=-1) > JUMP
        parts = [np.where(jump, np.round(part), part) for part in parts]
        total = 0.0
        for corner, answers in zip(corners, found, strict=True):
            weight = math.prod((part if up else 1.0 - part) for part, up in zip(parts, corner, strict=True))
            total = total + weight[..., None] * answers
        return [total[..., k] for k in range(table.shape[-1])]

    def best(self, stage: int, before: Sequence[Array]) -> list[Array]:
        """The best actions from a stage on, for arrays of actions before: the best of the grid, then of ever closer places."""
        wider = [action[..., None] for action in before]
        value, _ = self.worth(stage, wider, self.grid)
        own = self.grid[np.argmax(value, axis=-1)]
        wide = 2.0 / (self.points - 1)
        for _ in range(3):
            tries = np.clip(own[..., None] + wide * np.linspace(-1.0, 1.0, 9), -1.0, 1.0)
            value, _ = self.worth(stage, wider, tries)
            own = np.take_along_axis(tries, np.argmax(value, axis=-1)[..., None], axis=-1)[..., 0]
            wide /= 4.0
        return self.worth(stage, before, own)[1]

    def payoffs(self, stage: int, actions: Array) -> Array:
        history = np.array(actions, np.float64)
        for s in range(stage - 1, self.stages):
            before = [history[k] for k in range(max(1, s + 1 - self.memory), s + 1)]
            history[1 + s, 0] = self.best(s, before)[0].item() if before else self.best(s, [])[0]
        out = np.zeros(self.stages)
        self.game.functions["payoffs"](history, out, np.zeros(1))
        return out


REFERENCES = {"six": Backwards, "pairs": Backwards, "five": Reduced}


class Judge:
    """The regrets in one game. What no search and no reference has beaten so far counts as the best of the first mover."""

    def __init__(self, kind: str, seed: int, kept: dict[str, float]) -> None:
        self.kind, self.seed, self.game = kind, seed, load(kind)
        self.reference: Any = REFERENCES.get(kind, Nested)(kind, seed)
        self.state = begin(self.game, seed)
        self.span = self._span()
        name = f"{kind} {seed} {zlib.crc32(FILE.read_bytes())}"
        if name not in kept:
            kept[name] = float(self.reference.payoffs(1, np.array(self.state.fields.actions))[self.game.movers[1]])
        self.top = kept[name]

    def _span(self) -> Array:
        rng, paid = np.random.default_rng(self.seed), []
        for _ in range(2000):
            actions = np.array(self.state.fields.actions)
            low, high = np.zeros(self.game.dimension), np.zeros(self.game.dimension)
            for stage in range(1, self.game.stages):
                self.game.functions["bounds"](stage, actions, low, high)
                actions[stage] = low + (high - low) * rng.random(self.game.dimension)
            out = np.zeros(self.game.players)
            self.game.functions["payoffs"](actions, out, np.zeros(max(1, self.game.shape.scratch if self.game.shape else 1)))
            paid.append(out)
        return np.ptp(np.array(paid), axis=0)  # type: ignore[no-any-return]

    def values(self, actions: Array) -> list[Array]:
        """W(s) for every stage from the first on, and what is really paid."""
        return [np.asarray(self.reference.payoffs(stage, actions)) for stage in range(2, self.game.stages)] + [
            self._paid(actions)
        ]

    def _paid(self, actions: Array) -> Array:
        out = np.zeros(self.game.players)
        self.game.functions["payoffs"](actions, out, np.zeros(1))
        return out

    def shares(self, actions: Array) -> list[float]:
        """The regret at each stage as a share of its mover's span."""
        after = self.values(actions)
        movers, found = self.game.movers, []
        self.top = max(self.top, float(after[0][movers[1]]))
        for stage in range(1, self.game.stages):
            player = movers[stage]
            best = self.top if stage == 1 else after[stage - 2][player]
            found.append(max(0.0, float(best - after[stage - 1][player]) / float(self.span[player])))
        return found


class Found(NamedTuple):
    """What one search found."""

    actions: Array
    seconds: float
    evaluations: float
    """A simulation."""
    settled: bool | None
    """Whether all trees agree; None where there was one."""


def search(game: Game, state: State, settings: dict[str, Any], simulations: int) -> Found:
    began = time.perf_counter()
    decision = Search(game, **settings).run(state, simulations=simulations)
    took = time.perf_counter() - began
    line = decision.line(until="end", complete=True)
    return Found(np.array(line.states[-1].fields.actions), took, (decision.evaluations or 0) / simulations, decision.settled)


def measure(kind: str, options: argparse.Namespace, kept: dict[str, float]) -> list[dict[str, Any]]:
    game = load(kind)
    first = FIRST[options.half]
    judges = [Judge(kind, first + i, kept) for i in range(options.games)]
    rows, lines = [], {}
    for words in options.settings:
        settings = parse(words)
        for simulations in options.simulations:
            for judge in judges:
                lines[words, simulations, judge.seed] = search(game, judge.state, {"seed": options.seed, **settings}, simulations)
    # A second time round, since a search may have found what the reference had missed.
    for _ in range(2):
        found = {key: judges[key[2] - first].shares(line.actions) for key, line in lines.items()}
    for words in options.settings:
        for simulations in options.simulations:
            keys = [(words, simulations, judge.seed) for judge in judges]
            worst = [max(found[key]) for key in keys]
            settled = [key for key in keys if lines[key].settled]
            rows.append(
                {
                    "family": kind,
                    "settings": words,
                    "simulations": simulations,
                    "games": len(judges),
                    "first_game": first,
                    "median": statistics.median(worst),
                    "ninety": float(np.quantile(worst, 0.9)),
                    "stages": [statistics.fmean(found[key][s] for key in keys) for s in range(game.stages - 1)],
                    "worst": worst,
                    "opinions": sum(lines[key].settled is not None for key in keys),
                    "settled": len(settled),
                    "settled_right": sum(found[key][0] <= RIGHT for key in settled),
                    "seconds": statistics.median(lines[key].seconds for key in keys),
                    "evaluations": statistics.median(lines[key].evaluations for key in keys),
                }
            )
    return rows


def opinions(row: dict[str, Any]) -> str:
    """How many decisions had a second opinion that agreed, and how many of these were right."""
    return f"{row['settled']} of {row['opinions']}, {row['settled_right']}" if row["opinions"] else "-"


def parse(words: str) -> dict[str, Any]:
    """Settings as an agent's string has them."""
    return dict(part.split("=", 1) for part in words.split(",") if part)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", help="some of " + ", ".join(FAMILIES))
    parser.add_argument("--half", choices=tuple(FIRST), default="report")
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0, help="of the searches")
    parser.add_argument("--simulations", type=int, nargs="*", default=BUDGETS)
    parser.add_argument("--settings", nargs="*", default=[""], help="as in method=widening,c=0.1")
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--keep", type=Path, help="a file to keep what the references found for the first mover, for the next time"
    )
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    kept: dict[str, float] = json.loads(options.keep.read_text()) if options.keep and options.keep.exists() else {}
    if not options.json:
        print(f"{options.games} games of each family from number {FIRST[options.half]:,} on, seed {options.seed}\n")
        print(
            "| family | settings | simulations | median | 90 % | mean by stage | settled, right | seconds | evaluations |\n"
            "|---|---|--:|--:|--:|---|---|--:|--:|"
        )
    for kind in options.families or FAMILIES:
        for row in measure(kind, options, kept):
            rows.append(row)
            if options.keep:
                options.keep.write_text(json.dumps(kept))
            if not options.json:
                stages = ", ".join(f"{share:.2g}" for share in row["stages"])
                print(
                    f"| {kind} | {row['settings'] or 'defaults'} | {row['simulations']:,} | {row['median']:.2g} | {row['ninety']:.2g} | "
                    f"{stages} | {opinions(row)} | {row['seconds']:.2f} | {row['evaluations']:.0f} |",
                    flush=True,
                )
    if options.json:
        print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
