"""Refinement of real-valued actions: gradient steps along total or own derivatives, or local minimax over a few points nearby.

What is moved is the best line through the action that this simulation tried first. The moved line is hung into the tree as
actions of its own, or takes the place of the old one, whose subtree is then dropped or counts less (`moved`).
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

from playout.compile.holes import ACTION_SET, DIMENSION, MOVERS, PLAYERS, STAGES, bounds, cold, where, whole
from playout.engine.layout import CHANCE, NOW, ROOT, SETTLED
from playout.engine.real.chain import SAME, add_edge, find_edge
from playout.engine.real.descent import PATIENCE, back_up_real
from playout.engine.real.everywhere import look_everywhere, solved
from playout.engine.real.layout import ADDED, BOX, BY_LOCAL, BY_OWN_SLOPES, BY_TOTAL, DECAYED
from playout.engine.real.leaders import best_edge, forget_leaders
from playout.engine.real.replies import improve_last, top_slopes
from playout.engine.real.sampling import gauss, prefer_known
from playout.engine.real.slopes import copy_actions, keep_inside, pay, project, push_inside, slopes_of
from playout.engine.trouble import NOT_A_NUMBER
from playout.game.stream import uniform

LEAST_SHARE = 0.25


def no_refine(sim: Any, lane: int) -> None:
    pass


@where("real", no_refine)
@cold
def refine(sim: Any, lane: int) -> None:
    """As often as the settings say and the evaluations allow, move actions and put the moved line into the tree.

    What is new on the path is settled from its end upwards, so that a new action is judged with answers that are good near it;
    then the best line through one of the older actions of the path is moved as a whole. Every stage has an account of its own.
    """
    head, options, work, states = sim.head[0], sim.options[0], sim.work[lane], sim.states[lane]
    root = whole(states[ROOT].stage)
    last = whole(STAGES - 1) if options.solve_last != 0 and STAGES - root > 1 else whole(STAGES)
    earn(head, options, work, root, last)
    head.owed += options.refine
    while head.owed >= 1.0 or (head.owed > 0.0 and uniform(work.rng) < head.owed):
        head.owed = max(0.0, head.owed - 1.0)
        if head.full != 0:
            return
        newest = whole(work.newest[0])
        if newest < last and options.alone == 0:
            settle_new(sim, lane, root, newest, last)
        older, first = min(newest, last), movable_from(work, root, last)
        if older > first and head.trouble == 0:
            stage = first + whole(uniform(work.rng) * (older - first)) if options.alone == 0 else first
            move_line(sim, lane, root, stage, last)
        if head.trouble != 0:
            # Where it happened, for the sentence about it.
            copy_actions(work.point[:], states[NOW].actions)
            return
    head.spent = head.evaluations


def earn(head: Any, options: Any, work: Any, root: int, last: int) -> None:
    """The evaluations that this simulation left over go to the accounts of the stages."""
    # Half as much for the first stage: its steps need answers that are right.
    # However much the last stage took, a part is for moving: what was found everywhere is refined as well.
    left = max(
        LEAST_SHARE * options.evaluations if solved(options) else 0.0, options.evaluations - (head.evaluations - head.spent)
    )
    first = movable_from(work, root, last)
    share = max(0.0, left) / (last - first - (0.5 if first == root else 0.0))
    for stage in range(first, last):
        part = share if stage > root or last - root == 1 else 0.5 * share
        head.credit[stage] = min(head.credit[stage] + part, 8.0 * (part + work.prices[stage]))


def movable_from(work: Any, root: int, last: int) -> int:
    """The first stage that can be moved at all: before it, one look at the slopes would be too dear."""
    first = root
    while first < last - 1 and work.prices[first] == inf:
        first += 1
    return first


def settle_new(sim: Any, lane: int, root: int, newest: int, last: int) -> None:
    """Move what is new on the path, from its end upwards."""
    head, options, work = sim.head[0], sim.options[0], sim.work[lane]
    copy_actions(sim.states[lane][NOW].actions, work.point[:])
    work.spots[root] = work.trail[root]
    changed = False
    for stage in range(last - 1, newest - 1, -1):
        if young(sim, work, stage):
            break
        changed = move_from(head, options, work, stage) or changed
    if changed:
        keep(sim, lane, root)


def young(sim: Any, work: Any, stage: int) -> bool:
    """Whether the action of the path must first be tried more often, as `next_edge` sees to: until then it is not moved either."""
    return solved(sim.options[0]) and stage == STAGES - 3 and sim.nodes[work.trail[stage]].visits < PATIENCE  # type: ignore[no-any-return]


def move_line(sim: Any, lane: int, root: int, stage: int, last: int) -> None:
    """Move the best line through an older action of the path, if its account allows."""
    head, nodes, options, work = sim.head[0], sim.nodes, sim.options[0], sim.work[lane]
    if (
        young(sim, work, stage)
        or nodes[work.trail[stage]].tags & SETTLED != 0
        or head.credit[stage] < work.prices[stage]
        or not line_below(sim, lane, root, stage)
    ):
        return
    copy_actions(work.line[:], work.point[:])
    for after in range(stage, last if options.moving != BY_OWN_SLOPES else stage + 1):
        move_from(head, options, work, after)
    if options.moving == BY_TOTAL:
        shorten(sim, lane, root, stage)
        # With decayed subtrees the actions before this one may still move, and then it is a maximum no more.
        if stage > root and options.moved != DECAYED and same_place(work, stage):
            nodes[work.trail[stage]].tags |= SETTLED
    keep(sim, lane, root)


def move_from(head: Any, options: Any, work: Any, stage: int) -> bool:
    """Move the actions of `work.point` from a stage on, if its account allows."""
    if head.credit[stage] < work.prices[stage]:
        return False
    before = head.evaluations
    work.root[0] = stage
    if options.moving == BY_TOTAL:
        along_totals(head, options, work, work.point[:])
    elif options.moving == BY_LOCAL:
        to_best_nearby(head, options, work, work.point[:])
    else:
        along_own(head, options, work, work.point[:])
    head.credit[stage] -= head.evaluations - before
    return True


def shorten(sim: Any, lane: int, root: int, stage: int) -> None:
    """Where the step leads to an action that is known and worse, go only a part of the way.

    Slopes know nothing of a place where an answer jumps: the step leads beyond it, and would always lead to the same.
    """
    nodes, options, work = sim.nodes, sim.options[0], sim.work[lane]
    position = whole(work.trail[stage - 1]) if stage > root else whole(0)
    bounds(stage, work.point[:], work.low, work.high)
    known, edge = find_edge(sim, work, position, work.point[stage]), whole(work.trail[stage])
    player = whole(MOVERS[stage])
    if known < 0 or known == edge or not value_of(nodes, known, player) < value_of(nodes, edge, player):
        return
    part = uniform(work.rng)
    for k in range(stage, STAGES):
        for i in range(DIMENSION):
            work.point[k, i] = work.line[k, i] + part * (work.point[k, i] - work.line[k, i])
        project(work, work.point[:], k)
    if options.solve_last != 0:
        improve_last(sim.head[0], options, work, work.point[:])


def value_of(nodes: Any, slot: int, player: int) -> float:
    return nodes[slot].score[player] / max(1, nodes[slot].visits)  # type: ignore[no-any-return]


def line_below(sim: Any, lane: int, root: int, stage: int) -> bool:
    """The path up to a stage and the best line below it, into `work.line`; False where chance or missing room breaks it."""
    work = sim.work[lane]
    copy_actions(sim.states[lane][ROOT].actions, work.line[:])
    for k in range(root, STAGES):
        if k <= stage:
            edge = whole(work.trail[k])
        else:
            edge = best_edge(sim, edge, whole(MOVERS[k]))
        if edge < 0 or sim.nodes[edge].tags & CHANCE != 0:
            return False
        work.spots[k] = edge
        if sim.options[0].moved == DECAYED:
            keep_inside(sim.moves, work, work.line[:], k, edge)
        for i in range(DIMENSION):
            work.line[k, i] = sim.moves[edge, i]
    return True


def same_place(work: Any, stage: int) -> bool:
    """Whether the action did not move: then it is a maximum already, and need not be moved again."""
    bounds(stage, work.point[:], work.low, work.high)
    for i in range(DIMENSION):
        if abs(work.point[stage, i] - work.line[stage, i]) > SAME * (work.high[i] - work.low[i]):
            return False
    return True


def keep(sim: Any, lane: int, root: int) -> None:
    """Put the moved line into the tree as one visit."""
    put_in(sim, lane, root)
    if sim.head[0].trouble == 0:
        back_up_real(sim, lane)


def along_totals(head: Any, options: Any, work: Any, point: Any) -> None:
    """A Newton step of every stage on its total slope, those who answer moving with those before them."""
    root = whole(work.root[0])
    top_slopes(head, options, work, point)
    copy_actions(point, work.before[:])
    for stage in range(root, STAGES):
        bounds(stage, point, work.low, work.high)
        for i in range(DIMENSION):
            step = work.newton[stage, i]
            for j in range(root, stage):
                for k in range(DIMENSION):
                    step += work.responses[root, stage, j, i, k] * (point[j, k] - work.before[j, k])
            point[stage, i] += step
        project(work, point, stage)
    if options.solve_last != 0:
        improve_last(head, options, work, point)


@cold
def along_own(head: Any, options: Any, work: Any, point: Any) -> None:
    """A small step of every stage along its mover's own partial derivative, its length at most one rate."""
    for stage in range(whole(work.root[0]), STAGES):
        slopes_of(head, options, work, point, whole(MOVERS[stage]), stage, work.row)
        length = 0.0
        for i in range(DIMENSION):
            work.newton[stage, i] = work.row[stage, i]
            length += work.row[stage, i] * work.row[stage, i]
        length = sqrt(length)
        for i in range(DIMENSION):
            work.newton[stage, i] *= options.rate / max(1.0, length)
    for stage in range(whole(work.root[0]), STAGES):
        for i in range(DIMENSION):
            point[stage, i] += work.newton[stage, i]
        project(work, point, stage)


@cold
def to_best_nearby(head: Any, options: Any, work: Any, point: Any) -> None:
    """Local stochastic minimax: for some stages in a row the action and a few points at a distance, solved backwards."""
    root, branches = whole(work.root[0]), whole(options.branches)
    deep = min(STAGES - root, whole(options.window))
    first = root + whole(uniform(work.rng) * (STAGES - root - deep + 1))
    scatter(options, work, point, first, deep, branches)
    copy_actions(point, work.before[:])
    leaves = 1
    for _ in range(deep):
        leaves *= branches
    for leaf in range(leaves):
        rest = leaf
        for k in range(deep - 1, -1, -1):
            for i in range(DIMENSION):
                point[first + k, i] = work.near[k, rest % branches, i]
            rest //= branches
        settle_from(work, point, first, deep)
        pay(head, work, point)
        for p in range(PLAYERS):
            work.found[leaf, p] = work.value[p]
        work.chosen[leaf] = leaf
    # Backwards: of every `branches` neighbours the mover of that stage keeps the best.
    for k in range(deep - 1, -1, -1):
        player = whole(MOVERS[first + k])
        leaves //= branches
        for group in range(leaves):
            best = work.chosen[group * branches]
            for b in range(1, branches):
                other = work.chosen[group * branches + b]
                if work.found[other, player] > work.found[best, player]:
                    best = other
            work.chosen[group] = best
    rest = whole(work.chosen[0])
    for k in range(deep - 1, -1, -1):
        for i in range(DIMENSION):
            point[first + k, i] = work.near[k, rest % branches, i]
        rest //= branches
    settle_from(work, point, first, deep)


def settle_from(work: Any, point: Any, first: int, deep: int) -> None:
    """Bring the points of some stages into their sets, and what comes after them, as it was in `work.before`, into its boxes."""
    for k in range(deep):
        project(work, point, first + k)
    for stage in range(first + deep, STAGES):
        for i in range(DIMENSION):
            point[stage, i] = work.before[stage, i]
    push_inside(work, point, first + deep)


def scatter(options: Any, work: Any, point: Any, first: int, deep: int, branches: int) -> None:
    """The points to choose from: the action itself and others at a distance, farther for those who answer."""
    share = options.distance ** uniform(work.rng)
    for k in range(deep):
        bounds(first + k, point, work.low, work.high)
        distance = share * options.reach
        for b in range(branches):
            length = 0.0
            for i in range(DIMENSION):
                work.near[k, b, i] = gauss(work.rng) if b > 0 else 0.0
                length += work.near[k, b, i] * work.near[k, b, i]
            length = sqrt(length) if length > 0.0 else 1.0
            for i in range(DIMENSION):
                wide = work.high[i] - work.low[i] if ACTION_SET == BOX else 2.0
                work.near[k, b, i] = point[first + k, i] + distance * wide * work.near[k, b, i] / length
        share *= options.spread


@cold
def put_in(sim: Any, lane: int, root: int) -> None:
    """Hang the line of `work.point` into the tree and value it."""
    head, work = sim.head[0], sim.work[lane]
    position, above = whole(0), whole(-1)
    work.path[0] = 0
    work.guide[0] = -1
    length = whole(1)
    for stage in range(root, STAGES):
        player = whole(MOVERS[stage])
        place_last(sim, lane, position, above, stage, player)
        edge = find_edge(sim, work, position, work.point[stage])
        if edge >= 0:
            # The value must be that of the line as it stands in the tree.
            for i in range(DIMENSION):
                work.point[stage, i] = sim.moves[edge, i]
        elif sim.options[0].moved != ADDED and stage == root:
            edge = replace(sim, lane, position, stage)
        elif head.used + 1 > len(sim.nodes):
            break
        else:
            edge = add_edge(sim, position, player, work.point[stage])
            if position == 0 or sim.nodes[position].visits > 0:
                sim.moved[position] += 1
        work.path[length] = edge
        length += 1
        above = position
        position = edge
    pay(head, work, work.point[:])
    for p in range(PLAYERS):
        if not abs(work.value[p]) <= 1.7e308:
            head.trouble = NOT_A_NUMBER
    work.length[0] = length


def place_last(sim: Any, lane: int, position: int, above: int, stage: int, player: int) -> None:
    """Bring the action of a stage into its set; a last action that is solved begins where its neighbour is answered, if that is better."""
    options, work = sim.options[0], sim.work[lane]
    if ACTION_SET == BOX:
        project(work, work.point[:], stage)
    else:
        bounds(stage, work.point[:], work.low, work.high)
    if stage != STAGES - 1 or options.solve_last == 0 or sim.nodes[position].count > 0:
        return
    better = prefer_known(sim, lane, position, above, stage, player)
    if solved(options):
        look_everywhere(sim.head[0], options, work, work.point[:])
    elif better:
        improve_last(sim.head[0], options, work, work.point[:])
    bounds(stage, work.point[:], work.low, work.high)


def replace(sim: Any, lane: int, position: int, stage: int) -> int:
    """Move the old action itself. What was known below it was known of another action: it is dropped, or counts less."""
    options, work = sim.options[0], sim.work[lane]
    edge = whole(work.spots[stage])
    for i in range(DIMENSION):
        sim.moves[edge, i] = work.point[stage, i]
    node = sim.nodes[edge]
    kept = whole(node.visits * options.decay) if options.moved == DECAYED else 0
    for p in range(PLAYERS):
        node.score[p] *= kept / max(1.0, node.visits + 0.0)
    node.visits = kept
    forget_leaders(sim, position)
    if options.moved != DECAYED:
        node.first, node.count = 0, 0
        sim.lead[edge] = 0
        sim.moved[edge] = 0
    return edge
