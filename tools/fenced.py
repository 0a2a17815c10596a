"""Examples in docstrings are shown as code: the doctests that pytest runs are no Markdown, and `>>>` would begin a quotation there."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^[ \t]*>>> .*\n?)(?:^(?![ \t]*\n)[ \t]*\S.*\n?)*", re.MULTILINE)
"""From a prompt to the next empty line, as doctest has it."""


def fenced(text: str) -> str:
    """A docstring with every example in a fence of its own."""
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)


class Fenced(griffe.Extension):
    """Told of every object whose docstring will be shown."""

    def on_object(self, *, obj: griffe.Object, **others: Any) -> None:
        if obj.docstring is not None and ">>> " in obj.docstring.value:
            obj.docstring.value = fenced(obj.docstring.value)
