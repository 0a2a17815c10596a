"""Sampling of new real-valued actions: uniform, a low-discrepancy sequence, near the best so far, or in its Voronoi cell."""

from __future__ import annotations

from math import cos, inf, log, pi, sqrt
from typing import Any

from playout.compile.holes import ACTION_SET, DIMENSION, STAGES, as_word, bounds, cold, whole
from playout.engine.layout import NOW
from playout.engine.real.axes import one_at_a_time
from playout.engine.real.borrowing import borrow, crowded, distance, follow_guide
from playout.engine.real.everywhere import solved
from playout.engine.real.layout import BOX, SEQUENCE, UNIFORM, VORONOI
from playout.engine.real.leaders import best_edge, busiest_edge
from playout.engine.real.ordered import following, in_order, preceding, put_in_order
from playout.engine.real.slopes import pay
from playout.engine.real.tables import told_by_table
from playout.game.stream import mix, uniform

TRIES = 20
"""Draws that Voronoi sampling makes before it takes what it has."""
EARLY = 16
"""Actions that a position has before new ones are tried near the best; at the last stage four are enough."""
EDGES = 8
"""Where last actions are solved, of so many points one goes to the edges of the box: a best action is often there."""
FEW_KNOWN = 6
CLOSE, GAP = 1e-4, 0.38
"""Gaps smaller than this part of the box are not looked into; and how far into a gap to go."""
TOPS, TOPS_SHARE, MANY = 4, 0.7, 100
"""How many tops of exact values are looked at, how often new actions go beside one of them, and up to how many known actions."""
UNIT = 1.0 / (1 << 53)


def propose(sim: Any, lane: int, position: int, above: int, stage: int, player: int, drawn: int) -> None:
    """A new action of the position into `work.fresh`; `drawn` of its actions were tried so far, others were moved there."""
    nodes, options, work = sim.nodes, sim.options[0], sim.work[lane]
    bounds(stage, sim.states[lane][NOW].actions, work.low, work.high)
    count = whole(nodes[position].count)
    # A solved last action may be one that is known, and then none is added: only visits tell that another start is due.
    turn = whole(nodes[position].visits) if stage == STAGES - 1 else drawn
    guide = whole(work.guide[0])
    work.guide[0] = -1
    if options.tables != 0 and by_table(sim, lane, position, stage, count):
        return
    if options.borrow != 0 and solved(options) and count == 0 and stage < STAGES - 2:
        # The line of a neighbour, to its end: so even the first value of an action means something.
        if (above >= 0 and borrow(sim, work, position, above)) or follow_guide(sim, work, guide):
            return
    elif options.borrow != 0 and turn % 2 == 1 and above >= 0 and borrow(sim, work, position, above):
        return
    if stage == STAGES - 1:
        work.guide[0] = guide
    best = whole(-1)
    if options.sampling != UNIFORM:
        if stage == STAGES - 1:
            # Nobody answers, so values are exact; a sequence goes near the best too, unless it is the start of a solution.
            if count >= 4 and (options.sampling != SEQUENCE or options.solve_last == 0):
                best = best_edge(sim, position, player)
        elif solved(options) and stage == STAGES - 2 and count >= FEW_KNOWN:
            best = best_edge(sim, position, player)
        elif count >= EARLY and (options.sampling != SEQUENCE or solved(options)):
            # Young values mislead: those who answer have not found their answers. Visits come with trust.
            best = busiest_edge(sim, position)
    if DIMENSION > 1 and one_at_a_time(sim, lane, position, stage, player, count):
        return
    if best >= 0 and DIMENSION == 1 and options.sampling == SEQUENCE and solved(options):
        if stage == STAGES - 2:
            if uniform(work.rng) < TOPS_SHARE and beside_tops(sim, work, position, best, player):
                return
        elif uniform(work.rng) < options.local_share and beside(sim, work, position, best):
            return
        best = whole(-1)
    if best < 0 or uniform(work.rng) >= options.local_share:
        spread(options, work, position, turn)
    elif options.sampling != VORONOI:
        nearby(sim.moves, work, best, count)
    else:
        in_cell(sim, work, position, best)


def by_table(sim: Any, lane: int, position: int, stage: int, count: int) -> bool:
    """What the table of the stage answers, where that is new here; and, where answers jump there, what it answers on the other side."""
    work = sim.work[lane]
    if count > 0 and stage == STAGES - 1:
        return False
    for turn in range(2):
        if told_by_table(sim, lane, stage, turn == 1) and not crowded(sim, work, position):
            return True
    return False


def spread(options: Any, work: Any, position: int, count: int) -> None:
    """Uniform in the set, or the next point of a sequence that fills it evenly."""
    if ACTION_SET != BOX:
        on_sphere(work)
        return
    # Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018: steps of 1/g, 1/g², ..., g the root of
    # g^(d+1) = g + 1; begun at a place of its own for every position.
    step = options.golden
    for i in range(DIMENSION):
        if options.sampling == UNIFORM:
            share = uniform(work.rng)
        else:
            begin = (mix(as_word(position) * as_word(DIMENSION) + as_word(i) + work.shift[0]) >> as_word(11)) * UNIT
            share = (begin + (count + 1) * step) % 1.0
            step *= options.golden
            if options.solve_last != 0 and count % EDGES == EDGES - 2 and (DIMENSION == 1 or uniform(work.rng) < 0.5):
                share = (count // EDGES + i) % 2 + 0.0
        # Rounded, the upper end may come out beyond itself.
        work.fresh[i] = min(work.high[i], work.low[i] + (work.high[i] - work.low[i]) * share)


def on_sphere(work: Any) -> None:
    length = 0.0
    for i in range(DIMENSION):
        work.fresh[i] = gauss(work.rng)
        length += work.fresh[i] * work.fresh[i]
    length = sqrt(length)
    for i in range(DIMENSION):
        work.fresh[i] = work.fresh[i] / length if length > 0.0 else 1.0 / sqrt(DIMENSION + 0.0)


def gauss(rng: Any) -> float:
    """A standard normal number (Box and Muller 1958)."""
    return sqrt(-2.0 * log(1.0 - uniform(rng))) * cos(2.0 * pi * uniform(rng))


def nearby(moves: Any, work: Any, best: int, count: int) -> None:
    """Around the best so far, at a distance whose size itself is drawn, evenly over its digits, from the whole set down to a
    least one that shrinks as actions are added."""
    even = (count + 1.0) ** (-1.0 / DIMENSION)
    radius = min(1.0, 2.0 * even) * even ** uniform(work.rng)
    length = 0.0
    for i in range(DIMENSION):
        if ACTION_SET == BOX:
            half = 0.5 * (work.high[i] - work.low[i])
            value = moves[best, i] + radius * half * (2.0 * uniform(work.rng) - 1.0)
            work.fresh[i] = min(max(value, work.low[i]), work.high[i])
        else:
            work.fresh[i] = moves[best, i] + radius * gauss(work.rng)
            length += work.fresh[i] * work.fresh[i]
    if ACTION_SET != BOX:
        for i in range(DIMENSION):
            work.fresh[i] /= sqrt(length)


def beside(sim: Any, work: Any, position: int, best: int) -> bool:
    """Into the wider gap beside an action, nearer to it than to its neighbour there; False where both gaps are too small to matter."""
    here = sim.moves[best, 0]
    if in_order(sim, position):
        left, right = gap_in_order(sim, work, put_in_order(sim, work, position), here)
    else:
        left, right = gap_about(sim, work, position, here)
    if max(here - left, right - here) < CLOSE * (work.high[0] - work.low[0]):
        return False
    work.fresh[0] = here + GAP * (right - here) if right - here > here - left else here - GAP * (here - left)
    return True


def gap_about(sim: Any, work: Any, position: int, here: float) -> tuple[float, float]:
    """The numbers just below and just above one among the actions of a position and the ends of the box."""
    left, right = work.low[0], work.high[0]
    slot = whole(sim.nodes[position].first)
    for _ in range(sim.nodes[position].count):
        number = sim.moves[slot, 0]
        if number < here:
            left = max(left, number)
        elif number > here:
            right = min(right, number)
        slot = whole(sim.siblings[slot])
    return left, right


@cold
def gap_in_order(sim: Any, work: Any, lead: Any, here: float) -> tuple[float, float]:
    """The same where actions are in order."""
    below, above = preceding(sim, lead, here, whole(0)), following(sim, lead, here, whole(len(sim.nodes)))
    left = max(work.low[0], sim.moves[below, 0]) if below != 0 else work.low[0]
    right = min(work.high[0], sim.moves[above, 0]) if above != 0 else work.high[0]
    return left, right


def beside_tops(sim: Any, work: Any, position: int, best: int, player: int) -> bool:
    """Beside one of the tops among the known actions that may still become the best: that with the widest gap at its side.

    Values must be exact. A top hardly rises more than it does from its neighbours (as `everywhere.rise` has it), so what could not reach
    the best by that is left alone, and the others are looked at evenly: a top that is overlooked here is an answer that is not foreseen.
    """
    nodes, moves = sim.nodes, sim.moves
    if nodes[position].count > MANY:
        return beside(sim, work, position, best)
    most = nodes[best].score[player] / nodes[best].visits
    top, found, widest = best, False, CLOSE * (work.high[0] - work.low[0])
    for turn in range(TOPS):
        here, value = moves[top, 0], nodes[top].score[player] / nodes[top].visits
        left, right = neighbours(sim, position, top)
        low = moves[left, 0] if left >= 0 else work.low[0]
        high = moves[right, 0] if right >= 0 else work.high[0]
        at_left = nodes[left].score[player] / nodes[left].visits if left >= 0 else value
        at_right = nodes[right].score[player] / nodes[right].visits if right >= 0 else value
        gap = max(here - low, high - here)
        if gap > widest and (turn == 0 or value + max(value - at_left, value - at_right) > most):
            found, widest = True, gap
            work.fresh[0] = into_gap(here - low, high - here, value - at_left, value - at_right) + here
        top = next_top_below(sim, position, player, value)
        if top < 0:
            break
    return found


def into_gap(left: float, right: float, fell_left: float, fell_right: float) -> float:
    """How far from a top to go, given how far away its neighbours are and how much lower: to where the parabola through the three is
    highest, or, where that is the top itself or there is none, into the wider gap."""
    wider = GAP * right if right > left else -GAP * left
    if not (left > 0.0 and right > 0.0 and fell_left > 0.0 and fell_right > 0.0):
        return wider
    peak = 0.5 * (fell_left * right * right - fell_right * left * left) / (fell_left * right + fell_right * left)
    return peak if abs(peak) > 0.1 * max(left, right) else wider


def neighbours(sim: Any, position: int, slot: int) -> tuple[int, int]:
    """The actions just below and just above one, where an action is a number; -1 where there is none."""
    nodes, moves = sim.nodes, sim.moves
    here, left, right = moves[slot, 0], whole(-1), whole(-1)
    other = whole(nodes[position].first)
    for _ in range(nodes[position].count):
        number = moves[other, 0]
        if nodes[other].visits > 0:
            if number < here and (left < 0 or number > moves[left, 0]):
                left = other
            elif number > here and (right < 0 or number < moves[right, 0]):
                right = other
        other = whole(sim.siblings[other])
    return left, right


def next_top_below(sim: Any, position: int, player: int, ceiling: float) -> int:
    """The best action that is worth less than `ceiling` and more than both of its neighbours; -1 where there is none."""
    nodes = sim.nodes
    found, most = whole(-1), -inf
    slot = whole(nodes[position].first)
    for _ in range(nodes[position].count):
        if nodes[slot].visits > 0:
            value = nodes[slot].score[player] / nodes[slot].visits
            if most < value < ceiling:
                left, right = neighbours(sim, position, slot)
                if (left < 0 or nodes[left].score[player] / nodes[left].visits < value) and (
                    right < 0 or nodes[right].score[player] / nodes[right].visits < value
                ):
                    found, most = slot, value
        slot = whole(sim.siblings[slot])
    return found


def in_cell(sim: Any, work: Any, position: int, best: int) -> None:
    """Uniform among the places that lie nearer to the best action than to any other (Voronoi optimistic optimisation: Kim et
    al., "Monte Carlo tree search in continuous spaces using Voronoi optimistic optimization", 2020)."""
    nodes, moves, siblings = sim.nodes, sim.moves, sim.siblings
    for _ in range(TRIES):
        if ACTION_SET == BOX:
            for i in range(DIMENSION):
                work.fresh[i] = work.low[i] + (work.high[i] - work.low[i]) * uniform(work.rng)
        else:
            on_sphere(work)
        nearest, least = whole(-1), inf
        slot = whole(nodes[position].first)
        for _ in range(nodes[position].count):
            far = distance(work, moves[slot])
            if far < least:
                nearest, least = slot, far
            slot = whole(siblings[slot])
        if nearest == best:
            return


def prefer_known(sim: Any, lane: int, position: int, above: int, stage: int, player: int) -> bool:
    """Begin the last action of `work.point` where the nearest action beside this one is answered, if that is better for its mover.

    Where there are several maxima, each of a crowd of actions close together would else have to find the best of them for itself,
    and the one whose answer is still wrong would look best.
    """
    head, work = sim.head[0], sim.work[lane]
    guide = whole(work.guide[0])
    work.guide[0] = -1
    if sim.options[0].borrow == 0:
        return False
    if not (above >= 0 and borrow(sim, work, position, above)) and not (
        solved(sim.options[0]) and follow_guide(sim, work, guide)
    ):
        return False
    pay(head, work, work.point[:])
    value = work.value[player]
    for i in range(DIMENSION):
        work.home[i] = work.point[stage, i]
        work.point[stage, i] = work.fresh[i]
    pay(head, work, work.point[:])
    if work.value[player] > value:
        return True
    for i in range(DIMENSION):
        work.point[stage, i] = work.home[i]
    return False
