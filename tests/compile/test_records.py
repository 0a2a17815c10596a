"""What kernels are handed: the same in both forms."""

from itertools import pairwise

import numpy as np
import pytest

from playout.compile import bind
from playout.compile.holes import legal, mover, play
from playout.compile.records import STREAM, Pool, Records, apart, new_stream, pool, scratch, set_word, slack, word_of
from playout.game.load import load
from playout.game.stream import Stream, below, seed_word


def walk(states, work, ids, rng):
    """Play at random; the room is written as it is used."""
    work.steps[0] = 0
    while mover(states[0]) >= 0:
        states[1] = states[0]
        play(states[1], ids[below(rng, legal(states[1], ids))], rng)
        states[0] = states[1]
        work.steps[0] += 1
        work.rng.word = rng.word
    return work.rng.word


@pytest.mark.compiles
def test_both_forms_play_the_same_game():
    game, kind = load("tic-tac-toe"), np.dtype([("steps", np.int64, (1,)), ("rng", STREAM)])
    found = []
    for compiled in (True, False):
        states, work = apart(2, game.dtype), apart(1, kind)
        states[0] = game.start(0).copy_array()[0]
        rng, record = new_stream(compiled, 7), scratch(work[0], compiled)
        last = bind(game, compiled).kernel(walk)(pool(states, compiled), record, np.zeros(slack(game.most_legal), np.int64), rng)
        found.append((int(work[0]["steps"][0]), int(last), word_of(rng), states.tobytes()))
    assert found[0] == found[1] and 5 <= found[0][0] <= 9


@pytest.mark.parametrize("compiled", [True, False])
def test_a_stream_begins_where_streams_of_its_seed_begin(compiled):
    stream = new_stream(compiled, 5)
    assert word_of(stream) == seed_word(5) and word_of(new_stream(compiled)) == Stream().word
    set_word(stream, (1 << 64) - 1)
    assert word_of(stream) == (1 << 64) - 1


def test_records_share_no_line():
    kind = np.dtype([("one", np.int64), ("two", np.int8, (3,))])
    arrays = [apart(3, kind) for _ in range(10)]
    spans = sorted((a.ctypes.data, a.ctypes.data + a.nbytes) for a in arrays)
    assert all(start % 128 == 0 for start, _ in spans)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert all(not a.view(np.uint8).any() and len(a) == 3 for a in arrays)


def test_room_for_twice_as_many():
    assert [slack(most) for most in (0, 1, 9)] == [64, 66, 82]


def test_states_are_written_by_their_bytes():
    game = load("tic-tac-toe")
    array = np.zeros(2, game.dtype)
    states = Pool(array)
    play_one = game.start(0).play(4)
    array[1] = play_one.copy_array()[0]
    states[0] = states[1]
    assert array[0].tobytes() == array[1].tobytes() and pool(array, True) is array


def test_records_are_read_and_written_by_attribute_as_record_arrays_are():
    kind = np.dtype([("visits", np.int32), ("score", np.float64, (2,)), ("hash", np.uint64)])
    plain = np.zeros(4, kind)
    plain["visits"], plain["score"], plain["hash"] = [1, 2, 3, 4], np.arange(8.0).reshape(4, 2), 2**64 - 1
    ours, theirs = plain.copy().view(Records), plain.copy().view(np.recarray)
    for records in (ours, theirs):
        records[np.uint64(1)].visits += 5
        records[1].score[0] = 0.5
        records[-1]["hash"] = np.uint64(7)
        records[2] = records[1]
    assert ours.tobytes() == theirs.tobytes() != plain.tobytes()
    for index in range(4):
        for name in kind.names:
            assert type(ours[index][name]) is type(theirs[index][name]), "numbers must overflow in the same way"
    assert type(ours["visits"]) is np.ndarray and ours[ours["visits"] == 7].tobytes() == ours[1:3].tobytes()
    assert [row.visits for row in ours] == [1, 7, 7, 4] and [row.visits for row in ours[2:]] == [7, 4]
    longer = np.zeros(8, kind).view(type(ours))
    for index, row in enumerate(ours):
        longer[index] = row
    assert longer[:4].tobytes() == ours.tobytes()
    with pytest.raises(OverflowError):
        ours[0].visits = 2**40
    with pytest.raises(AttributeError):
        ours[0].visit = 1
