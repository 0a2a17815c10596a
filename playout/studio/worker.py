"""The process behind one tab: commands come in, what the page shows goes out. All game code runs here and nowhere else.

The main thread works off commands one by one, and nothing it does takes long. Searches run beside it in threads (`thinking`) and report to
it (`panels`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from playout.errors import PlayoutError
from playout.studio import views
from playout.studio.catalog import Catalog
from playout.studio.desk import Send
from playout.studio.panels import Panels
from playout.studio.real import Regrets, landscape
from playout.studio.thinking import AgentThought, Thought
from playout.studio.writing import Checking, Watched
from playout.studio.writing import page as findings_page


class Worker(Panels):
    """A sitting with its searches, and the pipe to the page."""

    def __init__(self, catalog: Catalog, send: Send) -> None:
        super().__init__(catalog, send)
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
            "pause": lambda panel: self.control(panel, Thought.pause),
            "resume": lambda panel: self.control(panel, Thought.go_on),
            "stop": lambda panel: self.control(panel, Thought.stop),
            "more": self.more,
            "save": self.save,
            "export": self.export,
            "review": self.review,
            "stop_review": lambda: self.control("review", Thought.stop),
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
            self.ask_agent()

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
