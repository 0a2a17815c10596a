"""The reference of a continuous game: nested optimisation at two resolutions, within the time that the user allows.

`Solver.best` fills in the best actions after a history. It is asked at a fine and at a coarse resolution (other grids, other
steps of the differences); how far their answers lie apart is the error estimate. It is an estimate and no bound: two grids can
miss the same narrow peak.
"""

from __future__ import annotations

import math
import time
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from playout.compile import bind
from playout.errors import GameError, PlayoutError
from playout.game.continuous import NATURE, Array, check_box, history_words
from playout.game.game import Game
from playout.truth.continuous import nested

SECONDS = 60.0
"""How long a reference may take, unless said."""
MOST_KEPT = 512


class Effort(NamedTuple):
    """A resolution: how closely a stage is looked at."""

    name: str
    points: float
    """Points of the grid, relative to the usual."""
    step: float
    """Of the differences, in parts of the box."""
    nodes: int
    """More or fewer points of the rule that chance is averaged by."""


FINE, COARSE = Effort("fine", 1.0, 5e-4, 0), Effort("coarse", 0.77, 7.5e-4, -2)
FIRST, LATER, CLIMBS, FIRST_CLIMBS = 131, 33, 3, 6
"""In one dimension: grid points of the first stage solved and of each later one; climbs from the best of them."""
NODES = {1: 20, 2: 8, 3: 5}
"""Points in each direction of the rule that a stage of chance is averaged by, for each dimension."""


class Infeasible(PlayoutError):
    """The reference would take longer than allowed."""


class Answer(NamedTuple):
    """The best that follows a history: all actions, and the payoffs (means, where chance comes after)."""

    actions: Array
    payoffs: Array


class Solver:
    """Best replies of one game, kept as long as they may be asked again."""

    def __init__(self, game: Game, compiled: bool = True) -> None:
        shape = game.shape
        assert shape is not None, "a continuous game"
        if NATURE in shape.movers and shape.dimension not in NODES:
            raise PlayoutError(
                f"{game.name} has chance in {shape.dimension} dimensions, and the reference averages over at most {max(NODES)}; "
                "sampled_estimate still works"
            )
        self.game, self.shape, self.compiled = game, shape, compiled
        self.evaluations = 0
        self._kept: dict[tuple[int, bytes, str], Answer] = {}
        self._pace: tuple[float, float] | None = None

    def best(self, stage: int, actions: Array, effort: Effort, seconds: float = SECONDS) -> Answer:
        """The best actions from a stage on, given those before it, and what they lead to."""
        history = np.ascontiguousarray(actions[:stage]).tobytes()
        key = (stage, history, effort.name)
        if key not in self._kept:
            if stage == self.shape.stages:
                return self._end(actions)
            self._check_time(stage, actions, seconds)
            if len(self._kept) >= MOST_KEPT:
                # The start is asked for again and again, any other history hardly ever.
                self._kept = {k: v for k, v in self._kept.items() if k[0] == 0}
            self._kept[key] = self._solve(stage, actions, effort)
        return self._kept[key]

    def _end(self, actions: Array) -> Answer:
        out = np.zeros(self.game.players)
        self.game.functions["payoffs"](actions, out, np.zeros(max(1, self.shape.scratch)))
        if not np.isfinite(out).all():
            raise _not_finite(self.game, actions, out)
        return Answer(actions.copy(), out)

    def _solve(self, stage: int, actions: Array, effort: Effort) -> Answer:
        room = make_room(self.game, stage, effort)
        found, out = np.array(actions, np.float64), np.zeros(self.game.players)
        found[stage:] = 0.0
        bind(self.game, self.compiled).kernel(nested.solve)(stage, found, out, room)
        self.evaluations += int(room.count[0])
        if room.fault[0] != nested.FINE:
            raise self._fault(room)
        found.flags.writeable = out.flags.writeable = False
        return Answer(found, out)

    def _fault(self, room: Any) -> GameError:
        game, stage = self.game, int(room.fault[1])
        actions = np.array(room.fault[2:]).reshape(self.shape.stages, self.shape.dimension)
        if room.fault[0] == nested.NOT_FINITE:
            out = np.zeros(game.players)
            game.functions["payoffs"](actions, out, np.zeros(max(1, self.shape.scratch)))
            return _not_finite(game, actions, out)
        for i in range(self.shape.dimension):
            where = f"component {i} at stage {stage} after {history_words(actions[:stage])}"
            check_box(game.name, float(room.low[stage, i]), float(room.high[stage, i]), where)
        raise AssertionError("the box is sound after all")

    # how long

    def _check_time(self, stage: int, actions: Array, seconds: float) -> None:
        """Refuse what would take too long: one stage is solved and timed, and every stage above it multiplies that."""
        depth = self.shape.stages - stage
        if depth == 1:
            return
        if self._pace is None:
            last = self.shape.stages - 1
            middle = np.array(actions, np.float64)
            for s in range(stage, last):
                middle[s] = self._middle(s, middle)
            self._solve(last, middle, FINE)  # compiles
            before, began = self.evaluations, time.perf_counter()
            self._solve(last, middle, FINE)
            first = self._factor(last)
            self._pace = (time.perf_counter() - began) / first, (self.evaluations - before) / first
        for_one, tries = self._pace
        takes = self._factor(stage) * for_one * tries ** (depth - 1)
        if takes <= seconds:
            return
        most = max(1, 1 + math.floor(math.log(max(1.0, seconds / for_one)) / math.log(tries)))
        latest = max(stage + 1, self.shape.stages - most)
        raise Infeasible(
            f"{self.game.name} from stage {stage} on is too large for the reference: {depth} stages one inside the other would take "
            f"about {tries**depth * self._factor(stage):.0e} payoff evaluations and {takes:.0e} s, and {seconds:g} s are allowed; "
            f"ask from stage {latest} on, regret(state, rest) with a state there, or allow more seconds, or take sampled_estimate"
        )

    def _factor(self, stage: int) -> float:
        """How much more closely the first stage of a solve is looked at than the later ones."""
        points, _ = _resolution(self.shape.dimension, True, FINE)
        later, _ = _resolution(self.shape.dimension, False, FINE)
        return points / later if self.shape.movers[stage] != NATURE else 1.0

    def _middle(self, stage: int, actions: Array) -> Array:
        if self.shape.action_set != "box":
            return np.full(self.shape.dimension, self.shape.dimension**-0.5)
        low, high = np.zeros(self.shape.dimension), np.zeros(self.shape.dimension)
        self.game.functions["bounds"](stage, actions, low, high)
        return (low + high) / 2


@lru_cache(maxsize=64)
def solver(game: Game, compiled: bool = True) -> Solver:
    """The solver of a game, which remembers what it has solved."""
    return Solver(game, compiled)


def _resolution(dimension: int, first: bool, effort: Effort) -> tuple[int, int]:
    """(points, climbs) of a stage; the first one solved can afford more."""
    if dimension == 1:
        points, climbs = (FIRST, FIRST_CLIMBS) if first else (LATER, CLIMBS)
        return round(points * effort.points), climbs
    corners = (1 << min(dimension, 4)) + 1
    return corners + round(min(24 * dimension, 300) * effort.points * (3 if first else 1)), FIRST_CLIMBS if first else CLIMBS


def make_room(game: Game, first: int, effort: Effort) -> nested.Room:
    """What the kernel needs to solve a game from a stage on."""
    shape = game.shape
    assert shape is not None
    s, d = shape.stages, shape.dimension
    sizes = [_resolution(d, stage == first, effort) for stage in range(s)]
    nodes, weights = np.polynomial.legendre.leggauss(NODES.get(d, 4) + effort.nodes)
    golden = 2.0  # the generalised golden ratio: Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018
    for _ in range(64):
        golden = (1.0 + golden) ** (1.0 / (d + 1))

    def place(*more: int) -> Array:
        return np.zeros((s, *more))

    at = np.zeros(s, nested.STAGE)
    at["mover"] = shape.movers
    at["points"], at["starts"] = zip(*sizes)
    return nested.Room(
        at=np.rec.array(at),
        unit_length=shape.action_set != "box",
        step=effort.step,
        turns=np.array([golden ** -(i + 1) for i in range(d)]),
        rule=np.array([(nodes + 1) / 2, weights / 2]),
        low=game.run_time.lows(s),
        high=place(d),
        values=place(max(points for points, _ in sizes)),
        results=place(4 * d + 2 * d * (d - 1) + 1),
        here=place(d),
        base=place(d),
        best=place(d),
        slope=place(d),
        move=place(d),
        bend=place(d, d),
        factor=place(d, d),
        mean=place(game.players),
        fault=np.zeros(2 + s * d),
        count=np.zeros(1, np.int64),
        scratch=game.run_time.scratch(),
    )


def _not_finite(game: Game, actions: Array, out: Array) -> GameError:
    player = int(np.flatnonzero(~np.isfinite(out))[0]) if not np.isfinite(out).all() else 0
    return GameError(
        f"game {game.name!r}: payoffs gives player {player} {out[player]:g} for the actions {history_words(actions)}; every payoff must "
        "be a finite number over the whole box, so define it there or narrow the bounds"
    )
