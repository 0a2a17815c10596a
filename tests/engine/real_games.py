"""Continuous games for tests of the engine: answers by hand, boxes that move, and a log of everything that was asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from playout import Game
from playout.compile import bind
from playout.engine.real.descent import back_up_real
from playout.planner.settings import Settings
from playout.planner.tree import SearchTree


def logged(stages: int = 3, dimension: int = 1, moving: bool = True, smooth: bool = True) -> tuple[Game, list[Any]]:
    """A game whose payoffs note the real part of all they are asked for; `moving`: boxes depend on the actions before."""
    log: list[Any] = []

    def payoffs(actions, out):
        log.append(np.real(actions).copy())
        for p in range(stages):
            total = 0.0 * actions[0, 0]
            for k in range(stages):
                for i in range(dimension):
                    pull = (0.9 if k % 2 == 0 else -0.4) * (1 + p)
                    total = (
                        total + (0.3 + 0.1 * p - 0.07 * k) * actions[k, i] * actions[(k + 1) % stages, i] + pull * actions[k, i]
                    )
            for i in range(dimension):
                own = actions[p, i]
                total = total - (1.5 * own * own if smooth else abs(own))
            out[p] = total

    def bounds(stage, actions, low, high):
        for i in range(dimension):
            low[i] = -1.0
            high[i] = 1.0
            if stage > 0:
                low[i] = 0.9 * actions[stage - 1, i] - 1.0
                high[i] = low[i] + 1.0 + 0.5 * actions[0, i] * actions[0, i]

    game = Game(
        "logged",
        players=stages,
        stages=stages,
        dimension=dimension,
        bounds=bounds if moving else (-1.0, 1.0),
        payoffs=payoffs,
        compiled=False,
    )
    return game, log


def farthest_outside(game: Game, log: list[Any]) -> float:
    """How far the worst of all noted actions was outside its box."""
    low, high, worst = np.zeros(game.dimension), np.zeros(game.dimension), 0.0
    for actions in log:
        if not np.isfinite(actions).all():
            return np.inf
        for stage in range(game.stages):
            game.functions["bounds"](stage, actions, low, high)
            worst = max(worst, float(np.max(np.maximum(low - actions[stage], actions[stage] - high))))
    return worst


class Bench:
    """The kernels of a game uncompiled, with the scratch space that they work in."""

    def __init__(self, game: Game, **settings: Any) -> None:
        self.binding = bind(game, compiled=False)
        self.tree = SearchTree(self.binding, Settings(**settings).fitted(game), game.start(0), 0)
        options, self.states, _, work, _ = self.tree._scratch
        self.options, self.work, self.head = options[0], work[0], self.tree.tree.head[0]

    @property
    def sim(self) -> Any:
        """What a kernel that takes the whole bundle gets; its lane is 0."""
        return self.tree.sim

    def visit(self, path: tuple[int, ...], value: Any) -> None:
        """Back a value up a path."""
        self.work.path[: len(path)], self.work.value[:], self.work.length[0] = path, value, len(path)
        self.call(back_up_real, self.sim, 0)

    def call(self, function: Any, *arguments: Any) -> Any:
        return self.binding.kernel(function)(*arguments)

    def slopes(self, function: Any, actions: Any, player: int, first: int = 0) -> Any:
        out = np.zeros_like(actions)
        self.call(function, self.head, self.options, self.work, actions, player, first, out)
        return out
