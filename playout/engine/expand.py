"""Growing the tree: the block of slots that a position gets, one per legal action, and which actions are left out."""

from __future__ import annotations

from typing import Any

from playout.compile.holes import ACTIONS, MOST_LEGAL, cold, legal, mover, play, prior, returns, whole
from playout.engine.layout import BAD_ACTION, BLOCK, NO_LEGAL, NOW, OFF, REFUTED, REPLY, TOO_MANY_LEGAL, TRY, WIN
from playout.game.stream import below


def legal_count(head: Any, state: Any, out: Any) -> int:
    """`legal`, with a count that cannot be right turned into trouble."""
    count: int = legal(state, out)
    if count < 1 or count > MOST_LEGAL:
        head.trouble = NO_LEGAL if count < 1 else TOO_MANY_LEGAL
        return 0
    return count


def expand(head: Any, nodes: Any, priors: Any, options: Any, states: Any, work: Any, position: int, player: int) -> int:
    """Give the position a block of slots, one per action, in an order shuffled by the seed."""
    state, ids = states[NOW], work.ids
    count = legal_count(head, state, ids)
    if count == 0:
        return 0
    kept = count
    if options.decisive != OFF:
        kept = keep_decisive(options, states, work, options.decisive, player, count)
        if position != 0:
            count = kept
    if options.use_prior != 0:
        prior(state, ids, count, work.weights)
    for i in range(kept - 1, 0, -1):
        j = below(work.rng, i + 1)
        ids[i], ids[j] = ids[j], ids[i]
        if options.use_prior != 0:
            work.weights[i], work.weights[j] = work.weights[j], work.weights[i]
    first = head.used
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
    if options.use_prior != 0:
        store_priors(priors, work, first, count)
    elif len(priors) > 1:
        for i in range(count):
            priors[first + i] = 1.0 / count
    head.used += count
    work.grown[0] = 1
    nodes[position].first = first
    nodes[position].count = count
    return count


@cold
def store_priors(priors: Any, work: Any, first: int, count: int) -> None:
    total = 0.0
    for i in range(count):
        total += max(0.0, work.weights[i])
    for i in range(count):
        priors[first + i] = max(0.0, work.weights[i]) / total if total > 0.0 else 1.0 / count


@cold
def grow_block(
    head: Any, nodes: Any, priors: Any, available: Any, work: Any, position: int, player: int, count: int, missing: int
) -> None:
    """Move the block of a position to where there is room for the actions that another world did not have."""
    ids, slots = work.ids, work.replies
    old, size, first = whole(nodes[position].first), whole(nodes[position].count), whole(head.used)
    if head.full != 0 or first + size + missing > len(nodes):
        return
    for i in range(size):
        nodes[first + i] = nodes[old + i]
        available[first + i] = available[old + i]
        if len(priors) > 1:
            priors[first + i] = priors[old + i]
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
        if len(priors) > 1:
            priors[first + size] = 1.0 / count
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
def refuting_reply(options: Any, states: Any, work: Any, player: int, guess: int) -> int:
    """After the action that led to states[TRY]: an answer that wins at once for another player, or -1."""
    answerer = mover(states[TRY])
    if answerer < 0 or answerer == player:
        return -1
    count = min(legal(states[TRY], work.replies), MOST_LEGAL)
    for i in range(-1, count):
        # The answer that refuted the last action usually refutes this one: look for it first.
        reply = guess if i < 0 else work.replies[i]
        if i < 0:
            found = False
            for j in range(count):
                if work.replies[j] == guess:
                    found = True
            if not found:
                continue
        if wins_at_once(options, states, work, whole(TRY), whole(REPLY), reply, answerer) and work.result[player] <= options.low:
            return reply
    return -1


@cold
def keep_decisive(options: Any, states: Any, work: Any, level: int, player: int, count: int) -> int:
    """Move the actions worth looking at to the front of `work.ids`; how many they are.

    A win in one stands alone. At BLOCK, actions that let another player win in one are left out, unless all do.
    (Teytaud and Teytaud, "On the huge benefit of decisive moves in Monte-Carlo tree search algorithms", 2010.)
    """
    ids = work.ids
    work.spare.word = work.rng.word
    if level >= WIN:
        for i in range(count):
            if wins_at_once(options, states, work, whole(NOW), whole(TRY), ids[i], player):
                ids[0], ids[i] = ids[i], ids[0]
                return 1
    if level < BLOCK:
        return count
    kept, guess = 0, whole(-1)
    for i in range(count):
        states[TRY] = states[NOW]
        before = work.spare.word
        play(states[TRY], ids[i], work.spare)
        if work.spare.word == before:
            reply = refuting_reply(options, states, work, player, guess)
            if reply >= 0:
                guess = reply
                continue
        ids[kept], ids[i] = ids[i], ids[kept]
        kept += 1
    return kept if kept > 0 else count
