"""Running a search: budgets, threads, partial results, the tree that is kept between moves."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from playout.compile import bind
from playout.engine.layout import SAMPLING
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.load import load
from playout.game.state import State
from playout.game.stream import PIMC_WORLD, Stream
from playout.planner.decision import Decision, TracePoint, pick
from playout.planner.learned import HasLearned, Learned, learned_of
from playout.planner.line import follow
from playout.planner.read import total
from playout.planner.real_root import RealRoot, follow_real
from playout.planner.root import Root
from playout.planner.settings import Budget, Settings, read
from playout.planner.store import check_given, check_policy, load_tree, read_tree, save_tree
from playout.planner.survey.surveyor import WORLDS, check_asked, survey
from playout.planner.tree import SearchTree
from playout.planner.waiting import Evaluator, WaitingTree, check_evaluator, name_of

DEFAULT_MEMORY = 2000.0
ROUND_SECONDS = 0.01
"""How long the kernels run before Python looks at the clock, at Ctrl-C and at whoever watches."""
FEWEST, MOST = 256, 16_384
"""Simulations of a tree per round where the clock must not decide: a quarter of what was done, within these bounds."""


class Search:
    """A search of one game that keeps its trees: run it, play an action, run on.

    >>> import playout
    >>> search = playout.Search(playout.load("tic-tac-toe"), seed=1)
    >>> decision = search.run(simulations=1000)
    >>> state = search.play(decision.action)
    >>> search.run(simulations=1000).mover
    1
    """

    def __init__(
        self,
        game: Game | str,
        settings: Settings | None = None,
        *,
        compiled: bool = True,
        clock: Callable[[], float] = time.perf_counter,
        value: HasLearned | str | None = None,
        evaluator: Evaluator | None = None,
        **changes: Any,
    ) -> None:
        self.game = load(game)
        base = settings or Settings()
        self.evaluator = evaluator
        if evaluator is not None and settings is None:
            # It gives priors, and this is the rule that reads them.
            changes.setdefault("rule", "puct")
        self.learned = learned_of(self.game, base.value if value is None else value)
        changes["value"] = "" if self.learned is None else self.learned.name
        given: Settings = read(Settings, {**msgspec.structs.asdict(base), **changes})
        if evaluator is not None:
            check_evaluator(self.game, given)
        self.settings = given.fitted(self.game)
        self.provable = given.solver and given.discount == 1
        self.ignored = _ignored(self.game, given)
        self.binding = bind(self.game, compiled, features_of(self.settings, self.learned, evaluator))
        self.clock = clock
        self.trees: list[SearchTree] = []
        self._root: State | None = None
        self._followed = False

    @property
    def state(self) -> State | None:
        """The state that the kept trees start from."""
        return self._root if self.trees else None

    def run(self, state: State | None = None, budget: Budget | None = None, **limits: Any) -> Decision:
        """Search and decide: `run(state, seconds=2)`. Ctrl-C gives the best so far.

        Without a state the search goes on from where it is (or from the start of the game). With the state that the
        trees already start from, they are kept; with any other state they are made anew.
        """
        *_, decision = self.iterate(state, budget, every=float("inf"), **limits)
        return decision

    def iterate(
        self, state: State | None = None, budget: Budget | None = None, *, every: float = 0.1, **limits: Any
    ) -> Iterator[Decision]:
        """Partial decisions about every so many seconds, and the final one last (its `stopped` is not "running")."""
        if budget is not None and limits:
            raise PlayoutError("give a budget or its parts (simulations, seconds, memory), not both")
        limit: Budget = budget or read(Budget, limits)
        self._settle_on(state)
        return _Run(self, limit).steps(every)

    def survey(self, decision: Decision, worlds: int = WORLDS, simulations: int | None = None) -> Decision:
        """The same decision with a survey: so many worlds, apart from those of the search, each searched with open cards.

        It tells in how many worlds each action was best, how outcomes spread, and what would change the mind. It has no say
        in the decision and leaves the trees as they are. Where nothing is hidden the decision comes back as it is.

        >>> import playout
        >>> search = playout.Search("kuhn-poker", seed=1, compiled=False)
        >>> decision = search.survey(search.run(simulations=200), worlds=10, simulations=50)
        >>> [(a.name, a.best) for a in decision.survey.actions]
        [('check', 10), ('bet', 10)]
        """
        return msgspec.structs.replace(decision, survey=survey(self, decision, worlds, simulations))

    def play(self, action: Any) -> State:
        """Play an action from the searched state, keep what the trees know below it, and return the new state."""
        if self.state is None:
            raise PlayoutError("nothing was searched yet: call run(state) before play(action)")
        state = self.state
        chosen = state.find(action)
        after = state.play(chosen)
        self.follow(chosen, after)
        return after

    def follow(self, action: Any, state: State) -> None:
        """Move the root along an action that led to `state` (which a referee may have played with its own stream)."""
        self.trees = [
            tree if self._moves(tree, action, state) else self._plant(state, number) for number, tree in enumerate(self.trees)
        ]
        self._root, self._followed = state, True

    def _moves(self, tree: SearchTree, action: int, state: State) -> bool:
        if not state.over and tree.settings.hidden in SAMPLING and _all_seen(state):
            return False  # a new tree can prove what is left
        return tree.move_root(action, state)

    def starts_from(self, state: State) -> bool:
        """Whether the trees start from this state; where worlds are drawn, from one that its mover cannot tell from it."""
        known = self.state
        if known is None or known == state or self.settings.hidden not in SAMPLING:
            return known == state
        return known.mover == state.mover and known.observed(state.mover) == state.observed(state.mover)

    def _plant(self, state: State, number: int) -> SearchTree:
        """A tree with one simulation's worth of nothing in it."""
        settings = self.settings
        if settings.hidden == "pimc":
            state = state.world(state.mover, Stream(settings.seed, number, PIMC_WORLD))
        elif settings.hidden in SAMPLING and _all_seen(state):
            # Nothing is hidden any more: the state is its only world, and what is known of it can be proven.
            settings = msgspec.structs.replace(settings, hidden="peek", solver=self.provable, observation_width=None)
        return self.tree(settings, state, number)

    def tree(self, settings: Settings, state: State, number: int) -> SearchTree:
        """An empty tree for this search's game, kernels and evaluator."""
        if self.evaluator is not None:
            return WaitingTree(self.binding, settings, state, number, self.evaluator)
        return SearchTree(self.binding, settings, state, number, self.learned)

    def _settle_on(self, state: State | None) -> None:
        if state is None:
            state = self.state or self.game.start(self.settings.seed)
        if state.game.spec != self.game.spec:
            raise PlayoutError(f"the state is of {state.game.spec}, the search of {self.game.spec}; search it with its own game")
        if state.over:
            raise PlayoutError(f"the game of {self.game.name} is over in this state: there is nothing to decide")
        if self.trees and self._followed and self.settings.hidden in SAMPLING:
            # Since the trees were moved, others may have acted; what is seen now says where to.
            self.trees = [tree if tree.meet(state) else self._plant(state, number) for number, tree in enumerate(self.trees)]
            self._root = state
        elif self.state is None or self.state != state:
            self.trees = [self._plant(state, number) for number in range(self.settings.trees)]
            self._root = state
        self._followed = False

    def save(self, file: str | Path) -> Path:
        """Save the tree (of a search with one tree) to a file."""
        if len(self.trees) != 1:
            raise PlayoutError(f"a search with {len(self.trees)} trees cannot be saved; run one with trees=1 first")
        return save_tree(self.trees[0], file)

    @classmethod
    def load(
        cls,
        file: str | Path,
        game: Game | str | None = None,
        *,
        compiled: bool = True,
        value: HasLearned | None = None,
        evaluator: Evaluator | None = None,
    ) -> Search:
        """Go on with a saved search: its game, settings and tree; and with its policy or evaluator, which are not in the file."""
        meta, _ = read_tree(file)
        settings: Settings = read(Settings, meta["settings"])
        check_policy(file, meta, settings, value)
        check_given(file, meta, evaluator is not None)
        search = cls(game if game is not None else meta["game"], settings, compiled=compiled, value=value, evaluator=evaluator)
        search.trees = [load_tree(file, search)]
        search._root = search.trees[0].root
        return search


def features_of(settings: Settings, learned: Learned | None, evaluator: Evaluator | None) -> set[str]:
    """What the kernels of a search must be able to do, beyond what its game asks for."""
    asked = {
        "worlds": settings.by_sight,
        "learned": learned is not None,
        "discount": settings.discount != 1.0,
        "waiting": evaluator is not None,
    }
    return {name for name, needed in asked.items() if needed}


def _ignored(game: Game, given: Settings) -> str:
    """What was said about hidden information in vain, as a sentence."""
    asked = [
        f"{name}={getattr(given, name)}"
        for name in ("hidden", "open_loop", "redraw")
        if getattr(given, name) not in ("auto", "none", False)
    ]
    if game.hidden or not asked:
        return ""
    return f"nothing is hidden in {game.name}, so {' and '.join(asked)} changed nothing: this is the plain search"


def _all_seen(state: State) -> bool:
    """Whether the only player knows everything: drawing a world draws nothing. With others, they may still be in the dark."""
    if state.game.players > 1:
        return False
    stream = Stream.at(state.word)
    state.game.functions["determinize"](state.fields, state.mover, stream)
    return stream.word == state.word


def search(
    state: State | Game | str, budget: Budget | None = None, *, settings: Settings | None = None, **words: Any
) -> Decision:
    """Search a state (or the start of a game) once: `search("connect-four", simulations=10_000, c=1.4, seed=7)`.

    `survey=40` surveys so many worlds besides, where anything is hidden; see `Search.survey`.

    >>> import playout
    >>> playout.search("tic-tac-toe", simulations=2000, seed=1).name
    'b2'
    """
    worlds = words.pop("survey", 0)
    if worlds:
        check_asked(worlds, None)
    where = state if isinstance(state, State) else None
    game = where.game if where is not None else load(state)  # type: ignore[arg-type]
    limits = {name: words.pop(name) for name in ("simulations", "seconds", "memory") if name in words}
    engine = Search(game, settings, **words)
    decision = engine.run(where, budget, **limits)
    return engine.survey(decision, worlds) if worlds else decision


class _Run:
    """One budget being spent on a search's trees."""

    def __init__(self, search: Search, budget: Budget) -> None:
        self.search, self.budget, self.trees = search, budget, search.trees
        self.before = [tree.simulations for tree in self.trees]
        self.valued_before = self._valued()
        self.began = search.clock()
        self.trace: list[TracePoint] = []
        self.root: Root | RealRoot = (RealRoot if search.game.continuous else Root)(search.game, search.settings, self.trees)
        self.halted = False
        # Without a clock in the budget, where rounds end must not depend on one, or proofs and early stops would.
        self.fixed = budget.seconds is None and (len(self.trees) > 1 or search.settings.early_stop)
        memory = (budget.memory or DEFAULT_MEMORY) * 1e6
        self.most_bytes = int(memory / len(self.trees))
        # An evaluator is Python, and one at a time: nobody promised that it can do two things at once.
        threads = 1 if search.evaluator is not None else search.settings.threads or os.cpu_count() or 1
        self.threads = min(threads, len(self.trees))
        for tree in self.trees:
            tree.reopen()

    @property
    def done(self) -> int:
        return sum(tree.simulations for tree in self.trees) - sum(self.before)

    @property
    def seconds(self) -> float:
        return self.search.clock() - self.began

    def steps(self, every: float) -> Iterator[Decision]:
        stopped, shown = "", self.began
        pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        try:
            # Compiling, or loading what was compiled, is not part of the budget.
            self.trees[0].prepare()
            self.began = shown = self.search.clock()
            size = FEWEST if self.fixed else 16
            while not (stopped := self._why_stop()):
                started = self.search.clock()
                self._round(pool, size)
                now = self.search.clock()
                size = self._next_size(size, now - started)
                self._note(now)
                if now - shown >= every:
                    shown = now
                    yield self.decide("running")
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
        yield self.decide(stopped)

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
        if isinstance(self.root, RealRoot):
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
