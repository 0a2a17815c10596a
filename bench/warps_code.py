"""Code for a GPU, run on this machine's processor so that it notes where it comes by: what `warps` counts.

What `tests/gpu/processor.py` makes into code is first written as text, and in front of every stretch of instructions that is always run
through from its beginning to its end goes the number of the stretch, and in front of every access to memory the address, into one long
list. Which function of Python a stretch comes from is said by marks that were put on its instructions before functions were woven into one.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from tests.gpu.processor import THREADS, Code, Processor, today

LIST = """
@noted = global i64 0
@list = global ptr null
"""
ROOM = 1 << 27
"""Entries that one row may have."""
NAME = r'(?:"[^"\n]+"|[\w.$-]+)'
DEFINED = re.compile(rf"^define [^@\n]*@({NAME})\(")
CALLED = re.compile(rf"\bcall [^@\n]*@({NAME})\(")
LABEL = re.compile(rf"^({NAME}):")
OPERATION = re.compile(r"^\s*(?:%[^ =]+ = )?(?:tail |musttail |notail )?(\w+)")
TARGET = re.compile(rf"label %({NAME})")
POINTER = re.compile(rf"ptr ((?:%|@){NAME})")
COPIED = re.compile(rf"ptr (?:[\w()]+ )*(?:align \d+ )?((?:%|@){NAME})")
LENGTH = re.compile(r"i64 (\d+), i1")
KIND = re.compile(r"(?:load|store) (?:volatile )?(\S+?),? ")
MARKED = {
    "load",
    "store",
    "br",
    "add",
    "sub",
    "mul",
    "icmp",
    "fcmp",
    "fadd",
    "fmul",
    "fsub",
    "fdiv",
    "select",
    "zext",
    "sext",
    "trunc",
}
MARKED |= {"and", "or", "xor", "shl", "lshr", "ashr", "getelementptr", "call"}
BYTES = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "float": 4}
FREE = {"phi", "alloca", "bitcast", "inttoptr", "ptrtoint", "trunc", "unreachable", "freeze", "extractvalue", "insertvalue"}
NARROW = {"add", "sub", "icmp", "and", "or", "xor", "select", "shl", "lshr", "ashr"}
"""One instruction of a device for 32 bits, and two for 64."""


def cost(line: str, operation: str) -> float:
    """About how many instructions of a device one of LLVM's is."""
    wide = " i64 " in line
    if operation in FREE:
        return 0.0
    if operation in ("zext", "sext"):
        return 0.5
    if operation in NARROW:
        return 2.0 if wide else 1.0
    if operation == "mul":
        return 4.0 if wide else 1.0
    if operation in ("sdiv", "udiv", "srem", "urem"):
        return 70.0 if wide else 25.0
    if operation == "fdiv" or (operation == "call" and "sqrt" in line):
        return 20.0
    if operation == "switch":
        return 3.0
    if operation == "call" and "llvm.mem" in line:
        found = LENGTH.search(line)
        return (int(found[1]) if found else 64) / 8 * (1 if "memset" in line else 2)
    if operation == "call":
        return 2.0 if "@llvm." in line else 5.0
    return 1.0


def python_name(name: str) -> str:
    """The function of Python in the name that Numba gave it."""
    rest, parts = name.strip('"').removeprefix("_ZN"), list[str]()
    while found := re.match(r"\d+", rest):
        length = int(found[0])
        parts.append(rest[len(found[0]) : len(found[0]) + length])
        rest = rest[len(found[0]) + length :]
    # The digest of the game, and what says how it was made, are no part of the name.
    return re.sub(r"(_[0-9a-f]{24}.*|_inner)$", "", parts[-1]) if parts else name[:40]


@dataclass
class Stretch:
    """Instructions that are run one after the other; a block is cut where it calls."""

    function: str
    block: str
    cost: float = 0.0
    sizes: list[int] = field(default_factory=list)
    """Bytes of every access to memory."""
    whose: Counter[str] = field(default_factory=Counter)
    """Its cost by functions of Python."""
    returns: bool = False


class Noting(Code):
    """Code that notes where it comes by."""

    head = THREADS + LIST

    def __init__(self, modules: list[str]) -> None:
        self._marks: dict[str, int] = {}
        self.stretches: list[Stretch] = []
        self.next: dict[str, dict[str, list[str]]] = {}
        """Of every function and block, the blocks that may follow."""
        self.entries: dict[str, int] = {}
        """The first stretch of every function."""
        self._count = 0
        super().__init__(modules)
        address = self.engine.get_global_value_address
        self._noted = ctypes.c_int64.from_address(address("noted"))
        self._list = np.zeros(ROOM, np.int64)
        ctypes.c_void_p.from_address(address("list")).value = self._list.ctypes.data
        self.ways: list[np.ndarray[Any, Any]] = []
        """What was noted of each row the last time."""

    def __call__(self, arguments: tuple[Any, ...], count: int) -> None:
        self.ways, inner = [], self.start

        def start(*given: Any) -> None:
            self._noted.value = 0
            inner(*given)
            if self._noted.value > ROOM:
                raise MemoryError("a row noted more than there is room for; take fewer simulations")
            self.ways.append(self._list[: self._noted.value].copy())

        self.start = start
        try:
            super().__call__(arguments, count)
        finally:
            self.start = inner

    # before functions are woven into one

    def read(self, text: str) -> Any:
        lines, mark = list[str](), None
        for line in today(text).split("\n"):
            found, operation = DEFINED.match(line), OPERATION.match(line)
            if found:
                mark = self._marks.setdefault(python_name(found[1]), len(self._marks))
            elif line.startswith("}"):
                mark = None
            elif mark is not None and operation and operation[1] in MARKED and line.startswith("  "):
                line = f"{line}, !whose !{90_000 + mark}"
            lines.append(line)
        used = sorted({mark for line in lines for mark in re.findall(r"!whose !(\d+)$", line)})
        return llvm.parse_assembly("\n".join([*lines, *(f'!{mark} = !{{!"whose {mark}"}}' for mark in used)]))

    # afterwards

    def woven(self, whole: Any) -> Any:
        text = str(whole)
        names = {90_000 + mark: name for name, mark in self._marks.items()}
        whose = {mark: names[int(other)] for mark, other in re.findall(r'^!(\d+) = !\{!"whose (\d+)"\}', text, re.M)}
        return llvm.parse_assembly("\n".join(self._noting(text.split("\n"), whose)))

    def _noting(self, lines: list[str], whose: dict[str, str]) -> list[str]:
        inner = {found[1].strip('"') for line in lines if (found := DEFINED.match(line)) and "processor.sreg" not in line}
        out, function, block, here, begins = list[str](), "", "", Stretch("", ""), False
        for line in lines:
            found = DEFINED.match(line)
            if found and found[1].strip('"') in inner:
                function, block, begins = found[1].strip('"'), "", True
                self.next[function] = defaultdict(list)
            elif line.startswith("}"):
                function = ""
            elif function and (found := LABEL.match(line)):
                block, begins = found[1].strip('"'), True
            if not function or found or not line.strip():
                out.append(line)
                continue
            matched = OPERATION.match(line)
            operation = matched[1] if matched else ""
            if operation == "phi":
                out.append(line)
                continue
            if begins:
                here, begins = self._begun(function, block, out), False
            here.cost += cost(line, operation)
            marked = re.search(r"!whose !(\d+)", line)
            if marked:
                # What optimising put in place of others has no mark: it goes with the rest of its stretch.
                here.whose[whose[marked[1]]] += cost(line, operation)
            for pointer, size in accesses(line, operation):
                here.sizes.append(size)
                self._count += 1
                out.append(f"  %at.{self._count} = ptrtoint ptr {pointer} to i64")
                out += self._note(f"%at.{self._count}")
            out.append(line)
            self.next[function][block] += [target.strip('"') for target in TARGET.findall(line)]
            here.returns |= operation == "ret"
            called = CALLED.search(line) if operation == "call" else None
            if called and called[1].strip('"') in inner:
                here = self._begun(function, block, out)
        return out

    def _begun(self, function: str, block: str, out: list[str]) -> Stretch:
        """A new stretch, whose number is noted."""
        made, number = Stretch(function, block), len(self.stretches)
        self.stretches.append(made)
        self.entries.setdefault(function, number)
        out += self._note(str(number))
        return made

    def _note(self, value: str) -> list[str]:
        self._count += 1
        n = self._count
        return [
            f"  %n.{n} = load i64, ptr @noted",
            f"  %l.{n} = load ptr, ptr @list",
            # What does not fit begins anew, and is told of at the end.
            f"  %w.{n} = and i64 %n.{n}, {ROOM - 1}",
            f"  %p.{n} = getelementptr i64, ptr %l.{n}, i64 %w.{n}",
            f"  store i64 {value}, ptr %p.{n}",
            f"  %m.{n} = add i64 %n.{n}, 1",
            f"  store i64 %m.{n}, ptr @noted",
        ]


def accesses(line: str, operation: str) -> list[tuple[str, int]]:
    """(pointer, bytes) of what an instruction reads or writes."""
    if operation == "call" and "llvm.mem" in line:
        found = LENGTH.search(line)
        length = int(found[1]) if found else 64
        return [(pointer, length) for pointer in COPIED.findall(line)[: 1 if "memset" in line else 2]]
    if operation not in ("load", "store"):
        return []
    kind, where = KIND.search(line), POINTER.search(line if operation == "load" else line[line.rindex(", ptr ") :])
    return [(where[1], BYTES.get(kind[1], 8) if kind else 8)] if where else []


class NotingProcessor(Processor):
    """A device that is not there, whose code notes where it comes by."""

    code = Noting

    @property
    def codes(self) -> list[Noting]:
        """What was run, the first first."""
        return list(self._codes.values())  # type: ignore[arg-type]
