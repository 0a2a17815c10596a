"""What a network of layers says of one row of numbers, evaluated by whoever has its steps, its weights and room to work in.

A *step* takes numbers from one place of the room, and puts others into another. Those of a cell of a board, or of a token, lie side by side; a
plain layer is one of a board with one cell. Four kinds are enough for a stack of layers, a residual tower and a transformer. Every sum has
one order, whatever a processor does side by side, so the numbers are the same in machine code and in Python.

What takes time is to bring numbers to where sums are made, so rows are added four at a time, and where tokens share a table, to two of them.
"""

from __future__ import annotations

from math import exp, sqrt
from typing import Any

import numpy as np

from playout.compile.holes import cold, hot, whole

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
    """The sums of CELLS."""
    cells, inner, outer = whole(step.rows * step.columns), whole(step.inner), whole(step.outer)
    wide, source, target, at = 2 * whole(step.reach) + 1, whole(step.source), whole(step.target), whole(step.at)
    for cell in range(cells):
        bias, to = at + inner * wide * wide * outer + (cell * outer if step.apart != 0 else 0), target + cell * outer
        for j in range(outer):
            room[to + j] = layers[bias + j]
    if wide == 1 and cells > 1:
        add_products(room, (target, outer), (source, inner), layers, (at, outer), cells, inner, outer)
    else:
        tell_neighbours(layers, step, room)


@hot
def tell_neighbours(layers: Any, step: Any, room: Any) -> None:
    """Every cell tells those up to `reach` away. What is 0 adds nothing and is skipped: after a cut that is half of it, and most of a first layer."""
    rows, columns, inner, outer = whole(step.rows), whole(step.columns), whole(step.inner), whole(step.outer)
    reach, source, target, at = whole(step.reach), whole(step.source), whole(step.target), whole(step.at)
    span = (2 * reach + 1) * outer
    size = (2 * reach + 1) * span
    for row in range(rows):
        top, bottom = max(0, row - reach), min(rows - 1, row + reach)
        for column in range(columns):
            here = source + (row * columns + column) * inner
            left, right = max(0, column - reach), min(columns - 1, column + reach)
            wide = (right - left + 1) * outer
            i = following(room, here, 0, inner)
            while i < inner:
                j = following(room, here, i + 1, inner)
                k = following(room, here, j + 1, inner)
                last = following(room, here, k + 1, inner)
                for other in range(top, bottom + 1):
                    # A neighbour hears of this cell from the other side: weights stand in the order of those who hear.
                    by = at + (other - row + reach) * span + (left - column + reach) * outer
                    to = target + (other * columns + left) * outer
                    if last < inner:
                        four = room[here + i], room[here + j], room[here + k], room[here + last]
                        add_four(room, to, layers, (by + i * size, by + j * size, by + k * size, by + last * size), four, wide)
                    else:
                        add(room, to, layers, by + i * size, room[here + i], wide)
                        if j < inner:
                            add(room, to, layers, by + j * size, room[here + j], wide)
                        if k < inner:
                            add(room, to, layers, by + k * size, room[here + k], wide)
                i = following(room, here, last + 1, inner)


@hot
def following(room: Any, here: int, first: int, end: int) -> int:
    """The next number that is not 0, `end` if none is."""
    while first < end and room[here + first] == 0.0:
        first += 1
    return min(first, end)


@cold
def add_products(room: Any, heard: Any, told: Any, table: Any, rows: Any, cells: int, inner: int, outer: int) -> None:
    """To the `outer` numbers of every cell each row of a table, as many times as one of the `inner` numbers of the cell says. Where the
    former, the latter and the rows lie is (where they begin, how far apart)."""
    pairs, fours = cells - cells % 2, inner - inner % 4
    (target, apart), (source, between), (at, row) = heard, told, rows
    for cell in range(0, pairs, 2):
        to, here = target + cell * apart, source + cell * between
        for i in range(0, fours, 4):
            by, one, two = at + i * row, here + i, here + between + i
            first = room[one], room[one + 1], room[one + 2], room[one + 3]
            second = room[two], room[two + 1], room[two + 2], room[two + 3]
            add_four_to_two(room, (to, to + apart), table, (by, by + row, by + 2 * row, by + 3 * row), first, second, outer)
        for i in range(fours, inner):
            add(room, to, table, at + i * row, room[here + i], outer)
            add(room, to + apart, table, at + i * row, room[here + between + i], outer)
    for cell in range(pairs, cells):
        for i in range(inner):
            add(room, target + cell * apart, table, at + i * row, room[source + cell * between + i], outer)


@hot
def add(room: Any, to: int, table: Any, by: int, times: Any, count: int) -> None:
    """A row so many times to another: no sum runs along it, so a processor may do many of its numbers at once.

    By places without a sign, since one below 0 would mean another place, and to ask for that takes as long as the sums.
    """
    first, second = np.uint64(to), np.uint64(by)
    for j in range(np.uint64(count)):
        room[first + j] += times * table[second + j]


@hot
def add_four(room: Any, to: int, table: Any, by: Any, times: Any, count: int) -> None:
    """Four rows to another, in order."""
    first, a, b, c, d = np.uint64(to), np.uint64(by[0]), np.uint64(by[1]), np.uint64(by[2]), np.uint64(by[3])
    s, t, u, v = times
    for j in range(np.uint64(count)):
        room[first + j] = room[first + j] + s * table[a + j] + t * table[b + j] + u * table[c + j] + v * table[d + j]


@hot
def add_four_to_two(room: Any, to: Any, table: Any, by: Any, times: Any, more: Any, count: int) -> None:
    """Four rows to each of two others, in order."""
    first, second = np.uint64(to[0]), np.uint64(to[1])
    a, b, c, d = np.uint64(by[0]), np.uint64(by[1]), np.uint64(by[2]), np.uint64(by[3])
    s, t, u, v = times
    w, x, y, z = more
    for j in range(np.uint64(count)):
        one, two, three, four = table[a + j], table[b + j], table[c + j], table[d + j]
        room[first + j] = room[first + j] + s * one + t * two + u * three + v * four
        room[second + j] = room[second + j] + w * one + x * two + y * three + z * four


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
            numbers[j] = smooth(numbers[j])


@hot
def smooth(number: Any) -> Any:
    """GELU, by an error function that is off by at most 3e-7 (Abramowitz and Stegun 1964, 7.1.28) and has nothing but sums and products."""
    half, one = np.float32(0.5), np.float32(1.0)
    x = min(abs(number) * np.float32(0.7071067811865476), np.float32(6.0))
    rest = x * np.float32(0.0000430638) + np.float32(0.0002765672)
    rest = rest * x + np.float32(0.0001520143)
    rest = rest * x + np.float32(0.0092705272)
    rest = rest * x + np.float32(0.0422820123)
    rest = rest * x + np.float32(0.0705230784)
    left = rest * x + one
    for _ in range(4):
        left = left * left
    return half * number + half * abs(number) * (one - one / left)


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
    """ATTEND: `inner` numbers of a cell for its questions, as many for its keys and for its values. Keys lie crosswise in room behind the target,
    and behind them how well each answers each question."""
    cells, inner, heads = whole(step.rows * step.columns), whole(step.inner), whole(step.heads)
    size, source, target = inner // heads, whole(step.source), whole(step.target)
    keys = target + cells * inner
    likes = keys + size * cells
    shrink = np.float32(1.0 / sqrt(np.float64(size)))
    for head in range(heads):
        asked = source + head * size
        for cell in range(cells):
            for j in range(size):
                room[keys + j * cells + cell] = room[asked + inner + cell * 3 * inner + j] * shrink
                room[target + cell * inner + head * size + j] = np.float32(0.0)
        room[likes : likes + cells * cells] = np.float32(0.0)
        add_products(room, (likes, cells), (asked, 3 * inner), room, (keys, cells), cells, size, cells)
        for cell in range(cells):
            share_out(room[likes + cell * cells : likes + (cell + 1) * cells])
        heard = target + head * size
        add_products(room, (heard, inner), (likes, cells), room, (asked + 2 * inner, 3 * inner), cells, cells, size)


@hot
def share_out(likes: Any) -> None:
    """Likes become shares of 1."""
    most, total = likes[0], 0.0
    for other in range(len(likes)):
        most = max(most, likes[other])
    for other in range(len(likes)):
        like = exp(np.float64(likes[other]) - np.float64(most))
        likes[other] = np.float32(like)
        total += like
    for other in range(len(likes)):
        likes[other] = np.float32(np.float64(likes[other]) / total)


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
