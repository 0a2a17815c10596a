"""Are the actions in a tree that comes from a file legal where they stand? Its rules are asked, uncompiled, before machine code plays them.

`sound` looks at every number of a tree and knows no rules. Here positions are played from the root on, the most visited first and then any:
all of a small tree, 1,500 of a big one. Where worlds are drawn there is nothing to ask: only what is legal in the world at hand is ever
chosen there. Real-valued actions have no ids.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from playout.engine.layout import ANYWHERE, CHANCE, LINK, MERGED
from playout.game.state import State
from playout.game.stream import PICKS, Stream
from playout.planner.keys import after_outcome

if TYPE_CHECKING:
    from playout.planner.tree import SearchTree

LOOKED = 1500
"""Positions that are looked at; half of them are the most visited."""


class _Step(NamedTuple):
    """A position that waits to be looked at, and how it is reached."""

    rank: int
    slot: int
    state: State
    """The one before the last of the actions."""
    actions: list[int]
    hash: int | None
    drew: bool


def illegal(tree: SearchTree) -> str:
    """What is not legal in a tree, in words; "" where nothing was found."""
    game, settings = tree.game, tree.settings
    if game.continuous or settings.by_sight or (game.hidden and settings.hidden != "peek"):
        return ""
    nodes, table = np.asarray(tree.tree.nodes[: tree.used]), np.asarray(tree.tree.table)
    outcomes: dict[int, list[tuple[int, int | None]]] = {}
    for entry in table[(table["slot"] != 0) & (table["owner"] != ANYWHERE)]:
        outcomes.setdefault(int(entry["owner"]), []).append((int(entry["slot"]), int(entry["hash"])))
    waiting = [_Step(0, 0, tree.root, [], None, False)]
    seen, picks = {0}, Stream(0, PICKS)
    for number in range(LOOKED):
        if not waiting:
            break
        if number > LOOKED // 2:
            place = picks.below(len(waiting))
            waiting[place], waiting[-1] = waiting[-1], waiting[place]
        step = heappop(waiting) if number <= LOOKED // 2 else waiting.pop()
        state = after_outcome(step.state, step.actions[-1], step.hash, step.drew) if step.actions else tree.root
        if state is None or nodes["count"][step.slot] == 0:
            continue
        edges = range(int(nodes["first"][step.slot]), int(nodes["first"][step.slot] + nodes["count"][step.slot]))
        wrong = _wrong(nodes[edges.start : edges.stop], state)
        if wrong:
            return f"{wrong} {_after(step.actions)}"
        for edge in edges:
            tags, action = int(nodes["tags"][edge]), int(nodes["action"][edge])
            straight = [(int(nodes["first"][edge]) if tags & LINK else edge, None)]
            for slot, hash in outcomes.get(edge, straight):
                # What several outcomes share has the actions of all of them.
                if nodes["count"][slot] and slot not in seen and not nodes["tags"][slot] & MERGED:
                    seen.add(slot)
                    below = _Step(-int(nodes["visits"][slot]), slot, state, [*step.actions, action], hash, bool(tags & CHANCE))
                    heappush(waiting, below) if number <= LOOKED // 2 else waiting.append(below)
    return ""


def _after(actions: list[int]) -> str:
    return f"after action{'s' * (len(actions) > 1)} {', '.join(map(str, actions))}" if actions else "at its root"


def _wrong(block: Any, state: State) -> str:
    """What is wrong with the actions of a position, which are to be played in this state."""
    if state.over:
        return "it has actions where the game is over,"
    found = [int(action) for action in block["action"] if int(action) not in state.legal]
    if found:
        return f"action {found[0]} is not legal"
    return "" if (block["mover"] == state.mover).all() else "it has actions of another player"
