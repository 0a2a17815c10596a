"""The random stream: small, seeded, explicit; one sub-stream per simulation.

A stream is one 64-bit word moved on by xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift
generators, scrambled", 2016) and seeded through the finaliser of SplitMix64 (Steele, Lea, Flood 2014), so that
neighbouring seeds give unrelated streams. `compile/intrinsics.py` has the same arithmetic for machine code; the tests compare
the two draw by draw.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.game.contract import MOST_PLAYERS

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


def _mixed(word: Any) -> Any:
    """`mix` for an array of words."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(MIX_1)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(MIX_2)
    return word ^ (word >> np.uint64(31))


def base_words(seeds: Any, trees: Any) -> Any:
    """`base_word` for arrays of them."""
    golden = np.uint64(GOLDEN)
    with np.errstate(over="ignore"):
        return _mixed(_mixed(seeds.astype(np.uint64) + golden) + trees.astype(np.uint64) * golden + golden)


def step_word(base: int, simulation: int) -> int:
    """The first word of a simulation's sub-stream; zero is the one word that xorshift cannot leave."""
    word = mix((int(base) + simulation * GOLDEN + GOLDEN) & MASK)
    return word if word else GOLDEN


def step_words(bases: Any, simulations: Any) -> Any:
    """`step_word` for arrays of them."""
    golden = np.uint64(GOLDEN)
    with np.errstate(over="ignore"):
        words = _mixed(bases + simulations.astype(np.uint64) * golden + golden)
    return np.where(words == 0, golden, words)


def next_words(words: Any) -> Any:
    """Where the streams that stand at these words stand after one more draw."""
    words = words ^ (words >> np.uint64(12))
    words = words ^ (words << np.uint64(25))
    return words ^ (words >> np.uint64(27))


def uniforms(words: Any) -> Any:
    """The next `uniform` of the streams that stand at these words."""
    with np.errstate(over="ignore"):
        return ((next_words(words) * np.uint64(SCRAMBLE)) >> np.uint64(11)) * (1.0 / (1 << 53))


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
        # One step of `next`, written out, since every action of an uncompiled playout is drawn here.
        word = self.word
        word ^= word >> 12
        word ^= (word << 25) & MASK
        word ^= word >> 27
        self.word = word
        product = ((word * SCRAMBLE & MASK) >> 32) * n
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


# Which sub-stream is for what


class Family(int):
    """The number that a family of sub-streams begins at: a tree or, with `at`, a simulation. It knows what it is for.

    Families of one `run` are drawn from one seed, so they must not share a sub-stream; the tests compare them. A number that has
    given results never changes: those would not come again.
    """

    run: str
    use: str
    trees: range
    simulations: range

    def __new__(cls, tree: int, run: str, use: str, *, trees: int = 1, simulations: int = 1, at: int | None = None) -> Family:
        family = super().__new__(cls, tree if at is None else at)
        family.run, family.use = run, use
        family.trees, family.simulations = range(tree, tree + trees), range(at or 0, (at or 0) + simulations)
        return family


MOST_SIMULATIONS = 1 << 40
"""So many simulations of a tree, and episodes of a run of learning, have streams of their own."""
MOST_TREES, MOST_WORLDS = 1 << 20, 10_000

# any: what a seed gives where nothing else is said
START = Family(0, "any", "a game that begins (`Game.start`) and goes on from there, an agent that draws, a solver")
"""Families at 0 share it with the first of theirs. The first simulation of a search, and the first world of an information set, then
repeat the words of a deal or of a solver, which is one of many and in the goldens; episodes are the only ones to use their seed. Two that
begin here with one seed draw the same all along: whoever seats agents gives them seeds that no game has, as the arena does."""

# search: a search, what is shown of its decision, and the table where it is played
TREES = Family(0, "search", "simulations, by tree", trees=MOST_TREES, simulations=MOST_SIMULATIONS)
PIMC_WORLD = Family(0, "search", "the world of a tree of pimc: a simulation beyond all", trees=MOST_TREES, at=1 << 40)
SURVEY_WORLD = Family(0, "search", "surveyed worlds, by number: a simulation beyond those", trees=MOST_WORLDS, at=1 << 41)
REJECTED = Family(
    0,
    "search",
    "worlds found by rejection, by tree and simulation",
    trees=MOST_TREES,
    simulations=MOST_SIMULATIONS,
    at=1 << 43,
)
RACES = Family(
    0,
    "search",
    "what actions of the root draw for a race, by simulations before it",
    trees=MOST_TREES,
    simulations=MOST_SIMULATIONS,
    at=1 << 42,
)
SEQUENCES = Family(
    1 << 20, "search", "where a tree's sequences of real actions begin", trees=MOST_TREES, simulations=MOST_SIMULATIONS
)
LINES = Family(1 << 32, "search", "the world and the chance in which the line of a decision is shown")
REFEREE = Family(1 << 33, "search", "worlds that the referee hands out at the prompt")
OUTCOMES = Family(1 << 34, "search", "what chance may bring in the picture of a tree, by draw", simulations=96)
NEWS = Family(1 << 36, "search", "worlds that say which actions of others a viewer can tell apart")
LOTS = Family(1 << 37, "search", "which action is drawn where shares decide, by what the mover sees", simulations=1 << 32)
SIGHTS = Family(1 << 38, "search", "worlds and chance in which an evaluator is asked of the root's actions", simulations=1 << 10)
SURVEY_TREES = Family(1 << 35, "search", "trees of surveyed worlds", trees=MOST_WORLDS, simulations=MOST_SIMULATIONS)

# line: by the word of a state, and not by a seed
COMPLETIONS = Family(1, "line", "the playout behind a line, by how many actions were played", trees=1 << 32)

# learning
EPISODES = Family(0, "learning", "episodes", simulations=MOST_SIMULATIONS)
PAST_SELVES = Family(1, "learning", "which past self is played against, by block of episodes", simulations=MOST_SIMULATIONS)
OPPONENTS = Family(2, "learning", "seeds of agents on the other seats", trees=MOST_PLAYERS, simulations=MOST_SIMULATIONS)
SAMPLED_GAMES = Family(1 << 20, "learning", "games that tell how good it is, by seat", trees=MOST_PLAYERS, simulations=1 << 32)

# network: a network that learns by playing itself
SELF_PLAY_GAMES = Family(1, "network", "seeds of games of self-play", simulations=MOST_SIMULATIONS)
SELF_PLAY_TREES = Family(2, "network", "seeds of the trees of a game", simulations=MOST_SIMULATIONS)
SELF_PLAY_LOTS = Family(3, "network", "actions that are drawn, and noise at the root, by game", simulations=MOST_SIMULATIONS)
BATCHES = Family(4, "network", "which samples are trained on, and which way round, by generation", simulations=MOST_SIMULATIONS)
WEIGHTS = Family(5, "network", "the weights that training begins with")
LADDER_GAMES = Family(6, "network", "seeds of games against the ladder, by opponent", trees=64, simulations=MOST_SIMULATIONS)
LADDER_AGENTS = Family(70, "network", "seeds of those who play them, by opponent", trees=64, simulations=MOST_SIMULATIONS)
TEACHER_GAMES = Family(134, "network", "seeds of games that a teacher plays", simulations=MOST_SIMULATIONS)
TEACHERS = Family(135, "network", "seeds of the teacher, by game", simulations=MOST_SIMULATIONS)
GATE_GAMES = Family(136, "network", "seeds of games that decide about new weights", simulations=MOST_SIMULATIONS)
DISTILLED = Family(137, "network", "games whose positions a small network learns from", simulations=MOST_SIMULATIONS)
SELF_PLAY_STARTS = Family(138, "network", "actions at random that a game begins with", simulations=MOST_SIMULATIONS)
STEPS = Family(
    139, "network", "whether there is a step of training where rows are few, by generation", simulations=MOST_SIMULATIONS
)

# trial: games at random that try something out; arena: one deal; tuning and fit: their stages
PICKS = Family(1, "trial", "beside a game that begins with the seed: actions at random, and what playout_action draws")
INFLUENCE = Family(2, "trial", "other actions, to see whether anything depends on them")
SMOOTHNESS = Family(7, "trial", "points at which derivatives are compared")
OPENINGS = Family(1, "arena", "a random opening, by attempt", simulations=200)
TUNING_DEALS = Family(1, "tuning", "the deals of a stage", trees=3)
FIT_DEALS = Family(1, "fit", "the deals of a round, and of the games that confirm", trees=4)
FIT_DESIGN = Family(16, "fit", "which settings go together in a candidate, by round", simulations=3)

# exploitability
INFO_SETS = Family(
    0, "exploit", "the worlds that an agent is asked in, by information set and repeat", trees=1 << 32, simulations=1 << 32
)

# audit: the statistics of these numbers are known, by every game that was audited
AUDIT_PICKS = Family(1, "audit", "actions of the games whose observations are looked at")
AUDIT_LOOKS = Family(2, "audit", "worlds, by player and actions played", trees=MOST_PLAYERS, simulations=1 << 32)
AUDIT_DEPTHS = Family(5, "audit", "actions of the games that tell how often a player decides")
"""Shares a sub-stream with the first look of player 3: that one asks whether worlds are possible, this one only counts."""
AUDIT_PAIRS = Family(20, "audit", "pairs of deals", simulations=1 << 32)
AUDIT_PAIRS_AGAIN = Family(22, "audit", "pairs of deals, where the first ones looked bad", simulations=1 << 32)
AUDIT_GAMES = Family(30, "audit", "games whose true state is ranked among worlds", simulations=1 << 32)
AUDIT_TIES = Family(31, "audit", "lots for equal ranks", simulations=1 << 32)
AUDIT_FEATURES = Family(32, "audit", "what is compared of a state")
AUDIT_WALKS = Family(40, "audit", "walks to information sets, by player", trees=MOST_PLAYERS, simulations=1 << 32)
AUDIT_PASTS = Family(48, "audit", "moments at which worlds are held against the past", simulations=1 << 32)
AUDIT_STEPS = Family(49, "audit", "games whose worlds are carried on from moment to moment", simulations=1 << 32)
AUDIT_DEALS = Family(52, "audit", "deals, and a world of each", simulations=1 << 32)
AUDIT_TWINS = Family(53, "audit", "worlds of two states that look the same", simulations=1 << 32)
AUDIT_CASES = Family(50, "audit", "which states an agent is asked in")
AUDIT_ASKED = Family(51, "audit", "worlds that an agent is asked in", simulations=1 << 32)

FAMILIES = {name: value for name, value in list(globals().items()) if isinstance(value, Family)}
"""All of them by name."""
