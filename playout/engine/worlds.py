"""Information-set search by determinization: every simulation is in a world of its own, and positions are what a player can tell apart.

A position is reached by the player's own actions and what it saw after them. With one tree for all, that player is the
observer, who searches; with many, every player has positions of its own, and `work.at` says where each of them is.
(Cowling, Powley, Whitehouse, "Information set Monte Carlo tree search", 2012: SO-ISMCTS and MO-ISMCTS.)
"""

from __future__ import annotations

from typing import Any

from playout.compile.holes import ACTIONS, EMBEDDED, PLAYERS, WAITING, as_word, cold, mover, observe, where, whole
from playout.engine.embedded import priors_of_world
from playout.engine.expand import grow_block, legal_count
from playout.engine.layout import ANYWHERE, NOW, OUT, SEEN
from playout.engine.positions import find_position, hash_bytes
from playout.engine.select import choose_available, log_of, waiting_at
from playout.engine.trouble import BAD_ACTION
from playout.engine.widen import find_outcome, outcome_code
from playout.game.stream import below, mix


def look(sim: Any, lane: int, player: int) -> Any:
    """What the player sees of the state, as a hash."""
    states = sim.states[lane]
    states[SEEN] = states[NOW]
    observe(states[SEEN], player)
    return hash_bytes(sim.raw[lane][SEEN])


# What stands in where nothing is hidden: it is never called, and need not be compiled.


def no_enter(sim: Any, lane: int) -> None:
    pass


def no_branch(sim: Any, lane: int, edge: int, player: int) -> None:
    pass


def no_edge(sim: Any, lane: int, position: int, player: int) -> int:
    return -1


@where("worlds", no_enter)
def enter(sim: Any, lane: int) -> None:
    """Where everybody stands in a fresh world: the observer at the root, the others at what they see in this world."""
    options, work = sim.options[0], sim.work[lane]
    for i in range(PLAYERS):
        work.at[i] = 0
    if options.many == 0:
        return
    for i in range(PLAYERS):
        work.seen[i] = look(sim, lane, i)
        if i != options.observer:
            code = mix(work.seen[i] + as_word(i + 1))
            work.at[i] = find_position(sim.head[0], sim.nodes, sim.table, whole(ANYWHERE), code, whole(0))


@where("worlds", no_branch)
def branch(sim: Any, lane: int, edge: int, player: int) -> None:
    """Move everybody on after an action: the one who acted by the action and what it sees, the others by what they see."""
    head, nodes, table, options, work = sim.head[0], sim.nodes, sim.table, sim.options[0], sim.work[lane]
    action = as_word(whole(nodes[edge].action) + 1)
    if options.many == 0:
        seen = look(sim, lane, whole(options.observer))
        owner = whole(work.at[0])
        if options.outcome_width > 0.0:
            work.at[0] = find_outcome(sim, owner, edge, action, seen, whole(mover(sim.states[lane][NOW])))
        else:
            work.at[0] = find_position(head, nodes, table, owner, outcome_code(seen, action), edge)
        return
    for i in range(PLAYERS):
        seen = look(sim, lane, i)
        if i == player:
            work.at[i] = find_position(head, nodes, table, whole(work.at[i]), outcome_code(seen, action), edge)
        elif seen != work.seen[i]:
            work.at[i] = find_position(head, nodes, table, whole(work.at[i]), seen, edge)
        work.seen[i] = seen


@where("worlds", no_edge)
def choose_in_world(sim: Any, lane: int, position: int, player: int) -> int:
    """The edge to follow among the actions that this world allows; new ones get a slot first. -1 where there is no room, or to have the
    priors of this world evaluated."""
    count, missing = find_slots(sim, lane, position)
    if WAITING and len(sim.priors) > 1:
        if asks_again(sim, lane, position, missing):
            return -1
    elif missing > 0:
        grow_block(sim, lane, position, player, count, missing)
    if EMBEDDED:
        priors_of_world(sim, lane, player, count)
    if sim.head[0].trouble != 0:
        return -1
    return choose_available(sim, lane, position, player, count)


def find_slots(sim: Any, lane: int, position: int) -> tuple[int, int]:
    """(count, missing): the actions of this world in `work.ids`, their slots in `work.replies`, -1 for the missing ones."""
    nodes, work = sim.nodes, sim.work[lane]
    ids, slots = work.ids, work.replies
    count = legal_count(sim.head[0], sim.states[lane][NOW], ids)
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
    return count, missing


# Priors of an evaluator where one position stands for many worlds. They belong to what the mover sees, which differs from world to
# world, so a position keeps their mean: over the worlds in which they were asked for, and for an action over those that allow it.


ASKED = 4
"""After so many visits the priors of every second world are asked for, and ever fewer later."""


def asks_again(sim: Any, lane: int, position: int, missing: int) -> bool:
    """Whether to have the priors of this world, too: it allows an action that no other did, or the lot falls on it.

    The more visits, the less likely: over n visits that makes about 4·ln(1 + n / 4) worlds.
    """
    head, node = sim.head[0], sim.nodes[position]
    if node.tags & OUT != 0 or head.full != 0:
        return False
    if missing > 0:
        return bool(head.used + node.count + missing <= len(sim.nodes))
    visits = whole(node.visits) + waiting_at(sim.out, position)
    return position != 0 and below(sim.work[lane].rng, visits + ASKED) < ASKED


def no_priors(sim: Any, lane: int, position: int, player: int, priors: Any) -> None:
    pass


@where("worlds", no_priors)
@cold
def blend_priors(sim: Any, lane: int, position: int, player: int, priors: Any) -> None:
    """Take the priors of one more world into those of a position, by action id, with slots for actions that are new in it."""
    head, work = sim.head[0], sim.work[lane]
    count, missing = find_slots(sim, lane, position)
    last, total = whole(0), 0.0
    if missing > 0:
        grow_block(sim, lane, position, player, count, missing)
        last = whole(sim.nodes[position].first + sim.nodes[position].count - missing)
    if head.trouble != 0:
        return
    for i in range(count):
        if work.ids[i] < 0 or work.ids[i] >= ACTIONS:
            head.trouble = BAD_ACTION
            return
        total += priors[work.ids[i]] if len(priors) > 0 else 0.0
    # About so many worlds were asked before.
    weight = 1.0 / (2.0 + ASKED * log_of(1 + whole(sim.nodes[position].visits) // ASKED))
    for i in range(count):
        slot = whole(work.replies[i])
        if slot >= 0:
            told = priors[work.ids[i]] / total if total > 0.0 else 1.0 / count
            sim.priors[slot] = told if missing > 0 and slot >= last else sim.priors[slot] + (told - sim.priors[slot]) * weight
