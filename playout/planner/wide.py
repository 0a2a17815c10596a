"""`search_wide`: one position, hard. Tens of thousands of independent trees of it, grown side by side, their root statistics added up.

It is the search that `trees` asks for with a number, which `Search` does with up to some thousands: the same trees, share for share and
round for round, so a budget in simulations gives the same numbers on every device. Many trees know the first action well (what they say
of it is independent, so the spread between them is honest), and no line deeper than one tree of them: breadth, not depth.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from playout.compile.devices import Array, device_named
from playout.engine import layout
from playout.engine.forest import Edges
from playout.engine.rules import rule_named
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.load import load
from playout.game.state import State
from playout.planner.actions import pick
from playout.planner.choices import BY_ARRAYS, pick_each
from playout.planner.decision import Decision, TracePoint
from playout.planner.forest import FIRST, LONGEST, PER_STEP, PIECE_SECONDS, TRIALS, TRIED, Forest, Plan, Rows, roomier
from playout.planner.grown import Grown
from playout.planner.line import follow
from playout.planner.opinion import opinion_of, quotas, spread
from playout.planner.root import Root, Sums
from playout.planner.run import FEWEST, MOST
from playout.planner.search import Search
from playout.planner.settings import Budget
from playout.planner.tree import SearchTree
from playout.planner.words import read

ROOTS = Edges._fields.index("actions")
"""So many columns of `Edges` are of the roots themselves."""
LARGEST = 1 << 29
"""Bytes that one tree gets at most, where only the clock says how many simulations there will be."""
HOPED = 1.25
"""How much faster it may go than thought, before trees are full."""
SHOWN, REGROWN = 8, 500_000
"""Trees that are grown again on a core for the line of the decision, at most, and with so many simulations in all."""

Show = Callable[[Decision], None]


class WideRoot(Root):
    """The root of many trees, out of arrays: rows of trees, actions in order of their ids."""

    def __init__(self, search: Search, trees: list[SearchTree], grown: Grown) -> None:
        super().__init__(search.game, search.settings, trees)
        edges, self.grown = grown.edges, grown
        # A tree that had nothing to spend knows no actions.
        self.asked = np.flatnonzero(edges.counts == len(self.actions))
        order = np.argsort(edges.actions[self.asked], axis=1, kind="stable")[:, -len(self.actions) :]
        self.edges = Edges(
            *(column[self.asked] for column in edges[:ROOTS]),
            *(
                np.take_along_axis(column[self.asked], order if column.ndim == 2 else order[:, :, None], 1)
                for column in edges[ROOTS:]
            ),
        )

    def counts(self) -> tuple[Array, Array]:
        return self.edges.visits.sum(axis=0, dtype=np.int64), self.edges.scores[:, :, self.mover].sum(axis=0)

    def bounds(self) -> tuple[float, float]:
        head = self.grown.head[:, 0]
        low, high = float(head["low"][:, self.mover].min()), float(head["high"][:, self.mover].max())
        return (low, high) if low <= high else (0.0, 0.0)

    def sums(self) -> Sums:
        edges, size = self.edges, len(self.actions)
        known = (edges.tags & layout.PROVEN) != 0
        proven = {int(i): tuple(edges.values[known[:, i].argmax(), i].tolist()) for i in np.flatnonzero(known.any(axis=0))}
        priors = self.trees[0].block().priors
        scores = edges.scores[:, :, self.mover]
        return Sums(
            edges.visits.sum(axis=0, dtype=np.int64),
            edges.squares.sum(axis=0),
            edges.scores.sum(axis=0),
            np.zeros(size) if priors is None else priors[np.argsort(self.trees[0].block().actions, kind="stable")],
            ((edges.tags & layout.REFUTED) != 0).any(axis=0),
            ((edges.tags & layout.DROPPED) != 0).sum(axis=0),
            proven,
            int(self.grown.edges.root_visits.sum(dtype=np.int64)),
            float(self.grown.edges.root_scores[:, self.mover].sum()),
            self.bounds(),
            spread(edges.visits.astype(float), scores, False) if len(scores) > 1 else np.zeros(size),
            len(self.grown.head),
        )

    def choices(self) -> Array:
        """The place of the action that every tree would choose by itself."""
        bounds, edges = self.game.range_of(self.settings.reward), self.edges
        mine = (column[:, :, self.mover] for column in (edges.scores, edges.values))
        return pick_each(self.settings, bounds[1] if bounds else None, edges.visits, edges.tags, *mine)


class Wide:
    """One budget being spent on many trees of one state."""

    def __init__(self, search: Search, state: State, budget: Budget, device: str) -> None:
        self.search, self.state, self.budget = search, state, budget
        self.settings, trees = search.settings_in(state), search.settings.trees
        assert isinstance(trees, int)
        self.count = trees
        self.forest = Forest(search, device_named(device, search.settings.threads))
        self.quotas = None if budget.simulations is None else np.array(quotas(budget.simulations, trees, False), np.int64)
        self.trace: list[TracePoint] = []
        self.states, self.numbers = np.repeat(state.copy_array(), trees), np.arange(trees, dtype=np.int64)
        self.seeds = np.full(trees, search.settings.seed, np.int64)
        self.full = self.more = False
        """Whether a tree ran out of room, and whether there is more."""

    def plan(self) -> Plan:
        """The room for a tree: what it will need, as far as there is so much for all."""
        most = self._expected() if self.quotas is None else max(1, int(self.quotas.max()))
        plan = self.forest.plan(self.settings, self.states[:TRIALS], most)
        return self._within(plan if self.quotas is not None else plan._replace(longest=min(LONGEST, 2 * plan.longest)))

    def _expected(self) -> int:
        """Simulations of a tree that the clock allows, at most, by the speed of one on a core.

        All the memory that there is would do as well, but whoever hands it out makes it zero first, some of it for seconds.
        """
        tree = self.search.tree(self.settings, self.state, 0)
        tree.run(1, 1 << 31)
        began = time.perf_counter()
        tree.run(TRIED, 1 << 31)
        rate = TRIED / max(1e-6, time.perf_counter() - began)
        return int(HOPED * rate * self.forest.device.worth * (self.budget.seconds or 0.0) / self.count) + FEWEST

    def _within(self, plan: Plan) -> Plan:
        """The same plan with no more slots than there is room for in every tree."""
        forest = self.forest
        room = forest.device.room() if self.budget.memory is None else int(self.budget.memory * 1e6)
        share, least = min(LARGEST, room // self.count), self.search.game.most_legal + 2
        # Columns that are not needed have one slot, whatever the others have.
        fixed, two = (forest.bytes_of(self.settings, plan._replace(slots=slots)) for slots in (1, 2))
        able = (share - fixed) // (two - fixed)
        if able < least:
            raise PlayoutError(
                f"{self.count:,} trees do not fit on {forest.device.words()}: each would have {share:,} bytes and needs "
                f"{fixed + least * (two - fixed):,}; take fewer trees"
            )
        return plan._replace(slots=min(plan.slots, able))

    def run(self, show: Show | None = None) -> Decision:
        """Spend it, round by round; Ctrl-C gives the best so far."""
        plan = self.plan()
        while not (stopped := self._spend(plan, show)):
            # What the last try had goes before the next one takes its place.
            del self.columns, self.grown
            plan = self._within(roomier(plan))
        return self.decide(stopped)

    def _spend(self, plan: Plan, show: Show | None) -> str:
        """One try with this room; an empty word where some trees needed more than was thought, so that it has to be done again."""
        forest, count = self.forest, self.count
        self.trace, self.full = [], False
        self.more = self.quotas is not None and self._within(roomier(plan)).slots > plan.slots
        self.columns = forest.planted(self.settings, plan, self.states, self.seeds, self.numbers, 0)
        kept = forest.scratch(self.settings, plan, self.seeds, self.numbers)
        self.done = np.zeros(count, np.int64)
        for column in self._arrays()[1:]:
            if isinstance(column, np.ndarray):
                # Else this machine would look for memory, page by page, while the clock runs.
                column.fill(0)
        forest.ready(self.columns, kept, plan.longest, count)
        self.began, size, stopped = time.perf_counter(), FEWEST if self.quotas is not None else FIRST, ""
        try:
            while not stopped:
                began = time.perf_counter()
                wanted = np.full(count, size, np.int64) if self.quotas is None else np.minimum(size, self.quotas - self.done)
                self._round(plan, kept, wanted)
                if self.full and self.more:
                    break
                size = self._next_size(size, time.perf_counter() - began)
                stopped = self._look()
                if show is not None and not stopped:
                    show(self.decide("running"))
        except KeyboardInterrupt:
            if not self.done.any():
                raise
            self.grown = forest.seen(self.columns, count)
            stopped = "interrupted"
        self.seconds = time.perf_counter() - self.began
        deep = PER_STEP * int(self.grown.head["deepest"].max()) + 8 > plan.longest < LONGEST
        again = self.quotas is not None and stopped != "interrupted" and (deep or (self.full and self.more))
        return "" if again else stopped

    def _round(self, plan: Plan, kept: Any, wanted: Array) -> None:
        """So many simulations of each tree; one that runs out of room goes on without growing."""
        forest = self.forest
        while wanted.any():
            done = forest.tended(self.columns, kept, plan.longest, wanted)
            self.done += done
            self.grown = forest.seen(self.columns, self.count)
            forest.complain(self.settings, self.grown.head, self.states, self.seeds, self.numbers, int(self.done.max()) + 1)
            proven = (self.grown.edges.root_tags & layout.PROVEN) != 0
            wanted = np.where(proven, 0, wanted - done)
            short = wanted > 0
            if short.any():
                self.full = True
                if self.more:
                    return
                self.grown.head["full"][short] = 1
                self.columns = forest.headed(self.columns, self.grown.head)

    def _next_size(self, size: int, took: float) -> int:
        """As `Run` has it where the clock must not decide; else a piece that the device works on for a quarter of a second."""
        if self.quotas is not None:
            return max(FEWEST, min(MOST, int(self.done.sum()) // self.count // 4))
        left = (self.budget.seconds or 0.0) - (time.perf_counter() - self.began)
        return max(1, min(8 * size, int(size * min(PIECE_SECONDS, max(0.01, left)) / max(took, 1e-6))))

    def _look(self) -> str:
        """Why it ends here, if it does."""
        self.seconds = time.perf_counter() - self.began
        if (self.grown.edges.root_tags & layout.PROVEN).any():
            return "proven"
        if self.quotas is not None and (self.done >= self.quotas).all():
            return "simulations"
        if self.budget.seconds is not None and self.seconds >= self.budget.seconds:
            return "seconds"
        return ""

    def decide(self, stopped: str) -> Decision:
        """The decision of all trees together, explained as that of a search is."""
        search, state, game, settings = self.search, self.state, self.search.game, self.search.settings
        head, shown = self.grown.head[:, 0], self._shown(stopped)
        root = WideRoot(search, shown, self.grown)
        self._note(root)
        records, bounds = root.records(), game.range_of(settings.reward)
        chosen = records[pick(settings, records, root.mover, bounds[1] if bounds else None)]
        picked = root.choices()
        best = np.bincount(picked, minlength=len(records))
        records = tuple(msgspec.structs.replace(record, best=int(n)) for record, n in zip(records, best))
        names, visits = [root.names[place] for place in picked.tolist()], root.edges.root_visits
        proven = np.flatnonzero(self.grown.edges.root_tags & layout.PROVEN)
        valued, simulations = int(head["valued"].sum()), int(self.done.sum())
        return Decision(
            game=game.spec,
            seed=settings.seed,
            mover=root.mover,
            action=chosen.action,
            name=chosen.name,
            actions=records,
            parent_visits=int(self.grown.edges.root_visits.sum(dtype=np.int64)),
            simulations=simulations,
            seconds=self.seconds,
            nodes=int(head["used"].sum()),
            bytes=sum(int(np.prod(c.shape)) * c.dtype.itemsize for c in self._arrays()),
            stopped=stopped,
            full=self.full,
            proven=tuple(self.grown.edges.root_values[proven[0]].tolist()) if len(proven) else None,
            deepest=int(head["deepest"].max()),
            playout_actions=int(head["steps"].sum()) / max(1, simulations - valued) / settings.playouts,
            valued=None if search.learned is None else valued,
            settings=settings,
            trace=tuple(self.trace),
            state=state,
            principal=follow(state, shown, chosen.action, settings.seed),
            trees=tuple(shown),
            worlds=simulations if self.settings.hidden in layout.SAMPLING else None,
            opinion=opinion_of(names, visits.tolist(), chosen.name, chosen.visits / max(1, int(visits.sum(dtype=np.int64)))),
            auto=search.auto,
            note=self.words(),
        )

    def words(self) -> str:
        """What so many trees can and cannot know."""
        each, deepest = int(self.done.mean()), int(self.grown.head["deepest"].max())
        return (
            f"{self.count:,} independent trees on {self.forest.device.words()}, about {each:,} simulations each: they know the first action "
            f"broadly, and no line better than one tree of that size does (the deepest reached {deepest} actions)"
        )

    def _arrays(self) -> list[Any]:
        return [column.array if isinstance(column, Rows) else column for column in self.columns[: len(layout.FIELDS)]]

    def _shown(self, stopped: str) -> list[SearchTree]:
        """Some of the trees, grown again on a core: lines are read off them. While it runs, one with a simulation."""
        trees: list[SearchTree] = []
        left = REGROWN
        for number in range(min(SHOWN, self.count) if stopped != "running" else 1):
            done = int(self.done[number]) if stopped != "running" else 1
            if trees and done > left:
                break
            left -= done
            tree = self.search.tree(self.settings, self.state, number)
            tree.run(max(1, done), 1 << 31)
            trees.append(tree)
        return trees

    def _note(self, root: WideRoot) -> None:
        """Keep a point of the trace."""
        visits, scores = root.counts()
        means = tuple(float(s) / int(n) if n else None for n, s in zip(visits, scores, strict=True))
        if not self.trace or self.trace[-1].simulations < int(self.done.sum()):
            self.trace.append(TracePoint(int(self.done.sum()), self.seconds, tuple(int(n) for n in visits), means))


def check_wide(search: Search) -> None:
    """Refuse what many trees of one position cannot do, in a sentence."""
    settings = search.settings
    wrong = {
        f"trees is {settings.trees!r}: say how many, as in trees=65536": not isinstance(settings.trees, int)
        or settings.trees < 2,
        f"root_rule={settings.at_root} is a race with a plan for one tree: use another": rule_named(settings.at_root).race,
        f"final={settings.final} asks more than visits and means: use final=visits": settings.final not in BY_ARRAYS,
    }
    for why, found in wrong.items():
        if found:
            raise PlayoutError(f"one position cannot be searched by many trees side by side here, since {why}")


def search_wide(
    state: State | Game | str,
    budget: Budget | None = None,
    *,
    device: str = "auto",
    compiled: bool = True,
    show: Show | None = None,
    value: Any = None,
    **words: Any,
) -> Decision:
    """Search one state with very many independent trees: `search_wide("connect-four", trees=65536, device="cuda", seconds=10)`.

    A budget in simulations is shared out evenly, and then the decision is the same on every device.

    >>> import playout
    >>> decision = playout.search_wide("tic-tac-toe", trees=20, simulations=400, device="cpu", compiled=False)
    >>> decision.simulations, decision.opinion.trees
    (400, 20)
    """
    limits = {name: words.pop(name) for name in Budget.__struct_fields__ if name in words}
    if budget is None:
        budget = read(Budget, limits)
    where = state if isinstance(state, State) else None
    game = where.game if where is not None else load(state)  # type: ignore[arg-type]
    search = Search(game, value=value, compiled=compiled, **words)
    check_wide(search)
    begun = where if where is not None else game.start(search.settings.seed)
    if begun.over:
        raise PlayoutError(f"the game of {game.name} is over in this state: there is nothing to decide")
    return Wide(search, begun, budget, device).run(show)
