"""Hidden information in the tree: every simulation is in a world of its own, and positions are what a player can tell apart.

A position is reached by the player's own actions and what it saw after them. With one tree for all, that player is the
observer, who searches; with many, every player has positions of its own, and `work.at` says where each of them is.
(Cowling, Powley, Whitehouse, "Information set Monte Carlo tree search", 2012: SO-ISMCTS and MO-ISMCTS.)
"""

from __future__ import annotations

from typing import Any

from playout.compile.holes import PLAYERS, as_word, cold, mover, observe, where_hidden, whole
from playout.engine.expand import grow_block, legal_count
from playout.engine.layout import ANYWHERE, NOW, SEEN
from playout.engine.positions import find_position, hash_bytes
from playout.engine.select import choose_available
from playout.engine.widen import find_outcome, outcome_code
from playout.game.stream import mix


def look(states: Any, raw: Any, player: int) -> Any:
    """What the player sees of the state, as a hash."""
    states[SEEN] = states[NOW]
    observe(states[SEEN], player)
    return hash_bytes(raw[SEEN])


# What stands in where nothing is hidden: it is never called, and need not be compiled.


def no_enter(head: Any, nodes: Any, table: Any, options: Any, states: Any, raw: Any, work: Any) -> None:
    pass


def no_branch(
    head: Any, nodes: Any, available: Any, table: Any, options: Any, states: Any, raw: Any, work: Any, edge: int, player: int
) -> None:
    pass


def no_edge(
    head: Any, nodes: Any, priors: Any, available: Any, options: Any, states: Any, work: Any, position: int, player: int
) -> int:
    return -1


@where_hidden(no_enter)
@cold
def enter(head: Any, nodes: Any, table: Any, options: Any, states: Any, raw: Any, work: Any) -> None:
    """Where everybody stands in a fresh world: the observer at the root, the others at what they see in this world."""
    for i in range(PLAYERS):
        work.at[i] = 0
    if options.many == 0:
        return
    for i in range(PLAYERS):
        work.seen[i] = look(states, raw, i)
        if i != options.observer:
            work.at[i] = find_position(head, nodes, table, whole(ANYWHERE), mix(work.seen[i] + as_word(i + 1)), whole(0))


@where_hidden(no_branch)
@cold
def branch(
    head: Any, nodes: Any, available: Any, table: Any, options: Any, states: Any, raw: Any, work: Any, edge: int, player: int
) -> None:
    """Move everybody on after an action: the one who acted by the action and what it sees, the others by what they see."""
    action = as_word(whole(nodes[edge].action) + 1)
    if options.many == 0:
        seen = look(states, raw, whole(options.observer))
        owner = whole(work.at[0])
        if options.width > 0.0:
            after = whole(mover(states[NOW]))
            work.at[0] = find_outcome(head, nodes, available, table, options, owner, edge, action, seen, after)
        else:
            work.at[0] = find_position(head, nodes, table, owner, outcome_code(seen, action), edge)
        return
    for i in range(PLAYERS):
        seen = look(states, raw, i)
        if i == player:
            work.at[i] = find_position(head, nodes, table, whole(work.at[i]), outcome_code(seen, action), edge)
        elif seen != work.seen[i]:
            work.at[i] = find_position(head, nodes, table, whole(work.at[i]), seen, edge)
        work.seen[i] = seen


@where_hidden(no_edge)
def choose_in_world(
    head: Any, nodes: Any, priors: Any, available: Any, options: Any, states: Any, work: Any, position: int, player: int
) -> int:
    """The edge to follow among the actions that this world allows; new ones get a slot first. -1 where there is no room."""
    ids, slots = work.ids, work.replies
    count = legal_count(head, states[NOW], ids)
    first = whole(nodes[position].first)
    missing = 0
    for i in range(count):
        slots[i] = -1
        for slot in range(first, first + nodes[position].count):
            if nodes[slot].action == ids[i]:
                slots[i] = slot
                break
        if slots[i] < 0:
            missing += 1
    if missing > 0:
        grow_block(head, nodes, priors, available, work, position, player, count, missing)
    if head.trouble != 0:
        return -1
    return choose_available(head, nodes, priors, available, options, position, player, slots, count)
