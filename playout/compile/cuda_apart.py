"""Which functions a GPU's compiler is told to keep apart, so that it is done in seconds.

It likes to weave every function into every one that calls it, and what is called on many ways comes as often: the 220,000 lines of Root's 462
functions became 1.9 million, on which it worked for two minutes. With the few apart that take the most, it works on 300,000 for 14 seconds, and
what it makes keeps less in memory for want of registers. Programs that are not so long are left as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

LONGEST = 300_000
"""Lines that may come of weaving. Bundled discrete games but for Root have 65,000 (Connect Four) to 230,000 (Scoundrel)."""
SHORTEST = 100
"""Lines with all that is woven in from which on a function is worth a call."""
DEFINED = re.compile(r'^define [^@\n]*@("[^"\n]+"|[\w.$]+)\(.*$', re.M)
CALLED = re.compile(r'\bcall [^@\n]*@("[^"\n]+"|[\w.$]+)\(')


class Program:
    """The functions of some modules: how long they are, and which call which."""

    def __init__(self, modules: Sequence[str]) -> None:
        self.lines: dict[str, int] = {}
        self.calls: dict[str, list[str]] = {}
        for text in modules:
            for found in DEFINED.finditer(text):
                body, name = text[found.end() : text.find("\n}", found.end())], found[1].strip('"')
                self.lines[name], self.calls[name] = body.count("\n"), [other.strip('"') for other in CALLED.findall(body)]
        called = {name for names in self.calls.values() for name in names}
        self.doors = [name for name in self.lines if name not in called]
        """Those that nobody calls: kernels, which must not be kept apart."""

    def woven(self, apart: set[str]) -> tuple[dict[str, int], Counter[str]]:
        """By name: lines with all that is woven in, and how often the function comes, where some are kept apart."""
        length: dict[str, int] = {}
        order: list[str] = []

        def measure(name: str) -> int:
            if name not in length:
                # What calls itself stays a call.
                length[name] = 1
                inside = (other for other in self.calls[name] if other in self.lines)
                length[name] = self.lines[name] + sum(1 if other in apart else measure(other) for other in inside)
                order.append(name)
            return length[name]

        for name in (*self.doors, *sorted(apart)):
            measure(name)
        often = Counter((*self.doors, *apart))
        for name in reversed(order):
            for other in self.calls[name]:
                if other in length and other not in apart:
                    often[other] += often[name]
        return length, often

    def dear(self, longest: int = LONGEST) -> set[str]:
        """The functions to keep apart: one after the other that saves the most, until the rest is short enough."""
        apart: set[str] = set()
        while True:
            length, often = self.woven(apart)
            if sum(length[name] for name in (*self.doors, *apart)) <= longest:
                return apart
            saved = {
                name: (often[name] - 1) * lines
                for name, lines in length.items()
                if name not in apart and name not in self.doors and lines >= SHORTEST and often[name] > 1
            }
            if not saved:
                return apart
            apart.add(max(saved, key=lambda name: (saved[name], name)))


def keep_apart(modules: Sequence[str], longest: int = LONGEST) -> list[str]:
    """The same modules, in which functions that are dear to weave in say that they stay apart."""
    apart = Program(modules).dear(longest)

    def told(found: re.Match[str]) -> str:
        if found[1].strip('"') not in apart:
            return found[0]
        line, opened = found[0].removesuffix("{").rstrip(), " {" * found[0].endswith("{")
        return f"{line.removesuffix('alwaysinline').rstrip()} noinline{opened}"

    return [DEFINED.sub(told, text) for text in modules] if apart else list(modules)
