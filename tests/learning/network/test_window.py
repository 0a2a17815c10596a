"""The replay window: rows come back as they went in, the oldest go first, and a damaged file is told and left out."""

from __future__ import annotations

import numpy as np
import pytest

from playout.game.load import load
from playout.learning.network.rows import row_dtype
from playout.learning.network.window import Shard, Window


@pytest.fixture
def game():
    return load("tic-tac-toe")


def rows(game, numbers):
    found = np.zeros(len(numbers), row_dtype(game))
    found["left"] = numbers
    found["shares"] = np.arange(9) / 36
    found["state"] = game.start().copy_array()
    return found


def test_rows_come_back_across_files(tmp_path, game):
    window = Window(tmp_path, game, most=1000)
    for numbers in ([0, 1, 2], [3], [], [4, 5]):
        window.append(rows(game, numbers))
    assert len(window) == 6 and len(window.shards) == 3
    places = np.array([5, 0, 3, 2, 3])
    assert window.take(places)["left"].tolist() == places.tolist()
    again = Window(tmp_path, game, 1000, window.shards)
    assert again.take(places).tobytes() == window.take(places).tobytes() and not again.notes
    assert isinstance(again.maps[0].base.base, np.memmap) or isinstance(again.maps[0], np.memmap), "read through a map"


def test_the_oldest_go_first_and_files_of_nobody_are_cleared(tmp_path, game):
    window = Window(tmp_path, game, most=5)
    for start in range(0, 12, 3):
        window.append(rows(game, range(start, start + 3)))
    assert window.take(np.arange(len(window)))["left"].tolist() == [6, 7, 8, 9, 10, 11], "never fewer than asked for"
    before = window.shards[:1]
    window.append(rows(game, [12, 13, 14]))
    window.tidy(keep=before)
    assert sorted(file.name for file in tmp_path.iterdir()) == [Shard(n, 3, "").name for n in (2, 3, 4)]
    window.tidy()
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda file: file.write_bytes(file.read_bytes()[:-1]), "was changed or cut short after it was written"),
        (lambda file: file.write_bytes(file.read_bytes()[:-1] + b"x"), "was changed or cut short after it was written"),
        (lambda file: file.unlink(), "is gone"),
    ],
)
def test_a_damaged_file_is_told_and_left_out(tmp_path, game, harm, words):
    window = Window(tmp_path, game, most=100)
    window.append(rows(game, [0, 1]))
    window.append(rows(game, [2, 3, 4]))
    harm(tmp_path / window.shards[0].name)
    again = Window(tmp_path, game, 100, window.shards)
    (note,) = again.notes
    assert (
        words in note and note.endswith("; its 2 positions are left out") and repr(str(tmp_path / window.shards[0].name)) in note
    )
    assert again.take(np.arange(3))["left"].tolist() == [2, 3, 4]


def test_positions_of_another_game_are_left_out(tmp_path, game):
    window = Window(tmp_path, game, most=100)
    window.append(rows(game, [0, 1]))
    other = Window(tmp_path, load("connect-four"), 100, window.shards)
    assert len(other) == 0 and "holds positions of another game, or of other rules" in other.notes[0]
    claimed = Window(tmp_path, game, 100, [Shard(0, 7, window.shards[0].checksum)])
    assert "has 2 positions and not 7" in claimed.notes[0]
