"""Regret in continuous games: how much each mover lost against the best it could still do, later movers answering best.

    reference("loss-1d").actions                       the solution, by closed form or by nested optimisation
    regret("loss-1d", [-0.2, 2.0, -1.0]).players       what each player gave away
    regret(state, rest)                                the same from the middle of a game
    sampled_estimate("loss-1d", [-0.2, 2.0, -1.0])     cheap, and not regret (`playout.truth.continuous.sampled`)

At stage s, after a history, W(s) are the payoffs when everybody from s on plays best. The regret of the mover of s is its part of
W(s) minus its part of W(s + 1): before and after the action that was taken. It is never negative. A player with several moves
has a regret at each; its own is the largest of them, since a loss at one stage is no excuse for that at another.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from playout.errors import GameError, IllegalAction, PlayoutError, UnfinishedLine
from playout.game.continuous import NATURE, SLACK, Array, action_words, box, read_action
from playout.game.game import Game
from playout.game.load import load
from playout.game.state import State
from playout.truth.continuous.solver import COARSE, FINE, SECONDS, Answer, Effort, Solver, solver

CLOSED, NESTED = "closed form", "nested optimisation"
TOLERANCE = 1e-6
"""Relative to 1 + the payoff: an answer with a smaller error estimate is called certified."""
ROUNDING = 1e-12

Trajectory = Any
"""A finished State, a Line that reaches the end, or the actions still to come as vectors (numbers in one dimension)."""


class Reference(msgspec.Struct, frozen=True, kw_only=True):
    """The best play from a state on."""

    game: str
    source: str
    """"closed form", from the game's own `solution`, or "nested optimisation"."""
    first: int
    """The stage that it begins at; the actions before it are the given ones."""
    actions: tuple[tuple[float, ...], ...]
    """All actions of the game; after a stage of chance there is no single best one, so those from there on are left out."""
    payoffs: tuple[float, ...]
    """What each player gets; means, where chance is still to come."""
    error: float
    """The largest difference between two resolutions, of any payoff at the solution; of a closed form, rounding alone."""
    value_error: float
    """The same for the payoff of the player who moves first here: much smaller, since near the best its own action matters little."""
    certified: bool
    """Whether `value_error` is below 1e-6 of 1 + that payoff."""


class StageRegret(msgspec.Struct, frozen=True, kw_only=True):
    """What the mover of one stage gave away."""

    stage: int
    player: int
    action: tuple[float, ...]
    best: tuple[float, ...] | None
    """The best action there, given the earlier ones; one of them, where several are equally good."""
    regret: float
    value: float
    """What the mover could still get."""
    got: float
    """What it gets with this action, if all later movers answer best."""
    error: float
    """Of the regret, estimated."""


class RegretReport(msgspec.Struct, frozen=True, kw_only=True):
    """How far a trajectory is from best play, stage by stage and player by player."""

    game: str
    source: str
    """"closed form" or "nested optimisation"."""
    stages: tuple[StageRegret, ...]
    players: tuple[float | None, ...]
    """The largest regret of each player; None for one that does not move any more."""
    payoffs: tuple[float, ...]
    """What the trajectory really pays; a high one proves nothing, since the others may have erred."""
    distance: float | None
    """From the solution, Euclidean, over all numbers of all actions or over what the game's `invariant` gives; None with chance."""
    error: float
    certified: bool
    """Whether every error is below 1e-6 of 1 + the payoff."""

    def __str__(self) -> str:
        lines = [
            f"{self.game}: regret by {self.source}, error about {self.error:.1e}" + ("" if self.certified else ", NOT certified")
        ]
        for row in self.stages:
            lines.append(
                f"  stage {row.stage}  player {row.player}  played {action_words(row.action)}"
                + ("" if row.best is None else f", best {action_words(row.best)}")
                + f": regret {row.regret:.6g} ({row.got:.6g} of {row.value:.6g})"
            )
        lines.append("  payoffs " + ", ".join(f"{v:.6g}" for v in self.payoffs))
        if self.distance is not None:
            lines.append(f"  distance to the solution {self.distance:.6g}")
        return "\n".join(lines)


def reference(
    start: Game | State | str | Path, *, seconds: float = SECONDS, compiled: bool = True, closed: bool = True
) -> Reference:
    """The best play from the start of a game, or from a state on, with an error estimate.

    `closed=False` solves it even where the game gives its `solution`. Indifferent players keep the first best action that is
    found, from the lower end of the box; where that matters to the others, the solution is one of several.
    """
    state = begin(start)
    given, first = _played(state)
    best = _Best(state.game, seconds, compiled, closed)
    fine, coarse = best.both(first, given)
    chance = [s for s in range(first, len(given)) if best.shape.movers[s] == NATURE]
    mover = next((m for m in best.shape.movers[first:] if m != NATURE), 0)
    floor = ROUNDING * (1 + float(np.max(np.abs(fine.payoffs))))
    error = max(floor, float(np.max(np.abs(fine.payoffs - coarse.payoffs))))
    value_error = max(floor, abs(float(fine.payoffs[mover] - coarse.payoffs[mover])))
    return Reference(
        game=state.game.spec,
        source=best.source,
        first=first,
        actions=_tuples(fine.actions[: min(chance, default=len(given))]),
        payoffs=tuple(fine.payoffs.tolist()),
        error=error,
        value_error=value_error,
        certified=value_error <= TOLERANCE * (1 + abs(float(fine.payoffs[mover]))),
    )


def regret(
    start: Game | State | str | Path,
    trajectory: Trajectory,
    *,
    seconds: float = SECONDS,
    compiled: bool = True,
    closed: bool = True,
) -> RegretReport:
    """What each mover of a complete trajectory gave away, from the start of a game or from a state on."""
    state = begin(start)
    given, first = _played(state)
    actions = read_trajectory(state, trajectory)
    best = _Best(state.game, seconds, compiled, closed)
    after = [best.both(stage, actions) for stage in range(first, len(given) + 1)]
    rows = [
        _stage(best, stage, actions, after[stage - first], after[stage - first + 1])
        for stage in range(first, len(given))
        if best.shape.movers[stage] != NATURE
    ]
    owners: dict[int, float] = {}
    for row in rows:
        owners[row.player] = max(owners.get(row.player, 0.0), row.regret)
    return RegretReport(
        game=state.game.spec,
        source=best.source,
        stages=tuple(rows),
        players=tuple(owners.get(player) for player in range(state.game.players)),
        payoffs=tuple(after[-1][0].payoffs.tolist()),
        distance=None if NATURE in best.shape.movers[first:] else _distance(state.game, actions, after[0][0].actions),
        error=max((row.error for row in rows), default=0.0),
        certified=all(row.error <= TOLERANCE * (1 + abs(row.value)) for row in rows),
    )


class _Best:
    """Best play after any history of one game, by its closed form or by the reference."""

    def __init__(self, game: Game, seconds: float, compiled: bool, closed: bool) -> None:
        self.solver: Solver = solver(game, compiled)
        self.game, self.shape, self.seconds = game, self.solver.shape, seconds
        self.closed = closed and game.solution is not None and NATURE not in self.shape.movers
        self.source = CLOSED if self.closed else NESTED

    def both(self, stage: int, actions: Array) -> tuple[Answer, Answer]:
        """At the fine and at the coarse resolution; a closed form has but one."""
        if self.closed:
            answer = self._formula(stage, actions)
            return answer, answer
        return self._nested(stage, actions, FINE), self._nested(stage, actions, COARSE)

    def _nested(self, stage: int, actions: Array, effort: Effort) -> Answer:
        return self.solver.best(stage, actions, effort, self.seconds)

    def _formula(self, stage: int, actions: Array) -> Answer:
        ask = self.game.solution
        assert ask is not None
        found = np.array(actions, np.float64)
        found[stage:] = 0.0
        for s in range(stage, self.shape.stages):
            answer = ask(s, found.copy())
            try:
                found[s] = np.asarray(answer, np.float64)
            except (TypeError, ValueError):
                raise GameError(
                    f"game {self.game.name!r}: solution gave {answer!r} at stage {s}, and an action is {self.shape.dimension} numbers; "
                    "return a tuple of them"
                ) from None
        return self.solver.best(self.shape.stages, found, FINE)


def _stage(best: _Best, stage: int, actions: Array, before: tuple[Answer, Answer], after: tuple[Answer, Answer]) -> StageRegret:
    player = best.shape.movers[stage]
    value, got = (float(answer[0].payoffs[player]) for answer in (before, after))
    lost = value - got
    floor = ROUNDING * (1 + max(abs(value), abs(got)))
    error = floor + sum(abs(float(fine.payoffs[player] - coarse.payoffs[player])) for fine, coarse in (before, after))
    if lost < -1e3 * floor and best.closed:
        raise GameError(
            f"game {best.game.name!r}: solution gives player {player} {value:.9g} at stage {stage}, and {action_words(actions[stage])} gives "
            f"{got:.9g}, which is more; correct solution, or leave it out"
        )
    # The trajectory has found what the reference had not: then the reference is wrong by at least so much.
    return StageRegret(
        stage=stage,
        player=player,
        action=tuple(actions[stage].tolist()),
        best=tuple(before[0].actions[stage].tolist()),
        regret=max(0.0, lost),
        value=max(value, got),
        got=got,
        error=max(error, -lost),
    )


def _distance(game: Game, actions: Array, solution: Array) -> float:
    if game.invariant is None:
        return float(np.linalg.norm(actions - solution))
    one, other = (np.asarray(game.invariant(a), np.float64) for a in (actions, solution))
    return float(np.linalg.norm(one - other))


# what is handed in


def begin(start: Game | State | str | Path) -> State:
    """The state that is meant: given itself, or the start of a game, where not even chance has moved."""
    game = start.game if isinstance(start, State) else load(start)
    if not game.continuous:
        raise PlayoutError(
            f"{game.name} has action ids, and this regret is of continuous games; see playout exploit for small games of two players"
        )
    return start if isinstance(start, State) else game.state({})


def _played(state: State) -> tuple[Array, int]:
    fields = state.fields
    return np.array(fields.actions, np.float64), int(fields.stage)


def read_trajectory(state: State, trajectory: Trajectory) -> Array:
    """All actions of a complete trajectory that begins with a state, checked against its boxes."""
    game, shape = state.game, state.game.shape
    assert shape is not None
    given, first = _played(state)
    if hasattr(trajectory, "finished") and hasattr(trajectory, "states"):
        if not trajectory.finished:
            raise _unfinished(game, len(trajectory.actions))
        trajectory = trajectory.states[-1]
    if isinstance(trajectory, State):
        return _from_state(state, trajectory)
    try:
        rest = list(trajectory)
    except TypeError:
        raise PlayoutError(
            f"{trajectory!r} is no trajectory of {game.name}: give a finished state, a finished line, or one action for each stage"
        ) from None
    if len(rest) < shape.stages - first:
        raise _unfinished(game, len(rest), first)
    if len(rest) > shape.stages - first:
        raise PlayoutError(
            f"the trajectory has {len(rest)} actions, and {game.name} has {shape.stages - first} to come from stage {first} on; "
            "leave the others out"
        )
    for stage, action in enumerate(rest, first):
        given[stage] = _vector(game, given, stage, action)
    return given


def _from_state(state: State, end: State) -> Array:
    given, first = _played(state)
    actions, stage = _played(end)
    if end.game.spec != state.game.spec:
        raise PlayoutError(f"the trajectory is of {end.game.spec}, and its regret in {state.game.spec} was asked for")
    if not end.over:
        raise _unfinished(state.game, stage)
    if not np.array_equal(actions[:first], given[:first]):
        raise PlayoutError("the trajectory does not begin with the actions of the state; ask from a state that it goes through")
    return actions


def _vector(game: Game, actions: Array, stage: int, action: Any) -> Array:
    at = game.state({"stage": stage, "actions": actions})
    try:
        if at.mover != NATURE:
            return read_action(at, action)
        vector = np.atleast_1d(np.array(action, np.float64))
        low, high = box(at)
        if vector.shape != low.shape or not (np.all(vector >= low - SLACK) and np.all(vector <= high + SLACK)):
            raise IllegalAction(
                f"{action!r} is not what chance can bring; it draws within {action_words(low.tolist())} to {action_words(high.tolist())}"
            )
        return vector
    except IllegalAction as error:
        raise IllegalAction(f"stage {stage}: {error}") from None


def _unfinished(game: Game, count: int, first: int = 0) -> UnfinishedLine:
    assert game.shape is not None
    wanted = game.shape.stages - first
    return UnfinishedLine(
        f"the trajectory has {count} of the {wanted} actions that {game.name} takes"
        + (f" from stage {first} on" if first else "")
        + ", so nobody's regret is known: give it to the end of the game, as decision.line(until='end', complete=True) does"
    )


def _tuples(actions: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(action.tolist()) for action in actions)
