"""The speed page: what each function costs compiled, which one costs most in a playout, and what to try."""

from __future__ import annotations

import ast
import time
import types
from typing import Any

import numpy as np

from playout.checker.contract.replay import Player
from playout.checker.contract.report import Speed, SpeedRow
from playout.compile import bind
from playout.compile.holes import PICK, evaluate, key, legal, mover, pick, play, returns, start, whole
from playout.compile.records import new_stream, slack
from playout.compile.source import definition
from playout.game.game import Game
from playout.game.stream import below

COPY, START, LEGAL, PLAY, MOVER, RETURNS, KEY, EVALUATE, PICKING, PLAYOUT = range(10)
SAMPLE = 256
"""States to measure on; a power of two."""
SHORTEST = 0.02
"""Seconds that one measurement takes at least."""


def clock(states: Any, scratch: Any, ids: Any, values: Any, actions: Any, rng: Any, what: int, stride: int, repeats: int) -> int:
    """Call one function on every state, over and over; a number that keeps the compiler from leaving the calls out.

    The states are taken in an order that the compiler does not know, so that it cannot do several calls at once.
    """
    total, i, mask = 0, 0, len(actions) - 1
    for _ in range(repeats):
        for _ in range(len(actions)):
            i = (i + stride) & mask
            state, other = states[i], scratch[i & 7]
            if what == LEGAL:
                total += legal(state, ids)
            elif what == MOVER:
                total += mover(state)
            elif what == RETURNS:
                returns(state, values)
            elif what == KEY:
                total += key(state) & 1
            elif what == EVALUATE:
                evaluate(state, values)
            elif what == PICKING:
                total += whole(pick(state, rng))
            elif what == START:
                start(other, rng)
            else:
                scratch[i & 7] = state
                if what == PLAY:
                    play(other, actions[i], rng)
                elif what == PLAYOUT:
                    while mover(other) >= 0:
                        play(other, any_of(other, ids, rng), rng)
                        total += 1
                    returns(other, values)
    return total


def any_of(state: Any, ids: Any, rng: Any) -> int:
    """A legal action at random, as playouts draw it."""
    if PICK:
        return whole(pick(state, rng))
    return whole(ids[below(rng, legal(state, ids))])


class _Bench:
    def __init__(
        self, game: Game, states: np.ndarray[Any, Any], actions: np.ndarray[Any, Any], begin: np.ndarray[Any, Any]
    ) -> None:
        self.game, self.states, self.actions, self.begin = game, states, actions, begin
        room = slack(game.most_legal)
        self.scratch = np.zeros(8, game.dtype)
        self.buffers = (np.zeros(room, np.int64), np.zeros(game.players))
        self.rng = new_stream(True)
        self.kernel = bind(game, trust=True).kernel(clock)

    def run(self, what: int, repeats: int, begin: bool = False) -> tuple[float, int]:
        states, actions = (self.begin, self.actions[:1]) if begin else (self.states, self.actions)
        before = time.perf_counter()
        total = self.kernel(states, self.scratch, *self.buffers, actions, self.rng, what, 37, repeats)
        return time.perf_counter() - before, int(total)

    def nanoseconds(self, what: int) -> float:
        """Per call, the best of three."""
        self.run(what, 1)
        repeats = 1
        while self.run(what, repeats)[0] < SHORTEST / 4 and repeats < 1 << 20:
            repeats *= 4
        return 1e9 * min(self.run(what, repeats)[0] for _ in range(3)) / repeats / len(self.states)

    def playouts(self) -> tuple[float, float]:
        """Playouts a second and actions in one, from the start."""
        self.run(PLAYOUT, 1, begin=True)
        repeats, seconds, steps = 1, 0.0, 0
        while seconds < 2 * SHORTEST and repeats < 1 << 24:
            repeats *= 4
            seconds, steps = self.run(PLAYOUT, repeats, begin=True)
        return repeats / seconds, steps / repeats


def measure(game: Game, seed: int = 0) -> Speed:
    """The speed page of a game that compiles and keeps the contract."""
    states, actions, begin = _sample(game, seed)
    bench = _Bench(game, states, actions, begin)
    rate, steps = bench.playouts()
    copy = bench.nanoseconds(COPY)
    costs = {"copy": copy, "legal": bench.nanoseconds(LEGAL), "play": max(0.2, bench.nanoseconds(PLAY) - copy)}
    costs |= {"mover": bench.nanoseconds(MOVER), "returns": bench.nanoseconds(RETURNS)}
    calls = {"copy": 1.0, "legal": steps, "play": steps, "mover": steps + 1, "returns": 1.0}
    if game.has("pick"):
        calls |= {"pick": steps, "legal": 0.0}
    for role, what in (("pick", PICKING), ("start", START), ("key", KEY), ("evaluate", EVALUATE)):
        if game.has(role):
            costs[role] = bench.nanoseconds(what)
    total = sum(costs[name] * calls[name] for name in calls)
    rows = tuple(
        SpeedRow(
            function=name,
            nanoseconds=round(cost, 2),
            per_second=round(1e9 / cost),
            calls=round(calls.get(name, 0.0), 2),
            share=round(cost * calls.get(name, 0.0) / total, 4),
        )
        for name, cost in costs.items()
    )
    costliest = max(rows, key=lambda row: row.share)
    return Speed(
        rows=rows,
        playouts_per_second=round(rate),
        steps_per_second=round(rate * steps),
        costliest=costliest.function,
        advice=f"{costliest.function} takes {costliest.share:.0%} of a playout: {_advice(game, costliest.function)}",
    )


def _sample(game: Game, seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """States of random games that are not over, with an action for each, and one first state."""
    player = Player(bind(game))
    states: list[np.ndarray[Any, Any]] = []
    actions: list[np.ndarray[Any, Any]] = []
    begin, number = np.zeros(1, game.dtype), 0
    while sum(len(part) for part in actions) < SAMPLE and number < SAMPLE:
        player.begin(seed + number)
        player.go_on()
        if number == 0:
            begin = player.states[:1].copy()
        states.append(player.states[: player.count - 1].copy())
        actions.append(player.trace.chosen[: player.count - 1].copy())
        number += 1
    return np.resize(np.concatenate(states), SAMPLE), np.resize(np.concatenate(actions), SAMPLE), begin


def _advice(game: Game, name: str) -> str:
    function = game.functions.get(name)
    scans = isinstance(function, types.FunctionType) and _scans(function)
    if name == "legal":
        if scans:
            return (
                "keep the list of free cells (or a bitboard of them) in the state, changed by play, instead of scanning for them"
            )
        return "it does not search, only lists; a pick, which draws an action without a list, is what is left, or narrower integers in the state"
    if name == "pick":
        return "let play keep what it draws from (a list of free cells, a bitboard, a count) in the state, so that one look finds the action"
    if name == "play":
        return "look only at what the action can have changed (lines through the last stone), and keep counts, do not recount"
    if name == "mover":
        return "let play work out who is next and whether the game is over, keep that in a field, and return the field"
    if name == "returns":
        return "let play keep the result in a field when the game ends, and only read it here"
    size = f"{game.dtype.itemsize:,} bytes"
    return f"a state takes {size}; use narrower integers (np.int8) and keep tables that never change outside the state"


def _scans(function: types.FunctionType) -> bool:
    """Whether a loop asks something of every element, and does not just copy them."""
    tree = definition(function)
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While)] if tree is not None else []
    return any(isinstance(node, ast.If | ast.IfExp) for loop in loops for node in ast.walk(loop))
