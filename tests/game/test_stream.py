"""The random stream and the bit tricks: plain and machine forms agree draw by draw, and the draws are fair."""

import ast
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import playout
from playout import Stream, below, lowest, mix, pop, popcount, uniform
from playout.game import stream
from playout.game.stream import FAMILIES, base_word, seed_word, step_word, step_words, uniforms


@pytest.fixture(scope="module")
def machine():
    from playout.compile import intrinsics
    from playout.compile.records import STREAM

    return intrinsics, np.zeros(1, STREAM)


@pytest.mark.compiles
@given(seed=st.integers(0, 2**63 - 1), sizes=st.lists(st.integers(1, 2**32), min_size=1, max_size=30))
def test_both_forms_draw_the_same(machine, seed, sizes):
    intrinsics, array = machine
    stream = Stream(seed)
    array[0]["word"] = stream.word
    for n in sizes:
        assert below(stream, n) == intrinsics.below(array[0], n)
        assert stream.word == int(array[0]["word"])
    assert uniform(stream) == intrinsics.uniform(array[0])
    assert stream.word == int(array[0]["word"])


@pytest.mark.compiles
def test_sub_streams_have_the_same_words_in_both_forms(machine):
    from playout.game.stream import base_word

    intrinsics, _ = machine
    for seed, tree, simulation in ((0, 0, 0), (7, 3, 10**9), (2**63 - 1, 4095, 5)):
        assert seed_word(seed, tree, simulation) == int(intrinsics.step_word(np.uint64(base_word(seed, tree)), simulation))


@pytest.mark.parametrize("n", [2, 3, 6, 7, 10])
def test_draws_are_fair(n):
    """Chi-square over 60,000 draws stays below the 99.9 % point of n - 1 degrees of freedom (at most 27.9 for n = 10)."""
    stream, counts = Stream(n), [0] * n
    for _ in range(60_000):
        counts[stream.below(n)] += 1
    expected = 60_000 / n
    assert sum((c - expected) ** 2 / expected for c in counts) < 27.9


def test_neighbouring_sub_streams_are_unrelated():
    firsts = [Stream(1, 0, i).below(2) for i in range(20_000)]
    pairs = sum(a == b for a, b in itertools.pairwise(firsts))
    assert abs(pairs / 19_999 - 0.5) < 0.015


def _chi_square(cells, size):
    counts = np.bincount(cells, minlength=size)
    return float(((counts - len(cells) / size) ** 2).sum() / (len(cells) / size))


SEEDINGS = {
    "seeds": lambda i: Stream(i),
    "trees": lambda i: Stream(0, i),
    "simulations": lambda i: Stream(0, 0, i),
    "drawn seeds": lambda i: Stream(Stream(i).next() >> 2),
    "drawn seeds of trees": lambda i: Stream(Stream(0, i).next() >> 2),
}


@pytest.mark.parametrize("name", SEEDINGS)
def test_streams_seeded_side_by_side_or_by_one_another_are_unrelated(name):
    """Dice from 12,000 streams: the first three alone, in pairs, and against the next stream, each below the point that a fair one
    passes with 10^-5 (30.9 for 5 degrees of freedom, 82.7 for 35)."""
    draws = np.array([[stream.below(6) for _ in range(3)] for stream in map(SEEDINGS[name], range(12_000))])
    one, two, three = draws.T
    for column in (one, two, three):
        assert _chi_square(column, 6) < 30.9
    for pair in ((one, two), (two, three), (one[:-1], one[1:]), (one[:-1], two[1:]), (one[:-64], one[64:])):
        assert _chi_square(6 * pair[0] + pair[1], 36) < 82.7


def test_a_stream_is_unrelated_to_the_one_that_gave_its_seed():
    pairs = []
    for i in range(12_000):
        parent = Stream(i)
        drawn = parent.next()
        child = Stream(drawn >> 2)
        pairs.append((int((drawn >> 32) * 6 >> 32), parent.below(6), child.below(6)))
    seeding, after, first = np.array(pairs).T
    assert _chi_square(6 * seeding + first, 36) < 82.7 and _chi_square(6 * after + first, 36) < 82.7


def test_one_possibility_draws_nothing_and_none_is_refused():
    stream = Stream(3)
    word = stream.word
    assert stream.below(1) == 0 and stream.word == word
    for n in (0, -4, 2**32 + 1):
        with pytest.raises(ValueError, match=r"below\(rng, n\) needs n from 1 to 2\*\*32"):
            stream.below(n)


@given(st.integers(0, 2**64 - 1))
def test_bit_tricks(word):
    bits = [i for i in range(64) if word >> i & 1]
    assert popcount(word) == len(bits)
    assert lowest(word) == (bits[0] if bits else 64)
    x = np.uint64(word)
    assert popcount(x) == len(bits)
    if bits:
        assert int(pop(x)) == word & (word - 1)


@pytest.mark.compiles
@given(st.integers(-(2**63), 2**63 - 1))
def test_bit_tricks_in_both_forms(machine, word):
    intrinsics, _ = machine
    for x in (word, np.uint64(word & (2**64 - 1))):
        assert intrinsics.popcount(x) == popcount(x)
        assert intrinsics.lowest(x) == lowest(x)
        assert int(intrinsics.pop(x)) == int(pop(x))


SHARED = {("START", "TREES"), ("EPISODES", "START"), ("INFO_SETS", "START"), ("AUDIT_DEPTHS", "AUDIT_LOOKS")}
"""Families that do share a sub-stream; where they are listed it is said why nothing comes of it."""


def test_families_of_one_run_share_no_sub_stream():
    def overlap(one, other):
        return max(one.start, other.start) < min(one.stop, other.stop)

    found = set()
    for one, other in itertools.combinations(sorted(FAMILIES), 2):
        a, b = FAMILIES[one], FAMILIES[other]
        together = a.run == b.run or "any" in (a.run, b.run)
        if together and overlap(a.trees, b.trees) and overlap(a.simulations, b.simulations):
            found.add((one, other))
    assert found == SHARED


def test_families_are_as_large_as_what_draws_from_them():
    from playout.arena.referee import OPENING_TRIES
    from playout.arena.tune import STAGES
    from playout.planner.survey import surveyor
    from playout.report.icicle import DRAWS

    assert stream.MOST_WORLDS == surveyor.MOST_WORLDS
    playout.Settings(trees=stream.MOST_TREES).fitted(playout.load("tic-tac-toe"))
    with pytest.raises(playout.PlayoutError, match="trees"):
        playout.Settings(trees=stream.MOST_TREES + 1).fitted(playout.load("tic-tac-toe"))
    assert len(stream.OUTCOMES.simulations) == DRAWS and len(stream.OPENINGS.simulations) == OPENING_TRIES
    assert len(stream.TUNING_DEALS.trees) == len(STAGES)


def test_no_number_has_changed():
    """They are in goldens, policies and results: with another one those would not come again."""
    assert {name: int(family) for name, family in FAMILIES.items()} == {
        "START": 0,
        "TREES": 0,
        "PIMC_WORLD": 1 << 40,
        "SURVEY_WORLD": 1 << 41,
        "REJECTED": 1 << 43,
        "RACES": 1 << 42,
        "SEQUENCES": 1 << 20,
        "NEWS": 1 << 36,
        "LOTS": 1 << 37,
        "SIGHTS": 1 << 38,
        "LINES": 1 << 32,
        "REFEREE": 1 << 33,
        "OUTCOMES": 1 << 34,
        "SURVEY_TREES": 1 << 35,
        "COMPLETIONS": 1,
        "EPISODES": 0,
        "PAST_SELVES": 1,
        "OPPONENTS": 2,
        "SAMPLED_GAMES": 1 << 20,
        "SELF_PLAY_GAMES": 1,
        "SELF_PLAY_TREES": 2,
        "SELF_PLAY_LOTS": 3,
        "BATCHES": 4,
        "WEIGHTS": 5,
        "LADDER_GAMES": 6,
        "LADDER_AGENTS": 70,
        "TEACHER_GAMES": 134,
        "TEACHERS": 135,
        "GATE_GAMES": 136,
        "DISTILLED": 137,
        "SELF_PLAY_STARTS": 138,
        "STEPS": 139,
        "PICKS": 1,
        "INFLUENCE": 2,
        "SMOOTHNESS": 7,
        "OPENINGS": 1,
        "TUNING_DEALS": 1,
        "FIT_DEALS": 1,
        "FIT_DESIGN": 16,
        "INFO_SETS": 0,
        "AUDIT_PICKS": 1,
        "AUDIT_LOOKS": 2,
        "AUDIT_DEPTHS": 5,
        "AUDIT_PAIRS": 20,
        "AUDIT_PAIRS_AGAIN": 22,
        "AUDIT_GAMES": 30,
        "AUDIT_TIES": 31,
        "AUDIT_FEATURES": 32,
        "AUDIT_WALKS": 40,
        "AUDIT_PASTS": 48,
        "AUDIT_STEPS": 49,
        "AUDIT_DEALS": 52,
        "AUDIT_TWINS": 53,
        "AUDIT_CASES": 50,
        "AUDIT_ASKED": 51,
    }


def test_nothing_is_drawn_by_a_bare_number():
    """Outside games and tests every sub-stream has a name in the list."""
    root = Path(playout.__file__).parent
    for file in sorted(root.rglob("*.py")):
        if file.relative_to(root).parts[0] == "games":
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Stream", "seed_word", "base_word"):
                given = [*node.args[1:], *(word.value for word in node.keywords if word.arg != "seed")]
                bare = [part for part in given if isinstance(part, ast.Constant | ast.BinOp) and not _named(part)]
                assert not bare, f"{file.relative_to(root)} line {node.lineno}: {ast.unparse(node)}"


def _named(part):
    return any(isinstance(node, ast.Name) and node.id in FAMILIES for node in ast.walk(part))


def test_mix_is_splitmix_and_scatters():
    """The first outputs of SplitMix64 with seed 0, as its authors' own program prints them."""
    assert [int(mix(0, n)) for n in range(3)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    words = {int(mix(word, number)) for word in range(64) for number in range(-8, 56)}
    assert len(words) == 64 * 64
    assert type(mix(3, np.int8(-1))) is np.uint64 and mix(np.uint64(3), -1) == mix(3, np.int8(-1))


@pytest.mark.compiles
def test_mix_is_the_same_in_machine_code(machine):
    intrinsics, _ = machine
    for word, number in ((0, 0), (np.uint64(1 << 63), 5), (-1, np.int8(-3)), (7, np.uint64(9)), (np.int32(4), 1 << 40)):
        assert intrinsics.mix_two(word, number) == mix(word, number)


def test_words_by_the_array_are_those_one_by_one():
    numbers = np.array([0, 1, 7, 1 << 33, (1 << 62) - 1])
    bases = np.array([base_word(int(number), 3) for number in numbers], np.uint64)
    assert step_words(bases, numbers[::-1]).tolist() == [
        step_word(int(base), int(number)) for base, number in zip(bases, numbers[::-1])
    ]
    assert uniforms(bases).tolist() == [Stream.at(int(base)).uniform() for base in bases]
