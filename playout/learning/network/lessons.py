"""Lessons on disk: games of a teacher, or of a pupil that a teacher corrects, in files of so many games each, made by many processes.

    teach("scoundrel:reward=blend", "ismcts:simulations=1000", folder="lessons", games=20_000, workers=16)     (`teach` makes them)
    rows = Lessons("lessons", game).all()

A file holds deals, actions, and what the teacher said in small numbers, known by a checksum; positions are played again.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from playout.errors import FileError, PlayoutError
from playout.files import NotAsWritten, arrays_of
from playout.game.game import Game
from playout.learning.network.imitate import CHUNK
from playout.learning.network.rows import row_dtype
from playout.learning.network.taught import Taught, lived, rows_taught
from playout.learning.network.window import checksum
from playout.learning.policy import fingerprint

Array = np.ndarray[Any, Any]
FORMAT, VERSION = "playout lessons", 1
NAME = "lessons-{:06d}.npz"
AGAIN = "delete it and make it again"
PARTS = ("deals", "lengths", "actions", "decisions", "shares", "values", "proven")
FULL = 255
"""What a share of 1 is written as."""


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What a file of lessons says of itself."""

    format: str = FORMAT
    version: int = VERSION
    game: str
    fingerprint: str
    """How the rules behave."""
    teacher: str
    seed: int
    number: int
    """Of the file; its games are those from number * each on."""
    each: int
    pupil: str = ""
    """Whose games these are, where the teacher did not play them itself."""
    checksum: str = ""


class Course(NamedTuple):
    """Games that somebody has played already, for a teacher to judge."""

    pupil: str
    deals: list[int]
    actions: list[list[int]]


# one file


def packed(head: Head, games: Sequence[Taught], actions: int) -> bytes:
    """Games as the bytes of a file."""
    shares = [np.rint(np.asarray(one) * FULL).astype(np.uint8) for game in games for one in game.shares]
    values = [value for game in games for value in game.values]
    arrays: dict[str, Any] = {
        "deals": np.array([game.seed for game in games], np.uint64),
        "lengths": np.array([len(game.actions) for game in games], np.uint32),
        "actions": np.array([action for game in games for action in game.actions], np.min_scalar_type(max(1, actions - 1))),
        "decisions": np.array([len(one) for one in shares], np.uint32),
        "shares": np.concatenate(shares) if shares else np.zeros(0, np.uint8),
        "values": np.array(values, np.float32).reshape(len(values), -1),
        "proven": np.array([exact for game in games for exact in game.proven], bool),
    }
    head = msgspec.structs.replace(head, checksum=_digest(head, arrays))
    buffer = io.BytesIO()
    np.savez_compressed(buffer, head=np.frombuffer(msgspec.json.encode(head), np.uint8), **arrays)
    return buffer.getvalue()


def _digest(head: Head, arrays: dict[str, Array]) -> str:
    told = msgspec.json.encode(msgspec.structs.replace(head, checksum=""), order="sorted")
    return checksum(
        told + b"".join(f"{arrays[name].dtype}{arrays[name].shape}".encode() + arrays[name].tobytes() for name in PARTS)
    )


def unpacked(path: Path) -> tuple[Head, dict[str, Array]]:
    """The arrays of a file as they were written, or a sentence."""
    name = f"lessons {str(path)!r}"
    try:
        with arrays_of(path, packed=True) as found:
            head = msgspec.json.decode(found["head"].tobytes(), type=Head)
            arrays = {part: found[part] for part in PARTS}
    except FileNotFoundError:
        raise FileError(f"{name} are gone") from None
    except OSError as error:
        raise FileError(f"{name} cannot be read: {error.strerror or error}") from None
    except (NotAsWritten, msgspec.MsgspecError) as error:
        raise FileError(f"{name} are damaged or no lessons ({error}); {AGAIN}") from None
    if (head.format, head.version) != (FORMAT, VERSION):
        raise FileError(
            f"{name} are {head.format!r} of version {head.version}, this playout reads {FORMAT!r} of version {VERSION}"
        )
    if _digest(head, arrays) != head.checksum:
        raise FileError(f"{name} were changed or cut short after they were written (the checksum does not fit); {AGAIN}")
    return head, arrays


def games_in(game: Game, arrays: dict[str, Array], compiled: bool = True) -> list[Taught]:
    """Arrays as games. Which decisions belong to which only playing them tells: those positions that have a choice."""
    deals, column = arrays["deals"].tolist(), arrays["actions"].astype(np.int64)
    ends = np.cumsum(arrays["lengths"].astype(np.int64))
    if not len(ends):
        return []
    actions = [part.tolist() for part in np.split(column, ends[:-1])]
    again = lived(game, deals, actions, compiled)
    open_ = np.concatenate([[0], np.cumsum(again.counts > 1)])[again.ends]
    counts = arrays["decisions"].astype(np.int64)
    if open_[-1] != len(counts) or counts.sum() != len(arrays["shares"]):
        raise PlayoutError(f"it speaks of {len(counts):,} decisions, and its games have {int(open_[-1]):,}")
    shares = np.split(arrays["shares"].astype(np.float64), np.cumsum(counts)[:-1])
    shares = [one / max(1.0, one.sum()) for one in shares]
    values, proven = list(arrays["values"].astype(np.float64)), arrays["proven"].tolist()
    return [
        Taught(deal, own, shares[a:b], values[a:b], proven[a:b])
        for deal, own, a, b in zip(deals, actions, [0, *open_[:-1].tolist()], open_.tolist(), strict=True)
    ]


# a folder


class Lessons:
    """A folder of lessons of one game."""

    def __init__(self, folder: str | Path, game: Game, compiled: bool = True) -> None:
        self.folder, self.game, self.compiled = Path(folder), game, compiled
        self.files = sorted(self.folder.glob(NAME.replace("{:06d}", "*")))
        self._rules = ""

    def __len__(self) -> int:
        return len(self.files)

    @property
    def name(self) -> str:
        """For whoever wants to know what was imitated."""
        return f"{self.folder.name}, {len(self):,} files"

    @property
    def games(self) -> int:
        """As `rows(done)` counts: files."""
        return len(self)

    def check(self) -> None:
        """Refuse a folder without lessons."""
        if not self.files:
            raise PlayoutError(
                f"there are no lessons in {str(self.folder)!r}; make some with playout.learning.network.teach.teach"
            )

    def read(self, path: Path) -> tuple[Head, Array]:
        """The rows of one file, if it is of this game and its rules."""
        head, arrays = unpacked(path)
        if head.game != self.game.spec:
            raise FileError(f"lessons {str(path)!r} are of {head.game}, not of {self.game.spec}; give lessons of this game")
        # Found out once: random games are played for it.
        self._rules = self._rules or fingerprint(self.game)
        if head.fingerprint != self._rules:
            raise FileError(f"the rules of {self.game.spec!r} have changed since lessons {str(path)!r} were written; {AGAIN}")
        try:
            rows = rows_taught(self.game, games_in(self.game, arrays, self.compiled), self.compiled)
        except PlayoutError as error:
            raise FileError(f"lessons {str(path)!r} cannot be used: {error}; {AGAIN}") from None
        if head.pupil:
            # What the pupil made of a position is not what it is worth; what was proven is.
            rows["returns"][~arrays["proven"]] = np.nan
            if self.game.rewards:
                rows["rewards"] = np.nan
        return head, rows

    def all(self, show: Callable[[int, int], None] | None = None) -> Array:
        """All rows, in order of the files."""
        self.check()
        found = []
        for done, path in enumerate(self.files, 1):
            found.append(self.read(path)[1])
            if show is not None:
                show(done, len(self.files))
        return np.concatenate(found)

    def rows(self, done: int) -> tuple[Array, int]:
        """The rows of some files after so many, and how many files those were: what a run of learning imitates first."""
        found: list[Array] = []
        first, count = done, 0
        while done < len(self.files) and count < CHUNK:
            found.append(self.read(self.files[done])[1])
            count += len(found[-1])
            done += 1
        return (np.concatenate(found) if found else np.zeros(0, row_dtype(self.game))), done - first


def summary(game: Game, deals: Sequence[int], actions: Sequence[Sequence[int]]) -> tuple[int, float]:
    """(games in which the first player got more than 0, its returns on average) of games that were played."""
    paid = lived(game, deals, actions).ended.returns[:, 0]
    return int((paid > 0).sum()), float(paid.mean())
