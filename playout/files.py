"""Writing files so that nothing is ever half there, and reading arrays so that nothing is believed before it was looked at."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from playout.errors import FileError

MOST_BYTES = 1 << 36
"""No array in a file may claim more."""
PACKED = 1100
"""Deflate makes nothing smaller than a 1,032nd, so a part that claims more is not what was written."""


def write_whole(file: Path, data: bytes, mode: int = 0o600) -> None:
    """Write beside the file and rename, so that a reader sees the old content or the new, never a part."""
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, mode)
        os.replace(temporary, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def save(file: str | Path, data: bytes) -> Path:
    """`write_whole` for a user's file: what goes wrong comes out as a sentence."""
    path = Path(file)
    mask = os.umask(0)
    os.umask(mask)
    try:
        write_whole(path, data, 0o666 & ~mask)
    except OSError as error:
        raise FileError(f"{str(path)!r} cannot be written: {error.strerror}; choose another place") from None
    except ValueError:
        raise no_name("file", path) from None
    return path


def check_folder(file: Path | None) -> None:
    """Before the work, not after it: long work must not end in a file that cannot be written."""
    if file is not None and not file.absolute().parent.is_dir():
        raise FileError(
            f"{str(file)!r} cannot be written: there is no folder {str(file.parent)!r}; make it or choose another place"
        )


def owned(prefix: str) -> str:
    """A prefix for a temporary folder that says whose it is; what such owners left who are gone is cleared away.

    Whoever is killed outright cannot tidy up. The owner is a process, when it began, since numbers of processes come again, and the
    container it is in, since each has numbers of its own.
    """
    place = _container()
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*-*-{place}-*"):
        pid, began, *_ = folder.name.removeprefix(prefix).split("-")
        if pid.isdecimal() and began.isdecimal() and _began(int(pid)) != int(began):
            shutil.rmtree(folder, ignore_errors=True)
    return f"{prefix}{os.getpid()}-{_began(os.getpid())}-{place}-"


def _container() -> str:
    """The number of the name space in which processes are counted; 0 where there is none."""
    try:
        return "".join(filter(str.isdecimal, os.readlink("/proc/self/ns/pid"))) or "0"
    except OSError:
        return "0"


def _began(pid: int) -> int | None:
    """When a process began, in ticks since the machine did (0 where nobody tells); None where there is no such process."""
    try:
        # The name of the program, in brackets, may hold anything.
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        pass
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return None
    except OSError:
        return 0  # somebody else's
    return 0


def no_name(what: str, file: Path) -> FileError:
    """What is to be said of a name that no file can have: one with a zero in it, or with half a letter."""
    return FileError(f"{what} {str(file)!r} cannot be: no file has such a name; give another")


class NotAsWritten(Exception):
    """A file of arrays is cut short, was changed, or is none; in words."""


class Arrays:
    """The arrays in a file of NumPy, each read when it is asked for, and none that claims more than its file can hold."""

    def __init__(self, archive: zipfile.ZipFile, most: int) -> None:
        self._archive, self._most = archive, most
        self._parts = {part.filename.removesuffix(".npy"): part for part in archive.infolist()}

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def length(self, name: str) -> int:
        """The bytes that a part claims to have."""
        return self._parts[name].file_size

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        part = self._parts.get(name)
        if part is None:
            raise NotAsWritten(f"it has no {name}")
        if part.file_size > self._most:
            raise NotAsWritten(f"{name} claims {part.file_size:,} bytes and the file has room for {self._most:,}")
        with self._archive.open(part) as stream:
            version = np.lib.format.read_magic(stream)  # type: ignore[no-untyped-call]
            reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, _, dtype = reader(stream)  # type: ignore[no-untyped-call]
        claimed = dtype.itemsize * int(np.prod(shape, dtype=object))
        if dtype.hasobject or claimed > part.file_size:
            raise NotAsWritten(f"{name} claims {claimed:,} bytes and has {part.file_size:,}")
        with self._archive.open(part) as stream:
            return np.lib.format.read_array(stream, allow_pickle=False)  # type: ignore[no-any-return,no-untyped-call]


@contextlib.contextmanager
def arrays_of(file: Path, *, packed: bool) -> Iterator[Arrays]:
    """The arrays of a file, compressed or not; what is wrong with them comes out as `NotAsWritten`, what the system says as `OSError`."""
    try:
        most = min(MOST_BYTES, file.stat().st_size * (PACKED if packed else 1))
        with zipfile.ZipFile(file) as archive:
            yield Arrays(archive, most)
    except (FileError, NotAsWritten):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        # Bytes that make no sense are complained of by zipfile, zlib, tokenize, NumPy and JSON, each in its own way.
        raise NotAsWritten(type(error).__name__) from None
