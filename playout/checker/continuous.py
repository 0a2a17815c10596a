"""Continuous games: are payoffs and bounds what searches and `playout.truth` take them for?

Random trajectories and the corners of the boxes are tried uncompiled, where Python's own errors are caught; then compiled. What
makes a search slower or blind, but not wrong, is a note and no problem.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from playout.checker.contract.findings import Broken, Findings, raised_at
from playout.checker.contract.report import Speed, SpeedRow
from playout.checker.contract.watch import Watch
from playout.errors import GameError, PlayoutError
from playout.game.analytic import not_analytic
from playout.game.continuous import NATURE, Array, Shape, check_box, history_words, normal
from playout.game.stream import INFLUENCE, PICKS, Stream

MOST_CORNERS = 512
SHOWN_POINTS = 40
"""Points at which the slower questions are asked: derivatives, and which actions matter."""
FEWEST_POINTS = 8
"""Points that are tried however slow the game is."""
MARK = 1234.5678901
"""What stands in `out` before `payoffs` is called, so that what was not written is seen."""
STEP = 1e-5
SHORTEST = 0.01
"""Seconds that one measurement takes at least."""


def examine(findings: Findings, seed: int, states: int, seconds: float, tell: Callable[[float], None]) -> list[Array]:
    """Try actions uncompiled; the trajectories that were tried."""
    probe, half = _Probe(findings, time.monotonic() + seconds), time.monotonic() + seconds / 2
    points: list[Array] = []
    try:
        for actions in probe.trajectories(seed, states):
            probe.payoffs(actions)
            points.append(actions)
            findings.states += probe.shape.stages
            findings.game_ended(probe.shape.stages)
            tell(len(points) / states)
            if time.monotonic() > half and len(points) >= FEWEST_POINTS:
                break
        # The last one is no corner.
        findings.first = seed, tuple(tuple(float(part) for part in action) for action in points[-1])
        few = points[:: max(1, len(points) // SHOWN_POINTS)]
        probe.influence(few, Stream(seed, INFLUENCE))
        probe.complex_numbers()
        probe.gradient(few)
    except Broken:
        pass
    return points


def try_points(findings: Findings, watch: Watch, points: int, seconds: float) -> None:
    """A first look: payoffs and bounds in some corners and points, watched."""
    probe = _Probe(findings, time.monotonic() + seconds, watch)
    for number, actions in enumerate(probe.trajectories(0, points)):
        probe.payoffs(actions)
        if number >= points or probe.late():
            return


class _Probe:
    def __init__(self, findings: Findings, deadline: float, watch: Watch | None = None) -> None:
        shape = findings.game.shape
        assert shape is not None
        self.findings, self.game, self.shape = findings, findings.game, shape
        self.deadline, self.watch = deadline, watch

    def late(self) -> bool:
        return time.monotonic() > self.deadline

    def call(self, role: str, *arguments: Any) -> None:
        """One call of the game's, watched where somebody watches."""
        function = self.game.functions[role]
        if self.watch is None:
            function(*arguments)
        else:
            self.watch.call(role, function, *arguments)

    def broken(self, code: str, role: str, said: str) -> Broken:
        self.findings.problem(code, f"{self.findings.where(role)} {said}")
        return Broken()

    # bounds

    def trajectories(self, seed: int, states: int) -> Iterator[Array]:
        """Corners first, where payoffs break most often, then random points."""
        shape, stream = self.shape, Stream(seed, PICKS)
        sides = shape.stages * shape.dimension
        corners = min(MOST_CORNERS, 1 << min(sides, 20)) if shape.action_set == "box" else 0
        for number in range(max(corners + 1, min(states, 100_000))):
            actions = np.zeros((shape.stages, shape.dimension))
            for stage in range(shape.stages):
                if shape.action_set != "box":
                    vector = np.array([normal(stream) for _ in range(shape.dimension)])
                    actions[stage] = vector / np.linalg.norm(vector)
                    continue
                low, high = self.bounds(stage, actions)
                # With all corners in reach they are counted through; else random ones are taken.
                bits = number >> (stage * shape.dimension) if sides <= 9 else stream.next()
                for i in range(shape.dimension):
                    part = float(bits >> i & 1) if number < corners else stream.uniform()
                    actions[stage, i] = min(max(low[i] + part * (high[i] - low[i]), low[i]), high[i])
            yield actions

    def bounds(self, stage: int, actions: Array) -> tuple[Array, Array]:
        low, high, given = np.full(self.shape.dimension, MARK), np.full(self.shape.dimension, MARK), actions.copy()
        try:
            self.call("bounds", stage, given, low, high)
        except Exception as error:
            raise self.raised("bounds", error, actions[:stage]) from None
        if not np.array_equal(given, actions):
            raise self.broken("bounds-writes", "bounds", "changes actions; it may only read them, and write low and high")
        for name, side in (("low", low), ("high", high)):
            missing = np.flatnonzero(side == MARK)
            if len(missing):
                at = f"at stage {stage}; write every component of low and high"
                raise self.broken("bounds-unwritten", "bounds", f"does not write {name}[{missing[0]}] {at}")
        for i in range(self.shape.dimension):
            try:
                check_box(
                    self.game.name,
                    float(low[i]),
                    float(high[i]),
                    f"component {i} at stage {stage} after {history_words(actions[:stage])}",
                )
            except GameError as error:
                self.findings.problem("bounds-order" if low[i] > high[i] else "bounds-infinite", str(error))
                raise Broken from None
        return low, high

    # payoffs

    def ask(self, actions: Array, mark: float = MARK) -> Array:
        out = np.full(self.game.players, mark)
        self.call("payoffs", actions, out, np.full(max(1, self.shape.scratch), mark))
        return out

    def payoffs(self, actions: Array) -> Array:
        """What the game pays, and everything that can be wrong with it in one point."""
        given = actions.copy()
        try:
            out = self.ask(given)
            again = self.ask(actions.copy(), -MARK)
        except Exception as error:
            raise self.raised("payoffs", error, actions) from None
        at = f"for the actions {history_words(actions)}"
        if not np.array_equal(given, actions):
            raise self.broken("payoffs-writes", "payoffs", f"changes actions, {at}; it may only read them, and write out")
        missing = np.flatnonzero((out == MARK) & (again == -MARK))
        if len(missing):
            raise self.broken(
                "payoffs-unwritten", "payoffs", f"does not write out[{missing[0]}], {at}; give every player a number"
            )
        if not np.isfinite(out).all():
            player = int(np.flatnonzero(~np.isfinite(out))[0])
            cure = "every payoff must be a finite number over the whole box, so define it there or narrow the bounds"
            raise self.broken("payoffs-nan", "payoffs", f"gave player {player} {out[player]:g} {at}; {cure}")
        if not np.array_equal(out, again):
            player = int(np.flatnonzero(out != again)[0])
            cure = "it must depend on the actions alone, so write out and scratch before reading them, and use no chance"
            raise self.broken(
                "payoffs-impure", "payoffs", f"gave player {player} {out[player]:.9g} and then {again[player]:.9g} {at}; {cure}"
            )
        return out

    def raised(self, role: str, error: Exception, actions: Array) -> Broken:
        where, said = raised_at(self.findings, role, error), str(error) or type(error).__name__
        if isinstance(error, IndexError):
            shape = self.shape
            cure = f"actions has {shape.stages} stages of {shape.dimension} numbers, actions[stage, i], and out {self.game.players} players"
            message = f"{where} reads or writes outside an array ({said}); compiled this would damage other data: {cure}"
        else:
            message = f"{where} raised {type(error).__name__}: {said}, for the actions {history_words(actions)}; it must work for every action in the box"
        self.findings.problem(f"{role}-outside" if isinstance(error, IndexError) else f"{role}-fails", message)
        return Broken()

    # what only some games do

    def influence(self, points: list[Array], stream: Stream) -> None:
        """Say which actions change nothing: a search there is a waste, and the regret of such a stage is 0."""
        moves = np.zeros((self.shape.stages, self.shape.dimension), bool)
        for actions in points:
            before = self.ask(actions)
            for stage, i in zip(*np.nonzero(~moves)):
                if self.late():
                    return  # what was not tried is not known to be without influence
                changed = actions.copy()
                if self.shape.action_set == "box":
                    low, high = self.bounds(int(stage), actions)
                    changed[stage, i] = low[i] + stream.uniform() * (high[i] - low[i])
                else:
                    changed[stage, i] += stream.uniform()
                    changed[stage] /= np.linalg.norm(changed[stage])
                moves[stage, i] = not np.array_equal(before, self.ask(changed))
        for stage in range(self.shape.stages):
            who = "chance" if self.shape.movers[stage] == NATURE else f"player {self.shape.movers[stage]}"
            dead = np.flatnonzero(~moves[stage])
            if len(dead) == self.shape.dimension:
                text = (
                    f"no payoff depends on the action of stage {stage} ({who}): any is as good as any other, and its regret is 0"
                )
                self.findings.note(f"ignored {stage}", text)
            elif len(dead):
                text = f"no payoff depends on component {dead[0]} of the action of stage {stage} ({who}); is it meant to?"
                self.findings.note(f"ignored {stage}", text)

    def complex_numbers(self) -> None:
        """Whether a search can take derivatives by the complex step; what has a gradient of its own needs none."""
        said = "" if self.game.own_gradient or self.late() else not_analytic(self.game)
        if said:
            where = self.findings.where("payoffs")
            self.findings.note(
                "complex", f"{where} {said}, so derivatives are taken by differences, which is slower and less exact"
            )

    def difference(self, actions: Array, stage: int, i: int) -> Array:
        width = STEP * (1.0 + abs(actions[stage, i]))
        above, below = actions.copy(), actions.copy()
        above[stage, i] += width
        below[stage, i] -= width
        return np.asarray((self.ask(above) - self.ask(below)) / (2 * width))

    def gradient(self, points: list[Array]) -> None:
        """The game's own gradient against differences of its payoffs."""
        if not self.game.has("gradient"):
            return
        for actions in [actions for actions in points if self.inside(actions)][:10]:
            paid, outs = self.ask(actions), np.full((self.game.players, *actions.shape), MARK)
            for player in range(self.game.players):
                try:
                    room = np.full(max(1, self.shape.scratch), MARK)
                    self.game.functions["gradient"](actions.copy(), player, outs[player], room)
                except Exception as error:
                    raise self.raised("gradient", error, actions) from None
            for stage, i in np.ndindex(*actions.shape):
                if self.late():
                    return
                near = self.difference(actions, stage, i)
                wrong = np.flatnonzero(~(np.abs(outs[:, stage, i] - near) <= 1e-4 * (1.0 + np.abs(near) + np.abs(paid))))
                if len(wrong):
                    player = int(wrong[0])
                    found = outs[player, stage, i]
                    said = "nothing (out is not written)" if found == MARK else f"{found:.6g}"
                    what = f"gives {said} for player {player} by actions[{stage}, {i}], and differences of payoffs give {near[player]:.6g}"
                    at = f"for the actions {history_words(actions)}"
                    raise self.broken("gradient-wrong", "gradient", f"{what}, {at}; correct it or leave it out")

    def inside(self, actions: Array) -> bool:
        """Whether the point is no corner: differences look a little to both sides."""
        if self.shape.action_set != "box":
            return True
        for stage in range(self.shape.stages):
            low, high = self.bounds(stage, actions)
            room = 1e-3 * (high - low)
            if np.any(actions[stage] < low + room) or np.any(actions[stage] > high - room):
                return False
        return True


# compiled


def machine_code(findings: Findings, points: list[Array]) -> Speed | None:
    """Compile the game, compare the two forms, and measure."""
    from playout.truth.continuous.sampled import evaluate

    game, shape = findings.game, findings.game.shape
    assert shape is not None
    rows = np.array(points)
    try:
        fast = evaluate(game, rows)
    except PlayoutError as error:
        findings.problem("compile", str(error))
        return None
    slow = evaluate(game, rows, compiled=False)
    findings.compiled_states += len(rows) * shape.stages
    differ = np.argwhere(np.abs(fast - slow) > 1e-9 * (1.0 + np.abs(slow)))
    if len(differ):
        number, player = (int(v) for v in differ[0])
        findings.problem(
            "payoffs-differ",
            f"{findings.where('payoffs')} gives player {player} {fast[number, player]:.12g} compiled and {slow[number, player]:.12g} uncompiled "
            f"for the actions {history_words(rows[number])}; use float numbers throughout, and no integers that grow beyond 64 bits",
        )
        return None
    return _speed(findings, rows, shape)


def _speed(findings: Findings, rows: Array, shape: Shape) -> Speed:
    from playout.truth.continuous.sampled import evaluate

    many = np.tile(rows, (1 + 20_000 // len(rows), 1, 1))
    best = float("inf")
    for _ in range(3):
        began, calls = time.perf_counter(), 0
        while time.perf_counter() - began < SHORTEST:
            evaluate(findings.game, many)
            calls += len(many)
        best = min(best, (time.perf_counter() - began) / calls)
    rate = 1.0 / best
    row = SpeedRow(function="payoffs", nanoseconds=round(1e9 / rate, 2), per_second=round(rate), calls=1.0, share=1.0)
    return Speed(
        rows=(row,),
        playouts_per_second=round(rate),
        steps_per_second=round(rate * shape.stages),
        costliest="payoffs",
        advice="payoffs is all that a simulation asks of the game: fewer operations there, and no power or exponential where a product does",
    )
