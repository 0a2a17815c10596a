"""The page of the arena: a form, the standings while games are played, and the games themselves."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from nicegui import ui

from playout.report.style import in_scheme
from playout.studio.catalog import Catalog
from playout.studio.pages.frame import ProgressRow, TabPage, bar_end, frame, game_picker

AGENTS = "uct:simulations=1000\nuct:simulations=200\nrandom"


def register(catalog: Catalog) -> None:
    """The page of the arena."""

    @ui.page("/arena")
    async def arena() -> None:
        page = ArenaPage(catalog)
        page.build()
        await ui.context.client.connected()
        page.start()


class ArenaPage(TabPage):
    """One tab with a tournament."""

    kind = "arena"
    report = ""
    """The page of the standings."""
    dark: bool | None = None
    """Whether it is night, once somebody has said so; before, the browser knows."""

    # building

    def build(self) -> None:
        with frame("/arena"):
            bar_end("/arena", self._switched)
        with ui.element("main").classes("studio arena"):
            with ui.element("div"), ui.element("section").classes("card").props('aria-label="tournament"'):
                self._form()
            with ui.element("div"):
                with ui.element("section").classes("card").props('aria-label="standings"'):
                    ui.html("<h2>Standings</h2>", sanitize=False)
                    self.empty = ui.label(
                        "Start a tournament: standings, ratings and the cross table fill up while it is played."
                    )
                    self.empty.classes("empty")
                    self.page = ui.html("", sanitize=False)
                with ui.element("section").classes("card").props('aria-label="games"') as self.list:
                    with ui.element("div").classes("row apart"):
                        ui.html("<h2>Games</h2>", sanitize=False)
                        ui.button("Save all games", icon="download", on_click=lambda: self.send("keep")).props(
                            "flat no-caps dense"
                        )
                    self.games = ui.html("", sanitize=False).classes("scroll tall")
                self.list.set_visibility(False)
        ui.page_title("arena · playout studio")

    def _form(self) -> None:
        ui.html("<h2>Tournament</h2>", sanitize=False)
        self.game = game_picker(self.catalog, "connect-four")
        given = "\n".join([*self.catalog.agents, "random"]) if self.catalog.agents else AGENTS
        self.agents = (
            ui.textarea(label="agents, one on each line", value=given).props("dense outlined autogrow").style("width:100%")
        )
        with ui.element("div").classes("form"):
            self.count = ui.number(label="games", value=60, min=1, max=20000, format="%d").props("dense outlined")
            self.openings = ui.number(label="random opening actions", value=0, min=0, max=100, format="%d").props(
                "dense outlined"
            )
            self.seed = ui.number(label="seed", value=0, min=0, format="%d").props("dense outlined")
        self.progress = ProgressRow(self._start, lambda: self.send("stop"), "games played")
        self.handlers |= {"progress": self.progress.show, "standings": self.standings}
        if self.catalog.databases:
            ui.html("<h2>Files</h2>", sanitize=False)
            for number, file in enumerate(self.catalog.databases):
                ui.button(Path(file).name, icon="folder_open", on_click=self._opener(number)).props("flat no-caps dense")

    def _opener(self, number: int) -> Any:
        return lambda: self.send("database", number=number)

    def _start(self) -> None:
        agents = [line.strip() for line in str(self.agents.value or "").splitlines() if line.strip()]
        numbers = {"games": self.count.value, "openings": self.openings.value, "seed": self.seed.value}
        whole = {name: int(value or 0) for name, value in numbers.items()}
        self.send("start", game=str(self.game.value or ""), agents=agents, **whole)

    # what comes back

    def standings(self, message: dict[str, Any]) -> None:
        """The standings, and the games that were played."""
        self.empty.set_visibility(False)
        self.list.set_visibility(True)
        self.report = message["page"]
        self._show_report()
        self.games.set_content(message["games"])

    def _switched(self, dark: bool) -> None:
        self.dark = dark
        self._show_report()

    def _show_report(self) -> None:
        """The page of the report, in a frame of its own where nothing can run."""
        if self.report:
            page = self.report if self.dark is None else in_scheme(self.report, self.dark)
            self.page.set_content(
                f'<iframe class="report" sandbox="" title="standings" srcdoc="{escape(page, quote=True)}"></iframe>'
            )
