"""Actions in a saved tree that are not legal where they stand: the file is refused before anything plays them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playout import FileError, Search
from playout.engine.layout import LINK
from playout.planner import legality
from tests.fuzz.trees import KINDS, parts, saved, written

LISTED = [kind for kind, (game, _) in enumerate(KINDS) if game not in ("stackelberg", "loss-1d")]


@pytest.mark.parametrize("kind", LISTED, ids=lambda kind: f"{KINDS[kind][0]} {KINDS[kind][1]}")
def test_a_tree_as_it_was_grown_is_legal(kind: int, tmp_path: Path) -> None:
    (tmp_path / "tree.npz").write_bytes(saved(kind))
    assert Search.load(tmp_path / "tree.npz", compiled=False).run(simulations=5).action is not None


def damaged(kind: int, place: int) -> tuple[bytes, bool]:
    """The tree with one id below the root replaced by one that was played on the way there; False where there is none."""
    arrays = {name: array.copy() for name, array in parts(kind).items()}
    name = next(name for name in arrays if name.startswith("nodes"))
    nodes: Any = arrays[name]
    root = range(int(nodes[0]["first"]), int(nodes[0]["first"] + nodes[0]["count"]))
    below = [edge for edge in root if nodes["count"][edge] > 0 and not nodes["tags"][edge] & LINK]
    edge = below[place % len(below)]
    # In tic-tac-toe a square is taken once, so what was played before is not legal after it.
    nodes["action"][nodes["first"][edge]] = nodes["action"][edge]
    return written(arrays), bool(below)


@pytest.mark.parametrize("place", range(3))
def test_an_id_that_is_not_legal_there_is_told(place: int, tmp_path: Path) -> None:
    data, _ = damaged(0, place)
    with np.load(io.BytesIO(data)) as archive:
        assert len(archive.files) > 1
    (tmp_path / "tree.npz").write_bytes(data)
    with pytest.raises(FileError, match=r"tree\.npz' is damaged: action (\d) is not legal after action \1; save it again$"):
        Search.load(tmp_path / "tree.npz", compiled=False)


def test_big_trees_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    search = Search("tic-tac-toe", seed=1, compiled=False, trees=1)
    search.run(simulations=300)
    monkeypatch.setattr(legality, "LOOKED", 20)
    assert legality.illegal(search.trees[0]) == ""
