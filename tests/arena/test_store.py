"""The experiment's file: whole or not at all, damage is said, readers do not disturb the writer."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from playout.arena.experiment import Experiment, plan
from playout.arena.referee import Record, Referee
from playout.arena.sequential import Verdict
from playout.arena.store import Store, remove
from playout.arena.table import Table
from playout.errors import FileError, PlayoutError


@pytest.fixture(scope="module")
def experiment() -> Experiment:
    return plan("tic-tac-toe", ["random", "random"])[0]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    experiment, game, recipes = plan("tic-tac-toe", ["random", "random"])
    referee = Referee(game, recipes, experiment.rules)
    referee.table = Table(game, compiled=False)  # the store does not care how games were played
    return [referee.play(experiment.schedule.fixture(number)) for number in range(40)]


@pytest.fixture
def file(tmp_path: Path, experiment: Experiment, records: list[Record]) -> Path:
    path = tmp_path / "games.db"
    with Store.create(path, experiment) as store:
        store.add(records[:20])
    return path


def test_what_goes_in_comes_out(file: Path, experiment: Experiment, records: list[Record]) -> None:
    with Store(file) as store:
        assert store.experiment == experiment and store.experiment.identity == experiment.identity
        assert list(store.games()) == records[:20] and list(store.games(7)) == records[:7]
        assert store.game(3) == records[3] and store.numbers() == set(range(20)) and store.count() == 20


def test_one_file_is_left_behind(file: Path) -> None:
    assert [p.name for p in file.parent.iterdir()] == ["games.db"]


def test_no_game_is_there_twice(file: Path, experiment: Experiment, records: list[Record]) -> None:
    with Store.create(file, experiment) as store:
        other = msgspec.structs.replace(records[3], returns=(9.0, 9.0))
        store.add([*records[15:25], other])
        assert store.count() == 25 and store.game(3) == records[3]


def test_a_batch_goes_in_whole_or_not_at_all(file: Path, experiment: Experiment, records: list[Record]) -> None:
    with Store.create(file, experiment) as store:
        broken = msgspec.structs.replace(records[30], moves=None)  # type: ignore[arg-type]
        with pytest.raises(FileError):
            store.add([*records[20:30], broken])
        assert store.count() == 20


def test_readers_while_one_writes(file: Path, experiment: Experiment, records: list[Record]) -> None:
    seen: list[int] = []
    with Store.create(file, experiment) as writer:

        def look() -> None:
            with Store(file) as reader:
                for _ in range(30):
                    games = list(reader.games())
                    seen.append(len(games))
                    assert games == records[: len(games)]

        thread = threading.Thread(target=look)
        thread.start()
        for place in range(20, 40):
            writer.add([records[place]])
        thread.join()
    assert len(seen) == 30 and seen == sorted(seen)


def test_one_writer_at_a_time(file: Path, experiment: Experiment) -> None:
    with (
        Store.create(file, experiment),
        pytest.raises(FileError, match="games.db' is being written by another playout; wait for it"),
    ):
        Store.create(file, experiment)
    Store.create(file, experiment).close()


def test_another_experiment_is_refused_with_the_difference(file: Path) -> None:
    other = plan("tic-tac-toe", ["random", "uct"], seed=4)[0]
    with pytest.raises(FileError) as caught:
        Store.create(file, other)
    assert "seed 4 instead of 0; agents random, uct:simulations=10000 instead of random, random #2" in str(caught.value)
    edited = msgspec.structs.replace(plan("tic-tac-toe", ["random", "random"])[0], rules_digest="0" * 24)
    with pytest.raises(FileError, match="other rules under the same name; choose another place, or add --fresh"):
        Store.create(file, edited)


def _places(data: bytes) -> Iterator[int]:
    step = max(1, len(data) // 60)
    yield from range(100, len(data), step)


def test_any_damage_is_said_or_harmless(file: Path, records: list[Record]) -> None:
    """Flip bytes all over the file: either a sentence, or exactly the games that were written."""
    whole = file.read_bytes()
    said = 0
    for place in _places(whole):
        damaged = bytearray(whole)
        damaged[place] ^= 0x5A
        file.write_bytes(damaged)
        try:
            with Store(file) as store:
                store.experiment  # noqa: B018
                assert list(store.games()) == records[:20]
        except FileError as error:
            said += 1
            assert "games.db'" in str(error)
    assert said >= 10
    file.write_bytes(whole)


@pytest.mark.parametrize("part", [0.3, 0.6, 0.95])
def test_a_cut_file_is_said(file: Path, part: float) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: int(part * len(data))])
    with pytest.raises(FileError, match="damaged"), Store(file) as store:
        list(store.games())


def test_a_changed_row_is_said(file: Path) -> None:
    connection = sqlite3.connect(file)
    connection.execute("UPDATE games SET returns = '[0.25,-0.25]' WHERE number = 7")
    connection.commit()
    connection.close()
    with (
        Store(file) as store,
        pytest.raises(FileError, match="is damaged: game 7 is not what was written; restore it from a copy"),
    ):
        list(store.games())


def test_files_of_others_are_left_alone(tmp_path: Path, experiment: Experiment) -> None:
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE mine (x)")
    connection.commit()
    connection.close()
    before = other.read_bytes()
    for refused in (lambda: Store.create(other, experiment), lambda: remove(other), lambda: Store(other)):
        with pytest.raises(FileError, match="is no experiment's file of playout; it is left alone, so choose another name"):
            refused()
    text = tmp_path / "notes.txt"
    text.write_text("buy milk " * 1000)
    for refused in (lambda: Store.create(text, experiment), lambda: remove(text)):
        with pytest.raises(FileError, match="notes.txt' is no experiment's file"):
            refused()
    assert text.read_text() == "buy milk " * 1000
    with (
        Store(other.with_name("x.db"), writing=True) as store,
        pytest.raises(FileError, match="is empty; playout arena fills it"),
    ):
        store.experiment  # noqa: B018
    assert other.read_bytes() == before and not list(tmp_path.glob("other.db?*"))


def test_what_is_not_there_is_said(tmp_path: Path, file: Path) -> None:
    with pytest.raises(FileError, match="does not exist; playout arena writes one"):
        Store(tmp_path / "nothing.db")
    with pytest.raises(FileError, match="is a folder"):
        Store(tmp_path, writing=True)
    with Store(file) as store, pytest.raises(PlayoutError, match="has no game 99; it has 20, numbered from 0"):
        store.game(99)


def test_a_stop_keeps_what_came_after_and_can_be_taken_back(file: Path, experiment: Experiment, records: list[Record]) -> None:
    with Store.create(file, experiment) as store:
        verdict = Verdict(better=1, decided=((1, 0),), rounds=6, confidence=0.9, shape="round-robin")
        store.stop_at(12, verdict)
        assert store.stop == 12 and store.verdict == verdict and store.count() == 20, "finished games are never dropped"
        store.go_on()
        assert store.stop is None and store.verdict is None and list(store.games()) == records[:20]


def test_remove_takes_everything_but_not_while_it_is_written(file: Path, experiment: Experiment) -> None:
    with Store.create(file, experiment), pytest.raises(FileError, match="being written"):
        remove(file)
    remove(file)
    remove(file)
    assert list(file.parent.iterdir()) == []


def test_a_read_only_folder_can_be_read(file: Path, records: list[Record]) -> None:
    """As somebody who may not write there; root may write everywhere, so another user reads."""
    script = "import sys, os; from playout.arena import Store; os.setuid(65534); print(len(list(Store(sys.argv[1]).games())))"
    for folder in (file.parent, *file.parents):
        if folder != Path("/") and os.stat(folder).st_uid == os.getuid():
            os.chmod(folder, 0o755)
    if os.getuid() != 0:
        os.chmod(file.parent, 0o555)
        script = script.replace("os.setuid(65534); ", "")
    ran = subprocess.run([sys.executable, "-c", script, str(file)], capture_output=True, text=True, cwd="/")
    os.chmod(file.parent, 0o755)
    assert ran.stdout == "20\n", ran.stderr
