"""The studio looked at and timed: python bench/studio.py [--out docs] takes the pictures of docs/studio.md, and says how quick a page is.

It starts a studio of its own and looks at it with Chromium through playwright, as tests/studio does. Times are medians; they are those of
this machine with whatever else it does.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.studio.conftest import FLAGS, Studio, chromium

WIDE, HIGH = 1280, 860


def shot(page: Any, out: Path, name: str, high: int = HIGH) -> None:
    """One picture, in colours that keep the file small."""
    page.set_viewport_size({"width": WIDE, "height": high})
    page.wait_for_timeout(400)
    page.mouse.move(2, 2)
    page.screenshot(path=out / f"studio-{name}.png")


def opened(browser: Any, studio: Studio, query: str, path: str = "/", dark: bool = False) -> Any:
    context = browser.new_context(viewport={"width": WIDE, "height": HIGH}, color_scheme="dark" if dark else "light")
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{studio.address}{path}?{query}")
    page.wait_for_selector(".board svg" if path == "/" else ".empty")
    return page


def pictures(browser: Any, studio: Studio, out: Path) -> None:
    page = opened(browser, studio, "game=connect-four&seed=1&moves=3,3,3,3,2,4")
    page.get_by_role("button", name="Look back").click()
    page.get_by_role("button", name="Think", exact=True).click()
    page.mouse.move(2, 2)
    page.wait_for_selector("table.thought")
    page.wait_for_timeout(8000)
    shot(page, out, "play", 1000)
    page.get_by_role("tab", name="Tree").click()
    page.wait_for_timeout(1500)
    page.locator("svg [data-steps]").first.click()
    page.wait_for_timeout(2500)
    shot(page, out, "tree", 900)
    page = opened(browser, studio, "game=scoundrel&seed=5", dark=True)
    page.get_by_label("seconds").fill("3")
    page.get_by_role("button", name="Think", exact=True).click()
    page.wait_for_selector("table.thought")
    page.wait_for_timeout(4500)
    page.get_by_role("tab", name="Worlds").click()
    page.get_by_role("button", name="Look at the worlds").click()
    page.locator(".worlds svg").first.wait_for()
    page.wait_for_timeout(1000)
    shot(page, out, "hidden", 1000)
    page = opened(browser, studio, "", "/arena")
    page.get_by_role("spinbutton", name="games").fill("60")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("60 games", exact=True).wait_for()
    page.wait_for_timeout(500)
    shot(page, out, "arena")


def timed(browser: Any, studio: Studio) -> None:
    """How long until a page is there, in seconds and in computing, and until a click shows while a search runs."""
    rows = []
    for _ in range(6):
        server, looking, began = computed(studio.process.pid), computed(os.getpid()), time.perf_counter()
        page = opened(browser, studio, "game=tic-tac-toe")
        wall, server = time.perf_counter() - began, computed(studio.process.pid) - server
        rows.append((wall, server, computed(os.getpid()) - looking - server))
        page.context.close()
    for what, some in (("the first page", rows[:1]), ("another page", rows[1:])):
        wall, server, looking = (statistics.median(column) for column in zip(*some))
        print(
            f"{what} is ready in {wall:.2f} s, nothing cached in the browser; computing {server:.2f} s in the studio and {looking:.2f} s "
            f"in the browser (median of {len(some)})"
        )
    page = opened(browser, studio, "game=othello")
    page.get_by_label("seat 1").first.fill("person")
    page.get_by_label("seat 1").first.press("Enter")
    page.wait_for_function("document.querySelectorAll('.seat input')[1].value === 'person'")
    took = []
    for count in range(8):
        page.get_by_label("seconds").fill("60")
        page.get_by_role("button", name="Think", exact=True).click()
        page.wait_for_selector("table.thought")
        page.wait_for_timeout(600)
        took.append(page.evaluate(CLICK, count + 2))
    print(f"a click shows in {1000 * statistics.median(took):.0f} ms while a search runs (median of {len(took)})")


CLICK = """count => new Promise(done => {
  const began = performance.now();
  const look = () => document.querySelectorAll('.moves .move').length >= count
    ? done((performance.now() - began) / 1000) : requestAnimationFrame(look);
  document.querySelector('.acts .act').click();
  look();
})"""


def large(browser: Any, studio: Studio, simulations: int) -> None:
    """A search of many simulations: is the page alive meanwhile, and how much memory do the processes take?"""
    page = opened(browser, studio, "game=connect-four")
    page.get_by_label("seconds").fill("600")
    page.get_by_role("button", name="Think", exact=True).click()
    page.wait_for_selector("table.thought")
    most, slowest, done = 0.0, 0.0, 0
    while done < simulations:
        began = time.perf_counter()
        words = page.locator(".think .quiet .num").first.inner_text()
        page.evaluate("1")
        slowest = max(slowest, time.perf_counter() - began)
        done = int("".join(filter(str.isdecimal, words)) or 0)
        most = max(most, memory(studio.process.pid))
        page.wait_for_timeout(500)
    print(
        f"{done:,} simulations: the processes of the studio took {most:,.0f} MB at most, the page answered within {slowest:.2f} s"
    )


def memory(pid: int) -> float:
    """Megabytes of a process and of all below it, what they share counted once for each."""
    return sum(int(row[21]) for row in family(pid)) * os.sysconf("SC_PAGE_SIZE") / 1e6


def computed(pid: int) -> float:
    """Seconds that a process and all below it have computed."""
    return sum(sum(map(int, row[11:15])) for row in family(pid)) / os.sysconf("SC_CLK_TCK")


def family(pid: int) -> list[list[str]]:
    """A process and all below it, as the system describes each; what follows its name."""
    rows: dict[int, list[str]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            rows[int(file.parent.name)] = file.read_text().rpartition(")")[2].split()
    found = [pid]
    for one in found:
        found += [child for child, row in rows.items() if int(row[1]) == one]
    return [rows[one] for one in found if one in rows]


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--out", type=Path, help="take the pictures, into this folder")
    ask.add_argument("--large", type=int, default=0, help="watch a search of so many simulations")
    asked = ask.parse_args()
    from playwright.sync_api import sync_playwright

    studio = Studio("tic-tac-toe")
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
            timed(browser, studio)
            if asked.out:
                pictures(browser, studio, asked.out)
            if asked.large:
                large(browser, studio, asked.large)
            browser.close()
    finally:
        studio.close()


if __name__ == "__main__":
    main()
