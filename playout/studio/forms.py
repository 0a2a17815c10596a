"""A form out of the descriptions that the command line has: a field added to `Settings` is in it at once, with its own text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from playout.planner.described import kind_of, texts
from playout.planner.settings import Budget, Settings, choices
from playout.planner.words import read, spelled

FIRST = ("rule", "c", "playout", "decisive", "trees", "final", "hidden", "method", "seed")
"""Settings at the top of the form; the others come after them."""
LEFT_OUT = frozenset({"value", "threads", "batch", "reward"})
"""What a form cannot give: files, evaluators, and what changes no result."""
CONTINUOUS_ONLY = [
    "method",
    "width",
    "power",
    "sampling",
    "borrow",
    "backup",
    "exponent",
    "last",
    "refine",
    "evaluations",
    "derivative",
    "slopes",
    "rate",
    "branches",
    "distance",
    "moved",
]
HIDDEN_ONLY = ("hidden", "open_loop", "redraw")


@dataclass(frozen=True)
class Field:
    """One line of the form."""

    name: str
    text: str
    """What it means."""
    kind: str
    """"choice", "switch" or "text"."""
    usual: str
    """What it is when nobody says anything."""
    choices: tuple[str, ...] = ()


def fields(*, continuous: bool = False, hidden: bool = False) -> list[Field]:
    """The settings that mean something for such a game, those that people change first at the top."""
    words, known = texts(Settings), choices()
    found = {}
    for field in msgspec.structs.fields(Settings):
        name = field.name
        if name in LEFT_OUT or (name in CONTINUOUS_ONLY and not continuous) or (name in HIDDEN_ONLY and not hidden):
            continue
        kind = "choice" if name in known else "switch" if kind_of(field) is bool else "text"
        listed = known.get(name, ())
        if kind == "switch":
            listed = ("auto", "true", "false") if field.default is None else ("true", "false")
        usual = "auto" if kind == "switch" and field.default is None else spelled(field.default)
        found[name] = Field(name, words[name], kind, usual, listed)
    first = [found[name] for name in FIRST if name in found]
    return first + [field for name, field in found.items() if name not in FIRST]


def given(values: dict[str, Any]) -> dict[str, str]:
    """The settings that differ from the usual ones, as words."""
    usual = {field.name: field.usual for field in fields(continuous=True, hidden=True)}
    said = {name: str(value).strip() for name, value in values.items() if name in usual and value is not None}
    return {name: value for name, value in said.items() if value not in ("", usual[name])}


def checked(values: dict[str, Any]) -> str:
    """What is wrong with what stands in the form, in a sentence; empty where nothing is."""
    from playout.errors import PlayoutError

    try:
        read(Settings, given(values))
    except PlayoutError as error:
        return str(error)
    return ""


def budget_texts() -> dict[str, str]:
    """What each part of a budget means."""
    return texts(Budget)
