"""The sampled-tree *estimate* of how much could be gained. It is not regret: it can be of any sign, and it is not 0 at the solution.

Every stage gets a few random actions, the tree of all their combinations is solved by backward induction, and its payoffs are
compared with those of the trajectory. That is cheap in any game, but it measures the draws as much as the trajectory: ten draws
hardly ever come near the best action, so that a good trajectory reads far below 0. `playout.truth.continuous.regret.regret` is the truth.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from playout.compile import bind
from playout.compile.holes import payoffs
from playout.errors import PlayoutError
from playout.game.continuous import NATURE, Array, normal
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import Stream
from playout.truth.continuous.regret import Trajectory, begin, read_trajectory

MOST_LEAVES = 1_000_000


class SampledEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """An estimate from random trees, and no regret."""

    game: str
    estimate: tuple[float, ...]
    """Per player: the mean payoff of the trees' solutions minus that of the trajectory. Any sign; not 0 at the solution."""
    standard_error: tuple[float, ...]
    """Of that mean."""
    spread_of_one: tuple[float, ...]
    """The standard deviation of a single tree."""
    draws: int
    spread: float
    centre: str
    trees: int
    seed: int

    def __str__(self) -> str:
        numbers = ", ".join(f"{v:.4g} ± {e:.2g}" for v, e in zip(self.estimate, self.standard_error))
        return (
            f"{self.game}: sampled-tree estimate, which is not regret: {numbers} ({self.draws} draws a stage, spread {self.spread:g} "
            f"around the {self.centre}, {self.trees} trees, seed {self.seed})"
        )


def sampled_estimate(
    start: Game | State | str | Path,
    trajectory: Trajectory,
    *,
    draws: int = 10,
    spread: float = 1.0,
    centre: str = "origin",
    trees: int = 20,
    seed: int = 0,
    compiled: bool = True,
) -> SampledEstimate:
    """The estimate of a trajectory: so many actions a stage, each Normal(0, spread) around the origin or around the trajectory's
    own action, pulled into the action set; drawn anew at every node of every tree."""
    state = begin(start)
    game, shape = state.game, state.game.shape
    assert shape is not None
    if centre not in ("origin", "trajectory"):
        raise PlayoutError(f"centre={centre!r} is neither 'origin' nor 'trajectory'; choose one of them")
    if draws < 1 or trees < 2 or not 0 < spread < math.inf:
        raise PlayoutError(
            f"draws={draws}, trees={trees}, spread={spread} cannot be used; give 1 draw, 2 trees and a spread above 0 or more"
        )
    first = int(state.fields.stage)
    depth = shape.stages - first
    if draws**depth > MOST_LEAVES:
        raise PlayoutError(
            f"{draws} draws at each of {depth} stages make {float(draws) ** depth:.1e} leaves, and at most {MOST_LEAVES:,} are allowed; "
            f"draw {max(1, int(MOST_LEAVES ** (1 / depth)))} or begin at a later state"
        )
    actions = read_trajectory(state, trajectory)
    own = evaluate(game, actions[None], compiled)[0]
    stream = Stream(seed)
    middle = actions if centre == "trajectory" else np.zeros_like(actions)
    found = np.array([_tree(game, actions, middle, first, draws, spread, stream, compiled) - own for _ in range(trees)])
    one = found.std(axis=0, ddof=1)
    return SampledEstimate(
        game=game.spec,
        estimate=tuple(found.mean(axis=0).tolist()),
        standard_error=tuple((one / math.sqrt(trees)).tolist()),
        spread_of_one=tuple(one.tolist()),
        draws=draws,
        spread=spread,
        centre=centre,
        trees=trees,
        seed=seed,
    )


def _tree(
    game: Game, actions: Array, middle: Array, first: int, draws: int, spread: float, stream: Stream, compiled: bool
) -> Array:
    """The payoffs of one random tree's solution."""
    shape = game.shape
    assert shape is not None
    rows = actions[None].copy()
    for stage in range(first, shape.stages):
        boxes = [_box(game, stage, row) for row in rows]
        rows = np.repeat(rows, draws, axis=0)
        for number, row in enumerate(rows):
            low, high = boxes[number // draws]
            if shape.movers[stage] == NATURE:
                row[stage] = low + (high - low) * np.array([stream.uniform() for _ in range(shape.dimension)])
                continue
            row[stage] = middle[stage] + spread * np.array([normal(stream) for _ in range(shape.dimension)])
            row[stage] = np.clip(row[stage], low, high) if shape.action_set == "box" else row[stage] / np.linalg.norm(row[stage])
    values = evaluate(game, rows, compiled)
    for stage in reversed(range(first, shape.stages)):
        groups = values.reshape(-1, draws, game.players)
        if shape.movers[stage] == NATURE:
            values = groups.mean(axis=1)
        else:
            values = groups[np.arange(len(groups)), groups[:, :, shape.movers[stage]].argmax(axis=1)]
    return np.asarray(values[0])


def _box(game: Game, stage: int, actions: Array) -> tuple[Array, Array]:
    low, high = np.zeros(actions.shape[1]), np.zeros(actions.shape[1])
    game.functions["bounds"](stage, actions, low, high)
    return low, high


def evaluate(game: Game, actions: Array, compiled: bool = True) -> Array:
    """The payoffs of many complete trajectories, a row of `actions` each."""
    assert game.shape is not None
    out = np.zeros((len(actions), game.players))
    bind(game, compiled).kernel(pay)(np.ascontiguousarray(actions, np.float64), out, game.run_time.scratch())
    return out


def pay(actions: Any, out: Any, scratch: Any) -> None:
    for number in range(len(actions)):
        payoffs(actions[number], out[number], scratch)
