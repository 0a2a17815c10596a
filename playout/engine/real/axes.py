"""New actions of several numbers where total derivatives are too dear at the root: one number is changed at a time.

Then only those who answer can be moved along slopes. The root is searched by coordinates (Hooke and Jeeves 1961), and so that the others find
another top as well as the nearest one, their tops are looked for in the same way.
"""

from __future__ import annotations

from math import inf
from typing import Any

from playout.compile.holes import DIMENSION, STAGES, whole
from playout.engine.layout import ROOT
from playout.engine.real.layout import SEQUENCE
from playout.engine.real.leaders import best_edge
from playout.game.stream import uniform

SIDE_SHARE, SIDE_FAR, SIDE_LONGEST, SIDE_LEAST = 0.8, 0.3, 0.2, 0.02
"""Where a stage of several dimensions cannot be moved: how many new actions are the best one with one number changed; how many of these
go anywhere along that axis; the longest of the other steps, as a part of the box, and the shortest, as a part of that."""
KNOWN = 6
"""So many actions such a stage must have first."""


def one_at_a_time(sim: Any, lane: int, position: int, stage: int, player: int, count: int) -> bool:
    """Mostly, where total derivatives begin at a later stage than the root's, the best action with one number changed.

    A stage that can be moved along them is only to be shown where else a top may be, so there the number goes anywhere.
    """
    options, work = sim.options[0], sim.work[lane]
    if options.sampling != SEQUENCE or work.prices[whole(sim.states[lane][ROOT].stage)] != inf or stage == STAGES - 1:
        return False
    unmoved = work.prices[stage] == inf
    if count < (KNOWN if unmoved else 1) or uniform(work.rng) >= SIDE_SHARE:
        return False
    sideways(sim.moves, work, best_edge(sim, position, player), SIDE_FAR if unmoved else 1.0)
    return True


def sideways(moves: Any, work: Any, best: int, far: float) -> None:
    """The best so far with one of its numbers changed: to any other, or by a step whose size is drawn evenly over its digits.

    In many dimensions hardly a step in all of them at once is uphill; along an axis every other one is, as far as it is short enough.
    """
    for i in range(DIMENSION):
        work.fresh[i] = moves[best, i]
    i = whole(uniform(work.rng) * DIMENSION)
    wide = work.high[i] - work.low[i]
    if uniform(work.rng) < far:
        work.fresh[i] = work.low[i] + wide * uniform(work.rng)
        return
    step = wide * SIDE_LONGEST * SIDE_LEAST ** uniform(work.rng)
    step = step if uniform(work.rng) < 0.5 else -step
    work.fresh[i] = min(max(work.fresh[i] + step, work.low[i]), work.high[i])
