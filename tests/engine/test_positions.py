"""The hash table of positions: what is written is found again, wherever it had to go, also in a longer table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playout import Search
from playout.compile.records import Records
from playout.engine import layout
from playout.engine.positions import hash_each, hash_of, place_of, rehash, remember
from tests.engine.trees import same_bits


def table(places):
    return np.zeros(places, layout.TABLE).view(Records)


@pytest.mark.filterwarnings("ignore:overflow")
@given(st.binary(max_size=64))
def test_python_and_the_kernels_hash_alike(data):
    assert hash_of(data) == hash_each(np.frombuffer(data, np.uint8))


@pytest.mark.filterwarnings("ignore:overflow")
def test_a_longer_table_knows_what_the_shorter_one_knew():
    """Half full, with owners, with the same hash under two owners, and with what belongs to nobody."""
    short, known = table(64), []
    for slot in range(1, 33):
        owner, code = (layout.ANYWHERE, slot % 3, 7)[slot % 3], np.uint64(slot // 3 * 1_000_003)
        known.append((owner, code, slot))
        remember(short, owner, code, slot)
    entries = short[short["slot"] != 0]
    assert len(entries) == len(known) == 32
    long = table(256)
    rehash(entries, long)
    for owner, code, slot in known:
        for each in (short, long):
            assert each[place_of(each, owner, code)].slot == slot
    assert np.count_nonzero(np.asarray(long)["slot"]) == 32
    assert long[place_of(long, 5, np.uint64(1))].slot == 0, "what was never written is nowhere"


@pytest.mark.compiles
def test_a_table_that_grows_is_the_same_compiled():
    """700 simulations meet more positions than the first table has room for."""
    ways = [Search("tic-tac-toe", compiled=compiled, transpositions=True, seed=3) for compiled in (False, True)]
    for search in ways:
        search.run(simulations=700)
        assert len(search.trees[0].tree.table) > 1024
    assert same_bits(*ways)
