"""Many searches at once: one tree for each of many positions, grown side by side on the cores or on a GPU.

A `Forest` has a search's game and settings, a device, and room that is planned before the start: trees that do not fit together grow in
waves, and one that needs more room than was thought grows again with more. Every tree is the one that a search of its own would have
grown from the same seed, whatever the device.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
import numpy as np

from playout.compile import Binding
from playout.compile.devices import Array, Device, Lanes
from playout.compile.records import Records, apart, pool
from playout.engine import layout
from playout.engine.forest import Forest as Columns
from playout.engine.forest import (
    Lane,
    Stamp,
    read_all_tried,
    read_root,
    read_roots,
    read_tried,
    stamp,
    stamp_some,
    tend,
    tend_some,
)
from playout.engine.learned import NOTHING
from playout.engine.rules import rule_named
from playout.engine.simulate import blocks_for
from playout.errors import GameError, PlayoutError
from playout.game.encoding import movers_of
from playout.game.state import State
from playout.game.stream import base_words
from playout.planner.grown import Grown, together
from playout.planner.learned import learned_options
from playout.planner.options import needs_of, option_record
from playout.planner.real_work import sequences, stamped
from playout.planner.search import Search
from playout.planner.settings import HABITS, Settings
from playout.planner.tree import SearchTree

TRIALS = 6
"""Trees that are grown first, to see how much room they take."""
TRIED = 2000
"""With at most so many simulations each; more simulations take as much more room."""
MARGIN = 1.25
SHORTEST, LONGEST = 64, layout.LONGEST_PATH
"""Slots of the longest path that a thread has room for: at least, and at most."""
PER_STEP = 3
"""Slots of the path for a step down, at most: an action, what came of it, and what its mover sees of that."""
FIRST = 16
"""Simulations of the first piece, after which it is known how long they take."""
PIECE_SECONDS = 0.25
"""How long a device works before Python looks at Ctrl-C and at the clock."""

Watch = Callable[[int, int], None]
"""Told how many simulations are done, and of how many."""


class Rows:
    """Rows of records as uncompiled kernels read them: by attribute."""

    def __init__(self, array: Array) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, row: int) -> Any:
        return self.array[row].view(Records)


class Plan(NamedTuple):
    """The room for a tree."""

    slots: int
    places: int
    longest: int
    """Slots on the longest path."""


def roomier(plan: Plan) -> Plan:
    """For trees that did not have enough."""
    return Plan(2 * plan.slots, 2 * plan.places, min(LONGEST, 2 * plan.longest))


def check_many(search: Search, real: bool = False) -> None:
    """Refuse what does not grow side by side, in a sentence; `real` where nobody minds that actions are real vectors."""
    game, settings = search.game, search.settings
    wrong = {
        f"actions of {game.name!r} are real vectors: playout.search_many takes them, all else one position at a time": game.continuous
        and not real,
        f"the worlds of {game.name!r} are found by rejection, one at a time: write a determinize": game.rejects,
        "an evaluator is asked outside: leave evaluator out": search.evaluator is not None,
        "hidden=pimc grows a tree for every world: use hidden=ismcts": settings.hidden == "pimc",
        f"prove={settings.prove:g} solves one position at a time: leave prove out": bool(settings.prove),
        "early_stop looks at one search at a time: leave early_stop out": settings.early_stop,
    }
    for why, found in wrong.items():
        if found:
            raise PlayoutError(f"many positions cannot be searched side by side here, since {why}")


class Forest:
    """Trees of one game with one set of settings, on a device."""

    def __init__(self, search: Search, device: Device, *, real: bool = False) -> None:
        """`real` says that trees of real vectors are welcome, too."""
        check_many(search, real)
        self.search, self.device, self.game = search, device, search.game
        if self._network and device.name == "cuda":
            raise PlayoutError(
                f"the network {search.settings.value!r} works in room of its own for every tree, which a GPU has not: use device=cpu"
            )
        self.binding = device.binding(search.game, search.binding.features, search.binding.compiled)
        self._growths: dict[int, Any] = {}
        self._read: Any = None

    @property
    def kept(self) -> bool:
        """Whether a tree has scratch space of its own: what was played is remembered from simulation to simulation, and a trail is long."""
        return self.game.continuous or self.settings.rave is not None or self.settings.playout in HABITS

    @property
    def _small(self) -> bool:
        """Whether scratch space is as small as can be: on a GPU, and where every tree has its own. Else it is that of a search by itself, whose very code
        then grows the trees."""
        return self.device.cramped or self.kept

    def lanes(self, longest: int) -> Lanes:
        """The lane of a row, with room for a path of that length."""
        work = layout.work_dtype(self.game)
        if self._small:
            work = layout.work_dtype(self.game, longest, layout.LONGEST_TRAIL if self.kept else 1)
        return Lanes(Lane, layout.POOL, self.game.dtype, work, self.kept, self.binding.compiled, self._apart)

    @property
    def _network(self) -> bool:
        """Whether the kernel evaluates a small network."""
        return self.search.learned is not None and self.search.learned.network is not None

    def _apart(self, forest: Any) -> Any:
        """The same trees for one thread: a network is evaluated in room that two of them must not share."""
        if not self._network:
            return forest
        assert self.search.learned is not None
        return forest._replace(learned=self.search.learned.seen_by(self.binding.compiled))

    def scratch(self, settings: Settings, plan: Plan, seeds: Array, numbers: Array) -> Any:
        """Scratch space as trees with these seeds and numbers begin with it; one for all where nothing in it lasts."""
        shape, work = (len(seeds) if self.kept else 1, 1), self.lanes(plan.longest).work
        rows = self.device.zeros(shape, work)
        if self.game.continuous:
            given = stamped(work, self.game, settings, sequences(seeds, numbers))
            there = Stamp(*(self.device.put(column) for column in given))  # type: ignore[call-arg]
            self.device.rows(self.binding, stamp, stamp_some)(self.device.raw(rows), there, len(seeds))
        return rows

    def bytes_of(self, settings: Settings, plan: Plan) -> int:
        """What one tree takes."""
        blank = self.blank(settings, plan)
        own: int = sum(column.nbytes for column in blank) + layout.OPTIONS.itemsize + self.game.dtype.itemsize
        return own + (self.lanes(plan.longest).work.itemsize if self.kept else 0)

    def plan(self, settings: Settings, states: Array, simulations: int) -> Plan:
        """The room that trees will need: so much as some of them took, and a quarter more."""
        tried = min(simulations, TRIED)
        used = positions = deepest = 0
        for row in sorted({int(place) for place in np.linspace(0, len(states) - 1, TRIALS)}):
            tree = SearchTree(self.search.binding, settings, self._state(states, row), row, self.search.learned)
            if rule_named(settings.at_root).race:
                tree.plan(0, tried)
            tree.run(tried, 1 << 31)
            used, positions = max(used, tree.used), max(positions, int(tree.head("positions")))
            deepest = max(deepest, int(tree.head("deepest")))
        more = MARGIN * simulations / tried
        blocks = blocks_for(settings.by_sight, 2 * deepest)
        slots = int(used * more) + 2 * blocks * (self.game.most_legal + 2)
        places = 1 << math.ceil(math.log2(2 * (positions * more + blocks * self.game.players)))
        path = 1 << math.ceil(math.log2(PER_STEP * deepest + 32))
        return Plan(slots, places, min(LONGEST, max(SHORTEST, path)) if self._small else LONGEST)

    def assembled(self) -> str:
        """What a device that is not there would run (`Nowhere`), or a sentence on what cannot be compiled for it."""
        settings, plan = self.settings, Plan(64, 64, SHORTEST)
        start = self.game.start(settings.seed).copy_array()
        none = np.zeros(1, np.int64)
        lanes = self.lanes(plan.longest)
        forest, kept = self.planted(settings, plan, start, none, none, 1), self.scratch(settings, plan, none, none)
        found: Any = self.device.growth(self.binding, tend, tend_some, lanes)(forest, kept, none, none)
        return str(found)

    def grow(self, states: Array, seeds: Array, numbers: Array, simulations: int, watch: Watch | None = None) -> Grown:
        """A tree for each of the states, out of the stream of its seed and number, with so many simulations."""
        parts: list[tuple[Array, Grown]] = []
        wanted, before, most = len(states) * simulations, 0, 0

        def tell(done: int) -> None:
            nonlocal most
            # What must grow again with more room was told of already.
            most = max(most, min(wanted, before + done))
            if watch is not None:
                watch(most, wanted)

        for settings, rows in self._alike(states):
            plan = self.plan(settings, states[rows], simulations)
            while len(rows):
                size, short = max(1, min(len(rows), self.device.room() // self.bytes_of(settings, plan))), []
                for first in range(0, len(rows), size):
                    here = rows[first : first + size]
                    grown, done = self._wave(settings, plan, states[here], seeds[here], numbers[here], simulations, tell)
                    self.complain(settings, grown.head, states[here], seeds[here], numbers[here], simulations)
                    enough = self.enough(plan, grown, done, simulations)
                    parts.append((here[enough], grown.of(enough)))
                    before += int(enough.sum()) * simulations
                    short.append(here[~enough])
                rows = np.concatenate(short)
                plan = roomier(plan)
        return together(parts, len(states), self.game)

    def _alike(self, states: Array) -> list[tuple[Settings, Array]]:
        """Rows whose trees have the same settings: where nothing is hidden any more, they are others."""
        if not self.settings.by_sight or self.game.players > 1:
            return [(self.settings, np.arange(len(states)))]
        groups: dict[Settings, list[int]] = {}
        for row in range(len(states)):
            groups.setdefault(self.search.settings_in(self._state(states, row)), []).append(row)
        return [(settings, np.array(rows)) for settings, rows in groups.items()]

    @property
    def settings(self) -> Settings:
        """What was asked for."""
        return self.search.settings

    def _wave(
        self,
        settings: Settings,
        plan: Plan,
        states: Array,
        seeds: Array,
        numbers: Array,
        simulations: int,
        tell: Callable[[int], None],
    ) -> tuple[Grown, Array]:
        """As many trees as fit, and how many simulations each of them got."""
        count = len(states)
        forest = self.planted(settings, plan, states, seeds, numbers, simulations)
        kept = self.scratch(settings, plan, seeds, numbers)
        done = self.tended(forest, kept, plan.longest, np.full(count, simulations, np.int64), tell)
        return self.seen(forest, count), done

    def tended(
        self,
        forest: Any,
        kept: Any,
        longest: int,
        counts: Array,
        tell: Callable[[int], None] = lambda done: None,
        start: bool = False,
    ) -> Array:
        """Up to so many simulations of each tree, in pieces; how many each of them got. `start` even where there are none to do."""
        device = self.device
        if longest not in self._growths:
            self._growths[longest] = device.growth(self.binding, tend, tend_some, self.lanes(longest))
        grow, most = self._growths[longest], int(counts.max(initial=0))
        done, given, piece = device.zeros((len(counts),), np.int64), 0, FIRST
        while given < most or start:
            start = False
            began, piece = time.perf_counter(), min(piece, most - given)
            grow(forest, kept, device.put(np.clip(counts - given, 0, piece)), done)
            given += piece
            took = max(time.perf_counter() - began, 1e-6)
            piece = max(1, min(8 * max(1, piece), int(piece * PIECE_SECONDS / took)))
            tell(int(np.minimum(counts, given).sum()))
        return device.get(done)

    def ready(self, forest: Any, kept: Any, longest: int, count: int) -> None:
        """Have the kernels at hand, compiled, before a clock runs."""
        self.tended(forest, kept, longest, np.zeros(count, np.int64), start=True)
        self.seen(forest, count)

    def headed(self, forest: Any, head: Array) -> Any:
        """The same trees with these heads."""
        return forest._replace(head=self.device.put(head) if self.binding.compiled else Rows(head))

    def read(self, forest: Any, edges: Any, count: int) -> None:
        """What the roots know of their actions, into arrays of the device."""
        if self._read is None:
            reads = (read_tried, read_all_tried) if self.game.continuous else (read_root, read_roots)
            self._read = self.device.rows(self.binding, *reads)
        self._read(forest, edges, count)

    def seen(self, forest: Any, count: int) -> Grown:
        """What is left of a wave when its trees are given up."""
        head = self.device.get(forest.head if self.binding.compiled else forest.head.array)
        # How many actions there are to read is not known before one has looked.
        known = self._edges(forest, count, 1)
        return Grown(head, self._edges(forest, count, int(known.counts.max(initial=1))))

    def _edges(self, forest: Any, count: int, most: int) -> Any:
        """What the roots know of up to so many actions."""
        blank, device = Grown.nothing(0, self.game, most).edges, self.device
        edges = type(blank)(*(device.zeros((count, *column.shape[1:]), column.dtype) for column in blank))
        self.read(forest, edges, count)
        return type(blank)(*(device.get(column) for column in edges))

    def blank(self, settings: Settings, plan: Plan) -> Any:
        """The columns of one tree; nobody judges their keys, so they keep no prints."""
        return layout.empty(self.game, needs_of(self.game, settings) - {"shared"}, plan.slots, plan.places, apart)

    def planted(
        self, settings: Settings, plan: Plan, states: Array, seeds: Array, numbers: Array, simulations: int, each: bool = False
    ) -> Any:
        """Trees with nothing in them; `each` with options of its own, where they will differ."""
        device, count, blank = self.device, len(states), self.blank(settings, plan)
        head = np.zeros((count, 1), blank.head.dtype)
        head["seed"][:, 0], head["tree"][:, 0], head["used"] = seeds, numbers, 1
        head["stream"][:, 0] = base_words(seeds, numbers)
        head["low"], head["high"] = np.inf, -np.inf
        columns = [device.put(head), *(device.zeros((count, *column.shape), column.dtype) for column in blank[1:])]
        compiled, options = self.binding.compiled, self._options(settings, states, simulations, each)
        learned = NOTHING if self.search.learned is None else self.search.learned.seen_by(compiled)
        if not compiled:
            rows = [Rows(c) if c.dtype.names else c for c in columns]
            return Columns(*rows, Rows(options), pool(states, False), learned)  # type: ignore[call-arg]
        known = type(learned)(*(device.put(array) for array in learned))
        return Columns(*columns, device.put(options), device.put(states), known)  # type: ignore[call-arg]

    def _options(self, settings: Settings, states: Array, simulations: int, differ: bool) -> Array:
        """The options of all trees; of each, where it matters who searches."""
        options = self.options(settings, simulations)
        if not (settings.by_sight or differ):
            return options[None]
        each = np.repeat(options[None], len(states), axis=0)
        each["observer"][:, 0] = np.maximum(0, movers(self.search.binding, states))
        return each

    def options(self, settings: Settings, simulations: int) -> Array:
        """The options of a tree that is to have so many simulations."""
        options = option_record(self.game, settings)
        if self.search.learned is not None:
            learned_options(options[0], self.game, self.search.learned, needs_of(self.game, settings))
        options["began"], options["planned"] = 0, simulations
        return options

    def enough(self, plan: Plan, grown: Grown, done: Array, simulations: int | Array) -> Array:
        """Which trees are as they would be with all the room in the world."""
        proven = (grown.edges.root_tags & layout.PROVEN) != 0
        deep = (PER_STEP * grown.head[:, 0]["deepest"] + 8 > plan.longest) & (plan.longest < LONGEST)
        enough: Array = ((done >= simulations) | proven) & ~deep
        return enough

    def complain(self, settings: Settings, head: Array, states: Array, seeds: Array, numbers: Array, simulations: int) -> None:
        """A game that misbehaved in one of the trees does so again in a search of its own, which says how."""
        for row in np.flatnonzero(head["trouble"][:, 0])[:1]:
            settings = msgspec.structs.replace(settings, seed=int(seeds[row]))
            tree = SearchTree(self.search.binding, settings, self._state(states, row), int(numbers[row]), self.search.learned)
            tree.run(simulations, 1 << 31)
            raise GameError(
                f"game {self.game.name!r} misbehaved on the device, though not on a core (seed {seeds[row]}); run playout check on it"
            )

    def _state(self, states: Array, row: int) -> State:
        return State(self.game, states[row : row + 1].copy(), 1)


def movers(binding: Binding, states: Array) -> Array:
    """Who is to act in each of many states, -1 where the game is over."""
    found = np.zeros(len(states), np.int64)
    binding.kernel(movers_of)(pool(states, binding.compiled), found)
    return found
