"""What is compiled for a GPU, looked at on a machine that has none: it counts as a core does, and what it refuses is said in words."""

from __future__ import annotations

import gc
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numba import typeof

from playout.compile import cache, gpu
from playout.compile.binding import bind
from playout.compile.cuda import elsewhere, exactly, toolkit
from playout.compile.cuda_apart import keep_apart
from playout.compile.devices import Cores
from playout.compile.gpu import Nowhere
from playout.engine.shift import shift, shift_some
from playout.errors import CompileError
from playout.game import calls
from playout.game.load import load
from playout.game.stream import base_word, base_words
from playout.planner.forest import Forest, Plan
from playout.planner.grove import Grove, steps
from playout.planner.search import Search
from tests.gpu.processor import today

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from warps_code import NotingProcessor

GAME = """
import numpy as np

players = 2
actions = 3
State = np.dtype([("heap", np.int64)])


def start(state, rng):
    state.heap = 7


def legal(state, out):
    count = min(3, state.heap)
    for i in range(count):
        out[i] = i
    return count


def play(state, action, rng):
    {play}


def mover(state):
    return -1 if state.heap <= 0 else state.heap % 2


def returns(state, out):
    out[0] = 1.0
    out[1] = -1.0
"""


@pytest.mark.compiles
@pytest.mark.slow
def test_the_code_for_a_device_grows_the_trees_of_a_core_and_keeps_tables_in_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run by a processor, also where some of its functions stay apart, as in long programs, and noting where it comes by (bench/warps.py)."""
    monkeypatch.setattr("playout.compile.cuda.keep_apart", partial(keep_apart, longest=20_000))
    search, device = Search("nim", trees=1), NotingProcessor(assemble=True)
    states = np.concatenate([search.game.start().copy_array(), search.game.start().play(2).copy_array()] * 2)
    seeds, numbers = np.array([5, 6, 5, 2**40]), np.array([0, 3, 1, 0])
    there = Forest(search, device).grow(states, seeds, numbers, 80)
    here = Forest(Search("nim", trees=1, compiled=False), Cores(1)).grow(states, seeds, numbers, 80)
    assert there.head.tobytes() == here.head.tobytes() and (there.head["simulations"] == 80).all()
    assert all(np.array_equal(one, two) for one, two in zip(there.edges, here.edges))
    code = device.assembled[0]
    assert code.count(".entry") == 1 and ".func" in code
    assert "fma.rn.f64" not in code and ".f64" in code
    assert ".const" not in code and "_playout_table_" in code
    noting = next(code for code in device.codes if "grow" in code.name)
    assert len(noting.ways) == 4 and {"simulate", "play", "below"} <= {name for one in noting.stretches for name in one.whose}
    # All that is noted is a stretch with its addresses.
    for way in noting.ways:
        at = 0
        while at < len(way):
            at += 1 + len(noting.stretches[way[at]].sizes)
        assert at == len(way)


def test_text_for_a_device_is_read_by_the_llvm_of_today() -> None:
    """Pointers of every kind, with words of the same look in names and strings left alone."""
    old = """target triple = "nvptx64-nvidia-cuda"
@"a*b" = internal constant [3 x i8] c"i8*"
define {i8*, [2 x i64]}** @f(i8** %"x*", {i8*, i64 (i8*)*}* %y, [2 x {double*}] addrspace(1)* %z) ; i8* *
!nvvm.annotations = !{!1}
"""
    assert today(old).split("\n") == [
        "",
        '@"a*b" = internal constant [3 x i8] c"i8*"',
        'define ptr @f(ptr %"x*", ptr %y, ptr %z) ; i8* *',
        "",
        "",
    ]


@pytest.fixture
def like_an_h200(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are compiled and linked as for a device, and nothing is loaded there."""
    toolkit()
    monkeypatch.setattr("numba.cuda.codegen.CUDACodeLibrary._ensure_cc", lambda self, cc=None: cc or (9, 0, "a"))
    monkeypatch.setattr("numba.cuda.codegen.JITCUDACodegen.magic_tuple", lambda self: ("12.9", (9, 0)))
    monkeypatch.setattr("numba.cuda.dispatcher._Kernel.bind", lambda self: self.library.get_cubin())


@pytest.mark.compiles
@pytest.mark.slow
@pytest.mark.usefixtures("like_an_h200")
def test_roots_move_on_a_device_by_a_kernel_that_is_kept_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel that keeps trees from move to move compiles for a device, counts as a core does, and the next process finds it; also
    where some of its functions stay apart, as in long programs."""
    monkeypatch.setenv("PLAYOUT_CACHE", str(tmp_path))
    monkeypatch.setattr("playout.compile.cuda.keep_apart", partial(keep_apart, longest=1500))
    forest, none = Forest(Search("nim", trees=1), Nowhere()), np.zeros(1, np.int64)
    start = forest.game.start().copy_array()
    grove = Grove(forest, Plan(64, 64, 64), start, none, 1)
    kinds = tuple(typeof(one) for one in (grove.columns, grove.moves(steps(none, none, start)), 1))
    compiled: list[str] = []
    monkeypatch.setattr(cache, "on_compile", compiled.append)

    def made() -> Any:
        monkeypatch.setattr(gpu, "_kernels", {})
        with elsewhere(), exactly():
            return gpu.Cuda.rows(forest.device, forest.binding, shift, shift_some).kernel.compile(kinds)  # type: ignore[arg-type]

    first = made()
    text = first.library.get_asm_str((9, 0, "a"))
    assert text.count(".entry") == 1 and ".func" in text and "fma.rn.f64" not in text
    again = made()
    assert compiled == ["shift-cuda"] and not cache.troubles
    assert again.library.get_cubin().code == first.library.get_cubin().code and again.entry_name == first.entry_name
    assert again.signature == first.signature
    (file,) = tmp_path.glob("*/shift-cuda-*.bin")
    assert file.stat().st_size < 2_000_000
    file.write_bytes(file.read_bytes()[:-1])
    monkeypatch.setattr("numba.cuda.dispatcher._Kernel", stopped)
    with pytest.raises(InterruptedError):
        made()
    assert compiled == ["shift-cuda"] * 2


def stopped(*arguments: Any, **options: Any) -> None:
    """A compiler that is asked and does nothing."""
    raise InterruptedError


def test_the_compiler_of_a_device_gets_every_function_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """numba-cuda lists a function once for every way of calls that leads to it."""
    toolkit()
    asked: list[Any] = []
    monkeypatch.setattr("numba.cuda.cudadrv.nvvm.compile_ir", lambda text, **options: asked.append((text, options)))
    nvvm = import_module("numba.cuda.cudadrv.nvvm")
    with exactly():
        nvvm.compile_ir(["legal", "play", "legal"], opt=3)
        nvvm.compile_ir("play")
    assert asked == [(["legal", "play"], {"opt": 3, "fma": False}), (["play"], {"fma": False})]


@pytest.mark.compiles
@pytest.mark.slow
def test_roots_move_on_a_device_where_something_is_hidden() -> None:
    forest, none = Forest(Search("kuhn-poker", trees=1), Nowhere()), np.zeros(1, np.int64)
    start = forest.game.start().copy_array()
    grove = Grove(forest, Plan(64, 64, 64), start, none, 1)
    found: Any = forest.device.rows(forest.binding, shift, shift_some)(grove.columns, grove.moves(steps(none, none, start)), 1)
    assert found.count(".entry") == 1 and "fma.rn.f64" not in found


@pytest.mark.compiles
def test_what_a_device_cannot_do_is_said_with_function_and_line(tmp_path: Path) -> None:
    file = tmp_path / "heap.py"
    file.write_text(GAME.format(play="state.heap -= int(np.ones(action + 1).sum())"))
    with pytest.raises(CompileError) as error:
        Forest(Search(load(str(file)), trees=1), Nowhere()).assembled()
    assert str(error.value).startswith(f"play ({file}, line 2")
    assert "cannot be compiled for a GPU: it calls ones, which makes something new; nothing can be built while playing" in str(
        error.value
    )


def test_streams_of_many_trees_are_those_of_each() -> None:
    seeds, trees = np.array([0, 1, 2**40, 7]), np.array([0, 3, 5, 2**33])
    assert base_words(seeds, trees).tolist() == [base_word(int(s), int(t)) for s, t in zip(seeds, trees)]


def test_a_kernel_that_never_ends_is_known_to_whoever_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wait for the device is noted, and not the start, which may have to compile first."""
    seen: list[str] = []

    class Launcher:
        def __getitem__(self, shape: Any) -> Any:
            return lambda *arguments: seen.extend(call.words() for call in calls.running.values())

    def synchronize() -> None:
        seen.extend(call.words() for call in calls.running.values())

    device = Nowhere()
    monkeypatch.setattr(device, "cuda", SimpleNamespace(synchronize=synchronize))
    monkeypatch.setattr(calls, "watching", True)
    game = load("nim")
    start = device._starts(bind(game, False), shift, Launcher(), lambda arguments: 1)
    start()
    assert seen == ["the rules of nim (compiled, in shift on the device)"] and not calls.running


def test_nobody_looks_for_garbage_while_it_compiles() -> None:
    """It would take a tenth of the time."""
    assert gc.isenabled()
    with exactly():
        assert not gc.isenabled()
    assert gc.isenabled()
