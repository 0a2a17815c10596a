"""Binding one game into the kernels: its functions stand in their holes, and the pair is compiled.

`Binding` takes one game and rebinds plain functions: holes become the game's functions, helpers their machine forms,
everything else keeps its value. The same text runs uncompiled (`compiled=False`), where only the holes are filled.
Functions that reach no hole are compiled once for all games, and `shared` gives them without any game; both kinds are kept on disk
by the digest of all they reach.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import types
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from playout.compile import holes
from playout.compile.digest import digest, reached, rules
from playout.errors import GameError, PlayoutError
from playout.game.contract import CONTINUOUS, OPTIONAL, REQUIRED
from playout.game.game import Game
from playout.game.record import array_of

ENGINE = (
    "playout.engine",
    "playout.learning",
    "playout.truth.continuous.nested",
    "playout.truth.continuous.climb",
    "playout.truth.imperfect.kernels",
)
"""Where kernels are written for any game: those that reach no hole are compiled once for all."""
_shared: dict[tuple[int, str], Any] = {}
_lock = threading.RLock()
"""Threads of one search may ask for the same function at once, and must not see it half bound."""


@lru_cache(maxsize=1)
def _versions() -> str:
    import llvmlite
    import numba
    import numpy

    own = (Path(__file__).with_name("intrinsics.py").read_bytes(), Path(__file__).read_bytes())
    return repr((sys.version_info[:2], numba.__version__, llvmlite.__version__, numpy.__version__, own))


def _is_engine(function: types.FunctionType) -> bool:
    return function.__module__ is not None and function.__module__.startswith(ENGINE)


def on_array(bounds: Callable[..., None]) -> Callable[..., None]:
    """Bounds that get the array itself: uncompiled, a field of a state is a view, which cannot do all that an array can."""

    def call(stage: int, actions: Any, low: Any, high: Any) -> None:
        bounds(stage, array_of(actions), low, high)

    return call


class Maker:
    """Plain functions made over: what they refer to is put in place, helpers get their machine forms, and the code is kept on disk.

    It knows no game, so it serves only what reaches no hole; `Binding` has a game for the holes.
    """

    def __init__(self, compiled: bool = True, tape: bool = False) -> None:
        self.compiled, self.tape = compiled, tape
        self._made: dict[tuple[int, bool], Any] = {}
        self._keep: list[Any] = []
        self._holed: dict[int, bool] = {}
        self._straight: set[int] = set()

    @property
    def identity(self) -> str:
        """Part of the name of every function that has no digest of its own."""
        return "shared"

    def _resolve(self, value: Any) -> Any:
        """What a reference really means."""
        return value

    def _reaches_hole(self, function: types.FunctionType) -> bool:
        known = self._holed.get(id(function))
        if known is None:
            self._holed[id(function)] = False
            known = any(
                isinstance(value, holes.Constant)
                or (isinstance(value, types.FunctionType) and (hasattr(value, "hole") or self._reaches_hole(value)))
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

    def _bind(self, function: Any, cached: bool = False) -> Any:
        function = self._resolve(function)
        if self.compiled:
            from playout.compile.intrinsics import MACHINE, ON_TAPE

            machine = ON_TAPE if self.tape else MACHINE
            if function in machine:
                return machine[function]
        # What only other machine code calls is made without the door for Python, which takes long to compile.
        inner = self.compiled and not cached and _is_engine(function)
        if (id(function), inner) in self._made:
            return self._made[id(function), inner]
        if not self.compiled and not self._reaches_hole(function):
            return function
        shared = self.compiled and _is_engine(function) and not self._reaches_hole(function) and not hasattr(function, "hot")
        if (cached or shared) and self._recurses(function, []):
            # Numba keeps such code but cannot load it back: the process would crash.
            cached = shared = False
        salt = _versions() + "tape" * self.tape + "inner" * inner
        identity = digest(function, self._resolve, salt) if cached or shared else ""
        if shared and (id(function), identity) in _shared:
            self._made[id(function), inner] = _shared[id(function), identity]
            return self._made[id(function), inner]
        made = self._make(function, identity, cached or shared, inner)
        if shared:
            _shared[id(function), identity] = made
        return made

    def _make(self, function: types.FunctionType, identity: str, cached: bool, inner: bool) -> Any:
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
            inline = _is_engine(function) and not cached and not hasattr(function, "cold")
            made = self._dispatcher(plain, identity, inline, inner)
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

        compiler = InnerCompiler if inner and not identity else KernelCompiler
        made = jit(forceinline=inline, no_cpython_wrapper=inner, pipeline_class=compiler)(plain)
        if identity:
            from playout.compile.cache import DiskCache

            made._cache = DiskCache(plain.__name__, identity)
        return made


class Binding(Maker):
    """One game's functions, rebound; ask for roles with `role` and for kernels with `kernel`.

    With `tape`, compiled chance is read off a tape (`playout.game.tape.RECORD`) in place of a stream.
    """

    def __init__(
        self, game: Game, compiled: bool = True, worlds: bool = False, tape: bool = False, learned: bool = False
    ) -> None:
        super().__init__(compiled, tape)
        self.game, self.learned = game, learned
        self.worlds = worlds or game.hidden
        self._identity = ""
        self._bounds = None if compiled or not game.continuous else on_array(game.functions["bounds"])

    @property
    def identity(self) -> str:
        """The identity of the game's rules, part of the name of every function made from them."""
        if not self._identity:
            # What has no identity is never kept on disk; what is wrong with it, the compiler will say.
            with contextlib.suppress(GameError):
                self._identity = rules(self.game)
        # The same game bound in several ways has several sets of functions, and their symbols must differ too.
        ways = "_worlds" * (self.worlds and not self.game.hidden) + "_tape" * self.tape + "_learned" * self.learned
        return (self._identity or "unkept") + ways

    def role(self, role: str) -> Callable[..., Any]:
        """The game's own function (`"play"`), compiled if this binding compiles."""
        if role not in self.game.functions:
            raise GameError(
                f"game {self.game.name!r} defines no {role}; add def {role}({', '.join({**REQUIRED, **OPTIONAL, **CONTINUOUS}[role])})"
            )
        return self._guarded(self.game.functions[role], cached=False)

    def kernel(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """An engine function with this game in its holes, cached on disk; a game's fault comes out as a sentence."""
        return self._guarded(function, cached=True)

    def _guarded(self, function: Callable[..., Any], cached: bool) -> Callable[..., Any]:
        if not self.compiled:
            return self._bind(function)  # type: ignore[no-any-return]

        def call(*arguments: Any) -> Any:
            # Numba lets all kinds of exceptions out of a compilation, its own and Python's.
            try:
                with _lock:
                    made = self._bind(function, cached)
                return made(*arguments)
            except PlayoutError:
                raise
            except Exception as error:
                from playout.compile.explain import explain

                raise explain(self, error) from None

        return call

    def _resolve(self, value: Any) -> Any:
        """What a reference really means for this game."""
        if value is holes.HIDDEN:
            return self.worlds
        if isinstance(value, holes.Constant):
            return getattr(self.game, value.name)
        if isinstance(value, types.FunctionType) and hasattr(value, "open_form") and not self.worlds:
            return value.open_form
        if isinstance(value, types.FunctionType) and hasattr(value, "unlearned_form") and not self.learned:
            return value.unlearned_form
        if isinstance(value, types.FunctionType) and hasattr(value, "discrete_form") and not self.game.continuous:
            return value.discrete_form
        if isinstance(value, types.FunctionType) and hasattr(value, "continuous_form") and self.game.continuous:
            return value.continuous_form
        if isinstance(value, types.FunctionType) and hasattr(value, "made_for"):
            return value.made_for(self.game)
        hole = getattr(value, "hole", None) if isinstance(value, types.FunctionType) else None
        if hole == "returns" and self.game.continuous:
            return holes.no_returns
        if hole == "bounds" and self._bounds is not None:
            return self._bounds
        if hole is not None:
            return self.game.functions.get(hole) or holes.STAND_INS[hole]
        return value


_bindings: dict[tuple[int, bool, bool, bool, bool], Binding] = {}


def bind(game: Game, compiled: bool = True, worlds: bool = False, tape: bool = False, learned: bool = False) -> Binding:
    """The binding of a game, made once per process; a game that says `compiled = False` stays as it is.

    `worlds` asks for the parts of the engine that tell positions apart by what is seen, also where nothing is hidden; `tape`
    for kernels that enumerate what chance can bring; `learned` for the part of a search that reads learned values.
    """
    compiled = compiled and game.compiled
    name = (id(game), compiled, worlds or game.hidden, tape, learned)
    if name not in _bindings:
        _bindings[name] = Binding(game, compiled, worlds, tape, learned)
    return _bindings[name]


_gameless = Maker()


def shared(function: Callable[..., Any]) -> Callable[..., Any]:
    """The machine code of a kernel that reaches no hole: one for all games, made once and kept on disk as a game's kernels are."""
    with _lock:
        if _gameless._reaches_hole(function):  # type: ignore[arg-type]
            raise ValueError(f"{function.__name__} reaches a hole, so it takes a game: bind(game).kernel({function.__name__})")
        return _gameless._bind(function, cached=True)  # type: ignore[no-any-return]
