"""What all fuzzers share: seeded cases, ways to damage things, and the one rule: a `PlayoutError`, or nothing at all.

A fuzzer is a function `(rng, folder)` that makes one odd thing out of the generator and uses it as a user would. Whatever it raises but a
`PlayoutError` is a failure, and so is taking longer than `PATIENCE`. The same name and seed make the same case, so it can be replayed:

    python -m tests.fuzz trees --seed 17 --cases 1
"""

from __future__ import annotations

import contextlib
import copy
import json
import signal
import traceback
import warnings
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from playout.compile import bind
from playout.errors import PlayoutError

Rng = np.random.Generator
Fuzzer = Callable[[Rng, Path], None]

PATIENCE = 20.0
"""Seconds after which a case counts as hanging."""
FUZZERS: dict[str, Fuzzer] = {}
COMPILED = False
"""Whether kernels are machine code: only then a wrong index ends the process, as it would for a user."""

WORDS = (
    *("", " ", "0", "-1", "1", "7", "1.5", "nan", "inf", "-inf", "1e400", "1e-400", "True", "None", "auto", "null"),
    *(
        str(1 << 31),
        str(1 << 63),
        str(1 << 64),
        str(-(1 << 63) - 1),
        "9" * 30,
        "9" * 5000,
        "0x10",
        "1_000",
        "+3",
        "--",
        "-",
        "=",
        ",",
        ":",
    ),
    *(
        "²",
        "٣",
        "½",
        "\x00",
        "\ud800",
        "a\nb",
        "é" * 300,
        "../..",
        "/",
        ".",
        "~",
        "a=b",
        "c=",
        "=c",
        "c=1,c=2",
        "[bold]",
        "{",
        "%s",
        "\\",
    ),
)
NUMBERS = (
    0,
    -1,
    1,
    2,
    7,
    127,
    128,
    255,
    256,
    65_535,
    65_536,
    (1 << 31) - 1,
    1 << 31,
    (1 << 63) - 1,
    1 << 63,
    1 << 64,
    10**30,
    -(1 << 63),
)
FLOATS = (0.0, -0.0, 0.5, -1.0, 1.5, 1e-300, 1e300, -1e300, float("nan"), float("inf"), float("-inf"))


class Hangs(BaseException):
    """A case that took too long; no `Exception`, so that nobody catches it on the way."""


def fuzzer(function: Fuzzer) -> Fuzzer:
    """Register a fuzzer under its name."""
    FUZZERS[function.__name__] = function
    return function


def generator(name: str, seed: int) -> Rng:
    """The numbers of one case."""
    return np.random.default_rng([zlib.crc32(name.encode()), seed])


def attempt(name: str, seed: int, folder: Path) -> str | None:
    """One case; what went wrong with it, with its traceback, or None."""

    def ring(number: int, frame: Any) -> None:
        raise Hangs

    before = signal.signal(signal.SIGALRM, ring)
    # What compiles for the first time may take its time.
    signal.setitimer(signal.ITIMER_REAL, 20 * PATIENCE if COMPILED else PATIENCE)
    try:
        with as_wanted(), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            FUZZERS[name](generator(name, seed), folder)
    except PlayoutError as error:
        return None if sentence(str(error)) else f"not one sentence: {str(error)!r}"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return "".join(traceback.format_exception(error)[-12:])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return None


def sentence(text: str) -> bool:
    """Whether an error is one line of a length that people read."""
    return bool(text.strip()) and "\n" not in text and "Traceback" not in text and len(text) <= 1500


@contextlib.contextmanager
def as_wanted() -> Iterator[None]:
    """Machine code only where it is asked for, also in commands, which know nothing else."""
    if COMPILED:
        yield
        return
    import playout.arena.table
    import playout.learning.learner
    import playout.learning.policy
    import playout.planner.search

    def plain(game: Any, compiled: bool = True, features: Any = (), **more: Any) -> Any:
        return bind(game, False, features, **more)

    values = partial(playout.learning.learner.Values, compiled=False)
    with contextlib.ExitStack() as stack:
        for place in (playout.arena.table, playout.learning.learner, playout.planner.search):
            stack.enter_context(patch.object(place, "bind", plain))
        stack.enter_context(patch.object(playout.learning.policy, "Values", values))
        yield


# ways to damage things


def one_of(rng: Rng, things: Any) -> Any:
    """One of several things."""
    return things[int(rng.integers(len(things)))]


def flipped(rng: Rng, data: bytes) -> bytes:
    """Bytes changed as disks and editors change them: bits, runs of zeros, pieces cut out, doubled or put in."""
    raw = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        if not raw:
            break
        at, kind = int(rng.integers(len(raw))), int(rng.integers(6))
        length = int(rng.integers(1, 64))
        if kind <= 1:
            raw[at] ^= 1 << int(rng.integers(8))
        elif kind == 2:
            raw[at : at + length] = bytes(len(raw[at : at + length]))
        elif kind == 3:
            del raw[at : at + length]
        elif kind == 4:
            raw[at:at] = raw[at : at + length]
        else:
            raw[at:at] = rng.bytes(length)
    return bytes(raw[: int(rng.integers(len(raw) + 1))] if rng.integers(8) == 0 else raw)


def odd(rng: Rng) -> Any:
    """A value that stands where another kind is expected, or that is too big for it."""
    kinds: tuple[Any, ...] = (
        *(lambda: one_of(rng, NUMBERS), lambda: one_of(rng, FLOATS), lambda: one_of(rng, WORDS)),
        *(lambda: None, lambda: True, lambda: [], lambda: {}, lambda: [odd(rng)], lambda: {"a": odd(rng)}, lambda: [[1, 2], [3]]),
    )
    return one_of(rng, kinds)()


def changed(rng: Rng, content: Any, times: int = 1) -> Any:
    """JSON with something in it replaced, removed, doubled or added."""
    made = copy.deepcopy(content)
    for _ in range(times):
        places = list(_places(made))
        if not places:
            return odd(rng)
        holder, at = one_of(rng, places)
        kind = int(rng.integers(5))
        if kind <= 2:
            old = holder[at]
            near = isinstance(old, int) and not isinstance(old, bool) and rng.integers(2) == 0
            holder[at] = old + int(rng.integers(-3, 4)) if near else odd(rng)
        elif kind == 3:
            del holder[at]
        elif isinstance(holder, list):
            holder.insert(at, copy.deepcopy(one_of(rng, holder)))
        else:
            holder[one_of(rng, WORDS)] = odd(rng)
    return made


def _places(content: Any) -> Iterator[tuple[Any, Any]]:
    inside = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for at, value in list(inside):
        yield content, at
        yield from _places(value)


def as_json(content: Any) -> bytes:
    """As JSON, with whatever Python writes for what JSON does not have."""
    return json.dumps(content).encode("utf-8", "surrogatepass")


def upset(rng: Rng, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy of an array with one number, or one field of a record, changed: to one near, to that of a neighbour, or to an extreme."""
    made = array.copy()
    if not made.size:
        return made
    flat: Any = made.reshape(-1) if made.dtype.names is None else made
    if made.dtype.names is not None:
        flat = made[one_of(rng, [name for name in made.dtype.names if name])].reshape(-1)
        if not flat.size:
            return made
    for _ in range(int(rng.integers(1, 3))):
        at, kind = int(rng.integers(flat.size)), int(rng.integers(4))
        if kind == 0 or (kind == 1 and flat.dtype.kind == "f"):
            extremes = FLOATS if flat.dtype.kind == "f" else tuple(n for n in NUMBERS if _holds(flat.dtype, n))
            flat[at] = one_of(rng, extremes)
        elif kind == 1:
            flat[at] = flat[at] ^ flat.dtype.type(1 << int(rng.integers(8 * flat.dtype.itemsize - 1)))
        elif kind == 2:
            flat[at] = flat[int(rng.integers(flat.size))]
        else:
            flat[at] += flat.dtype.type(1) if rng.integers(2) else -flat.dtype.type(1)
    return made


def _holds(dtype: np.dtype[Any], number: int) -> bool:
    return dtype.kind in "iu" and bool(np.iinfo(dtype).min <= number <= np.iinfo(dtype).max)
