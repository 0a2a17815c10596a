"""The arrays that a search lives in: one record per node, and the scratch space of one simulation.

A *slot* is one record in `nodes`. Most slots are edges, an action of their parent, and stand for the position behind that
action too. Where one action can lead to several positions (chance), or several actions to one (transpositions), the
position has a slot of its own, found through `table`. An expanded position owns a block of slots, one per legal action.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from playout.compile.records import STREAM, slack

# tags of a slot
PROVEN = 1
"""The exact result is known; it is in `values`."""
CHANCE = 2
"""Playing this edge drew from the stream: its position depends on the outcome."""
LINK = 4
"""`first` of this edge is the slot of its position, shared with other edges."""
POSITION = 8
"""A position with a slot of its own, below an edge."""
REFUTED = 16
"""An edge at the root that decisive moves rule out (a win in one is there, or another player would have one next);
kept so that the table of actions is complete."""
MERGED = 32
"""A position that several outcomes share, because widening allows no more: which actions there are depends on the state."""

SETTLED = 64
"""An action of a continuous game that is a maximum of its mover, with the best answers after it: moving it is no use."""

# rules, modes, as numbers for the kernels
UCB1, TUNED, PUCT, EQUAL = 0, 1, 2, 3
FPU_FIRST, FPU_PARENT, FPU_NUMBER = 0, 1, 2
OFF, WIN, BLOCK = 0, 1, 2

# continuous games
MEAN, MAX, POWER = 0, 1, 2
UNIFORM, SEQUENCE, LOCAL, VORONOI = 0, 1, 2, 3
BY_NOTHING, BY_OWN_SLOPES, BY_TOTAL, BY_LOCAL = 0, 1, 2, 3
EXACT, BY_DIFFERENCES, BY_OWN = 0, 1, 2
FRESH, DECAYED, ADDED = 0, 1, 2

# why a kernel came back early (`head.trouble`)
NOT_A_NUMBER, NO_LEGAL, TOO_MANY_LEGAL, ENDLESS, BAD_MOVER, BAD_ACTION, BAD_PATTERN = 1, 2, 3, 4, 5, 6, 7

# states in the pool
ROOT, NOW, TRY, REPLY, LEAF, SEEN, BEFORE = 0, 1, 2, 3, 4, 5, 6
POOL = 7

LONGEST_PATH = 4096
LONGEST_PLAYOUT = 1_000_000
ANYWHERE = -1
"""The owner of a position in `table` that every edge may share."""


def node_dtype(players: int, continuous: bool = False) -> np.dtype[Any]:
    """16 bytes and 8 for each player and 8 for the squares: 40 for two players.

    In a continuous game, whose values are those of lines and not means of playouts, the number of its leaders is in place of the squares.
    """
    return np.dtype(
        [
            ("visits", np.int32),
            ("first", np.int32),
            ("count", np.int32),
            ("action", np.uint16),
            ("tags", np.uint8),
            ("mover", np.int8),
            ("lead", np.int64) if continuous else ("squares", np.float64),
            ("score", np.float64, (players,)),
        ]
    )


def head_dtype(players: int, stages: int = 0) -> np.dtype[Any]:
    """What a tree knows of itself; of a continuous game also what it may still spend on moving actions, stage by stage."""
    return np.dtype(
        [
            ("seed", np.int64),
            ("tree", np.int64),
            ("stream", np.uint64),
            ("simulations", np.int64),
            ("used", np.int64),
            ("positions", np.int64),
            ("leads", np.int64),
            ("full", np.int64),
            ("trouble", np.int64),
            ("deepest", np.int64),
            ("steps", np.int64),
            ("valued", np.int64),
            ("evaluations", np.int64),
            ("owed", np.float64),
            ("spent", np.int64),
            ("credit", np.float64, (max(1, stages),)),
            ("low", np.float64, (players,)),
            ("high", np.float64, (players,)),
        ]
    )


TABLE = np.dtype([("hash", np.uint64), ("owner", np.int32), ("slot", np.int32)])
"""Positions found by hash; slot 0 (the root) marks an empty place."""

OPTIONS = np.dtype(
    [
        (name, np.int64)
        for name in [
            "rule",
            "fpu_mode",
            "ranged",
            "solver",
            "depth",
            "own_playout",
            "playouts",
            "cutoff",
            "use_evaluate",
            "decisive",
            "decisive_playouts",
            "transpositions",
            "has_range",
            "use_prior",
            "worlds",
            "drawn",
            "observer",
            "open_loop",
            "many",
            "redraw",
            "learned",
            "canonical",
            "apart",
            "squash",
            "alone",
            "sampling",
            "borrow",
            "backup",
            "solve_last",
            "mover",
            "derivatives",
            "moved",
            "branches",
            "window",
        ]
    ]
    + [(name, np.float64) for name in ("c", "fpu", "discount", "low", "high", "width", "power", "middle", "half")]
    + [(name, np.float64) for name in ("action_width", "action_power", "exponent", "golden", "local_share")]
    + [(name, np.float64) for name in ("refine", "evaluations", "rate", "reach", "distance", "spread", "decay")]
)


GROWING = ("nodes", "values", "priors", "available", "moves", "siblings")
"""The columns with an entry per slot."""
SAMPLING = ("ismcts", "mo-ismcts")
"""The ways with hidden information that draw a world for every simulation."""


class Tree(NamedTuple):
    """The arrays of one tree; columns that the settings do not use have length 1."""

    head: Any
    nodes: Any
    values: Any
    priors: Any
    available: Any
    """How often an action was there to be chosen; of a position in a continuous game, how many of its actions were moved there."""
    moves: Any
    """The vectors of the actions of a continuous game."""
    siblings: Any
    """The next action of the same position, where they hang in a chain."""
    leads: Any
    """The likely choices of the positions of a continuous game that have many actions; see `leaders`."""
    table: Any


def work_dtype(game: Any, wide: bool = False) -> np.dtype[Any]:
    """The scratch space of one simulation; `wide` with the room that total derivatives need."""
    players, ids = game.players, slack(game.most_legal)
    # A stage of a continuous game is an action and what chance makes of it.
    longest = 2 * game.stages + 8 if game.continuous else LONGEST_PATH
    return np.dtype(
        [
            ("rng", STREAM),
            ("spare", STREAM),
            ("ids", np.int64, (ids,)),
            ("replies", np.int64, (ids,)),
            ("weights", np.float64, (ids,)),
            ("shown", np.int64, (slack(game.most_patterns),)),
            ("path", np.int64, (longest,)),
            ("instead", np.int64, (longest,)),
            ("grown", np.int64, (1,)),
            ("at", np.int64, (players,)),
            ("seen", np.uint64, (players,)),
            ("totals", np.float64, (longest, players)),
            ("weight", np.float64, (1,)),
        ]
        + [(name, np.float64, (players,)) for name in ("value", "result", "mean", "total", "so_far")]
        + (_continuous_work(game, wide) if game.continuous else [])
    )


MOST_BRANCHES, MOST_LEAVES = 16, 4096


def _continuous_work(game: Any, wide: bool) -> list[Any]:
    stages, d, room = game.stages, game.dimension, max(1, game.shape.scratch)
    levels = stages + 1 if wide else 1
    real, whole_history = np.float64, (stages, d)
    return [
        *((name, real, (d,)) for name in ("fresh", "low", "high", "lean", "step", "home")),
        *((name, real, whole_history) for name in ("point", "line", "before", "shaken", "row", "slopes", "newton")),
        *((name, real, (d, d)) for name in ("matrix", "vectors")),
        ("free", np.int64, (d,)),
        ("edges", np.int64, (d,)),
        ("spots", np.int64, (stages,)),
        ("trail", np.int64, (stages,)),
        ("length", np.int64, (1,)),
        ("root", np.int64, (1,)),
        ("newest", np.int64, (1,)),
        ("prices", real, (stages,)),
        ("shift", np.uint64, (1,)),
        ("scratch", real, (room,)),
        ("complex_actions", np.complex128, whole_history),
        ("complex_value", np.complex128, (game.players,)),
        ("complex_scratch", np.complex128, (room,)),
        ("kept", real, (levels, d)),
        ("moved", real, (levels, stages, d)),
        ("shifted", real, (levels, *whole_history)),
        ("jacobian", real, (levels, stages, d, d)),
        ("responses", real, (levels, stages, stages, d, d)),
        ("near", real, (stages, MOST_BRANCHES, d)),
        ("found", real, (MOST_LEAVES, game.players)),
        ("chosen", np.int64, (MOST_LEAVES,)),
    ]
