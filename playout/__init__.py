"""playout: write a game once in Python; search it, learn it, and know how good the play is.

The public surface is what is listed here: the verbs, and the nouns that they take and give. Importing it is quick: the compiler, and
the verbs that need more than a search does, load when they are first used.
"""

# ruff: noqa: I001
from playout import starting  # noqa: F401 - first, so that Ctrl-C while the rest is loaded is no traceback

from importlib import import_module
from typing import TYPE_CHECKING, Any

from playout.compile import binding as _binding
from playout.compile.patience import timeout
from playout.game import load as _loading
from playout.errors import CompileError, FileError, GameError, IllegalAction, PlayoutError, UnfinishedLine
from playout.game.bits import lowest, mix, pop, popcount
from playout.game.contract import parameter
from playout.game.game import Game
from playout.game.lived import by_rejection
from playout.game.load import load
from playout.game.state import State
from playout.game.stream import Stream, below, uniform
from playout.planner.actions import ActionRecord
from playout.planner import keys as _keys
from playout.planner.decision import Decision
from playout.planner.line import Line
from playout.planner.search import Search, search
from playout.planner.settings import Budget, Settings

if TYPE_CHECKING:
    from playout.agents import make_agent
    from playout.arena.fit import fit
    from playout.arena.tournament import compete
    from playout.checker import check
    from playout.learning.network.lecture import selfplay_data
    from playout.learning.run import learn
    from playout.planner.many import search_many
    from playout.planner.wide import search_wide
    from playout.truth.continuous.compare import compare
    from playout.truth.imperfect.best_response import exploitability
    from playout.truth.perfect.perfect import solve
    from playout.truth.perfect.position import solve_position

__version__ = "0.1.0"

_LATER = {
    "check": "checker",
    "compare": "truth.continuous.compare",
    "compete": "arena.tournament",
    "exploitability": "truth.imperfect.best_response",
    "fit": "arena.fit",
    "learn": "learning.run",
    "make_agent": "agents",
    "search_many": "planner.many",
    "search_wide": "planner.wide",
    "selfplay_data": "learning.network.lecture",
    "solve": "truth.perfect.perfect",
    "solve_position": "truth.perfect.position",
}
"""Verbs, and the modules that they are loaded from when they are first asked for."""


def _trial(game: Game) -> Any:
    """A new game is tried out before it is compiled; the checker is loaded only then."""
    from playout.checker.contract.trial import trial

    return trial(game)


_binding.trial = _trial


def _judged(game: Game, pair: Any) -> Any:
    """Two states with one key were met in a search."""
    from playout.checker.contract.keys import judged

    return judged(game, pair)


_keys.judged = _judged


def _file_game(spec: str, parameters: dict[str, Any]) -> Game:
    from playout.bridges.plain import file_game

    return file_game(spec, parameters)


def _class_game(kind: type, parameters: dict[str, Any]) -> Game | None:
    from playout.bridges.plain import class_game, is_object_game

    return class_game(kind, **parameters) if is_object_game(kind) else None


def _openspiel_game(spec: str, parameters: dict[str, Any]) -> Game:
    from playout.bridges.openspiel import openspiel_game

    return openspiel_game(spec, parameters)


def _pettingzoo_game(spec: str, parameters: dict[str, Any]) -> Game:
    from playout.bridges.pettingzoo import pettingzoo_game

    return pettingzoo_game(spec)


_loading.doors |= {
    ".py": _file_game,
    "openspiel": _openspiel_game,
    "openspiel-plain": _openspiel_game,
    "pettingzoo": _pettingzoo_game,
}
_loading.class_door = _class_game


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"playout has no {name!r}")
    globals()[name] = getattr(import_module(f"playout.{_LATER[name]}"), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


__all__ = [
    "ActionRecord",
    "Budget",
    "CompileError",
    "Decision",
    "FileError",
    "Game",
    "GameError",
    "IllegalAction",
    "Line",
    "PlayoutError",
    "Search",
    "Settings",
    "State",
    "Stream",
    "UnfinishedLine",
    "below",
    "by_rejection",
    "check",
    "compare",
    "compete",
    "exploitability",
    "fit",
    "learn",
    "load",
    "lowest",
    "make_agent",
    "mix",
    "parameter",
    "pop",
    "popcount",
    "search",
    "search_many",
    "search_wide",
    "selfplay_data",
    "solve",
    "solve_position",
    "timeout",
    "uniform",
]
