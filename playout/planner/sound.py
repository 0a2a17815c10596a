"""Is a tree that comes from a file one that a search could have grown? Asked before machine code follows an index of it.

Kernels trust a tree: where a number in it points, they read and write. So every number that leads anywhere is looked at here, all at
once and with NumPy, since a tree may have millions of slots; and what is wrong comes out in words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from playout.engine import layout
from playout.engine.layout import CHANCE, LINK, MERGED, OUT, POSITION, PROVEN, SAMPLING
from playout.engine.real import tables
from playout.game.stream import MOST_SIMULATIONS, base_word
from playout.planner.matters import matters

if TYPE_CHECKING:
    from playout.planner.tree import SearchTree

Array = np.ndarray[Any, Any]
Columns = dict[str, Array]

MOST_VISITS = 2_000_000_000
"""As many as one budget allows; beyond, the next ones would not fit into their column."""
SLACK = 1e-6
"""How far sums may be beyond what their parts allow, by rounding."""
ENDLESS = ("numbers",)
"""Columns in which infinity is a number."""


class _Wrong(Exception):
    """What cannot be, in words."""


def _must(true: Any, words: str) -> None:
    if not bool(np.all(true)):
        raise _Wrong(words)


def flaw(tree: SearchTree, columns: Columns, number: int) -> str:
    """What is impossible about the columns of a tree that was read for this empty one; "" where nothing is."""
    try:
        _check_shapes(tree, columns)
        _check_head(tree, columns["head"][0], len(columns["nodes"]), number)
        _check_nodes(tree, columns)
        _check_table(columns)
        (_check_chains if tree.game.continuous else _check_blocks)(tree, columns)
        if tree.settings.method == "tables":
            _check_tables(tree, columns["habits"])
    except _Wrong as error:
        return str(error)
    return ""


def _check_tables(tree: SearchTree, rows: Array) -> None:
    """How far the tables of replies are, and how large: kernels find their cells by that."""
    stages, root = tree.game.stages, int(tree.root.fields.stage)
    _must(np.isfinite(rows), "a number in its tables of replies is none")
    (level, turn), (cell, done) = rows[tables.PROGRESS], rows[tables.PLACE]
    points, asked = rows[tables.FIRST_ROW :][:stages], rows[tables.FIRST_ROW + stages :][:stages]
    whole = np.concatenate([[level, turn, cell, done], points.ravel(), asked[:, 0]])
    _must((whole == np.floor(whole)) & (whole >= 0), "its tables of replies are not as any search leaves them")
    _must(level < tables.LEVELS and (turn == 0 or root < turn <= stages) and done <= 1, "its tables of replies are at no stage")
    _must(asked[:, 0] <= 1, "it asks a table of replies that it has not")
    sides = [(matters(tree.game)[stage] >> root).bit_count() for stage in range(root, stages)]
    for stage, many in zip(range(root, stages), sides, strict=True):
        known = {0, *(tables.points_at(sweep, many) for sweep in range(tables.LEVELS))}
        _must([int(side) in known for side in points[stage]], "a table of replies in it has a size that none has")
    if turn:
        many = sides[int(turn) - 1 - root]
        _must(cell < tables.cells_of(tables.points_at(int(level), many), many), "its tables of replies are at no cell")


def _check_shapes(tree: SearchTree, columns: Columns) -> None:
    """Every column has its type, and the length that the settings ask for."""
    used = len(columns["nodes"])
    for name, array in columns.items():
        column = np.asarray(getattr(tree.tree, name))
        by_slot = name not in ("head", "table", "habits") and (name == "nodes" or len(column) > 1)
        length = used if by_slot else len(array) if name == "table" else len(column)
        _must(array.dtype == column.dtype and array.shape[1:] == column.shape[1:], f"its column {name} is of another kind")
        _must(len(array) == length, f"its column {name} has {len(array):,} entries where {length:,} belong")
    size = len(columns["table"])
    _must(used >= 1 and size >= 2 and size & (size - 1) == 0, "it has no slots, or a table of a length that none has")
    for name, array in columns.items():
        if array.dtype.kind == "f" and len(array) == used:
            _must(~np.isnan(array) if name in ENDLESS else np.isfinite(array), f"a number in its column {name} is none")


def _check_head(tree: SearchTree, head: Any, used: int, number: int) -> None:
    """What a tree says of itself."""
    seed = tree.settings.seed
    _must(head["used"] == used, f"it says that {int(head['used']):,} slots are in use, and has {used:,}")
    same = (head["seed"], head["tree"], head["stream"]) == (seed, number, base_word(seed, number))
    _must(same, "its stream is not that of its seed")
    counts = ("simulations", "deepest", "steps", "valued", "evaluations", "spent", "positions")
    _must([0 <= head[name] <= MOST_SIMULATIONS * 1024 for name in counts], "a count in its head is impossible")
    _must(head["simulations"] < MOST_SIMULATIONS, "it had more simulations than there are streams for")
    _must(head["trouble"] == 0 and head["leads"] == 0 and head["full"] in (0, 1), "its head is not that of a tree at rest")
    _must(0 <= head["lane"] < tree.lanes, "its head is not that of a tree at rest")
    low, high = head["low"], head["high"]
    fresh = np.isposinf(low) & np.isneginf(high)
    _must(fresh | (np.isfinite(low) & np.isfinite(high) & (low <= high)), "the range of its returns is impossible")
    _must(np.isfinite(head["owed"]) and np.isfinite(head["credit"]).all(), "a number in its head is none")


def _check_nodes(tree: SearchTree, columns: Columns) -> None:
    """Every slot by itself: where it points, what its tags say, and what was added up in it."""
    game, settings, nodes = tree.game, tree.settings, columns["nodes"]
    used, tags, visits = len(nodes), nodes["tags"], nodes["visits"]
    first, count = nodes["first"].astype(np.int64), nodes["count"].astype(np.int64)
    _must((first >= 0) & (count >= 0) & (first < used), "a slot of it points outside")
    _must((nodes["mover"] >= 0) & (nodes["mover"] < game.players), "a slot of it has a mover that the game has not")
    _must(nodes["action"] < game.actions, "a slot of it has an action that the game has not")
    # A moved line of a continuous game counts as a visit, and is no simulation.
    seen = MOST_VISITS if game.continuous else min(MOST_VISITS, int(columns["head"][0]["simulations"]))
    _must((visits >= 0) & (visits <= seen), "a count of its visits is impossible")
    for name in ("available", "moved", "ranks"):
        if len(columns[name]) == used:
            _must((columns[name] >= 0) & (columns[name] <= MOST_VISITS), f"a number in its column {name} is impossible")
    _must(np.isfinite(nodes["score"]), "a score in it is no number")
    if not game.continuous:
        _must(np.isfinite(nodes["squares"]) & (nodes["squares"] >= 0), "a sum of squares in it is none")
    _must(tags & OUT == 0, "a leaf of it waits for a value")
    forbidden = (0 if settings.transpositions or settings.graph else LINK) | (0 if len(columns["values"]) == used else PROVEN)
    forbidden |= 0 if settings.observation_width is not None or game.continuous else MERGED
    _must(tags & forbidden == 0, "a slot of it has a tag that its settings do not give")
    linked = (tags & LINK) != 0
    shared = (tags[first] & POSITION != 0) | (first == 0)
    _must(~linked | ((count == 0) & shared), "an action of it leads to no position")
    if not (game.continuous or settings.graph or settings.discount != 1.0):
        head = columns["head"][0]
        ends = np.where(np.isfinite(head["low"]), head["low"], 0), np.where(np.isfinite(head["high"]), head["high"], 0)
        least, most = visits[:, None] * ends[0], visits[:, None] * ends[1]
        room = SLACK * (1 + np.abs(least) + np.abs(most))
        _must((nodes["score"] >= least - room) & (nodes["score"] <= most + room), "a score in it is beyond its visits")


def _check_table(columns: Columns) -> None:
    """The table of positions: it has room, and what stands in it stands once."""
    nodes, table = columns["nodes"], columns["table"]
    used, slots, owners = len(nodes), table["slot"], table["owner"]
    _must((slots >= 0) & (slots < used) & (owners >= layout.ANYWHERE) & (owners < used), "its table points outside")
    taken = np.count_nonzero(slots)
    _must(taken < len(table) and int(columns["head"][0]["positions"]) == taken, "its table is not as full as it says")


def _check_blocks(tree: SearchTree, columns: Columns) -> None:
    """The actions of positions are blocks of slots: each in one place, of one mover, each action once, and tried no oftener than the position."""
    nodes, settings = columns["nodes"], tree.settings
    used, tags = len(nodes), nodes["tags"]
    first, count = nodes["first"].astype(np.int64), nodes["count"].astype(np.int64)
    _must(first + count <= used, "a block of actions in it points outside")
    by_world = settings.by_sight
    _must(
        count <= (tree.game.actions if by_world else tree.game.most_legal), "a position of it has more actions than there can be"
    )
    positions = np.unique(columns["table"]["slot"][columns["table"]["slot"] != 0])
    own = (tags & POSITION) != 0
    seeds = positions[own[positions]]
    _must(len(seeds) == np.count_nonzero(own), "a position of it is not in its table")
    _must(settings.graph or len(seeds) == len(positions), "its table names slots that are no positions")
    seen = np.zeros(used, np.int64)
    level = np.concatenate([np.zeros(1, np.int64), seeds])
    seen[level] = 1
    while len(level := level[count[level] > 0]):
        sizes = count[level]
        parents = np.repeat(level, sizes)
        starts = np.cumsum(sizes) - sizes
        edges = np.arange(len(parents)) - np.repeat(starts - first[level], sizes)
        # Who writes last is read by all who wrote there: a slot that two blocks share has lost the number of one of them.
        order = np.arange(1, len(edges) + 1)
        _must(seen[edges] == 0, "a slot of it is the action of two positions, or of one below itself")
        seen[edges] = order
        _must(seen[edges] == order, "a slot of it is the action of two positions, or of one below itself")
        _check_level(nodes, level, starts, parents, edges)
        level = edges
    _must(seen[positions] != 0, "its table names slots that are nowhere in it")
    _check_root(tree, nodes)


def _check_level(nodes: Array, level: Array, starts: Array, parents: Array, edges: Array) -> None:
    """The blocks of some positions, one after the other."""
    movers = nodes["mover"][edges]
    _must(
        movers == np.repeat(movers[starts], np.diff(np.append(starts, len(edges)))), "a position of it has actions of two movers"
    )
    ids = parents * 65_536 + nodes["action"][edges]
    _must(np.diff(np.sort(ids)) > 0, "a position of it has an action twice")
    tried = np.add.reduceat(nodes["visits"][edges].astype(np.int64), starts)
    _must(tried <= nodes["visits"][level], "actions of it were tried oftener than their position")


def _check_root(tree: SearchTree, nodes: Array) -> None:
    """The actions of the root are those of the state."""
    first, count = int(nodes[0]["first"]), int(nodes[0]["count"])
    if count:
        block = nodes[first : first + count]
        _must(np.isin(block["action"], tree.root.legal), "its root has actions that are not legal there")
        _must(block["mover"] == tree.root.mover, "its root has actions of another player")
    _must(nodes[0]["tags"] & (LINK | CHANCE | POSITION) == 0 or tree.settings.hidden in SAMPLING, "its root is none")


def _check_chains(tree: SearchTree, columns: Columns) -> None:
    """The actions of a position hang in a chain of slots: no slot is in two places, and so no chain comes back to itself."""
    nodes, siblings = columns["nodes"], columns["siblings"]
    _must((siblings >= 0) & (siblings < len(nodes)), "a chain of actions in it points outside")
    seen = np.zeros(len(nodes), np.int64)
    seen[0] = 1  # the root is nobody's action
    at, left = nodes["first"], nodes["count"].astype(np.int64)
    while len(at := at[left > 0]):
        left = left[left > 0] - 1
        np.add.at(seen, at, 1)
        _must(seen.max() <= 1, "a slot of it is in two chains")
        at = siblings[at]
