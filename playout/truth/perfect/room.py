"""The arrays that a solver of positions works in: the table of what is known, and the path from the root to the position at hand.

Everything is made once; kernels allocate nothing, keep all that they need to go on in here, and so can be called in slices.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from playout.compile.records import STREAM, apart, pool, slack
from playout.game.game import Game
from playout.game.record import aligned
from playout.game.stream import Stream

LONGEST = 4096
"""Actions on a path from the position asked about; fewer where states are big."""
MOST_STATES = 1 << 24
"""Bytes for the states of a path, where they are big."""
MOST_IDS = 1 << 19
"""Actions of all positions on a path together."""
MOST_VALUES = 64
"""Results of ends that are told apart; beyond that they only count as many."""

BEGIN, DONE = -2, -1
"""What `head.ply` says where there is no path: a question was put, or answered."""

ENTRY = aligned(
    [
        ("key", np.uint64),
        ("low", np.float64),
        ("high", np.float64),
        ("work", np.uint32),
        ("action", np.uint16),
        ("mover", np.int8),
        ("question", np.uint8),
    ]
)
"""What is known of a position, 32 bytes: two of them fill a line of the cache.

Of alpha-beta `low` and `high` enclose the value, from the mover's point of view; of proof-number search they are the proof number and
the disproof number of one question. `work` counts the positions visited for it, 0 in an empty entry; `action` is the best one known."""

PLY = aligned(
    [
        ("key", np.uint64),
        ("low", np.float64),
        ("high", np.float64),
        ("best", np.float64),
        ("asked", np.float64),
        ("begun", np.int64),
        ("first", np.int64),
        ("count", np.int32),
        ("next", np.int32),
        ("action", np.int32),
        ("mover", np.int32),
        ("slot", np.int32),
    ]
)
"""One position of the path: the window still open (`low`, `high`; `asked` is where it began), its actions from `first` on in `ids`."""

KID = aligned([("key", np.uint64), ("low", np.float64), ("high", np.float64), ("mover", np.int64)])
"""What an action of a position on the path leads to: of proof-number search, with what is known of it."""

HEAD = aligned(
    [
        ("ply", np.int64),
        ("nodes", np.int64),
        ("filled", np.int64),
        ("values", np.int64),
        ("trouble", np.int64),
        ("at", np.int64),
        ("by_state", np.int64),
        ("question", np.int64),
        ("word", np.uint64),
        ("answer", np.float64),
        ("total", np.float64),
        ("lowest", np.float64),
        ("highest", np.float64),
        ("over", np.float64),
        ("move", np.int64),
    ]
)
"""Where the solver stands, and the answer: of alpha-beta the value or a bound, of proof-number search whether it is `over` something;
with the action that shows it, `move`. `total` is what the returns of both players add up to; `lowest` and `highest` bound those of player 0."""


class Room(NamedTuple):
    """All that a kernel works on."""

    head: Any
    table: Any
    """Pairs of `ENTRY`; a position may be in either of its pair."""
    kept: Any
    """The states of the entries, word by word, where states tell positions apart; else one row that is never read."""
    plies: Any
    states: Any
    """The states of the path, and behind them the one that is being looked at."""
    raw: Any
    """The same, word by word."""
    ids: Any
    """The actions of the positions on the path, one position behind the other."""
    scores: Any
    """How early each of them is tried."""
    kids: Any
    """What each of them leads to, where proof numbers are asked for."""
    history: Any
    """What actions of each player cut off, over all positions."""
    killers: Any
    """For every depth the last two actions that were enough, and the last that ended the game with enough."""
    path: Any
    """Plies by key, plus one; 0 is a gap."""
    values: Any
    """Results that ends had."""
    out: Any
    rng: Any


def entries_within(megabytes: float, each: int) -> int:
    """The largest power of two of entries that fits; at least one pair."""
    return 1 << max(1, int(megabytes * 1e6 / each).bit_length() - 1)


def longest_path(game: Game) -> int:
    """How many actions a path may have."""
    return max(64, min(LONGEST, MOST_STATES // game.dtype.itemsize))


def make_room(game: Game, compiled: bool, megabytes: float, by_state: bool, kids: bool = False) -> Room:
    """Empty arrays; the table takes at most so much memory. `by_state` keeps whole states beside the entries."""
    size, longest = game.dtype.itemsize, longest_path(game)
    places = entries_within(megabytes, ENTRY.itemsize + (size if by_state else 0))
    states = apart(longest + 2, game.dtype)
    table, plies, head = (apart(n, kind) for n, kind in ((places, ENTRY), (longest + 2, PLY), (1, HEAD)))
    ids = min(MOST_IDS, (longest + 1) * game.most_legal) + slack(game.most_legal)
    stream = Stream()
    head[0]["ply"], head[0]["by_state"], head[0]["word"], head[0]["total"] = DONE, by_state, stream.word, np.nan
    low, high = game.returns_range or (-np.inf, np.inf)
    head[0]["lowest"], head[0]["highest"] = low, high
    form = np.ndarray if compiled else np.recarray
    return Room(
        head=head.view(form),
        table=table.view(form),
        kept=np.zeros((places if by_state else 1, size // 8), np.uint64),
        plies=plies.view(form),
        states=pool(states, compiled),
        raw=states.view(np.uint64).reshape(longest + 2, size // 8),
        ids=np.zeros(ids, np.int64),
        scores=np.zeros(ids, np.int64),
        kids=np.zeros(ids if kids else 1, KID).view(form),
        history=np.zeros((2, game.actions), np.int64),
        killers=np.full((longest + 2, 3), -1, np.int64),
        path=np.zeros(1 << (4 * longest).bit_length(), np.int32),
        values=np.zeros(MOST_VALUES),
        out=np.zeros(game.players),
        rng=np.array([(stream.word,)], STREAM) if compiled else [stream],
    )
