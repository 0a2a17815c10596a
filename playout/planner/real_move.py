"""Tree reuse with real-valued actions: what hangs below one position, in chains, becomes a tree of its own.

Slots keep their order, so that "the newest of equals" is the same one as before. Whole columns are picked at once, which needs no
kernel; what positions with many actions keep of their likely choices is found anew when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from playout.engine import layout
from playout.engine.positions import rehash
from playout.game.continuous import BOX, box

if TYPE_CHECKING:
    from playout.planner.tree import SearchTree

ABOUT = 1e-5
"""An action played is taken for one that was tried if no number is farther off than this part of its box: people type rounded numbers."""

Array = np.ndarray[Any, Any]


def edge_about(tree: SearchTree, action: Any) -> int | None:
    """The slot of the action of the root that was played, or of the nearest one that is as good as the same; None if there is none."""
    block = tree.block()
    if not len(block.slots):
        return None
    low, high = box(tree.root)
    wide = np.where(high > low, high - low, 1.0) if tree.game.action_set == BOX else 1.0
    far = np.max(np.abs(block.actions - np.asarray(action)) / wide, axis=1)
    # Of those that are equally near the one that is known best.
    nearest = int(np.lexsort((-block.visits, far))[0])
    return int(block.slots[nearest]) if far[nearest] <= ABOUT else None


def slots_below(tree: SearchTree, position: int) -> Array:
    """The slot of a position and of all that hangs below it, in order; outcomes of chance are found in the table."""
    columns = tree.tree
    nodes, siblings, owned = np.asarray(columns.nodes), np.asarray(columns.siblings), tree.owned()
    kept = np.zeros(tree.used, bool)
    level = np.array([position])
    while len(level):
        kept[level] = True
        below = [_outcomes(owned, level)]
        slots, left = nodes["first"][level], nodes["count"][level]
        while len(slots := slots[left > 0]):
            below.append(slots)
            left = left[left > 0] - 1
            slots = siblings[slots]
        level = np.unique(np.concatenate(below))
        level = level[~kept[level]]
    return np.flatnonzero(kept)


def _outcomes(owned: Array, owners: Array) -> Array:
    """The positions in the table that these slots own."""
    found: Array = owned["slot"][np.isin(owned["owner"], owners)]
    return found


def replanted(tree: SearchTree, position: int) -> Any:
    """The columns of a new tree whose root is the position."""
    old, slots = tree.tree, slots_below(tree, position)
    new = tree.empty(len(slots) + 1024, len(old.table))
    place = np.zeros(tree.used, np.int32)
    place[slots] = np.arange(len(slots), dtype=np.int32)
    for column in layout.used_by(old):
        if column.shared_by == 1 and column.saved:
            np.asarray(getattr(new, column.name))[: len(slots)] = np.asarray(getattr(old, column.name))[slots]
    nodes = np.asarray(new.nodes)[: len(slots)]
    nodes["first"] = np.where(nodes["count"] > 0, place[nodes["first"]], 0)
    nodes["tags"][0] &= 255 - layout.POSITION - layout.CHANCE
    # The last of a chain names no other, and what the first action of a position was hung before is not read.
    new.siblings[: len(slots)] = place[new.siblings[: len(slots)]]
    entries = tree.owned()
    entries = entries[np.isin(entries["owner"], slots[1:]) & np.isin(entries["slot"], slots)]
    entries["owner"], entries["slot"] = place[entries["owner"]], place[entries["slot"]]
    if len(entries):
        with np.errstate(over="ignore"):
            tree.binding.kernel(rehash)(entries.view(type(old.table)), new.table)
    head = new.head[0]
    head["used"], head["positions"] = len(slots), len(entries)
    for name in ("seed", "tree", "stream", "simulations", "steps", "evaluations", "spent", "owed", "low", "high"):
        head[name] = old.head[0][name]
    return new
