"""Where a forest grows: on the cores of this machine, or on a GPU. Both are asked alike, and give the same numbers.

A device makes arrays, takes them and gives them back, and does for every row of a forest what a kernel says. `device_named` finds one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from playout.compile.binding import Binding, bind
from playout.compile.patience import gather
from playout.compile.records import Pool, apart, scratch
from playout.cores import usable_cores
from playout.errors import PlayoutError

if TYPE_CHECKING:
    from playout.game.game import Game

Array = np.ndarray[Any, Any]
DEVICES = ("auto", "cpu", "cuda")
CHUNKS = 8
"""Pieces of the rows for every thread: those whose games are short then take over what others have left."""


class Growth(Protocol):
    """How a device grows a forest, whatever it needs for that kept at hand."""

    def __call__(self, forest: Any, kept: Any, counts: Any, done: Any) -> None: ...


class Each(Protocol):
    """How a device does something for so many rows, with whatever goes with it."""

    def __call__(self, forest: Any, other: Any, count: int) -> None: ...


class Queue(Protocol):
    """Work that a device does one piece after the other, while whoever asked for it goes on; all that it works on is an array of its own."""

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any: ...
    def raw(self, array: Any) -> Any: ...
    def put(self, array: Array, to: Any) -> None: ...
    def clear(self, array: Any) -> None: ...
    def rows(self, binding: Binding, one: Any, some: Any) -> Each: ...
    def fetch(self, array: Any) -> Array:
        """An array of this machine's memory that holds what the other does, once this is done; it is the same one every time."""

    def mark(self) -> Any:
        """A point in the work."""

    def between(self, one: Any, other: Any) -> float:
        """Seconds from one mark to another, when both were waited for."""

    def wait(self, mark: Any) -> None:
        """Until all before a mark is done."""


class AtOnce:
    """A queue of the cores: they do everything at once."""

    def __init__(self, cores: Cores) -> None:
        self.zeros, self.raw = cores.zeros, cores.raw
        self.rows = cores.rows

    def put(self, array: Array, to: Array) -> None:
        to[...] = array

    def clear(self, array: Array) -> None:
        array.reshape(-1).view(np.uint8)[:] = 0

    def fetch(self, array: Array) -> Array:
        return array

    def mark(self) -> float:
        return time.perf_counter()

    def between(self, one: float, other: float) -> float:
        return other - one

    def wait(self, mark: float) -> None:
        pass


class Lanes:
    """How the lane of a row is made: the bundle of its parts, how many states it has, and its scratch space."""

    def __init__(
        self,
        bundle: Any,
        pool: int,
        state: np.dtype[Any],
        work: np.dtype[Any],
        kept: bool,
        compiled: bool,
        own: Callable[[Any], Any] = lambda forest: forest,
    ) -> None:
        self.own = own
        """The forest as one thread of this machine is to have it."""
        self.bundle, self.pool, self.state, self.work, self.compiled = bundle, pool, state, work, compiled
        self.kept = kept
        """Whether the scratch space remembers something from one simulation to the next, so that every row needs its own."""

    def make(self, work: Array) -> Any:
        """One lane in this machine's memory."""
        states = apart(self.pool, self.state).reshape(1, self.pool)
        raw = states.view(np.uint8).reshape(1, self.pool, self.state.itemsize)
        if self.compiled:
            return self.bundle(states, raw, work)
        return self.bundle([Pool(states[0])], raw, [scratch(work[0], False)])

    def fresh(self) -> Any:
        """The same with scratch space of its own."""
        return self.make(apart(1, self.work))


class Device(Protocol):
    """What a forest asks of where it grows."""

    name: str
    together: int
    """About so many rows it works on at the same time."""
    worth: float
    """About so many cores would be as fast."""
    cramped: bool
    """Whether scratch space is to be as small as can be, also where one serves all trees of a thread."""

    def binding(self, game: Game, features: frozenset[str], compiled: bool) -> Binding: ...
    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any: ...
    def put(self, array: Array) -> Any: ...
    def get(self, array: Any) -> Array: ...
    def raw(self, array: Any) -> Any:
        """The bytes of an array of records, as an array with one more axis over the same memory."""

    def words(self) -> str: ...
    def room(self) -> int: ...
    def growth(self, binding: Binding, one: Any, some: Any, lanes: Lanes) -> Growth: ...
    def rows(self, binding: Binding, one: Any, some: Any) -> Each: ...


class Cores:
    """The cores of this machine: rows are shared out among threads."""

    name = "cpu"
    cramped = False

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or usable_cores()
        self.together, self.worth = 16 * self.threads * CHUNKS, float(self.threads)

    def binding(self, game: Game, features: frozenset[str], compiled: bool) -> Binding:
        """The game bound as for any search."""
        return bind(game, compiled, features)

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Array:
        return np.zeros(shape, dtype)

    def put(self, array: Array) -> Array:
        return array

    def get(self, array: Array) -> Array:
        return array

    def raw(self, array: Array) -> Array:
        return array.view(np.uint8).reshape(*array.shape, array.dtype.itemsize)

    def words(self) -> str:
        """The device as people know it."""
        return f"{self.threads} core{'s' * (self.threads != 1)}"

    def room(self) -> int:
        """Bytes that trees may take together."""
        return 2_000_000_000

    def growth(self, binding: Binding, one: Any, some: Any, lanes: Lanes) -> Growth:
        kernel = binding.kernel(some)

        def grow(forest: Any, kept: Any, counts: Array, done: Array) -> None:
            count = len(counts)
            if lanes.kept:
                # One row at a time, since each has its own scratch space.
                self.share(count, count, lambda a, b: kernel(lanes.own(forest), lanes.make(kept[a]), counts, done, a, b))
                return
            self.share(count, self.threads * CHUNKS, lambda a, b: kernel(lanes.own(forest), lanes.fresh(), counts, done, a, b))

        return grow

    def rows(self, binding: Binding, one: Any, some: Any) -> Each:
        kernel = binding.kernel(some)
        return lambda forest, other, count: self.share(count, self.threads * CHUNKS, lambda a, b: kernel(forest, other, a, b))

    def queue(self) -> Queue:
        """Where work is asked for and done."""
        return AtOnce(self)

    def share(self, count: int, pieces: int, work: Callable[[int, int], Any], *, compiled: bool = False) -> None:
        """Do so many rows in so many pieces, on all threads; unless it is compiled already, the first piece is, before the others begin."""
        ends = np.linspace(0, count, max(1, min(count, pieces)) + 1).astype(int)
        spans = [(int(a), int(b)) for a, b in pairwise(ends)]

        def piece(first: int, last: int) -> None:
            # What NumPy warns of is said in each thread for itself.
            with np.errstate(over="ignore"):
                work(first, last)

        if not compiled or len(spans) == 1:
            piece(*spans.pop(0))
        if self.threads == 1:
            for first, last in spans:
                piece(first, last)
            return
        # Also after Ctrl-C all are waited for: whoever looks at the rows then must find them at rest.
        gather([self._pool.submit(piece, first, last) for first, last in spans])

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads)


@cache
def cores() -> Cores:
    """All cores of this machine, for whoever has rows to share out."""
    return Cores()


def device_named(name: str, threads: int | None = None) -> Device:
    """A device by its name; `auto` is a GPU where there is one, and else the cores."""
    if name not in DEVICES:
        raise PlayoutError(f"device is {name!r}; choose {', '.join(DEVICES[:-1])} or {DEVICES[-1]}")
    if name != "cpu":
        from playout.compile.cuda import why_not
        from playout.compile.gpu import found

        why = why_not()
        if not why:
            return found()
        if name == "cuda":
            raise PlayoutError(
                f"device=cuda cannot be used: {why}; leave device out, or use device=cpu, which gives the same numbers"
            )
    return Cores(threads)
