"""One key, two states: a search that shares positions looks now and then whether they are the same, and says so where they are not.

The kernel finds the pair (`engine.positions.look_twice`) and goes on. Here the two states are played out of the tree again, uncompiled, and
the checker judges: a key may leave out what does not matter, but states that share it must go on alike, or proofs would be wrong.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.engine.layout import ANYWHERE, CHANCE, LINK, POSITION
from playout.engine.positions import hash_of
from playout.errors import GameError
from playout.game.state import State
from playout.game.stream import seed_word

if TYPE_CHECKING:
    from playout.game.game import Game
    from playout.planner.tree import SearchTree

MOST_JUDGED = 4
"""Pairs of a game that are judged in one process: if they go on alike, so will the others most likely."""
DRAWS = 64
"""How often an outcome of chance is drawn to come to the one that the tree has."""

judged: Callable[[Game, Any], Any] | None = None
"""What is wrong with two states that have one key, with a `message`, or None. Whoever can tell sets it, as with `binding.trial`."""
_seen: Counter[int] = Counter()
_lock = threading.Lock()

Way = tuple[list[int], State]
"""The actions from the root, and the state behind them."""


def judge_pair(tree: SearchTree) -> None:
    """Refuse a game if the pair that the kernel found shows that its key is wrong."""
    pair = int(tree.tree.prints[0])
    tree.tree.prints[0] = 0
    game = tree.game
    with _lock:
        if judged is None or game.hidden or _seen[id(game)] >= MOST_JUDGED:
            return
        ways = _two_ways(tree, pair >> 31, pair & ((1 << 31) - 1))
        if ways is None:
            return
        _seen[id(game)] += 1
        found = judged(game, [(actions, state.copy_array()) for actions, state in ways])
    if found is not None:
        raise GameError(f"game {game.name!r} breaks the contract: {found.message}")


def _two_ways(tree: SearchTree, edge: int, position: int) -> tuple[Way, Way] | None:
    """Two ways to a position whose states are not the same: by that edge, and by another."""
    nodes = np.asarray(tree.tree.nodes[: tree.used])
    if nodes["tags"][position] & LINK:
        # In a graph a position gets a slot of its own only when a second edge leads to it.
        position = int(nodes["first"][position])
    one = _way(tree, nodes, edge)
    if one is None:
        return None
    for other in _edges_to(nodes, position):
        found = None if other == edge else _way(tree, nodes, int(other))
        if found is not None and bytes(found[1]) != bytes(one[1]):
            return found, one
    return None


def _edges_to(nodes: Any, position: int) -> Any:
    return np.flatnonzero((nodes["tags"] & LINK != 0) & (nodes["first"] == position))


def _way(tree: SearchTree, nodes: Any, edge: int) -> Way | None:
    """The way from the root over an edge, and the state behind it; None where chance cannot be made to come out again as it did."""
    expanded = np.flatnonzero((nodes["count"] > 0) & (nodes["tags"] & LINK == 0))
    expanded = expanded[np.argsort(nodes["first"][expanded])]
    firsts, table = nodes["first"][expanded], np.asarray(tree.tree.table)
    steps: list[tuple[int, Any]] = [(edge, None)]
    while (above := int(expanded[np.searchsorted(firsts, steps[-1][0], side="right") - 1])) != 0:
        outcome = None
        if nodes["tags"][above] & POSITION:
            entry = table[np.flatnonzero(table["slot"] == above)[0]]
            outcome = None if entry["owner"] == ANYWHERE else int(entry["hash"])
            # The lowest edge was there first: above it, slots only get lower.
            above = int(_edges_to(nodes, above).min(initial=len(nodes))) if entry["owner"] == ANYWHERE else int(entry["owner"])
        if above >= len(nodes) or above >= steps[-1][0]:
            return None
        steps.append((above, outcome))
    state, actions = tree.root, []
    for slot, outcome in reversed(steps):
        actions.append(int(nodes["action"][slot]))
        after = after_outcome(state, actions[-1], outcome, bool(nodes["tags"][slot] & CHANCE))
        if after is None:
            return None
        state = after
    return actions, state


def after_outcome(state: State, action: int, outcome: int | None, drew: bool) -> State | None:
    """The state after an action, with that outcome of chance."""
    if not drew:
        return state.after(action)
    for number in range(DRAWS if outcome is not None else 0):
        after = State(state.game, state.copy_array(), seed_word(number)).after(action)
        if int(hash_of(bytes(after))) == outcome:
            return after
    return None
