"""Selection at the root by a race: all runners get the same number of tries, and the worse half falls out, until two are left.

A race must know how far the budget reaches. `options.began` and `options.planned` tell: the simulations before this search, and those that
it will have. Without a plan nobody falls out. Who did carries a tag, so that a race can be stopped, looked at and gone on with at any time.
"""

from __future__ import annotations

from math import inf, log
from typing import Any

import numpy as np

from playout.compile.holes import as_word, cold, where, whole
from playout.engine.layout import DROPPED, PROVEN, REFUTED
from playout.engine.rules import GUMBEL
from playout.engine.select import least_visited, scale_of, waiting_at
from playout.game.stream import RACES, mix, step_word

RUNNERS = 16
"""The most actions that a Gumbel race begins with."""
BASE_VISITS = 50
"""What the visits of the most visited action are raised by, where a mean is weighed against a prior: c_visit of the paper, with c_scale 1."""


def no_race(sim: Any, lane: int, rule: int, player: int) -> tuple[int, int]:
    return whole(0), whole(0)


@where("extra", no_race)
@cold
def race(sim: Any, lane: int, rule: int, player: int) -> tuple[int, int]:
    """(slot, known) at the root, as `choose` gives them: the least tried of those who are still in the race.

    Sequential halving: the budget has equal parts, ceil(log2(runners)) of them, and after each the better half stays (Karnin, Koren,
    Somekh 2013; Pepels, Cazenave, Winands, Lanctot 2014 in trees). The Gumbel race begins with the actions that lead by prior and a
    drawn number and keeps those that lead by prior, number and mean (Danihelka, Guez, Schrittwieser, Silver 2022).
    """
    nodes, options, work = sim.nodes, sim.options[0], sim.work[lane]
    first, last = whole(nodes[0].first), whole(nodes[0].first + nodes[0].count)
    able, running, known = whole(0), whole(0), whole(0)
    for slot in range(first, last):
        if nodes[slot].tags & PROVEN != 0:
            known = slot if known == 0 or sim.values[slot, player] > sim.values[known, player] else known
        elif nodes[slot].tags & REFUTED == 0:
            able += 1
            running += nodes[slot].tags & DROPPED == 0
    if running == 0:
        # All who were left are proven: those who fell out come back, and the worse of them fall out again.
        for slot in range(first, last):
            nodes[slot].tags &= 255 - DROPPED
        running = able
    done = sim.head[0].simulations - options.began + waiting_at(sim.out, whole(0))
    places = places_at(min(able, RUNNERS) if rule == GUMBEL else able, done, whole(options.planned))
    if running > places and options.planned > 0:
        rate(sim, lane, rule, player)
        while running > places:
            drop_last(nodes, work.weights, first, last)
            running -= 1
    slot = least_visited(nodes, sim.out, first, last, whole(PROVEN | REFUTED | DROPPED))
    better = known != 0 and nodes[slot].visits > 0 and sim.values[known, player] * nodes[slot].visits >= nodes[slot].score[player]
    return slot, (known if better else whole(0))


def places_at(runners: int, done: int, planned: int) -> int:
    """How many stay in the race at this point of the plan; never fewer than two, the better of whom is chosen in the end."""
    rounds, size = 0, 1
    while size < runners:
        size *= 2
        rounds += 1
    end = 0
    while runners > 2:
        # However small the budget, nobody falls out of a round untried.
        end += max(runners, planned // rounds)
        if done < end:
            break
        runners = (runners + 1) // 2
    return runners


@cold
def rate(sim: Any, lane: int, rule: int, player: int) -> None:
    """How each action of the root stands in the race, into `work.weights`: its mean; with the Gumbel rule all that speaks for it."""
    head, nodes, options, weights = sim.head[0], sim.nodes, sim.options[0], sim.work[lane].weights
    first, count = whole(nodes[0].first), whole(nodes[0].count)
    scale, most = scale_of(head, options, player), whole(0)
    for i in range(count):
        most = max(most, whole(nodes[first + i].visits))
    usual = nodes[0].score[player] / max(1, nodes[0].visits)
    for i in range(count):
        node = nodes[first + i]
        mean = node.score[player] / node.visits if node.visits > 0 else usual
        if rule != GUMBEL:
            weights[i] = mean if node.visits > 0 else -inf
            continue
        # An action without tries has the mean of the position: it is judged by its prior and its number.
        hope = (mean * scale.factor + scale.shift) * (BASE_VISITS + most) if nodes[0].visits > 0 else 0.0
        weights[i] = drawn_for(head, options, whole(node.action)) + log(max(1e-12, sim.priors[first + i])) + hope


def drawn_for(head: Any, options: Any, action: int) -> float:
    """A number from the Gumbel distribution: one for every action and search."""
    word = mix(step_word(head.stream, whole(RACES) + whole(options.began)) + as_word(action + 1))
    return -log(-log((whole(word >> np.uint64(11)) + 0.5) / 9007199254740992.0))


def drop_last(nodes: Any, weights: Any, first: int, last: int) -> None:
    """Take the worst out of the race; among equals the last of the block, since those before it were tried first."""
    worst, least = first, inf
    for slot in range(first, last):
        if nodes[slot].tags & (PROVEN | REFUTED | DROPPED) == 0 and weights[slot - first] <= least:
            worst, least = slot, weights[slot - first]
    nodes[worst].tags |= DROPPED
