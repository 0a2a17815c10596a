"""Which earlier actions matter to whoever moves at a later stage of a continuous game: tried out, uncompiled and the same for every seed.

An earlier action matters to a mover if it changes by how much one of its continuations is better than another. That shows in four payoffs:
two continuations after two earlier actions. If the difference is the same after both, in all courses tried, the earlier action can be
forgotten, unless somebody who moves later remembers it.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from playout.game.continuous import BOX, NATURE
from playout.game.game import Game
from playout.game.stream import PICKS, Stream

COURSES = 12
"""Courses at random for each stage; one difference is enough."""
ROUNDING = 1e-9
"""A difference below this part of the payoffs is a rounding."""
MOST_SIDES = 3
"""So many earlier actions may matter to a mover for its answers to fit into a table."""

Array = np.ndarray[Any, Any]

_known: WeakKeyDictionary[Game, tuple[int, ...]] = WeakKeyDictionary()


def matters(game: Game) -> tuple[int, ...]:
    """For every stage the earlier ones that matter to its mover, a bit for each; () where boxes move, or payoffs do not work."""
    if game not in _known:
        _known[game] = _look(game)
    return _known[game]


def tabled(game: Game) -> str:
    """Why replies of this game do not fit into tables, in words; empty where they do."""
    shape = game.shape
    if shape is None or shape.kind != BOX or NATURE in shape.movers:
        return "its actions come from no box, or there is chance in it"
    if shape.dimension != 1:
        return f"an action has {shape.dimension} numbers"
    if not matters(game):
        return "its boxes move with what was played, or its payoffs do not work"
    return f"{what_matters(game)}, and tables have at most {MOST_SIDES} sides" if _sides(game) > MOST_SIDES else ""


def what_matters(game: Game) -> str:
    """How much of what was played matters, in words."""
    most = _sides(game)
    return f"at most {most} earlier action{'s matter' if most != 1 else ' matters'} to a later mover"


def _sides(game: Game) -> int:
    return max(bits.bit_count() for bits in matters(game))


def _look(game: Game) -> tuple[int, ...]:
    stream = Stream(0, PICKS)
    direct = [0] * game.stages
    with np.errstate(all="ignore"):
        for _ in range(COURSES):
            courses = [_course(game, stream) for _ in range(2)]
            if any(course is None for course in courses):
                return ()
            for stage in range(1, game.stages):
                for earlier in range(stage):
                    if not direct[stage] >> earlier & 1 and _differs(game, courses, stage, earlier):
                        direct[stage] |= 1 << earlier
    for stage in range(game.stages - 2, 0, -1):
        # Whoever answers remembers, so whoever is answered must.
        for later in range(stage + 1, game.stages):
            direct[stage] |= direct[later] & ((1 << stage) - 1)
    return tuple(direct)


def _course(game: Game, stream: Stream) -> Array | None:
    """All actions of a random course; None where a box depends on what was played."""
    actions = np.zeros((game.stages, game.dimension))
    box, fixed = np.zeros((2, game.dimension)), np.zeros((2, game.dimension))
    for stage in range(game.stages):
        game.functions["bounds"](stage, np.zeros_like(actions), *fixed)
        game.functions["bounds"](stage, actions, *box)
        if (box != fixed).any():
            return None
        actions[stage] = [low + (high - low) * stream.uniform() for low, high in box.T]
    return actions


def _differs(game: Game, courses: list[Array | None], stage: int, earlier: int) -> bool:
    """Whether what is best from a stage on may depend on one earlier action, to its mover."""
    one, other = courses
    assert one is not None and other is not None
    paid = []
    for changed in (False, True):
        for tail in (one, other):
            actions = np.concatenate([one[:stage], tail[stage:]])
            if changed:
                actions[earlier] = other[earlier]
            out = np.zeros(game.players)
            game.functions["payoffs"](actions, out, np.zeros(max(1, game.shape.scratch if game.shape else 1)))
            paid.append(out[game.movers[stage]])
    crossed = paid[0] - paid[1] - paid[2] + paid[3]
    return not abs(crossed) <= ROUNDING * max(1e-300, *(abs(value) for value in paid))
