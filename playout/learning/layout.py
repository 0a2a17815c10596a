"""The arrays that learning lives in: the table of values, the steps of one episode, and the options as kernels read them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from playout.compile.records import STREAM, slack
from playout.game.record import aligned

STEP = aligned([("key", np.uint64), ("value", np.float64), ("check", np.uint32), ("player", np.int64), ("patterns", np.int64)])
"""One decision of an episode: what was chosen, by whom, and its value before the episode changed anything.

`patterns` is how many it has, where values come from patterns."""

# rules and schedules as numbers for the kernels
BACKWARD, EVERY, FIRST, LAMBDA = 0, 1, 2, 3
CONSTANT, LINEAR, EXPONENTIAL, ONE_OVER_N = 0, 1, 2, 3

# who sits on the other seats
SELF, RANDOM, PAST, ASKED = 0, 1, 2, 3

# where a kernel stands in an episode, and why it came back
FRESH, PLAYING, ENDED = 0, 1, 2
DONE, GROW, ASK = 0, 1, 2

# states in the pool
NOW, TRY, SPARE, BLANK = 0, 1, 2, 3
POOL = 4

LONGEST = 16_384
"""Decisions of the longest episode."""
LONGEST_PATTERNS = 2048
"""The same where patterns are kept for every decision."""

KIND = 8
"""The bit of `check` that marks the value of a state and an action, where playing draws chance; below it is the player."""

HEAD = aligned(
    [
        (name, np.int64)
        for name in [
            "episode",
            "used",
            "room",
            "full",
            "phase",
            "steps",
            "learner",
            "given",
            "trouble",
            "collisions",
            "dropped",
            "decisions",
        ]
    ]
    + [("stream", np.uint64), ("epsilon", np.float64), ("alpha", np.float64)]
)
"""Where learning stands: the number of the episode, how many values there are and may be before the table must grow."""

OPTIONS = aligned(
    [
        (name, np.int64)
        for name in [
            "rule",
            "step",
            "explore",
            "horizon",
            "first_ties",
            "apart",
            "canonical",
            "opponent",
            "patterns",
            "squash",
        ]
    ]
    + [
        (name, np.float64)
        for name in ("step_from", "step_to", "explore_from", "explore_to", "discount", "fade", "optimism", "middle", "half")
    ]
)


class Arrays(NamedTuple):
    """All that learning works on, as its kernels get it."""

    head: Any
    table: Any
    other: Any
    """The table of a past self, on the other seats."""
    weights: Any
    other_weights: Any
    options: Any
    states: Any
    work: Any
    steps: Any
    totals: Any
    """The returns before every decision of the episode."""
    shown: Any
    """The patterns of every decision."""
    marks: Any


def work_dtype(players: int, most_legal: int) -> np.dtype[Any]:
    """The scratch space of one episode."""
    room = slack(most_legal)
    return aligned(
        [
            ("rng", STREAM),
            ("ids", np.int64, (room,)),
            ("replies", np.int64, (room,)),
            ("rated", np.float64, (room,)),
            ("seen", np.int64, (room,)),
            ("key", np.uint64),
            ("check", np.uint32),
            ("best_key", np.uint64),
            ("best_check", np.uint32),
        ]
        + [(name, np.float64, (players,)) for name in ("total", "ahead", "carry", "next")]
    )
