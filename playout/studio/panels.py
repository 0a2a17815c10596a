"""The searches of a tab: what thinks in which panel, what can be done with it, and what the page is told of it.

Snapshots are made in the threads of the searches. A search that nobody waits for any more ends by itself a moment later, and until then must not
be heard: so whoever ends one and whoever tells of one take turns (`lock`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from playout.agents import world
from playout.errors import PlayoutError
from playout.game.stream import REFEREE, Stream
from playout.planner.decision import Decision
from playout.planner.search import Search
from playout.planner.settings import Budget, Settings
from playout.planner.words import read
from playout.studio import views
from playout.studio.catalog import Catalog
from playout.studio.desk import Desk, Send
from playout.studio.real import landscape
from playout.studio.review import SIMULATIONS, Review
from playout.studio.review import parts as review_parts
from playout.studio.sitting import Sitting
from playout.studio.thinking import AgentThought, Analysis, Thought, Worlds, bounded

PANELS = ("a", "b")
"""Where searches are shown: the second one is for comparing."""
USUAL_SECONDS = 10.0
FULL_EVERY = 1.0
"""Seconds between two drawings of the charts of a search."""


class Panels(Desk):
    """A sitting and the searches of its position."""

    def __init__(self, catalog: Catalog, send: Send) -> None:
        super().__init__(catalog, send)
        self.sitting = Sitting(catalog)
        self.lock = threading.Lock()
        self.thoughts: dict[str, Thought] = {}
        self.sent: dict[str, dict[str, str]] = {}
        """The parts of each panel as the page has them: what has not changed is not sent again."""
        self.drawn: dict[str, float] = {}
        self.analyses: dict[str, tuple[Search, Any, Budget]] = {}
        """By panel, the search that was last asked for, with its position and budget: more time goes on with it."""
        self.zoomed: dict[str, str] = {}
        """By panel, the cell of the tree that its picture begins at."""
        self.decisions: dict[str, Decision] = {}
        """By panel, the last decision that the page has seen."""

    def ask_agent(self) -> None:
        """Let the agent whose turn it is think."""
        sitting, limits = self.sitting, self.catalog.limits
        player = sitting.state.mover
        seen, agent = sitting.course.shown(player), sitting.course.agents[player]
        self.begin_thought(AgentThought("a", self.told, self.allowance, agent, seen, limits.memory / limits.searches))

    def think(self, panel: str = "a", settings: dict[str, Any] | None = None, budget: dict[str, Any] | None = None) -> None:
        """Search the position for the side to move, because somebody wants to know."""
        if panel not in PANELS:
            raise PlayoutError(f"there is no panel {panel!r}; there are {' and '.join(PANELS)}")
        if not self.sitting.may_think:
            raise PlayoutError(
                "there is nothing to think about here for who looks: it is another seat's turn, or the game is over"
            )
        self.allowance.check()
        if len([t for t in self.thoughts.values() if t.panel != panel]) >= self.catalog.limits.searches:
            raise PlayoutError(f"{self.catalog.limits.searches} searches are going on already; stop one first")
        chosen: Settings = read(Settings, {**(settings or {}), "value": ""})
        limits = self.catalog.limits
        given: Budget = bounded(read(Budget, budget or {"seconds": USUAL_SECONDS}), limits.memory / limits.searches)
        own = [word for word in settings or {} if word not in ("seed", "threads")]
        self.end_thought(panel)
        state = self.sitting.course.shown(self.sitting.state.mover)

        def make() -> Search:
            # Without settings of its own it takes those that were fitted to the game.
            search = Search(state.game, chosen) if own else Search(state.game, fit=given, seed=chosen.seed)
            with self.lock:
                if self.thoughts.get(panel) is thought:
                    self.analyses[panel] = search, state, given
            return search

        thought = Analysis(panel, self.told, self.allowance, make, state, given)
        self.begin_thought(thought)

    def zoom(self, panel: str, steps: str) -> None:
        """Let the picture of a tree begin at one of its cells."""
        self.zoomed[panel] = steps[:2000]
        self.drawn[panel] = 0.0
        decision = self.decisions.get(panel)
        if panel not in self.thoughts and decision is not None:
            # While a search goes on its own thread draws: nobody else looks into a tree that grows.
            viewer = self.sitting.viewer if self.sitting.hides else None
            parts = {"tree": views.tree(decision, viewer, self.zoomed[panel])}
            self.send({"kind": "thought", "panel": panel, "parts": parts, "done": 1.0})

    def review(self, simulations: int = SIMULATIONS) -> None:
        """Look back at every position of the game so far."""
        if not self.sitting.open_book:
            raise PlayoutError("a game with hidden cards is looked back at when it is over")
        if self.sitting.game.continuous:
            raise PlayoutError("looking back is for games whose actions can be listed")
        if not 1 <= simulations <= 1_000_000:
            raise PlayoutError(f"simulations is {simulations}; give a number from 1 to 1,000,000")
        self.end_thought("review")
        limits, stream = self.catalog.limits, Stream(self.sitting.course.seed, REFEREE)
        history = list(self.sitting.course.history)
        state = self.sitting.state
        for action in self.sitting.future:
            history.append((state, action))
            state = state.after(action)
        memory = limits.memory / limits.searches
        self.begin_thought(
            Review(self.told, self.allowance, history, lambda state: world(state, state.mover, stream), memory, simulations)
        )

    def survey(self, panel: str = "a") -> None:
        """Search some worlds of the last decision with open cards, to tell in how many each action is best."""
        if panel in self.thoughts or panel not in self.analyses or panel not in self.decisions:
            raise PlayoutError("there is no search here whose worlds could be looked at; press Think, and wait for its end")
        search, _, _ = self.analyses[panel]
        self.begin_thought(Worlds(panel, self.told, self.allowance, search, self.decisions[panel]))

    def more(self, panel: str) -> None:
        """The same budget once more, for a search that goes on or one that has ended."""
        if panel in self.thoughts:
            self.thoughts[panel].more()
        elif panel in self.analyses:
            search, state, budget = self.analyses[panel]
            self.begin_thought(Analysis(panel, self.told, self.allowance, lambda: search, state, budget))
        else:
            raise PlayoutError("there is no search here that could go on; start one")

    def begin_thought(self, thought: Thought) -> None:
        self.thoughts[thought.panel] = thought
        self.sent[thought.panel], self.drawn[thought.panel] = {}, 0.0
        who = ""
        if isinstance(thought, AgentThought):
            who = f"{self.sitting.game.player_name(self.sitting.state.mover)}: {thought.agent.name}"
        self.send({"kind": "thinking", "panel": thought.panel, "who": who, "state": "running"})
        thought.start()

    def control(self, panel: str, change: Callable[[Thought], None]) -> None:
        thought = self.thoughts.get(panel)
        if thought is not None:
            change(thought)
            paused = "paused" if thought.clock.paused else "running"
            self.send({"kind": "thinking", "panel": panel, "state": paused})

    def end_thoughts(self) -> None:
        """Nobody waits any more for what is being thought of this position; a look back at the whole game goes on."""
        for panel in list(self.thoughts):
            if panel != "review":
                self.end_thought(panel)

    def end_thought(self, panel: str) -> None:
        with self.lock:
            thought = self.thoughts.pop(panel, None)
        if thought is None:
            return
        thought.stop()
        if isinstance(thought, AgentThought):
            # Whoever is asked next may be the same agent. Nobody waits for other searches: they end by themselves, and are not heard any more.
            thought.join(1.0)
            if thought.is_alive():
                # It is still compiling: its tree is its own business from now on.
                for player, agent in enumerate(self.sitting.course.agents):
                    if agent is thought.agent:
                        self.sitting.fresh_agent(player)
        self.send({"kind": "thinking", "panel": panel, "who": "", "state": "gone"})

    def told(self, thought: Thought, decision: Decision | None, last: bool) -> None:
        """In the thread of a search: a snapshot, or its end."""
        if self.thoughts.get(thought.panel) is not thought:
            return
        if isinstance(thought, Review):
            self._reviewed(thought, last)
        elif decision is not None and self._may_see(thought):
            try:
                self._snapshot(thought, decision, last)
            except Exception as error:
                thought.error = thought.error or error
        if last:
            self.inbox.put(thought)

    def _may_see(self, thought: Thought) -> bool:
        """Whether who looks may see this: what an agent thinks of its cards is nobody's business."""
        return not (isinstance(thought, AgentThought) and self.sitting.hides)

    def _snapshot(self, thought: Thought, decision: Decision, last: bool) -> None:
        now, panel = time.monotonic(), thought.panel
        full = last or now - self.drawn.get(panel, 0.0) >= FULL_EVERY
        if full:
            self.drawn[panel] = now
        viewer = self.sitting.viewer if self.sitting.hides else None
        parts = views.thought(decision, viewer, full, self.zoomed.get(panel, ""))
        chart = landscape(decision.state, decision) if full and decision.state.game.continuous else None
        with self.lock:
            if self.thoughts.get(panel) is not thought:
                # Meanwhile the position has changed: what was drawn here is of the old one.
                return
            self.decisions[panel] = decision
            known = self.sent[panel]
            changed = {name: text for name, text in parts.items() if known.get(name) != text}
            known.update(changed)
            done = _part_done(decision, thought.budget)
            self.send({"kind": "thought", "panel": panel, "parts": changed, "done": done})
            if chart is not None and self.sitting.turn == "person":
                self.send({"kind": "landscape", "chart": chart})

    def _reviewed(self, review: Review, last: bool) -> None:
        game = self.sitting.game
        names = [game.player_name(player) for player in range(game.players)]
        done = 1.0 if last else len(review.moments) / max(1, len(review.course))
        parts = review_parts(review, game.returns_range, names, self.sitting.place)
        self.send({"kind": "review", "parts": parts, "done": done})


def _part_done(decision: Decision, budget: Budget | None) -> float:
    """Which part of the budget is spent."""
    if decision.stopped != "running" or budget is None:
        return 1.0
    parts = [decision.simulations / budget.simulations] if budget.simulations else []
    parts += [decision.seconds / budget.seconds] if budget.seconds else []
    return min(1.0, max(parts, default=0.0))
