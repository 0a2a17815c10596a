"""Network files: damaged as bytes, and with other contents under a checksum that fits."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import msgspec
from safetensors.numpy import load, save

import playout
from playout.learning.network import Network
from playout.learning.network.file import FORMAT, Head, check_sum, is_network, read_head, read_network
from tests.fuzz import harness
from tests.fuzz.harness import Rng, changed, flipped, fuzzer, one_of, upset

GAMES = ("tic-tac-toe", "kuhn-poker")


@cache
def network(kind: int) -> bytes:
    """A network as a file."""
    with harness.as_wanted(), tempfile.TemporaryDirectory() as folder:
        made = Network(GAMES[kind], device="cpu", targets=("length",), compiled=harness.COMPILED)
        made.history = [{"loss": 1.5, "games": 20}, {"loss": 1.25, "games": 40}]
        return made.save(Path(folder) / "a.net").read_bytes()


def use_network(file: Path) -> None:
    """Look at its head, ask it, and search with it."""
    if is_network(file):
        read_head(file)
    found = Network.load(file, device="cpu", compiled=harness.COMPILED)
    found.look(found.game.start())
    playout.Search(found.game, evaluator=found, batch=2, compiled=harness.COMPILED).run(simulations=5)


@fuzzer
def network_bytes(rng: Rng, folder: Path) -> None:
    """A network changed as bytes."""
    file = folder / "a.net"
    file.write_bytes(flipped(rng, network(int(rng.integers(len(GAMES))))))
    use_network(file)


@fuzzer
def network_contents(rng: Rng, folder: Path) -> None:
    """A network with other contents, under a checksum that fits where there can be one."""
    file, data = folder / "a.net", network(int(rng.integers(len(GAMES))))
    file.write_bytes(data)
    head, arrays = read_network(file)
    told = msgspec.to_builtins(head)
    if rng.integers(3):
        told = changed(rng, told, int(rng.integers(1, 3)))
    else:
        name = one_of(rng, sorted(arrays))
        arrays = {**load(data), name: upset(rng, arrays[name])}
    try:
        fits = msgspec.convert(told, Head)
        told = {**told, "checksum": check_sum(fits, arrays)}
    except (msgspec.MsgspecError, TypeError, ValueError):
        pass
    try:
        file.write_bytes(save(arrays, metadata={FORMAT: msgspec.json.encode(told).decode()}))
    except Exception:
        # What cannot be written so is written as it is.
        file.write_bytes(repr(told).encode(errors="replace"))
    use_network(file)
