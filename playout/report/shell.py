"""What all pages have in common: one HTML file with its style sheet inside, a header, a main part, a footer, and no script."""

from __future__ import annotations

import contextlib
import re
from html import escape
from pathlib import Path

from playout.files import save
from playout.report.style import CSS

CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""What the words of a game or an agent may contain and no page may."""


def shell(title: str, head: str, sections: str, css: str = "") -> str:
    """A whole page around a header and sections that are HTML already; `css` is added to the common sheet."""
    from playout import __version__

    text = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{CSS}{css}</style></head>\n<body>{head}\n<main>\n{sections}\n</main>\n"
        f'<footer class="end">Written by playout {__version__}. Point at bars, lines and cells for their numbers.</footer>'
        "</body></html>\n"
    )
    return CONTROL.sub("", text)


def write_page(path: str | Path, text: str) -> Path:
    """Write a page, with the folders above it."""
    file = Path(path)
    with contextlib.suppress(OSError):  # if the folder cannot be made, `save` says what is wrong
        file.parent.mkdir(parents=True, exist_ok=True)
    return save(file, text.encode(errors="replace"))
