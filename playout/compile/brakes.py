"""Brakes in machine code: rules that call themselves stop before the stack is full, and loops of rules stop when they are told to.

Python can neither interrupt machine code nor survive a full stack, so the rules look themselves. A function that calls itself, directly or
round about, compares at its beginning where it stands with the lowest place that the stack of its thread may reach. A loop looks each time
round (`while` in every game, `for` too where indices are checked) at one number, which is 0 unless some call is to be stopped; only then
it asks whether that is its own. Both leave the kernel with an error that names function and line. Machine code knows the numbers by
symbols, so that code from the cache finds them in every process.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from typing import TYPE_CHECKING, Any

import llvmlite.binding as llvm
from llvmlite import ir as llvm_ir
from numba.core import cgutils, ir
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.lowering import Lower

from playout.compile.source import own_functions, place
from playout.errors import RulesError

if TYPE_CHECKING:
    from playout.game.game import Game

DEEP, STOPPED = "too deep", "stopped"
"""The first argument of the errors that are raised here."""
MOST_STACK = 64 << 20
"""Bytes that rules may go down where a stack has no bound."""
SPARE = 256 << 10
"""Bytes left for what the deepest call calls; a quarter of a small stack."""
NUMBERS, OWN = "playout_brakes", "playout_own_block"
WORD = llvm_ir.IntType(64)

_numbers = (ctypes.c_int64 * 2)()
"""How many calls are to be stopped just now, and the key under which a thread finds its block: (lowest place of the stack, whether to stop)."""
_mine = threading.local()
_lock = threading.Lock()


def _system() -> Any:
    """The C library where it knows what threads keep to themselves; None elsewhere, and nothing is braked there."""
    if sys.platform == "win32":
        return None
    library = ctypes.CDLL(None)
    key = ctypes.c_size_t(0)
    if not hasattr(library, "pthread_getspecific") or library.pthread_key_create(ctypes.byref(key), None) != 0:
        return None
    _numbers[1] = key.value
    llvm.add_symbol(NUMBERS, ctypes.addressof(_numbers))
    llvm.add_symbol(OWN, ctypes.cast(library.pthread_getspecific, ctypes.c_void_p).value)
    return library


_library = _system()


def block() -> Any:
    """What machine code knows of the calling thread, made when it is first asked for."""
    found = getattr(_mine, "block", None)
    if found is None:
        found = _mine.block = (ctypes.c_int64 * 2)(_lowest(), 0)
        if _library is not None:
            _library.pthread_setspecific(ctypes.c_size_t(_numbers[1]), ctypes.byref(found))
    return found


def _lowest() -> int:
    """The lowest address that rules may reach on this thread's stack; 0 where nobody can tell."""
    if _library is None:
        return 0
    low, size = ctypes.c_void_p(), ctypes.c_size_t()
    _library.pthread_self.restype = ctypes.c_void_p
    me = ctypes.c_void_p(_library.pthread_self())
    if hasattr(_library, "pthread_getattr_np"):
        made = (ctypes.c_char * 256)()
        if _library.pthread_getattr_np(me, made) != 0:
            return 0
        _library.pthread_attr_getstack(made, ctypes.byref(low), ctypes.byref(size))
        _library.pthread_attr_destroy(made)
        high = (low.value or 0) + size.value
    elif hasattr(_library, "pthread_get_stackaddr_np"):
        _library.pthread_get_stackaddr_np.restype = ctypes.c_void_p
        _library.pthread_get_stacksize_np.restype = ctypes.c_size_t
        high, size.value = _library.pthread_get_stackaddr_np(me), _library.pthread_get_stacksize_np(me)
    else:
        return 0
    return high - min(size.value - min(SPARE, size.value // 4), MOST_STACK)


def stop(wanted: Any, yes: bool = True) -> None:
    """Have the loops of rules in the thread of that block stop; or no longer."""
    with _lock:
        _numbers[0] += yes - bool(wanted[1])
        wanted[1] = yes


class BrakedLower(Lower):  # type: ignore[misc]
    """Numba's own way to machine code, with brakes."""

    every_loop = False
    """Whether loops over a range, which end by themselves some day, look too: that cost Hex a quarter of its speed, and `while` nothing."""

    def lower_function_body(self) -> Any:
        graph = compute_cfg_from_blocks(self.blocks)  # type: ignore[no-untyped-call]
        self._turns = {
            id(self.blocks[source].terminator)
            for header, loop in graph.loops().items()
            for source, _ in graph.predecessors(header)
            if source in loop.body and (self.every_loop or not _is_range(self.blocks[header]))
        }
        return super().lower_function_body()  # type: ignore[no-untyped-call]

    def pre_lower(self) -> None:
        super().pre_lower()  # type: ignore[no-untyped-call]
        if _library is not None and getattr(self.func_ir.func_id.func, "calls_itself", False):
            self._not_too_deep()

    def lower_inst(self, inst: Any) -> None:
        if _library is not None and isinstance(inst, ir.Jump | ir.Branch) and id(inst) in self._turns:
            self._go_on(inst.loc.line)
        super().lower_inst(inst)  # type: ignore[no-untyped-call]

    def _number(self, which: int) -> Any:
        module, builder = self.builder.module, self.builder
        held = module.globals.get(NUMBERS) or llvm_ir.GlobalVariable(module, llvm_ir.ArrayType(WORD, 2), NUMBERS)
        return self._load(builder.gep(held, [WORD(0), WORD(which)]))

    def _load(self, place: Any) -> Any:
        # Somebody else may write it at any time: it must be read anew each time, and atomic reads of one word cost nothing more.
        return self.builder.load_atomic(place, "monotonic", 8)

    def _own(self) -> Any:
        """The block of the thread that runs, and whether it has one."""
        builder, words = self.builder, WORD.as_pointer()
        module = builder.module
        find = module.globals.get(OWN) or llvm_ir.Function(module, llvm_ir.FunctionType(words, [WORD]), OWN)
        own = builder.call(find, [self._number(1)])
        return own, builder.icmp_unsigned("!=", own, llvm_ir.Constant(words, None))

    def _not_too_deep(self) -> None:
        builder = self.builder
        here = builder.ptrtoint(cgutils.alloca_once(builder, WORD), WORD)  # type: ignore[no-untyped-call]
        own, known = self._own()
        with builder.if_then(known):
            wrong = builder.icmp_unsigned("<", here, self._load(own))
            with cgutils.if_unlikely(builder, wrong):  # type: ignore[no-untyped-call]
                self._leave(RecursionError, DEEP, self.func_ir.loc.line)

    def _go_on(self, line: int) -> None:
        builder = self.builder
        asked = builder.icmp_unsigned("!=", self._number(0), WORD(0))
        with cgutils.if_unlikely(builder, asked):  # type: ignore[no-untyped-call]
            own, known = self._own()
            with builder.if_then(known):
                wrong = builder.icmp_unsigned("!=", self._load(builder.gep(own, [WORD(1)])), WORD(0))
                with cgutils.if_unlikely(builder, wrong):  # type: ignore[no-untyped-call]
                    self._leave(RuntimeError, STOPPED, line)

    def _leave(self, kind: type[Exception], mark: str, line: int) -> None:
        words = (mark, self.func_ir.func_id.code.co_name, line)
        self.context.call_conv.return_user_exc(self.builder, kind, words)


def _is_range(header: Any) -> bool:
    """Whether a loop takes one thing after the other, and so comes to an end."""
    return any(
        isinstance(line, ir.Assign) and isinstance(line.value, ir.Expr) and line.value.op == "iternext" for line in header.body
    )


def told(game: Game, error: Exception) -> RulesError | None:
    """The sentence for a rule that went too deep; None for any other error."""
    if not (isinstance(error, RecursionError) and len(error.args) == 3 and error.args[0] == DEEP):
        return None
    return RulesError(
        f"game {game.name!r}: {where(game, error)} calls itself deeper than the stack of this thread has room for; write it as a loop, with "
        f"what is still to do in an array of the state, and run playout check {game.spec}"
    )


def is_stopped(error: BaseException) -> bool:
    """Whether a loop of a rule was told to stop."""
    return isinstance(error, RuntimeError) and len(error.args) == 3 and error.args[0] == STOPPED


def where(game: Game, error: BaseException) -> str:
    """The function of the user's that an error comes from, with file and line."""
    _, name, line = error.args
    return next((str(place(found, line)) for found in own_functions(game) if found.__name__ == name), name)
