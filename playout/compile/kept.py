"""The folder where compiled games are kept, and what is remembered there of a game: that it was tried, that it was checked.

A mark is an empty file named by the digest of the rules, so an edit of the game forgets it. Trouble with the folder only costs time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from functools import lru_cache
from pathlib import Path

from playout.compile.digest import rules
from playout.errors import GameError
from playout.files import write_whole
from playout.game.game import Game

TRIED, CHECKED = "tried", "checked"
"""A moment of random play, uncompiled, found nothing wrong; nor did all of `playout check`."""
EDITION = "1"
"""Of what a trial and a check look at: a new one looks again at every game."""

_known: set[tuple[str, str]] = set()


def folder() -> Path:
    """Where compiled games are kept: PLAYOUT_CACHE, or `playout` in the user's cache folder."""
    chosen = os.environ.get("PLAYOUT_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return Path(base or Path.home() / ".cache") / "playout"
    except RuntimeError:
        # Nobody's machine: a user without a home folder.
        return Path(tempfile.gettempdir()) / f"playout-{getattr(os, 'getuid', int)()}"


def mark(game: Game, what: str) -> None:
    """Remember something of a game."""
    name = _name(game)
    if name is None:
        return
    _known.add((what, name))
    with contextlib.suppress(OSError):
        folder().mkdir(parents=True, exist_ok=True, mode=0o700)
        place = folder() / what
        place.mkdir(exist_ok=True, mode=0o700)
        write_whole(place / name, b"")


def marked(game: Game, what: str) -> bool:
    """Whether that is remembered of the game as it is now."""
    name = _name(game)
    if name is None:
        return False
    if (what, name) not in _known:
        try:
            found = (folder() / what / name).is_file()
        except OSError:
            found = False
        if found:
            _known.add((what, name))
    return (what, name) in _known


@lru_cache(maxsize=64)
def _name(game: Game) -> str | None:
    """The rules and what is declared beside them; None where they have no identity: the compiler will say why."""
    try:
        words = repr((EDITION, rules(game, encoded=True), game.returns_range, *game.rewards.items()))
    except GameError:
        return None
    return hashlib.sha256(words.encode()).hexdigest()[:24]
