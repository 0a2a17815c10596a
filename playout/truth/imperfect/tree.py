"""A whole game as arrays: every history once, chance with its probabilities, decisions by what the mover can tell apart.

An information set is named by the engine's history: from the start on, a player's own actions and its observation whenever that
changes, folded into one digest. Two histories with the same digest cannot be told apart by the player whose digest it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from playout.errors import GameError, PlayoutError
from playout.game.game import Game
from playout.game.history import acted, beginning, saw
from playout.game.load import load_listed
from playout.game.state import State
from playout.game.tape import Tape, plays, starts

Array = np.ndarray[Any, Any]
CHANCE, END = 2, 3
"""Who acts in a history, beside players 0 and 1."""
MOST_HISTORIES = 2_000_000
RAREST = 1e-12
"""A first deal that is rarer than this shows at once that there are too many."""


class Arrays(NamedTuple):
    """The tree for machine code. A history comes after its parent, and children lie side by side."""

    mover: Array
    """0, 1, CHANCE or END."""
    first: Array
    width: Array
    """The children are first, ..., first + width - 1, at a decision in the order of the action ids."""
    chance: Array
    """Below a chance node the probability of this child; else 1."""
    info: Array
    """The number of the information set; -1 where nobody decides."""
    payoff: Array
    """At an end, what player 0 gets."""
    offset: Array
    """Per information set, where its actions begin in the long vectors of policies and regrets; one more at the end."""


class Order(NamedTuple):
    """The histories from the last decisions of one player to the first; see `Tree.order`."""

    nodes: Array
    marks: Array


@dataclass(frozen=True)
class InfoSet:
    """What a player knows when it decides."""

    number: int
    key: bytes
    player: int
    actions: tuple[int, ...]
    """The legal action ids, rising."""
    state: State
    """One true state of the set."""

    def __str__(self) -> str:
        return f"{self.state.game.player_name(self.player)} to act, who sees\n{self.state.draw(self.player)}"


@dataclass(frozen=True, eq=False)
class Tree:
    """A game of two players who want the opposite, enumerated by `game_tree`."""

    game: Game
    arrays: Arrays
    info_sets: tuple[InfoSet, ...]
    deepest: int
    """Edges of the longest history, chance included."""

    def __repr__(self) -> str:
        return f"<tree of {self.game.spec}: {self.histories:,} histories, {len(self.info_sets):,} information sets>"

    @property
    def histories(self) -> int:
        """How many there are: ends, decisions and chance."""
        return len(self.arrays.mover)

    @property
    def widest(self) -> int:
        """The most actions that an information set has."""
        return max((len(known.actions) for known in self.info_sets), default=1)

    @property
    def slots(self) -> int:
        """The actions of all information sets together: the length of a policy as a vector."""
        return int(self.arrays.offset[-1])

    @cached_property
    def slot_info(self) -> Array:
        """The information set of every slot."""
        return np.repeat(np.arange(len(self.info_sets)), np.diff(self.arrays.offset))

    @cached_property
    def slot_player(self) -> Array:
        """The player who decides, for every slot."""
        return np.array([known.player for known in self.info_sets], np.int8)[self.slot_info]

    @cached_property
    def by_key(self) -> dict[bytes, InfoSet]:
        """The information sets by their keys."""
        return {known.key: known for known in self.info_sets}

    @cached_property
    def orders(self) -> tuple[Order, Order]:
        """For each player, the order that a best response works in."""
        return self._order(0), self._order(1)

    def _order(self, player: int) -> Order:
        """Later decisions of the player first; of equally late histories its own decisions, then the others, children first.

        Histories of one information set can differ in length, but never in how often their player has acted.
        """
        mover, first, width = self.arrays.mover, self.arrays.first, self.arrays.width
        acted = np.zeros(len(mover), np.int32)
        for node in range(len(mover)):
            acted[first[node] : first[node] + width[node]] = acted[node] + (mover[node] == player)
        other = (mover != player).astype(np.int32)
        nodes = np.lexsort((-np.arange(len(mover)), other, -acted))
        groups = 2 * (acted.max() - acted[nodes]) + other[nodes]
        marks = np.searchsorted(groups, np.arange(2 * (acted.max() + 1) + 1))
        return Order(nodes.astype(np.int32), marks.astype(np.int32))


def game_tree(game: Game | str, most: int = MOST_HISTORIES) -> Tree:
    """The whole game, by enumeration: two players, zero sum, chance by `below`, at most so many histories.

    >>> game_tree("kuhn-poker")
    <tree of kuhn-poker: 55 histories, 12 information sets>
    """
    rules = load_listed(game, "exploitability")
    if rules.players != 2:
        raise PlayoutError(f"exploitability is about two players who want the opposite, and {rules.spec} has {rules.players}")
    if rules.hidden and not rules.has("observe"):
        raise PlayoutError(
            f"game {rules.name!r} has determinize but no observe, so nobody knows what a player can tell apart: add "
            "def observe(state, player)"
        )
    return _Grower(rules, most).grow()


class _Waiting(NamedTuple):
    """A history whose children are not there yet: a state, or what chance can bring."""

    node: int
    depth: int
    state: State | None
    outcomes: list[tuple[float, State]]
    keys: tuple[bytes, bytes]
    seen: tuple[bytes, bytes]


class _Grower:
    """Grows the arrays history by history. Only those on the way to the next one are kept as states."""

    def __init__(self, game: Game, most: int) -> None:
        self.game, self.most = game, most
        self.columns: dict[str, list[Any]] = {name: [] for name in ("mover", "first", "width", "chance", "info", "payoff")}
        self.known: dict[bytes, InfoSet] = {}
        self.waiting: list[_Waiting] = []
        self.deepest = 0

    def grow(self) -> Tree:
        self._check_deals()
        deals = self._merge(starts(self.game))
        nobody = (beginning(0), beginning(1))
        self._room(1)
        self._put(0, 0, deals, nobody, (b"", b""))
        while self.waiting:
            self._expand(self.waiting.pop())
        info_sets = tuple(self.known.values())
        offset = np.cumsum([0, *(len(known.actions) for known in info_sets)])
        kinds = {"mover": np.int8, "chance": np.float64, "payoff": np.float64}
        columns = {name: np.array(column, kinds.get(name, np.int32)) for name, column in self.columns.items()}
        return Tree(self.game, Arrays(**columns, offset=offset.astype(np.int32)), info_sets, self.deepest)

    def _check_deals(self) -> None:
        tape = Tape()
        self.game.functions["start"](self.game.view(np.zeros(1, self.game.dtype)[0]), tape)
        if tape.chance < RAREST:
            raise PlayoutError(f"{self.game.spec} can begin in too many ways to be enumerated (over {1 / RAREST:.0e}); {SMALLER}")

    def _merge(self, outcomes: Iterable[tuple[float, State]]) -> list[tuple[float, State]]:
        """Equal states are one outcome."""
        merged: dict[bytes, tuple[float, State]] = {}
        for chance, state in outcomes:
            name = bytes(state)
            merged[name] = (chance + merged[name][0] if name in merged else chance, state)
        return list(merged.values())

    def _room(self, count: int) -> int:
        first = len(self.columns["mover"])
        if first + count > self.most:
            raise PlayoutError(f"{self.game.spec} has more than {self.most:,} histories, too many to enumerate; {SMALLER}")
        for name, blank in (("mover", END), ("first", 0), ("width", 0), ("chance", 1.0), ("info", -1), ("payoff", 0.0)):
            self.columns[name].extend([blank] * count)
        return first

    def _put(
        self, node: int, depth: int, outcomes: list[tuple[float, State]], keys: tuple[bytes, bytes], seen: tuple[bytes, bytes]
    ) -> None:
        """Fill in a node: chance where there is more than one outcome, else the state itself."""
        self.deepest = max(self.deepest, depth)
        if len(outcomes) > 1:
            self.columns["mover"][node] = CHANCE
            self.waiting.append(_Waiting(node, depth, None, outcomes, keys, seen))
            return
        state = outcomes[0][1]
        if state.over:
            self.columns["payoff"][node] = self._payoff(state)
            return
        now = (state.observed(0), state.observed(1))
        keys = (saw(keys[0], seen[0], now[0]), saw(keys[1], seen[1], now[1]))
        self.columns["mover"][node] = state.mover
        self.columns["info"][node] = self._info(state, keys[state.mover])
        self.waiting.append(_Waiting(node, depth, state, [], keys, now))

    def _expand(self, at: _Waiting) -> None:
        actions = () if at.state is None else tuple(sorted(at.state.legal))
        count = len(actions) or len(at.outcomes)
        first = self._room(count)
        self.columns["first"][at.node], self.columns["width"][at.node] = first, count
        if at.state is None:
            for child, outcome in enumerate(at.outcomes, first):
                self.columns["chance"][child] = outcome[0]
                self._put(child, at.depth + 1, [outcome], at.keys, at.seen)
            return
        for child, action in enumerate(actions, first):
            mine = acted(at.keys[at.state.mover], action)
            keys = (at.keys[0], mine) if at.state.mover else (mine, at.keys[1])
            self._put(child, at.depth + 1, self._merge(plays(at.state, action)), keys, at.seen)

    def _info(self, state: State, key: bytes) -> int:
        actions, player = tuple(sorted(state.legal)), state.mover
        known = self.known.setdefault(key, InfoSet(len(self.known), key, player, actions, state))
        if known.actions != actions:
            raise GameError(
                f"game {self.game.name!r}: player {player} cannot tell two states apart in which {known.actions} and {actions} are "
                "legal; let observe show what decides what the mover may do"
            )
        return known.number

    def _payoff(self, state: State) -> float:
        first, second = state.returns
        if abs(first + second) > 1e-9 * max(1.0, abs(first)):
            raise PlayoutError(
                f"{self.game.spec} is not zero-sum: a game can end with returns {first:g} and {second:g}, and exploitability "
                "needs two players who want the opposite"
            )
        return first


SMALLER = "make it smaller by its parameters"
