"""Expansion: the block of slots that a position gets, one per legal action, and which actions decisive moves leave out."""

from __future__ import annotations

from typing import Any

from playout.compile.holes import (
    ACTIONS,
    EMBEDDED,
    MOST_LEGAL,
    PLAYERS,
    SAFE,
    WINS,
    cold,
    legal,
    mover,
    play,
    prior,
    returns,
    safe,
    where,
    whole,
    wins,
)
from playout.engine.embedded import weigh_by_network
from playout.engine.layout import BLOCK, NOW, OFF, OUT, REFUTED, REPLY, TRY
from playout.engine.move_root import copy_slot
from playout.engine.trouble import BAD_ACTION, BAD_PRIOR, NO_LEGAL, TOO_MANY_LEGAL
from playout.game.stream import below


def legal_count(head: Any, state: Any, out: Any) -> int:
    """`legal`, with a count that cannot be right turned into trouble."""
    count: int = legal(state, out)
    if count < 1 or count > MOST_LEGAL:
        head.trouble = NO_LEGAL if count < 1 else TOO_MANY_LEGAL
        return 0
    return count


def expand(sim: Any, lane: int, position: int, player: int) -> int:
    """Expansion: give the position a block of slots, one per action, in an order shuffled by the seed; how many."""
    state, work, use_prior = sim.states[lane][NOW], sim.work[lane], sim.options[0].use_prior != 0
    count, kept = list_actions(sim, lane, position, player)
    if count == 0:
        return 0
    if EMBEDDED and use_prior:
        weigh_by_network(sim, lane, player, count)
        if sim.head[0].trouble != 0:
            return 0
    elif use_prior:
        prior(state, work.ids, count, work.weights)
    shuffle(work, kept, use_prior)
    return write_block(sim, lane, position, player, count, kept, use_prior)


def list_actions(sim: Any, lane: int, position: int, player: int) -> tuple[int, int]:
    """(count, kept): the actions for a block, in `work.ids`; decisive moves rule out those after the first `kept`."""
    options, states, work = sim.options[0], sim.states[lane], sim.work[lane]
    count = legal_count(sim.head[0], states[NOW], work.ids)
    if count == 0 or options.decisive == OFF:
        return count, count
    kept = keep_decisive(options, states, work, whole(options.decisive), player, count)
    # At the root all stay, so that the table of actions is complete.
    return (count if position == 0 else kept), kept


def shuffle(work: Any, count: int, weighed: bool) -> None:
    """Put the actions, with their weights if they have any, into an order drawn from the stream."""
    ids, weights = work.ids, work.weights
    for i in range(count - 1, 0, -1):
        j = below(work.rng, i + 1)
        ids[i], ids[j] = ids[j], ids[i]
        if weighed:
            weights[i], weights[j] = weights[j], weights[i]


def write_block(sim: Any, lane: int, position: int, player: int, count: int, kept: int, weighed: bool) -> int:
    """The block itself, out of `work.ids` and `work.weights`; 0 where there is no room or an id is none."""
    head, nodes, priors, work = sim.head[0], sim.nodes, sim.priors, sim.work[lane]
    ids, first = work.ids, head.used
    if first + count > len(nodes):
        return 0
    for i in range(count):
        if ids[i] < 0 or ids[i] >= ACTIONS:
            head.trouble = BAD_ACTION
            return 0
        node = nodes[first + i]
        node.action = ids[i]
        node.mover = player
        if i >= kept:
            node.tags |= REFUTED
    if weighed:
        store_priors(head, priors, work, first, count)
        if head.trouble != 0:
            return 0
    elif len(priors) > 1:
        for i in range(count):
            priors[first + i] = 1.0 / count
    head.used += count
    work.grown[0] = 1
    nodes[position].first = first
    nodes[position].count = count
    return count


@cold
def store_priors(head: Any, priors: Any, work: Any, first: int, count: int) -> None:
    """The weights as shares of their sum."""
    total = 0.0
    for i in range(count):
        # Not a number is not below anything either.
        if not work.weights[i] <= 1.7e308:
            head.trouble = BAD_PRIOR
        total += max(0.0, work.weights[i])
    for i in range(count):
        priors[first + i] = max(0.0, work.weights[i]) / total if total > 0.0 else 1.0 / count


def nobody_follows(sim: Any, old: int, size: int, first: int) -> None:
    pass


@where("waiting", nobody_follows)
def follow_block(sim: Any, old: int, size: int, first: int) -> None:
    """The paths of those who wait go through the block that was moved, and nobody is on the way to where it was."""
    for slot in range(old, old + size):
        sim.out[slot] = 0
        sim.nodes[slot].tags &= 255 - OUT
    for lane in range(len(sim.work)):
        work = sim.work[lane]
        for i in range(work.length[0]):
            if old <= work.path[i] < old + size:
                work.path[i] += first - old


@cold
def grow_block(sim: Any, lane: int, position: int, player: int, count: int, missing: int) -> None:
    """Move the block of a position to where there is room for the actions that another world did not have."""
    head, nodes, work = sim.head[0], sim.nodes, sim.work[lane]
    ids, slots = work.ids, work.replies
    old, size, first = whole(nodes[position].first), whole(nodes[position].count), whole(head.used)
    if head.full != 0 or first + size + missing > len(nodes):
        return
    for i in range(size):
        copy_slot(sim, sim, old + i, first + i)
    follow_block(sim, old, size, first)
    for i in range(count):
        if slots[i] >= 0:
            slots[i] += first - old
            continue
        if ids[i] < 0 or ids[i] >= ACTIONS:
            head.trouble = BAD_ACTION
            return
        slots[i] = first + size
        nodes[first + size].action = ids[i]
        nodes[first + size].mover = player
        if len(sim.priors) > 1:
            sim.priors[first + size] = 1.0 / count
        size += 1
    head.used += size
    nodes[position].first = first
    nodes[position].count = size


@cold
def wins_at_once(options: Any, states: Any, work: Any, source: int, target: int, action: int, player: int) -> bool:
    """Whether the action ends the game with the best return for the player, whatever chance does."""
    states[target] = states[source]
    spare = work.spare
    before = spare.word
    play(states[target], action, spare)
    if spare.word != before or mover(states[target]) >= 0:
        return False
    returns(states[target], work.result)
    return work.result[player] >= options.high  # type: ignore[no-any-return]


@cold
def first_win(options: Any, states: Any, work: Any, source: int, player: int, victim: int, guess: int) -> int:
    """An action that wins at once for the player to act in states[source], at the expense of the victim (if any); -1 if there is none.

    A game may list them (`wins`); else they are tried one by one, a guess first.
    """
    if WINS and PLAYERS == 2:
        return whole(work.replies[0]) if wins(states[source], work.replies) > 0 else whole(-1)
    count = min(legal(states[source], work.replies), MOST_LEGAL)
    for i in range(count):
        # The answer that refuted the last action usually refutes this one: look for it first.
        if work.replies[i] == guess:
            work.replies[0], work.replies[i] = work.replies[i], work.replies[0]
    for i in range(count):
        if wins_at_once(options, states, work, source, whole(REPLY), whole(work.replies[i]), player) and (
            victim < 0 or work.result[victim] <= options.low
        ):
            return whole(work.replies[i])
    return whole(-1)


@cold
def keep_decisive(options: Any, states: Any, work: Any, level: int, player: int, count: int) -> int:
    """Move the actions worth looking at to the front of `work.ids`; how many they are.

    A win in one stands alone. At BLOCK, actions that let another player win in one are left out, unless all do.
    (Teytaud and Teytaud, "On the huge benefit of decisive moves in Monte-Carlo tree search algorithms", 2010.)
    """
    ids = work.ids
    work.spare.word = work.rng.word
    won = first_win(options, states, work, whole(NOW), player, whole(-1), whole(-1))
    if won >= 0:
        for i in range(count):
            if ids[i] == won:
                ids[0], ids[i] = ids[i], ids[0]
        return 1
    if level < BLOCK:
        return count
    if SAFE:
        return keep_listed(ids, count, work.replies, min(whole(safe(states[NOW], work.replies)), MOST_LEGAL))
    kept, guess = 0, whole(-1)
    for i in range(count):
        states[TRY] = states[NOW]
        before = work.spare.word
        play(states[TRY], ids[i], work.spare)
        if work.spare.word == before:
            reply = answer_that_wins(options, states, work, whole(TRY), player, guess)
            if reply >= 0:
                guess = reply
                continue
        ids[kept], ids[i] = ids[i], ids[kept]
        kept += 1
    return kept if kept > 0 else count


def keep_listed(ids: Any, count: int, listed: Any, many: int) -> int:
    """Move the actions that are listed to the front; how many they are, or all where none is, or `many` is ALL_LEGAL."""
    if many < 0:
        return count
    kept = 0
    for i in range(count):
        if stands_in(listed, many, whole(ids[i])):
            ids[kept], ids[i] = ids[i], ids[kept]
            kept += 1
    return kept if kept > 0 else count


def stands_in(ids: Any, count: int, action: int) -> bool:
    """Whether an action is one of the first `count`."""
    for i in range(count):
        if ids[i] == action:
            return True
    return False


def answer_that_wins(options: Any, states: Any, work: Any, source: int, player: int, guess: int) -> int:
    """What another player wins at once with, at the expense of the player who led to states[source]; -1 if nothing does."""
    answerer = whole(mover(states[source]))
    if answerer < 0 or answerer == player:
        return whole(-1)
    return first_win(options, states, work, source, answerer, player, guess)
