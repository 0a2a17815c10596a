"""Machine forms of the helpers that rules may call: the random stream and bit tricks.

Each repeats the arithmetic of its plain form in `playout.game.stream` and `playout.game.bits`; the tests compare them bit by bit.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numba.np import linalg

from playout.compile import callback, holes
from playout.game import bits, stream, tape

# Numba takes every kind of number as an array inside a record but this one, only because it does not say how wide it is.
types.Boolean.bitwidth = 8  # type: ignore[attr-defined]


def _without_blas() -> None:
    """Load what Numba loads before it compiles anything, but SciPy: a tenth of a second, only to learn whether matrices can be multiplied.

    Whoever multiplies some is asked for it again then.
    """
    asked, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = asked


_without_blas()

jit: Any = partial(njit, nogil=True, error_model="numpy", _nrt=False, no_cfunc_wrapper=True)
"""How everything is compiled. No reference counts: rules and kernels allocate nothing, and counting cost a third of the speed."""

U = np.uint64
U11, U12, U25, U27, U30, U31, U32 = (U(n) for n in (11, 12, 25, 27, 30, 31, 32))
LOW = U(0xFFFFFFFF)
SCRAMBLE, GOLDEN, MIX_1, MIX_2 = U(stream.SCRAMBLE), U(stream.GOLDEN), U(stream.MIX_1), U(stream.MIX_2)
UNIT = 1.0 / (1 << 53)
REAL = tape.REAL


@jit(inline="always")
def next_word(rng: Any) -> Any:
    word = rng.word
    word ^= word >> U12
    word ^= word << U25
    word ^= word >> U27
    rng.word = word
    return word * SCRAMBLE


@jit()
def below(rng: Any, n: int) -> int:
    if n <= 1:
        return 0
    wide = U(n)
    product = (next_word(rng) >> U32) * wide
    if (product & LOW) < wide:
        # Above 2**32, which is refused uncompiled, this must end too.
        threshold = (U(1) << U32) % wide & LOW
        while (product & LOW) < threshold:
            product = (next_word(rng) >> U32) * wide
    return np.int64(product >> U32)


@jit()
def uniform(rng: Any) -> float:
    return np.float64(next_word(rng) >> U11) * UNIT


@jit()
def told(rng: Any, n: int) -> int:
    """`below` on a tape: what the tape holds at this place, then 0 as far as it goes; the number of possibilities is left beside it."""
    if n <= 1:
        return 0
    at = rng.at
    rng.word += U(1)
    rng.at = at + 1
    # Past the end nothing is kept: the reader sees from `at` that the tape was too short. Draws go on all the same, since rules that draw
    # until something fits would wait for ever on zeros.
    if at >= len(rng.told):
        return np.int64(mix(U(at)) % U(n))
    if at >= rng.known:
        rng.told[at] = 0
    rng.sizes[at] = n
    # Where an earlier draw was changed, there may be fewer possibilities than when this one was written down.
    if rng.told[at] >= n:
        rng.told[at] %= n
    return np.int64(rng.told[at])


@jit()
def not_told(rng: Any) -> float:
    """`uniform` on a tape: a real number has no place there, and the tape counts as too short."""
    rng.at = REAL
    return 0.0


@jit()
def mix(word: Any) -> Any:
    word = (word ^ (word >> U30)) * MIX_1
    word = (word ^ (word >> U27)) * MIX_2
    return word ^ (word >> U31)


@jit()
def mix_two(word: Any, number: Any) -> Any:
    return mix(as_word(word) + (as_word(number) + U(1)) * GOLDEN)


@jit()
def step_word(base: Any, simulation: int) -> Any:
    word = mix(base + U(simulation) * GOLDEN + GOLDEN)
    return word if word != U(0) else GOLDEN


def _cast(target: Any) -> Any:
    """A number as another type: one instruction, and nothing to compile for every type that it is asked of."""

    @intrinsic  # type: ignore[untyped-decorator]
    def cast(typing: Any, x: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return context.cast(builder, arguments[0], signature.args[0], target)

        return target(types.unliteral(x)), emit

    return cast


whole, as_word = _cast(types.int64), _cast(types.uint64)


def _ordinal(target: Any) -> Any:
    """The bits of a number as one of another type, those of negative ones turned round."""

    @intrinsic  # type: ignore[untyped-decorator]
    def turn(typing: Any, x: Any) -> Any:
        source = types.float64 if target is types.int64 else types.int64

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            wide = ir.IntType(64)
            bits = builder.bitcast(context.cast(builder, arguments[0], signature.args[0], source), wide)
            turned = builder.lshr(builder.ashr(bits, ir.Constant(wide, 63)), ir.Constant(wide, 1))
            return builder.bitcast(builder.xor(bits, turned), context.get_value_type(target))

        return target(types.unliteral(x)), emit

    return turn


ordinal, at_ordinal = _ordinal(types.int64), _ordinal(types.float64)


def _counting(name: str) -> Any:
    @intrinsic  # type: ignore[untyped-decorator]
    def count(typing: Any, x: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            word = context.cast(builder, arguments[0], signature.args[0], types.uint64)
            if name == "ctpop":
                return builder.ctpop(word)
            return builder.cttz(word, ir.Constant(ir.IntType(1), 0))

        return types.int64(x), emit

    return count


_ctpop: Any
_cttz: Any
_ctpop, _cttz = _counting("ctpop"), _counting("cttz")


@jit()
def popcount(x: Any) -> int:
    return _ctpop(x)


@jit()
def lowest(x: Any) -> int:
    return _cttz(x)


@jit()
def pop(x: Any) -> Any:
    return _drop_lowest(x)


@intrinsic  # type: ignore[untyped-decorator]
def _drop_lowest(typing: Any, x: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = arguments[0]
        return builder.and_(word, builder.sub(word, ir.Constant(word.type, 1)))

    return x(x), emit


MACHINE: dict[Any, Any] = {
    stream.below: below,
    stream.uniform: uniform,
    stream.step_word: step_word,
    stream.mix: mix,
    holes.whole: whole,
    holes.as_word: as_word,
    holes.ordinal: ordinal,
    holes.at_ordinal: at_ordinal,
    bits.mix: mix_two,
    bits.popcount: popcount,
    bits.lowest: lowest,
    bits.pop: pop,
    holes.ask: callback.ask,
    holes.look: callback.look,
    holes.fill: callback.fill,
    holes.tell: callback.tell,
}
"""Plain helper to machine form: what `bind` puts in its place."""

ON_TAPE: dict[Any, Any] = {**MACHINE, stream.below: told, stream.uniform: not_told}
"""The same for kernels that enumerate: their `rng` is a record of `playout.game.tape.RECORD`."""
