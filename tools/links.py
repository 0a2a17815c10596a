"""The links of the site before it is built: each leads to a page and a heading that is there, and the reference names what exists.

Building the site takes ten times as long and a package that is not among those of the tests; this finds what breaks most often, in a moment.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlsplit

FENCED = re.compile(r"^ *(```+|~~~+).*?^ *\1 *$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
HEADING = re.compile(r"^#{1,6} +(.+?)(?: +\{ *#([\w-]+)[^}]*\})? *$", re.MULTILINE)
LINK = re.compile(r"\]\(<?([^()\s>]+(?:\([^()\s]*\))?)>?(?: +\"[^\"]*\")?\)")
NAME = re.compile(r"^::: ([\w.]+)$", re.MULTILINE)


def slug(title: str) -> str:
    """The anchor of a heading, as Python's Markdown makes it.

    >>> slug("What it `may` define, and *what* not")
    'what-it-may-define-and-what-not'
    """
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
    words = re.sub(r"[^\w\s-]", "", words.encode("ascii", "ignore").decode()).strip().lower()
    return re.sub(r"[-\s]+", "-", words)


def anchors(text: str) -> set[str]:
    """The places of a page that a link can lead to."""
    found: set[str] = set()
    for title, named in HEADING.findall(FENCED.sub("", text)):
        place = named or slug(title)
        number = 1
        while place in found:
            place, number = f"{slug(title)}_{number}", number + 1
        found.add(place)
    return found | set(NAME.findall(text)) | set(re.findall(r"(?:id|name)=\"([^\"]+)\"", text))


def links(text: str) -> list[str]:
    """Where a page leads to, outside of its code."""
    return LINK.findall(CODE.sub("", FENCED.sub("", text)))


def astray(pages: Path) -> list[str]:
    """Links of a folder of pages that lead nowhere, and names of its reference that nothing has."""
    there = {file.resolve(): file.read_text(encoding="utf-8") for file in pages.rglob("*.md")}
    places = {file: anchors(text) for file, text in there.items()}
    wrong = []
    for file, text in there.items():
        where = file.relative_to(pages.resolve()).as_posix()
        wrong += [f"{where} tells of {name}, which does not exist" for name in NAME.findall(text) if not exists(name)]
        for link in links(text):
            split = urlsplit(link)
            if split.scheme or split.netloc:
                continue
            target = (file.parent / unquote(split.path)).resolve() if split.path else file
            if not target.exists():
                wrong.append(f"{where} leads to {link}, which is not there")
            elif split.fragment and target in places and unquote(split.fragment) not in places[target]:
                wrong.append(f"{where} leads to {link}, and there is no such place on that page")
    return sorted(set(wrong))


def exists(name: str) -> bool:
    """Whether a dotted name leads to something: modules first, then what they hold."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found: object = import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False
