"""A run of learning on disk: one JSON file that names all others with their checksums, and is written last.

Between two writes of it nothing that it names is touched, so that the run can be gone on with after any crash.
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from playout.errors import FileError, PlayoutError
from playout.files import NotAsWritten, save
from playout.game.game import Game
from playout.learning.network.needs import needed
from playout.learning.network.network import Network
from playout.learning.network.settings import NetworkSettings
from playout.learning.network.window import Shard, Window, checksum
from playout.learning.policy import fingerprint
from playout.learning.run import Point

FORMAT, VERSION = "playout network run", 1
NAME = "run.json"
AFRESH = "begin anew with --fresh"


class Part(msgspec.Struct, frozen=True):
    """A file of the run."""

    name: str
    checksum: str


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A run between two generations."""

    format: str = FORMAT
    version: int = VERSION
    game: str
    fingerprint: str
    settings: NetworkSettings
    seed: int
    generation: int
    seconds: dict[str, float]
    curve: list[Point]
    shards: list[Shard]
    lessons: str = ""
    """Whom it imitates first."""
    taught: int = 0
    """Games of that so far; -1 when it is over."""
    weights: Part | None = None
    games: Part | None = None
    player: Part | None = None
    """The weights that play, where they are others than those of training."""

    @classmethod
    def of(
        cls,
        game: Game,
        settings: NetworkSettings,
        seed: int,
        generation: int,
        seconds: dict[str, float],
        curve: list[Point],
        shards: list[Shard],
        lessons: str,
        taught: int,
    ) -> Kept:
        """A run of a game as it stands; its files are added when they are written."""
        return cls(
            game=game.spec,
            fingerprint=fingerprint(game),
            settings=settings,
            seed=seed,
            generation=generation,
            seconds=seconds,
            curve=curve,
            shards=list(shards),
            lessons=lessons,
            taught=taught,
        )

    def restore(self, folder: Path, trainer: Any, selfplay: Any, player: Network | None) -> None:
        """Put the weights and the games that were under way back."""
        taken = [(self.weights, trainer.unpack), (self.games, lambda data: selfplay.unpack(_arrays(data)))]
        if player is not None:
            taken.append((self.player, lambda data: player._fill("player", needed("safetensors.numpy").load(data))))
        for part, takes in taken:
            if part is None:
                raise FileError(f"{str(folder / NAME)!r} is damaged (it names no weights); {AFRESH}")
            try:
                takes(read_part(folder, part))
            except (NotAsWritten, KeyError, ValueError, RuntimeError) as error:
                told = str(error).partition("\n")[0]
                raise FileError(f"{str(folder / part.name)!r} does not fit the run ({told}); {AFRESH}") from None


def save_run(folder: Path, kept: Kept, trainer: Any, selfplay: Any, window: Window, player: Network | None) -> None:
    """Write a run: its parts first, under new names, then the file that names them; then what nobody names any more is deleted."""
    parts = {}
    written = [("weights", "safetensors", trainer.pack()), ("games", "npz", selfplay.pack())]
    if player is not None:
        written.append(("player", "safetensors", needed("safetensors.numpy").save(player.arrays())))
    for name, ending, data in written:
        parts[name] = Part(f"{name}-{kept.generation:08d}.{ending}", checksum(data))
        save(folder / parts[name].name, data)
    save(folder / NAME, msgspec.json.format(msgspec.json.encode(msgspec.structs.replace(kept, **parts)), indent=1))
    window.tidy()
    for name, part in parts.items():
        for file in folder.glob(f"{name}-*"):
            if file.name != part.name:
                with contextlib.suppress(OSError):
                    file.unlink()


def load_run(folder: Path, game: Game) -> Kept | None:
    """The run in a folder, of this game and these rules; None where there is none yet."""
    path = folder / NAME
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(f"{str(path)!r} cannot be read: {error.strerror or error}") from None
    try:
        head = msgspec.json.decode(data, type=dict[str, Any])
        if head.get("format") != FORMAT:
            raise FileError(f"{str(path)!r} is no run of learning; {AFRESH}")
        if head.get("version") != VERSION:
            raise FileError(f"{str(path)!r} has version {head.get('version')}, this playout reads {VERSION}; {AFRESH}")
        kept = msgspec.json.decode(data, type=Kept)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FileError(f"{str(path)!r} is damaged ({error}); {AFRESH}") from None
    if kept.game != game.spec:
        raise FileError(f"the run in {str(folder)!r} is of {kept.game}, not of {game.spec}; give another --out")
    if kept.fingerprint != fingerprint(game):
        raise FileError(f"the rules of {game.spec!r} have changed since the run in {str(folder)!r} was written; {AFRESH}")
    return kept


def read_part(folder: Path, part: Part) -> bytes:
    """The bytes of a file as they were written, or a sentence."""
    path = folder / part.name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileError(f"{str(path)!r} cannot be read: {error.strerror or error}; {AFRESH}") from None
    if checksum(data) != part.checksum:
        raise FileError(f"{str(path)!r} was changed or cut short after it was written (its checksum does not fit); {AFRESH}")
    return data


def _arrays(data: bytes) -> dict[str, Any]:
    with np.load(io.BytesIO(data), allow_pickle=False) as found:
        return dict(found)


def check_same(folder: Path, kept: Kept, given: NetworkSettings, words: dict[str, Any], seed: int | None) -> None:
    """What was asked for and differs from the run that is there is shown, and refused."""
    differ = [
        f"{name} is {getattr(kept.settings, name)} there and {getattr(given, name)} here"
        for name in words
        if getattr(kept.settings, name) != getattr(given, name)
    ]
    if seed is not None and seed != kept.seed:
        differ.append(f"seed is {kept.seed} there and {seed} here")
    if differ:
        raise PlayoutError(
            f"the run in {str(folder)!r} has other settings: {'; '.join(differ)}. Leave them out to go on with it, or begin anew with --fresh"
        )
