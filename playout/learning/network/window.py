"""The replay window: the last positions of self-play with what is to be learned of them, in files of fixed rows.

A row holds the state as the game keeps it and not as a network sees it: a tenth of the bytes, and the same window serves another encoding.
Each file is written whole, never changed, and known by the checksum of its bytes. Which files belong to the window is kept by whoever owns it
(the state of a run), so that a crash between two files leaves nothing half there. Rows are read through memory maps.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from playout.errors import FileError
from playout.files import save
from playout.game.game import Game
from playout.learning.network.rows import row_dtype

Array = np.ndarray[Any, Any]
NAME = "rows-{:08d}.npy"


class Shard(msgspec.Struct, frozen=True):
    """One file of the window."""

    number: int
    rows: int
    checksum: str

    @property
    def name(self) -> str:
        """The name of the file."""
        return NAME.format(self.number)


def checksum(data: bytes) -> str:
    """Of a file's bytes."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class Window:
    """The files of a folder that make up the window; `most` rows are kept, the oldest files go first."""

    def __init__(self, folder: Path, game: Game, most: int, shards: Sequence[Shard] = ()) -> None:
        self.folder, self.most, self.dtype = folder, most, row_dtype(game)
        self.shards: list[Shard] = []
        self.maps: list[Array] = []
        self.notes: list[str] = []
        """What was found damaged when the window was opened, in sentences; it is left out."""
        for shard in shards:
            try:
                self._add(shard, self._read(shard))
            except FileError as error:
                self.notes.append(f"{error}; its {shard.rows:,} positions are left out")

    def __len__(self) -> int:
        return sum(shard.rows for shard in self.shards)

    @property
    def bytes(self) -> int:
        """On disk."""
        return len(self) * self.dtype.itemsize

    def append(self, rows: Array) -> None:
        """Write rows as the newest file; the oldest are no part of the window any more once there are too many rows."""
        if not len(rows):
            return
        buffer = io.BytesIO()
        # As plain bytes: what the fields are, and their padding, the game knows better than a file.
        np.save(buffer, np.ascontiguousarray(rows, self.dtype).view(np.uint8).reshape(len(rows), self.dtype.itemsize))
        data = buffer.getvalue()
        shard = Shard(self.shards[-1].number + 1 if self.shards else 0, len(rows), checksum(data))
        save(self.folder / shard.name, data)
        self._add(shard, self._map(shard))
        while len(self) - self.shards[0].rows >= self.most:
            del self.shards[0], self.maps[0]

    def tidy(self, keep: Sequence[Shard] = ()) -> None:
        """Delete the files of the folder that are no part of the window, nor among those to keep."""
        names = {shard.name for shard in (*self.shards, *keep)}
        for file in self.folder.glob(NAME.replace("{:08d}", "*")):
            if file.name not in names:
                with contextlib.suppress(OSError):
                    file.unlink()

    def take(self, places: Array) -> Array:
        """The rows at these places, counted from the oldest; in the order asked for."""
        ends = np.cumsum([shard.rows for shard in self.shards])
        which = np.searchsorted(ends, places, side="right")
        found = np.empty(len(places), self.dtype)
        for number in np.unique(which):
            mine = which == number
            found[mine] = self.maps[number][places[mine] - (ends[number] - self.shards[number].rows)]
        return found

    # files

    def _add(self, shard: Shard, rows: Array) -> None:
        self.shards.append(shard)
        self.maps.append(rows)

    def _map(self, shard: Shard) -> Array:
        raw = np.load(self.folder / shard.name, mmap_mode="r", allow_pickle=False)
        found: Array = raw.view(self.dtype).reshape(len(raw))
        return found

    def _read(self, shard: Shard) -> Array:
        """The rows of a file that is there already, believed only when every byte is as it was written."""
        path = self.folder / shard.name
        try:
            with path.open("rb") as stream:
                told = hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
            if told != shard.checksum:
                raise FileError(
                    f"window file {str(path)!r} was changed or cut short after it was written (its checksum does not fit)"
                )
            rows = self._map(shard)
        except FileNotFoundError:
            raise FileError(f"window file {str(path)!r} is gone") from None
        except OSError as error:
            raise FileError(f"window file {str(path)!r} cannot be read: {error.strerror or error}") from None
        except ValueError:
            raise FileError(f"window file {str(path)!r} holds positions of another game, or of other rules") from None
        if len(rows) != shard.rows:
            raise FileError(f"window file {str(path)!r} has {len(rows):,} positions and not {shard.rows:,}")
        return rows
