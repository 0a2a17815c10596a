"""Tree reuse with hidden information, what others did while it was not our turn: the one way through the tree to what is seen now, if there is just one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from playout.compile.holes import as_word
from playout.engine.layout import MERGED
from playout.engine.way import MOST_PLACES
from playout.engine.widen import outcome_code
from playout.game.state import State

if TYPE_CHECKING:
    from playout.planner.tree import SearchTree


def find_way(tree: SearchTree, state: State) -> int | None:
    """The position where the searcher sees what it sees of the state, reached from the root by actions of others alone.

    None where there is none, or more than one, or where an action that was never tried might have led there as well.
    """
    entries = tree.owned()
    with np.errstate(over="ignore"):
        seen = tree.seen(state)
        found: list[tuple[int, tuple[int, ...]]] = []
        front: list[tuple[int, ...]] = [(0,)]
        for looked, way in enumerate(front):
            below = _owned(entries, way[-1])
            codes = {int(outcome_code(seen, as_word(tree.action_of(edge) + 1))) for edge in tree.edges(way[-1])}
            found += [(below[code], way) for code in codes & below.keys()]
            if len(found) > 1 or looked >= MOST_PLACES:
                return None
            front += [(*way, slot) for slot in dict.fromkeys(below.values()) if _mover(tree, slot) not in (None, tree.observer)]
    if not found:
        return None
    target, way = found[0]
    untried = any(tree.visits_of(edge) == 0 for slot in way for edge in tree.edges(slot))
    shared = any(tree.tagged(slot, MERGED) for slot in way)
    return None if untried or shared or not _fits(tree, target, state) else target


def _owned(entries: Any, owner: int) -> dict[int, int]:
    """The positions below one position, by their hashes."""
    low, high = np.searchsorted(entries["owner"], [owner, owner + 1])
    return {int(entry["hash"]): int(entry["slot"]) for entry in entries[low:high]}


def _mover(tree: SearchTree, position: int) -> int | None:
    """Who acts in a position; None while it is not expanded."""
    edges = tree.edges(position)
    return tree.mover_of(edges[0]) if edges else None


def _fits(tree: SearchTree, position: int, state: State) -> bool:
    """Whether the actions of the position are those of the state, all of the searcher."""
    edges = tree.edges(position)
    actions = sorted(tree.action_of(edge) for edge in edges)
    return _mover(tree, position) == tree.observer and actions == sorted(state.legal)
