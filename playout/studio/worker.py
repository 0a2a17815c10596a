"""The process behind one tab: commands come in, what the page shows goes out. All game code runs here and nowhere else.

The main thread works off commands one by one, and nothing it does takes long. Searches run beside it in threads (`thinking`) and report to
it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec

from playout.agents import world
from playout.errors import PlayoutError
from playout.game.stream import REFEREE, Stream
from playout.planner.decision import Decision
from playout.planner.search import Search
from playout.planner.settings import Budget, Settings, read
from playout.studio import views
from playout.studio.catalog import Catalog
from playout.studio.desk import Desk, Send
from playout.studio.real import Regrets, landscape
from playout.studio.review import SIMULATIONS, Review
from playout.studio.review import parts as review_parts
from playout.studio.sitting import Sitting
from playout.studio.thinking import AgentThought, Allowance, Analysis, Thought, Worlds, bounded
from playout.studio.writing import Checking, Watched
from playout.studio.writing import page as findings_page

PANELS = ("a", "b")
"""Where searches are shown: the second one is for comparing."""
USUAL_SECONDS = 10.0
FULL_EVERY = 1.0
"""Seconds between two drawings of the charts of a search."""


class Worker(Desk):
    """A sitting with its searches, and the pipe to the page."""

    def __init__(self, catalog: Catalog, send: Send) -> None:
        super().__init__(catalog, send)
        self.sitting = Sitting(catalog)
        self.allowance = Allowance(catalog.limits.seconds)
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
        self.watched: Watched | None = None
        self.checked = 0
        """How often the game was checked, or could not be."""
        self.commands = {
            "open": self._playing(self.open),
            "play": self._playing(self.sitting.play),
            "click": self._playing(self.sitting.click),
            "here": self._playing(self.sitting.arrived),
            "undo": self._playing(self.sitting.undo),
            "redo": self._playing(self.sitting.redo),
            "jump": self._playing(self.sitting.jump),
            "back": self._playing(lambda: self.sitting.step(-1)),
            "forward": self._playing(lambda: self.sitting.step(1)),
            "go_on": self._playing(self.sitting.go_on),
            "again": self._playing(self.sitting.again),
            "seat": self._playing(self.sitting.seat),
            "set_up": self._playing(self.sitting.set_up),
            "load_state": self._playing(self.sitting.load_state),
            "show_all": self._playing(self.sitting.show_all),
            "think": self.think,
            "pause": lambda panel: self._control(panel, Thought.pause),
            "resume": lambda panel: self._control(panel, Thought.go_on),
            "stop": lambda panel: self._control(panel, Thought.stop),
            "more": self.more,
            "save": self.save,
            "export": self.export,
            "review": self.review,
            "stop_review": lambda: self._control("review", Thought.stop),
            "survey": self.survey,
            "zoom": self.zoom,
        }

    # commands

    def problem(self, words: str) -> None:
        """Something cannot be done, and why; an agent whose turn it still is goes on."""
        super().problem(words)
        try:
            self._resume()
        except Exception:
            # Its rules do not even let an agent be asked: nobody is, until somebody does something.
            self.sitting.holding = True

    # a game that is being written

    def tick(self) -> None:
        """Now and then: was the file of the game saved?"""
        if self.watched is not None and self.watched.changed():
            self.reload()

    def reload(self) -> None:
        """Read the game again and go on with it; what is wrong with it is shown, and the old one stays."""
        self.end_thoughts()
        try:
            words = self.sitting.reload()
        except PlayoutError as error:
            self.checked += 1
            self.send({"kind": "findings", "words": findings_page(str(error)), "ok": False})
            return
        self._check()
        self.show()
        if words:
            self.send({"kind": "problem", "words": words})

    def _check(self) -> None:
        self.checked += 1
        number, game = self.checked, self.sitting.game
        self.send({"kind": "findings", "words": "<p class='quiet'>Checking ...</p>", "ok": True})

        def tell(words: str, ok: bool) -> None:
            # The file may have been saved again meanwhile.
            if self.checked == number:
                self.send({"kind": "findings", "words": words, "ok": ok})

        Checking(game, tell).start()

    def open(self, **words: Any) -> None:
        """A game; one out of a file of the user's own is watched from now on."""
        self.sitting.open(**words)
        file = self.catalog.own_file(self.sitting.game)
        self.watched = None if file is None else Watched(file)
        if file is not None:
            self._check()

    def _playing(self, command: Callable[..., Any]) -> Callable[..., None]:
        """A command that changes the position: searches of the old one end, and the new one is shown."""

        def run(**words: Any) -> None:
            self.end_thoughts()
            command(**words)
            for panel in self.sent:
                self.send({"kind": "thinking", "panel": panel, "state": "gone"})
            self.sent, self.analyses, self.decisions, self.zoomed = {}, {}, {}, {}
            self.show()

        return run

    def show(self) -> None:
        """Send the position; then ask an agent, if it is an agent's turn."""
        self.send({"kind": "kept", "words": self.sitting.way_here()})
        self.send({"kind": "view", **views.view(self.sitting)})
        if self.sitting.game.continuous:
            self._show_real()
        self._resume()

    def _show_real(self) -> None:
        """What belongs to real-valued actions alone: the landscape of the next one, and what was given away at the end."""
        sitting = self.sitting
        self.send({"kind": "landscape", "chart": landscape(sitting.state) if sitting.turn == "person" else ""})
        actions = [action for _, action in sitting.course.history]
        if sitting.state.over and len(actions) == sitting.game.stages:
            state = sitting.state

            def tell(words: str) -> None:
                if sitting.state is state:
                    self.send({"kind": "regret", "words": words})

            Regrets(sitting.course.start, actions, tell, self.allowance).start()

    def _resume(self) -> None:
        if hasattr(self.sitting, "course") and self.sitting.asks_agent and "a" not in self.thoughts:
            self._ask()

    def save(self, what: str) -> None:
        """Hand the game over as a file: "game" is the record of it, "state" the position."""
        data = self.sitting.to_dict()
        if what == "state":
            name, text = "position.json", self.sitting.state.to_json()
        else:
            name, text = "game.json", msgspec.json.encode(data).decode()
        self.send({"kind": "file", "name": f"{self.sitting.game.name}-{name}", "text": text})

    def export(self, what: str, panel: str = "a") -> None:
        """Hand over what was thought: "report" is the page of the last search, "decision" its record, "moves" what was played."""
        name = self.sitting.game.name
        if what == "moves":
            names = self.sitting.to_dict()["names"]
            self.send({"kind": "file", "name": f"{name}-moves.txt", "text": "\n".join(names) + "\n"})
            return
        decision = self.decisions.get(panel)
        if decision is None:
            raise PlayoutError("nothing was searched here yet; press Think first")
        if what == "report":
            from playout.report.decision_page import page

            self.send({"kind": "file", "name": f"{name}.html", "text": page([decision], f"A search of {self.sitting.game.spec}")})
        else:
            self.send({"kind": "file", "name": f"{name}-decision.json", "text": decision.to_json()})

    # searches

    def _ask(self) -> None:
        """Let the agent whose turn it is think."""
        sitting, limits = self.sitting, self.catalog.limits
        player = sitting.state.mover
        seen, agent = sitting.course.shown(player), sitting.course.agents[player]
        self._start(AgentThought("a", self.told, self.allowance, agent, seen, limits.memory / limits.searches))

    def think(self, panel: str = "a", settings: dict[str, Any] | None = None, budget: dict[str, Any] | None = None) -> None:
        """Search the position for the side to move, because somebody wants to know."""
        if panel not in PANELS:
            raise PlayoutError(f"there is no panel {panel!r}; there are {' and '.join(PANELS)}")
        if not self.sitting.may_think:
            raise PlayoutError(
                "there is nothing to think about here for who looks: it is another seat's turn, or the game is over"
            )
        if self.allowance.left <= 0:
            raise PlayoutError("this tab has used up the seconds of search that one may have; open another")
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
            self.analyses[panel] = search, state, given
            return search

        self._start(Analysis(panel, self.told, self.allowance, make, state, given))

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
        self._start(
            Review(self.told, self.allowance, history, lambda state: world(state, state.mover, stream), memory, simulations)
        )

    def survey(self, panel: str = "a") -> None:
        """Search some worlds of the last decision with open cards, to tell in how many each action is best."""
        if panel in self.thoughts or panel not in self.analyses or panel not in self.decisions:
            raise PlayoutError("there is no search here whose worlds could be looked at; press Think, and wait for its end")
        search, _, _ = self.analyses[panel]
        self._start(Worlds(panel, self.told, self.allowance, search, self.decisions[panel]))

    def more(self, panel: str) -> None:
        """The same budget once more, for a search that goes on or one that has ended."""
        if panel in self.thoughts:
            self.thoughts[panel].more()
        elif panel in self.analyses:
            search, state, budget = self.analyses[panel]
            self._start(Analysis(panel, self.told, self.allowance, lambda: search, state, budget))
        else:
            raise PlayoutError("there is no search here that could go on; start one")

    def _start(self, thought: Thought) -> None:
        self.thoughts[thought.panel] = thought
        self.sent[thought.panel], self.drawn[thought.panel] = {}, 0.0
        who = ""
        if isinstance(thought, AgentThought):
            who = f"{self.sitting.game.player_name(self.sitting.state.mover)}: {thought.agent.name}"
        self.send({"kind": "thinking", "panel": thought.panel, "who": who, "state": "running"})
        thought.start()

    def _control(self, panel: str, change: Callable[[Thought], None]) -> None:
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
        thought = self.thoughts.pop(panel, None)
        if thought is None:
            return
        thought.stop()
        thought.join(1.0)
        if thought.is_alive() and isinstance(thought, AgentThought):
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
        full = last or now - self.drawn[panel] >= FULL_EVERY
        if full:
            self.drawn[panel] = now
        viewer = self.sitting.viewer if self.sitting.hides else None
        parts = views.thought(decision, viewer, full, self.zoomed.get(panel, ""))
        self.decisions[panel] = decision
        known = self.sent[panel]
        changed = {name: text for name, text in parts.items() if known.get(name) != text}
        known.update(changed)
        done = _part_done(decision, thought.budget)
        self.send({"kind": "thought", "panel": panel, "parts": changed, "done": done})
        if full and decision.state.game.continuous and self.sitting.turn == "person":
            self.send({"kind": "landscape", "chart": landscape(decision.state, decision)})

    def _reviewed(self, review: Review, last: bool) -> None:
        game = self.sitting.game
        names = [game.player_name(player) for player in range(game.players)]
        done = 1.0 if last else len(review.moments) / max(1, len(review.course))
        parts = review_parts(review, game.returns_range, names, self.sitting.place)
        self.send({"kind": "review", "parts": parts, "done": done})

    def ended(self, thought: Thought) -> None:
        """A search has come to its end: an agent's choice is played."""
        panel = thought.panel
        if self.thoughts.get(panel) is not thought:
            return
        del self.thoughts[panel]
        self.send({"kind": "thinking", "panel": panel, "state": "done", "more": panel in self.analyses})
        if thought.error is not None:
            self.sitting.holding = self.sitting.holding or isinstance(thought, AgentThought)
            who = f"agent {thought.agent.name!r} failed: " if isinstance(thought, AgentThought) else ""
            words = (
                str(thought.error)
                if isinstance(thought.error, PlayoutError)
                else f"{type(thought.error).__name__}: {thought.error}"
            )
            self.send({"kind": "problem", "words": f"{who}{words}"})
            self.show()
        elif isinstance(thought, AgentThought):
            self.sitting.decided(thought.action, thought.decision)
            self.show()

    def do(self, item: Any) -> None:
        """A command, a thought that has ended, or a moment of rest."""
        if isinstance(item, Thought):
            try:
                self.ended(item)
            except Exception:
                self.sitting.holding = True
                raise
        elif isinstance(item, float):
            self.tick()
        else:
            super().do(item)


def _part_done(decision: Decision, budget: Budget | None) -> float:
    """Which part of the budget is spent."""
    if decision.stopped != "running" or budget is None:
        return 1.0
    parts = [decision.simulations / budget.simulations] if budget.simulations else []
    parts += [decision.seconds / budget.seconds] if budget.seconds else []
    return min(1.0, max(parts, default=0.0))
