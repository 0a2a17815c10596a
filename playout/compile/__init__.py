"""Plain functions in, machine code out: the only place that knows Numba. `bind(game)` gives a game's functions and kernels."""

from playout.compile.binding import Binding, bind
from playout.errors import CompileError

__all__ = ["Binding", "CompileError", "bind"]
