"""The random stream and the bit tricks: plain and machine forms agree draw by draw, and the draws are fair."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playout import Stream, below, lowest, pop, popcount, uniform
from playout.game.stream import seed_word


@pytest.fixture(scope="module")
def machine():
    from playout.compile import intrinsics
    from playout.compile.records import STREAM

    return intrinsics, np.zeros(1, STREAM)


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


@given(st.integers(-(2**63), 2**63 - 1))
def test_bit_tricks_in_both_forms(machine, word):
    intrinsics, _ = machine
    for x in (word, np.uint64(word & (2**64 - 1))):
        assert intrinsics.popcount(x) == popcount(x)
        assert intrinsics.lowest(x) == lowest(x)
        assert int(intrinsics.pop(x)) == int(pop(x))
