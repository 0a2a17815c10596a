"""The panel of one search: what it thinks just now, what can be done with it, and how it is to search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from playout.studio.forms import budget_texts, checked, fields, given
from playout.studio.look import MARKED
from playout.studio.pages.frame import complain

if TYPE_CHECKING:
    from playout.studio.pages.play import PlayPage

SHOWN = 8
"""Settings that the form shows at first."""


class Panel:
    """One search on the page."""

    def __init__(self, name: str, page: PlayPage) -> None:
        self.name, self.page = name, page
        self.running = "idle"
        self.invitation = ""
        self.again = False
        """Whether a search that has ended could go on."""
        self.kind: tuple[bool, bool] | None = None
        self.inputs: dict[str, Any] = {}
        with ui.element("section").classes("card think").props(f'aria-label="thinking {name}"') as self.card:
            self._build()
        self._buttons()

    def _build(self) -> None:
        first = self.name == "a"
        with ui.element("div").classes("row apart"):
            ui.html(f"<h2>{'Thinking' if first else 'Thinking, otherwise'}</h2>", sanitize=False)
            self.who = ui.label("").classes("quiet")
        with ui.element("div").classes("row"):
            self.start = (
                ui.button("Think", icon="psychology", on_click=self.think).props("unelevated no-caps dense").classes("q-px-sm")
            )
            self.pause = self._button("pause", "Pause", "pause")
            self.resume = self._button("play_arrow", "Go on", "resume")
            self.stop = self._button("stop", "Stop: the best so far counts", "stop")
            self.more = self._button("more_time", "More time: the same budget once more", "more")
            self.seconds = ui.number(value=10, min=0.1, step=1).props(
                f'dense outlined aria-label="seconds" title="{budget_texts()["seconds"]}"'
            )
            self.seconds.style("width:72px")
            ui.label("s").classes("quiet")
            ui.element("div").style("flex:1")
            if first:
                ui.button("Compare", icon="vertical_split", on_click=self.page.compare).props("flat no-caps dense").tooltip(
                    "A second search of the same position with other settings"
                )
        self.progress = ui.linear_progress(value=0, show_value=False, size="4px").props('aria-label="budget spent"')
        self.headline = ui.html("", sanitize=False).classes("headline")
        self.empty = ui.label("Press Think (t) to search this position.").classes("empty")
        with ui.element("div") as self.found:
            with ui.tabs().props("dense no-caps align=left indicator-color=primary") as tabs:
                names = {name: ui.tab(name) for name in ("Actions", "Line", "Course", "Tree", "Worlds")}
                self.worlds_tab = names["Worlds"]
            self.tabs = tabs
            with ui.tab_panels(tabs, value="Actions", animated=False, keep_alive=True):
                with ui.tab_panel("Actions"):
                    self.table = ui.html("", sanitize=False).classes("scroll")
                with ui.tab_panel("Line"):
                    self.line = ui.html("", sanitize=False)
                with ui.tab_panel("Course"):
                    self.trace = ui.html("", sanitize=False).classes("chart")
                with ui.tab_panel("Tree"):
                    self.tree = ui.html("", sanitize=False).classes("chart")
                    for event in ("click", "keydown"):
                        self.tree.on(event, self._cell, js_handler=MARKED)
                with ui.tab_panel("Worlds"):
                    ui.label(
                        "What this seat knows leaves many worlds open. Some of them are drawn and searched with open cards: in how many is "
                        "each action best, and what would change the mind?"
                    ).classes("quiet")
                    self.survey = (
                        ui.button("Look at the worlds", on_click=lambda: self.page.send("survey", panel=self.name))
                        .props("flat no-caps dense")
                        .style("margin:8px 0")
                    )
                    self.worlds = ui.html("", sanitize=False).classes("chart worlds")
            self.why = ui.html("", sanitize=False).classes("why")
            with ui.element("div").classes("row apart"):
                self.spent = ui.html("", sanitize=False).classes("quiet")
                with ui.element("div").classes("row"):
                    for what, words in (("report", "Report"), ("decision", "JSON")):
                        self._export(what, words)
        with ui.expansion("Settings").props("dense").style("width:100%") as self.expansion:
            self.form = ui.element("div").classes("form")
            with ui.expansion("All settings").props("dense").style("width:100%"):
                self.rest = ui.element("div").classes("form")
        self.found.set_visibility(False)

    def _button(self, icon: str, words: str, do: str) -> Any:
        button = ui.button(icon=icon, on_click=lambda: self.page.send(do, panel=self.name))
        return button.props(f'flat dense aria-label="{words}"').tooltip(words)

    def _export(self, what: str, words: str) -> None:
        ui.button(words, icon="download", on_click=lambda: self.page.send("export", what=what, panel=self.name)).props(
            "flat no-caps dense size=sm"
        )

    def _buttons(self) -> None:
        """The buttons that mean something now, and no others."""
        going = self.running in ("running", "paused")
        self.pause.set_visibility(self.running == "running")
        self.resume.set_visibility(self.running == "paused")
        self.stop.set_visibility(going)
        self.more.set_visibility(going or self.again)
        self.survey.set_visibility(self.again and not going)
        self.progress.set_visibility(going)
        self.start.set_visibility(not going)

    def _cell(self, event: Any) -> None:
        """A cell of the tree was chosen."""
        steps = (event.args or {}).get("steps")
        if steps is not None:
            self.page.send("zoom", panel=self.name, steps=str(steps)[:2000])

    def settings(self) -> dict[str, Any]:
        return {name: field.value for name, field in self.inputs.items()}

    def think(self) -> None:
        """Search the position as the form says."""
        trouble = checked(self.settings())
        if trouble:
            complain(trouble)
            return
        budget = {"seconds": float(self.seconds.value or 10)}
        self.page.send("think", panel=self.name, settings=given(self.settings()), budget=budget)

    def position(self, view: dict[str, Any]) -> None:
        """Another position: what was thought of the last one is of no use any more, unless an agent chose by it."""
        self.start.set_enabled(view["may_think"])
        over = "The game is over." if view["turn"] == "over" else "It is another seat's turn, and its cards are its own."
        self.invitation = "Press Think (t) to search this position." if view["may_think"] else over
        self.empty.set_text(self.invitation)
        self.worlds_tab.set_visibility(view["hidden"])
        kind = (view["continuous"], view["hidden"])
        if kind != self.kind:
            self.kind = kind
            self._form(*kind)

    def _form(self, continuous: bool, hidden: bool) -> None:
        self.form.clear()
        self.rest.clear()
        self.inputs = {}
        for place, field in enumerate(fields(continuous=continuous, hidden=hidden)):
            with self.form if place < SHOWN else self.rest:
                if field.choices:
                    made: Any = ui.select(list(field.choices), value=field.usual, label=field.name)
                else:
                    made = ui.input(label=field.name, value=field.usual)
                self.inputs[field.name] = made.props("dense outlined options-dense hide-bottom-space").tooltip(field.text)

    def state(self, message: dict[str, Any]) -> None:
        """A search began, was paused, went on, or is over."""
        self.running = {"gone": "idle", "done": "idle"}.get(message["state"], message["state"])
        self.again = bool(message.get("more"))
        if message["state"] == "running" and "who" in message:
            self.who.set_text(message["who"])
            self.progress.set_value(0)
        if message["state"] == "gone":
            self.who.set_text("")
            self.found.set_visibility(False)
            self.empty.set_visibility(True)
            self.headline.set_content("")
        if self.running == "idle":
            self.empty.set_text(self.invitation)
        self._buttons()

    def compiling(self, words: str) -> None:
        """A search waits for machine code; its budget has not begun."""
        if self.running == "running":
            self.empty.set_text(words)

    def gone(self) -> None:
        """The process has ended."""
        self.state({"state": "gone"})

    def show(self, message: dict[str, Any]) -> None:
        """What is thought now."""
        for name, text in message["parts"].items():
            getattr(self, name).set_content(text)
        self.progress.set_value(round(message["done"], 3))
        self.found.set_visibility(True)
        self.empty.set_visibility(False)
