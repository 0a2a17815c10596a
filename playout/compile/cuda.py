"""The same text on a GPU: how CUDA's compiler is asked, and what a device starts.

A thread of the device tends one row of a forest; the states and the scratch space of its
simulation are in the thread's own memory, which the hardware lays out so that neighbours read side by side.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from hashlib import blake2b
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np

from playout.compile.cuda_apart import keep_apart
from playout.compile.maker import uncollected
from playout.errors import PlayoutError

Array = np.ndarray[Any, Any]

HOW = "pip install 'playout[cuda]'"
SOMEWHERE = (9, 0)
"""The kind of device that a game is compiled for where none is there."""


cuda: Any = None
"""`numba.cuda`, once somebody has asked for it. Kernels read it as a global, since the simulator puts another in its place."""


@lru_cache(maxsize=1)
def toolkit() -> Any:
    """`numba.cuda`, or a sentence on what is missing."""
    global cuda
    # numba-cuda still asks NumPy for names that it has dropped.
    for old, new in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
        if not hasattr(np, old):
            setattr(np, old, getattr(np, new))
    try:
        import numba_cuda  # noqa: F401

        cuda = import_module("numba.cuda")
    except ImportError as error:
        raise PlayoutError(
            f"a GPU needs the package numba-cuda, which is not installed ({error}); {HOW}, or use --device cpu"
        ) from None
    return cuda


def why_not() -> str:
    """Why no GPU can be used here, as half a sentence; empty where one can."""
    try:
        toolkit()
    except PlayoutError as error:
        return str(error)
    if simulated():
        return ""
    try:
        if len(cuda.gpus) == 0:
            return "no CUDA device was found"
        cuda.get_current_device()
    except Exception as error:  # a driver that is missing or too old says so in many ways
        said = next(iter(str(error).strip().splitlines()), type(error).__name__).strip(" :.")
        return f"CUDA found no driver or device that works here ({said})"
    return ""


def device_function(plain: Any, inline: bool) -> Any:
    """A function that machine code on the device calls."""
    return toolkit().jit(device=True, forceinline=inline)(plain)


@contextlib.contextmanager
def exactly() -> Iterator[None]:
    """Compile as the CPU counts: a product and a sum are two operations, rounded twice, and not contracted into one.

    A function that many others call is handed over once, and not once for every way there is to it, which in Root are 6,015 for 462
    functions. Of long programs some functions stay apart (`cuda_apart`). And the tables of rules stand in the device's memory: as constants they may have 64 kB, and threads that read different entries wait
    for each other.
    """
    toolkit()
    nvvm: Any = import_module("numba.cuda.cudadrv.nvvm")
    context: Any = import_module("numba.cuda.target").CUDATargetContext
    plain, constant = nvvm.compile_ir, context.make_constant_array

    def compile_ir(text: Any, **options: Any) -> Any:
        modules = list(dict.fromkeys(text)) if isinstance(text, list) else [text]
        return plain(keep_apart(modules), **{**options, "fma": False})

    nvvm.compile_ir, context.make_constant_array = compile_ir, _table
    try:
        with uncollected():
            yield
    finally:
        nvvm.compile_ir, context.make_constant_array = plain, constant


def _table(context: Any, builder: Any, kind: Any, array: Array) -> Any:
    """A global array of the rules in machine code: one variable of the module for all who read it."""
    from llvmlite import ir
    from numba.core import types

    array = np.ascontiguousarray(array)
    data = array.tobytes()
    name = f"_playout_table_{blake2b(data, digest_size=12).hexdigest()}"
    variable = builder.module.globals.get(name)
    if variable is None:
        held = ir.ArrayType(ir.IntType(8), len(data))
        variable = ir.GlobalVariable(builder.module, held, name, addrspace=1)
        variable.linkage, variable.global_constant, variable.align = "internal", True, 16
        variable.initializer = ir.Constant(held, bytearray(data))
    pointer = builder.addrspacecast(variable, ir.PointerType(ir.IntType(8)), "generic")
    made = context.make_array(kind)(context, builder)
    context.populate_array(
        made,
        data=builder.bitcast(pointer, made.data.type),
        shape=[context.get_constant(types.intp, n) for n in array.shape],
        strides=[context.get_constant(types.intp, n) for n in array.strides],
        itemsize=context.get_constant(types.intp, array.itemsize),
        parent=made.parent,
        meminfo=None,
    )
    return made._getvalue()


@contextlib.contextmanager
def elsewhere() -> Iterator[None]:
    """Compile for a device that is not there, so that a game can be checked on any machine."""
    toolkit()
    dispatcher: Any = import_module("numba.cuda.dispatcher")
    plain = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=SOMEWHERE)
    try:
        yield
    finally:
        dispatcher.get_current_device = plain


def grower(tend: Any, lane: Any, pool: int, state: np.dtype[Any], work: np.dtype[Any] | None) -> Callable[..., None]:
    """What the device starts to grow a forest: `tend` for one row, with the lane of its simulations in the thread's own memory.

    Without `work` the scratch space of every row is in the device's memory, where it stays from one start to the next.
    """
    toolkit()
    from numba import from_dtype

    state_type = from_dtype(state)
    work_type = None if work is None else from_dtype(work)
    view = bytes_of()

    if work is not None:

        def grow(forest: Any, kept: Any, counts: Any, done: Any) -> None:
            tree = cuda.grid(1)
            if tree < len(counts):
                states = cuda.local.array((1, pool), state_type)
                scratch = cuda.local.array(1, work_type)
                tend(forest, tree, lane(states, view(states), scratch), counts, done)

        return grow

    def grow_kept(forest: Any, kept: Any, counts: Any, done: Any) -> None:
        tree = cuda.grid(1)
        if tree < len(counts):
            states = cuda.local.array((1, pool), state_type)
            tend(forest, tree, lane(states, view(states), kept[tree]), counts, done)

    return grow_kept


def plain_grower(tend: Any, lanes: Any) -> Callable[..., None]:
    """The same for the simulator, whose threads are Python's."""
    toolkit()

    def grow(forest: Any, kept: Any, counts: Any, done: Any) -> None:
        tree = cuda.grid(1)
        if tree < len(counts):
            # What NumPy warns of is said in each thread for itself.
            with np.errstate(over="ignore"):
                tend(forest, tree, lanes.make(kept[tree]) if lanes.kept else lanes.fresh(), counts, done)

    return grow


def each_row(body: Any) -> Callable[..., None]:
    """What the device starts to do something for so many rows."""
    toolkit()

    def rows(forest: Any, other: Any, count: int) -> None:
        row = cuda.grid(1)
        if row < count:
            body(forest, row, other)

    return rows


def simulated() -> bool:
    """Whether Numba simulates a device."""
    config: Any = import_module("numba.core.config")
    return bool(config.ENABLE_CUDASIM)


@lru_cache(maxsize=1)
def bytes_of() -> Any:
    """The bytes of an array of records, as an array with one more axis over the same memory."""
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic
    from numba.np.arrayobj import populate_array

    @intrinsic  # type: ignore[untyped-decorator]
    def view(typing: Any, states: Any) -> Any:
        shown = types.Array(types.uint8, 3, "C")

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            source = context.make_array(signature.args[0])(context, builder, arguments[0])
            target = context.make_array(shown)(context, builder)
            size = context.get_constant(types.intp, states.dtype.size)
            lanes, pool = cgutils.unpack_tuple(builder, source.shape)
            one = context.get_constant(types.intp, 1)
            populate_array(
                target,
                data=builder.bitcast(source.data, target.data.type),
                shape=cgutils.pack_array(builder, [lanes, pool, size]),
                strides=cgutils.pack_array(builder, [builder.mul(pool, size), size, one]),
                itemsize=one,
                meminfo=None,
            )
            return target._getvalue()

        return shown(states), emit

    return view
