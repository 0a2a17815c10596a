"""Reading trees: the only Python that indexes their columns. Everything else asks here, and gets plain arrays and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from playout.compile.holes import as_word
from playout.compile.records import Records
from playout.engine import layout
from playout.engine.positions import hash_of, place_of
from playout.engine.widen import code_share, count_outcomes, lane_of, numbered, outcome_code
from playout.game.game import Game
from playout.game.state import State
from playout.planner.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

Array = np.ndarray[Any, Any]


class Block(NamedTuple):
    """The actions of a position as columns, in the order of the slots."""

    slots: Array
    actions: Array
    """Ids, or (continuous) one row of numbers for each."""
    visits: Array
    scores: Array
    """One column per player."""
    squares: Array | None
    """Sum of the squared returns of the mover; None in a continuous game."""
    tags: Array
    priors: Array | None
    values: Array | None
    """The exact results per player, where `tags` say that they are proven."""

    @property
    def dropped(self) -> Array:
        """Which actions of the root of a game with listed actions fell out of the race there."""
        found: Array = (self.tags & layout.DROPPED) != 0
        return found

    def take(self, index: Any) -> Block:
        """Some of the actions, or all in another order."""
        columns: Any = (None if column is None else column[index] for column in self)
        return Block(*columns)

    def among(self, actions: Array) -> Block:
        """The same among more actions, in their order (by id): those that decisive moves left out are refuted, and have no slot."""
        places = np.searchsorted(actions, self.actions)
        columns = {}
        for name, column in self._asdict().items():
            if column is not None:
                columns[name] = np.zeros((len(actions), *column.shape[1:]), column.dtype)
                columns[name][places] = column
        absent = np.ones(len(actions), bool)
        absent[places] = False
        columns["slots"][absent] = -1
        columns["tags"][absent] = layout.REFUTED
        columns["actions"] = actions
        return self._replace(**columns)

    @property
    def proven(self) -> Array:
        """Which actions are proven."""
        found: Array = (self.tags & layout.PROVEN) != 0
        return found

    @property
    def refuted(self) -> Array:
        """Which actions decisive moves rule out."""
        found: Array = (self.tags & layout.REFUTED) != 0
        return found


class Reader:
    """What can be asked of a tree. `SearchTree` is one; the arrays are in `tree`."""

    game: Game
    settings: Settings
    tree: Any
    root: State
    observer: int
    as_objects = False
    """Whether positions are hashed as courses of objects are, uncompiled."""

    # of the whole tree

    def head(self, name: str) -> Any:
        """A field of the tree's head."""
        return self.tree.head[0][name]

    @property
    def number(self) -> int:
        """Which of a search's trees this is."""
        return int(self.head("tree"))

    @property
    def simulations(self) -> int:
        """How many simulations this tree has seen, those before its root moved included."""
        return int(self.head("simulations"))

    @property
    def used(self) -> int:
        """Slots in use."""
        return int(self.head("used"))

    @property
    def full(self) -> bool:
        """Whether memory was used up, and the search went on without growing."""
        return bool(self.head("full"))

    @property
    def proven(self) -> bool:
        """Whether the result of the root is known."""
        return bool(self.tree.nodes[0]["tags"] & layout.PROVEN)

    @property
    def result(self) -> tuple[float, ...]:
        """The exact result per player of a proven root."""
        return tuple(float(v) for v in self.tree.values[0])

    @property
    def visits(self) -> int:
        """Visits of the root."""
        return int(self.tree.nodes[0]["visits"])

    @property
    def starts(self) -> int:
        """Actions of a continuous game's root that were tried as they came, and not moved there from others."""
        return int(self.tree.nodes[0]["count"]) - int(self.tree.moved[0])

    def range_of(self, player: int) -> tuple[float, float]:
        """The lowest and highest return of a player so far; the wrong way round while there is none."""
        return float(self.head("low")[player]), float(self.head("high")[player])

    @property
    def bytes(self) -> int:
        """Memory that the tree's arrays occupy."""
        return sum(int(column.nbytes) for column in self.tree)

    # of one slot

    def tagged(self, slot: int, tag: int) -> bool:
        """Whether a slot has one of these tags."""
        return bool(self.tree.nodes[slot]["tags"] & tag)

    def visits_of(self, slot: int) -> int:
        return int(self.tree.nodes[slot]["visits"])

    def scores_of(self, slot: int) -> Array:
        """The sum of returns per player, as it is now."""
        return np.array(self.tree.nodes[slot]["score"])

    def value_of(self, slot: int, player: int) -> float:
        """The exact result for a player of a proven slot."""
        return float(self.tree.values[slot, player])

    def mover_of(self, slot: int) -> int:
        """The player who chooses an edge."""
        return int(self.tree.nodes[slot]["mover"])

    def action_of(self, edge: int) -> Any:
        """The action of a slot: its id, or its vector in a continuous game."""
        if self.game.continuous:
            return tuple(float(v) for v in self.tree.moves[edge])
        return int(self.tree.nodes[edge]["action"])

    # of the actions of a position

    def edges(self, position: int) -> Sequence[int]:
        """The slots of a position's actions; empty while it is not expanded."""
        node = self.tree.nodes[position]
        first, count = int(node["first"]), int(node["count"])
        if self.game.continuous:
            return self._chain(first, count)
        return range(first, first + count) if count else range(0)

    def _chain(self, slot: int, count: int) -> list[int]:
        """Actions of a continuous game, in the order they were added."""
        slots, siblings = [], self.tree.siblings
        for _ in range(count):
            slots.append(slot)
            slot = int(siblings[slot])
        return slots[::-1]

    def block(self, position: int = 0) -> Block:
        """The actions of a position with all that is known of them."""
        tree, slots = self.tree, np.asarray(self.edges(position), np.int64)
        # A block of slots is a piece of the columns; only a chain must be picked out slot by slot.
        where: Any = slots if self.game.continuous else slice(*((slots[0], slots[-1] + 1) if len(slots) else (0, 0)))
        nodes = np.asarray(tree.nodes)[where]
        return Block(
            slots,
            tree.moves[where] if self.game.continuous else nodes["action"],
            nodes["visits"],
            nodes["score"],
            None if self.game.continuous else nodes["squares"],
            nodes["tags"],
            tree.priors[where] if len(tree.priors) > 1 else None,
            tree.values[where] if len(tree.values) > 1 else None,
        )

    def edge(self, position: int, action: Any) -> int | None:
        """The slot of one action of a position."""
        return next((slot for slot in self.edges(position) if self.action_of(slot) == action), None)

    # of what is behind an action

    def below(self, edge: int, state: State, above: int = 0) -> int | None:
        """The position that an edge led to from the one above, given the state it was; None when the tree has not seen it."""
        if self.settings.hidden in layout.SAMPLING and self.settings.open_loop:
            return edge
        if self.tagged(edge, layout.CHANCE):
            if self.settings.by_sight:
                return self.seen_below(above, self.action_of(edge), state)
            with np.errstate(over="ignore"):
                code = hash_of(bytes(state), self.as_objects)
                code = outcome_code(code, as_word(1)) if self.game.continuous else code
                return int(self._table[place_of(self._table, edge, code)].slot) or None
        return int(self.tree.nodes[edge]["first"]) if self.tagged(edge, layout.LINK) else edge

    @property
    def _table(self) -> Any:
        """The table as the kernels' own functions read it uncompiled."""
        return self.tree.table.view(Records)

    def seen(self, state: State) -> Any:
        """What the searcher sees of a state, as a hash."""
        return hash_of(state.observed(self.observer), self.as_objects)

    def seen_below(self, above: int, action: int, state: State, shared: bool = True) -> int | None:
        """The position of what the searcher sees of the state after an action: its own, or the one that it shares."""
        with np.errstate(over="ignore"):
            code = outcome_code(self.seen(state), as_word(action + 1))
            slot = int(self._table[place_of(self._table, above, code)].slot)
            if slot or self.settings.observation_width is None or not shared:
                return slot or None
            lane = lane_of(as_word(action + 1), state.mover)
            count = count_outcomes(self._table, above, lane, self.used)
            return numbered(self._table, above, lane, int(code_share(code, count))) if count else None

    def owned(self) -> Array:
        """The entries of the table, sorted by owner."""
        entries = np.asarray(self.tree.table)
        entries = entries[entries["slot"] != 0]
        found: Array = entries[np.argsort(entries["owner"], kind="stable")].copy()
        return found


def total(trees: Iterable[Reader], name: str) -> int:
    """A number of the trees' heads, added up."""
    return sum(int(tree.head(name)) for tree in trees)
