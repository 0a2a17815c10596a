"""What a page shows of the command line is what comes out: python tools/shown.py PAGE.

The commands of a page (lines that begin with `$ playout` in its blocks) are run in order in an empty folder, into which the page's own
Python goes: a block becomes the file that the page is about, later blocks are added to it. What is printed must be what the page shows, where `...`
stands for anything, and spaces and breaks between words do not count. A dialogue is left out.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
DIALOGUES = ("play", "studio")


class Step(NamedTuple):
    """One step of a page: Python that is added to its file, or a command with what it prints."""

    python: str = ""
    command: tuple[str, ...] = ()
    expected: str = ""


def steps(text: str) -> Iterator[Step]:
    """The steps of a page in order."""
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        if language == "python":
            yield Step(python=block)
        for said in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE) if not language else ():
            words = tuple(shlex.split(said[0]))
            if words[0] == "playout" and words[1] not in DIALOGUES:
                yield Step(command=words[1:], expected=said[1])


def same(expected: str, printed: str) -> bool:
    """Whether that was printed which is shown."""
    return doctest.OutputChecker().check_output(expected, printed, FLAGS)


def added(file: Path, python: str) -> None:
    """Python goes to the end of a file, two empty lines behind what is there."""
    before = file.read_text(encoding="utf-8") + "\n\n" if file.exists() else ""
    file.write_text(before + python, encoding="utf-8")


def main() -> None:
    page = Path(sys.argv[1])
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="playout-shown-") as folder:
        found = list(steps(page.read_text(encoding="utf-8")))
        name = next(word for step in found for word in step.command if word.endswith(".py"))
        for step in found:
            if step.python:
                added(Path(folder) / name, step.python)
                continue
            env = {**os.environ, "PLAYOUT_DATA": folder}
            words = [sys.executable, "-m", "playout", *step.command]
            ran = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)
            fine = ran.returncode == 0 and same(step.expected, ran.stdout)
            wrong += not fine
            print(f"{'as shown' if fine else 'NOT as shown'}: playout {' '.join(step.command)}")
            if not fine:
                print(f"{page} shows\n{step.expected}\nand it printed (exit code {ran.returncode})\n{ran.stdout}{ran.stderr}")
    raise SystemExit(wrong and 1)


if __name__ == "__main__":
    main()
