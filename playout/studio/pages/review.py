"""The card that looks back at a game: its course, the moves that cost most, and the way to their positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from playout.studio.look import MARKED

if TYPE_CHECKING:
    from playout.studio.pages.play import PlayPage


class ReviewCard:
    """After the game, or in the middle of an open one."""

    def __init__(self, page: PlayPage) -> None:
        self.page = page
        with ui.element("section").classes("card").props('aria-label="the course of the game"') as self.card:
            with ui.element("div").classes("row apart"):
                ui.html("<h2>The course of the game</h2>", sanitize=False)
                self.start = ui.button("Look back", icon="timeline", on_click=lambda: page.send("review")).props(
                    "flat no-caps dense"
                )
                self.stop = ui.button("Stop", icon="stop", on_click=lambda: page.send("stop_review")).props("flat no-caps dense")
            self.progress = ui.linear_progress(value=0, show_value=False, size="4px").props('aria-label="positions searched"')
            self.curve = ui.html("", sanitize=False).classes("chart")
            self.curve.on("click", self._there, js_handler=MARKED)
            self.worst = ui.html("", sanitize=False).classes("moves")
            self.worst.on("click", self._asked, js_handler=MARKED)
        self.progress.set_visibility(False)
        self.stop.set_visibility(False)
        self.card.set_visibility(False)

    def _there(self, event: Any) -> None:
        """A point of the curve was chosen: go there."""
        place = str((event.args or {}).get("place") or "")
        if place.isdecimal() and len(place) < 8:
            self.page.send("jump", place=int(place))

    def _asked(self, event: Any) -> None:
        """What should have been played? Go there and search."""
        place = str((event.args or {}).get("place") or "")
        if place.isdecimal() and len(place) < 8:
            self.page.send("jump", place=int(place))
            self.page.panels["a"].think()

    def show(self, view: dict[str, Any], new_game: bool) -> None:
        self.card.set_visibility(view["open_book"] and not view["continuous"] and view["played"] > 0)
        if new_game or not view["played"]:
            self.curve.set_content("")
            self.worst.set_content("")

    def state(self, message: dict[str, Any]) -> None:
        going = message["state"] == "running"
        self.progress.set_visibility(going)
        self.stop.set_visibility(going)
        self.start.set_visibility(not going)

    def told(self, message: dict[str, Any]) -> None:
        self.curve.set_content(message["parts"]["curve"])
        self.worst.set_content(message["parts"]["worst"])
        self.progress.set_value(round(message["done"], 3))
