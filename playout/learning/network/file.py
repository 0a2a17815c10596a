"""Networks on disk: one file of safetensors with a JSON head, which says what it is of and how it came about.

Nothing in it is ever executed, and nothing is believed before it was looked at: a file that was cut, changed, or made for another game,
other rules or another encoding is refused with a sentence. The head can be read without torch.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from playout.errors import FileError
from playout.files import no_name, save
from playout.game.game import Game
from playout.learning.network.needs import needed
from playout.learning.policy import fingerprint
from playout.learning.store import AGAIN, game_words

FORMAT, VERSION = "playout network", 1
MOST_BYTES = 1 << 33
LENGTH = 8
"""Bytes in front of a file of safetensors: the length of its header, the lowest byte first."""
MAKE = "make one with playout learn --learner network"
MOST_WIDE = 10_000
OWN = "own"
"""The shape of a module that somebody brought along."""

Array = np.ndarray[Any, Any]


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What a network file says of itself."""

    format: str = FORMAT
    version: int = VERSION
    playout: str
    """The version of the library that wrote it."""
    game: str
    parameters: dict[str, Any]
    spec: str
    """The string that loads the game."""
    fingerprint: str
    """How the rules behave; see `playout.learning.policy.fingerprint`."""
    encoding: dict[str, Any]
    """How states become numbers, as `Encoding.to_builtins` says it."""
    sees: str
    """What the encoding makes of a few positions, in few letters: with another one the weights mean nothing."""
    shape: str
    """"tower", "transformer", "stack", or "own"."""
    size: str = ""
    module: str = ""
    """The class of a module that somebody brought along."""
    targets: tuple[tuple[str, int], ...] = ()
    """What is told beside policy and values, and in how many numbers."""
    reward: str = ""
    """The reward that its values are of, where that is not the returns of the game."""
    returns: tuple[float, float]
    """What values of -1 and 1 mean, in the units of the returns, or of that reward."""
    weights: int
    """How many numbers it has learned."""
    trained: dict[str, Any] = {}
    """What it was trained on, in words and numbers; empty for one that knows nothing."""
    history: tuple[dict[str, Any], ...] = ()
    """How training went, point by point."""
    checksum: str = ""

    def __post_init__(self) -> None:
        low, high = self.returns
        if not (np.isfinite(self.returns).all() and low < high):
            raise ValueError(f"values from {low:g} to {high:g} are no range")
        if len({name for name, _ in self.targets}) < len(self.targets) or not all(0 < w <= MOST_WIDE for _, w in self.targets):
            raise ValueError(f"targets must have different names and 1 to {MOST_WIDE:,} numbers each")


def check_sum(head: Head, arrays: dict[str, Array]) -> str:
    """A digest of all that a file holds, the head included."""
    hasher = hashlib.sha256(msgspec.json.encode(msgspec.structs.replace(head, checksum=""), order="sorted"))
    for name in sorted(arrays):
        hasher.update(f"{name} {arrays[name].dtype} {arrays[name].shape} ".encode() + arrays[name].tobytes())
    return hasher.hexdigest()


def write_network(file: str | Path, head: Head, arrays: dict[str, Array]) -> Path:
    """Write head and weights to one file, all of it or nothing."""
    # As it will be read: tuples become lists in JSON, and the digest must be of what is there.
    head = msgspec.json.decode(msgspec.json.encode(head), type=Head)
    head = msgspec.structs.replace(head, checksum=check_sum(head, arrays))
    # One entry: several would stand in another order every time.
    told = {FORMAT: msgspec.json.encode(head).decode()}
    return save(file, needed("safetensors.numpy").save({name: array.copy() for name, array in arrays.items()}, metadata=told))


def read_head(file: str | Path) -> Head:
    """The head alone, for whoever wants to know what a file is; the weights are not looked at."""
    return _head(Path(file), _content(Path(file)))


def is_network(file: str | Path) -> bool:
    """Whether a file says of itself that it holds a network."""
    try:
        with Path(file).open("rb") as stream:
            size = int.from_bytes(stream.read(LENGTH), "little")
            return 0 < size <= Path(file).stat().st_size and FORMAT.encode() in stream.read(size)
    except (OSError, ValueError):
        return False


def read_network(file: str | Path) -> tuple[Head, dict[str, Array]]:
    """Head and weights as they were written, or a sentence; whether they fit a game is asked by `check_game`."""
    path = Path(file)
    data = _content(path)
    head = _head(path, data)
    safetensors = needed("safetensors")
    try:
        arrays: dict[str, Array] = needed("safetensors.numpy").load(data)
    except (safetensors.SafetensorError, KeyError, ValueError, TypeError) as error:
        raise _damaged(path, str(error)) from None
    if check_sum(head, arrays) != head.checksum:
        raise FileError(f"network file {str(path)!r} was changed after it was written (its checksum does not fit); {AGAIN}")
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise _damaged(path, f"{name} holds a number that is not finite")
    return head, arrays


def check_game(file: str | Path, head: Head, game: Game) -> None:
    """Refuse a network of another game, or of rules that have changed since."""
    name = f"network file {str(file)!r}"
    if (head.game, head.parameters) != (game.base, game.parameters):
        raise FileError(
            f"{name} is of {game_words(head.game, head.parameters)}, not of {game_words(game.base, game.parameters)}; learn one for this game"
        )
    if head.fingerprint != fingerprint(game):
        raise FileError(f"the rules of {game.spec!r} have changed since {name} was written; {AGAIN}")


def _damaged(path: Path, why: str) -> FileError:
    return FileError(f"network file {str(path)!r} is damaged or cut short ({why}); {AGAIN}")


def _content(path: Path) -> bytes:
    name = f"network file {str(path)!r}"
    try:
        size = path.stat().st_size
        if size == 0:
            raise FileError(f"{name} is empty; {AGAIN}")
        if size > MOST_BYTES:
            raise FileError(f"{name} has {size / 1e9:.1f} GB, and at most {MOST_BYTES / 1e9:.1f} are read; learn a smaller one")
        return path.read_bytes()
    except FileNotFoundError:
        raise FileError(f"{name} does not exist; {MAKE}") from None
    except IsADirectoryError:
        raise FileError(f"{name} is a folder; {MAKE}") from None
    except OSError as error:
        raise FileError(f"{name} cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise no_name("network file", path) from None


def _head(path: Path, data: bytes) -> Head:
    """What the file says of itself: safetensors begin with the length of a JSON object, and ours is a word in it."""
    size = int.from_bytes(data[:LENGTH], "little")
    if data[LENGTH : LENGTH + 1] != b"{":
        raise FileError(f"{str(path)!r} is not a network file; {MAKE}")
    if size > len(data) - LENGTH:
        raise _damaged(path, f"its header has {len(data) - LENGTH:,} of {size:,} bytes")
    try:
        told = msgspec.json.decode(data[LENGTH : LENGTH + size], type=dict[str, Any]).get("__metadata__", {})
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise _damaged(path, "its header is not JSON") from None
    if not isinstance(told, dict) or not isinstance(told.get(FORMAT), str):
        raise FileError(f"{str(path)!r} is not a network file; {MAKE}")
    try:
        version = msgspec.json.decode(told[FORMAT], type=dict[str, Any]).get("version")
        if version != VERSION:
            raise FileError(f"network file {str(path)!r} has version {version}, this playout reads {VERSION}; {AGAIN}")
        return msgspec.json.decode(told[FORMAT], type=Head)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _damaged(path, f"its head cannot be read: {error}") from None
