"""Choices by lot, for games where whoever is predictable loses: in proportion to regrets, or to the visits so far.

Regret matching (Hart, Mas-Colell 2000; in trees: Tak, Lanctot, Winands, "Monte Carlo tree search variants for simultaneous move games", 2014;
Lisý, Lanctot, Bowling, "Online Monte Carlo counterfactual regret minimization for search in imperfect information games", 2015) keeps for every
action what it would have brought beyond what was got, and takes actions in proportion to what is above 0. Only the action that was taken
tells what it brings, so its result counts by how seldom it is taken. Smooth UCT (Heinrich, Silver, "Smooth UCT search in computer
poker", 2015) follows the rule of the search most of the time at first, and later ever more often its own average, the shares of the visits.
Both settle at what was done on average, so the action is drawn by the shares of the visits in the end (`final=shares`).
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from playout.compile.holes import cold, hot, where, whole
from playout.engine.layout import MERGED, POSITION, PROVEN, REFUTED
from playout.engine.rules import REGRETS
from playout.game.stream import uniform

AT_FIRST, FADING = 0.9, 0.001
"""Smooth UCT: the share of choices that the rule makes at first, and how fast it falls with the root of the visits: as in the paper."""


@hot
def by_world(options: Any, tags: int, player: int) -> bool:
    """Whether which actions a position has depends on the world: positions of others in the tree of one observer, and shared ones."""
    return (  # type: ignore[no-any-return]
        options.open_loop != 0 or tags & MERGED != 0 or (options.drawn != 0 and options.many == 0 and player != options.observer)
    )


def no_lot(sim: Any, lane: int, rule: int, position: int) -> int:
    return whole(-1)


@where("extra", no_lot)
@cold
def by_lot(sim: Any, lane: int, rule: int, position: int) -> int:
    """The slot that is drawn; -1 where the rule is to choose: by Smooth UCT's lot, or because some action is proven or ruled out."""
    nodes, options, rng = sim.nodes, sim.options[0], sim.work[lane].rng
    first, last = whole(nodes[position].first), whole(nodes[position].first + nodes[position].count)
    total, seen = 0.0, 0
    for slot in range(first, last):
        seen |= nodes[slot].tags
        total += worth(sim, rule, slot)
    if seen & (PROVEN | REFUTED) != 0:
        return whole(-1)
    evenly = options.mixing / (last - first)
    if rule != REGRETS:
        share = max(options.mixing, AT_FIRST / (1.0 + FADING * sqrt(total)))
        if total == 0.0 or uniform(rng) < share:
            return whole(-1)
        evenly = 0.0
    left = uniform(rng)
    for slot in range(first, last):
        left -= chance_of(sim, rule, slot, total, whole(last - first), evenly)
        if left < 0.0:
            return slot
    return whole(last - 1)


@hot
def worth(sim: Any, rule: int, slot: int) -> float:
    """What an action is taken in proportion to: its regret, where that is above 0, or its visits."""
    if rule == REGRETS:
        return max(0.0, sim.regrets[slot])  # type: ignore[no-any-return]
    return float(sim.nodes[slot].visits)


@hot
def chance_of(sim: Any, rule: int, slot: int, total: float, count: int, evenly: float) -> float:
    """The probability of an action: in proportion to its worth, with a part of all choices spread evenly."""
    share = worth(sim, rule, slot) / total if total > 0.0 else 1.0 / count
    return (1.0 - evenly * count) * share + evenly


def no_regrets(sim: Any, lane: int) -> None:
    pass


@where("extra", no_regrets)
@cold
def learn_regrets(sim: Any, lane: int) -> None:
    """Before the value of a simulation goes up: what each action on offer would have brought beyond what the mixture did.

    The estimate of an action is the mean of its simulations so far; that of the one taken is corrected by the result, by how seldom
    it is taken. Whatever the means are, the estimates are right on average.
    """
    nodes, options, work = sim.nodes, sim.options[0], sim.work[lane]
    for i in range(1, work.length[0]):
        edge, position = whole(work.path[i]), whole(work.path[i - 1])
        rule = whole(options.root_rule if position == 0 else options.rule)
        if rule != REGRETS or nodes[edge].tags & POSITION != 0:
            continue
        first, last = whole(nodes[position].first), whole(nodes[position].first + nodes[position].count)
        player = whole(nodes[edge].mover)
        if edge < first or edge >= last or (options.worlds != 0 and by_world(options, whole(nodes[position].tags), player)):
            continue
        credit(sim, lane, position, edge, player)


def credit(sim: Any, lane: int, position: int, edge: int, player: int) -> None:
    """`learn_regrets` at one position."""
    nodes, options = sim.nodes, sim.options[0]
    first, count = whole(nodes[position].first), whole(nodes[position].count)
    total, seen = 0.0, 0
    for slot in range(first, first + count):
        seen |= nodes[slot].tags
        total += worth(sim, whole(REGRETS), slot)
    if seen & (PROVEN | REFUTED) != 0:
        return
    usual = nodes[position].score[player] / max(1, nodes[position].visits)
    evenly, got = options.mixing / count, 0.0
    for slot in range(first, first + count):
        chance = chance_of(sim, whole(REGRETS), slot, total, count, evenly)
        got += chance_of(sim, whole(REGRETS), slot, total, count, 0.0) * estimate(sim, lane, slot, edge, player, usual, chance)
    for slot in range(first, first + count):
        # By the total as it was, and each by its own regret before that changes: the chances are those that the lot was drawn with.
        chance = chance_of(sim, whole(REGRETS), slot, total, count, evenly)
        sim.regrets[slot] += estimate(sim, lane, slot, edge, player, usual, chance) - got


@hot
def estimate(sim: Any, lane: int, slot: int, edge: int, player: int, usual: float, chance: float) -> float:
    """What an action brings, as far as a simulation tells; right on average."""
    node = sim.nodes[slot]
    mean = node.score[player] / node.visits if node.visits > 0 else usual
    if slot != edge:
        return mean  # type: ignore[no-any-return]
    return mean + (sim.work[lane].value[player] - mean) / chance  # type: ignore[no-any-return]
