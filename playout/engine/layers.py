"""What a network of layers says of one row of numbers, evaluated by whoever has its steps, its weights and room to work in.

A *step* takes numbers from one place of the room, and puts others into another. Those of a cell of a board, or of a token, lie side by side; a
plain layer is one of a board with one cell. Four kinds are enough for a stack of layers, a residual tower and a transformer. Every sum has
one order, whatever a processor does side by side, so the numbers are the same in machine code and in Python.
"""

from __future__ import annotations

from math import erf, exp, sqrt
from typing import Any

import numpy as np

from playout.compile.holes import cold, whole

STEP = np.dtype(
    [
        (name, np.int64)
        for name in (
            "kind",
            "rows",
            "columns",
            "inner",
            "outer",
            "reach",
            "heads",
            "apart",
            "bend",
            "source",
            "target",
            "past",
            "at",
        )
    ]
)
"""One step. `source`, `target` and `past` are places in the room, `at` is one among the weights; what a kind has no use for is 0."""

CELLS, NORM, ATTEND, TURN = range(4)
"""Kinds of steps. CELLS: every cell gets a sum over the `inner` numbers of itself and of its neighbours up to `reach` away, with weights of
(inner, up, across, outer), then a bias of each outer number (of each cell where they are `apart`). NORM: the numbers of every cell
are drawn to mean 0 and variance 1, then weighed and shifted (Ba et al. 2016). ATTEND: of every cell `heads` questions, keys and values; each gets
the values of all cells by how well keys answer the question (Vaswani et al. 2017). TURN: planes become cells."""
STRAIGHT, CUT, CUT_AFTER, SMOOTH = 0, 1, 2, 4
"""What bends the sums of CELLS, in bits: nothing below 0 goes through, before what goes past is added, or after; the smooth form of the latter
(GELU, Hendrycks and Gimpel 2016). `past` is where that lies which goes past, -1 for nothing."""
TINY = 1e-5
"""What is added to a variance."""


@cold
def answer(layers: Any, steps: Any, room: Any) -> None:
    """All steps, one after the other."""
    for number in range(len(steps)):
        step = steps[number]
        if step.kind == CELLS:
            sum_cells(layers, step, room)
            bend_sums(step, room)
        elif step.kind == NORM:
            draw_together(layers, step, room)
        elif step.kind == ATTEND:
            attend(step, room)
        else:
            turn(step, room)


@cold
def sum_cells(layers: Any, step: Any, room: Any) -> None:
    """The sums of CELLS. What is 0 adds nothing and is skipped: after a cut that is half of it, and most of a first layer."""
    rows, columns, inner, outer = whole(step.rows), whole(step.columns), whole(step.inner), whole(step.outer)
    reach, source, target, at = whole(step.reach), whole(step.source), whole(step.target), whole(step.at)
    span = (2 * reach + 1) * outer
    size = (2 * reach + 1) * span
    for cell in range(rows * columns):
        bias, to = at + inner * size + (cell * outer if step.apart != 0 else 0), target + cell * outer
        for j in range(outer):
            room[to + j] = layers[bias + j]
    for row in range(rows):
        top, bottom = max(0, row - reach), min(rows - 1, row + reach)
        for column in range(columns):
            here = source + (row * columns + column) * inner
            left, right = max(0, column - reach), min(columns - 1, column + reach)
            wide = (right - left + 1) * outer
            for i in range(inner):
                number = room[here + i]
                if number != 0.0:
                    for other in range(top, bottom + 1):
                        # A neighbour hears of this cell from the other side: weights stand in the order of those who hear.
                        by = at + i * size + (other - row + reach) * span + (left - column + reach) * outer
                        add(room, target + (other * columns + left) * outer, layers, by, wide, number)


def add(room: Any, to: int, numbers: Any, by: int, count: int, times: Any) -> None:
    """A row so many times to another: no sum runs along it, so a processor may do many of its numbers at once.

    By places without a sign, since one below 0 would mean another place, and to ask for that takes as long as the sums.
    """
    first, second = np.uint64(to), np.uint64(by)
    for j in range(np.uint64(count)):
        room[first + j] += times * numbers[second + j]


@cold
def bend_sums(step: Any, room: Any) -> None:
    """What goes past is added, and what is bent is bent."""
    count = whole(step.rows * step.columns * step.outer)
    numbers = room[step.target : step.target + count]
    if step.bend & CUT != 0:
        for j in range(count):
            numbers[j] = max(numbers[j], np.float32(0.0))
    if step.past >= 0:
        past = room[step.past : step.past + count]
        for j in range(count):
            numbers[j] += past[j]
    if step.bend & CUT_AFTER != 0:
        for j in range(count):
            numbers[j] = max(numbers[j], np.float32(0.0))
    if step.bend & SMOOTH != 0:
        for j in range(count):
            number = np.float64(numbers[j])
            numbers[j] = np.float32(0.5 * number * (1.0 + erf(number * 0.7071067811865476)))


@cold
def draw_together(layers: Any, step: Any, room: Any) -> None:
    """NORM."""
    inner, source, target, at = whole(step.inner), whole(step.source), whole(step.target), whole(step.at)
    for cell in range(step.rows * step.columns):
        numbers = room[source + cell * inner : source + (cell + 1) * inner]
        total = 0.0
        for j in range(inner):
            total += np.float64(numbers[j])
        mean, spread = total / inner, 0.0
        for j in range(inner):
            off = np.float64(numbers[j]) - mean
            spread += off * off
        scale = 1.0 / sqrt(spread / inner + TINY)
        for j in range(inner):
            even = np.float32((np.float64(numbers[j]) - mean) * scale)
            room[target + cell * inner + j] = even * layers[at + j] + layers[at + inner + j]


@cold
def attend(step: Any, room: Any) -> None:
    """ATTEND: `inner` numbers of a cell for its questions, as many for its keys and for its values. Keys lie crosswise in room behind the target."""
    cells, inner, heads = whole(step.rows * step.columns), whole(step.inner), whole(step.heads)
    size, source, target = inner // heads, whole(step.source), whole(step.target)
    keys = target + cells * inner
    likes = room[keys + size * cells : keys + (size + 1) * cells]
    shrink = np.float32(1.0 / sqrt(np.float64(size)))
    for head in range(heads):
        asked = source + head * size
        for cell in range(cells):
            for j in range(size):
                room[keys + j * cells + cell] = room[asked + inner + cell * 3 * inner + j]
        for cell in range(cells):
            for other in range(cells):
                likes[other] = np.float32(0.0)
            for j in range(size):
                add(room, keys + size * cells, room, keys + j * cells, cells, room[asked + cell * 3 * inner + j] * shrink)
            most, total = likes[0], 0.0
            for other in range(cells):
                most = max(most, likes[other])
            for other in range(cells):
                like = exp(np.float64(likes[other]) - np.float64(most))
                likes[other] = np.float32(like)
                total += like
            heard = target + cell * inner + head * size
            for j in range(size):
                room[heard + j] = np.float32(0.0)
            for other in range(cells):
                share = np.float32(np.float64(likes[other]) / total)
                add(room, heard, room, asked + 2 * inner + other * 3 * inner, size, share)


@cold
def turn(step: Any, room: Any) -> None:
    """TURN: (inner, cells) becomes (cells, inner)."""
    cells, inner = whole(step.rows * step.columns), whole(step.inner)
    for plane in range(inner):
        for cell in range(cells):
            room[step.target + cell * inner + plane] = room[step.source + plane * cells + cell]


def answer_all(layers: Any, steps: Any, room: Any, numbers: Any, out: Any, first: int) -> None:
    """What is said of each row of numbers; the last steps put it from `first` on into the room."""
    for row in range(len(numbers)):
        for i in range(numbers.shape[1]):
            room[i] = numbers[row, i]
        answer(layers, steps, room)
        for i in range(out.shape[1]):
            out[row, i] = room[first + i]
