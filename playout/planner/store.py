"""Trees on disk: a zip of arrays with a small JSON head, versioned, without pickle, believed only after it was checked."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from playout.compile.digest import rules
from playout.engine import layout
from playout.errors import FileError
from playout.files import save
from playout.game.state import State
from playout.game.stream import MOST_TREES
from playout.planner.learned import HasLearned
from playout.planner.settings import Settings
from playout.planner.tree import SearchTree

if TYPE_CHECKING:
    from playout.planner.search import Search

FORMAT = "playout tree"
VERSION = 8
SAVED = tuple(column.name for column in layout.COLUMNS if column.saved)
COLUMNS = ("head", *SAVED, "table", "habits")

Arrays = dict[str, np.ndarray[Any, Any]]


def save_trees(trees: Sequence[SearchTree], file: str | Path) -> Path:
    """Write the trees of a search to one file."""
    from playout import __version__

    tree = trees[0]
    meta = {
        "format": FORMAT,
        "version": VERSION,
        "playout": __version__,
        "game": tree.game.spec,
        "rules": rules(tree.game),
        "state": json.loads(tree.root.to_json()),
        "settings": msgspec.to_builtins(tree.settings),
        "learned": "" if tree.learned is None else tree.learned.digest,
        "evaluated": "waiting" in tree.binding.features,
        "trees": len(trees),
    }
    columns = {_named(name, number): column for number, tree in enumerate(trees) for name, column in columns_of(tree).items()}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, meta=np.frombuffer(json.dumps(meta).encode(), np.uint8), **columns)  # type: ignore[arg-type]
    return save(file, buffer.getvalue())


def _named(column: str, tree: int) -> str:
    return f"{column}-{tree}"


def columns_of(tree: SearchTree) -> Arrays:
    """All that a tree knows. Who leads where is not among it: a look at all actions finds that again."""
    columns = {name: np.asarray(getattr(tree.tree, name)) for name in COLUMNS}
    for name in SAVED:
        columns[name] = columns[name][: tree.used]
    columns["head"] = columns["head"].copy()
    columns["head"]["leads"] = 0
    return columns


def read_trees(file: str | Path) -> tuple[dict[str, Any], list[Arrays]]:
    """The parts of a tree file; format and version are looked at before anything else is believed."""
    path = Path(file)
    try:
        with np.load(path, allow_pickle=False) as archive:
            meta = json.loads(archive["meta"].tobytes())
            arrays = {name: archive[name] for name in archive.files}
    except FileNotFoundError:
        raise FileError(f"tree file {str(path)!r} does not exist; save one with Search.save") from None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zipfile.LargeZipFile, TypeError) as error:
        raise FileError(f"tree file {str(path)!r} is damaged or cut short ({type(error).__name__}); save it again") from None
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        raise FileError(f"{str(path)!r} is not a tree file; save one with Search.save")
    if meta.get("version") != VERSION:
        raise FileError(f"tree file {str(path)!r} has version {meta.get('version')}, this playout reads {VERSION}; search again")
    count = meta.get("trees")
    numbers = range(count if isinstance(count, int) and count <= MOST_TREES else 0)
    whole = {"game", "rules", "state", "settings"} <= set(meta) and len(numbers) > 0
    trees = [{name: arrays[_named(name, n)] for name in COLUMNS if _named(name, n) in arrays} for n in numbers]
    if not whole or any(len(tree) < len(COLUMNS) or any(array.ndim < 1 for array in tree.values()) for tree in trees):
        raise FileError(f"tree file {str(path)!r} is damaged: parts of it are missing; save it again")
    return meta, trees


def check_policy(file: str | Path, meta: dict[str, Any], settings: Settings, value: HasLearned | None) -> None:
    """Whether the policy given is the one that valued the leaves so far; it is not part of the file."""
    named = f"tree file {str(file)!r}"
    if value is None and settings.value:
        raise FileError(f"{named} was searched with the learned policy {settings.value!r}; pass value=Policy.load(...) to go on")
    if value is not None and not settings.value:
        raise FileError(f"{named} was searched without a learned policy; leave value out, or search again")
    if value is not None and value.learned.digest != meta.get("learned"):
        raise FileError(f"{named} was searched with another policy than the one given; give that one, or search again")


def check_given(file: str | Path, meta: dict[str, Any], given: bool) -> None:
    """Whether there is an evaluator exactly where there was one; which one it was, nobody can tell."""
    if bool(meta.get("evaluated")) != given:
        raise FileError(
            f"tree file {str(file)!r} was searched with an evaluator; pass evaluator=... to go on"
            if not given
            else f"tree file {str(file)!r} was searched without an evaluator; leave evaluator out, or search again"
        )


def load_trees(file: str | Path, search: Search) -> list[SearchTree]:
    """Read trees back; those of another game or with impossible content are refused with a sentence."""
    meta, trees = read_trees(file)
    game = search.game
    if meta["game"] != game.spec:
        raise FileError(f"tree file {str(file)!r} is of game {meta['game']!r}, not of {game.spec!r}; load that game instead")
    if meta["rules"] != rules(game):
        raise FileError(f"the rules of {game.spec!r} have changed since tree file {str(file)!r} was saved; search again")
    state = game.load_state(json.dumps(meta["state"]))
    return [_load(file, search, state, number, arrays) for number, arrays in enumerate(trees)]


def _load(file: str | Path, search: Search, state: State, number: int, arrays: Arrays) -> SearchTree:
    game, tree = search.game, search.tree(search.settings, state, number)
    tree.tree = tree.empty(len(arrays["nodes"]) + game.most_legal + 1024, max(1, len(arrays["table"])))
    if not _fits(tree, arrays):
        raise FileError(f"tree file {str(file)!r} does not fit its own game and settings, so it is damaged; save it again")
    for name in COLUMNS:
        getattr(tree.tree, name)[: len(arrays[name])] = arrays[name]
    return tree


def _fits(tree: SearchTree, arrays: Arrays) -> bool:
    """Whether every array has its type and length, and every index in it points into the tree."""
    used = len(arrays["nodes"])
    for name in COLUMNS:
        column, array = np.asarray(getattr(tree.tree, name)), arrays[name]
        length = used if name in SAVED[1:] and len(column) > 1 else len(array) if name in ("nodes", "table") else len(column)
        length = 1 if name in SAVED[1:] and len(column) == 1 else length
        if array.dtype != column.dtype or array.shape[1:] != column.shape[1:] or len(array) != length:
            return False
    nodes, table = arrays["nodes"], arrays["table"]
    size = len(table)
    if used < 1 or int(arrays["head"][0]["used"]) != used or size < 2 or size & (size - 1):
        return False
    if int(arrays["head"][0]["leads"]):
        return False
    inside = (nodes["first"] >= 0) & (nodes["count"] >= 0) & (nodes["first"] < used)
    if not inside.all() or not (_chained(arrays) if tree.game.continuous else _in_blocks(nodes)):
        return False
    movers = (nodes["mover"] >= 0) & (nodes["mover"] < tree.game.players) & (nodes["visits"] >= 0)
    slots = (table["slot"] >= 0) & (table["slot"] < used) & (table["owner"] >= -1) & (table["owner"] < used)
    taken = int(np.count_nonzero(table["slot"]))
    free = taken < size and int(arrays["head"][0]["positions"]) == taken
    return bool(movers.all() and (nodes["action"] < tree.game.actions).all() and slots.all() and free)


def _in_blocks(nodes: np.ndarray[Any, Any]) -> bool:
    """The actions of a position are a block of slots."""
    return bool((nodes["first"].astype(np.int64) + nodes["count"] <= len(nodes)).all())


def _chained(arrays: Arrays) -> bool:
    """The actions of a position hang in a chain of slots: no slot is in two places, and so no chain comes back to itself."""
    nodes, siblings = arrays["nodes"], arrays["siblings"]
    if ((siblings < 0) | (siblings >= len(nodes))).any() or not np.isfinite(arrays["moves"]).all():
        return False
    seen = np.zeros(len(nodes), np.int64)
    seen[0] = 1  # the root is nobody's action
    at, left = nodes["first"], nodes["count"].astype(np.int64)
    while len(at := at[left > 0]):
        left = left[left > 0] - 1
        np.add.at(seen, at, 1)
        if seen.max() > 1:
            return False
        at = siblings[at]
    return True
