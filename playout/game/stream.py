"""The random stream: small, seeded, explicit; one sub-stream per simulation.

A stream is one 64-bit word moved on by xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift
generators, scrambled", 2016) and seeded through the finaliser of SplitMix64 (Steele, Lea, Flood 2014), so that
neighbouring seeds give unrelated streams. `compile/intrinsics.py` has the same arithmetic for machine code; the tests compare
the two draw by draw.
"""

from __future__ import annotations

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
SCRAMBLE = 0x2545F4914F6CDD1D
MIX_1 = 0xBF58476D1CE4E5B9
MIX_2 = 0x94D049BB133111EB


def mix(word: int) -> int:
    """Scatter a 64-bit word (the SplitMix64 finaliser, a bijection)."""
    word = ((word ^ (word >> 30)) * MIX_1) & MASK
    word = ((word ^ (word >> 27)) * MIX_2) & MASK
    return word ^ (word >> 31)


def base_word(seed: int, tree: int = 0) -> int:
    """What the sub-streams of one tree have in common."""
    return mix((mix((seed + GOLDEN) & MASK) + tree * GOLDEN + GOLDEN) & MASK)


def step_word(base: int, simulation: int) -> int:
    """The first word of a simulation's sub-stream; zero is the one word that xorshift cannot leave."""
    word = mix((int(base) + simulation * GOLDEN + GOLDEN) & MASK)
    return word if word else GOLDEN


def seed_word(seed: int, tree: int = 0, simulation: int = 0) -> int:
    """The first word of the sub-stream of one simulation of one tree."""
    return step_word(base_word(seed, tree), simulation)


class Stream:
    """A seeded stream of random numbers for uncompiled play.

    >>> stream = Stream(seed=1)
    >>> [stream.below(6) for _ in range(5)]
    [4, 1, 2, 4, 0]
    """

    __slots__ = ("word",)

    def __init__(self, seed: int = 0, tree: int = 0, simulation: int = 0) -> None:
        self.word = seed_word(seed, tree, simulation)

    @classmethod
    def at(cls, word: int) -> Stream:
        """A stream that goes on from a saved word."""
        stream = cls.__new__(cls)
        stream.word = word
        return stream

    def next(self) -> int:
        """The next 64 random bits."""
        word = self.word
        word ^= word >> 12
        word ^= (word << 25) & MASK
        word ^= word >> 27
        self.word = word
        return (word * SCRAMBLE) & MASK

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1, every one equally likely (Lemire's method, 2019). n = 1 draws nothing."""
        n = int(n)
        if not 1 <= n <= 1 << 32:
            raise ValueError(f"below(rng, n) needs n from 1 to 2**32, not {n}")
        if n == 1:
            return 0
        product = (self.next() >> 32) * n
        if product & 0xFFFFFFFF < n:
            threshold = (1 << 32) % n
            while product & 0xFFFFFFFF < threshold:
                product = (self.next() >> 32) * n
        return product >> 32

    def uniform(self) -> float:
        """A number in [0, 1) with 53 random bits."""
        return (self.next() >> 11) * (1.0 / (1 << 53))


def below(rng: Stream, n: int) -> int:
    """A whole number from 0 to n - 1 out of the stream that `start`, `play` or `determinize` was handed."""
    return rng.below(n)


def uniform(rng: Stream) -> float:
    """A number in [0, 1) out of the stream. Games that use it cannot be enumerated by the exact tools."""
    return rng.uniform()
