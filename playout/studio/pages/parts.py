"""Parts of the page of a game: who sits where, setting up and keeping a game, and sliders for real-valued actions."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from nicegui import ui

from playout.studio.catalog import Catalog
from playout.studio.look import MARKED

if TYPE_CHECKING:
    from playout.studio.pages.play import PlayPage


class SeatsCard:
    """Who plays: a person or an agent in each seat."""

    def __init__(self, catalog: Catalog, send: Any) -> None:
        self.catalog, self.send = catalog, send
        self.known: tuple[list[str], list[str]] = ([], [])
        with ui.element("section").classes("card").props('aria-label="seats"'):
            ui.html("<h2>Seats</h2>", sanitize=False)
            self.rows = ui.element("div").classes("seats")

    def show(self, view: dict[str, Any]) -> None:
        now = (view["players"], view["seats"])
        if now == self.known:
            return
        self.known = now
        self.rows.clear()
        with self.rows:
            for player, (name, spec) in enumerate(zip(*now)):
                with ui.element("div").classes("seat"):
                    ui.label(name)
                    options = list(dict.fromkeys([*self.catalog.suggested, spec]))
                    ui.select(
                        options, value=spec, with_input=True, new_value_mode="add-unique", on_change=self._changed(player)
                    ).props(f'dense outlined options-dense hide-bottom-space aria-label="seat {player}"')

    def _changed(self, player: int) -> Any:
        def change(event: Any) -> None:
            value = str(event.value or "").strip()
            if value and value != self.known[1][player]:
                # Until the process has agreed, the page knows nothing new.
                self.known = ([], [])
                self.send("seat", player=player, spec=value)

        return change


class SetUp:
    """A position by moves or from a file; keeping the game; the link."""

    def __init__(self, page: PlayPage) -> None:
        self.page = page
        with ui.element("section").classes("card").props('aria-label="set up and keep"'):
            ui.html("<h2>Set up and keep</h2>", sanitize=False)
            with ui.element("div").classes("row"):
                self.moves = (
                    ui.input(placeholder="moves from the start: d d c")
                    .props('dense outlined aria-label="moves"')
                    .style("flex:1 1 180px")
                    .on("keydown.enter", self._set_up)
                )
                ui.button("Set up", on_click=self._set_up).props("flat no-caps dense")
            with ui.element("div").classes("row"):
                self.files = [
                    self._file("Save the game", "save", "game"),
                    self._file("Save the moves", "export", "moves"),
                    self._file("Save the position", "save", "state"),
                ]
                self.upload = (
                    ui.upload(on_upload=self._uploaded, auto_upload=True, max_file_size=1_000_000, label="")
                    .props('accept=".json" flat')
                    .style("display:none")
                )
                ui.button("Open a position", icon="upload", on_click=lambda: self.upload.run_method("pickFiles")).props(
                    "flat no-caps dense"
                )
                self.link = ui.button("Copy the link", icon="link", on_click=self._copy).props("flat no-caps dense")
            self.why_not = ui.label("The cards are hidden until the game is over; it can be kept then.").classes("quiet")

    def _file(self, words: str, do: str, what: str) -> Any:
        button = ui.button(words, icon="download", on_click=lambda: self.page.send(do, what=what))
        return button.props("flat no-caps dense")

    def _set_up(self) -> None:
        if self.moves.value:
            self.page.send("set_up", moves=str(self.moves.value))

    async def _uploaded(self, event: Any) -> None:
        content = await event.file.read()
        self.upload.reset()
        self.page.send("load_state", text=content[:1_000_001].decode("utf-8", errors="replace"))

    def _copy(self) -> None:
        link = self.page.view.get("link", "")
        # The address of the tab changes with it, so that it can be kept as a bookmark where nothing may be copied.
        ui.run_javascript(f"history.replaceState(null, '', {link!r}); navigator.clipboard?.writeText(location.href)")
        ui.notify("The address of this tab is the link now, and it was copied", position="top")

    def show(self, view: dict[str, Any]) -> None:
        for button in (*self.files, self.link):
            button.set_visibility(view["open_book"])
        self.why_not.set_visibility(not view["open_book"])


class Sliders:
    """A real-valued action: a slider and a number for every component."""

    def __init__(self, send: Any) -> None:
        self.send = send
        self.box: list[list[float]] = []
        self.values: list[Any] = []
        self.holder = ui.element("div").classes("sliders")
        self.chart = ui.html("", sanitize=False).classes("chart")
        self.chart.on("click", self._clicked, js_handler=MARKED)

    def show(self, box: list[list[float]]) -> None:
        if box == self.box:
            return
        self.box, self.values = box, []
        self.holder.clear()
        if not box:
            return
        with self.holder:
            for place, (low, high) in enumerate(zip(*box), 1):
                with ui.element("div").classes("slide"):
                    middle = (low + high) / 2
                    number = ui.number(value=middle, min=low, max=high, format="%.4f", step=(high - low) / 100)
                    number.props(f'dense outlined aria-label="component {place}"')
                    ui.slider(min=low, max=high, step=(high - low) / 1000, value=middle).bind_value(number).props(
                        f'aria-label="component {place}"'
                    )
                    self.values.append(number)
            ui.button("Play", on_click=self._play).props("unelevated no-caps")

    def landscape(self, chart: str) -> None:
        """What actions pay, as far as that is known."""
        if self.chart.content != chart:
            self.chart.set_content(chart)

    def _clicked(self, event: Any) -> None:
        """A click into the landscape moves the sliders there."""
        for part in str((event.args or {}).get("vector") or "").split(","):
            place, _, value = part.partition(":")
            if place.isdecimal() and int(place) < len(self.values):
                with contextlib.suppress(ValueError):
                    self.values[int(place)].set_value(float(value))

    def _play(self) -> None:
        if all(number.value is not None for number in self.values):
            self.send("play", action=[float(number.value) for number in self.values])
