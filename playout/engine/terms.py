"""What else selection goes by, where settings ask for it: terms beside the mean and the bonus of the rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.compile.holes import hot, where, whole
from playout.engine.played import judge_of


@hot
def blended(score: float, visits: int, total: float, times: float, one_in: float, usual: float) -> float:
    """The mean of an action and of what came of playing it later, by the share that has the least mean squared error.

    That share is times / (visits + times + visits·times·one_in), where 1 / one_in visits are worth as much as any number of the other kind
    (Gelly, Silver 2011, with the bias as a number of visits). Both means and the share have one common denominator.
    """
    weighed = 1.0 + times * one_in
    below = times + visits * weighed
    return (score * weighed + total) / below if below > 0.0 else usual


def no_more(sim: Any, lane: int, slot: int, tries: int, player: int, usual: float, exploit: float, scale: Any) -> float:
    return 0.0


@where("extra", no_more)
def more_of(sim: Any, lane: int, slot: int, tries: int, player: int, usual: float, exploit: float, scale: Any) -> float:
    """What an action's weight has beyond exploit and explore: other means mixed with its own, and the progressive bias of its prior."""
    options, node, better = sim.options[0], sim.nodes[slot], exploit
    if options.rave > 0.0:
        judge = judge_of(sim, lane, slot, player)
        times, total = np.float64(sim.amaf[judge, 0]), np.float64(sim.amaf[judge, 1])
        value = blended(node.score[player], whole(node.visits), total, times, 1.0 / options.rave, usual)
        better = value * scale.factor + scale.shift
    if options.implicit > 0.0 and node.visits > 0:
        better += options.implicit * (sim.implied[slot, player] * scale.factor + scale.shift - better)
    if options.bias > 0.0:
        better += bias_of(options.bias, sim.priors[slot], tries)
    return better - exploit  # type: ignore[no-any-return]


def bias_of(bias: float, prior: float, tries: int) -> float:
    """Progressive bias: a head start that fades with the tries (Chaslot, Winands, van den Herik, Uiterwijk, Bouzy 2008)."""
    return bias * prior / (1 + tries)
