"""Saved trees: contents that were changed under a right checksum, and files that were changed as bytes."""

from __future__ import annotations

import io
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from playout import PlayoutError, Search
from tests.fuzz import harness
from tests.fuzz.harness import Rng, changed, flipped, fuzzer, one_of, upset

KINDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tic-tac-toe", {"solver": False}),
    ("tic-tac-toe", {}),
    ("tic-tac-toe", {"transpositions": True}),
    ("tic-tac-toe", {"graph": True}),
    ("tic-tac-toe", {"rave": 100.0, "playout": "mast", "trees": 2}),
    ("nim", {"score_bounds": True}),
    ("nim", {"proof_weight": 1.0}),
    ("pig", {}),
    ("pig", {"observation_width": 1.0}),
    ("kuhn-poker", {}),
    ("kuhn-poker", {"hidden": "mo-ismcts"}),
    ("phantom-tic-tac-toe", {}),
    ("stackelberg", {"method": "widening"}),
    ("loss-1d", {}),
)
SIMULATIONS = 120
QUICK_TO_COMPILE = (0, 1, 2, 3, 7, 9)
"""With machine code only these: each kind has kernels of its own."""


@cache
def saved(kind: int) -> bytes:
    """A tree of that kind, as bytes."""
    game, settings = KINDS[kind]
    try:
        return _grown(game, settings)
    except PlayoutError as error:
        raise AssertionError(f"the tree that was to be damaged cannot be grown: {error}") from error


def _grown(game: str, settings: dict[str, Any]) -> bytes:
    search = Search(game, compiled=False, seed=1, **settings)
    search.run(simulations=SIMULATIONS)
    with tempfile.TemporaryDirectory() as folder:
        return search.save(Path(folder) / "tree.npz").read_bytes()


@cache
def parts(kind: int) -> dict[str, np.ndarray[Any, Any]]:
    """Its arrays."""
    with np.load(io.BytesIO(saved(kind))) as archive:
        return dict(archive)


def written(arrays: dict[str, Any]) -> bytes:
    """Arrays as a file whose checksums fit."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def use(file: Path) -> None:
    """Go on with a tree as a user would."""
    search = Search.load(file, compiled=harness.COMPILED)
    decision = search.run(simulations=40)
    decision.to_json()
    str(decision)
    decision.why()
    decision.line(until="end", complete=True)
    if not search.play(decision.action).over:
        search.run(simulations=20)
    search.save(file.with_name("again.npz"))


@fuzzer
def tree_contents(rng: Rng, folder: Path) -> None:
    """Numbers in the arrays of a tree."""
    kind = one_of(rng, QUICK_TO_COMPILE) if harness.COMPILED else int(rng.integers(len(KINDS)))
    arrays = dict(parts(kind))
    for _ in range(int(rng.integers(1, 3))):
        # Nodes are what kernels trust most.
        name = one_of(rng, [name for name in arrays if name.startswith(("nodes", "table", "head") if rng.integers(3) else "")])
        if name == "meta":
            meta = changed(rng, json.loads(arrays[name].tobytes()))
            arrays[name] = np.frombuffer(harness.as_json(meta), np.uint8)
        else:
            arrays[name] = upset(rng, arrays[name])
    file = folder / "tree.npz"
    file.write_bytes(written(arrays))
    use(file)


@fuzzer
def tree_shapes(rng: Rng, folder: Path) -> None:
    """Arrays of a tree cut, doubled, of another type, missing, or taken from another tree."""
    kind, other = int(rng.integers(len(KINDS))), int(rng.integers(len(KINDS)))
    arrays = dict(parts(kind))
    name, how = one_of(rng, list(arrays)), int(rng.integers(6))
    array = arrays[name]
    if how == 0:
        del arrays[name]
    elif how == 1:
        arrays[name] = array[: int(rng.integers(len(array) + 1))]
    elif how == 2:
        arrays[name] = np.concatenate([array, array[: int(rng.integers(1, 20))]])
    elif how == 3:
        arrays[name] = one_of(rng, [np.array(0), np.zeros((2, 3)), np.array("words"), np.zeros(len(array), np.complex128)])
    else:
        arrays[name] = parts(other).get(name, array)
    file = folder / "tree.npz"
    file.write_bytes(written(arrays))
    use(file)


@fuzzer
def tree_bytes(rng: Rng, folder: Path) -> None:
    """A tree file changed as bytes."""
    file = folder / "tree.npz"
    file.write_bytes(flipped(rng, saved(int(rng.integers(len(KINDS))))))
    use(file)
