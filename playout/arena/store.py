"""One SQLite file per experiment: who played, every game with all its moves, and nothing half written.

Games arrive in transactions, keyed by their number, so none is there twice; in WAL mode others may read while one
writes; every row carries a checksum, since a flipped bit in a column of moves is nothing that SQLite would notice.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote

import msgspec

from playout.arena.experiment import Experiment
from playout.arena.referee import Record
from playout.arena.sequential import Verdict
from playout.arena.sound import LISTS, Impossible, experiment_of, record_of, stop_of, verdict_of
from playout.errors import FileError, PlayoutError
from playout.files import no_name

FORMAT = 1
APPLICATION = 0x706C6179  # "play"
COLUMNS = Record.__struct_fields__
TABLES = """
CREATE TABLE experiment (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE agents (number INTEGER PRIMARY KEY, label TEXT NOT NULL, spec TEXT NOT NULL, settings TEXT NOT NULL,
    digest TEXT NOT NULL, version TEXT NOT NULL);
CREATE TABLE games (number INTEGER PRIMARY KEY, round INTEGER NOT NULL, deal INTEGER NOT NULL, seats TEXT NOT NULL,
    returns TEXT NOT NULL, points TEXT NOT NULL, ended TEXT NOT NULL, fault INTEGER NOT NULL, error TEXT NOT NULL,
    opening INTEGER NOT NULL, moves BLOB NOT NULL, movers BLOB NOT NULL, choices BLOB NOT NULL, seconds BLOB NOT NULL,
    simulations BLOB NOT NULL, chance INTEGER NOT NULL, checksum INTEGER NOT NULL);
"""


class Store:
    """An experiment's file, open for reading, or for writing by one process at a time."""

    def __init__(self, file: str | Path, *, writing: bool = False) -> None:
        self.file = Path(file)
        self.writing = writing
        self._known: Experiment | None = None
        self._lock = _Lock(self.file) if writing else None
        try:
            with self._said():
                self._connection = self._open()
        except BaseException:
            self._unlock()
            raise

    # opening

    @classmethod
    def create(cls, file: str | Path, experiment: Experiment) -> Store:
        """A new file for an experiment; one that is there already must be of the same one."""
        path = Path(file)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"folder {str(path.parent)!r} cannot be made: {error.strerror}; choose another place") from None
        except ValueError:
            raise no_name("experiment file", path) from None
        store = cls(path, writing=True)
        try:
            if store._begun():
                store._check_same(experiment)
            else:
                store._begin(experiment)
        except BaseException:
            store.close()
            raise
        return store

    def _open(self) -> sqlite3.Connection:
        if self.file.is_dir():
            raise FileError(f"{str(self.file)!r} is a folder; give the name of a file, as in --file games.db")
        if not self.writing and not self.file.is_file():
            raise FileError(f"experiment file {str(self.file)!r} does not exist; playout arena writes one")
        _check_ours(self.file)
        connection = self._connect()
        if self.writing:
            if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                # First of all, and not through the log: whoever finds the file later must see whose it is.
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute("VACUUM")
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(str(found).splitlines()[0])
        return connection

    def _connect(self) -> sqlite3.Connection:
        # The connection is used in one thread at a time, but not always in the one that made it.
        def connect(name: str) -> sqlite3.Connection:
            return sqlite3.connect(name, uri=True, isolation_level=None, timeout=30, check_same_thread=False)

        name = f"file:{quote(str(self.file.absolute()))}"
        if self.writing:
            return connect(name)
        if os.access(self.file.absolute().parent, os.W_OK):
            # Reading needs a place for SQLite's log, and whoever may write tidies it up again.
            return connect(f"{name}?mode=rw")
        connection = connect(f"{name}?mode=ro")
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return connection
        except sqlite3.OperationalError:
            # Nobody writes to it now, so that it can be read as it is.
            connection.close()
            return connect(f"{name}?immutable=1")

    def _begun(self) -> bool:
        with self._said():
            return bool(self._connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'experiment'").fetchone()[0])

    def _begin(self, experiment: Experiment) -> None:
        with self._said(), self._transaction():
            for statement in filter(str.strip, TABLES.split(";")):
                self._connection.execute(statement)
            self._set("format", str(FORMAT))
            self._set("experiment", experiment.encode().decode())
            self._connection.executemany(
                "INSERT INTO agents VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (number, a.label, a.spec, msgspec.json.encode(a.settings).decode(), a.digest, experiment.version)
                    for number, a in enumerate(experiment.agents)
                ],
            )

    def _check_same(self, experiment: Experiment) -> None:
        there = self.experiment
        if there.identity != experiment.identity:
            words = "; ".join(there.differences(experiment)) or "something else"
            raise FileError(
                f"{str(self.file)!r} holds another experiment, and this one has {words}; choose another place, or add --fresh"
            )

    # what it holds

    @property
    def experiment(self) -> Experiment:
        """What the file is about."""
        if self._known is not None:
            return self._known
        form = self._get("format")
        if form != str(FORMAT):
            raise FileError(
                f"{str(self.file)!r} has format {form}, this playout reads format {FORMAT}; use the playout that wrote it"
            )
        with self._possible():
            self._known = experiment_of(self._get("experiment") or "")
        return self._known

    def numbers(self) -> set[int]:
        """The games that are there."""
        with self._said():
            return {row[0] for row in self._connection.execute("SELECT number FROM games")}

    def count(self) -> int:
        """How many games are there."""
        with self._said():
            return int(self._connection.execute("SELECT count(*) FROM games").fetchone()[0])

    def games(self, below: int | None = None) -> Iterator[Record]:
        """The games in the order of their numbers, each checked; `below` leaves out those from that number on."""
        query = f"SELECT {', '.join(COLUMNS)}, checksum FROM games WHERE number < ? ORDER BY number"
        with self._said():
            for row in self._connection.execute(query, (below if below is not None else 1 << 62,)):
                yield self._record(row)

    def game(self, number: int) -> Record:
        """One game."""
        with self._said():
            query = f"SELECT {', '.join(COLUMNS)}, checksum FROM games WHERE number = ?"
            row = self._connection.execute(query, (number,)).fetchone()
        if row is None:
            raise PlayoutError(f"{str(self.file)!r} has no game {number}; it has {self.count():,}, numbered from 0")
        return self._record(row)

    def _record(self, row: tuple[Any, ...]) -> Record:
        if _checksum(row[:-1]) != row[-1]:
            raise FileError(f"{str(self.file)!r} is damaged: game {row[0]} is not what was written; {CURE}")
        try:
            return record_of(row[:-1], self.experiment)
        except Impossible as error:
            raise FileError(f"{str(self.file)!r} is damaged: game {row[0]}: {error}; {CURE}") from None

    @property
    def stop(self) -> int | None:
        """Where a sequential test ended the tournament: games from this number on do not count."""
        value = self._get("stop")
        with self._possible():
            return None if value is None else stop_of(value)

    @property
    def verdict(self) -> Verdict | None:
        """What the sequential test said."""
        value = self._get("verdict")
        with self._possible():
            return None if value is None else verdict_of(value, self.experiment)

    @property
    def by(self) -> str | None:
        """What counts, points or returns, as the last who played here had it."""
        found = self._get("by")
        return found if found in ("points", "returns") else None

    # writing

    def count_by(self, by: str) -> None:
        """Note what counts; the games are the same either way."""
        if self._get("by") != by:
            with self._said(), self._transaction():
                self._set("by", by)

    def add(self, records: Iterable[Record]) -> None:
        """Write games, all or none; one that is there already stays as it is."""
        rows = []
        for record in records:
            row = tuple(
                msgspec.json.encode(value).decode() if name in LISTS else int(value) if name == "chance" else value
                for name, value in zip(COLUMNS, msgspec.structs.astuple(record))
            )
            rows.append((*row, _checksum(row)))
        marks = ", ".join("?" * (len(COLUMNS) + 1))
        with self._said(), self._transaction():
            self._connection.executemany(f"INSERT INTO games VALUES ({marks}) ON CONFLICT (number) DO NOTHING", rows)

    def stop_at(self, number: int, verdict: Verdict) -> None:
        """Note that a sequential test ended it: the games from this number on are kept, but do not count."""
        with self._said(), self._transaction():
            self._set("stop", str(number))
            self._set("verdict", msgspec.json.encode(verdict).decode())

    def go_on(self) -> None:
        """Forget an earlier stop: more is wanted."""
        with self._said(), self._transaction():
            self._connection.execute("DELETE FROM experiment WHERE name IN ('stop', 'verdict')")

    def _set(self, name: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO experiment VALUES (?, ?)", (name, value))

    def _get(self, name: str) -> str | None:
        if not self._begun():
            raise FileError(f"{str(self.file)!r} is empty; playout arena fills it")
        with self._said():
            row = self._connection.execute("SELECT value FROM experiment WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    @contextlib.contextmanager
    def _said(self) -> Iterator[None]:
        """What SQLite complains about, as a sentence."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            words = str(error)
            if isinstance(error, sqlite3.OperationalError) and ("full" in words or "I/O" in words or "readonly" in words):
                raise FileError(f"{str(self.file)!r} cannot be written: {words}; all games before are kept") from None
            if isinstance(error, sqlite3.OperationalError) and "unable to open" in words:
                raise FileError(f"{str(self.file)!r} cannot be opened: {words}; choose another place with --file") from None
            if isinstance(error, sqlite3.OperationalError) and "locked" in words:
                raise FileError(
                    f"{str(self.file)!r} is being written by another program: {words}; try again when it is done"
                ) from None
            raise FileError(f"{str(self.file)!r} is damaged ({words}); {CURE}") from None
        except UnicodeDecodeError:
            raise FileError(f"{str(self.file)!r} is damaged (words in it are none); {CURE}") from None

    @contextlib.contextmanager
    def _possible(self) -> Iterator[None]:
        """What cannot be, as a sentence."""
        try:
            yield
        except Impossible as error:
            raise FileError(f"{str(self.file)!r} is damaged: {error}; {CURE}") from None

    # closing

    def close(self) -> None:
        """Leave one file behind, with everything in it."""
        with contextlib.suppress(sqlite3.Error):
            if self.writing:
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


CURE = "restore it from a copy, or begin anew with --fresh"


def _check_ours(file: Path) -> None:
    """Look at the file before SQLite touches it: what is not an experiment's is left alone, byte for byte."""
    try:
        with file.open("rb") as handle:
            head = handle.read(100)
    except FileNotFoundError:
        return
    except OSError as error:
        raise FileError(f"{str(file)!r} cannot be read: {error.strerror}") from None
    except ValueError:
        raise no_name("experiment file", file) from None
    if head and (head[:16] != b"SQLite format 3\0" or int.from_bytes(head[68:72], "big") != APPLICATION):
        raise FileError(f"{str(file)!r} is no experiment's file of playout; it is left alone, so choose another name")


def _checksum(row: tuple[Any, ...]) -> int:
    word = 0
    for value in row:
        word = zlib.crc32(value if isinstance(value, bytes) else str(value).encode(), word)
        word = zlib.crc32(b"\0", word)
    return word


def remove(file: str | Path) -> None:
    """Remove an experiment's file with what SQLite keeps beside it, unless somebody is writing to it."""
    path = Path(file)
    if not path.parent.is_dir():
        return
    _check_ours(path)
    lock = _Lock(path)
    try:
        for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
            try:
                name.unlink(missing_ok=True)
            except OSError as error:
                raise FileError(f"{str(name)!r} cannot be removed: {error.strerror}") from None
    finally:
        lock.release()


class _Lock:
    """One writer at a time: a lock on a file beside, gone with the process however it ends."""

    def __init__(self, file: Path) -> None:
        import fcntl

        self.path = Path(f"{file}.lock")
        while True:
            try:
                self.handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
            except OSError as error:
                raise FileError(f"{str(file)!r} cannot be written: {error.strerror}; choose another place with --file") from None
            except ValueError:
                raise no_name("experiment file", file) from None
            try:
                fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(self.handle)
                raise FileError(
                    f"{str(file)!r} is being written by another playout; wait for it, or choose another place with --file"
                ) from None
            # Its last owner may have removed it between our opening and our locking.
            with contextlib.suppress(OSError):
                if os.fstat(self.handle).st_ino == os.stat(self.path).st_ino:
                    return
            os.close(self.handle)

    def release(self) -> None:
        with contextlib.suppress(OSError):
            os.unlink(self.path)
        os.close(self.handle)
