"""Searches that can be watched: each in a thread of its own, with pause, go on, stop and more time, and a few snapshots a second.

The kernels leave Python's lock alone, so the process goes on answering clicks. A snapshot is made in the thread of its search,
between two rounds: a tree may grow into another place in memory, and nobody else looks at it meanwhile.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec

from playout.agents import Agent, SearchAgent, ask
from playout.errors import PlayoutError
from playout.game.state import State
from playout.planner.decision import Decision
from playout.planner.search import Search
from playout.planner.settings import Budget
from playout.studio.desk import USED_UP, Allowance
from playout.studio.late import Late

EVERY = 0.3
"""Seconds between two snapshots."""
INTERRUPTED = "interrupted"
"""What a decision says that somebody did not let come to its end."""
STOPPED = "stopped"
"""Why a search ended that somebody stopped."""


class Clock:
    """A clock that stands still while somebody pauses, so that a pause costs no part of a budget."""

    def __init__(self) -> None:
        self._lost, self._since = 0.0, 0.0
        self.paused = False

    def __call__(self) -> float:
        return (self._since if self.paused else time.perf_counter()) - self._lost

    def pause(self) -> None:
        if not self.paused:
            self._since, self.paused = time.perf_counter(), True

    def go_on(self) -> None:
        if self.paused:
            self._lost, self.paused = self._lost + time.perf_counter() - self._since, False


Tell = Callable[["Thought", Decision | None, bool], None]
"""Told of every snapshot, in the thread of the search; True with the last one."""


class Thought(threading.Thread):
    """One search of one position, going on by itself."""

    def __init__(self, panel: str, tell: Tell, allowance: Allowance) -> None:
        super().__init__(name=f"playout studio {panel}", daemon=True)
        self.panel, self.tell, self.allowance = panel, tell, allowance
        self.clock = Clock()
        self.decision: Decision | None = None
        self.action: Any = None
        """What an agent chose, once it has."""
        self.error: BaseException | None = None
        self.rounds = 1
        """How many budgets it is given: one, and one for each wish for more time."""
        self.stopping = False
        self.searching: Search | None = None
        """The search that goes on."""
        self.budget: Budget | None = None
        self._change = threading.Condition()

    # from outside

    def pause(self) -> None:
        self.clock.pause()

    def go_on(self) -> None:
        with self._change:
            self.clock.go_on()
            self._change.notify_all()

    def stop(self) -> None:
        """End it as soon as it can; the best so far counts."""
        with self._change:
            self.stopping = True
            if self.searching is not None:
                self.searching.interrupt()
            self.clock.go_on()
            self._change.notify_all()

    def more(self) -> None:
        """The same budget once more."""
        self.rounds += 1
        self.go_on()

    # inside

    def run(self) -> None:
        try:
            self.think()
        except Exception as error:
            self.error = error
        self.tell(self, self.decision, True)

    def think(self) -> None:
        """The work; a kind of its own for each who thinks."""
        raise NotImplementedError

    def watch(self, search: Search, state: State, budget: Budget) -> None:
        """Let a search spend its budget, and be seen doing so."""
        self.budget, search.clock = budget, self.clock
        spent = 0
        while spent < self.rounds and not self.stopping:
            spent += 1
            self._spend(search, state, budget)
            if self.decision is not None and self.decision.proven is not None:
                return

    def _spend(self, search: Search, state: State, budget: Budget) -> None:
        began = time.perf_counter()
        steps: Any = search.iterate(state, budget, every=EVERY)
        with self._change:
            self.searching = search
            if self.stopping:
                search.interrupt()
        for decision in steps:
            self.decision = decision
            now = time.perf_counter()
            enough = self.allowance.spend(now - began)
            began = now
            if decision.stopped != "running":
                if self.stopping and decision.stopped == INTERRUPTED:
                    self.decision = msgspec.structs.replace(decision, stopped=STOPPED)
                return
            if not enough:
                steps.close()
                raise PlayoutError(USED_UP)
            self.tell(self, decision, False)
            began = self._wait(began)
            if self.stopping:
                steps.close()
                self.decision = msgspec.structs.replace(decision, stopped=STOPPED)
                return

    def _wait(self, began: float) -> float:
        """Wait while it is paused; the time counts from the end of that."""
        if not self.clock.paused:
            return began
        with self._change:
            while self.clock.paused and not self.stopping:
                self._change.wait(1.0)
        return time.perf_counter()


class AgentThought(Thought):
    """An agent at its turn: what it chooses is played."""

    def __init__(self, panel: str, tell: Tell, allowance: Allowance, agent: Agent, state: State, memory: float) -> None:
        super().__init__(panel, tell, allowance)
        self.agent, self.state, self.memory = agent, state, memory

    def think(self) -> None:
        agent = self.agent.ready() if isinstance(self.agent, Late) else self.agent
        if isinstance(agent, SearchAgent):
            self.watch(agent.search, self.state, bounded(agent.budget, self.memory))
            self.action = None if self.decision is None else self.decision.action
        else:
            self.action, self.decision = ask(agent, self.state)


class Analysis(Thought):
    """A search of a position because somebody wants to know."""

    def __init__(
        self, panel: str, tell: Tell, allowance: Allowance, make: Callable[[], Search], state: State, budget: Budget
    ) -> None:
        super().__init__(panel, tell, allowance)
        self.make, self.state, self.asked = make, state, budget

    def think(self) -> None:
        self.watch(self.make(), self.state, self.asked)


class Worlds(Thought):
    """A survey of the worlds behind a decision."""

    def __init__(self, panel: str, tell: Tell, allowance: Allowance, search: Search, decision: Decision) -> None:
        super().__init__(panel, tell, allowance)
        self.search, self.decision = search, decision

    def think(self) -> None:
        assert self.decision is not None
        began = time.perf_counter()
        self.decision = self.search.survey(self.decision)
        self.allowance.spend(time.perf_counter() - began)


def bounded(budget: Budget, memory: float) -> Budget:
    """The budget with no more memory than a tab may take."""
    return msgspec.structs.replace(budget, memory=min(memory, budget.memory or memory))
