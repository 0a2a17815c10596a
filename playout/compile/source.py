"""The text of a game's rules: which functions they reach, and where in which file those lie.

Used to point at the user's own line, by the explanations of compile errors and by the checker.
"""

from __future__ import annotations

import ast
import linecache
import os
import types
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from playout.compile.digest import reached
from playout.game.contract import CONTINUOUS, ENCODED, OPTIONAL, REQUIRED
from playout.game.game import Game

_LIBRARY = str(Path(__file__).resolve().parents[1]) + os.sep
_BUNDLED = _LIBRARY + "games" + os.sep


class Place(NamedTuple):
    """A line of the user's: the function it belongs to, and where that is."""

    function: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.function} ({self.file}, line {self.line})"


def own_functions(game: Game, roles: Iterable[str] = ()) -> list[types.FunctionType]:
    """The rules (or those roles only) and every helper of the user's that they reach, each once."""
    wanted = tuple(roles) or (*REQUIRED, *OPTIONAL, *ENCODED, *CONTINUOUS)
    return helpers(*(unwrapped(game.functions[role]) for role in wanted if role in game.functions))


def helpers(*functions: Any) -> list[types.FunctionType]:
    """These functions and every one of the user's that they reach, each once."""
    found: dict[int, types.FunctionType] = {}
    waiting = list(functions)
    while waiting:
        function = waiting.pop(0)
        if not isinstance(function, types.FunctionType) or id(function) in found or _is_library(function):
            continue
        found[id(function)] = function
        waiting += [value for _, value in _reached(function) if isinstance(value, types.FunctionType)]
    return list(found.values())


def unwrapped(function: Any) -> Any:
    """What the user wrote, where `Game` put a lambda around it that drops the viewer, or a function that takes the scratch."""
    if isinstance(function, types.FunctionType) and function.__name__ in ("<lambda>", "plain") and _is_library(function):
        return next((value for _, value in _reached(function) if isinstance(value, types.FunctionType)), function)
    return function


def _reached(function: types.FunctionType) -> Iterator[tuple[str, object]]:
    try:
        yield from reached(function)
    except ValueError:  # a closure variable that was never given a value
        return


def _is_library(function: types.FunctionType) -> bool:
    path = os.path.abspath(function.__code__.co_filename)
    return path.startswith(_LIBRARY) and not path.startswith(_BUNDLED)


@lru_cache(maxsize=64)
def is_bundled(game: Game) -> bool:
    """Whether all rules of a game came with the library."""
    return all(os.path.abspath(function.__code__.co_filename).startswith(_BUNDLED) for function in own_functions(game))


def definition(function: types.FunctionType) -> ast.FunctionDef | None:
    """The syntax tree of a function; None where its text is not at hand."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    for node in _definitions("".join(linecache.getlines(code.co_filename))):
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        if first == code.co_firstlineno and node.name == code.co_name:
            return node
    return None


@lru_cache(maxsize=32)
def _definitions(text: str) -> tuple[ast.FunctionDef, ...]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ()
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def place(function: types.FunctionType, line: int | None = None) -> Place:
    """A line of a function, its first one if none is given."""
    return Place(function.__name__, function.__code__.co_filename, line or function.__code__.co_firstlineno)


def place_at(functions: Iterable[types.FunctionType], file: str, line: int) -> Place | None:
    """The function that a line of a file belongs to, if it is one of these."""
    for function in functions:
        code = function.__code__
        if os.path.abspath(code.co_filename) == os.path.abspath(file):
            lines = [number for _, _, number in code.co_lines() if number]
            if min(lines) <= line <= max(lines):
                return place(function, line)
    return None


def place_of_node(function: types.FunctionType, wanted: Callable[[ast.AST], bool]) -> Place | None:
    """The first line of a function with a node of that kind."""
    tree = definition(function)
    lines = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.expr | ast.stmt) and wanted(node)] if tree else []
    return place(function, min(lines)) if lines else None


def place_of_name(functions: Iterable[types.FunctionType], name: str) -> tuple[Place, str] | None:
    """Where `something.name` is first written in these functions, with the something; for errors that come without a line."""
    for function in functions:
        tree = definition(function)
        if tree is None:
            if name in function.__code__.co_names:
                return place(function), ""
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr == name:
                return place(function, node.lineno), ast.unparse(node.value)
    return None
