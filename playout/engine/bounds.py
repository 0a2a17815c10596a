"""Score-bounded proofs: what a position is worth at least and at most, for two players who want the opposite.

`prove` carries exact results alone: where a game can be drawn, a position with a sure draw is proven only when every other action is
exactly known. Bounds need less. A position is worth at least the best that one of its actions is sure of, and at most the
best that one of them still allows; where the two meet it is proven. An action that allows no more than another is sure of is refuted: no
simulation goes there again. (Cazenave, Saffidine, "Score bounded Monte-Carlo tree search", 2010.)

Bounds are kept as what is known beyond the range of the returns, for player 0, so that a new slot (zeros) knows nothing.
"""

from __future__ import annotations

from typing import Any

from playout.compile.holes import cold, where, whole
from playout.engine.backup import prove
from playout.engine.layout import CHANCE, POSITION, PROVEN, REFUTED


def at_least(options: Any, bounds: Any, slot: int, player: int) -> float:
    """What a slot is worth to a player at least."""
    least, most = ends(options)
    return least + bounds[slot, 0] if player == 0 else bounds[slot, 1] - most  # type: ignore[no-any-return]


def at_most(options: Any, bounds: Any, slot: int, player: int) -> float:
    """What a slot is worth to a player at most."""
    least, most = ends(options)
    return most - bounds[slot, 1] if player == 0 else -least - bounds[slot, 0]  # type: ignore[no-any-return]


def ends(options: Any) -> tuple[float, float]:
    """The lowest and highest return of player 0; what one wins the other loses."""
    return max(options.low, -options.high), min(options.high, -options.low)


@where("bounds", prove)
@cold
def prove_bounds(sim: Any, lane: int) -> None:
    """The end of the path is proven: carry bounds up as far as they become narrower, and a proof where they meet."""
    nodes, values, bounds, options, work = sim.nodes, sim.values, sim.bounds, sim.options[0], sim.work[lane]
    path = work.path
    end = path[work.length[0] - 1]
    if abs(values[end, 0] + values[end, 1]) > 1e-9:
        return  # one number would not say what both get
    least, most = ends(options)
    bounds[end, 0], bounds[end, 1] = values[end, 0] - least, most - values[end, 0]
    for i in range(work.length[0] - 1, 0, -1):
        child, above = whole(path[i]), whole(path[i - 1])
        if nodes[child].tags & POSITION == 0:
            if not narrow(sim, above, whole(nodes[child].mover)):
                return
        elif nodes[above].tags & CHANCE != 0:
            return
        else:
            bounds[above, 0], bounds[above, 1] = bounds[child, 0], bounds[child, 1]
        low = at_least(options, bounds, above, whole(0))
        if low >= at_most(options, bounds, above, whole(0)):
            nodes[above].tags |= PROVEN
            values[above, 0], values[above, 1] = low, 0.0 - low


def narrow(sim: Any, position: int, player: int) -> bool:
    """The bounds of a position from those of its actions, and which of these they refute; False where nothing became narrower."""
    nodes, bounds, options = sim.nodes, sim.bounds, sim.options[0]
    first, last = whole(nodes[position].first), whole(nodes[position].first + nodes[position].count)
    sure, hoped = at_least(options, bounds, position, player), -1e308
    for edge in range(first, last):
        if nodes[edge].tags & REFUTED == 0:
            sure = max(sure, at_least(options, bounds, edge, player))
            hoped = max(hoped, at_most(options, bounds, edge, player))
    # With decisive moves every action may be refuted but one, which was not.
    hoped = max(sure, min(hoped, at_most(options, bounds, position, player)))
    if sure <= at_least(options, bounds, position, player) and hoped >= at_most(options, bounds, position, player):
        return False
    for edge in range(first, last):
        if nodes[edge].tags & PROVEN == 0 and at_most(options, bounds, edge, player) <= sure:
            nodes[edge].tags |= REFUTED
    least, most = ends(options)
    if player == 0:
        bounds[position, 0], bounds[position, 1] = sure - least, most - hoped
    else:
        bounds[position, 0], bounds[position, 1] = -hoped - least, most + sure
    return True
