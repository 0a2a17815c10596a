"""Real-valued actions: the modes of their search, the leaders of a position, and the scratch space of a simulation."""

from __future__ import annotations

from typing import Any

import numpy as np

# modes, as numbers for the kernels, in the order of the words in the settings
MEAN, MAX, POWER = 0, 1, 2
UNIFORM, SEQUENCE, LOCAL, VORONOI = 0, 1, 2, 3
BY_NOTHING, BY_OWN_SLOPES, BY_TOTAL, BY_LOCAL = 0, 1, 2, 3
EXACT, BY_DIFFERENCES, BY_OWN = 0, 1, 2
FRESH, DECAYED, ADDED = 0, 1, 2

BOX = 0
"""The action set that is a box; others are spheres."""

SHARED_BY = 8
"""Positions with at least so many actions keep leaders."""
LEADERS = 4
LEAD = np.dtype(
    [
        ("slots", np.int32, (LEADERS,)),
        ("best", np.int64),
        ("best_value", np.float64),
        ("values", np.float64, (LEADERS,)),
        ("spreads", np.float64, (LEADERS,)),
        ("low", np.float64),
        ("high", np.float64),
        ("most", np.float64),
        ("reach", np.float64),
        ("most_wide", np.float64),
        ("page", np.int32),
        ("last", np.int32),
        ("top", np.int32),
        ("ordered", np.int32),
        ("busiest", np.int32),
        ("busy", np.int32),
    ],
    align=True,
)
"""The leaders (none while the first slot is 0) with value and 1/sqrt(visits); the lowest and highest value among the others;
their highest weight when the bonus was `reach`. Where the others are in pages (`real.pages`), the top page (else 0), the last of those
with actions, and the highest weight at the larger bonus, too. Apart from these the action of the highest value, 0 while it is not known and
-1 where it was and is no more; of its actions in order (`real.ordered`) the top, and how many of them are there; the most visits of any,
and the newest action that has them (0: not known)."""

PAGED = 64
"""Positions with at least so many actions keep those that do not lead in pages."""
PAGE = 8
PAGES = np.dtype(
    [
        ("below", np.int32, (PAGE,)),
        ("up", np.int32),
        ("count", np.int32),
        ("level", np.int32),
        ("spare", np.int32),  # no byte of a page is left to what was there before: trees are compared by their bytes
        *((name, np.float64, (PAGE,)) for name in ("lows", "highs", "slims", "wides")),
    ],
    align=True,
)
"""A page: its entries, which are actions at level 0 and pages above it; the entry that stands for it (page times `PAGE` plus place,
0 for the top); and what is said of each entry: its range of values, the highest weight at the smaller bonus and at the larger one."""
PAGES_SHARED_BY = 16
"""Slots for each page: few positions have many actions, and where there are no pages left a look at all has to do."""

SCAN, SCAN_MORE, MOST_SCAN = 12, 8, 40
"""Places that a last stage is looked at before it is climbed: in one dimension, for each dimension where there are more, and at most."""

MOST_BRANCHES, MOST_LEAVES = 16, 4096

LOWER, UPPER, FORK = 0, 1, 2
"""What the links of an action are."""
MOST_OPEN, MOST_KEYS = 128, 8
"""Boxes that a walk through actions of several numbers puts off, and how many of their numbers it goes by; see `real.cells`."""

MOST_CELLS = 65 * 65
"""Cells of a table of replies; see `real.tables`."""


def table_rows(stages: int) -> int:
    """The rows that tables of replies take: two and two for every stage that tell how far they are, and the cells."""
    return 2 + 2 * stages + stages * MOST_CELLS


def real_work(game: Any) -> list[Any]:
    """The further fields of the scratch space; with room for every level of total derivatives where the game has them."""
    stages, d, run_time = game.stages, game.dimension, game.run_time
    room = run_time.room + run_time.behind_scratch
    levels = stages + 1 if game.totals else 1
    real, whole, history = np.float64, np.int64, (stages, d)
    return [
        *((name, real, (d,)) for name in ("fresh", "high", "lean", "step", "home", "top", "target", "corner")),
        ("low", real, (d + run_time.behind_low,)),
        *((name, real, history) for name in ("point", "line", "before", "shaken", "row", "slopes", "newton")),
        *((name, real, (d, d)) for name in ("matrix", "vectors")),
        *((name, whole, (d,)) for name in ("free", "edges", "keys")),
        ("cells", whole, (MOST_OPEN if d > 1 else 1,)),
        *((name, whole, (stages,)) for name in ("spots", "trail", "matters")),
        # Of a table of replies: the stride of a side, and the part of a cell along it, by the bit that stands for the side.
        ("sides", whole, (8,)),
        ("parts", real, (8,)),
        *((name, whole, (1,)) for name in ("root", "newest", "guide", "open")),
        ("prices", real, (stages,)),
        ("scan", real, (SCAN if d == 1 else min(SCAN_MORE * d, MOST_SCAN),)),
        ("shift", np.uint64, (1,)),
        ("scratch", real, (room,)),
        ("complex_actions", np.complex128, history),
        ("complex_value", np.complex128, (game.players,)),
        ("complex_scratch", np.complex128, (room,)),
        # The total derivatives: for every level the point it is asked at, the step that was made, and what the levels below found.
        *((name, whole, (levels + 1,)) for name in ("place", "turn")),
        ("points", real, (levels + 1, *history)),
        ("tried", real, (levels + 1,)),
        ("kept", real, (levels, d)),
        ("carried", real, (levels, stages, d)),
        ("jacobian", real, (levels, stages, d, d)),
        ("responses", real, (levels, stages, stages, d, d)),
        ("near", real, (stages, MOST_BRANCHES, d)),
        ("found", real, (MOST_LEAVES, game.players)),
        ("chosen", whole, (MOST_LEAVES,)),
    ]
