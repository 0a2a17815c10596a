"""Moves as people write them down."""

from __future__ import annotations

from playout.game.game import Game
from playout.game.state import State


def split_moves(text: str, game: Game | None = None, at: State | None = None) -> list[str]:
    """The moves of a text: separated by commas where there are any (names may hold spaces), else by spaces.

    The commas of a continuous game are inside its vectors, so there only spaces separate: "0.5,1,2 0,0,1". A text that is, as a whole,
    the name of an action where the moves begin is that one move: "keep in 1".
    """
    if at is not None and not at.game.continuous and text.strip() in (at.name(action) for action in at.legal):
        return [text.strip()]
    parts = text.split(",") if "," in text and not (game and game.continuous) else text.split()
    return [part.strip() for part in parts if part.strip()]
