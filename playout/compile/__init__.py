"""Plain functions in, machine code out: the only place that knows Numba. `bind(game)` gives a game's functions and kernels.

`shared(kernel)` is for kernels that know no game at all: loops over arrays that were made from one.
"""

from playout.compile.binding import Binding, bind
from playout.compile.maker import shared
from playout.errors import CompileError

__all__ = ["Binding", "CompileError", "bind", "shared"]
