"""Clicks on a picture: what a game's `svg` marks, and the action that clicks on it mean.

An element with `data-action="3"` is action 3 to whoever clicks on it. One with `data-part="b2"` is a part with a name: the game's
`clicked(state, parts)` is handed the one or two names clicked so far, and returns an action, or -1 while they mean none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree

if TYPE_CHECKING:
    from playout.game.state import State

ACTION, PART = "data-action", "data-part"
"""The attributes that mark an element of a picture."""
NOT_YET = -1
"""What `clicked` returns while the clicks so far mean no action."""

Clicks = tuple[str, ...]


class Marks(NamedTuple):
    """What a picture marks, in the order of the picture, each once."""

    actions: tuple[str, ...]
    """As they are written: that they are ids is for the checker to say."""
    parts: tuple[str, ...]


def read_marks(picture: str | ElementTree.Element) -> Marks:
    """The marks of a picture; none where it is no XML."""
    try:
        root = ElementTree.fromstring(picture) if isinstance(picture, str) else picture
    except ElementTree.ParseError:
        return Marks((), ())
    elements = list(root.iter())
    return Marks(*(tuple(dict.fromkeys(e.attrib[mark] for e in elements if mark in e.attrib)) for mark in (ACTION, PART)))


def answers(ask: Callable[[Clicks], Any], parts: Clicks) -> Iterator[tuple[Clicks, Any]]:
    """What each click means, and then each second click after a first that meant nothing yet."""
    first = []
    for part in parts:
        answer = ask((part,))
        yield (part,), answer
        if answer == NOT_YET:
            first.append(part)
    for one in first:
        for two in parts:
            yield (one, two), ask((one, two))


def ways(state: State, viewer: int | None = None) -> dict[int, Clicks]:
    """For every legal action that clicks lead to, the parts to click on; none of them where the action itself is marked."""
    marks = read_marks(state.svg(viewer) or "")
    found: dict[int, Clicks] = {}
    if state.game.has("clicked"):
        for clicks, action in answers(state.clicked, marks.parts):
            if action != NOT_YET:
                found.setdefault(action, clicks)
    marked = {int(word): () for word in marks.actions if word.isdecimal() and int(word) in state.legal}
    return {**found, **marked}


def next_parts(state: State, part: str, viewer: int | None = None) -> Clicks:
    """The parts that make an action when they are clicked on after this one, for a page that lights them up."""
    if not state.game.has("clicked") or state.clicked((part,)) != NOT_YET:
        return ()
    parts = read_marks(state.svg(viewer) or "").parts
    return tuple(two for two in parts if part in parts and state.clicked((part, two)) != NOT_YET)
