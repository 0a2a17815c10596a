"""The arrays that a search lives in: the columns of a tree as one table, the records beside them, the scratch space of a simulation.

A *slot* is one entry of the columns. Most slots are edges, an action of their parent, and stand for the position behind that
action too. Where one action can lead to several positions (chance), or several actions to one (transpositions), the
position has a slot of its own, found through `table`. An expanded position owns a block of slots, one per legal action; the actions
of a continuous game hang in a chain. docs/engine.md has a picture.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from playout.compile.records import STREAM, slack
from playout.engine.real.layout import LEAD, PAGES, PAGES_SHARED_BY, SHARED_BY, real_work, table_rows
from playout.game.record import aligned

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
"""An edge at the root that decisive moves rule out (a win in one is there, or another player would have one next), kept so that the
table of actions is complete; or one that allows its mover no more than another is sure of (`bounds`)."""
MERGED = 32
"""A position that several outcomes share, because widening allows no more: which actions there are depends on the state."""
SETTLED = 64
"""An action of a continuous game that is a maximum of its mover, with the best answers after it: moving it is no use."""
DROPPED = 64
"""An edge at the root of a game with listed actions that fell out of the race; see `race`."""
OUT = 128
"""A leaf that waits for its evaluation."""

# modes, as numbers for the kernels
FPU_FIRST, FPU_PARENT, FPU_NUMBER = 0, 1, 2
OFF, WIN, BLOCK = 0, 1, 2
BY_ACTIONS, BY_GRAMS = 1, 2
"""What playouts go by where they have habits; 0 where they have none."""

# states in the pool of a lane
ROOT, NOW, TRY, REPLY, LEAF, SEEN, BEFORE = 0, 1, 2, 3, 4, 5, 6
POOL = 7

LONGEST_PATH = 4096
LONGEST_PLAYOUT = 1_000_000
LONGEST_TRAIL = 4096
GRAMS = 16384
"""Entries for two actions in a row, and as many for three."""
PRINTED = 16
"""About one in so many shared positions has a print."""
ANYWHERE = -1
"""The owner of a position in `table` that every edge may share."""
SAMPLING = ("ismcts", "mo-ismcts")
"""The ways with hidden information that draw a world for every simulation."""


@lru_cache(maxsize=64)
def node_dtype(game: Any) -> np.dtype[Any]:
    """16 bytes, 8 for each player, and 8 for the squares where playouts are averaged: 40 for two players."""
    return aligned(
        [
            ("visits", np.int32),
            ("first", np.int32),
            ("count", np.int32),
            ("action", np.uint16),
            ("tags", np.uint8),
            ("mover", np.int8),
            *([] if game.continuous else [("squares", np.float64)]),
            ("score", np.float64, (game.players,)),
        ]
    )


class Column(NamedTuple):
    """One column of a tree. Allocation, growth, saving, moving the root and the bytes of a slot all follow from its line."""

    name: str
    need: str
    """What a search must need for the column to be there (`needs_of` in the planner); otherwise it has one entry, never read."""
    cell: Callable[[Any], Any]
    """The type of an entry, given the game: a dtype, or a dtype with a shape."""
    saved: bool = True
    """Whether it is in files; what is not is zero there."""
    row: bool = False
    """Whether an entry is a row of numbers."""
    shared_by: int = 1
    """How many slots one entry serves; only what belongs to one slot moves with it."""


COLUMNS = (
    Column("nodes", "", node_dtype),
    # The exact result per player, where it is known.
    Column("values", "proofs", lambda game: (np.float64, (game.players,)), row=True),
    # What player 0 gets at least above the lowest return, and at most below the highest.
    Column("bounds", "bounds", lambda game: (np.float64, (2,)), row=True),
    # How many unknown positions each player must at least win to win this one, less one; and how many actions beside have fewer.
    Column("numbers", "numbers", lambda game: (np.float64, (game.players,)), row=True),
    Column("ranks", "numbers", lambda game: np.int32),
    Column("priors", "priors", lambda game: np.float32),
    # How often an action was there to be chosen.
    Column("available", "worlds", lambda game: np.int32),
    # The sum of a position's own playouts, where its score is taken anew from its edges.
    Column("own", "graph", lambda game: (np.float64, (game.players,)), row=True),
    # Of some positions that several edges may lead to, a print of the state that did first; see `positions.look_twice`.
    Column("prints", "shared", lambda game: np.int64, saved=False, shared_by=PRINTED),
    # Simulations that went through the slot and wait for the evaluation of their leaf.
    Column("out", "waiting", lambda game: np.int32, saved=False),
    # How often an action was played by its mover from its position on, and the sum of what that brought; see `played`.
    Column("amaf", "amaf", lambda game: (np.float32, (2,)), row=True),
    # What `evaluate` says of the best line below, per player; see `implied`.
    Column("implied", "implicit", lambda game: (np.float64, (game.players,)), row=True),
    # What an action would have brought beyond what was got; see `mixing`.
    Column("regrets", "regrets", lambda game: np.float64),
    # The vectors of the actions of a continuous game.
    Column("moves", "real", lambda game: (np.float64, (game.dimension,)), row=True),
    # The next action of the same position, where they hang in a chain.
    Column("siblings", "real", lambda game: np.int32),
    # How many actions of a position were moved there, and not drawn.
    Column("moved", "real", lambda game: np.int32),
    # Of a position with many actions: what hangs below this one in their order; see `real.ordered`. Where actions have several numbers,
    # what hangs at the fork that came with this one, and by which bit it parts; see `real.cells`.
    Column("links", "real", lambda game: (np.int32, (2 if game.dimension == 1 else 3,)), saved=False, row=True),
    # The number of the position's leaders among `leads`; 0 while it has none.
    Column("lead", "real", lambda game: np.int32, saved=False),
    # The likely choices of the positions of a continuous game that have many actions; see `real.leaders`.
    Column("leads", "real", lambda game: LEAD, saved=False, shared_by=SHARED_BY),
    # Where an action stands among those of its position that do not lead, and their pages; see `real.pages`.
    Column("entry", "real", lambda game: np.int32, saved=False),
    Column("pages", "real", lambda game: PAGES, saved=False, shared_by=PAGES_SHARED_BY),
)

TABLE = aligned([("hash", np.uint64), ("owner", np.int32), ("slot", np.int32)])
"""Positions found by hash; slot 0 (the root) marks an empty place."""

FIELDS: Any = ("head", *(column.name for column in COLUMNS), "table", "habits")
Tree: Any = namedtuple("Tree", FIELDS)  # type: ignore[misc]
"""The arrays of one tree; columns, and habits of its playouts, that the settings do not need have length 1."""
Sim: Any = namedtuple("Sim", (*FIELDS, "options", "states", "raw", "work", "learned"))  # type: ignore[misc]
"""All that a simulation works on: the tree, the options, and for every lane a pool of states (and its bytes) and scratch space.

Functions that need four columns or more take the bundle, the others the columns they read: a bundle for every small function
cost Connect Four a fifth of its speed.
"""


def empty(game: Any, needs: set[str], slots: int, places: int, record: Callable[..., Any]) -> Any:
    """A tree of zeroed columns with room for so many slots and hashed positions; `record` makes its head."""

    def column(c: Column) -> Any:
        cell = np.dtype(c.cell(game))
        length = (slots // c.shared_by + (c.shared_by > 1)) if not c.need or c.need in needs else 1
        return np.zeros((length, *cell.shape), cell.base)

    ids = 1 if game.continuous else game.players * game.actions
    rows = (
        ids + 2 * GRAMS if "grams" in needs else ids if "habits" in needs else table_rows(game.stages) if "tables" in needs else 1
    )
    habits = np.zeros((rows, 2), np.float32)
    return Tree._make([record(1, head_dtype(game)), *(column(c) for c in COLUMNS), np.zeros(places, TABLE), habits])


def used_by(tree: Any) -> list[Column]:
    """The columns that are really there."""
    return [column for column in COLUMNS if not column.need or len(getattr(tree, column.name)) > 1]


def slot_bytes(tree: Any) -> int:
    """Bytes per slot over all columns."""
    return sum(-(-int(getattr(tree, c.name)[:1].nbytes) // c.shared_by) for c in used_by(tree))


@lru_cache(maxsize=64)
def head_dtype(game: Any) -> np.dtype[Any]:
    """What a tree knows of itself; of a continuous game also what it may still spend on moving actions, stage by stage."""
    return aligned(
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
            ("lane", np.int64),
            ("deepest", np.int64),
            ("steps", np.int64),
            ("valued", np.int64),
            ("evaluations", np.int64),
            ("owed", np.float64),
            ("spent", np.int64),
            ("credit", np.float64, (max(1, game.stages),)),
            ("low", np.float64, (game.players,)),
            ("high", np.float64, (game.players,)),
        ]
    )


SWITCHES = """rule root_rule forced fpu_mode ranged solver depth own_playout playouts cutoff use_evaluate decisive decisive_playouts
transpositions has_range use_prior worlds drawn observer open_loop many redraw learned canonical apart squash
alone sampling borrow backup solve_last moving derivatives moved branches window began planned trail grave terms habits everywhere tables smooth reward"""
NUMBERS = """c fpu proof_weight discount low high outcome_width outcome_power middle half action_width action_power exponent golden local_share
refine evaluations rate reach distance spread decay rave epsilon bias implicit mixing"""
OPTIONS = np.dtype([(name, np.int64) for name in SWITCHES.split()] + [(name, np.float64) for name in NUMBERS.split()], align=True)
"""The settings as kernels read them; `planner.options` fills it in."""


def _trail_work(game: Any, longest: int) -> list[Any]:
    """What a simulation remembers of the actions it played, where settings ask for that; see `played`. An action is id · players + mover.

    With a trail of one nobody asks.
    """
    ids, each = game.players * game.actions if longest > 1 else 1, (game.players,)
    return [
        ("trail", np.int32, (longest,)),
        ("trailed", np.int64, (1,)),
        ("before", np.int64, (2,)),
        ("played", np.int64, (ids,)),
        ("entry", np.int32, (ids,)),
        ("entered", np.int64, each),
        ("reference", np.int64, each),
    ]


@lru_cache(maxsize=64)
def work_dtype(game: Any, longest: int = LONGEST_PATH, trail: int = LONGEST_TRAIL) -> np.dtype[Any]:
    """The scratch space of one simulation, with room for a path and for the actions that it remembers of a playout."""
    players = game.players
    # A stage of a continuous game is an action and what chance makes of it.
    longest = 2 * game.stages + 8 if game.continuous else longest
    one = (1,)
    return aligned(
        [
            ("rng", STREAM),
            ("spare", STREAM),
            ("ids", np.int64, (slack(game.most_legal),)),
            ("replies", np.int64, (slack(game.most_legal),)),
            ("weights", np.float64, (slack(game.most_legal),)),
            ("shown", np.int64, (slack(game.most_patterns),)),
            ("path", np.int64, (longest,)),
            ("instead", np.int64, (longest,)),
            ("length", np.int64, one),
            ("depth", np.int64, one),
            ("waits", np.int64, one),
            ("grown", np.int64, one),
            ("at", np.int64, (players,)),
            ("seen", np.uint64, (players,)),
            ("totals", np.float64, (longest, players)),
            ("weight", np.float64, one),
            *((name, np.float64, (players,)) for name in ("value", "result", "mean", "total", "so_far")),
            *(real_work(game) if game.continuous else _trail_work(game, trail)),
        ]
    )
