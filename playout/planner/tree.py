"""One tree as Python holds it: its arrays, the scratch space to search it, how it grows and moves its root."""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.compile import Binding
from playout.compile.records import Pool, Records, apart, scratch
from playout.engine import layout
from playout.engine.layout import Sim
from playout.engine.learned import NOTHING
from playout.engine.move_root import Move, transplant
from playout.engine.positions import rehash
from playout.engine.rules import rule_named
from playout.engine.shift import HABITS_KEPT
from playout.engine.simulate import blocks_for, simulate
from playout.engine.trouble import SEARCHING, no_number, told
from playout.errors import GameError
from playout.game.state import State
from playout.game.stream import base_word
from playout.planner.keys import judge_pair
from playout.planner.learned import Learned, learned_options
from playout.planner.options import needs_of, option_record
from playout.planner.read import Reader
from playout.planner.real_move import edge_about, replanted
from playout.planner.real_work import furnish, sequences
from playout.planner.rejection import Roots
from playout.planner.settings import Settings
from playout.planner.way import find_way

RECORDS = ("head", "nodes", "leads", "pages", "table")
"""Columns of records, which uncompiled kernels read by attribute."""


def _copied(column: Any, length: int) -> Any:
    longer = np.zeros((length, *column.shape[1:]), column.dtype)
    kept = min(length, len(column))
    # As bytes: a plain memory copy, whatever the fields.
    longer.view(np.uint8).reshape(-1)[: kept * longer[:1].nbytes] = np.asarray(column[:kept]).view(np.uint8).reshape(-1)
    # A view would not own its memory, and could not be resized in place later.
    return longer if type(column) is np.ndarray else longer.view(type(column))


class SearchTree(Reader):
    """The arrays of one tree with the scratch space to search it; `lanes` simulations can be on their way at once."""

    _plain: dict[int, float] | None = None
    """The priors of the root's actions before there was noise on them."""

    def __init__(
        self,
        binding: Binding,
        settings: Settings,
        state: State,
        number: int,
        learned: Learned | None = None,
        lanes: int = 1,
    ) -> None:
        game = binding.game
        self.game, self.settings, self.binding, self.learned, self.lanes = game, settings, binding, learned, lanes
        self.as_objects = binding.has("objects")
        self._needs = needs_of(game, settings, waiting="waiting" in binding.features)
        # Room for a thousand simulations or so; those of a continuous game add an action at every stage.
        self.tree = self.empty(game.most_legal + 1024 * min(4, max(1, game.stages)))
        head = self.tree.head[0]
        head["seed"], head["tree"], head["used"] = settings.seed, number, 1
        head["stream"] = base_word(settings.seed, number)
        head["low"], head["high"] = np.inf, -np.inf
        self._simulate = binding.kernel(simulate)
        self._scratch = self._make_scratch()
        self._roots = Roots(binding, settings.seed, number) if game.rejects and settings.hidden in layout.SAMPLING else None
        self.root = state

    def empty(self, slots: int, places: int = 1024) -> Any:
        """Zeroed columns of that length, as the settings need them."""
        tree = layout.empty(self.game, self._needs, slots, places, apart)
        if self.binding.compiled:
            return tree
        return tree._replace(**{name: getattr(tree, name).view(Records) for name in RECORDS})

    def _make_scratch(self) -> tuple[Any, Any, Any, Any, Any]:
        """What the kernel works with: options, states and their bytes, the scratch records, and what was learned."""
        game, settings, lanes = self.game, self.settings, self.lanes
        states = self._states = apart(lanes * layout.POOL, game.dtype).reshape(lanes, layout.POOL)
        raw = states.view(np.uint8).reshape(lanes, layout.POOL, game.dtype.itemsize)
        options = self._options = option_record(game, settings)
        work = self._work = apart(lanes, layout.work_dtype(game))
        known = NOTHING
        if self.learned is not None:
            learned_options(options[0], game, self.learned, self._needs)
            known = self.learned.seen_by(self.binding.compiled)
        if game.continuous:
            furnish(work, game, settings, sequences([settings.seed] * lanes, [self.number] * lanes))
        if self.binding.compiled:
            return options, states, raw, work, known
        return options.view(Records), [Pool(pool) for pool in states], raw, [scratch(record, False) for record in work], known

    @property
    def sim(self) -> Any:
        """All that a simulation works on, as kernels get it: records in arrays, since handing over a record takes microseconds."""
        return Sim._make((*self.tree, *self._scratch))

    @property
    def root(self) -> State:  # type: ignore[override]
        """The state that the tree starts from."""
        return self._root

    @root.setter
    def root(self, state: State) -> None:
        self._root = state
        self._states[:, layout.ROOT] = state.copy_array()[0]
        self._options[0]["observer"] = max(0, state.mover)

    @property
    def observer(self) -> int:  # type: ignore[override]
        """The player who searches: with hidden information the tree is what this one can tell apart."""
        return int(self._options[0]["observer"])

    def force(self, action: Any = None) -> bool:
        """Let every simulation begin with an action, or (None) with what the rule says again; False where it cannot be tried."""
        slot = None if action is None else self.edge(0, action)
        if action is not None and (slot is None or self.tagged(slot, layout.REFUTED)):
            return False
        self._options[0]["forced"] = -1 if slot is None else slot - self.edges(0)[0]
        return True

    def replant(self, state: State, seed: int, number: int) -> None:
        """Forget everything, and begin at another state as a tree with this seed and number would; much sooner than making one."""
        used, head = self.used, self.tree.head[0]
        for column in layout.used_by(self.tree):
            getattr(self.tree, column.name)[: -(-used // column.shared_by)] = 0
        if head["positions"]:
            self.tree.table[:] = 0
        self.tree.habits[:] = 0
        self.tree.head[:] = 0
        head["seed"], head["tree"], head["used"] = seed, number, 1
        head["stream"] = base_word(seed, number)
        head["low"], head["high"] = np.inf, -np.inf
        self._work["entered"] = 0
        self.root = state
        self._plain = None

    def season(self, noise: Any, part: float) -> None:
        """Mix noise into the priors of the root, one number for each of its actions in the order of the slots."""
        slots = self.edges(0)
        if len(slots) and len(self.tree.priors) > 1:
            where = slice(slots[0], slots[-1] + 1)
            self._plain = dict(zip(self.tree.nodes["action"][where].tolist(), self.tree.priors[where].tolist()))
            self.tree.priors[where] = (1 - part) * self.tree.priors[where] + part * noise

    def unseason(self) -> None:
        """The priors of the root as they were: what is learned from a search is not its noise."""
        plain, self._plain = self._plain, None
        if plain is not None:
            for slot in self.edges(0):
                self.tree.priors[slot] = plain.get(int(self.tree.nodes[slot]["action"]), self.tree.priors[slot])

    def believe(self, action: int, value: tuple[float, ...]) -> None:
        """Take for proven what somebody else proved: the value of the root, and an action that keeps it."""
        for slot in (0, self.edge(0, action)):
            assert slot is not None
            self.tree.nodes[slot]["tags"] |= layout.PROVEN
            self.tree.values[slot] = value

    # running

    def reopen(self) -> None:
        """Let a tree that had used up its memory try again: another budget may allow more. A race at the root begins anew."""
        self.tree.head[0]["full"] = 0
        if rule_named(self.settings.at_root).race:
            for slot in self.edges(0):
                self.tree.nodes["tags"][slot] &= 255 - layout.DROPPED

    def plan(self, began: int, simulations: int) -> None:
        """Tell a race at the root how many simulations it has, after so many that were there before."""
        self._options[0]["began"], self._options[0]["planned"] = began, simulations

    def prepare(self) -> None:
        """Have the kernel ready: compiled, or loaded from the cache."""
        self._simulate(self.sim, 0)
        if self._roots is not None:
            self._roots.prepare()

    def run(self, count: int, most_bytes: int, most: int | None = None) -> int:
        """So many simulations; fewer only when the root is proven. Grows within the memory it may use.

        A tree that works in batches may go on to the end of one, though never beyond `most`.
        """
        done = 0
        with np.errstate(over="ignore"):
            while done < count and not self.proven:
                many = count - done
                if self._roots is not None:
                    self.enter_world()
                    many = 1
                try:
                    done += int(self._simulate(self.sim, many))
                except GameError:
                    # It left in the midst of a simulation, and nobody may go on with half of one.
                    self.replant(self._root, int(self.tree.head[0]["seed"]), int(self.tree.head[0]["tree"]))
                    raise
                self.report_trouble()
                if self.tree.prints[0]:
                    judge_pair(self)
                if done < count and not self.proven:
                    self.grow(most_bytes)
        return done

    def enter_world(self) -> None:
        """Where worlds are found by rejection the kernel has nothing to draw: the next simulation is given its world."""
        assert self._roots is not None
        self._states[:, layout.ROOT] = self._roots.of(self._root, self.observer, self.simulations)

    def report_trouble(self) -> None:
        """Say in a sentence what the game did wrong, if it did."""
        head = self.tree.head[0]
        code = int(head["trouble"])
        if code == 0:
            return
        head["trouble"] = 0
        lane = int(head["lane"])
        value = self._work[lane]["value"]
        if self.game.continuous:
            # Actions were added that nobody has a value of.
            self.tree.lead[:] = 0
            head["leads"] = 0
            self.tree.pages[:1]["up"] = 0
            raise no_number(self.game, self._states[lane, layout.NOW]["actions"], value)
        raise told(SEARCHING, code, State(self.game, self._states[lane, layout.NOW : layout.NOW + 1].copy(), 1), value)

    # growing

    @property
    def slot_bytes(self) -> int:
        """Bytes per slot, with the columns that the settings ask for."""
        return layout.slot_bytes(self.tree)

    def grow(self, most_bytes: int) -> None:
        """More room for slots or for hashed positions, whichever is short; or the note that there can be no more."""
        tree, head = self.tree, self.tree.head[0]
        blocks = self.lanes * blocks_for(self.settings.by_sight, int(head["deepest"]))
        while 2 * (int(head["positions"]) + blocks * self.game.players) > len(self.tree.table):
            # While it grows, the old table and the new one, four times as long, are both there.
            if self.bytes + 4 * self.tree.table.nbytes > most_bytes:
                head["full"] = 1
                return
            self._grow_table()
        tree, more = self.tree, blocks * (self.game.most_legal + 2)
        wanted = self.used + more
        if wanted > len(tree.nodes):
            room = (most_bytes - tree.table.nbytes) // self.slot_bytes
            slots = min(2 * len(tree.nodes) + more, room)
            if slots < wanted:
                head["full"] = 1
                return
            try:
                self._resize(slots, most_bytes)
            except MemoryError:
                head["full"] = 1

    def _resize(self, slots: int, most_bytes: float = float("inf")) -> None:
        """Longer (or shorter) columns with the same content; all of them or, if memory fails, none."""
        lengths = {c.name: slots // c.shared_by + (c.shared_by > 1) for c in layout.used_by(self.tree)}
        if not self.binding.compiled or self.bytes + slots * self.slot_bytes <= most_bytes:
            # A fresh array is zeroed by the system page by page when it is used; a resized one at once, and all threads wait.
            self.tree = self.tree._replace(**{name: _copied(getattr(self.tree, name), n) for name, n in lengths.items()})
            return
        # No room for two copies. The kernel trusts the length of the nodes, so they grow last.
        for name in reversed(lengths):
            column = getattr(self.tree, name)
            column.resize((lengths[name], *column.shape[1:]), refcheck=False)

    def _grow_table(self) -> None:
        old = self.tree.table
        table = np.zeros(4 * len(old), layout.TABLE).view(type(old))
        with np.errstate(over="ignore"):
            self.binding.kernel(rehash)(old[old["slot"] != 0], table)
        self.tree = self.tree._replace(table=table)

    def copy(self) -> SearchTree:
        """The tree once more: what happens to one leaves the other as it is."""
        twin = self._blank()
        twin.tree = type(self.tree)(*(_copied(column, len(column)) for column in self.tree))
        return twin

    def _blank(self) -> SearchTree:
        """A tree of the same kind with nothing in it."""
        return SearchTree(self.binding, self.settings, self.root, 0, self.learned, self.lanes)

    # moving the root

    def move_root(self, action: Any, state: State) -> bool:
        """Keep what is known below an action and forget the rest; False when nothing was known.

        Where worlds are drawn, the way down is what the searcher sees of the state. Its next decision may come only after actions
        of others, which it need not see: the tree then waits below its own action, and `meet` goes on from there.
        """
        edge = edge_about(self, action) if self.game.continuous else self.edge(0, action)
        if edge is None or not self._can_follow:
            return False
        if self.settings.by_sight:
            return self._keep(self.seen_below(0, action, state, shared=False), state)
        if not self.tagged(edge, layout.CHANCE) and bytes(self.root.play(action)) != bytes(state):
            return False
        return self._keep(self.below(edge, state, 0), state)

    @property
    def _can_follow(self) -> bool:
        """Whether what hangs below an action belongs to what is seen after it.

        In open loop it is an average over worlds that are now known to be wrong. With a tree for every player, those of the others
        begin with what they see at the root, and of their later positions nobody knows which are those of the new root.
        """
        drawn = self.settings.hidden in layout.SAMPLING
        return not (drawn and (self.settings.open_loop or self.settings.hidden == "mo-ismcts"))

    def meet(self, state: State) -> bool:
        """After `move_root`: whether the tree starts from what the mover of the state sees, following what others did till now.

        The others' actions are known only by what came of them. There must be one way through the tree to what is seen now, and
        on it no untried action, which might have led here too; else nobody can be certain which way it was.
        """
        if self.settings.hidden not in layout.SAMPLING:
            return self.root == state
        if state.mover != self.observer:
            return False
        if self.root.mover == self.observer:
            if self.root.observed(self.observer) != state.observed(self.observer):
                return False
            self.root = state
            return True
        found = find_way(self, state)
        return found is not None and self._keep(found, state)

    def _keep(self, position: int | None, state: State) -> bool:
        """Make a position the root; one that outcomes share is none, since its numbers are not of this state alone."""
        if position is None or not self.visits_of(position) or self.tagged(position, layout.MERGED):
            return False
        old, observer, used = self.tree, self.observer, self.used
        if self.game.continuous:
            self.tree, self.root = replanted(self, position), state
            return True
        new = self.empty(used + self.game.most_legal + 1024, len(old.table))
        owned = self.owned() if self.binding.compiled else self.owned().view(Records)
        moved, queue, order, firsts = (np.zeros(used, np.int32) for _ in range(4))
        with np.errstate(over="ignore"):
            self.binding.kernel(transplant)(Move(old, new, owned, moved, queue, order, firsts, np.zeros(2, np.int64)), position)
        for name in ("seed", "tree", "stream", "simulations", "steps", "valued", "low", "high"):
            new.head[0][name] = old.head[0][name]
        self.tree = new
        self._work["entered"] = 0  # the slots are others now
        # What was good some moves ago may be so no more: new results soon outweigh it.
        new.habits[:] = old.habits
        new.habits[:, 0] *= HABITS_KEPT
        self._resize(min(len(new.nodes), 2 * self.used + self.game.most_legal + 1024))
        self.root = state
        if self.settings.hidden in layout.SAMPLING:
            self._options[0]["observer"] = observer
        return True
