"""Writing files so that nothing is ever half there."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from playout.errors import FileError


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
    return path


def check_folder(file: Path | None) -> None:
    """Before the work, not after it: long work must not end in a file that cannot be written."""
    if file is not None and not file.absolute().parent.is_dir():
        raise FileError(
            f"{str(file)!r} cannot be written: there is no folder {str(file.parent)!r}; make it or choose another place"
        )
