"""What all pages have: the style, the bar at the top, day and night, and words for what went wrong."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from playout.studio.look import CSS, SCRIPT

PAGES = (("Play", "/"),)
"""The pages that there are, as the bar shows them."""


def frame(here: str) -> Any:
    """The style and the bar; gives the bar, so that a page can put its own things into it."""
    ui.add_css(CSS)
    ui.add_head_html(f"<script>{SCRIPT}</script>")
    with ui.element("header").classes("bar") as bar:
        ui.html('<a class="mark" href="/">playout<span>studio</span></a>', sanitize=False)
    return bar


def bar_end(here: str, pages: tuple[tuple[str, str], ...] = PAGES) -> None:
    """The links to the other pages and the switch between day and night, at the end of the bar."""
    dark = ui.dark_mode(None)
    with ui.element("nav").props('aria-label="pages"'):
        if len(pages) > 1:
            for name, path in pages:
                current = ' aria-current="page"' if path == here else ""
                ui.html(f'<a href="{path}"{current}>{name}</a>', sanitize=False)

        async def switch() -> None:
            now = await ui.run_javascript("document.body.classList.contains('body--dark')")
            dark.set_value(not now)

        ui.button(icon="contrast", on_click=switch).props('flat round dense aria-label="day or night"').tooltip("Day or night")


def complain(words: str) -> None:
    """Say what went wrong; the words are shown as text, whatever stands in them."""
    ui.notify(words, type="warning", position="top", timeout=7000, close_button="ok", multi_line=len(words) > 90)
