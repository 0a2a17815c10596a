"""What all pages have: the style, the bar at the top, day and night, and words for what went wrong."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from typing import Any

from nicegui import ui

from playout.studio.catalog import Catalog
from playout.studio.look import CSS, SCRIPT
from playout.studio.tab import MOST_TABS, Tab

PAGES = (("Play", "/"), ("Arena", "/arena"), ("Learning", "/learning"))
"""The pages that there are, as the bar shows them."""


UNSEEN = 15.0
"""Seconds that a process waits for the browser to come for the first time: whoever asks for a page and never opens its socket has none."""
PATIENCE = 3.0
"""Seconds without its browser after which the process of a tab is ended; if the browser comes back, it begins where it was."""


def frame(here: str) -> Any:
    """The style and the bar; gives the bar, so that a page can put its own things into it."""
    ui.add_css(CSS)
    ui.add_head_html(f"<script>{SCRIPT}</script>")
    with ui.element("header").classes("bar") as bar:
        ui.html('<a class="mark" href="/">playout<span>studio</span></a>', sanitize=False)
    return bar


def bar_end(here: str, switched: Callable[[bool], Any] = lambda dark: None) -> None:
    """The links to the other pages and the switch between day and night, at the end of the bar; `switched` hears whether it is night."""
    dark = ui.dark_mode(None)
    with ui.element("nav").props('aria-label="pages"'):
        for name, path in PAGES:
            current = ' aria-current="page"' if path == here else ""
            ui.html(f'<a href="{path}"{current}>{name}</a>', sanitize=False)

        async def switch() -> None:
            now = await ui.run_javascript("document.body.classList.contains('body--dark')")
            dark.set_value(not now)
            switched(not now)

        ui.button(icon="contrast", on_click=switch).props('flat round dense aria-label="day or night"').tooltip("Day or night")


def complain(words: str) -> None:
    """Say what went wrong; the words are shown as text, whatever stands in them."""
    ui.notify(words, type="warning", position="top", timeout=7000, close_button="ok", multi_line=len(words) > 90)


class TabPage:
    """One tab: elements on the page, and the process behind it."""

    kind = "play"

    def __init__(self, catalog: Catalog) -> None:
        self.catalog, self.client = catalog, ui.context.client
        self.tab: Tab | None = None
        self.handlers: dict[str, Callable[[dict[str, Any]], Any]] = {
            "problem": lambda message: complain(message["words"]),
            "ended": self.ended,
            "file": self.file,
        }

    def start(self) -> bool:
        """Have a process, if the studio has room for one more."""
        if Tab.count >= MOST_TABS:
            complain(f"{MOST_TABS} tabs are open, which is all that the studio serves at once; close one and reload")
            return False
        self.tab = Tab(self.catalog, self.hear, self.kind)
        self.client.on_delete(self.tab.close)
        self.client.on_disconnect(self._left)
        self.tab.start()
        if not self.client.has_socket_connection:
            asyncio.get_running_loop().call_later(UNSEEN, self._gone)
        return True

    def _left(self) -> None:
        """The tab was closed, or its browser is very slow: soon nobody thinks for it any more."""
        asyncio.get_running_loop().call_later(PATIENCE, self._gone)

    def _gone(self) -> None:
        if self.tab is not None and not self.client.has_socket_connection:
            self.tab.end()

    def send(self, do: str, **words: Any) -> None:
        """A command for the process; one that has ended is started anew."""
        if self.tab is None:
            return
        if not self.tab.alive:
            self.tab.end()
            self.tab.start()
            self.again(do, words)
        else:
            self.tab.send(do, **words)

    def again(self, do: str, words: dict[str, Any]) -> None:
        """What a process that was started anew is told first."""
        assert self.tab is not None
        self.tab.send(do, **words)

    def hear(self, message: dict[str, Any]) -> None:
        """Something came from the process."""
        if not self.client.is_deleted and message["kind"] in self.handlers:
            with self.client:
                self.handlers[message["kind"]](message)

    def ended(self, message: dict[str, Any]) -> None:
        """The process is gone."""
        complain(message["words"])

    def file(self, message: dict[str, Any]) -> None:
        """Something to keep."""
        content = base64.b64decode(message["data"]) if "data" in message else message["text"].encode()
        ui.download.content(content, message["name"])


class ProgressRow:
    """A button that starts something long, one that stops it, a bar, and how far it is in words."""

    def __init__(self, start: Callable[[], Any], stop: Callable[[], Any], what: str) -> None:
        with ui.element("div").classes("row"):
            self.start = ui.button("Start", icon="play_arrow", on_click=start).props("unelevated no-caps")
            self.stop = ui.button("Stop", icon="stop", on_click=stop).props("flat no-caps")
            self.words = ui.label("").classes("quiet num")
        self.bar = ui.linear_progress(value=0, show_value=False, size="4px").props(f'aria-label="{what}"')
        self.going(False)

    def going(self, going: bool) -> None:
        """The buttons that mean something now, and no others."""
        self.start.set_visibility(not going)
        self.stop.set_visibility(going)
        self.bar.set_visibility(going)

    def show(self, message: dict[str, Any]) -> None:
        """How far it is."""
        self.going(message["going"])
        self.bar.set_value(round(message["done"], 3))
        self.words.set_text(message["words"])


def game_picker(catalog: Catalog, first: str) -> Any:
    """The games that there are, in a form."""
    names = list(dict.fromkeys([catalog.games[0] if catalog.games else first, *catalog.names]))
    made = ui.select(names, value=names[0], label="game", with_input=True, new_value_mode="add-unique")
    return made.props("dense outlined options-dense").style("width:100%")
