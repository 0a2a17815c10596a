"""Bounds checks in machine code: a rule that reads or writes outside an array ends its kernel with a sentence, and not the process.

Numba can check indices; here its check is one comparison instead of two, and it leaves behind what a person wants to know: which
function, which array, which index, how many entries. Rules of games that were never fully checked are compiled with it (`trusted` in
`binding`); the engine's own text is not. The numbers go to a small buffer that machine code knows by the name of a symbol, so that code
from the cache finds it in every process; the names are constants of the error itself.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple

import llvmlite.binding as llvm
from llvmlite import ir as llvm_ir
from numba.core import cgutils, ir

from playout.compile.brakes import BrakedLower
from playout.compile.source import own_functions, place
from playout.errors import RulesError

if TYPE_CHECKING:
    from playout.game.game import Game

MARK = "outside"
"""The first argument of the errors that are raised here."""
SYMBOL = "playout_fault"
_fault = (ctypes.c_int64 * 2)()
"""The last index that was outside, and how many entries there are. Two threads that fail at once may mix their numbers."""
llvm.add_symbol(SYMBOL, ctypes.addressof(_fault))


class _Now(NamedTuple):
    """What is being made into machine code."""

    function: str
    verb: str
    array: str


_now: _Now | None = None
_plain_check = cgutils.do_boundscheck


def _check(context: Any, builder: Any, index: Any, size: Any, axis: Any = None) -> None:
    """Compare an index, negative ones already counted from the end, with the size of its axis."""
    if _now is None:
        _plain_check(context, builder, index, size, axis)  # type: ignore[no-untyped-call]
        return
    word = llvm_ir.IntType(64)
    # Below 0 is far above every size where no sign is read.
    wrong = builder.icmp_unsigned(">=", index, size)
    with cgutils.if_unlikely(builder, wrong):  # type: ignore[no-untyped-call]
        held = builder.module.globals.get(SYMBOL) or llvm_ir.GlobalVariable(builder.module, llvm_ir.ArrayType(word, 2), SYMBOL)
        for number, value in enumerate((index, size)):
            wide = builder.sext(value, word) if value.type.width < 64 else value
            builder.store(wide, builder.gep(held, [word(0), word(number)]))
        context.call_conv.return_user_exc(builder, IndexError, (MARK, *_now))


cgutils.do_boundscheck = _check  # type: ignore[assignment]


class GuardedLower(BrakedLower):
    """The same, which knows at every index whose it is."""

    every_loop = True

    def lower_inst(self, inst: Any) -> None:
        global _now
        before, read = _now, isinstance(inst, ir.Assign)
        array = inst.value.value if read and _is_getitem(inst.value) else getattr(inst, "target", None)
        _now = _Now(self.func_ir.func_id.code.co_name, "reads" if read else "writes", self._name(array))
        try:
            super().lower_inst(inst)
        finally:
            _now = before

    def _name(self, variable: Any) -> str:
        """What the user calls an array: `state.board`, `out`, the name of a table."""
        if not isinstance(variable, ir.Var):
            return "an array"
        try:
            found = self.func_ir.get_definition(variable)
        except KeyError:
            found = None
        if isinstance(found, ir.Arg | ir.Global | ir.FreeVar):
            return str(found.name)
        if isinstance(found, ir.Expr) and found.op == "getattr":
            return f"{self._name(found.value)}.{found.attr}"
        name = str(variable.unversioned_name)
        return "an array" if name.startswith("$") else name


def _is_getitem(value: Any) -> bool:
    return isinstance(value, ir.Expr) and value.op in ("getitem", "static_getitem", "typed_getitem")


def outside(game: Game, error: Exception) -> RulesError | None:
    """The sentence for an error that was raised here; None for any other."""
    if not (isinstance(error, IndexError) and len(error.args) == 4 and error.args[0] == MARK):
        return None
    _, function, verb, array = error.args
    index, size = _fault
    where = next((str(place(found)) for found in own_functions(game) if found.__name__ == function), function)
    # Negative indices count from the end, and that was done before they were compared.
    asked = index if index >= 0 else index - size
    return RulesError(
        f"game {game.name!r}: {where} {verb} outside {array}: index {asked}, and it has {size} entr{'y' if size == 1 else 'ies'}; check the "
        f"index against the size, and run playout check {game.spec} to see in which state"
    )
