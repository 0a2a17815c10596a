"""All positions of a game without hidden information, as arrays: each position once, told apart by `key`, chance enumerated.

`edges` are the legal actions of the positions, one position after the other in the game's order; `ways` are the outcomes of
the edges, one for an action that draws nothing. Edge 0 is the start of the game and belongs to no position.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from playout.compile import bind
from playout.compile.holes import as_word, canonical, key, legal, mover, play, returns, start, ticks, whole
from playout.compile.records import slack
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.load import load
from playout.game.state import State
from playout.game.stream import MASK, mix
from playout.game.tape import LONGEST, REAL, RECORD, turn
from playout.truth.perfect.plainly import Plainly
from playout.truth.perfect.sweeps import arrange

Array = np.ndarray[Any, Any]
MOST_POSITIONS = 1_000_000
MOST_PLAINLY = 50_000
"""The same for rules that are not compiled, of which some thousand positions are found a second."""
MOST_ACTIONS_EACH = 8
"""Actions and outcomes that there may be for each of the most positions; they take more memory than the positions."""
NOW, TRY, BLANK = 0, 1, 2
DONE, MORE, TROUBLE = 0, 1, 2
HEAD = np.dtype([(name, np.int64) for name in ("done", "used", "edges", "ways", "canonical", "trouble")])
SMALLER = "make it smaller by its parameters"


def usual_most(game: Game) -> int:
    """The most positions where nobody says how many there may be."""
    return MOST_POSITIONS if game.compiled else MOST_PLAINLY


class TooMany(PlayoutError):
    """The game is too big to be enumerated."""


def place_of(places: Any, keys: Any, name: Any) -> int:
    """Where the index holds the number of the position with this key, or the gap where it belongs.

    The search has tables of its own, and other ideas of what is in them: positions below an edge by hash (`engine.positions`), learned
    values by key and check (`engine.learned`). A reference shares no code with what it judges.
    """
    size = np.uint64(len(places) - 1)
    place = mix(name) & size
    while places[place] != 0 and keys[places[place] - 1] != name:
        place = (place + np.uint64(1)) & size
    return whole(place)


def find(head: Any, nodes: Any, movers: Any, keys: Any, finals: Any, places: Any, states: Any) -> int:
    """The number of the position in states[TRY], made if it is new."""
    state = states[TRY]
    name = as_word(canonical(state)) if head.canonical != 0 else as_word(key(state))
    place = place_of(places, keys, name)
    if places[place] != 0:
        return whole(places[place]) - 1
    node = whole(head.used)
    head.used = node + 1
    places[place] = node + 1
    keys[node] = name
    nodes[node] = state
    movers[node] = mover(state)
    if movers[node] < 0:
        returns(state, finals[node])
    return node


def note(head: Any, targets: Any, chances: Any, tape: Any, node: int) -> None:
    chance = 1.0
    for i in range(tape.at):
        chance /= tape.sizes[i]
    targets[head.ways] = node
    chances[head.ways] = chance
    head.ways += 1


def begin(
    head: Any, nodes: Any, movers: Any, keys: Any, finals: Any, places: Any, targets: Any, chances: Any, states: Any, tape: Any
) -> int:
    """Every way that the game can begin."""
    while True:
        if head.ways + 1 >= len(targets) or head.used + 1 >= len(nodes) or 2 * head.used + 2 >= len(places):
            return MORE
        states[TRY] = states[BLANK]
        start(states[TRY], tape)
        if tape.at > len(tape.told):
            return TROUBLE
        note(head, targets, chances, tape, find(head, nodes, movers, keys, finals, places, states))
        if not turn(tape):
            return DONE


@ticks
def grow(
    head: Any,
    nodes: Any,
    movers: Any,
    keys: Any,
    finals: Any,
    places: Any,
    targets: Any,
    chances: Any,
    first: Any,
    actions: Any,
    ways: Any,
    states: Any,
    ids: Any,
    tape: Any,
) -> int:
    """Expand every position that is not yet; MORE when some array is full, and then it is called again with longer ones."""
    while head.done < head.used:
        node = whole(head.done)
        edges, begun = whole(head.edges), whole(head.ways)
        first[node] = edges
        count = 0
        if movers[node] >= 0:
            states[NOW] = nodes[node]
            count = whole(legal(states[NOW], ids))
            if edges + count + 1 >= len(actions):
                return MORE
        for i in range(count):
            actions[edges + i] = ids[i]
            ways[edges + i] = head.ways
            tape.known = 0
            tape.at = 0
            while True:
                if head.ways + 1 >= len(targets) or head.used + 1 >= len(nodes) or 2 * head.used + 2 >= len(places):
                    head.ways = begun
                    return MORE
                states[TRY] = states[NOW]
                play(states[TRY], ids[i], tape)
                if tape.at > len(tape.told):
                    return TROUBLE
                note(head, targets, chances, tape, find(head, nodes, movers, keys, finals, places, states))
                if not turn(tape):
                    break
        head.edges = edges + count
        ways[head.edges] = head.ways
        head.done = node + 1
        first[node + 1] = head.edges
    return DONE


@dataclass(frozen=True, eq=False)
class Positions:
    """A game enumerated by `positions`."""

    game: Game
    symmetric: bool
    """Whether positions that mirror each other count as one."""
    nodes: Array
    """One state of every position."""
    keys: Array
    """What it is told apart by."""
    mover: Array
    """The player to act, -1 at an end."""
    final: Array
    """At an end, what each player gets."""
    first: Array
    """The edges of a position are first[i] to first[i + 1] - 1."""
    action: Array
    ways: Array
    """The outcomes of an edge are ways[e] to ways[e + 1] - 1."""
    target: Array
    chance: Array
    order: Array
    """Positions in an order where what follows comes before what it follows from, but for cycles."""
    cyclic: bool

    def __len__(self) -> int:
        return len(self.mover)

    @property
    def chancy(self) -> bool:
        """Whether chance has a say in it."""
        return len(self.target) > len(self.action)

    @cached_property
    def _by_key(self) -> Array:
        return np.argsort(self.keys)

    def find(self, state: State) -> int:
        """The number of a state's position; -1 for one that the game cannot reach."""
        name = np.uint64(int(self.game.functions["canonical" if self.symmetric else "key"](state.fields)) & MASK)
        place = int(np.searchsorted(self.keys, name, sorter=self._by_key))
        node = int(self._by_key[min(place, len(self) - 1)])
        return node if self.keys[node] == name else -1


class _Grower:
    """Calls the kernels and gives them longer arrays when they ask."""

    def __init__(self, game: Game, symmetric: bool, most: int) -> None:
        self.game, self.most = game, most
        self.binding = bind(game, features=["tape"])
        self.head, self.tape = np.zeros(1, HEAD), np.zeros(1, RECORD)
        self.head[0]["canonical"] = symmetric
        room = 4096
        self.columns: dict[str, Array] = {
            "nodes": np.zeros(room, game.dtype),
            "movers": np.zeros(room, np.int8),
            "keys": np.zeros(room, np.uint64),
            "finals": np.zeros((room, game.players)),
            "first": np.zeros(room + 1, np.int64),
            "actions": np.zeros(8 * room + game.most_legal, np.int32),
            "ways": np.zeros(8 * room + game.most_legal, np.int64),
            "targets": np.zeros(8 * room, np.int32),
            "chances": np.zeros(8 * room, np.float64),
        }
        self.columns["actions"][0] = -1
        self.places = np.zeros(4 * room, np.int32)
        self.states = np.zeros(3, game.dtype)
        self.ids = np.zeros(slack(game.most_legal), np.int64)

    def run(self) -> None:
        c, head = self.columns, self.head[0]
        begin_kernel, grow_kernel = self.binding.kernel(begin), self.binding.kernel(grow)
        while True:
            shared = (c["nodes"], c["movers"], c["keys"], c["finals"], self.places, c["targets"], c["chances"])
            code = begin_kernel(head, *shared, self.states, self.tape[0])
            if code == DONE:
                break
            self._next(code)
        head["edges"] = 1
        c["ways"][0], c["ways"][1] = 0, head["ways"]
        while True:
            shared = (c["nodes"], c["movers"], c["keys"], c["finals"], self.places, c["targets"], c["chances"])
            code = grow_kernel(head, *shared, c["first"], c["actions"], c["ways"], self.states, self.ids, self.tape[0])
            if code == DONE:
                return
            self._next(code)

    def _next(self, code: int) -> None:
        game, head = self.game, self.head[0]
        if code == TROUBLE:
            raise PlayoutError(
                "uniform(rng) has endlessly many outcomes, which exact tools cannot enumerate; use below(rng, n)"
                if int(self.tape[0]["at"]) >= REAL
                else f"one action of {game.spec} draws over {LONGEST} times, too many courses of chance to enumerate; {SMALLER}"
            )
        if int(head["used"]) > self.most or int(head["ways"]) > MOST_ACTIONS_EACH * self.most:
            raise too_many(game, self.most)
        c = self.columns
        if int(head["used"]) + 1 >= len(c["nodes"]) or 2 * int(head["used"]) + 2 >= len(self.places):
            for name in ("nodes", "movers", "keys", "finals", "first"):
                c[name] = _longer(c[name])
            self.places = np.zeros(2 * len(self.places), np.int32)
            self.binding.kernel(index)(self.places, c["keys"], int(head["used"]))
        if int(head["edges"]) + game.most_legal + 2 >= len(c["actions"]):
            c["actions"], c["ways"] = _longer(c["actions"]), _longer(c["ways"])
        if int(head["ways"]) + 1 >= len(c["targets"]) // 2:
            c["targets"], c["chances"] = _longer(c["targets"]), _longer(c["chances"])


def too_many(game: Game, most: int) -> TooMany:
    """The error for a game that is too big."""
    return TooMany(
        f"{game.spec} has more than {most:,} positions (or {MOST_ACTIONS_EACH * most:,} actions in them), too many to enumerate; "
        f"{SMALLER}, or raise the limit"
    )


def index(places: Any, keys: Any, used: int) -> int:
    """Find every position again in a longer index."""
    for node in range(used):
        places[place_of(places, keys, keys[node])] = node + 1
    return 0


def _longer(column: Array) -> Array:
    longer = np.zeros((2 * len(column), *column.shape[1:]), column.dtype)
    longer[: len(column)] = column
    return longer


def _grown(game: Game, symmetric: bool, most: int) -> dict[str, Array]:
    """The columns, cut to what is in them, by machine code."""
    grower = _Grower(game, symmetric, most)
    grower.run()
    used, edges, ways = (int(grower.head[0][name]) for name in ("used", "edges", "ways"))
    if used > most:
        raise too_many(game, most)
    ends = {"first": used + 1, "actions": edges, "ways": edges + 1, "targets": ways, "chances": ways}
    return {name: column[: ends.get(name, used)] for name, column in grower.columns.items()}


def _plainly(game: Game, symmetric: bool, most: int) -> dict[str, Array]:
    """The same by Python, for rules that do not compile."""
    plainly = Plainly(game, symmetric)
    for used, ways in plainly.run():
        if used > most or ways > MOST_ACTIONS_EACH * most:
            raise too_many(game, most)
    return plainly.columns()


def positions(game: Game | str, *, symmetric: bool | None = None, most: int = MOST_POSITIONS) -> Positions:
    """Every position that can be reached, at most so many; mirrored ones as one where the game has `canonical`.

    >>> len(positions("tic-tac-toe", symmetric=False)), len(positions("tic-tac-toe"))
    (5478, 765)
    """
    rules = load(game)
    if rules.hidden:
        raise PlayoutError(f"{rules.spec} hides something, so a position has no one value; playout exploit is for such games")
    if not rules.has("key"):
        raise PlayoutError(
            f"game {rules.name!r} defines no key, and positions are told apart by it; add {rules.key_words} that only equal positions share"
        )
    symmetric = rules.has("canonical") if symmetric is None else symmetric and rules.has("canonical")
    c = _grown(rules, symmetric, most) if rules.compiled else _plainly(rules, symmetric, most)
    used, first, way, target = len(c["keys"]), c["first"], c["ways"], c["targets"]
    order, colour, stack, cursor = (np.zeros(used, kind) for kind in (np.int32, np.int8, np.int32, np.int64))
    cyclic = bool(bind(rules, features=["tape"]).kernel(arrange)(first, way, target, order, colour, stack, cursor))
    return Positions(
        game=rules,
        symmetric=symmetric,
        nodes=c["nodes"],
        keys=c["keys"],
        mover=c["movers"],
        final=c["finals"],
        first=first,
        action=c["actions"],
        ways=way,
        target=target,
        chance=c["chances"],
        order=order,
        cyclic=cyclic,
    )
