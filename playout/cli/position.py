"""The position that `search` and `play` begin from: the start, a saved state, and moves from there."""

from __future__ import annotations

from pathlib import Path

from playout.errors import FileError, PlayoutError
from playout.game.game import Game
from playout.game.load import load
from playout.game.saved import try_out
from playout.game.state import State


def split_moves(text: str, game: Game | None = None) -> list[str]:
    """The moves of a text: separated by commas where there are any (names may hold spaces), else by spaces.

    The commas of a continuous game are inside its vectors, so there only spaces separate: "0.5,1,2 0,0,1".
    """
    parts = text.split(",") if "," in text and not (game and game.continuous) else text.split()
    return [part.strip() for part in parts if part.strip()]


def set_up(spec: str, deck: str) -> Game:
    """The game, with a deck laid out card by card where one is given."""
    game = load(spec)
    cards = "-".join(deck.replace(",", " ").split())
    if not cards:
        return game
    if "order" not in game.parameters:
        raise PlayoutError(
            f"--deck lays out the cards of a game with a parameter 'order', and {game.name!r} has none; leave it out"
        )
    named = {"deck": cards} if game.parameters.get("deck") == "" else {}
    return load(game, **named, order=cards)


def position(game: Game, seed: int, moves: str, file: Path | None) -> State:
    """The state to begin from."""
    state = game.start(seed) if file is None else read_state(game, file)
    return state.replay(split_moves(moves, game))


def read_state(game: Game, file: Path) -> State:
    """A saved state, tried out before anything is done with it."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileError(f"state file {str(file)!r} does not exist; save one with `save FILE` in playout play") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise FileError(f"state file {str(file)!r} cannot be read: {reason}") from None
    try:
        state = game.load_state(text)
    except PlayoutError as error:
        raise FileError(f"state file {str(file)!r}: {error}") from None
    try:
        try_out(state)
    except PlayoutError as error:
        raise FileError(f"state file {str(file)!r} is damaged: {error}") from None
    return state
