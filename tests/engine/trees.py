"""Trees as plain data, for golden tests and comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import playout
from playout import Search
from playout.engine import layout
from playout.planner.store import columns_of

ROWS = str(Path(__file__).with_name("rows.py"))


def dump(tree: Any, position: int = 0, depth: int = 3) -> list[Any]:
    """The actions of a position in order: [action, visits, score per player, tags, below]."""
    out = []
    for slot in tree.edges(position):
        node = tree.tree.nodes[slot]
        tags = int(node["tags"])
        below = int(node["first"]) if tags & layout.LINK else slot
        deeper = dump(tree, below, depth - 1) if depth > 1 and not tags & layout.CHANCE else []
        out.append([_plain(tree.action_of(slot)), int(node["visits"]), [float(s) for s in node["score"]], tags, deeper])
    return out


def _plain(action: Any) -> Any:
    return list(action) if isinstance(action, tuple) else action


def grown(game: str, simulations: int, compiled: bool = False, moves: tuple[Any, ...] = (), **settings: Any) -> Search:
    """A search of a small game, run from the start."""
    loaded = playout.load(game)
    search = Search(loaded, compiled=compiled, **settings)
    search.run(loaded.start(1).replay(moves), simulations=simulations)
    return search


def same_bits(one: Search, other: Search) -> bool:
    """Whether two searches hold the same trees, bit for bit."""
    for a, b in zip(one.trees, other.trees, strict=True):
        columns = columns_of(a), columns_of(b)
        if any(columns[0][name].tobytes() != columns[1][name].tobytes() for name in columns[0]):
            return False
    return True
