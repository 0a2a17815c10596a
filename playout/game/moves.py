"""Moves as people write them down."""

from __future__ import annotations

from playout.game.game import Game


def split_moves(text: str, game: Game | None = None) -> list[str]:
    """The moves of a text: separated by commas where there are any (names may hold spaces), else by spaces.

    The commas of a continuous game are inside its vectors, so there only spaces separate: "0.5,1,2 0,0,1".
    """
    parts = text.split(",") if "," in text and not (game and game.continuous) else text.split()
    return [part.strip() for part in parts if part.strip()]
