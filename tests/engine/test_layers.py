"""The steps of a network against plain arithmetic: sums over neighbours, normalisation, attention; and the same bits in machine code."""

from __future__ import annotations

from math import erf
from typing import Any

import numpy as np
import pytest

from playout.compile.maker import shared
from playout.compile.records import Records
from playout.engine.layers import ATTEND, CUT, CUT_AFTER, SMOOTH, STRAIGHT, answer_all, smooth
from playout.errors import PlayoutError
from playout.learning.steps import Plan, room_of, stacked, widths

Array = np.ndarray[Any, Any]
BOARD = (3, 4)
CELLS = 12


def said(plan: Plan, numbers: Array, outputs: int, compiled: bool = False) -> Array:
    steps, out = plan.steps, np.zeros((len(numbers), outputs), np.float32)
    room = np.full(room_of(steps, len(plan.layers), numbers.shape[1], outputs), 9e9, np.float32)
    kernel = shared(answer_all) if compiled else answer_all
    kernel(plan.layers, steps if compiled else steps.view(Records), room, numbers, out, numbers.shape[1])
    return out


def numbers_for(*shape: int, seed: int = 1) -> Array:
    """Some of them 0, as after a cut."""
    rng = np.random.default_rng(seed)
    return (rng.normal(size=shape) * (rng.random(shape) < 0.6)).astype(np.float32)


def convolved(x: Array, table: Array, bias: Array) -> Array:
    """A convolution of (cells, inner) by (inner, up, across, outer), neighbour by neighbour."""
    rows, columns = BOARD
    reach = table.shape[1] // 2
    out = np.zeros((rows, columns, table.shape[3]))
    for row in range(rows):
        for column in range(columns):
            for up in range(-reach, reach + 1):
                for across in range(-reach, reach + 1):
                    if 0 <= row + up < rows and 0 <= column + across < columns:
                        out[row, column] += x[(row + up) * columns + column + across] @ table[:, up + reach, across + reach]
    return out.reshape(CELLS, -1) + bias


@pytest.mark.parametrize("reach", [0, 1, 2])
@pytest.mark.parametrize(("bend", "apart"), [(STRAIGHT, False), (CUT, True), (CUT_AFTER, False), (SMOOTH, True)])
def test_cells_hear_their_neighbours(reach: int, bend: int, apart: bool) -> None:
    inner, wide = 5, 2 * reach + 1
    table, x = numbers_for(inner, wide, wide, inner, seed=2), numbers_for(2, CELLS * inner)
    bias = numbers_for(CELLS, inner, seed=3) if apart else numbers_for(inner, seed=3)
    plan = Plan(CELLS * inner, CELLS * inner)
    plan.cells(0, table, bias, BOARD, bend=bend, past=0, to=plan.out)
    found = said(plan, x, CELLS * inner)
    for row, seen in zip(found, x, strict=True):
        sums, past = convolved(seen.reshape(CELLS, inner), table, bias), seen.reshape(CELLS, inner)
        wanted = {
            STRAIGHT: sums + past,
            CUT: np.maximum(sums, 0) + past,
            CUT_AFTER: np.maximum(sums + past, 0),
            SMOOTH: np.vectorize(lambda z: z * (1 + erf(z / np.sqrt(2))) / 2)(sums + past),
        }[bend]
        assert row.reshape(CELLS, inner) == pytest.approx(wanted, abs=1e-4)


def test_what_is_drawn_together_has_mean_0_and_variance_1() -> None:
    plan, x = Plan(CELLS * 6, 1), 3 + numbers_for(1, CELLS * 6)
    place = plan.norm(0, np.ones(6), np.zeros(6), BOARD)
    plan.cells(place, np.zeros((1, 1)), np.zeros(1), to=plan.out)
    room = np.zeros(room_of(plan.steps, len(plan.layers), CELLS * 6, 1), np.float32)
    answer_all(plan.layers, plan.steps.view(Records), room, x, np.zeros((1, 1), np.float32), CELLS * 6)
    drawn = room[place : place + CELLS * 6].reshape(CELLS, 6)
    assert drawn.mean(axis=1) == pytest.approx(np.zeros(CELLS), abs=1e-6) and drawn.var(axis=1) == pytest.approx(1, abs=1e-3)


def test_everybody_hears_the_values_of_those_who_answer() -> None:
    inner, heads = 6, 3
    plan, x = Plan(CELLS * 3 * inner, CELLS * inner), numbers_for(1, CELLS * 3 * inner)
    heard = plan.attend(0, inner, heads, BOARD)
    plan.cells(heard, np.eye(inner), np.zeros(inner), BOARD, to=plan.out)
    found = said(plan, x, CELLS * inner).reshape(CELLS, heads, 2)
    asked, keys, values = x.reshape(CELLS, 3, heads, 2).transpose(1, 0, 2, 3).astype(np.float64)
    for head in range(heads):
        likes = np.exp(asked[:, head] @ keys[:, head].T / np.sqrt(2))
        assert found[:, head] == pytest.approx(likes / likes.sum(axis=1, keepdims=True) @ values[:, head], abs=1e-5)


def test_the_smooth_form_is_gelu() -> None:
    """Far out, too, where powers would be too large for a number."""
    for x in [*np.linspace(-8, 8, 801), -1e30, -300.0, 300.0, 1e30]:
        assert float(smooth(np.float32(x))) == pytest.approx(x * (1 + erf(x / np.sqrt(2))) / 2, abs=1e-6, rel=1e-6)


def everything() -> Plan:
    """Every kind of step, one after the other. What goes in lies at 0, what comes out at 48, and what the steps write at 55, 103, 175, 247,
    463 (behind which attention works up to 715) and 715; there are 979 weights."""
    plan = Plan(CELLS * 4, 7)
    x = plan.turn(0, 4, BOARD)
    x = plan.cells(x, numbers_for(4, 3, 3, 6), numbers_for(CELLS, 6), BOARD, bend=CUT)
    drawn = plan.norm(x, numbers_for(6), numbers_for(6), BOARD)
    asked = plan.cells(drawn, numbers_for(6, 18), numbers_for(18), BOARD, bend=SMOOTH)
    heard = plan.attend(asked, 6, 2, BOARD)
    x = plan.cells(heard, numbers_for(6, 6), numbers_for(6), BOARD, bend=CUT_AFTER, past=x)
    plan.cells(x, numbers_for(CELLS * 6, 7), numbers_for(7), to=plan.out)
    return plan


@pytest.mark.parametrize("board", [(1, 2), (1, 5), (2, 3)])
@pytest.mark.parametrize("inner", [1, 3, 4, 7, 8])
def test_every_token_has_the_same_table(board: tuple[int, int], inner: int) -> None:
    """Tokens go two at a time, and their numbers four: what is left over at either end is not forgotten."""
    cells = board[0] * board[1]
    table, bias, x = numbers_for(inner, 3, seed=2), numbers_for(3, seed=3), numbers_for(2, cells * inner, seed=4)
    plan = Plan(cells * inner, cells * 3)
    plan.cells(0, table, bias, board, to=plan.out)
    assert said(plan, x, cells * 3).reshape(2, cells, 3) == pytest.approx(x.reshape(2, cells, inner) @ table + bias, abs=1e-5)


@pytest.mark.compiles
def test_machine_code_says_the_same_to_the_last_bit() -> None:
    x = numbers_for(5, CELLS * 4, seed=4)
    one, two = said(everything(), x, 7), said(everything(), x, 7, compiled=True)
    assert one.tobytes() == two.tobytes() and len(np.unique(one)) > 30


def test_planes_become_cells() -> None:
    plan = Plan(CELLS * 2, CELLS * 2)
    place = plan.turn(0, 2, BOARD)
    plan.cells(place, np.eye(2), np.zeros(2), BOARD, to=plan.out)
    x = np.arange(CELLS * 2, dtype=np.float32)[None]
    assert (said(plan, x, CELLS * 2).reshape(CELLS, 2) == x.reshape(2, CELLS).T).all()


def test_widths_of_plain_layers() -> None:
    steps = stacked([5, 4, 3, 2], np.zeros(5 * 4 + 4 + 4 * 3 + 3 + 3 * 2 + 2, np.float32))
    assert widths(steps) == [5, 4, 3, 2] and widths(everything().steps) is None
    assert room_of(steps, 47, 5, 2) == 5 + 2 + 4 + 3 + 1


@pytest.mark.parametrize(
    ("number", "changes", "told"),
    [
        (0, {"kind": 7}, "is of no kind that is known"),
        (1, {"bend": -1}, "is of no kind that is known"),
        (1, {"rows": 0}, "has a size or a place out of range"),
        (1, {"outer": 1 << 40}, "has a size or a place out of range"),
        (1, {"source": -5}, "has a size or a place out of range"),
        (1, {"past": -7}, "has a size or a place out of range"),
        (1, {"reach": 1 << 30}, "has a size or a place out of range"),
        (2, {"inner": 5}, "makes 6 numbers of a cell out of 5"),
        (4, {"heads": 4}, "shares 6 numbers out among 4 heads"),
        (4, {"heads": 0}, "shares 6 numbers out among 0 heads"),
        (6, {"at": 800}, "reads weights beyond the "),
        (1, {"apart": 1, "at": 700}, "reads weights beyond the "),
        (1, {"bend": 8}, "is of no kind that is known"),
        (1, {"target": 55}, "writes over what it reads"),
        (1, {"past": 110}, "writes over what it reads"),
        (2, {"target": 0}, "writes over what goes in"),
        (0, {"source": 31}, "writes over what it reads"),
        (2, {"source": 170}, "writes over what it reads"),
        (4, {"target": 200}, "writes over what it reads"),
        (4, {"target": 447}, "writes over what it reads"),
        (2, {"at": 968}, "reads weights beyond the "),
        (1, {"past": 175}, "reads what no step has written"),
        (1, {"source": 1 << 20}, "reads what no step has written"),
        (1, {"past": 1 << 20}, "reads what no step has written"),
        (4, {"source": 715}, "reads what no step has written"),
        (1, {"target": 1 << 24}, "works beyond 16,777,216 numbers"),
        (6, {"target": 56}, "the steps of a network never say number 0 of what comes out"),
    ],
)
def test_steps_that_would_leave_their_room_are_refused(number: int, changes: dict[str, int], told: str) -> None:
    plan = everything()
    steps = plan.steps
    for name, value in changes.items():
        steps[number][name] = value
    with pytest.raises(PlayoutError, match=f"^(step {number} of a network )?{told}"):
        room_of(steps, len(plan.layers), CELLS * 4, 7)


def test_what_attention_works_with_is_nobodys() -> None:
    """It lies behind what it says, and another step must not take it for something that was said."""
    plan = everything()
    steps, size = plan.steps, CELLS * 4
    assert steps[4]["kind"] == ATTEND
    steps[5]["source"] = steps[4]["target"] + 1
    with pytest.raises(PlayoutError, match="step 5 of a network reads what no step has written"):
        room_of(steps, len(plan.layers), size, 7)


def test_what_attention_works_with_lies_over_what_was_said_there_before() -> None:
    plan = Plan(6, 2)
    said_before = plan.cells(0, np.ones((3, 1)), np.zeros(1), (1, 2))
    plan.attend(0, 1, 1, (1, 2))
    plan.cells(said_before, np.eye(1), np.zeros(1), (1, 2), to=plan.out)
    steps = plan.steps
    assert room_of(steps, len(plan.layers), 6, 2) == 6 + 2 + 2 + 8 + 1
    # Two numbers are said, and behind them lie six to work with.
    steps[0]["target"] = steps[2]["source"] = steps[1]["target"] + 4
    with pytest.raises(PlayoutError, match="step 2 of a network reads what no step has written"):
        room_of(steps, len(plan.layers), 6, 2)


def test_one_answer_is_liked_far_more_than_the_others() -> None:
    """Powers of what is liked would be too large for a number: only how much more it is liked counts."""
    plan = Plan(CELLS * 6, CELLS * 2)
    heard = plan.attend(0, 2, 1, BOARD)
    plan.cells(heard, np.eye(2), np.zeros(2), BOARD, to=plan.out)
    x = numbers_for(1, CELLS * 6, seed=5)
    asked = x.reshape(CELLS, 3, 2)
    asked[:, 0], asked[:, 1, 0] = 300.0, 10.0 * np.arange(CELLS)
    found = said(plan, x, CELLS * 2).reshape(CELLS, 2)
    assert found == pytest.approx(np.tile(asked[CELLS - 1, 2], (CELLS, 1)), abs=1e-6)


def test_a_network_without_steps_or_with_too_many_is_refused() -> None:
    with pytest.raises(PlayoutError, match="a network has 0 steps; from 1 to 1,000 can be taken"):
        room_of(everything().steps[:0], 10, CELLS * 4, 7)
