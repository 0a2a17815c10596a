"""Selection: which action of a position to try next, by the rules in `rules`.

Means are scaled by the running range of the returns, if the settings say so. Where several maxima are equal the first wins.
"""

from __future__ import annotations

from math import inf, log
from typing import Any, NamedTuple

import numpy as np

from playout.compile.holes import EXTRA, NUMBERS, WAITING, hot, where, whole
from playout.engine.layout import FPU_FIRST, FPU_NUMBER, FPU_PARENT, PROVEN, REFUTED
from playout.engine.mixing import by_lot
from playout.engine.numbers import proof_term
from playout.engine.played import judge_of
from playout.engine.rules import EQUAL, PUCT, REGRETS, UCB1, bonus_of, ucb1_term
from playout.engine.terms import bias_of, blended, more_of

LOGS = np.array([0.0] + [log(n) for n in range(1, 1024)])
"""Most positions have few visits, and their logarithms need not be computed again and again."""
LN_2 = log(2.0)


class Scale(NamedTuple):
    """The scale that the settings ask for, for one player: exploit = mean·factor + shift; the width of the returns on it."""

    factor: float
    shift: float
    span: float


class Parent(NamedTuple):
    """What the weights of all actions of a position have in common."""

    visits: int
    log: float
    usual: float
    """The mean of the position, for an action that was never tried."""


@hot
def scale_of(head: Any, options: Any, player: int) -> Any:
    span = head.high[player] - head.low[player]
    if not span > 0.0:
        return Scale(1.0, 0.0, 1.0)
    if options.ranged == 0:
        return Scale(1.0, 0.0, span)
    factor = 1.0 / span
    return Scale(factor, -head.low[player] * factor, 1.0)


@hot
def log_of(visits: int) -> float:
    """The natural logarithm of a number of visits, by sums and products alone: every processor gives the same bits."""
    if visits < len(LOGS):
        return LOGS[visits]  # type: ignore[no-any-return]
    halvings, size = 0, visits
    while size >= len(LOGS):
        size >>= 1
        halvings += 1
    # visits = size · 2^halvings · (1 + rest), and rest is below 1/512: seven terms of its series are more than a double holds.
    rest = visits / (size << halvings) - 1.0
    tail = rest * (1.0 - rest * (1 / 2 - rest * (1 / 3 - rest * (1 / 4 - rest * (1 / 5 - rest * (1 / 6 - rest / 7))))))
    return LOGS[size] + (halvings * LN_2 + tail)  # type: ignore[no-any-return]


@hot
def choose(sim: Any, lane: int, position: int, player: int) -> tuple[int, int]:
    """(slot, known): the slot of the position's block to try next; the first maximum wins.

    A proven action needs no more tries. Where its result beats what the others promise, `known` is its slot: the
    simulation goes on to the best unproven action, and `back_up` credits the position with the known result. The root has a rule of
    its own, or an action that every simulation begins with.
    """
    nodes, options = sim.nodes, sim.options[0]
    rule = whole(options.rule)
    if position == 0:
        rule = whole(options.root_rule)
        if options.forced >= 0:
            return whole(nodes[0].first + options.forced), whole(0)
    if EXTRA and (rule == REGRETS or options.smooth != 0):
        drawn = by_lot(sim, lane, rule, position)
        if drawn >= 0:
            return drawn, whole(0)
        if rule == REGRETS:
            rule = whole(UCB1)
    last = nodes[position].first + nodes[position].count - 1
    plain = rule == UCB1 and not (WAITING or NUMBERS)
    if plain and options.fpu_mode == FPU_FIRST and not (EXTRA and options.terms != 0) and nodes[last].visits != 0:
        best = open_ucb1(sim.head[0], nodes, options, position, player)
        if best >= 0:
            return best, whole(0)
    if EXTRA and plain and options.rave > 0.0 and (nodes[last].visits != 0 or options.fpu_mode == FPU_PARENT):
        best = open_rave(sim, lane, position, player)
        if best >= 0:
            return best, whole(0)
    return choose_by(sim, lane, rule, position, player)


@hot
def open_ucb1(head: Any, nodes: Any, options: Any, position: int, player: int) -> int:
    """UCB1 among actions that were all tried and of which none is proven or refuted, the usual case; otherwise -1."""
    first = whole(nodes[position].first)
    log_parent = log_of(whole(nodes[position].visits))
    scale = scale_of(head, options, player)
    best, best_weight, seen = whole(-1), -inf, 0
    for slot in range(first, first + nodes[position].count):
        node = nodes[slot]
        seen |= node.tags
        share = 1.0 / max(1, node.visits)
        weight = node.score[player] * share * scale.factor + scale.shift + ucb1_term(options.c, log_parent, share)
        # Selected, not branched to: nobody can foresee which action is best, and each wrong guess costs as much as a step.
        better = weight > best_weight
        best = slot if better else best
        best_weight = weight if better else best_weight
    return best if seen & (PROVEN | REFUTED) == 0 else whole(-1)


def no_open(sim: Any, lane: int, position: int, player: int) -> int:
    return -1


@where("extra", no_open)
def open_rave(sim: Any, lane: int, position: int, player: int) -> int:
    """`open_ucb1` where actions are judged by what was played later, too, and so need not have been tried."""
    nodes, amaf, options = sim.nodes, sim.amaf, sim.options[0]
    first, visits = whole(nodes[position].first), max(1, nodes[position].visits)
    log_parent, usual, one_in = log_of(visits), nodes[position].score[player] / visits, 1.0 / options.rave
    scale = scale_of(sim.head[0], options, player)
    best, best_weight, seen = whole(-1), -inf, 0
    for slot in range(first, first + nodes[position].count):
        node, judge = nodes[slot], judge_of(sim, lane, slot, player)
        seen |= node.tags
        times, total = np.float64(amaf[judge, 0]), np.float64(amaf[judge, 1])
        value = blended(node.score[player], whole(node.visits), total, times, one_in, usual)
        weight = value * scale.factor + scale.shift + ucb1_term(options.c, log_parent, 1.0 / max(1, node.visits))
        better = weight > best_weight
        best = slot if better else best
        best_weight = weight if better else best_weight
    return best if seen & (PROVEN | REFUTED) == 0 and options.terms == 1 else whole(-1)


def choose_by(sim: Any, lane: int, rule: int, position: int, player: int) -> tuple[int, int]:
    """`choose` for every rule and every block."""
    nodes = sim.nodes
    first, last = whole(nodes[position].first), whole(nodes[position].first + nodes[position].count)
    if rule == EQUAL:
        return least_visited(nodes, sim.out, first, last, whole(REFUTED)), whole(0)
    # Untried slots come last in a block, so one look tells whether there is any.
    if sim.options[0].fpu_mode == FPU_FIRST and nodes[last - 1].visits == 0:
        untried = first_untried(nodes, sim.out, first, last)
        if untried >= 0:
            return untried, whole(0)
    return heaviest(sim, lane, rule, position, player)


def none_at(out: Any, slot: int) -> int:
    return 0


@where("waiting", none_at)
def waiting_at(out: Any, slot: int) -> int:
    """Simulations that wait below a slot; none where nothing ever waits."""
    return whole(out[slot])


def first_untried(nodes: Any, out: Any, first: int, last: int) -> int:
    for slot in range(first, last):
        if nodes[slot].visits + waiting_at(out, slot) == 0 and nodes[slot].tags & REFUTED == 0:
            return slot
    return -1


def least_visited(nodes: Any, out: Any, first: int, last: int, without: int) -> int:
    """The first of the least tried slots that have none of some tags."""
    best, fewest = -1, 2_147_483_647
    for slot in range(first, last):
        visits = nodes[slot].visits + waiting_at(out, slot)
        if visits < fewest and nodes[slot].tags & without == 0:
            best, fewest = slot, visits
    return best if best >= 0 else first


def heaviest(sim: Any, lane: int, rule: int, position: int, player: int) -> tuple[int, int]:
    nodes, options = sim.nodes, sim.options[0]
    visits = max(1, nodes[position].visits)
    tries = visits + waiting_at(sim.out, position)
    parent = Parent(tries, log_of(tries), nodes[position].score[player] / visits)
    scale = scale_of(sim.head[0], options, player)
    best, best_weight = whole(-1), -inf
    known, known_weight = whole(0), -inf
    first = whole(nodes[position].first)
    for slot in range(first, first + nodes[position].count):
        node = nodes[slot]
        if node.tags & (PROVEN | REFUTED) != 0:
            weight = sim.values[slot, player] * scale.factor + scale.shift if node.tags & PROVEN != 0 else -inf
            if weight > known_weight:
                known, known_weight = slot, weight
            continue
        prior = sim.priors[slot if len(sim.priors) > 1 else 0]
        weight = weight_of(options, rule, node, waiting_at(sim.out, slot), prior, player, parent, scale)
        if EXTRA and options.terms != 0:
            exploit = exploit_of(options, node, player, parent, scale)
            tries = node.visits + waiting_at(sim.out, slot)
            weight += more_of(sim, lane, slot, tries, player, parent.usual, exploit, scale)
        if NUMBERS:
            weight += proof_term(sim, position, slot)
        if weight > best_weight:
            best, best_weight = slot, weight
    if best < 0:
        return (known if known != 0 else first), whole(0)
    return best, (known if known_weight >= best_weight else whole(0))


@hot
def weight_of(options: Any, rule: int, node: Any, out: int, prior: float, player: int, parent: Any, scale: Any) -> float:
    """Exploit and explore of one action.

    What is out and waits counts for the bonus and not for the mean (Liu et al., "Watch the unobserved: a simple approach to
    parallelizing Monte Carlo tree search", 2020).
    """
    if node.visits > 0:
        share = 1.0 / node.visits
        mean = node.score[player] * share
        exploit = mean * scale.factor + scale.shift
        variance = max(0.0, node.squares * share - mean * mean) * scale.factor * scale.factor
    elif options.fpu_mode == FPU_NUMBER:
        exploit, variance = options.fpu, 0.0
    else:
        exploit, variance = parent.usual * scale.factor + scale.shift, 0.0
    tries = node.visits + out
    if EXTRA and options.rave > 0.0 and tries == 0 and rule != PUCT:
        # Not "untried first": what was played elsewhere tells the untried apart, and they get the bonus of one try.
        tries = 1
    return exploit + bonus_of(rule, options.c, parent.visits, parent.log, tries, variance, scale.span, prior)  # type: ignore[no-any-return]


@hot
def exploit_of(options: Any, node: Any, player: int, parent: Any, scale: Any) -> float:
    """The part of the weight that is not a bonus."""
    if node.visits == 0 and options.fpu_mode == FPU_NUMBER:
        return options.fpu  # type: ignore[no-any-return]
    mean = node.score[player] / node.visits if node.visits > 0 else parent.usual
    return mean * scale.factor + scale.shift  # type: ignore[no-any-return]


def as_told(priors: Any, slots: Any, count: int) -> float:
    return 1.0


@where("waiting", as_told)
def told_here(priors: Any, slots: Any, count: int) -> float:
    """What makes the priors of the actions that this world allows add up to 1: the others of the position are not on offer."""
    total = 0.0
    if len(priors) > 1:
        for i in range(count):
            if slots[i] >= 0:
                total += priors[slots[i]]
    return 1.0 / total if total > 0.0 else 1.0


def choose_available(sim: Any, lane: int, position: int, player: int, count: int) -> int:
    """The best of the actions that this world allows, whose slots are in `work.replies`; -1 where the tree knows none of them.

    An action is weighed against how often it was there to be chosen, not against all visits (availability: Cowling, Powley,
    Whitehouse, "Information set Monte Carlo tree search", 2012); else what is seldom possible would be tried too often.
    """
    nodes, options, slots = sim.nodes, sim.options[0], sim.work[lane].replies
    if position == 0 and options.forced >= 0:
        return whole(nodes[0].first + options.forced)
    rule = whole(options.root_rule if position == 0 else options.rule)
    if EXTRA and rule == REGRETS:
        # Which actions there are depends on the world, and regrets would compare what was not on offer together.
        rule = whole(UCB1)
    usual = nodes[position].score[player] / max(1, nodes[position].visits)
    scale = scale_of(sim.head[0], options, player)
    best, best_weight, fewest = whole(-1), -inf, 2_147_483_647
    shares = told_here(sim.priors, slots, count)
    for i in range(count):
        slot = whole(slots[i])
        if slot < 0:
            continue
        sim.available[slot] += 1
        node, out = nodes[slot], waiting_at(sim.out, slot)
        tries = node.visits + out
        if rule == EQUAL or (options.fpu_mode == FPU_FIRST and (tries == 0 or fewest == 0)):
            # All in turn; or the untried ones first, in the order of their slots.
            if tries < fewest or (tries == fewest and slot < best):
                best, fewest = slot, tries
            continue
        times = whole(sim.available[slot])
        prior = sim.priors[slot if len(sim.priors) > 1 else 0] * shares
        weight = weight_of(options, rule, node, out, prior, player, Parent(times, log_of(times), usual), scale)
        if EXTRA and options.bias > 0.0:
            weight += bias_of(options.bias, prior, tries)
        if weight > best_weight:
            best, best_weight = slot, weight
    return best
