"""GPUs as devices: what is compiled and started there, and how arrays get there and back.

A real one, one that is not there (for a look at what its compiler says), and Numba's simulator are three of a kind.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.compile.cuda import SOMEWHERE, each_row, elsewhere, exactly, grower, plain_grower, simulated, toolkit
from playout.compile.cuda_cache import keep
from playout.compile.records import aligned_records
from playout.errors import PlayoutError
from playout.game import calls

if TYPE_CHECKING:
    from playout.compile.binding import Binding
    from playout.compile.devices import Queue
    from playout.game.game import Game

Array = np.ndarray[Any, Any]

BLOCK = 128
"""Threads of a block; between 32 and 256 it made no difference."""
SPREAD = 32
"""Threads of a block where there are few rows, so that every part of the device has some."""
REGISTERS = 64
"""Of a thread: with fewer of them more threads wait for memory at the same time (Connect Four, H200: 425 million simulations a second
against 352 with as many as the compiler likes)."""


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
    cramped = True

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
            return self.cuda.to_device(np.ascontiguousarray(aligned_records(array)))

    def get(self, array: Any) -> Array:
        return array.copy_to_host()  # type: ignore[no-any-return]

    def raw(self, array: Any) -> Any:
        from numba.cuda.cudadrv.devicearray import DeviceNDArray

        size = array.dtype.itemsize
        return DeviceNDArray((*array.shape, size), (*array.strides, 1), np.dtype(np.uint8), gpu_data=array.gpu_data)

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
            shape = (lanes.pool, lanes.state, work, *lanes.bundle._fields)
            _kernels[name] = keep(self.cuda.jit(body, max_registers=REGISTERS), binding, one, shape)
        return self._starts(binding, one, _kernels[name], lambda arguments: len(arguments[2]))

    def rows(self, binding: Binding, one: Any, some: Any) -> Any:
        return self._starts(binding, one, self._each(binding, one), lambda arguments: arguments[2])

    def queue(self, stream: int) -> Queue:
        """What is asked for in a stream of CUDA, by its number."""
        return InStream(self, stream)

    def _each(self, binding: Binding, one: Any) -> Any:
        """The kernel that does something for every row."""
        name = (id(binding), one, None)
        if name not in _kernels:
            _kernels[name] = keep(self.cuda.jit(each_row(binding.door(one))), binding, one, "rows")
        return _kernels[name]

    def _starts(self, binding: Binding, one: Any, kernel: Any, count: Callable[[Any], int]) -> Callable[..., None]:
        where = f"{one.__name__} on the device"

        def start(*arguments: Any) -> None:
            with warnings.catch_warnings(), contextlib.nullcontext() if simulated() else exactly():
                # Few rows leave most of the device idle, which is for the caller to know.
                warnings.simplefilter("ignore")
                kernel[-(-count(arguments) // BLOCK), BLOCK](*arguments)
                if calls.watching:
                    # A start comes back at once, and after it was compiled: what is watched is the wait for its end.
                    calls.noted(binding.game.spec, where, None, self.cuda.synchronize)
                else:
                    self.cuda.synchronize()

        start.kernel = kernel  # type: ignore[attr-defined]
        return start


class InStream:
    """A stream of a GPU: what is asked for is done in its turn, and nobody waits for it unless they say so."""

    def __init__(self, gpu: Cuda, stream: int) -> None:
        self._gpu, self._stream, self.raw = gpu, gpu.cuda.external_stream(stream), gpu.raw
        self._fetched: dict[int, tuple[Any, Array]] = {}
        self._game = ""

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any:
        with _room():
            made = self._gpu.cuda.device_array(shape, dtype)
        # In this stream, too, or it might come after what is put there next.
        self.clear(made)
        return made

    def put(self, array: Array, to: Any) -> None:
        to.copy_to_device(np.ascontiguousarray(array), stream=self._stream)

    def clear(self, array: Any) -> None:
        from numba.cuda.cudadrv import driver

        driver.device_memset(array, 0, array.nbytes, self._stream)

    def rows(self, binding: Binding, one: Any, some: Any) -> Any:
        from numba.core.errors import NumbaError

        kernel, ready = self._gpu._each(binding, one), False
        self._game = binding.game.spec

        def start(forest: Any, other: Any, count: int) -> None:
            nonlocal ready
            with warnings.catch_warnings(), contextlib.nullcontext() if ready else exactly():
                warnings.simplefilter("ignore")
                try:
                    kernel[-(-count // SPREAD), SPREAD, self._stream](forest, other, count)
                except NumbaError as error:
                    from playout.compile.explain import explain

                    raise explain(binding, error) from None
            ready = True

        return start

    def fetch(self, array: Any) -> Array:
        # Found again by what it is fetched from, which is kept with it.
        if id(array) not in self._fetched:
            self._fetched[id(array)] = array, self._gpu.cuda.pinned_array(array.shape, array.dtype)
        found = self._fetched[id(array)][1]
        array.copy_to_host(found, stream=self._stream)
        return found

    def mark(self) -> Any:
        event = self._gpu.cuda.event(timing=True)
        event.record(self._stream)
        return event

    def between(self, one: Any, other: Any) -> float:
        return self._gpu.cuda.event_elapsed_time(one, other) / 1000  # type: ignore[no-any-return]

    def wait(self, mark: Any) -> None:
        if calls.watching:
            calls.noted(self._game, "what was asked of the device", None, mark.synchronize)
        else:
            mark.synchronize()


class Nowhere(Cuda):
    """A device that is not there: arrays stay in this machine's memory, and what is compiled is looked at and not run."""

    def binding(self, game: Game, features: frozenset[str], compiled: bool) -> Binding:
        return on_device(game, features)

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return np.zeros(shape, dtype)

    def put(self, array: Array) -> Any:
        return aligned_records(array)

    def get(self, array: Any) -> Array:
        return array  # type: ignore[no-any-return]

    def raw(self, array: Any) -> Any:
        return array.view(np.uint8).reshape(*array.shape, array.dtype.itemsize)

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
        return self._starts(
            binding, one, self.cuda.jit(plain_grower(binding.kernel(one), lanes)), lambda arguments: len(arguments[2])
        )

    def rows(self, binding: Binding, one: Any, some: Any) -> Any:
        body = binding.kernel(one)

        def quietly(forest: Any, row: int, other: Any) -> None:
            with np.errstate(over="ignore"):
                body(forest, row, other)

        return self._starts(binding, one, self.cuda.jit(each_row(quietly)), lambda arguments: arguments[2])


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
