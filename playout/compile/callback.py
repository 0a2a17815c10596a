"""Rules that are Python objects, called from machine code: the search is compiled, and asks Python for every rule.

Machine code knows one symbol, a function of C that is Python inside; which game and which rule are numbers. The symbol is known by name,
so that code from the cache finds it in every process. An error inside is kept, every rule then answers at once that there is nothing to
do, and whoever called the kernel raises it (`raise_kept`).
"""

from __future__ import annotations

import ctypes
from typing import Any, Protocol

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

SYMBOL = "playout_object_rule"
POINTER, WORD = ir.IntType(8).as_pointer(), ir.IntType(64)
KIND = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p
)


class Answers(Protocol):
    """Whoever answers for one game."""

    error: BaseException | None

    def answer(self, role: int, state: int, number: int, out: int, rng: int) -> int:
        """What a rule says: addresses of the state, of what it writes, of the stream."""


answering: dict[int, Answers] = {}
"""Who answers, by the number of the game."""


def _called(game: int, role: int, state: int, number: int, out: int, rng: int) -> int:
    who = answering[game]
    if who.error is not None:
        return NOTHING
    try:
        return who.answer(role, state, number, out, rng)
    except BaseException as error:
        who.error = error
        return NOTHING


NOTHING = -1
"""The answer after an error: nobody is to act, and nothing is legal."""
_door = KIND(_called)
llvm.add_symbol(SYMBOL, ctypes.cast(_door, ctypes.c_void_p).value)


def raise_kept(game: int) -> None:
    """Raise what a rule raised while machine code ran."""
    who = answering.get(game)
    if who is not None and who.error is not None:
        error, who.error = who.error, None
        raise error


def _address(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Where a record or an array lies."""
    if isinstance(kind, types.Array):
        value = context.make_array(kind)(context, builder, value).data
    return builder.bitcast(value, POINTER)


def _calling(taken: tuple[str, ...]) -> Any:
    """An intrinsic that calls the symbol with some of (game, role, state, number, out, rng)."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        nothing, zero = ir.Constant(POINTER, None), ir.Constant(WORD, 0)
        given: dict[str, Any] = {"number": zero, "out": nothing, "rng": nothing}
        for name, kind, value in zip(taken, signature.args, arguments):
            whole = name in ("game", "role", "number")
            given[name] = context.cast(builder, value, kind, types.int64) if whole else _address(context, builder, kind, value)
        place = ir.FunctionType(WORD, [WORD, WORD, POINTER, WORD, POINTER, POINTER])
        function = builder.module.globals.get(SYMBOL) or ir.Function(builder.module, place, SYMBOL)
        return builder.call(function, [given[name] for name in ("game", "role", "state", "number", "out", "rng")])

    return emit


@intrinsic  # type: ignore[untyped-decorator]
def ask(typing: Any, game: Any, role: Any, state: Any) -> Any:
    """A rule that looks at a state."""
    return types.int64(types.unliteral(game), types.unliteral(role), state), _calling(("game", "role", "state"))


@intrinsic  # type: ignore[untyped-decorator]
def look(typing: Any, game: Any, role: Any, state: Any, number: Any) -> Any:
    """The same with a number."""
    whole = [types.unliteral(kind) for kind in (game, role)]
    return types.int64(*whole, state, types.unliteral(number)), _calling(("game", "role", "state", "number"))


@intrinsic  # type: ignore[untyped-decorator]
def fill(typing: Any, game: Any, role: Any, state: Any, number: Any, out: Any) -> Any:
    """A rule that writes into an array."""
    whole = [types.unliteral(kind) for kind in (game, role)]
    return types.int64(*whole, state, types.unliteral(number), out), _calling(("game", "role", "state", "number", "out"))


@intrinsic  # type: ignore[untyped-decorator]
def tell(typing: Any, game: Any, role: Any, state: Any, number: Any, rng: Any) -> Any:
    """A rule that changes the state, with chance."""
    whole = [types.unliteral(kind) for kind in (game, role)]
    return types.int64(*whole, state, types.unliteral(number), rng), _calling(("game", "role", "state", "number", "rng"))
