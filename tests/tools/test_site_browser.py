"""In a browser, from the disk and without a network: the search of the site answers, and a notebook cell keeps its style to itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import playout
from tests.studio.conftest import browser  # noqa: F401 - a fixture

pytestmark = pytest.mark.slow
DOCS = Path(__file__).parents[2] / "docs"
WORKER = "let seen = 0; addEventListener('message', (event) => postMessage([event.data.word.toUpperCase(), ++seen]));"
PAGE = """<!doctype html><html><head><script src="iframe-worker.js"></script></head><body><script>
  window.said = []; const worker = new Worker("worker.js");
  worker.onmessage = (event) => said.push(event.data);
  worker.postMessage({ word: "regret" }); worker.postMessage({ word: "again" });
  const wrong = new Worker("gone.js"); wrong.onerror = (event) => { window.wrong = event.message; };
</script></body></html>"""


def test_what_stands_for_a_worker_answers_from_the_disk(browser: Any, tmp_path: Path) -> None:  # noqa: F811
    """Messages that come before the script was read are kept, and answered in order."""
    for name, text in (
        ("index.html", PAGE),
        ("worker.js", WORKER),
        ("iframe-worker.js", (DOCS / "iframe-worker.js").read_text()),
    ):
        (tmp_path / name).write_text(text)
    page = browser.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    page.wait_for_function("window.said.length === 2 && window.wrong")
    assert page.evaluate("said") == [["REGRET", 1], ["AGAIN", 2]] and "gone.js" in page.evaluate("window.wrong")
    page.evaluate("worker.terminate(); worker.postMessage({ word: 'late' })")
    page.wait_for_timeout(50)
    assert len(page.evaluate("said")) == 2
    page.close()


@pytest.mark.parametrize(("theme", "ink"), [("true", "rgb(43, 42, 39)"), ("false", "rgb(232, 229, 222)")], ids=["light", "dark"])
def test_a_cell_is_light_or_dark_as_the_notebook_is(browser: Any, tmp_path: Path, theme: str, ink: str) -> None:  # noqa: F811
    shown = playout.load("tic-tac-toe").start()._repr_html_()
    file = tmp_path / "notebook.html"
    file.write_text(f'<!doctype html><body data-jp-theme-light="{theme}"><p id="out">text</p>{shown}</body>', encoding="utf-8")
    page, asked = browser.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    colours = "[...document.querySelectorAll('#out, .playout-cell')].map((one) => getComputedStyle(one).color)"
    assert page.evaluate(colours) == ["rgb(0, 0, 0)", ink]
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)" and asked == [file.as_uri()]
    page.close()
