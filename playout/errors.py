"""Every error that a user can cause, as one sentence that says what to do.

The command line prints the sentence and exits with code 2; nothing here is ever shown as a traceback.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

LONGEST_WORD = 400
"""What was given is repeated in a message, but nobody reads a word of pages."""


class PlayoutError(Exception):
    """Something the user gave cannot be used; the message names the thing, the value and the fix."""

    def __str__(self) -> str:
        return re.sub(
            rf"\S{{{LONGEST_WORD},}}", lambda word: f"{word[0][:80]}... ({len(word[0]):,} characters)", super().__str__()
        )


class GameError(PlayoutError):
    """A game does not keep the contract of `playout.game.game`."""


class CompileError(GameError):
    """A game's function is outside the subset that can be compiled; `details` keeps the compiler's own pages."""

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


class RulesError(GameError):
    """A game's rules failed as machine code: outside an array, too deep, or without an end. Whoever asked for them is not to blame."""


class IllegalAction(PlayoutError):
    """An action was asked for that the state does not allow."""


class UnfinishedLine(PlayoutError):
    """A complete trajectory was asked of a tree that ends before the game does."""


class FileError(PlayoutError):
    """A saved file is missing, damaged, or belongs to something else."""


def suggest(word: str, known: Iterable[str]) -> str:
    """A sentence part that offers the near ones, or lists all when nothing is near."""
    names = sorted(known)
    near = difflib.get_close_matches(word, names, n=3, cutoff=0.5)
    if near:
        return "did you mean " + " or ".join(repr(name) for name in near) + "?"
    return "known: " + ", ".join(names)
