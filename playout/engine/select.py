"""Selection rules, as small functions: which action of a position to try next.

The decision record computes its exploit and explore columns with the very functions that the kernels use.
UCB1 and UCB1-tuned: Auer, Cesa-Bianchi, Fischer, "Finite-time analysis of the multiarmed bandit problem", 2002.
PUCT: Rosin 2011, in the form of Silver et al. 2017.
"""

from __future__ import annotations

from math import inf, log, sqrt
from typing import Any

import numpy as np

from playout.compile.holes import hot, whole
from playout.engine.layout import EQUAL, FPU_FIRST, FPU_NUMBER, PROVEN, PUCT, REFUTED, TUNED, UCB1

LOGS = np.array([0.0] + [log(n) for n in range(1, 1024)])
"""Most positions have few visits, and their logarithms need not be computed again and again."""

# The rules take 1 / visits instead of visits: the loop needs it for the mean too, and divisions are what it waits for.


@hot
def ucb1(c: float, log_parent: float, share: float) -> float:
    """c·sqrt(ln(parent visits) / visits)."""
    return c * sqrt(log_parent * share)


def ucb1_tuned(c: float, log_parent: float, share: float, variance: float, span: float) -> float:
    """UCB1 with the variance that was seen in place of the largest possible, a quarter of the squared span."""
    bound = variance + span * span * sqrt(2.0 * log_parent * share)
    return c * sqrt(log_parent * share * min(0.25 * span * span, bound))


def puct(c: float, prior: float, parent: int, visits: int) -> float:
    """c·prior·sqrt(parent visits) / (1 + visits)."""
    return c * prior * sqrt(parent) / (1 + visits)


@hot
def scale_of(head: Any, options: Any, player: int) -> tuple[float, float]:
    """(factor, shift): exploit = mean·factor + shift on the scale that the settings ask for."""
    span = head.high[player] - head.low[player]
    if options.ranged == 0 or not span > 0.0:
        return 1.0, 0.0
    factor = 1.0 / span
    return factor, -head.low[player] * factor


def span_of(head: Any, options: Any, player: int) -> float:
    """The width of the returns on that scale."""
    span = head.high[player] - head.low[player]
    return 1.0 if options.ranged != 0 or not span > 0.0 else span


def first_untried(nodes: Any, first: int, last: int) -> int:
    for slot in range(first, last):
        if nodes[slot].visits == 0 and nodes[slot].tags & REFUTED == 0:
            return slot
    return -1


def least_visited(nodes: Any, first: int, last: int) -> int:
    best, fewest = -1, 2_147_483_647
    for slot in range(first, last):
        if nodes[slot].visits < fewest and nodes[slot].tags & REFUTED == 0:
            best, fewest = slot, nodes[slot].visits
    return best if best >= 0 else first


@hot
def choose(head: Any, nodes: Any, values: Any, priors: Any, options: Any, position: int, player: int) -> tuple[int, int]:
    """(slot, known): the slot of the position's block to try next; the first maximum wins.

    A proven action needs no more tries. Where its result beats what the others promise, `known` is its slot: the
    simulation goes on to the best unproven action, and `back_up` credits the position with the known result.
    """
    first = whole(nodes[position].first)
    last = first + nodes[position].count
    if options.rule == UCB1 and options.fpu_mode == FPU_FIRST and nodes[last - 1].visits != 0:
        best = open_ucb1(head, nodes, options, position, player, first, last)
        if best >= 0:
            return best, whole(0)
    return choose_among(head, nodes, values, priors, options, position, player, first, last)


@hot
def open_ucb1(head: Any, nodes: Any, options: Any, position: int, player: int, first: int, last: int) -> int:
    """UCB1 among actions that were all tried and of which none is proven or refuted, the usual case; otherwise -1."""
    parent = nodes[position].visits
    log_parent = LOGS[parent] if parent < len(LOGS) else log(parent)
    factor, shift = scale_of(head, options, player)
    best, best_weight, seen = whole(-1), -inf, 0
    for slot in range(first, last):
        node = nodes[slot]
        seen |= node.tags
        share = 1.0 / max(1, node.visits)
        weight = node.score[player] * share * factor + shift + ucb1(options.c, log_parent, share)
        # Selected, not branched to: nobody can foresee which action is best, and each wrong guess costs as much as a step.
        better = weight > best_weight
        best = slot if better else best
        best_weight = weight if better else best_weight
    return best if seen & (PROVEN | REFUTED) == 0 else whole(-1)


def choose_among(
    head: Any, nodes: Any, values: Any, priors: Any, options: Any, position: int, player: int, first: int, last: int
) -> tuple[int, int]:
    """`choose` for every rule and every block."""
    if options.rule == EQUAL:
        return least_visited(nodes, first, last), whole(0)
    # Untried slots come last in a block, so one look tells whether there is any.
    if options.fpu_mode == FPU_FIRST and nodes[last - 1].visits == 0:
        untried = first_untried(nodes, first, last)
        if untried >= 0:
            return untried, whole(0)
    return heaviest(head, nodes, values, priors, options, position, player, first, last)


def heaviest(
    head: Any, nodes: Any, values: Any, priors: Any, options: Any, position: int, player: int, first: int, last: int
) -> tuple[int, int]:
    parent = max(1, nodes[position].visits)
    log_parent = LOGS[parent] if parent < len(LOGS) else log(parent)
    factor, shift = scale_of(head, options, player)
    best, best_weight = whole(-1), -inf
    known, known_weight = whole(0), -inf
    usual = nodes[position].score[player] / parent
    for slot in range(first, last):
        node = nodes[slot]
        if node.tags & (PROVEN | REFUTED) != 0:
            weight = values[slot, player] * factor + shift if node.tags & PROVEN != 0 else -inf
            if weight > known_weight:
                known, known_weight = slot, weight
            continue
        weight = weight_of(
            head, options, node, priors[slot if len(priors) > 1 else 0], player, parent, log_parent, usual, factor, shift
        )
        if weight > best_weight:
            best, best_weight = slot, weight
    if best < 0:
        return (known if known != 0 else first), whole(0)
    return best, (known if known_weight >= best_weight else whole(0))


@hot
def weight_of(
    head: Any,
    options: Any,
    node: Any,
    prior: float,
    player: int,
    parent: int,
    log_parent: float,
    usual: float,
    factor: float,
    shift: float,
) -> float:
    """Exploit and explore of one action; `usual` is the parent's mean, for an action that was never tried."""
    visits = node.visits
    share = 1.0 / max(1, visits)
    if visits > 0:
        mean = node.score[player] * share
        exploit = mean * factor + shift
    elif options.fpu_mode == FPU_NUMBER:
        mean, exploit = 0.0, options.fpu
    else:
        mean = usual
        exploit = mean * factor + shift
    if options.rule == PUCT:
        return exploit + puct(options.c, prior, parent, visits)  # type: ignore[no-any-return]
    if visits == 0:
        return exploit  # type: ignore[no-any-return]
    if options.rule == TUNED:
        variance = max(0.0, node.squares * share - mean * mean) * factor * factor
        return exploit + ucb1_tuned(options.c, log_parent, share, variance, span_of(head, options, player))  # type: ignore[no-any-return]
    return exploit + ucb1(options.c, log_parent, share)  # type: ignore[no-any-return]


def choose_available(
    head: Any, nodes: Any, priors: Any, available: Any, options: Any, position: int, player: int, slots: Any, count: int
) -> int:
    """The best of the actions that this world allows, whose slots are in `slots`; -1 where the tree knows none of them.

    An action is weighed against how often it was there to be chosen, not against all visits (availability: Cowling, Powley,
    Whitehouse, "Information set Monte Carlo tree search", 2012); else what is seldom possible would be tried too often.
    """
    usual = nodes[position].score[player] / max(1, nodes[position].visits)
    factor, shift = scale_of(head, options, player)
    best, best_weight, fewest = whole(-1), -inf, 2_147_483_647
    for i in range(count):
        slot = slots[i]
        if slot < 0:
            continue
        available[slot] += 1
        node, times = nodes[slot], available[slot]
        if options.rule == EQUAL or (options.fpu_mode == FPU_FIRST and (node.visits == 0 or fewest == 0)):
            # All in turn; or the untried ones first, in the order of their slots.
            if node.visits < fewest or (node.visits == fewest and slot < best):
                best, fewest = slot, node.visits
            continue
        log_times = LOGS[times] if times < len(LOGS) else log(times)
        weight = weight_of(
            head, options, node, priors[slot if len(priors) > 1 else 0], player, times, log_times, usual, factor, shift
        )
        if weight > best_weight:
            best, best_weight = slot, weight
    return best
