"""A device that is not there, whose code runs all the same: on this machine's processor, one thread of it after the other.

What is compiled for a GPU is handed to NVIDIA's compiler as text of an older LLVM. Here that text, whole, with all that was done to it
(`compile/cuda.py`, `cuda_apart.py`), is read by the LLVM of this machine and made into code for its processor. So all that playout and
numba-cuda do is tested without a GPU; what comes behind (NVIDIA's compiler, its mathematical functions, the device) is not.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import re
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numba import typeof

from playout.compile.binding import Binding
from playout.compile.cuda import SOMEWHERE, each_row, elsewhere, exactly, grower
from playout.compile.gpu import Nowhere

WORD = re.compile(r'c?"(?:[^"\\\n]|\\.)*"|;[^\n]*|[{}\[\]()*,]|[^\s"{}\[\]()*,;]+|\s+')
CLOSED = {"}": "{", "]": "[", ")": "("}
THREADS = """
@row = global i32 0
define i32 @"processor.sreg.tid.x"() alwaysinline { ret i32 0 }
define i32 @"processor.sreg.ntid.x"() alwaysinline { ret i32 1 }
define i32 @"processor.sreg.ctaid.x"() alwaysinline { %row = load i32, ptr @row ret i32 %row }
"""
"""Blocks of one thread, and in `row` the block whose turn it is."""


class HandedOver(Exception):
    """What NVIDIA's compiler would have got."""


def today(text: str) -> str:
    """A module as today's LLVM reads it, for no machine in particular: pointers no longer say to what, and all memory is one."""
    words: list[str] = []
    for found in WORD.finditer(text):
        if found[0] != "*":
            words.append(found[0])
            continue
        drop_type(words)
        words.append("ptr")
    text = "".join(words).replace("addrspacecast", "bitcast").replace("llvm.nvvm.read.ptx.", "processor.")
    return re.sub(r"^target .*|^!nvvm.*|addrspace\(\d+\)", "", text, flags=re.M)


def drop_type(words: list[str]) -> None:
    """Take the type that ends here away: a word, a structure, an array, a function, or any of these in a memory of its own."""
    while words[-1].isspace():
        words.pop()
    last = words.pop()
    if last not in CLOSED:
        return
    depth = 1
    while depth:
        word = words.pop()
        depth += (word in CLOSED) - (word in CLOSED.values())
    if last == ")":
        # Of a function its result stands before; of a memory its name and then a type.
        if words[-1] == "addrspace":
            words.pop()
        drop_type(words)


def flat(argument: Any) -> Iterator[Any]:
    """An argument as kernels take it: arrays by their parts, bundles by theirs."""
    if isinstance(argument, tuple):
        for one in argument:
            yield from flat(one)
    elif isinstance(argument, np.ndarray):
        yield from (ctypes.c_void_p(0), ctypes.c_void_p(0), ctypes.c_int64(argument.size), ctypes.c_int64(argument.itemsize))
        yield ctypes.c_void_p(argument.ctypes.data)
        yield from (ctypes.c_int64(n) for n in (*argument.shape, *argument.strides))
    else:
        yield ctypes.c_int64(argument)


class Code:
    """A kernel of a device, made into code for this machine's processor."""

    head = THREADS

    def __init__(self, modules: list[str]) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        whole = llvm.parse_assembly(self.head)
        for text in modules:
            whole.link_in(self.read(text))
        (self.name,) = (
            f.name for f in whole.functions if not f.is_declaration and f.linkage == llvm.Linkage.external and "." not in f.name
        )
        self.missing = [f.name for f in whole.functions if f.is_declaration and f.name.startswith("__nv_")]
        library = ctypes.CDLL(ctypes.util.find_library("m"))
        for name in self.missing:
            address = ctypes.cast(getattr(library, name.removeprefix("__nv_")), ctypes.c_void_p).value
            llvm.add_symbol(name, address)
        for function in whole.functions:
            if not function.is_declaration and function.name != self.name:
                function.linkage = "internal"
        # Plainly, so that it can be told where each instruction comes from (bench/warps.py).
        options = llvm.create_pipeline_tuning_options(speed_level=1)
        options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
        builder = llvm.create_pass_builder(self._machine(), options)
        builder.getModulePassManager().run(whole, builder)
        self.engine = llvm.create_mcjit_compiler(self.woven(whole), self._machine())
        self.engine.finalize_object()
        self.row = ctypes.c_int32.from_address(self.engine.get_global_value_address("row"))
        self.start = ctypes.CFUNCTYPE(None)(self.engine.get_function_address(self.name))

    def read(self, text: str) -> Any:
        """One of the modules that were handed over."""
        return llvm.parse_assembly(today(text))

    def woven(self, whole: Any) -> Any:
        """All of it, functions woven into those that call them: what is made into code."""
        return whole

    @staticmethod
    def _machine() -> Any:
        return llvm.Target.from_default_triple().create_target_machine(opt=1, codemodel="jitdefault", jit=True)

    def __call__(self, arguments: tuple[Any, ...], count: int) -> None:
        given = list(flat(arguments))
        self.start.argtypes = [type(one) for one in given]
        for row in range(count):
            self.row.value = row
            self.start(*given)


class Processor(Nowhere):
    """What is compiled for a device that is not there, run on this machine's processor."""

    code: type[Code] = Code

    def __init__(self, assemble: bool = False) -> None:
        super().__init__()
        self._codes: dict[Any, Code] = {}
        self._assemble = assemble
        self.assembled: list[str] = []
        """What NVIDIA's compiler makes of it, where that was asked for."""

    def words(self) -> str:
        return "the code for a GPU, on a processor"

    def room(self) -> int:
        return 500_000_000

    def growth(self, binding: Binding, one: Any, some: Any, lanes: Any) -> Any:
        work = None if lanes.kept else lanes.work
        return self._runs(
            (id(binding), one, work),
            lambda: grower(binding.door(one), lanes.bundle, lanes.pool, lanes.state, work),
            lambda arguments: len(arguments[2]),
        )

    def rows(self, binding: Binding, one: Any, some: Any) -> Any:
        return self._runs((id(binding), one), lambda: each_row(binding.door(one)), lambda arguments: arguments[2])

    def forget(self) -> None:
        """Let all code go; what is asked for again is made again."""
        self._codes.clear()

    def _runs(self, name: Any, make: Callable[[], Any], count: Callable[[Any], int]) -> Any:
        def start(*arguments: Any) -> None:
            kinds = tuple(typeof(argument) for argument in arguments)
            if (name, kinds) not in self._codes:
                self._codes[name, kinds] = self.code(self._handed_over(make(), kinds))
            self._codes[name, kinds](arguments, count(arguments))

        return start

    def _handed_over(self, body: Any, kinds: tuple[Any, ...]) -> list[str]:
        nvvm: Any = import_module("numba.cuda.cudadrv.nvvm")
        plain = nvvm.compile_ir

        def hand_over(modules: list[str], **options: Any) -> None:
            if self._assemble:
                self.assembled.append(plain(modules, **options).decode())
            raise HandedOver(modules)

        nvvm.compile_ir = hand_over
        try:
            with warnings.catch_warnings(), elsewhere(), exactly():
                warnings.simplefilter("ignore")
                self.cuda.compile_ptx(body, kinds, cc=SOMEWHERE)
        except HandedOver as found:
            return found.args[0]  # type: ignore[no-any-return]
        finally:
            nvvm.compile_ir = plain
        raise AssertionError("nothing was compiled")
