"""The steps of a network that the kernel of a search evaluates: put together, and looked at before they are believed.

plan = Plan(27, 11)                                     27 numbers go in, 11 come out
hidden = plan.cells(0, weights, bias, bend=CUT)         a layer: where its numbers lie
plan.cells(hidden, other, bias, to=plan.out)            the last one writes what comes out
plan.steps, plan.layers                                 as `engine.layers` takes them
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from playout.engine.layers import ATTEND, CELLS, CUT, CUT_AFTER, NORM, SMOOTH, STEP, STRAIGHT, TURN
from playout.errors import PlayoutError

Array = np.ndarray[Any, Any]
MOST_WEIGHTS = MOST_ROOM = 1 << 24
MOST_STEPS = 1000


class Plan:
    """Steps and weights, in the order in which they are added; places of the room are given out, and given back by `free`."""

    def __init__(self, size: int, outputs: int) -> None:
        self.out = size
        """Where what comes out begins; what goes in begins at 0."""
        self._end = size + outputs
        self._free: dict[int, list[int]] = {}
        self._lengths: dict[int, int] = {}
        self._steps: list[tuple[int, ...]] = []
        self._weights: list[Array] = []
        self._at = 0

    @property
    def steps(self) -> Array:
        return np.array(self._steps, STEP)

    @property
    def layers(self) -> Array:
        return np.concatenate([np.zeros(0, np.float32), *self._weights])

    def cells(
        self,
        source: int,
        weights: Array,
        bias: Array,
        board: tuple[int, int] = (1, 1),
        bend: int = STRAIGHT,
        past: int = -1,
        to: int | None = None,
    ) -> int:
        """Sums of each cell and its neighbours: weights of (inner, outer), or (inner, up, across, outer) as a convolution reads them."""
        table = np.asarray(weights, np.float32)
        if table.ndim == 2:
            table = table[:, None, None, :]
        inner, wide, _, outer = table.shape
        # A convolution asks its neighbours; here a cell tells them, who see it on their other side.
        at = self._weigh(table[:, ::-1, ::-1], np.asarray(bias, np.float32))
        target = self.take(board[0] * board[1] * outer) if to is None else to
        apart = int(np.ndim(bias) == 2)
        return self._add(CELLS, board, inner, outer, source, target, at, reach=wide // 2, apart=apart, bend=bend, past=past)

    def norm(self, source: int, gain: Array, bias: Array, board: tuple[int, int] = (1, 1)) -> int:
        """The numbers of every cell drawn together."""
        at = self._weigh(np.asarray(gain, np.float32), np.asarray(bias, np.float32))
        return self._add(NORM, board, len(gain), len(gain), source, self.take(board[0] * board[1] * len(gain)), at)

    def attend(self, source: int, inner: int, heads: int, board: tuple[int, int]) -> int:
        """Attention over questions, keys and values that lie side by side."""
        cells = board[0] * board[1]
        target = self.take(cells * inner + (inner // heads + cells) * cells)
        return self._add(ATTEND, board, inner, inner, source, target, 0, heads=heads)

    def turn(self, source: int, inner: int, board: tuple[int, int]) -> int:
        """Planes as cells."""
        return self._add(TURN, board, inner, inner, source, self.take(board[0] * board[1] * inner), 0)

    def take(self, count: int) -> int:
        """A place in the room that nobody uses."""
        if self._free.get(count):
            return self._free[count].pop()
        place, self._end = self._end, self._end + count
        self._lengths[place] = count
        return place

    def free(self, *places: int) -> None:
        """What lies there is not needed any more."""
        for place in places:
            self._free.setdefault(self._lengths[place], []).append(place)

    def _weigh(self, *parts: Array) -> int:
        at = self._at
        for part in parts:
            self._weights.append(np.ascontiguousarray(part, np.float32).ravel())
            self._at += part.size
        return at

    def _add(
        self,
        kind: int,
        board: tuple[int, int],
        inner: int,
        outer: int,
        source: int,
        target: int,
        at: int,
        *,
        reach: int = 0,
        heads: int = 0,
        apart: int = 0,
        bend: int = STRAIGHT,
        past: int = -1,
    ) -> int:
        self._steps.append((kind, *board, inner, outer, reach, heads, apart, bend, source, target, past, at))
        return target


def stacked(sizes: Sequence[int], layers: Array) -> Array:
    """The steps of plain layers, so many numbers in and out of each, nothing below 0 between them; `layers` are the weights of all in a row."""
    plan, source, at, last = Plan(sizes[0], sizes[-1]), 0, 0, len(sizes) - 2
    for layer, (inner, outer) in enumerate(pairwise(sizes)):
        table, bias = layers[at : at + inner * outer], layers[at + inner * outer : at + inner * outer + outer]
        at += inner * outer + outer
        to, bend = (plan.out, STRAIGHT) if layer == last else (None, CUT)
        source = plan.cells(source, table.reshape(inner, outer), bias, bend=bend, to=to)
    return plan.steps


def widths(steps: Array) -> list[int] | None:
    """How many numbers go in and out of the layers of a plain stack; None for any other network."""
    plain = (steps["kind"] == CELLS) & (steps["rows"] * steps["columns"] == 1) & (steps["past"] < 0) & (steps["bend"] <= CUT)
    follows = (steps["source"][1:] == steps["target"][:-1]).all()
    return [int(steps["inner"][0]), *steps["outer"].tolist()] if plain.all() and follows else None


def room_of(steps: Array, weights: int, size: int, outputs: int) -> int:
    """How many numbers the steps need to work with, `size` of which go in and after them `outputs` come out, and one more; refused in a
    sentence are steps that would read or write anything else, or read what no step has written, which would be left from the question
    before: they may come from a file, and machine code does not look."""
    room = size + outputs
    if not 0 < len(steps) <= MOST_STEPS:
        raise PlayoutError(f"a network has {len(steps):,} steps; from 1 to {MOST_STEPS:,} can be taken")
    for number, step in enumerate(steps):
        s = {name: int(step[name]) for name in STEP.names or ()}
        fault = _fault(s, weights)
        if not fault:
            ends = [place + count for place, count in _places(s)]
            room = max(room, *ends)
            fault = f"works beyond {MOST_ROOM:,} numbers" if room > MOST_ROOM else ""
            if s["target"] < size:
                fault = fault or "writes over what goes in"
        if fault:
            raise PlayoutError(f"step {number} of a network {fault}")
    known = np.zeros(room, bool)
    known[:size] = True
    for number, step in enumerate(steps):
        s = {name: int(step[name]) for name in STEP.names or ()}
        reads, (target, writes), *past = _places(s)
        if not all(known[place : place + count].all() for place, count in (reads, *past)):
            raise PlayoutError(f"step {number} of a network reads what no step has written")
        # Of attention, what it works with lies behind what it says, and is nobody else's.
        known[target : target + writes] = False
        known[target : target + s["rows"] * s["columns"] * s["outer"]] = True
    told = known[size : size + outputs]
    if not told.all():
        raise PlayoutError(f"the steps of a network never say number {int((~told).argmax())} of what comes out")
    return room + 1


def _places(s: dict[str, int]) -> list[tuple[int, int]]:
    """(begin, count) of what a step reads, then of what it writes, then of what goes past."""
    cells = s["rows"] * s["columns"]
    reads, writes = cells * s["inner"], cells * s["outer"]
    if s["kind"] == ATTEND:
        reads, writes = 3 * reads, writes + (s["inner"] // s["heads"] + cells) * cells
    past = [(s["past"], writes)] if s["past"] >= 0 else []
    return [(s["source"], reads), (s["target"], writes), *past]


def _fault(s: dict[str, int], weights: int) -> str:
    """What is wrong with a step, or nothing."""
    sizes = ("rows", "columns", "inner", "outer")
    if s["kind"] not in (CELLS, NORM, ATTEND, TURN) or not 0 <= s["bend"] <= CUT | CUT_AFTER | SMOOTH or s["apart"] not in (0, 1):
        return "is of no kind that is known"
    if any(not 0 < s[name] <= MOST_ROOM for name in sizes) or any(
        not 0 <= s[name] <= MOST_ROOM for name in ("source", "target", "at")
    ):
        return "has a size or a place out of range"
    if not 0 <= s["reach"] <= 64 or s["past"] < -1 or s["past"] > MOST_ROOM:
        return "has a size or a place out of range"
    if s["kind"] != CELLS and s["inner"] != s["outer"]:
        return f"makes {s['outer']:,} numbers of a cell out of {s['inner']:,}"
    if s["kind"] == ATTEND and not (0 < s["heads"] <= s["inner"] and s["inner"] % s["heads"] == 0):
        return f"shares {s['inner']:,} numbers out among {s['heads']:,} heads"
    cells, wide = s["rows"] * s["columns"], 2 * s["reach"] + 1
    needs = {CELLS: s["inner"] * wide * wide * s["outer"] + s["outer"] * (cells if s["apart"] else 1), NORM: 2 * s["inner"]}
    if s["at"] + needs.get(s["kind"], 0) > weights:
        return f"reads weights beyond the {weights:,} that there are"
    read, (target, writes), *past = _places(s)
    for source, reads in (read, *past):
        itself = s["kind"] == NORM and source == target
        if source < target + writes and target < source + reads and not itself:
            return "writes over what it reads"
    return ""
