"""The same text on a GPU: how CUDA's compiler is asked, what a device starts, and how arrays get there and back.

All that only this backend knows is here. A thread of the device tends one row of a forest; the states and the scratch space of its
simulation are in the thread's own memory, which the hardware lays out so that neighbours read side by side.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from hashlib import blake2b
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.errors import PlayoutError

if TYPE_CHECKING:
    from playout.compile.binding import Binding
    from playout.game.game import Game

Array = np.ndarray[Any, Any]

HOW = "pip install 'playout[cuda]'"
BLOCK = 128
"""Threads of a block; between 32 and 256 it made no difference."""
REGISTERS = 64
"""Of a thread: with fewer of them more threads wait for memory at the same time (Connect Four, H200: 425 million simulations a second
against 352 with as many as the compiler likes)."""
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

    And the tables of rules stand in the device's memory: as constants they may have 64 kB, and threads that read different entries wait
    for each other.
    """
    toolkit()
    nvvm: Any = import_module("numba.cuda.cudadrv.nvvm")
    context: Any = import_module("numba.cuda.target").CUDATargetContext
    plain, constant = nvvm.compile_ir, context.make_constant_array

    def compile_ir(text: Any, **options: Any) -> Any:
        return plain(text, **{**options, "fma": False})

    nvvm.compile_ir, context.make_constant_array = compile_ir, _table
    try:
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


def each_row(body: Any) -> Callable[..., None]:
    """What the device starts to do something for so many rows."""
    toolkit()

    def rows(forest: Any, other: Any, count: int) -> None:
        row = cuda.grid(1)
        if row < count:
            body(forest, row, other)

    return rows


@contextlib.contextmanager
def _room() -> Iterator[None]:
    """A device without room for an array says so as this machine's own memory does; it can be used on."""
    try:
        yield
    except Exception as error:  # it comes under several names
        if "OUT_OF_MEMORY" not in str(error):
            raise
        raise MemoryError(f"the device has no room for another array ({error})") from None


class Cuda:
    """One GPU: a thread for every row."""

    name = "cuda"
    together = 16_384
    worth = 400.0

    def __init__(self) -> None:
        self.cuda = toolkit()

    def binding(self, game: Game, features: frozenset[str], compiled: bool) -> Binding:
        """The game bound for the device, once a process. Nothing there stops a rule that writes outside its record, so it must be checked."""
        from playout.compile.binding import trusted

        if not (compiled and game.compiled):
            raise PlayoutError(
                f"game {game.name!r} is to run uncompiled, which a GPU cannot: use device=cpu, or leave compiled out"
            )
        if not trusted(game):
            raise PlayoutError(
                f"game {game.name!r} was never checked, and on a GPU nothing stops a rule that writes outside an array: run playout check "
                f"{game.spec} first"
            )
        return on_device(game, features)

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any:
        from numba.cuda.cudadrv import driver

        with _room():
            made = self.cuda.device_array(shape, dtype)
        driver.device_memset(made, 0, made.nbytes)
        return made

    def put(self, array: Array) -> Any:
        with _room():
            return self.cuda.to_device(np.ascontiguousarray(array))

    def get(self, array: Any) -> Array:
        return array.copy_to_host()  # type: ignore[no-any-return]

    def words(self) -> str:
        """The device as people know it."""
        device = self.cuda.get_current_device()
        name = device.name.decode() if isinstance(device.name, bytes) else str(device.name)
        free, total = self.cuda.current_context().get_memory_info()
        return f"{name}, {free / 1e9:.0f} GB free of {total / 1e9:.0f}"

    def room(self) -> int:
        """Bytes that trees may take together: most of what is free, since threads need memory of their own."""
        context = self.cuda.current_context()
        # What was let go is given back late, many arrays at a time.
        context.deallocations.clear()
        return int(0.8 * context.get_memory_info()[0])

    def growth(self, binding: Binding, one: Any, some: Any, lanes: Any) -> Any:
        name = (id(binding), one, lanes.kept or lanes.work)
        if name not in _kernels:
            work = None if lanes.kept else lanes.work
            body = grower(binding.door(one), lanes.bundle, lanes.pool, lanes.state, work)
            _kernels[name] = self.cuda.jit(body, max_registers=REGISTERS)
        return self._starts(_kernels[name], lambda arguments: len(arguments[2]))

    def rows(self, binding: Binding, one: Any, some: Any) -> Any:
        name = (id(binding), one, None)
        if name not in _kernels:
            _kernels[name] = self.cuda.jit(each_row(binding.door(one)))
        return self._starts(_kernels[name], lambda arguments: arguments[2])

    def _starts(self, kernel: Any, count: Callable[[Any], int]) -> Callable[..., None]:
        def start(*arguments: Any) -> None:
            with warnings.catch_warnings(), contextlib.nullcontext() if simulated() else exactly():
                # Few rows leave most of the device idle, which is for the caller to know.
                warnings.simplefilter("ignore")
                kernel[-(-count(arguments) // BLOCK), BLOCK](*arguments)
                self.cuda.synchronize()

        start.kernel = kernel  # type: ignore[attr-defined]
        return start


class Nowhere(Cuda):
    """A device that is not there: arrays stay in this machine's memory, and what is compiled is looked at and not run."""

    def binding(self, game: Game, features: frozenset[str], compiled: bool) -> Binding:
        return on_device(game, features)

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return np.zeros(shape, dtype)

    def put(self, array: Array) -> Any:
        return array

    def get(self, array: Any) -> Array:
        return array  # type: ignore[no-any-return]

    def room(self) -> int:
        return 0

    def growth(self, binding: Binding, one: Any, some: Any, lanes: Any) -> Any:
        """Instead of growing: the code for the device, as its assembler reads it, or a sentence on what cannot be compiled."""
        work = None if lanes.kept else lanes.work
        return self._assembled(binding, lambda: grower(binding.door(one), lanes.bundle, lanes.pool, lanes.state, work))

    def rows(self, binding: Binding, one: Any, some: Any) -> Any:
        """The same of what would be done for every row."""
        return self._assembled(binding, lambda: each_row(binding.door(one)))

    def _assembled(self, binding: Binding, make: Callable[[], Any]) -> Any:
        def assembled(*arguments: Any) -> str:
            from numba import typeof

            from playout.compile.explain import explain

            body = make()
            with warnings.catch_warnings(), elsewhere(), exactly():
                warnings.simplefilter("ignore")
                try:
                    code, _ = self.cuda.compile_ptx(body, tuple(typeof(argument) for argument in arguments), cc=SOMEWHERE)
                except Exception as error:
                    raise explain(binding, error) from None
            return str(code)

        return assembled


class Simulated(Nowhere):
    """The simulator of Numba (NUMBA_ENABLE_CUDASIM=1), which starts kernels as threads of Python: for tests, where no GPU is."""

    def binding(self, game: Game, features: frozenset[str], compiled: bool) -> Binding:
        from playout.compile.binding import bind

        return bind(game, False, features)

    def words(self) -> str:
        return "a simulated device"

    def room(self) -> int:
        return 100_000_000

    def growth(self, binding: Binding, one: Any, some: Any, lanes: Any) -> Any:
        tend = binding.kernel(one)

        def grow(forest: Any, kept: Any, counts: Any, done: Any) -> None:
            tree = cuda.grid(1)
            if tree < len(counts):
                # What NumPy warns of is said in each thread for itself.
                with np.errstate(over="ignore"):
                    tend(forest, tree, lanes.make(kept[tree]) if lanes.kept else lanes.fresh(), counts, done)

        return self._starts(self.cuda.jit(grow), lambda arguments: len(arguments[2]))

    def rows(self, binding: Binding, one: Any, some: Any) -> Any:
        body = binding.kernel(one)

        def quietly(forest: Any, row: int, other: Any) -> None:
            with np.errstate(over="ignore"):
                body(forest, row, other)

        return self._starts(self.cuda.jit(each_row(quietly)), lambda arguments: arguments[2])


def simulated() -> bool:
    """Whether Numba simulates a device."""
    config: Any = import_module("numba.core.config")
    return bool(config.ENABLE_CUDASIM)


def found() -> Cuda:
    """The device that there is, when `why_not` has nothing against it."""
    return Simulated() if simulated() else Cuda()


_bound: dict[tuple[int, frozenset[str]], Binding] = {}
_kernels: dict[tuple[int, Any, Any], Any] = {}
"""What was compiled for the device in this process; bindings are kept, so that their ids are theirs alone."""


def on_device(game: Game, features: frozenset[str]) -> Binding:
    """The game bound for CUDA, made once a process; rules are not watched over their indices there."""
    from playout.compile.binding import Binding

    features -= {"guards"}
    if (id(game), features) not in _bound:
        _bound[id(game), features] = Binding(game, True, features, "cuda")
    return _bound[id(game), features]


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
