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


def no_more(sim: Any, lane: int, slot: int, player: int, usual: float, exploit: float, scale: Any) -> float:
    return 0.0


@where("extra", no_more)
def more_of(sim: Any, lane: int, slot: int, player: int, usual: float, exploit: float, scale: Any) -> float:
    """What an action's weight has beyond exploit and explore."""
    options, more = sim.options[0], 0.0
    if options.rave > 0.0:
        node, judge = sim.nodes[slot], judge_of(sim, lane, slot, player)
        times, total = np.float64(sim.amaf[judge, 0]), np.float64(sim.amaf[judge, 1])
        value = blended(node.score[player], whole(node.visits), total, times, 1.0 / options.rave, usual)
        more += value * scale.factor + scale.shift - exploit
    return more
