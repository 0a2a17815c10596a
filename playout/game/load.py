"""Finding a game: by bundled name, by path to a file, by module, with parameters.

A game file is executed afresh for every set of parameters, so that `m = parameter("m", 3)` at its top is a plain
number for everything below it, the record included.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import types
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from playout.errors import GameError, PlayoutError, suggest
from playout.game import calls
from playout.game.contract import _declared, _overrides
from playout.game.game import Game

ALIASES: dict[str, tuple[str, dict[str, Any]]] = {
    "tic-tac-toe": ("mnk", {"m": 3, "n": 3, "k": 3}),
    "gomoku": ("mnk", {"m": 15, "n": 15, "k": 5}),
}
"""Names that people use for a bundled game with particular parameters."""

on_new: Callable[[Game], None] | None = None
"""Told of every game that was read from a file."""
doors: dict[str, Callable[[str, dict[str, Any]], Game]] = {}
"""Games that another library or another kind of file has, by the word before the colon; ".py" is for a class in a file. Bridges stand
above this room, so `playout/__init__.py` opens the doors."""
class_door: Callable[[type, dict[str, Any]], Game | None] | None = None
"""What makes a game of a class whose objects are states; None of one that is a namespace of rules."""
_loaded: dict[tuple[str, bytes, tuple[tuple[str, Any], ...]], tuple[Game, dict[Path, bytes]]] = {}
"""Games by name, content and parameters, each with the helper files beside it as they were."""


@cache
def bundled() -> dict[str, Path]:
    """The bundled games: name to file. A game with a folder of its own has its rules in `rules.py` there."""
    folder = Path(__file__).parents[1] / "games"
    files = {p.stem: p for p in folder.glob("*.py") if not p.stem.startswith("_")}
    files |= {p.parent.name: p for p in folder.glob("*/rules.py")}
    return {name.replace("_", "-"): files[name] for name in sorted(files)}


def load(game: str | Path | Game | types.ModuleType | type | Mapping[str, Any], /, **parameters: Any) -> Game:
    """A game by name (`"connect-four"`), by spec (`"mnk:m=7,n=7,k=4"`), by path (`"mygame.py"`), or by module.

    >>> load("mnk", m=7, n=7, k=4)
    <game mnk:m=7,n=7,k=4: m,n,k games: k in a row wins on a board m wide and n high>
    """
    if isinstance(game, Game):
        return game if not parameters else load(game.file or game.name, **{**game.parameters, **parameters})
    if isinstance(game, types.ModuleType):
        if parameters:
            return load(str(game.__file__), **parameters)
        return Game(game.__name__.rpartition(".")[2].replace("_", "-"), vars(game))
    if isinstance(game, type):
        made = None if class_door is None else class_door(game, parameters)
        if made is not None:
            return made
        return Game(game.__name__, {"__doc__": game.__doc__, **vars(game)})
    if isinstance(game, Mapping):
        return Game(str(game.get("name", "game")), game)
    if not isinstance(game, str | os.PathLike):
        from playout.game.state import State

        if isinstance(game, State):
            raise PlayoutError(
                f"a game is wanted here, and this is a state of {game.game.spec!r}: give state.game; a search is told of the state by run(state), "
                "and playout.search(state) takes it as it is"
            )
        has = " (its .game is one)" if isinstance(getattr(game, "game", None), Game) else ""
        raise PlayoutError(
            f"a game is wanted here, not {type(game).__name__}{has}: give a name, the path of a file, a module, a class or a dict of functions"
        )
    door = _door(str(game))
    if door is not None:
        return door(str(game), parameters)
    name, spec_parameters = parse_spec(str(game))
    asked = {**spec_parameters, **parameters}
    if name.endswith(".py") or "/" in name or "\\" in name:
        path = Path(name)
        if not path.is_file():
            raise PlayoutError(
                f"game file {name!r} does not exist; give the path of a Python file, or a bundled name (see: playout games)"
            )
        return _execute(path, path.stem.replace("_", "-"), asked, file=name)
    files = bundled()
    base, preset = ALIASES.get(name, (name, {}))
    if base not in files:
        raise PlayoutError(f"unknown game {name!r}; {suggest(name, [*files, *ALIASES])}")
    return _execute(files[base], name, {**preset, **asked}, base=base, preset=preset)


def _door(spec: str) -> Callable[[str, dict[str, Any]], Game] | None:
    """Who is asked for a game that is none of ours: `openspiel:NAME`, or `FILE.py:CLASS`."""
    word, colon, _ = spec.partition(":")
    if colon and word.strip() in doors:
        return doors[word.strip()]
    _, found, rest = spec.rpartition(".py:")
    # What has a = before the first comma is a parameter of a file of rules.
    return doors.get(".py") if found and rest.strip() and "=" not in rest.partition(",")[0] else None


def load_listed(game: Game | str, who: str) -> Game:
    """A game for a tool that must list actions, or a sentence on what else can be done with real-valued ones."""
    found = load(game)
    if found.continuous:
        raise PlayoutError(
            f"{who} works with actions that can be listed, and actions of {found.spec} are real vectors; "
            "use playout search or playout compare for it"
        )
    return found


def parse_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Split `name:key=value,key=value`; used for games and for agents."""
    drive = 2 if len(spec) > 2 and spec[1] == ":" and spec[2] in "\\/" else 0
    name, _, rest = spec[drive:].partition(":")
    pairs: dict[str, str] = {}
    for part in filter(None, (p.strip() for p in rest.split(","))):
        word, equals, value = part.partition("=")
        if not equals or not word.strip() or not value.strip():
            raise PlayoutError(f"{part!r} in {spec!r} is not of the form name=value; write for example mnk:m=7,n=7,k=4")
        if word.strip() in pairs:
            raise PlayoutError(f"{word.strip()!r} is given twice in {spec!r}; give it once")
        pairs[word.strip()] = value.strip()
    return spec[:drive] + name.strip(), pairs


def read_file(file: str) -> tuple[dict[str, Any], str]:
    """What a file defines, and a digest of it and of the helpers beside it."""
    path = Path(file)
    try:
        source = path.read_bytes()
    except FileNotFoundError:
        raise PlayoutError(
            f"game file {file!r} does not exist; give the path of a Python file, or a bundled name (see: playout games)"
        ) from None
    except OSError as error:
        raise PlayoutError(f"game file {file!r} cannot be read: {error.strerror}") from None
    helpers: dict[Path, bytes] = {}
    names = _run(path, source, path.stem, {}, helpers)
    hasher = hashlib.sha256(source)
    for helper in sorted(helpers):
        hasher.update(helper.name.encode() + helpers[helper])
    return names, hasher.hexdigest()


def _execute(
    path: Path, name: str, asked: dict[str, Any], file: str = "", base: str = "", preset: Mapping[str, Any] | None = None
) -> Game:
    try:
        source = path.read_bytes()
    except OSError as error:
        raise PlayoutError(f"game file {str(path)!r} cannot be read: {error.strerror}") from None
    # As it was named, too: a game that was first loaded by a relative path has a spec that means nothing in another folder.
    identity = (f"{name} {file} {path.resolve()}", source, tuple(sorted((k, str(v)) for k, v in asked.items())))
    if identity in _loaded:
        game, helpers = _loaded[identity]
        if all(helper.is_file() and helper.read_bytes() == content for helper, content in helpers.items()):
            return game
    helpers = {}
    names = {**_run(path, source, name, asked, helpers), "_base": base, "_preset": preset}
    game = Game(name, names, file=file)
    if on_new is not None:
        on_new(game)
    _loaded[identity] = (game, helpers)
    return game


def _run(path: Path, source: bytes, name: str, asked: dict[str, Any], helpers: dict[Path, bytes]) -> dict[str, Any]:
    """What the file defines when it is executed with these parameters."""
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    declared: dict[str, Any] = {}
    overrides, collecting = _overrides.set(asked), _declared.set(declared)
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    aside = _set_aside(folder)
    known = set(sys.modules)
    try:
        code = compile(importlib.util.decode_source(source), str(path), "exec")
        if calls.watching:
            calls.noted(str(path), "import", None, exec, code, module.__dict__)
        else:
            exec(code, module.__dict__)
    except PlayoutError:
        raise
    except SyntaxError as error:
        raise GameError(f"game file {str(path)!r} has a syntax error in line {error.lineno}: {error.msg}") from None
    except Exception as error:
        raise GameError(
            f"game file {str(path)!r} fails when it is read: {type(error).__name__}: {error}{_line(error, str(path))}"
        ) from error
    finally:
        sys.path.remove(folder)
        _forget(set(sys.modules) - known, folder, helpers)
        _put_back(aside)
        _overrides.reset(overrides)
        _declared.reset(collecting)
    for word in asked:
        if word not in declared:
            words = ", ".join(declared) or "it has none"
            raise PlayoutError(f"game {name!r} has no parameter {word!r}; parameters: {words}")
    values = {p.name: p.value for p in declared.values()}
    return {**vars(module), "parameters": values, "_declared_parameters": declared}


def _set_aside(folder: str) -> dict[str, types.ModuleType]:
    """Take away helpers that somebody else has imported: they were read with other parameters, or with none."""
    found = {name: module for name, module in sys.modules.items() if name != "__main__" and _folder(module) == folder}
    for name in found:
        del sys.modules[name]
    return found


def _put_back(modules: dict[str, types.ModuleType]) -> None:
    sys.modules.update(modules)
    for name, module in modules.items():
        package, _, last = name.rpartition(".")
        if package in sys.modules:
            setattr(sys.modules[package], last, module)


def _folder(module: types.ModuleType) -> str | None:
    file = getattr(module, "__file__", None)
    return os.path.dirname(file) if file else None


def _forget(modules: set[str], folder: str, helpers: dict[Path, bytes]) -> None:
    """Helpers belong to their game: another folder may have a `helpers.py` of its own, and an edited one is read again."""
    for name in modules:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).parent == Path(folder):
            del sys.modules[name]
            helpers[Path(file)] = Path(file).read_bytes()


def _line(error: BaseException, file: str) -> str:
    trace, line = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return "" if line is None else f" (line {line})"
