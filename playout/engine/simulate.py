"""One simulation: descend, grow, play out, back up. With `grow`, `rollout`, `worlds` and `select` the only text of the search,
for every game and every option.

Compiled, a game's functions stand in the holes and `state` is a record; uncompiled, the same lines run on views.
Values are stored per player. `node.mover` is the player who chooses that edge, that is, the mover of its parent.
"""

from __future__ import annotations

from typing import Any

from playout.compile.holes import (
    CONTINUOUS,
    HIDDEN,
    MOST_LEGAL,
    PLAYERS,
    also_continuous,
    as_word,
    cold,
    determinize,
    key,
    mover,
    play,
    returns,
    whole,
)
from playout.engine.expand import expand
from playout.engine.layout import (
    ANYWHERE,
    BAD_MOVER,
    BEFORE,
    CHANCE,
    LINK,
    MERGED,
    NOT_A_NUMBER,
    NOW,
    POSITION,
    PROVEN,
    REFUTED,
    ROOT,
)
from playout.engine.leaf import value_leaf
from playout.engine.learned import value_learned
from playout.engine.positions import find_position, hash_bytes
from playout.engine.real.descent import back_up_stages, descend_stages
from playout.engine.real.refine import refine
from playout.engine.select import choose
from playout.engine.worlds import branch, choose_in_world, enter
from playout.game.stream import step_word


def run_simulations(
    head: Any,
    nodes: Any,
    values: Any,
    priors: Any,
    available: Any,
    moves: Any,
    siblings: Any,
    leads: Any,
    table: Any,
    options: Any,
    states: Any,
    raw: Any,
    work: Any,
    learned: Any,
    count: int,
) -> int:
    """`simulate` for Python to call, with records in arrays of one: records themselves take microseconds to hand over."""
    return simulate(
        head[0], nodes, values, priors, available, moves, siblings, leads, table, options[0], states, raw, work[0], learned, count
    )


def simulate(
    head: Any,
    nodes: Any,
    values: Any,
    priors: Any,
    available: Any,
    moves: Any,
    siblings: Any,
    leads: Any,
    table: Any,
    options: Any,
    states: Any,
    raw: Any,
    work: Any,
    learned: Any,
    count: int,
) -> int:
    """Run up to `count` simulations; fewer when space runs out, the root is proven, or the game misbehaves."""
    for done in range(count):
        if head.full == 0 and (head.used + MOST_LEGAL + 2 > len(nodes) or 2 * head.positions + 2 > len(table)):
            return done
        work.rng.word = step_word(head.stream, whole(head.simulations))
        length = descend(
            head, nodes, values, priors, available, moves, siblings, leads, table, options, states, raw, work, learned
        )
        if head.trouble != 0:
            return done
        if options.discount == 1.0:
            back_up(head, nodes, values, siblings, leads, options, work, length)
        else:
            back_up_discounted(head, nodes, options, work, length)
        if CONTINUOUS and options.refine > 0.0:
            refine(head, nodes, values, available, moves, siblings, leads, options, states, work, length)
            if head.trouble != 0:
                return done
        head.simulations += 1
        if nodes[work.path[length - 1]].tags & PROVEN != 0:
            prove(nodes, values, options, work, length)
            if nodes[0].tags & PROVEN != 0:
                return done + 1
    return count


@also_continuous(descend_stages)
def descend(
    head: Any,
    nodes: Any,
    values: Any,
    priors: Any,
    available: Any,
    moves: Any,
    siblings: Any,
    leads: Any,
    table: Any,
    options: Any,
    states: Any,
    raw: Any,
    work: Any,
    learned: Any,
) -> int:
    """Walk down the tree, grow it by one leaf, and leave the leaf's value in `work.value`; the length of the path."""
    rng, path = work.rng, work.path
    states[NOW] = states[ROOT]
    state = states[NOW]
    path[0] = 0
    work.instead[0] = 0
    # `whole` keeps the compiler from making a second copy of every function below for the constant 0.
    position, length, depth, fresh, leaf = whole(0), whole(1), whole(0), False, False
    work.grown[0] = 0
    closed = False
    if HIDDEN and options.worlds != 0:
        determinize(state, whole(options.observer), rng)
        closed = options.open_loop == 0
        if closed:
            enter(head, nodes, table, options, states, raw, work)
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
        if HIDDEN and options.worlds != 0:
            if options.redraw != 0 and player != options.observer:
                determinize(state, player, rng)
            if closed:
                position = whole(work.at[player if options.many != 0 else 0])
                if position == path[length - 1]:
                    # The root; or an edge below which there was no room for what was seen, and so a leaf.
                    fresh = fresh or position != 0
                else:
                    path[length] = position
                    work.instead[length] = 0
                    length += 1
                    fresh = fresh or nodes[position].visits == 0
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
        if (
            HIDDEN
            and options.worlds != 0
            and (
                not closed
                or nodes[position].tags & MERGED != 0
                or (options.drawn != 0 and options.many == 0 and player != options.observer)
            )
        ):
            # Which actions there are depends on the world.
            edge, known = choose_in_world(head, nodes, priors, available, options, states, work, position, player), whole(0)
            if edge < 0:
                leaf = True
                break
        else:
            edge, known = choose(head, nodes, values, priors, options, position, player)
        work.instead[length - 1] = known
        if options.learned != 0:
            states[BEFORE] = states[NOW]
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
        if HIDDEN and options.worlds != 0:
            nodes[edge].tags |= CHANCE
            if closed:
                branch(head, nodes, available, table, options, states, raw, work, edge, player)
            continue
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
    if (
        leaf
        and head.trouble == 0
        and (options.learned == 0 or not value_learned(head, nodes, options, states, work, learned, length))
    ):
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


@also_continuous(back_up_stages)
def back_up(head: Any, nodes: Any, values: Any, siblings: Any, leads: Any, options: Any, work: Any, length: int) -> None:
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


def undiscounted(head: Any, nodes: Any, options: Any, work: Any, length: int) -> None:
    """Continuous games pay at their end only, and the settings refuse a discount."""


@also_continuous(undiscounted)
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
