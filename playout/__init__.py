"""playout: write a game once in Python; search it, learn it, and know how good the play is.

The public surface is what is listed here. Importing it is quick: the compiler loads only when something is compiled.
"""

from playout.bits import lowest, pop, popcount
from playout.errors import CompileError, FileError, GameError, IllegalAction, PlayoutError, UnfinishedLine
from playout.game import Game, State, parameter
from playout.load import load
from playout.search.decision import ActionRecord, Decision
from playout.search.line import Line
from playout.search.search import Search, search
from playout.search.settings import Budget, Settings
from playout.stream import Stream, below, uniform

__version__ = "0.1.0"

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
    "load",
    "lowest",
    "parameter",
    "pop",
    "popcount",
    "search",
    "uniform",
]
