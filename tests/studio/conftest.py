"""A studio that really runs and a browser that really looks, for the tests that ask for them."""

import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SHOTS = Path(__file__).parents[2] / "studio-pictures"
"""Where pictures of the pages go; the folder is ignored by git."""


def chromium():
    """Where the browser is; None where there is none."""
    return next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)


class Studio:
    """A studio in a process of its own."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "playout", "studio", "--no-open", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self.said = []
        for line in self.process.stdout:
            self.said.append(line)
            if line.startswith("Ctrl-C"):
                break
        self.link = re.search(r"http://\S+", "".join(self.said))[0]
        # Nobody may wait for a full pipe.
        threading.Thread(target=lambda: self.said.extend(self.process.stdout), daemon=True).start()

    @property
    def address(self):
        return self.link.split("?")[0].rstrip("/")

    @property
    def port(self):
        return int(self.address.rpartition(":")[2])

    def close(self):
        self.process.terminate()
        self.process.wait(20)


@pytest.fixture(scope="module")
def browser():
    path = chromium()
    if path is None:
        pytest.skip("no chromium here: apt-get install chromium (make test does it), or run the other tests of the studio")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        made.kept = {}
        yield made
        made.close()
