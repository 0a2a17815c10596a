"""Threads in step: what a warp needs for ways that were noted, by hand."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

import warps_replay
from warps_code import Stretch, accesses, cost, python_name

STACK = (1 << 40, 1 << 41)


@pytest.fixture(autouse=True)
def as_python(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("behind", "together", "sectors", "replay"):
        monkeypatch.setattr(warps_replay, name, getattr(warps_replay, name).py_func)


def warp(edges, costs, ways, sizes=None, calls=None):
    """(slots, used, sectors of all, of threads' own) of a kernel with these blocks; `calls` has those of one more function."""
    functions, stretches, numbers = {"kernel": edges, **({"inner": calls} if calls else {})}, [], {}
    for function, blocks in functions.items():
        for block in blocks:
            numbers[block] = len(stretches)
            last = not blocks[block] and function == "inner"
            stretches.append(Stretch(function, block, costs[block], (sizes or {}).get(block, []), returns=last))
    noted = [[numbers[step] if isinstance(step, str) else step for step in way] for way in ways]
    noting = SimpleNamespace(
        name="kernel",
        stretches=stretches,
        next=functions,
        entries={name: numbers[next(iter(blocks))] for name, blocks in functions.items()},
        ways=[np.array(way, np.int64) for way in noted],
    )
    found = warps_replay.counted(noting, STACK)
    return tuple(float(column.sum()) for column in found)


LOOP = {"first": ["body"], "body": ["body", "last"], "last": []}


def test_who_is_done_waits_for_whoever_is_not():
    # 1, 2, 3 and 6 times through a loop of 10: the warp goes through it six times, the threads had a use for three.
    ways = [["first", *["body"] * n, "last"] for n in (1, 2, 3, 6)]
    slots, used, *_ = warp(LOOP, {"first": 1, "body": 10, "last": 1}, ways)
    assert (slots, used) == (62, 32)


def test_two_ways_are_gone_one_after_the_other_and_meet_again():
    fork = {"first": ["left", "right"], "left": ["last"], "right": ["last"], "last": []}
    ways = [["first", side, "last"] for side in ("left", "left", "left", "right")]
    slots, used, *_ = warp(fork, {"first": 2, "left": 8, "right": 4, "last": 100}, ways)
    assert slots == 2 + 8 + 4 + 100 and used == 102 + (3 * 8 + 4) / 4


def test_a_loop_within_a_loop_is_left_together():
    # Each time round the outer loop the inner one is gone through until the last thread is through.
    edges = {"out": ["in"], "in": ["in", "tail"], "tail": ["out", "end"], "end": []}
    ways = [["out", *["in"] * a, "tail", "out", *["in"] * b, "tail", "end"] for a, b in ((1, 4), (4, 1))]
    slots, used, *_ = warp(edges, {"out": 1, "in": 1, "tail": 1, "end": 1}, ways)
    assert slots == 2 + 4 + 4 + 2 + 1 and used == 2 + 5 + 2 + 1


def test_threads_in_a_call_from_one_place_go_together_and_from_two_places_do_not():
    edges = {"first": ["one", "two"], "one": ["last"], "two": ["last"], "last": []}
    inner = {"called": ["back"], "back": []}
    costs = {"first": 1, "one": 1, "two": 1, "last": 1, "called": 50, "back": 1}
    same = [["first", "one", "called", "back", "last"]] * 2
    other = [["first", side, "called", "back", "last"] for side in ("one", "two")]
    assert warp(edges, costs, same, calls=inner)[0] == 1 + 1 + 51 + 1
    assert warp(edges, costs, other, calls=inner)[0] == 1 + 2 + 2 * 51 + 1


def test_sectors_of_neighbours_and_of_strangers():
    edges, costs = {"only": []}, {"only": 1}
    near = [["only", 4096 + 8 * thread] for thread in range(32)]
    far = [["only", 4096 + 512 * thread] for thread in range(32)]
    assert warp(edges, costs, near, {"only": [8]})[2:] == (8, 0)
    assert warp(edges, costs, far, {"only": [8]})[2:] == (32, 0)
    # One's own: the same place in every thread lies side by side, and other places do not.
    same = [["only", STACK[0] + 64] for _ in range(32)]
    other = [["only", STACK[0] + 64 * thread] for thread in range(32)]
    assert warp(edges, costs, same, {"only": [4]})[2:] == (0, 4)
    assert warp(edges, costs, other, {"only": [4]})[2:] == (0, 32)
    # A record of 24 bytes is three accesses of 8.
    assert warp(edges, costs, far, {"only": [24]})[2:] == (96, 0)


def test_loops_lie_in_one_piece():
    edges = {"a": ["out", "b"], "out": [], "b": ["c", "a"], "c": ["c", "b"]}
    assert warps_replay.in_order(edges) == ["a", "b", "c", "out"]


def test_what_is_read_of_a_line():
    line = '  %3 = load i16, ptr %"a b", align 2'
    assert accesses(line, "load") == [('%"a b"', 2)] and cost(line, "load") == 1
    assert accesses("  store double %x, ptr @place, align 8", "store") == [("@place", 8)]
    copied = "  call void @llvm.memcpy.p0.p0.i64(ptr noundef align 1 %a, ptr align 8 dereferenceable(16) %b, i64 40, i1 false)"
    assert accesses(copied, "call") == [("%a", 40), ("%b", 40)] and cost(copied, "call") == 10
    assert cost("  %4 = add i64 %a, %b", "add") == 2 and cost("  %4 = add i32 %a, %b", "add") == 1
    name = "_ZN7playout7compile5maker39grow_now_109c6a0151fd3736c0997574_innerB3v65B100cw51cXT"
    assert python_name(name) == "grow_now" and python_name(f'"{name}"') == "grow_now"
