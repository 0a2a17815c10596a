"""Trees on disk: a zip of arrays with a small JSON head, versioned, without pickle, believed only after it was checked."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from playout.compile.digest import rules
from playout.engine import layout
from playout.errors import FileError, PlayoutError
from playout.files import NotAsWritten, arrays_of, save
from playout.game.saved import try_out
from playout.game.state import State
from playout.game.stream import MOST_TREES
from playout.planner.learned import HasLearned
from playout.planner.legality import illegal
from playout.planner.settings import Settings
from playout.planner.sound import flaw
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
        with arrays_of(path, packed=True) as found:
            meta = _check_meta(path, json.loads(found["meta"].tobytes()))
            trees = [{name: found[_named(name, number)] for name in COLUMNS} for number in range(meta["trees"])]
    except FileNotFoundError:
        raise FileError(f"tree file {str(path)!r} does not exist; save one with Search.save") from None
    except OSError as error:
        raise FileError(f"tree file {str(path)!r} cannot be read: {error.strerror}") from None
    except NotAsWritten as error:
        raise FileError(f"tree file {str(path)!r} is damaged or cut short ({error}); save it again") from None
    if any(array.ndim < 1 for tree in trees for array in tree.values()):
        raise FileError(f"tree file {str(path)!r} is damaged: parts of it are missing; save it again")
    return meta, trees


def _check_meta(path: Path, meta: Any) -> dict[str, Any]:
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        raise FileError(f"{str(path)!r} is not a tree file; save one with Search.save")
    if meta.get("version") != VERSION:
        raise FileError(f"tree file {str(path)!r} has version {meta.get('version')}, this playout reads {VERSION}; search again")
    for name, kind in (("game", str), ("rules", str), ("state", dict), ("settings", dict), ("trees", int)):
        if not isinstance(meta.get(name), kind):
            raise FileError(f"tree file {str(path)!r} is damaged: {name} is missing or of the wrong kind; save it again")
    if not 1 <= meta["trees"] <= MOST_TREES:
        raise FileError(f"tree file {str(path)!r} is damaged: it claims {meta['trees']} trees; save it again")
    return meta


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


def load_trees(file: str | Path, search: Search, meta: dict[str, Any], trees: list[Arrays]) -> list[SearchTree]:
    """What was read, as trees; those of another game or with impossible content are refused with a sentence."""
    game = search.game
    if meta["game"] != game.spec:
        raise FileError(f"tree file {str(file)!r} is of game {meta['game']!r}, not of {game.spec!r}; load that game instead")
    if meta["rules"] != rules(game):
        raise FileError(f"the rules of {game.spec!r} have changed since tree file {str(file)!r} was saved; search again")
    try:
        state = game.load_state(json.dumps(meta["state"]))
        try_out(state)
    except PlayoutError as error:
        raise FileError(f"tree file {str(file)!r} is damaged: {error}") from None
    return [_load(file, search, state, number, arrays) for number, arrays in enumerate(trees)]


def _load(file: str | Path, search: Search, state: State, number: int, arrays: Arrays) -> SearchTree:
    game, tree = search.game, search.tree(search.settings, state, number)
    tree.tree = tree.empty(len(arrays["nodes"]) + game.most_legal + 1024, max(1, len(arrays["table"])))
    wrong = flaw(tree, arrays, number)
    if wrong:
        raise FileError(f"tree file {str(file)!r} is damaged: {wrong}; save it again")
    for name in COLUMNS:
        getattr(tree.tree, name)[: len(arrays[name])] = arrays[name]
    wrong = illegal(tree)
    if wrong:
        raise FileError(f"tree file {str(file)!r} is damaged: {wrong}; save it again")
    return tree
