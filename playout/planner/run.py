"""Spending a budget on the trees of a search: rounds, threads, when to stop, and what is decided in the end."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from playout.compile.patience import gather
from playout.cores import usable_cores
from playout.engine.layout import SAMPLING
from playout.engine.rules import rule_named
from playout.errors import PlayoutError
from playout.game.state import State
from playout.game.stream import LOTS, Stream
from playout.planner.actions import ActionRecord, pick
from playout.planner.decision import INTERRUPTED, ONLY, Decision, TracePoint
from playout.planner.first_sight import first_sight
from playout.planner.line import follow
from playout.planner.notes import note_of
from playout.planner.opinion import Opinion, opinion_of, pace, quotas
from playout.planner.prove import Proof, parts, prepare, prove
from playout.planner.read import total
from playout.planner.real_root import RealRoot, follow_real
from playout.planner.root import Root
from playout.planner.settings import Budget
from playout.planner.waiting import WaitingTree, called, plays_out

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
        self.proof: Proof | None = None
        self.for_solver: Budget | None = None
        if search.settings.prove and not any(tree.proven for tree in search.trees):
            self.for_solver, self.budget = parts(budget, search.settings.prove)
        self.before = [tree.simulations for tree in self.trees]
        self.valued_before = self.valued()
        self.began = search.clock()
        self.trace: list[TracePoint] = []
        self.root: Root | RealRoot = (RealRoot if search.game.continuous else Root)(search.game, search.settings, self.trees)
        self.halted, self.watched = False, True
        self.halting = False
        """Whether somebody in another thread wants it to end; it ends at the next look, once there is a first simulation."""
        self.pieces: dict[int, int] = {}
        """By tree, how many simulations are short enough for Ctrl-C."""
        self.sights: dict[int, float] | None = None
        # Without a clock in the budget, where rounds end must not depend on one, or proofs and early stops would.
        self.fixed = budget.seconds is None and (len(self.trees) > 1 or search.settings.early_stop)
        for tree in self.trees:
            tree.reopen()
        self._share_out()

    def _share_out(self) -> None:
        """How the trees that there are now share the budget, the memory and the threads."""
        search, budget, count = self.search, self.budget, len(self.trees)
        main = search.settings.trees == "auto"
        # An evaluator is Python, and so are rules as they are, and one at a time: nobody promised that it can do two things at once.
        alone = count == 1 or search.evaluator is not None or not search.game.compiled
        self.threads = 1 if alone else min(search.settings.threads or usable_cores(), count)
        self.quotas = None if budget.simulations is None else quotas(budget.simulations, count, main)
        self.pace = pace(count, None if self.quotas is not None else self.threads) if main else 1.0
        memory = (budget.memory or DEFAULT_MEMORY) * 1e6 / (1 + self.pace * (count - 1))
        self.most_bytes = [int(memory * (self.pace if number else 1)) for number in range(count)]

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
            action, visits = self.pick()
        return Choice(action, visits, self.done, stopped)

    def pick(self) -> tuple[int, int]:
        """The choice among listed actions as the trees stand, and its visits."""
        root = self.root
        assert isinstance(root, Root)
        bounds = self.search.game.range_of(self.search.settings.reward)
        if self.search.settings.final == "visits" and not root.known:
            visits = root.counts()[0]
            place = int(visits.argmax())
            return int(root.actions[place]), int(visits[place])
        records = root.records()
        chosen = records[pick(self.search.settings, records, self.root.mover, bounds[1] if bounds else None, self._lot(root))]
        return chosen.action, chosen.visits

    def _lot(self, root: Root) -> float | None:
        """A number from 0 to 1 that decides where shares do: another for everything that the mover can see, and for every seed."""
        if self.search.settings.final != "shares":
            return None
        seen = blake2b(root.state.observed(root.mover), digest_size=4).digest()
        return Stream(self.search.settings.seed, LOTS, int.from_bytes(seen, "little")).uniform()

    def go(self, every: float) -> Iterator[str]:
        """Spend the budget: "running" about every so many seconds, and in the end why it ended."""
        if self.search.only:
            self.began = self.search.clock()
            yield ONLY
            return
        stopped, shown, racing = "", self.began, rule_named(self.search.settings.at_root).race
        pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        try:
            # Compiling, or loading what was compiled, is not part of the budget.
            self.trees[0].prepare()
            if self.for_solver is not None:
                prepare(self.search)
            self.began = shown = self.search.clock()
            if self.for_solver is not None:
                self._prove(self.for_solver)
            size = FEWEST if self.fixed else 16 if self.watched else self.budget.simulations or 16
            while not (stopped := self._why_stop()):
                if self.quotas is None and len(self.trees) == 1 and self.trees[0].simulations >= self.search.enough:
                    pool = self._hear_witnesses(pool)
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
            stopped = INTERRUPTED
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
            done, left = tree.simulations - self.before[number], self._left(number)
            planned = UNKNOWN if left is None else done + left
            if self.budget.seconds is not None and done:
                planned = min(planned, max(done, int(done * self.budget.seconds / max(seconds, 1e-9))))
            tree.plan(self.before[number], planned)

    def _prove(self, budget: Budget) -> None:
        """Let the solver try first; what it proves needs no simulations but the one that lists the actions."""
        state = self.search.state
        assert state is not None
        self.proof = prove(self.search, state, budget)
        if self.proof.value is not None and self.proof.line is not None:
            tree = self.trees[0]
            tree.run(1, self.most_bytes[0], 1)
            if not tree.proven:
                tree.believe(self.proof.line.actions[0], self.proof.value)

    def _hear_witnesses(self, pool: ThreadPoolExecutor | None) -> ThreadPoolExecutor | None:
        """Only the clock tells how many simulations there will be: when they are many enough, the witnesses come in."""
        self.search.call_witnesses(self.budget)
        if len(self.trees) == 1:
            return pool
        self.before += [0] * (len(self.trees) - 1)
        self._share_out()
        return ThreadPoolExecutor(self.threads) if self.threads > 1 else None

    def _why_stop(self) -> str:
        budget, done = self.budget, self.done
        if any(tree.proven for tree in self.trees):
            return "proven"
        if self.halting and done:
            return INTERRUPTED
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
        if pool is None:
            for number in range(len(self.trees)):
                self._spend(number, size)
            return
        gather([pool.submit(self._spend, number, size) for number in range(len(self.trees))], self._halt)

    def _halt(self) -> None:
        self.halted = True

    def _spend(self, number: int, size: int) -> None:
        """One tree's part of a round, in pieces short enough for Ctrl-C; where a piece ends changes nothing."""
        tree, share = self.trees[number], self._share(number, size)
        while share > 0 and not tree.proven and not self.halted:
            started, piece = time.perf_counter(), min(share, self.pieces.get(number, FEWEST))
            share -= tree.run(piece, self.most_bytes[number], self._left(number))
            took = max(time.perf_counter() - started, 1e-6)
            self.pieces[number] = max(1, min(4 * max(piece, FEWEST), int(piece * ROUND_SECONDS / took) + 1))
            if self.halting:
                return

    def _share(self, number: int, size: int) -> int:
        """A tree's simulations of the round: a fixed part of the budget, whatever the threads do."""
        left, share = self._left(number), math.ceil(size * self.pace) if number else size
        return share if left is None else max(0, min(share, left))

    def _left(self, number: int) -> int | None:
        """Simulations that a tree may still add; None where only time counts."""
        if self.quotas is None:
            return None
        return self.quotas[number] - (self.trees[number].simulations - self.before[number])

    def _next_size(self, size: int, took: float) -> int:
        if self.fixed:
            done = self.done // len(self.trees) if self.pace == 1 else self.trees[0].simulations - self.before[0]
            return max(FEWEST, min(MOST, done // 4))
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
        search, trees, seconds = self.search, self.trees, self.seconds
        state = search.state or trees[0].root
        mover, bounds = self.root.mover, search.game.range_of(search.settings.reward)
        seed, root = search.settings.seed, self.root
        if isinstance(root, RealRoot):
            records, place, tree, slot = root.decide()
            choice, line = records[place], follow_real(state, tree, slot, seed)
            opinion, basins = root.opinion(place), root.basins(place)
        else:
            basins = None
            records = root.records()
            choice = records[pick(search.settings, records, mover, bounds[1] if bounds else None, self._lot(root))]
            proved = None if self.proof is None or self.proof.value is None else self.proof.line
            known = proved is not None and proved.actions[0] == choice.action
            line = proved if proved is not None and known else follow(state, trees, choice.action, seed)
            opinion = self._opinion(root, choice)
            if opinion is not None:
                best = dict(opinion.choices)
                records = tuple(msgspec.structs.replace(record, best=best.get(record.name, 0)) for record in records)
            outside = search.evaluator is not None and not plays_out(search.evaluator)
            if (outside or self._asked_inside is not None) and stopped != ONLY:
                records = self._sighted(records, state)
        proof = next((tree for tree in trees if tree.proven), None)
        played_out = max(1, sum(tree.simulations for tree in trees) - self.valued())
        return Decision(
            game=search.game.spec,
            seed=search.settings.seed,
            mover=mover,
            action=choice.action,
            name=choice.name,
            actions=records,
            parent_visits=sum(tree.visits for tree in (root.chosen_from if isinstance(root, RealRoot) else trees)),
            simulations=self.done,
            seconds=seconds,
            nodes=sum(tree.used for tree in trees),
            bytes=sum(tree.bytes for tree in trees),
            stopped=stopped,
            full=any(tree.full for tree in trees),
            proven=None if proof is None else proof.result,
            deepest=max(int(tree.head("deepest")) for tree in trees),
            playout_actions=total(trees, "steps") / played_out / search.settings.playouts,
            valued=None if search.learned is None and self._played else self.valued() - self.valued_before,
            evaluator="" if search.evaluator is None else called(search.evaluator),
            settings=search.settings,
            trace=tuple(self.trace),
            state=state,
            evaluations=total(trees, "evaluations") if search.game.continuous else None,
            principal=line,
            trees=tuple(trees),
            worlds=self.worlds(),
            auto="" if stopped == ONLY else search.auto,
            opinion=opinion,
            basins=basins,
            note=note_of(self, choice, records),
        )

    @property
    def _asked_inside(self) -> Any:
        """A network that the kernel asks, for whoever asks it outside."""
        return None if self.search.learned is None else self.search.learned.ask

    def _sighted(self, records: tuple[ActionRecord, ...], state: State) -> tuple[ActionRecord, ...]:
        """The records with what the evaluator says by itself; it is asked once, since search does not change it."""
        if self.sights is None:
            tree, settings, inside = self.trees[0], self.search.settings, self._asked_inside

            def ask(states: Any) -> Any:
                if inside is not None:
                    return inside(states)[1]
                assert isinstance(tree, WaitingTree)
                return tree.asked(states)[0]

            self.sights = first_sight(
                state,
                [record.action for record in records],
                ask,
                seed=settings.seed,
                peek=settings.hidden == "peek",
                reward=settings.reward,
            )
        return tuple(msgspec.structs.replace(record, evaluated=self.sights[record.action]) for record in records)

    def _opinion(self, root: Root, chosen: ActionRecord) -> Opinion | None:
        """What every tree would choose by itself; the trees of pimc are other worlds, and no opinions on the same question."""
        trees, high = [tree for tree in self.trees if tree.visits], self.search.game.range_of(self.search.settings.reward)
        if len(trees) < 2 or self.search.settings.hidden == "pimc":
            return None
        names = []
        for tree in trees:
            records = Root(root.game, root.settings, [tree], root.names).records()
            names.append(records[pick(root.settings, records, root.mover, high[1] if high else None)].name)
        visits = [tree.visits for tree in trees]
        race = rule_named(root.settings.at_root).race
        return opinion_of(names, visits, chosen.name, chosen.visits / sum(visits), race=race)

    def worlds(self) -> int | None:
        """Worlds that were drawn; None where none had to be."""
        ways = {tree.settings.hidden for tree in self.trees}
        if ways <= set(SAMPLING):
            return self.done
        return len(self.trees) if ways == {"pimc"} else None

    @property
    def _played(self) -> bool:
        """Whether nobody outside values leaves."""
        return self.search.evaluator is None or plays_out(self.search.evaluator)

    def valued(self) -> int:
        """Simulations, from the beginning of the trees, whose leaf somebody valued."""
        return total(self.trees, "valued")
