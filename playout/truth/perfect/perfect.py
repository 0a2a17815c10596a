"""Perfect play: the exact value of a small game and of every first action, by going back from the ends.

solved = solve("connect-four:columns=4,rows=4")
solved.value, solved.actions          what each player gets with best play, and what each first action is worth
"""

from __future__ import annotations

import time
from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np

from playout.compile import bind
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.game.tape import plays
from playout.truth.perfect.positions import MOST_POSITIONS, Array, Positions, positions
from playout.truth.perfect.sweeps import best_play, best_shares, lines, mixed_play

MOST_SWEEPS = 10_000
NEAR = 1e-12
SLACK = 1e-9
"""Values this near count as equal."""


class _Arrays(NamedTuple):
    """What the kernels read of `Positions`."""

    order: Array
    mover: Array
    final: Array
    first: Array
    ways: Array
    target: Array
    chance: Array


def arrays_of(p: Positions) -> _Arrays:
    """The arrays of positions for machine code."""
    return _Arrays(p.order, p.mover, p.final, p.first, p.ways, p.target, p.chance)


class ActionValue(msgspec.Struct, frozen=True):
    """What a first action is worth to the one who takes it, when everybody plays perfectly from then on."""

    action: int
    name: str
    value: float
    best: bool


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The solution as `playout solve` gives it."""

    game: str
    value: list[float]
    """What each player gets with perfect play."""
    actions: list[ActionValue]
    """At the position asked about, for its mover; empty where chance decides how the game begins."""
    mover: int
    player_names: tuple[str, ...] = ()
    """What the game calls its players; empty where it does not say."""
    positions: int
    symmetric: bool
    """Whether mirrored positions were counted once."""
    edges: int
    cyclic: bool
    seconds: float


class Perfect:
    """A solved game."""

    def __init__(self, p: Positions) -> None:
        self.positions = p
        self._arrays = arrays_of(p)
        kernel = bind(p.game).kernel
        self._best_shares, self._lines, self._mixed_play = kernel(best_shares), kernel(lines), kernel(mixed_play)
        sweep = kernel(best_play)
        players = p.game.players
        self.values = np.zeros((len(p), players))
        """What each player gets from every position on."""
        self.worth = np.zeros((len(p.action), players))
        """The same for every edge."""
        for _ in range(MOST_SWEEPS):
            change = sweep(self._arrays, self.values, self.worth)
            if not p.cyclic or change < NEAR:
                break
        else:
            raise PlayoutError(f"{p.game.spec} did not settle within {MOST_SWEEPS:,} sweeps; {p.game.name} may have no value")

    @property
    def value(self) -> tuple[float, ...]:
        """What each player gets with perfect play from the start."""
        return tuple(float(v) for v in self.over_starts(self.values))

    def over_starts(self, per_position: Array) -> Array:
        """The mean of something over how the game can begin."""
        p = self.positions
        begins = slice(int(p.ways[0]), int(p.ways[1]))
        return np.asarray(p.chance[begins] @ per_position[p.target[begins]])

    @cached_property
    def best(self) -> Array:
        """The share of every edge when all best actions are taken alike."""
        p, share = self.positions, np.zeros(len(self.positions.action))
        for player in range(p.game.players):
            self._best_shares(self._arrays, np.ascontiguousarray(self.worth[:, player]), SLACK, player, share)
        return share

    @cached_property
    def uniform(self) -> Array:
        """The share of every edge when all actions are taken alike."""
        width = np.diff(self.positions.first)
        return np.concatenate([[0.0], np.repeat(1.0 / np.maximum(width, 1), width)])

    @cached_property
    def edge_mover(self) -> Array:
        """The player whose action an edge is; -1 for the start."""
        return np.concatenate([[-1], np.repeat(self.positions.mover, np.diff(self.positions.first))])

    def greedy(self, values: Array) -> Array:
        """The shares of a policy that takes the edges of the highest value, several that are exactly equal alike."""
        share = np.zeros(len(values))
        for player in range(self.positions.game.players):
            self._best_shares(self._arrays, values, 0.0, player, share)
        return share

    def lead(self, seat: int) -> Array:
        """What a seat has more than the other at an end; alone, what it has."""
        final = self.positions.final
        return np.asarray(final[:, seat] - (final[:, 1 - seat] if final.shape[1] == 2 else 0.0))

    def outcome(self, seat: int, mine: Array, others: Array) -> tuple[float, float, float]:
        """Win, draw and loss of a seat, exact: it takes edges by its shares, the others by theirs."""
        p = self.positions
        share = np.where(self.edge_mover == seat, mine, others)
        end = p.mover < 0
        leaf, value = np.zeros((len(p), 3)), np.zeros((len(p), 3))
        lead = self.lead(seat)
        leaf[:, 0], leaf[:, 1], leaf[:, 2] = end & (lead > 0), end & (lead == 0), end & (lead < 0)
        for _ in range(MOST_SWEEPS):
            if self._mixed_play(self._arrays, share, value, leaf) < NEAR or not p.cyclic:
                break
        win, draw, loss = self.over_starts(value)
        return float(win), float(draw), float(loss)

    def losing_lines(self, seat: int, mine: Array) -> tuple[int, int] | None:
        """(losing, all) lines of play of a seat against every reply there can be; None where lines have no end.

        A line is one course of the game: every action of the others, every outcome of chance, and where the policy has
        several best actions, every one of them.
        """
        p = self.positions
        if p.cyclic:
            return None
        taken = np.where(self.edge_mover == seat, mine > 0, True)
        taken[0] = False
        count = np.zeros((len(p), 2))
        self._lines(self._arrays, taken, (p.mover < 0) & (self.lead(seat) < 0), count)
        begins = slice(int(p.ways[0]), int(p.ways[1]))
        total, losing = count[p.target[begins]].sum(axis=0)
        return int(losing), int(total)


def solve(game: Game | str, *, symmetric: bool | None = None, most: int = MOST_POSITIONS) -> Perfect:
    """Solve a game of one player, or of two who want the opposite, exactly.

    >>> solve("tic-tac-toe").value
    (0.0, 0.0)
    """
    p = positions(game, symmetric=symmetric, most=most)
    rules = p.game
    if rules.players > 2:
        raise PlayoutError(
            f"best play is not one thing among {rules.players} players, and {rules.spec} has as many; solve games of 1 or 2"
        )
    sums = p.final[p.mover < 0].sum(axis=1)
    if rules.players == 2 and len(sums) and np.ptp(sums) > 1e-9:
        raise PlayoutError(
            f"{rules.spec} is not zero-sum: games end with returns that add up to {sums.min():g} and to {sums.max():g}; perfect play "
            "needs players who want the opposite"
        )
    if p.cyclic and not p.chancy:
        raise PlayoutError(
            f"{rules.spec} can repeat a position without end, so going back from the ends gives no value; {REPEAT}"
        )
    return Perfect(p)


REPEAT = "count the moves in the state and in its key, and end the game at a limit"


def report(game: Game | str, state: State | None = None, *, most: int = MOST_POSITIONS) -> Report:
    """Solve, and tell about the start or another state of the game."""
    began = time.perf_counter()
    solved = solve(game, most=most)
    p = solved.positions
    value, actions = solved.value, []
    if state is None and int(p.ways[1] - p.ways[0]) == 1:
        state = p.game.start()
    elif state is not None:
        node = p.find(state)
        if node < 0:
            raise PlayoutError(f"that state cannot be reached in {p.game.spec}, so it was not solved; give one of the game's own")
        value = tuple(float(v) for v in solved.values[node])
    if state is not None and not state.over:
        worth = {a: sum(c * solved.values[p.find(s), state.mover] for c, s in plays(state, a)) for a in state.legal}
        best = max(worth.values())
        actions = [ActionValue(a, state.name(a), float(v) + 0.0, bool(v >= best - SLACK)) for a, v in worth.items()]
    return Report(
        game=p.game.spec,
        value=[v + 0.0 for v in value],
        actions=actions,
        mover=-1 if state is None else state.mover,
        player_names=p.game.player_names,
        positions=len(p),
        symmetric=p.symmetric,
        edges=len(p.action) - 1,
        cyclic=p.cyclic,
        seconds=time.perf_counter() - began,
    )
