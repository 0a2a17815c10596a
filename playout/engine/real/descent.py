"""Progressive widening over real-valued actions: a simulation takes or adds an action at every stage, to the end of the game.

The slots are those of every tree, but the actions of a position cannot be listed: they are added one at a time (progressive
widening: Coulom 2007; Couëtoux et al. 2011), so they hang in a chain, `siblings`, newest first, and their vectors are in `moves`.
A path always goes to the last stage, so that every tree holds complete trajectories.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

from playout.compile.holes import CHANCY, DIMENSION, PLAYERS, STAGES, as_word, bounds, cold, mover, play, whole
from playout.engine.layout import CHANCE, NOW, POSITION, ROOT
from playout.engine.positions import hash_bytes
from playout.engine.real.chain import add_edge, find_edge
from playout.engine.real.everywhere import look_again, look_everywhere, solved
from playout.engine.real.layout import DECAYED, MAX, MEAN
from playout.engine.real.leaders import best_edge, choose_edge, note_value
from playout.engine.real.replies import settle_last
from playout.engine.real.sampling import prefer_known, propose
from playout.engine.real.slopes import copy_actions, keep_inside, pay
from playout.engine.widen import find_outcome

PATIENCE = 10
"""A new action of an early stage is tried so often in a row before it is compared with others: until those who answer have looked
around, it is worth what they overlook."""

WIDER = 2.5
"""So many times as many actions may a stage have that cannot be moved along slopes, while those that answer it can."""


def descend_real(sim: Any, lane: int) -> None:
    """Walk to the end of the game through known actions and new ones, and leave the payoffs in `work.value`."""
    head, nodes, work, states = sim.head[0], sim.nodes, sim.work[lane], sim.states[lane]
    state, rng, path = states[NOW], work.rng, work.path
    states[NOW] = states[ROOT]
    path[0] = 0
    position, length, above = whole(0), whole(1), whole(-1)
    work.newest[0] = STAGES
    work.guide[0] = -1
    work.waits[0] = 0
    while True:
        player = whole(mover(state))
        if player < 0:
            break
        stage = whole(state.stage)
        edge = next_edge(sim, lane, position, above, stage, player)
        if edge < 0 or head.trouble != 0:
            break
        if sim.options[0].moved == DECAYED:
            keep_inside(sim.moves, work, state.actions, stage, edge)
        before = rng.word
        work.trail[stage] = edge
        play(state, sim.moves[edge], rng)
        above = position
        position = edge
        path[length] = edge
        length += 1
        if rng.word != before:
            nodes[edge].tags |= CHANCE
            position = find_outcome(sim, edge, edge, as_word(1), hash_bytes(sim.raw[lane][NOW]), whole(mover(state)))
            if position != edge:
                path[length] = position
                length += 1
    work.length[0] = length
    if head.trouble == 0:
        value_end(head, nodes, work, state, player < 0)
    if head.deepest < STAGES:
        head.deepest = STAGES


def value_end(head: Any, nodes: Any, work: Any, state: Any, complete: bool) -> None:
    """The payoffs of the line; where there was no room for another action, what the last one was worth so far counts again."""
    if complete:
        # Payoffs that are called as they are must always get a real array: uncompiled, a field of the state is a view.
        copy_actions(state.actions, work.point[:])
        pay(head, work, work.point[:])
        return
    slot = work.path[work.length[0] - 1]
    for i in range(PLAYERS):
        work.value[i] = nodes[slot].score[i] / max(1, nodes[slot].visits)


def next_edge(sim: Any, lane: int, position: int, above: int, stage: int, player: int) -> int:
    """A new action where the position may have one more, else the one to try again; -1 where there is no room."""
    head, nodes, options = sim.head[0], sim.nodes, sim.options[0]
    count = whole(nodes[position].count)
    # Actions that were moved here do not count: they crowd where it is good already, and others must still be tried.
    drawn = count - whole(sim.moved[position])
    if options.alone != 0 and count > 0:
        return best_edge(sim, position, player)
    if count > 0 and solved(options):
        patience = PATIENCE if position == 0 else min(PATIENCE, 1 + nodes[position].visits // 16)
        if stage == STAGES - 3 and nodes[nodes[position].first].visits < patience:
            return whole(nodes[position].first)
        if stage == STAGES - 2:
            leader = best_edge(sim, position, player)
            if leader >= 0 and nodes[leader].visits < looks_needed(DIMENSION):
                return leader
    # Without chance the result of a last action is known once and for all, so it is never tried again.
    if (
        count == 0
        or (stage == STAGES - 1 and not CHANCY)
        or drawn < width_at(options, sim.work[lane], stage, nodes[position].visits)
    ):
        if head.used + 1 <= len(nodes):
            return new_edge(sim, lane, position, above, stage, player, drawn)
        if count == 0:
            return -1
    if stage == STAGES - 1 and not CHANCY:
        return best_edge(sim, position, player)
    return choose_edge(sim, position, player)


def new_edge(sim: Any, lane: int, position: int, above: int, stage: int, player: int, drawn: int) -> int:
    """One action more; or the one that is there already, where a last action is solved and the solution is known."""
    head, nodes, work, states = sim.head[0], sim.nodes, sim.work[lane], sim.states[lane]
    propose(sim, lane, position, above, stage, player, drawn)
    if sim.options[0].solve_last != 0 and stage == STAGES - 1:
        if nodes[position].count == 0:
            copy_actions(states[NOW].actions, work.point[:])
            for i in range(DIMENSION):
                work.point[stage, i] = work.fresh[i]
            prefer_known(sim, lane, position, above, stage, player)
            if solved(sim.options[0]):
                look_everywhere(head, sim.options[0], work, work.point[:])
            for i in range(DIMENSION):
                work.fresh[i] = work.point[stage, i]
        elif solved(sim.options[0]):
            best = best_edge(sim, position, player)
            if best >= 0 and not look_again(
                head, sim.options[0], work, states[NOW], nodes[best].score[player] / nodes[best].visits
            ):
                return best
        if not solved(sim.options[0]):
            settle_last(head, sim.options[0], states, work)
        bounds(stage, states[NOW].actions, work.low, work.high)
        known = find_edge(sim, work, position, work.fresh[:])
        if known >= 0:
            return known
    work.newest[0] = min(work.newest[0], stage)
    return add_edge(sim, position, player, work.fresh[:])


def looks_needed(dimension: int) -> int:
    """An action just before the last is the best only after so many looks at its answers; then others are tried."""
    return 2 if dimension == 1 else 8 * dimension


def width_at(options: Any, work: Any, stage: int, visits: int) -> int:
    """How many actions a position of a stage may have: where last actions are solved, those before them have exact values too, and
    most visits may try another."""
    if solved(options) and stage == STAGES - 2:
        return visits + 1
    if DIMENSION > 1 and work.prices[stage] == inf:
        # Those who answer are moved to where they are best, so the value of an action means something early.
        return whole(WIDER * width_of(options, visits))
    # Far from the end a young value means least of all, so there are fewer of them.
    return max(1, width_of(options, visits) // 2) if solved(options) and stage < STAGES - 3 else width_of(options, visits)


def width_of(options: Any, visits: int) -> int:
    """How many actions a position may have after so many visits: w·N^alpha, at least one."""
    many = sqrt(visits + 0.0) if options.action_power == 0.5 else (visits + 0.0) ** options.action_power
    return max(1, whole(options.action_width * many))


def back_up_real(sim: Any, lane: int) -> None:
    """Backup of a line: one more visit for every slot on the path, and the value of each by the rule of `backup`."""
    head, nodes, options, work = sim.head[0], sim.nodes, sim.options[0], sim.work[lane]
    length = work.length[0]
    for p in range(PLAYERS):
        head.low[p] = min(head.low[p], work.value[p])
        head.high[p] = max(head.high[p], work.value[p])
    for i in range(length - 1, -1, -1):
        slot = whole(work.path[i])
        node = nodes[slot]
        node.visits += 1
        for p in range(PLAYERS):
            work.total[p] = node.score[p]
        if node.tags & CHANCE != 0 and options.backup != MEAN:
            # The mean over the outcomes of their own values: the outcome below says by how much its total changed.
            for p in range(PLAYERS):
                node.score[p] += work.mean[p] if i < length - 1 else work.value[p]
        elif options.backup == MEAN or node.count == 0:
            for p in range(PLAYERS):
                node.score[p] += work.value[p]
        else:
            value_from_actions(sim, slot)
        for p in range(PLAYERS):
            work.mean[p] = node.score[p] - work.total[p]
        if i > 0 and node.tags & POSITION == 0:
            note_value(sim, whole(work.path[i - 1]), slot, whole(node.visits - 1), work.total[node.mover])


def value_from_actions(sim: Any, position: int) -> None:
    """The value of a position from those of its actions: of the best, or their power mean; kept as a sum over its visits."""
    nodes = sim.nodes
    node = nodes[position]
    player = whole(nodes[node.first].mover)
    if sim.options[0].backup == MAX:
        best = best_edge(sim, position, player)
        if best >= 0:
            for p in range(PLAYERS):
                node.score[p] = nodes[best].score[p] / nodes[best].visits * node.visits
        return
    power_mean(sim.head[0], nodes, sim.siblings, sim.options[0].exponent, position, player)


@cold
def power_mean(head: Any, nodes: Any, siblings: Any, exponent: float, position: int, player: int) -> None:
    """(mean of v^p)^(1/p) of the mover's values, on the running range; the others' values weigh as much as in the mover's."""
    node = nodes[position]
    low, span = head.low[player], head.high[player] - head.low[player]
    total, visits = 0.0, 0
    for p in range(PLAYERS):
        node.score[p] = 0.0
    slot = whole(node.first)
    for _ in range(node.count):
        edge = nodes[slot]
        if edge.visits > 0:
            own = max(0.0, (edge.score[player] / edge.visits - low) / span) if span > 0.0 else 0.0
            weight = edge.visits * (own**exponent + 1e-300)
            total += weight
            visits += edge.visits
            for p in range(PLAYERS):
                node.score[p] += weight * edge.score[p] / edge.visits
        slot = whole(siblings[slot])
    for p in range(PLAYERS):
        node.score[p] *= node.visits / total if total > 0.0 else 0.0
    if visits > 0 and span > 0.0:
        node.score[player] = (low + span * (total / visits) ** (1.0 / exponent)) * node.visits
