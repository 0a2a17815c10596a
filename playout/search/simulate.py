"""One simulation: descend, grow, play out, back up. The only text of the search, for every game and every option.

Compiled, a game's functions stand in the hooks and `state` is a record; uncompiled, the same lines run on views.
Values are stored per player. `node.mover` is the player who chooses that edge, that is, the mover of its parent.
"""

from __future__ import annotations

from typing import Any

from playout.hooks import (
    ACTIONS,
    MOST_LEGAL,
    PLAYERS,
    as_word,
    cold,
    evaluate,
    key,
    legal,
    mover,
    play,
    playout_action,
    prior,
    returns,
    whole,
)
from playout.search.layout import (
    ANYWHERE,
    BAD_ACTION,
    BAD_MOVER,
    BLOCK,
    CHANCE,
    ENDLESS,
    LEAF,
    LINK,
    LONGEST_PLAYOUT,
    NO_LEGAL,
    NOT_A_NUMBER,
    NOW,
    OFF,
    POSITION,
    PROVEN,
    REFUTED,
    REPLY,
    ROOT,
    TOO_MANY_LEGAL,
    TRY,
    WIN,
)
from playout.search.positions import find_position, hash_bytes
from playout.search.select import choose
from playout.stream import below, step_word


def simulate(
    head: Any, nodes: Any, values: Any, priors: Any, table: Any, options: Any, states: Any, raw: Any, work: Any, count: int
) -> int:
    """Run up to `count` simulations; fewer when space runs out, the root is proven, or the game misbehaves."""
    for done in range(count):
        if head.full == 0 and (head.used + MOST_LEGAL + 2 > len(nodes) or 2 * head.positions + 2 > len(table)):
            return done
        work.rng.word = step_word(head.stream, whole(head.simulations))
        length = descend(head, nodes, values, priors, table, options, states, raw, work)
        if head.trouble != 0:
            return done
        if options.discount == 1.0:
            back_up(head, nodes, values, work, length)
        else:
            back_up_discounted(head, nodes, options, work, length)
        head.simulations += 1
        if nodes[work.path[length - 1]].tags & PROVEN != 0:
            prove(nodes, values, options, work, length)
            if nodes[0].tags & PROVEN != 0:
                return done + 1
    return count


def descend(head: Any, nodes: Any, values: Any, priors: Any, table: Any, options: Any, states: Any, raw: Any, work: Any) -> int:
    """Walk down the tree, grow it by one leaf, and leave the leaf's value in `work.value`; the length of the path."""
    rng, path = work.rng, work.path
    states[NOW] = states[ROOT]
    state = states[NOW]
    path[0] = 0
    work.instead[0] = 0
    # `whole` keeps the compiler from making a second copy of every function below for the constant 0.
    position, length, depth, fresh, leaf = whole(0), whole(1), whole(0), False, False
    work.grown[0] = 0
    if options.discount != 1.0:
        note_total(state, work, whole(0))
    while True:
        player = mover(state)
        if player < 0:
            returns(state, work.value)
            settle_leaf(nodes, values, options, work, path[length - 1])
            break
        if player >= PLAYERS:
            head.trouble = BAD_MOVER
            break
        if nodes[position].tags & PROVEN != 0 and position != 0:
            for i in range(PLAYERS):
                work.value[i] = values[position, i]
            break
        # A shared position may have been expanded nearer to the root, so the room on the path is asked for here.
        if (
            fresh
            or length + 3 >= len(path)
            or (
                nodes[position].count == 0
                and not (
                    may_expand(head, options, work, position, depth)
                    and expand(head, nodes, priors, options, states, work, position, player) > 0
                )
            )
        ):
            leaf = True
            break
        edge, known = choose(head, nodes, values, priors, options, position, player)
        work.instead[length - 1] = known
        before = rng.word
        play(state, whole(nodes[edge].action), rng)
        depth += 1
        path[length] = edge
        work.instead[length] = 0
        length += 1
        if options.discount != 1.0:
            note_total(state, work, depth)
        fresh = nodes[edge].visits == 0
        position = edge
        if rng.word != before:
            nodes[edge].tags |= CHANCE
            position = find_position(head, nodes, table, edge, hash_bytes(raw[NOW]), edge)
        elif options.transpositions != 0:
            if nodes[edge].tags & LINK == 0 and nodes[edge].count == 0:
                found = find_position(head, nodes, table, whole(ANYWHERE), as_word(key(state)), edge)
                if found != edge:
                    nodes[edge].first = found
                    nodes[edge].tags |= LINK
            position = whole(nodes[edge].first) if nodes[edge].tags & LINK != 0 else edge
        if position != edge:
            path[length] = position
            work.instead[length] = 0
            length += 1
            fresh = nodes[position].visits == 0
        elif nodes[edge].tags & CHANCE != 0:
            # No room for the outcome: what is below depends on it, so the edge can only be a leaf.
            fresh = True
    if leaf and head.trouble == 0:
        value_leaf(head, options, states, work)
    if depth > head.deepest:
        head.deepest = depth
    for i in range(PLAYERS):
        if not abs(work.value[i]) <= 1.7e308 and head.trouble == 0:
            head.trouble = NOT_A_NUMBER
    if options.discount != 1.0:
        # From the total at the leaf to what was still to come there; `back_up` adds the way down again.
        for i in range(PLAYERS):
            work.value[i] -= work.totals[depth, i]
    return length


@cold
def note_total(state: Any, work: Any, depth: int) -> None:
    returns(state, work.total)
    for i in range(PLAYERS):
        work.totals[depth, i] = work.total[i]


def may_expand(head: Any, options: Any, work: Any, position: int, depth: int) -> bool:
    # A shared position may be reached unexpanded by a fresh edge, so growth is counted: one block a simulation.
    if (head.full != 0 and position != 0) or work.grown[0] != 0:
        return False
    return depth < options.depth  # type: ignore[no-any-return]


def settle_leaf(nodes: Any, values: Any, options: Any, work: Any, slot: int) -> None:
    """The game is over here, so the result is known; not for an edge whose outcome was drawn."""
    if options.solver != 0 and nodes[slot].tags & CHANCE == 0:
        nodes[slot].tags |= PROVEN
        for i in range(PLAYERS):
            values[slot, i] = work.value[i]


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


def value_leaf(head: Any, options: Any, states: Any, work: Any) -> None:
    """Value the state by playouts: one, or the mean of several."""
    playouts = options.playouts
    if playouts > 1:
        states[LEAF] = states[NOW]
        for i in range(PLAYERS):
            work.mean[i] = 0.0
    for k in range(playouts):
        if k > 0:
            states[NOW] = states[LEAF]
        playout(head, options, states, work)
        if playouts > 1:
            for i in range(PLAYERS):
                work.mean[i] += work.value[i] / playouts
    if playouts > 1:
        for i in range(PLAYERS):
            work.value[i] = work.mean[i]


def playout(head: Any, options: Any, states: Any, work: Any) -> None:
    """Play states[NOW] to its end, or to the cut-off, and put what it is worth into `work.value`."""
    state, rng, ids = states[NOW], work.rng, work.ids
    discounted, own, decisive = options.discount != 1.0, options.own_playout != 0, options.decisive_playouts
    steps, longest = 0, min(options.cutoff, LONGEST_PLAYOUT)
    if discounted:
        begin_discounted(work, state)
    player = mover(state)
    while player >= 0 and steps < longest:
        count = legal_count(head, state, ids)
        if count == 0:
            return
        if decisive != OFF:
            count = keep_decisive(options, states, work, decisive, player, count)
        action = whole(playout_action(state, ids, count, rng)) if own else ids[below(rng, count)]
        if action < 0 or action >= ACTIONS:
            head.trouble = BAD_ACTION
            return
        play(state, action, rng)
        steps += 1
        if discounted:
            add_discounted(work, state, options.discount)
        player = mover(state)
    head.steps += steps
    if player >= 0 and options.cutoff > LONGEST_PLAYOUT:
        head.trouble = ENDLESS
    if player >= 0 and options.use_evaluate != 0:
        evaluate(state, work.value)
    else:
        returns(state, work.value)
    if discounted:
        end_discounted(work)


# A discounted playout keeps the value so far, the total before the last action, and the weight of the next reward.


@cold
def begin_discounted(work: Any, state: Any) -> None:
    returns(state, work.total)
    for i in range(PLAYERS):
        work.so_far[i] = work.total[i]
    work.weight[0] = 1.0


@cold
def add_discounted(work: Any, state: Any, discount: float) -> None:
    returns(state, work.value)
    for i in range(PLAYERS):
        work.so_far[i] += work.weight[0] * (work.value[i] - work.total[i])
        work.total[i] = work.value[i]
    work.weight[0] *= discount


@cold
def end_discounted(work: Any) -> None:
    """Replace the final total by the discounted one; a cut-off's evaluation counts as one last reward."""
    for i in range(PLAYERS):
        work.value[i] = work.so_far[i] + work.weight[0] * (work.value[i] - work.total[i])


def back_up(head: Any, nodes: Any, values: Any, work: Any, length: int) -> None:
    """Add the value to every slot on the path, leaf first, and widen the running range.

    Where a better result was known and the simulation went elsewhere only to prove more, the known result counts.
    """
    widen(head, work.value)
    for i in range(length - 1, -1, -1):
        known = work.instead[i]
        if known != 0:
            for p in range(PLAYERS):
                work.value[p] = values[known, p]
        add_value(nodes[work.path[i]], work.value)


def add_value(node: Any, value: Any) -> None:
    node.visits += 1
    own = value[node.mover]
    node.squares += own * own
    for i in range(PLAYERS):
        node.score[i] += value[i]


def widen(head: Any, value: Any) -> None:
    for i in range(PLAYERS):
        head.low[i] = min(head.low[i], value[i])
        head.high[i] = max(head.high[i], value[i])


@cold
def back_up_discounted(head: Any, nodes: Any, options: Any, work: Any, length: int) -> None:
    """Each slot gets the total at its parent plus the discounted rest, so that discount 1 gives plain returns."""
    path, totals = work.path, work.totals
    depth = 0
    for i in range(1, length):
        if nodes[path[i]].tags & POSITION == 0:
            depth += 1
    for i in range(length - 1, -1, -1):
        slot = path[i]
        if nodes[slot].tags & POSITION == 0 and i > 0:
            for p in range(PLAYERS):
                work.value[p] = totals[depth, p] - totals[depth - 1, p] + options.discount * work.value[p]
            depth -= 1
        for p in range(PLAYERS):
            work.total[p] = totals[depth, p] + work.value[p]
        add_value(nodes[slot], work.total)
        widen(head, work.total)


@cold
def prove(nodes: Any, values: Any, options: Any, work: Any, length: int) -> None:
    """The end of the path is proven: carry the proof up as far as it reaches. Chance is never proven from samples."""
    path = work.path
    for i in range(length - 1, 0, -1):
        child, above = path[i], path[i - 1]
        source = child
        if nodes[child].tags & POSITION != 0:
            if nodes[above].tags & CHANCE != 0:
                return
        else:
            source = proving_edge(nodes, values, options, above, child)
            if source < 0:
                return
        nodes[above].tags |= PROVEN
        for p in range(PLAYERS):
            values[above, p] = values[source, p]


def proving_edge(nodes: Any, values: Any, options: Any, position: int, edge: int) -> int:
    """The edge whose result is the position's: a certain best, or the best of all when all are proven; else -1.

    Among equals the lowest action id counts, so that the proof does not depend on the seed.
    """
    player = nodes[edge].mover
    # Two best actions of the mover may differ for the others; only where nobody else can lose more is one enough.
    certain = options.has_range != 0 and values[edge, player] >= options.high
    if certain and (PLAYERS == 1 or (PLAYERS == 2 and values[edge, 1 - player] <= options.low)):
        return edge
    best, first = -1, whole(nodes[position].first)
    for slot in range(first, first + nodes[position].count):
        if nodes[slot].tags & PROVEN == 0:
            if nodes[slot].tags & REFUTED != 0:
                continue
            return -1
        better = best < 0 or values[slot, player] > values[best, player]
        if better or (values[slot, player] == values[best, player] and nodes[slot].action < nodes[best].action):
            best = slot
    return best
