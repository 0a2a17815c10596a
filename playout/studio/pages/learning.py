"""The page of learning: a run from a form or a policy from a file, the curve, and the learned values on the board."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nicegui import ui

from playout.learning.settings import LEARNERS, PRESETS
from playout.studio.catalog import Catalog
from playout.studio.look import MARKED
from playout.studio.pages.frame import ProgressRow, TabPage, bar_end, frame, game_picker


def register(catalog: Catalog) -> None:
    """The page of learning."""

    @ui.page("/learning")
    async def learning() -> None:
        page = LearningPage(catalog)
        page.build()
        await ui.context.client.connected()
        page.start()


class LearningPage(TabPage):
    """One tab with a run."""

    kind = "learning"

    def build(self) -> None:
        with frame("/learning"):
            bar_end("/learning")
        with ui.element("main").classes("studio arena"):
            with ui.element("div"), ui.element("section").classes("card").props('aria-label="run"'):
                self._form()
            with ui.element("div"):
                with ui.element("section").classes("card").props('aria-label="curve"'):
                    ui.html("<h2>The curve</h2>", sanitize=False)
                    self.empty = ui.label("Start a run: how good the policy is shows while it learns.").classes("empty")
                    self.curve = ui.html("", sanitize=False).classes("chart").style("max-width:760px")
                with ui.element("section").classes("card").props('aria-label="values"') as self.values_card:
                    self._values()
                self.values_card.set_visibility(False)
        self.handlers |= {"progress": self.progress.show, "curve": self.show_curve, "values": self.show_values}
        ui.page_title("learning · playout studio")

    def _form(self) -> None:
        ui.html("<h2>Run</h2>", sanitize=False)
        self.game = game_picker(self.catalog, "tic-tac-toe")
        with ui.element("div").classes("form"):
            self.learner = ui.select(list(LEARNERS), value="table", label="learner", on_change=self._chosen)
            self.learner.props("dense outlined options-dense").set_visibility(find_spec("torch") is not None)
            self.minutes = ui.number(label="minutes", value=5, min=0.1).props("dense outlined")
            self.episodes = ui.number(label="episodes", value=200_000, min=1, format="%d").props("dense outlined")
            self.preset = ui.select(list(PRESETS), value="best", label="preset").props("dense outlined options-dense")
            self.seed = ui.number(label="seed", value=0, min=0, format="%d").props("dense outlined")
        self._chosen()
        self.progress = ProgressRow(self._start, lambda: self.send("stop"), "episodes played")
        if self.catalog.policies:
            ui.html("<h2>Files</h2>", sanitize=False)
            for number, file in enumerate(self.catalog.policies):
                ui.button(Path(file).name, icon="folder_open", on_click=self._opener(number)).props("flat no-caps dense")

    def _chosen(self) -> None:
        """The fields that mean something for this learner, and no others."""
        network = self.learner.value == "network"
        self.minutes.set_visibility(network)
        self.episodes.set_visibility(not network)
        self.preset.set_visibility(not network)

    def _values(self) -> None:
        with ui.element("div").classes("row apart"):
            ui.html("<h2>What was learned</h2>", sanitize=False)
            with ui.element("div").classes("row"):
                ui.button(icon="undo", on_click=lambda: self.send("back")).props('flat dense aria-label="one action back"')
                ui.button("Save it", icon="download", on_click=lambda: self.send("keep")).props("flat no-caps dense")
        self.words = ui.html("", sanitize=False)
        with ui.element("div").classes("beside"):
            self.board = ui.html("", sanitize=False).classes("board")
            self.table = ui.html("", sanitize=False).classes("scroll")
        for part in (self.board, self.table):
            part.on("click", self._marked, js_handler=MARKED)
        self.board.on("keydown", self._marked, js_handler=MARKED)

    def _opener(self, number: int) -> Any:
        return lambda: self.send("policy", number=number)

    def _start(self) -> None:
        numbers = {"episodes": int(self.episodes.value or 0), "seed": int(self.seed.value or 0)}
        words = {"preset": str(self.preset.value), "learner": str(self.learner.value), "minutes": float(self.minutes.value or 0)}
        self.send("start", game=str(self.game.value or ""), **words, **numbers)

    def _marked(self, event: Any) -> None:
        action = str((event.args or {}).get("action") or "")
        if action.isdecimal() and len(action) < 12:
            self.send("play", action=int(action))

    def show_curve(self, message: dict[str, Any]) -> None:
        self.empty.set_visibility(False)
        self.curve.set_content(message["chart"])

    def show_values(self, message: dict[str, Any]) -> None:
        self.values_card.set_visibility(True)
        self.words.set_content(message["words"])
        self.board.set_content(message["board"])
        self.table.set_content(message["table"])
