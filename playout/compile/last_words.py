"""Last words: a process that machine code ends by a signal says first which game's it was.

The handler is a few lines of machine code itself, since no Python can run by then: it writes a text that was prepared and leaves. It runs
on the stack that `faulthandler` keeps for the main thread, so that a stack that is full can be told, too; in other threads it cannot.
"""

from __future__ import annotations

import ctypes
import faulthandler
import signal
import sys
from functools import lru_cache

import llvmlite.binding as llvm

from playout.game import calls

MOST = 512
SIGNALS = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT")
_texts = (ctypes.c_char * (MOST * 32))()
_lengths = (ctypes.c_int64 * 32)()
_IR = """
declare i64 @write(i32, i8*, i64)
declare void @_exit(i32)
declare i8* @signal(i32, i8*)
declare i32 @raise(i32)

define void @last_words(i32 %number) {{
  %wide = sext i32 %number to i64
  %place = getelementptr i64, i64* inttoptr (i64 {lengths} to i64*), i64 %wide
  %length = load i64, i64* %place
  %skip = mul i64 %wide, {most}
  %text = getelementptr i8, i8* inttoptr (i64 {texts} to i8*), i64 %skip
  %written = call i64 @write(i32 2, i8* %text, i64 %length)
  {leave}
  ret void
}}
"""
_BY_EXIT = "call void @_exit(i32 {code})"
_BY_SIGNAL = "%before = call i8* @signal(i32 %number, i8* null)\n  %raised = call i32 @raise(i32 %number)"


class _Action(ctypes.Structure):
    """`struct sigaction` as the C libraries of Linux have it on 64-bit machines."""

    _fields_ = (
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_uint64 * 16),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


def prepare(spec: str) -> None:
    """From now on, what ends the process is put down to this game."""
    if calls.last_words is None or not sys.platform.startswith("linux"):
        return
    for name in SIGNALS:
        number = int(getattr(signal, name))
        text = (
            f"{calls.DYING} {spec} ended the process ({name}): most likely a rule calls itself without end, "
            f"or playout itself has a mistake; run playout check {spec}\n"
        )
        data = text.encode()[:MOST]
        ctypes.memmove(ctypes.addressof(_texts) + MOST * number, data, len(data))
        _lengths[number] = len(data)
    _install(calls.last_words)


@lru_cache(maxsize=1)
def _install(code: int) -> object:
    """Put the handler in place, once; what must live as long as it."""
    faulthandler.enable()
    leave = _BY_EXIT.format(code=code) if code else _BY_SIGNAL
    text = _IR.format(lengths=ctypes.addressof(_lengths), texts=ctypes.addressof(_texts), most=MOST, leave=leave)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), llvm.Target.from_default_triple().create_target_machine())
    engine.finalize_object()
    action = _Action(handler=engine.get_function_address("last_words"), flags=0x08000000)  # SA_ONSTACK
    libc = ctypes.CDLL(None, use_errno=True)
    for name in SIGNALS:
        libc.sigaction(int(getattr(signal, name)), ctypes.byref(action), None)
    return engine
