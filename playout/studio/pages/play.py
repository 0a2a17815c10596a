"""The page where a game is played: the board on the left, what is thought of it on the right."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from playout.studio.catalog import Catalog
from playout.studio.look import MARKED
from playout.studio.pages.frame import TabPage, bar_end, frame
from playout.studio.pages.parts import SeatsCard, SetUp, Sliders
from playout.studio.pages.review import ReviewCard
from playout.studio.pages.think import Panel


def register(catalog: Catalog) -> None:
    """The page at the root of the studio."""

    @ui.page("/")
    async def play(game: str = "", seed: str = "", moves: str = "") -> None:
        page = PlayPage(catalog)
        page.build(game or catalog.names[0] if catalog.games else game or "connect-four")
        # While the browser still loads what the page is made of, the process opens the game.
        page.begin(game, seed, moves)
        await ui.context.client.connected()
        page.arrived()


class PlayPage(TabPage):
    """One tab with a game."""

    def __init__(self, catalog: Catalog) -> None:
        super().__init__(catalog)
        self.view: dict[str, Any] = {}
        self.kept: dict[str, Any] = {}
        """How to get where the game is, seed included: for a new process, and never for the page."""
        self.handlers |= {
            "kept": lambda message: self.kept.update(message["words"]),
            "view": self.show,
            "thinking": self.thinking,
            "thought": self.thought,
            "review": lambda message: self.review.told(message),
            "findings": self.findings,
            "compiling": self.compiling,
            "regret": lambda message: set_html(self.regret, message["words"]),
            "landscape": lambda message: self.sliders.landscape(message["chart"]),
        }

    # the process

    def begin(self, game: str, seed: str, moves: str) -> None:
        """Start the process, and open the game of the address."""
        if not self.start():
            return
        first = game or (self.catalog.games[0] if self.catalog.games else "connect-four")
        self.open(first, seed=int(seed) if seed.isdecimal() and len(seed) < 20 else None, moves=moves)

    def arrived(self) -> None:
        """The browser is there; if it took so long that its process was ended, that begins anew."""
        if self.tab is not None and not self.tab.alive and self.kept:
            self.send("open", **self.kept)

    def open(self, game: str, **words: Any) -> None:
        """Another game in this tab."""
        self.send("open", game=game, **words)

    def again(self, do: str, words: dict[str, Any]) -> None:
        """A new process knows of no game."""
        if do != "open" and self.kept:
            super().again("open", self.kept)
        super().again(do, words)

    def ended(self, message: dict[str, Any]) -> None:
        """The process is gone."""
        super().ended(message)
        for panel in self.panels.values():
            panel.gone()

    # building

    def build(self, game: str) -> None:
        with frame("/"):
            names = list(dict.fromkeys([*self.catalog.names, game]))
            self.picker = (
                ui.select(names, value=game, with_input=True, new_value_mode="add-unique", on_change=self._picked)
                .props('dense outlined options-dense aria-label="game" hide-bottom-space')
                .classes("picker")
            )
            self.title = ui.label("").classes("quiet title")
            bar_end("/")
        with ui.element("main").classes("studio"):
            with ui.element("div"):
                self._stage()
                self._choices()
                self._findings()
                self.review = ReviewCard(self)
            with ui.element("div"):
                with ui.element("div").classes("panels") as self.right:
                    self.panels = {"a": Panel("a", self)}
                self._moves()
                self.seats = SeatsCard(self.catalog, self.send)
                self.set_up = SetUp(self)
        ui.keyboard(on_key=self._key)

    def _stage(self) -> None:
        with ui.element("section").classes("card stage").props('aria-label="board"'):
            self.status = ui.html("Opening the game ...", sanitize=False).classes("status").props("role=status aria-live=polite")
            with ui.element("div").classes("passing") as self.pass_page:
                self.pass_words = ui.html("", sanitize=False).classes("status")
                ui.button("I am here", on_click=lambda: self.send("here")).props("unelevated no-caps")
            self.pass_page.set_visibility(False)
            self.board = ui.html("", sanitize=False).classes("board")
            self.board.on("click", self._marked, js_handler=MARKED)
            self.board.on("keydown", self._marked, js_handler=MARKED)
            # Where the pointer goes along a principal line, the board goes with it.
            ui.element("div").classes("preview board").props("aria-hidden=true")
            with ui.element("div").classes("row controls"):
                self.undo = self._button("undo", "Take back (u)", "undo")
                self.redo = self._button("redo", "Play again what was taken back (r)", "redo")
                self.go_on = self._button("play_arrow", "Let agents go on from here (g)", "go_on")
                self.everything = ui.switch("show everything", on_change=self._eyes).props("dense")
                ui.element("div").style("flex:1")
                ui.button("New game", icon="refresh", on_click=lambda: self.send("again")).props("flat no-caps dense")
            self.results = ui.html("", sanitize=False).classes("scroll")
            self.regret = ui.html("", sanitize=False).classes("scroll")

    def _button(self, icon: str, words: str, do: str) -> Any:
        button = ui.button(icon=icon, on_click=lambda: self.send(do)).props(f'flat dense aria-label="{words}"')
        return button.tooltip(words)

    def _choices(self) -> None:
        with ui.element("section").classes("card").props('aria-label="actions"') as self.choices:
            with ui.element("div").classes("row apart"):
                ui.html("<h2>Actions</h2>", sanitize=False)
                self.count = ui.label("").classes("quiet num")
            self.search = (
                ui.input(placeholder="Type an action, Enter plays it ( / )")
                .props('dense outlined clearable aria-label="type an action"')
                .style("width:100%")
            )
            self.search.on("update:model-value", js_handler="(value) => window.studio.filter(value)")
            self.search.on("keydown.enter", self._typed)
            self.actions = ui.html("", sanitize=False).classes("acts")
            self.actions.on("click", self._marked, js_handler=MARKED)
            self.sliders = Sliders(self.send)

    def _findings(self) -> None:
        with ui.element("section").classes("card").props('aria-label="what the checker found"') as self.checker:
            with ui.element("div").classes("row apart"):
                ui.html("<h2>The checker</h2>", sanitize=False)
                ui.label("save the file, and it is checked and played on").classes("quiet")
            self.found = ui.html("", sanitize=False)
        self.checker.set_visibility(False)

    def findings(self, message: dict[str, Any]) -> None:
        set_html(self.found, message["words"])

    def _moves(self) -> None:
        with ui.element("section").classes("card").props('aria-label="moves"'):
            with ui.element("div").classes("row apart"):
                ui.html("<h2>Moves</h2>", sanitize=False)
                ui.label("← → go through the game").classes("quiet")
            self.moves = ui.html("", sanitize=False).classes("moves")
            self.moves.on("click", self._marked, js_handler=MARKED)

    # what people do

    def _picked(self, event: Any) -> None:
        if event.value and event.value != self.view.get("game"):
            self.open(str(event.value))

    def _marked(self, event: Any) -> None:
        found = event.args if isinstance(event.args, dict) else {}
        if found.get("place") is not None:
            self.send("jump", place=_whole(found["place"]))
        elif found.get("action") is not None:
            self.send("play", action=_whole(found["action"]))
        elif found.get("part") is not None:
            self.send("click", part=str(found["part"])[:200])

    def _typed(self) -> None:
        if self.search.value:
            self.send("play", action=str(self.search.value)[:2000])

    def _eyes(self, event: Any) -> None:
        if bool(event.value) != bool(self.view.get("all_eyes")):
            self.send("show_all", wanted=bool(event.value))

    def _key(self, event: Any) -> None:
        if not event.action.keydown or event.modifiers.ctrl or event.modifiers.meta or event.modifiers.alt:
            return
        words = {"u": "undo", "r": "redo", "g": "go_on", "ArrowLeft": "back", "ArrowRight": "forward"}
        if event.key == "/":
            self.search.run_method("focus")
        elif event.key.name == "t":
            self.panels["a"].think()
        elif event.key.name in words:
            self.send(words[event.key.name])

    # what comes back

    def show(self, view: dict[str, Any]) -> None:
        """The position, all of it: what has not changed is not sent to the browser again."""
        new_game = view["game"] != self.view.get("game")
        self.view = view
        if new_game:
            if view["game"] not in self.picker.options:
                self.picker.set_options([*self.picker.options, view["game"]])
            self.picker.set_value(view["game"])
            self.title.set_text(view["title"])
            ui.page_title(f"{view['game']} · playout studio")
        passing = view["turn"] == "pass"
        self.pass_page.set_visibility(passing)
        self.board.set_visibility(not passing)
        self.status.set_visibility(not passing)
        set_html(self.pass_words, view["status"] if passing else "")
        set_html(self.status, view["status"])
        set_html(self.board, view["board"])
        set_html(self.results, view.get("results", ""))
        set_html(self.moves, view["moves"])
        set_html(self.regret, "")
        self._show_choices(view)
        self.checker.set_visibility(view["own"])
        self.undo.set_enabled(view["can_undo"])
        self.redo.set_enabled(view["can_redo"])
        self.go_on.set_visibility(view["turn"] == "agent" and (view["holding"] or view["can_redo"]))
        self.everything.set_visibility(view["guarded"] and view["turn"] == "over")
        self.everything.set_value(view["all_eyes"])
        self.seats.show(view)
        self.set_up.show(view)
        self.review.show(view, new_game)
        for panel in self.panels.values():
            panel.position(view)
        ui.run_javascript("window.studio.keep()")

    def _show_choices(self, view: dict[str, Any]) -> None:
        mine = view["turn"] == "person"
        self.choices.set_visibility(mine)
        self.search.set_visibility(mine and not view["continuous"])
        count = view.get("count", 0)
        self.count.set_text(f"{count:,} legal" if mine and not view["continuous"] else "")
        if view["actions"] != self.actions.content:
            self.search.set_value("")
        set_html(self.actions, view["actions"])
        self.sliders.show(view.get("box") or [])

    def thinking(self, message: dict[str, Any]) -> None:
        if message["panel"] == "review":
            self.review.state(message)
        elif message["panel"] in self.panels:
            self.panels[message["panel"]].state(message)

    def thought(self, message: dict[str, Any]) -> None:
        panel = self.panels.get(message["panel"])
        if panel is not None:
            panel.show(message)

    def compiling(self, message: dict[str, Any]) -> None:
        for panel in self.panels.values():
            panel.compiling(message["words"])

    # comparing

    def compare(self) -> None:
        """A second panel beside the first, or away with it."""
        if "b" in self.panels:
            self.send("stop", panel="b")
            self.panels.pop("b").card.delete()
        else:
            with self.right:
                self.panels["b"] = Panel("b", self)
            self.panels["b"].position(self.view)


def set_html(element: Any, content: str) -> None:
    """Change what an element shows, only where it changes."""
    if element.content != content:
        element.set_content(content)


def _whole(value: Any) -> int:
    """A number from the page; one that is none is no action."""
    text = str(value)
    return int(text) if text.isdecimal() and len(text) < 12 else -1
