"""The identity of a function: a digest of everything it can reach.

Numba notices edits only in a function's own file, so a cached kernel would go on giving the old answer after a helper
elsewhere was edited. Here bytecode, constants, globals, closures and helpers count, recursively; modules by file bytes.
"""

from __future__ import annotations

import dis
import enum
import hashlib
import types
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from playout.errors import GameError
from playout.game.contract import CONTINUOUS, ENCODED, OPTIONAL, REQUIRED
from playout.game.game import Game
from playout.game.record import field_names

Resolve = Callable[[Any], Any]
"""Maps a value that a function refers to onto what will really be called (a hole onto the game's function)."""


def reached(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The global names and closure variables that a function reads, with their values."""
    for name in sorted(_global_names(function.__code__)):
        if name in function.__globals__:
            yield name, function.__globals__[name]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents


@cache
def _global_names(code: types.CodeType) -> frozenset[str]:
    names = {i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _global_names(constant)
    return frozenset(names)


def digest(function: types.FunctionType, resolve: Resolve, salt: str = "") -> str:
    """Twenty-four hex digits that change when anything the function can reach changes."""
    hasher = hashlib.sha256(salt.encode())
    _Walk(hasher.update, resolve).value(function, function.__name__)
    return hasher.hexdigest()[:24]


def rules(game: Game, encoded: bool = False) -> str:
    """The identity of a game: of all its compiled functions and of what it declares.

    How a network sees it is no part of the rules, so stored games outlive a better `encode`; it counts where machine code is kept.
    """
    hasher = hashlib.sha256(repr((game.players, game.actions, game.most_legal, described(game.dtype))).encode())
    if game.identity:
        hasher.update(repr((game.identity, sorted(game.parameters.items()))).encode())
        return hasher.hexdigest()[:24]
    walk = _Walk(hasher.update, lambda value: value)
    if game.shape is not None:
        hasher.update(repr((game.shape.stages, game.shape.movers, game.shape.action_set, game.shape.scratch)).encode())
    for role in (*REQUIRED, *OPTIONAL, *CONTINUOUS, *(ENCODED if encoded else ())):
        if role in game.functions:
            walk.word(role)
            walk.value(game.functions[role], role)
    return hasher.hexdigest()[:24]


def described(dtype: np.dtype[Any]) -> list[Any]:
    """The fields that a game declared, without the gaps between them: how they are laid out is no part of the rules."""
    packed = np.dtype([(name, described(dtype[name]) if dtype[name].names else dtype[name]) for name in field_names(dtype)])
    return packed.descr


class _Walk:
    def __init__(self, update: Callable[[bytes], None], resolve: Resolve) -> None:
        self.update, self.resolve = update, resolve
        self.seen: dict[int, int] = {}

    def word(self, *words: Any) -> None:
        for word in words:
            data = word if isinstance(word, bytes) else str(word).encode()
            self.update(len(data).to_bytes(8, "little") + data)

    def value(self, value: Any, where: str) -> None:
        value = self.resolve(value)
        if isinstance(value, types.FunctionType):
            self.function(value)
        elif isinstance(value, np.ndarray):
            if value.dtype.hasobject:
                raise _refuse(where, value)
            self.word("array", value.dtype, value.shape, np.ascontiguousarray(value).tobytes())
        elif isinstance(value, np.generic | np.dtype):
            self.word(type(value).__name__, value.tobytes() if isinstance(value, np.generic) else repr(value))
        elif isinstance(value, enum.Enum):
            self.word("enum", type(value).__qualname__, value.name)
            self.value(value.value, where)
        elif isinstance(value, tuple):
            self.word("tuple", len(value))
            for part in value:
                self.value(part, where)
        elif isinstance(value, slice):  # since Python 3.14 `a[:]` has one among its constants
            self.word("slice")
            for part in (value.start, value.stop, value.step):
                self.value(part, where)
        elif value is None or isinstance(value, bool | int | float | complex | str | bytes | frozenset):
            self.word(type(value).__name__, repr(sorted(map(repr, value))) if isinstance(value, frozenset) else repr(value))
        elif isinstance(value, types.ModuleType):
            self.module(value)
        elif isinstance(value, type | types.BuiltinFunctionType | np.ufunc):
            self.word("named", getattr(value, "__module__", ""), getattr(value, "__qualname__", value))
        elif hasattr(value, "py_func"):
            self.function(value.py_func)
        else:
            raise _refuse(where, value)

    def function(self, function: types.FunctionType) -> None:
        if id(function) in self.seen:
            self.word("again", self.seen[id(function)])
            return
        self.seen[id(function)] = len(self.seen)
        self.word("function", function.__name__, hasattr(function, "hot"), hasattr(function, "cold"))
        self.code(function.__code__)
        self.value(function.__defaults__, function.__name__)
        for name, value in reached(function):
            self.word(name)
            self.value(value, f"{function.__name__} uses {name}")

    def code(self, code: types.CodeType) -> None:
        self.word(code.co_code, *code.co_names, *code.co_varnames, *code.co_freevars)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self.code(constant)
            else:
                self.value(constant, code.co_name)

    def module(self, module: types.ModuleType) -> None:
        self.word("module", module.__name__)
        version, file = getattr(module, "__version__", ""), getattr(module, "__file__", None)
        self.word(version)
        if file is not None and file.endswith(".py"):
            self.word(Path(file).read_bytes())
        # A module's numbers may come from yet another file: `helpers.SIZE` with `from sizes import SIZE` in helpers.
        if module.__name__.partition(".")[0] not in ("numpy", "math", "playout"):
            for name, value in sorted(vars(module).items()):
                if isinstance(value, bool | int | float | str | tuple | np.generic) and not name.startswith("__"):
                    self.word(name, repr(value))
                elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
                    self.word(name, value.dtype, value.shape, value.tobytes())


def _refuse(where: str, value: Any) -> GameError:
    kind = type(value).__name__
    cure = (
        "make it a tuple or a NumPy array"
        if kind in ("list", "dict", "set")
        else "use numbers, tuples, NumPy arrays and functions"
    )
    return GameError(f"{where}, which is a {kind}: compiled rules cannot use that; {cure}")
