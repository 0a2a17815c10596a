"""Plain functions made over into machine code: what they refer to is put in place, helpers get their machine forms, code is kept on disk.

`Maker` knows no game and serves what reaches no hole; `binding` has a game for the holes. Functions that reach no hole are compiled once
for all games; all that is kept is kept by the digest of everything it reaches.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
import types
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from playout.compile import holes
from playout.compile.digest import digest, reached

ENGINE = (
    "playout.engine",
    "playout.learning",
    "playout.truth.continuous.nested",
    "playout.truth.continuous.climb",
    "playout.truth.imperfect.kernels",
    "playout.truth.perfect.alpha_beta",
    "playout.truth.perfect.entries",
    "playout.truth.perfect.proof_number",
)
"""Where kernels are written for any game: those that reach no hole are compiled once for all."""
_shared: dict[tuple[int, str], Any] = {}
lock = threading.RLock()
"""Threads of one search may ask for the same function at once, and must not see it half bound."""


@lru_cache(maxsize=1)
def versions() -> str:
    """All that machine code depends on beside what it was made from."""
    import llvmlite
    import numba
    import numpy

    files = ("intrinsics.py", "linking.py", "maker.py", "binding.py", "guards.py", "brakes.py", "callback.py")
    own = tuple(Path(__file__).with_name(name).read_bytes() for name in files)
    return repr((sys.version_info[:2], numba.__version__, llvmlite.__version__, numpy.__version__, own))


def _is_engine(function: types.FunctionType) -> bool:
    return function.__module__ is not None and function.__module__.startswith(ENGINE)


def _is_library(function: types.FunctionType) -> bool:
    """Whether a function is the library's own; bundled games bear the names of their files, as all games do."""
    return function.__module__ is not None and function.__module__.startswith("playout.")


def _is_hole(function: types.FunctionType) -> bool:
    return hasattr(function, "hole") or hasattr(function, "feature")


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """A compilation makes millions of objects that all stay for a while: looking for garbage among them takes a tenth of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Maker:
    """Makes functions over, each once."""

    def __init__(self, compiled: bool = True, features: Iterable[str] = (), device: str = "cpu") -> None:
        self.compiled, self.features, self.device = compiled, frozenset(features), device
        self._made: dict[tuple[int, bool], Any] = {}
        self._keep: list[Any] = []
        self._holed: dict[int, bool] = {}
        self._straight: set[int] = set()

    @property
    def guarded(self) -> bool:
        """Whether the indices of rules are checked."""
        return "guards" in self.features

    @property
    def identity(self) -> str:
        """Part of the name of every function that has no digest of its own."""
        return "shared"

    @property
    def lends(self) -> bool:
        """Whether kernels are those of every other game that differs in nothing but numbers they read when they run."""
        return False

    def door(self, function: Any, kept: bool = False) -> Any:
        """The function made over for Python to call; `kept` on disk."""
        return self._bind(function, inner=False, kept=kept)

    def resolve(self, value: Any) -> Any:
        """What a reference really means."""
        return value

    def reaches_hole(self, function: types.FunctionType) -> bool:
        """Whether the function, or anything that it calls, needs a game."""
        known = self._holed.get(id(function))
        if known is None:
            self._holed[id(function)] = False
            known = any(
                isinstance(value, holes.Constant | holes.Feature)
                or (isinstance(value, types.FunctionType) and (_is_hole(value) or self.reaches_hole(value)))
                for _, value in reached(function)
            )
            self._holed[id(function)] = known
        return known

    def _recurses(self, function: types.FunctionType, above: list[int]) -> bool:
        """Whether something that the function reaches calls itself, directly or round about."""
        if id(function) in above:
            return True
        if id(function) in self._straight:
            return False
        values = (self.resolve(value) for _, value in reached(function))
        found = any(isinstance(v, types.FunctionType) and self._recurses(v, [*above, id(function)]) for v in values)
        if not found:
            self._straight.add(id(function))
        return found

    def _calls(self, function: types.FunctionType, wanted: types.FunctionType, seen: set[int]) -> bool:
        """Whether one function calls another, directly or round about."""
        for _, value in reached(function):
            value = self.resolve(value)
            if value is wanted:
                return True
            if isinstance(value, types.FunctionType) and id(value) not in seen:
                seen.add(id(value))
                if self._calls(value, wanted, seen):
                    return True
        return False

    def _bind(self, function: Any, inner: bool = True, kept: bool = False) -> Any:
        """The function with everything it refers to resolved; `inner` where only other machine code calls it."""
        function = self.resolve(function)
        if self.compiled:
            from playout.compile.intrinsics import MACHINE, ON_TAPE

            machine = ON_TAPE if "tape" in self.features else MACHINE
            if function in machine:
                return machine[function]
        if (id(function), inner) in self._made:
            return self._made[id(function), inner]
        if not self.compiled and not self.reaches_hole(function):
            return function
        shared = (
            self.compiled
            and self.device == "cpu"
            and _is_engine(function)
            and not self.reaches_hole(function)
            and not hasattr(function, "hot")
        )
        if (kept or shared) and self._recurses(function, []):
            # Numba keeps such code but cannot load it back: the process would crash.
            kept = shared = False
        salt = versions() + "tape" * ("tape" in self.features) + "guards" * (self.guarded and not shared) + "inner" * inner
        identity = digest(function, self.resolve, salt) if kept or shared else ""
        shared = shared or (kept and self.lends)
        if shared and (id(function), identity) in _shared:
            self._made[id(function), inner] = _shared[id(function), identity]
            return self._made[id(function), inner]
        made = self._make(function, identity, inner)
        if shared:
            _shared[id(function), identity] = made
        return made

    def _called(self, function: types.FunctionType) -> Any:
        """What other machine code calls for a function: a part of that code, or a kernel as it stands on disk."""
        if self.compiled and self.device == "cpu" and hasattr(function, "by_itself"):
            return self.door(function, kept=True)
        return self._bind(function)

    def _make(self, function: types.FunctionType, identity: str, inner: bool) -> Any:
        # Cached code is rebuilt in a process that may not have the game's module, so it must name one that is there.
        names: dict[str, Any] = {"__builtins__": __builtins__, "__name__": __name__}
        cells = tuple(types.CellType() for _ in function.__closure__ or ())
        plain = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, cells)
        # Two games' cached kernels may meet in one process, and their symbols must differ: `legal` of one is not the other's.
        plain.__qualname__ = f"{function.__name__}_{identity or self.identity}" + "_inner" * inner
        plain.__module__ = __name__
        made: Any = plain
        if self.compiled:
            # The engine's own small functions become one piece of code; a game's may be long, so the compiler decides.
            inline = _is_engine(function) and not identity and not hasattr(function, "cold")
            own = not _is_library(function)
            vars(plain)["calls_itself"] = own and self._calls(function, function, set())
            made = self._dispatcher(plain, identity, inline, inner and not self._recurses(function, []), own)
        # Known before its globals are filled, so that a function may call itself.
        self._made[id(function), inner] = made
        self._keep.append(function)
        for name, value in reached(function):
            value = self.resolve(value)
            bound = self._called(value) if isinstance(value, types.FunctionType) else value
            if name in function.__code__.co_freevars:
                cells[function.__code__.co_freevars.index(name)].cell_contents = bound
            else:
                names[name] = bound
        return made

    def _dispatcher(self, plain: types.FunctionType, identity: str, inline: bool, inner: bool, own: bool) -> Any:
        """`own` is what the game brought: its loops and its depth are braked, and its indices may be checked."""
        if self.device == "cuda":
            from playout.compile.cuda import device_function

            return device_function(plain, inline)
        from playout.compile.intrinsics import jit
        from playout.compile.linking import COMPILERS

        # What is kept on disk is whole in itself.
        guarded = own and self.guarded
        compiler = COMPILERS[inner and not identity, "guarded" if guarded else "rule" if own else "library"]
        made = jit(forceinline=inline, no_cpython_wrapper=inner, boundscheck=guarded, pipeline_class=compiler)(plain)
        if identity:
            from playout.compile.cache import DiskCache

            made._cache = DiskCache(plain.__name__, identity)
        return made


_gameless = Maker()


def shared(function: Callable[..., Any]) -> Callable[..., Any]:
    """The machine code of a kernel that reaches no hole: one for all games, made once and kept on disk as a game's kernels are."""
    with lock:
        if _gameless.reaches_hole(function):  # type: ignore[arg-type]
            raise ValueError(f"{function.__name__} reaches a hole, so it takes a game: bind(game).kernel({function.__name__})")
        return _gameless.door(function, kept=True)  # type: ignore[no-any-return]
