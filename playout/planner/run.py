"""Spending a budget on the trees of a search: rounds, threads, when to stop, and what is decided in the end."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from playout.engine.layout import SAMPLING
from playout.engine.rules import rule_named
from playout.errors import PlayoutError
from playout.planner.decision import Decision, TracePoint, pick
from playout.planner.line import follow
from playout.planner.read import total
from playout.planner.real_root import RealRoot, follow_real
from playout.planner.root import Root
from playout.planner.settings import Budget
from playout.planner.tree import SearchTree
from playout.planner.waiting import name_of

if TYPE_CHECKING:
    from playout.planner.search import Search

DEFAULT_MEMORY = 2000.0
ROUND_SECONDS = 0.01
"""How long the kernels run before Python looks at the clock, at Ctrl-C and at whoever watches."""
FEWEST, MOST = 256, 16_384
"""Simulations of a tree per round where the clock must not decide: a quarter of what was done, within these bounds."""
UNKNOWN = 1 << 40
"""How many simulations time allows, before any was made: nobody falls out of a race by it."""


class Choice(NamedTuple):
    """A quick decision: what `Search.choose` gives."""

    action: Any
    """The id, or the vector of a continuous game."""
    visits: int
    """How often it was tried."""
    simulations: int
    """Simulations that were added for it."""
    stopped: str
    """Why the search ended, as in a decision."""


class Run:
    """One budget being spent on a search's trees."""

    def __init__(self, search: Search, budget: Budget) -> None:
        self.search, self.budget, self.trees = search, budget, search.trees
        self.before = [tree.simulations for tree in self.trees]
        self.valued_before = self._valued()
        self.began = search.clock()
        self.trace: list[TracePoint] = []
        self.root: Root | RealRoot = (RealRoot if search.game.continuous else Root)(search.game, search.settings, self.trees)
        self.halted, self.watched = False, True
        # Without a clock in the budget, where rounds end must not depend on one, or proofs and early stops would.
        self.fixed = budget.seconds is None and (len(self.trees) > 1 or search.settings.early_stop)
        memory = (budget.memory or DEFAULT_MEMORY) * 1e6
        self.most_bytes = int(memory / len(self.trees))
        # An evaluator is Python, and one at a time: nobody promised that it can do two things at once.
        alone = len(self.trees) == 1 or search.evaluator is not None
        self.threads = 1 if alone else min(search.settings.threads or os.cpu_count() or 1, len(self.trees))
        for tree in self.trees:
            tree.reopen()

    @property
    def done(self) -> int:
        return sum(tree.simulations for tree in self.trees) - sum(self.before)

    @property
    def seconds(self) -> float:
        return self.search.clock() - self.began

    def steps(self, every: float) -> Iterator[Decision]:
        """Partial decisions about every so many seconds, and the final one."""
        for stopped in self.go(every):
            yield self.decide(stopped)

    def choose(self) -> Choice:
        """Spend the budget and choose, without all that explains the choice."""
        self.watched = False
        (stopped,) = self.go(float("inf"))
        if isinstance(self.root, RealRoot):
            _, tree, slot = self.root.choose()
            action, visits = tree.action_of(slot), tree.visits_of(slot)
        else:
            action, visits = self._pick(self.root)
        return Choice(action, visits, self.done, stopped)

    def _pick(self, root: Root) -> tuple[int, int]:
        bounds = self.search.game.returns_range
        if self.search.settings.final == "visits" and not root.known:
            visits = root.counts()[0]
            place = int(visits.argmax())
            return int(root.actions[place]), int(visits[place])
        records = root.records()
        chosen = records[pick(self.search.settings, records, self.root.mover, bounds[1] if bounds else None)]
        return chosen.action, chosen.visits

    def go(self, every: float) -> Iterator[str]:
        """Spend the budget: "running" about every so many seconds, and in the end why it ended."""
        stopped, shown, racing = "", self.began, rule_named(self.search.settings.at_root).race
        pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        try:
            # Compiling, or loading what was compiled, is not part of the budget.
            self.trees[0].prepare()
            self.began = shown = self.search.clock()
            size = FEWEST if self.fixed else 16 if self.watched else self.budget.simulations or 16
            while not (stopped := self._why_stop()):
                started = self.search.clock()
                if racing:
                    self._plan(started - self.began)
                self._round(pool, size)
                now = self.search.clock()
                size = self._next_size(size, now - started)
                self._note(now)
                if now - shown >= every:
                    shown = now
                    yield "running"
        except KeyboardInterrupt:
            # Wherever it struck: between rounds, too, there is a best so far.
            if not self.done:
                raise
            stopped = "interrupted"
            self.halted = True
        finally:
            if pool is not None:
                pool.shutdown(wait=True)
        if self.done == 0 and not any(tree.simulations for tree in self.trees):
            raise PlayoutError("the search was stopped before its first simulation, so there is nothing to decide from")
        self._note(self.search.clock(), last=True)
        yield stopped

    def _plan(self, seconds: float) -> None:
        """Tell the races at the roots how far the budget reaches: its simulations, and those that its time allows at the speed so far."""
        for number, tree in enumerate(self.trees):
            done, left = tree.simulations - self.before[number], self._left(tree)
            planned = UNKNOWN if left is None else done + left
            if self.budget.seconds is not None and done:
                planned = min(planned, max(done, int(done * self.budget.seconds / max(seconds, 1e-9))))
            tree.plan(self.before[number], planned)

    def _why_stop(self) -> str:
        budget, done = self.budget, self.done
        if any(tree.proven for tree in self.trees):
            return "proven"
        if budget.simulations is not None and done >= budget.simulations:
            return "simulations"
        if budget.seconds is not None and done and self.seconds >= budget.seconds:
            return "seconds"
        if self.search.settings.early_stop and done and self._certain(done):
            return "certain"
        return ""

    def _certain(self, done: int) -> bool:
        left = float("inf")
        if self.budget.simulations is not None:
            left = self.budget.simulations - done
        if self.budget.seconds is not None:
            left = min(left, (self.budget.seconds - self.seconds) * done / max(self.seconds, 1e-9))
        visits = np.sort(self.root.counts()[0])
        return len(visits) == 1 or bool(visits[-1] - visits[-2] > left)

    def _round(self, pool: ThreadPoolExecutor | None, size: int) -> None:
        shares = [self._share(tree, size) for tree in self.trees]
        if pool is None:
            for tree, share in zip(self.trees, shares, strict=True):
                self._spend(tree, share)
            return
        futures = [pool.submit(self._spend, tree, share) for tree, share in zip(self.trees, shares, strict=True)]
        for future in futures:
            future.result()

    def _spend(self, tree: SearchTree, share: int) -> None:
        """One tree's part of a round, in pieces short enough for Ctrl-C; where a piece ends changes nothing."""
        piece = FEWEST
        while share > 0 and not tree.proven and not self.halted:
            started = time.perf_counter()
            share -= tree.run(min(share, piece), self.most_bytes, self._left(tree))
            piece = max(1, min(4 * piece, int(piece * ROUND_SECONDS / max(time.perf_counter() - started, 1e-6)) + 1))

    def _share(self, tree: SearchTree, size: int) -> int:
        """This tree's simulations of the round: a fixed part of the budget, whatever the threads do."""
        left = self._left(tree)
        return size if left is None else max(0, min(size, left))

    def _left(self, tree: SearchTree) -> int | None:
        """Simulations that this tree may still add; None where only time counts."""
        if self.budget.simulations is None:
            return None
        number = self.trees.index(tree)
        whole, rest = divmod(self.budget.simulations, len(self.trees))
        return whole + (number < rest) - (tree.simulations - self.before[number])

    def _next_size(self, size: int, took: float) -> int:
        if self.fixed:
            return max(FEWEST, min(MOST, self.done // (4 * len(self.trees))))
        goal = ROUND_SECONDS
        if self.budget.seconds is not None:
            goal = min(goal, max(self.budget.seconds / 50, 0.0005))
        if took <= 0:
            return size * 2
        return max(1, min(int(size * goal / took) + 1, size * 8, 1 << 20))

    def _note(self, now: float, last: bool = False) -> None:
        """Keep a point of the trace whenever the simulations have grown by a quarter."""
        done = self.done
        if not self.watched or isinstance(self.root, RealRoot):
            return  # the actions of one point in time are not those of another
        if self.trace and ((done < 1.25 * self.trace[-1].simulations and not last) or done == self.trace[-1].simulations):
            return
        visits, scores = self.root.counts()
        means = tuple(float(s) / int(n) if n else None for n, s in zip(visits, scores, strict=True))
        self.trace.append(TracePoint(done, now - self.began, tuple(int(n) for n in visits), means))

    def decide(self, stopped: str) -> Decision:
        search, trees = self.search, self.trees
        state = search.state or trees[0].root
        mover, bounds = self.root.mover, search.game.returns_range
        seed, root = search.settings.seed, self.root
        if isinstance(root, RealRoot):
            records, place, tree, slot = root.decide()
            choice, line = records[place], follow_real(state, tree, slot, seed)
        else:
            records = root.records()
            choice = records[pick(search.settings, records, mover, bounds[1] if bounds else None)]
            line = follow(state, trees, choice.action, seed)
        proof = next((tree for tree in trees if tree.proven), None)
        played_out = max(1, sum(tree.simulations for tree in trees) - self._valued())
        return Decision(
            game=search.game.spec,
            seed=search.settings.seed,
            mover=mover,
            action=choice.action,
            name=choice.name,
            actions=records,
            parent_visits=sum(tree.visits for tree in trees),
            simulations=self.done,
            seconds=self.seconds,
            nodes=sum(tree.used for tree in trees),
            bytes=sum(tree.bytes for tree in trees),
            stopped=stopped,
            full=any(tree.full for tree in trees),
            proven=None if proof is None else proof.result,
            deepest=max(int(tree.head("deepest")) for tree in trees),
            playout_actions=total(trees, "steps") / played_out / search.settings.playouts,
            valued=None if search.learned is None and search.evaluator is None else self._valued() - self.valued_before,
            settings=search.settings,
            trace=tuple(self.trace),
            state=state,
            evaluations=total(trees, "evaluations") if search.game.continuous else None,
            principal=line,
            trees=tuple(trees),
            worlds=self._worlds(),
            auto=search.auto,
            note=search.ignored or self._note_hidden() or self._note_learned(),
        )

    def _worlds(self) -> int | None:
        ways = {tree.settings.hidden for tree in self.trees}
        if ways <= set(SAMPLING):
            return self.done
        return len(self.trees) if ways == {"pimc"} else None

    def _valued(self) -> int:
        return total(self.trees, "valued")

    def _note_learned(self) -> str:
        search = self.search
        if search.learned is None and search.evaluator is None:
            return ""
        who = f"the policy {search.learned.name}" if search.learned is not None else f"the evaluator {name_of(search.evaluator)}"
        return f"{self._valued() - self.valued_before:,} of {self.done:,} simulations ended at a leaf that {who} valued"

    def _note_hidden(self) -> str:
        if not self.search.game.hidden:
            return ""
        if self.search.settings.hidden == "peek":
            return "peek cheats: it searched the state as it is, hidden things included"
        return "" if self._worlds() is not None else "nothing is hidden any more: the state is its only world"
