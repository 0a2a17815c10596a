"""Binding one game into the kernels: its functions stand in their holes, and the pair is compiled.

`Binding` takes one game and rebinds plain functions: holes become the game's functions, helpers their machine forms,
everything else keeps its value. The same text runs uncompiled (`compiled=False`), where only the holes are filled.
Functions that reach no hole are compiled once for all games; both kinds are kept on disk by the digest of all they reach.
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
from playout.compile.digest import digest, reached, rules
from playout.errors import GameError, PlayoutError
from playout.game.analytic import analytic
from playout.game.contract import CONTINUOUS, OPTIONAL, REQUIRED
from playout.game.game import Game
from playout.game.record import array_of

ENGINE = ("playout.engine", "playout.learning", "playout.truth.continuous.nested", "playout.truth.continuous.climb")
"""Where kernels are written for any game: those that reach no hole are compiled once for all."""
_shared: dict[tuple[int, str], Any] = {}
_lock = threading.RLock()
"""Threads of one search may ask for the same function at once, and must not see it half bound."""


@lru_cache(maxsize=1)
def _versions() -> str:
    import llvmlite
    import numba
    import numpy

    own = tuple(Path(__file__).with_name(name).read_bytes() for name in ("intrinsics.py", "linking.py", "binding.py"))
    return repr((sys.version_info[:2], numba.__version__, llvmlite.__version__, numpy.__version__, own))


def _is_engine(function: types.FunctionType) -> bool:
    return function.__module__ is not None and function.__module__.startswith(ENGINE)


def on_array(bounds: Callable[..., None]) -> Callable[..., None]:
    """Bounds that get the array itself: uncompiled, a field of a state is a view, which cannot do all that an array can."""

    def call(stage: int, actions: Any, low: Any, high: Any) -> None:
        bounds(stage, array_of(actions), low, high)

    return call


FEATURES = ("worlds", "learned", "discount", "waiting", "tape")
"""What `bind` may be asked for beyond what the game itself says: positions told apart by what is seen, also where nothing is hidden;
leaves that learned values know; rewards that are discounted; leaves that wait for an evaluation outside; chance read off a tape (`playout.game.tape.RECORD`)."""


def _is_hole(function: types.FunctionType) -> bool:
    return hasattr(function, "hole") or hasattr(function, "feature")


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """A compilation makes millions of objects that all stay for a while: looking for garbage among them takes a tenth of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Binding:
    """One game's functions, rebound with some features; ask for roles with `role` and for kernels with `kernel`."""

    def __init__(self, game: Game, compiled: bool = True, features: Iterable[str] = ()) -> None:
        self.game, self.compiled, self.features = game, compiled, frozenset(features)
        self._made: dict[tuple[int, bool], Any] = {}
        self._keep: list[Any] = []
        self._holed: dict[int, bool] = {}
        self._straight: set[int] = set()
        self._identity = ""
        self._bounds = None if compiled or not game.continuous else on_array(game.functions["bounds"])

    def has(self, feature: str) -> bool:
        """Whether a feature is bound: asked for, or there because of what the game is."""
        if feature in ("real", "listed"):
            return self.game.continuous == (feature == "real")
        if feature == "total":
            return self.game.totals
        if feature == "complex":
            return self.game.continuous and not self.game.own_gradient and analytic(self.game)
        return feature in self.features or (feature == "worlds" and self.game.hidden)

    @property
    def identity(self) -> str:
        """The identity of the game's rules, part of the name of every function made from them."""
        if not self._identity:
            # What has no identity is never kept on disk; what is wrong with it, the compiler will say.
            with contextlib.suppress(GameError):
                self._identity = rules(self.game)
        # The same game bound in several ways has several sets of functions, and their symbols must differ too.
        ways = "".join(f"_{name}" for name in FEATURES if name in self.features and not (name == "worlds" and self.game.hidden))
        return (self._identity or "unkept") + ways

    def role(self, role: str) -> Callable[..., Any]:
        """The game's own function (`"play"`), compiled if this binding compiles."""
        if role not in self.game.functions:
            raise GameError(
                f"game {self.game.name!r} defines no {role}; add def {role}({', '.join({**REQUIRED, **OPTIONAL, **CONTINUOUS}[role])})"
            )
        return self._guarded(self.game.functions[role], kept=False)

    def kernel(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """An engine function with this game in its holes, cached on disk; a game's fault comes out as a sentence."""
        return self._guarded(function, kept=True)

    def _guarded(self, function: Callable[..., Any], kept: bool) -> Callable[..., Any]:
        if not self.compiled:
            return self._bind(function)  # type: ignore[no-any-return]

        first = True

        def call(*arguments: Any) -> Any:
            nonlocal first
            # Numba lets all kinds of exceptions out of a compilation, its own and Python's.
            try:
                with _lock:
                    made = self.door(function, kept)
                if not first:
                    return made(*arguments)
                with _uncollected():
                    result = made(*arguments)
                first = False
                return result
            except PlayoutError:
                raise
            except Exception as error:
                from playout.compile.explain import explain

                raise explain(self, error) from None

        return call

    def _resolve(self, value: Any) -> Any:
        """What a reference really means for this game."""
        if isinstance(value, holes.Feature):
            return self.has(value.name)
        if isinstance(value, holes.Constant):
            return getattr(self.game, value.name)
        while isinstance(value, types.FunctionType) and hasattr(value, "feature") and not self.has(value.feature):
            value = vars(value)["instead"]
        hole = getattr(value, "hole", None) if isinstance(value, types.FunctionType) else None
        if hole == "returns" and self.game.continuous:
            return holes.no_returns
        if hole == "bounds" and self._bounds is not None:
            return self._bounds
        if hole is not None:
            return self.game.functions.get(hole) or holes.STAND_INS[hole]
        return value

    def _reaches_hole(self, function: types.FunctionType) -> bool:
        known = self._holed.get(id(function))
        if known is None:
            self._holed[id(function)] = False
            known = any(
                isinstance(value, holes.Constant | holes.Feature)
                or (isinstance(value, types.FunctionType) and (_is_hole(value) or self._reaches_hole(value)))
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
        values = (self._resolve(value) for _, value in reached(function))
        found = any(isinstance(v, types.FunctionType) and self._recurses(v, [*above, id(function)]) for v in values)
        if not found:
            self._straight.add(id(function))
        return found

    def door(self, function: Any, kept: bool = False) -> Any:
        """The function bound for Python to call; `kept` on disk."""
        return self._bind(function, inner=False, kept=kept)

    def _bind(self, function: Any, inner: bool = True, kept: bool = False) -> Any:
        """The function with everything it refers to resolved; `inner` where only other machine code calls it."""
        function = self._resolve(function)
        if self.compiled:
            from playout.compile.intrinsics import MACHINE, ON_TAPE

            machine = ON_TAPE if "tape" in self.features else MACHINE
            if function in machine:
                return machine[function]
        if (id(function), inner) in self._made:
            return self._made[id(function), inner]
        if not self.compiled and not self._reaches_hole(function):
            return function
        shared = self.compiled and _is_engine(function) and not self._reaches_hole(function) and not hasattr(function, "hot")
        # Numba keeps code that calls itself but cannot load it back: the process would crash.
        kept = (kept or shared) and not self._recurses(function, [])
        salt = _versions() + "tape" * ("tape" in self.features) + "inner" * inner
        identity = digest(function, self._resolve, salt) if kept else ""
        if shared and (id(function), identity) in _shared:
            self._made[id(function), inner] = _shared[id(function), identity]
            return self._made[id(function), inner]
        made = self._make(function, identity, inner)
        if shared:
            _shared[id(function), identity] = made
        return made

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
            made = self._dispatcher(plain, identity, inline, inner and not self._recurses(function, []))
        # Known before its globals are filled, so that a function may call itself.
        self._made[id(function), inner] = made
        self._keep.append(function)
        for name, value in reached(function):
            value = self._resolve(value)
            bound = self._bind(value) if isinstance(value, types.FunctionType) else value
            if name in function.__code__.co_freevars:
                cells[function.__code__.co_freevars.index(name)].cell_contents = bound
            else:
                names[name] = bound
        return made

    def _dispatcher(self, plain: types.FunctionType, identity: str, inline: bool, inner: bool) -> Any:
        from playout.compile.intrinsics import jit
        from playout.compile.linking import InnerCompiler, KernelCompiler

        # What is kept on disk is whole in itself.
        compiler = InnerCompiler if inner and not identity else KernelCompiler
        made = jit(forceinline=inline, no_cpython_wrapper=inner, pipeline_class=compiler)(plain)
        if identity:
            from playout.compile.cache import DiskCache

            made._cache = DiskCache(plain.__name__, identity)
        return made


_bindings: dict[tuple[int, bool, frozenset[str]], Binding] = {}


def bind(game: Game, compiled: bool = True, features: Iterable[str] = ()) -> Binding:
    """The binding of a game with some of `FEATURES`, made once per process; a game that says `compiled = False` stays as it is."""
    compiled, asked = compiled and game.compiled, frozenset(features)
    if not asked <= set(FEATURES):
        raise ValueError(f"features are {', '.join(FEATURES)}, not {', '.join(sorted(asked - set(FEATURES)))}")
    if game.hidden:
        asked |= {"worlds"}
    name = (id(game), compiled, asked)
    if name not in _bindings:
        _bindings[name] = Binding(game, compiled, asked)
    return _bindings[name]
