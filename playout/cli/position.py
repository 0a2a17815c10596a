"""The position that `search` and `play` begin from: the start, a saved state, and moves from there."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from playout.errors import FileError, IllegalAction, PlayoutError
from playout.game.game import Game
from playout.game.load import load
from playout.game.moves import split_moves
from playout.game.saved import try_out
from playout.game.state import State


class Given(NamedTuple):
    """Moves as they were given: with the place of each, by which an illegal one is named, and the start of a game that was recorded."""

    moves: list[Any]
    places: list[str]
    start: State | None = None
    text: str = ""
    """What they were read from, where that was no file."""

    def at(self, state: State) -> Given:
        """The same where they begin: a name with spaces in it may be a single move there."""
        return _told(self.text, split_moves(self.text, state.game, state)) if self.text else self

    def replay(self, state: State) -> State:
        """The state after all of them."""
        for move, place in zip(self.moves, self.places):
            try:
                state = state.play(move)
            except IllegalAction as error:
                raise IllegalAction(f"{place}: {error}") from None
        return state


def read_moves(text: str, game: Game) -> Given:
    """The moves of `--moves`: a text, or (`@FILE`) a file with one on each line, or with what `playout play --json` printed."""
    if not text.lstrip().startswith("@"):
        return _told(text, split_moves(text, game))
    name = text.strip()[1:].strip()
    if not name:
        raise PlayoutError("--moves @ names no file; write --moves @FILE, with an action on each line of it")
    content = _read(Path(name), "moves", "write one with an action on each line, by name or id")
    return _recorded(name, content, game) if content.lstrip().startswith("{") else _listed(name, content)


def _told(text: str, moves: list[str]) -> Given:
    return Given(moves, [f"move {number}" for number in range(1, len(moves) + 1)], text=text)


def _listed(name: str, content: str) -> Given:
    """An action on each line; empty lines and what follows a # are left out."""
    lines = [(" " + line).split(" #", 1)[0].strip() for line in content.replace("\t", " ").splitlines()]
    found = [(number, line) for number, line in enumerate(lines, 1) if line]
    return Given([line for _, line in found], [f"moves file {name!r}, line {number}" for number, _ in found])


def _recorded(name: str, content: str, game: Game) -> Given:
    """A game that `playout play --json`, or `playout replay --game N --json`, printed."""
    try:
        data = msgspec.json.decode(content)
    except msgspec.DecodeError as error:
        raise FileError(
            f"moves file {name!r} is no JSON ({error}); give what playout play --json printed, or an action on each line"
        ) from None
    moves = data.get("moves")
    if not isinstance(moves, list):
        why = "it is one player's side of a game that is not over" if "observation" in data else "it is no game that was played"
        raise FileError(
            f"moves file {name!r} has no list of moves: {why}; give what playout play --json prints of a finished game"
        )
    seed = data.get("seed")
    # Dealt again where that gives the same start: such a state knows its past.
    start = game.start(seed) if isinstance(seed, int) and not isinstance(seed, bool) else None
    try:
        if "start" in data:
            told = game.load_state(msgspec.json.encode(data["start"]).decode())
            try_out(told)
            start = start if start is not None and start == told and start.word == told.word else told
    except PlayoutError as error:
        raise FileError(f"moves file {name!r}: {error}") from None
    return Given(moves, [f"moves file {name!r}, move {number}" for number in range(1, len(moves) + 1)], start)


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
    given = read_moves(moves, game)
    start = beginning(game, seed, given, file)
    return given.at(start).replay(start)


def beginning(game: Game, seed: int, given: Given, file: Path | None) -> State:
    """Where the moves begin: a saved state, the start that was recorded with them, or the start of the game."""
    if file is not None:
        return read_state(game, file)
    return given.start or game.start(seed)


def read_state(game: Game, file: Path) -> State:
    """A saved state, tried out before anything is done with it."""
    text = _read(file, "state", "save one with `save FILE` in playout play")
    try:
        state = game.load_state(text)
    except PlayoutError as error:
        raise FileError(f"state file {str(file)!r}: {error}") from None
    try:
        try_out(state)
    except PlayoutError as error:
        raise FileError(f"state file {str(file)!r} is damaged: {error}") from None
    return state


def _read(file: Path, kind: str, cure: str) -> str:
    """The text of a file, or a sentence on why there is none."""
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileError(f"{kind} file {str(file)!r} does not exist; {cure}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise FileError(f"{kind} file {str(file)!r} cannot be read: {reason}") from None
