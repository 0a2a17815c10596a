"""`playout new`: a small game of one's own that works, to be changed from there."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from playout.cli.options import Debug
from playout.errors import FileError, PlayoutError

TEMPLATES = Path(__file__).parents[1] / "templates"


class Kind(StrEnum):
    """What kind of game it is."""

    board = "board"
    cards = "cards"
    continuous = "continuous"
    dice = "dice"


SAYS = {
    Kind.board: "a board game for two",
    Kind.cards: "a card game for two with hidden hands",
    Kind.continuous: "a game with real-valued actions",
    Kind.dice: "a dice game for two",
}


def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="What the game is called: mygame, or the path of its file.", show_default=False)
    ],
    *,
    kind: Annotated[Kind, typer.Option(help="What kind of game it begins as.")] = Kind.board,
    debug: Debug = False,
) -> None:
    """Begin a game of your own: a file with a small game that works, and comments that say where to go on.

    It passes playout check as it is, so change it bit by bit and check it after every bit. Nothing is ever overwritten.

    [bold]Examples[/bold]

      playout new mygame
      playout new poker --kind cards
      playout new games/mills.py --kind continuous
    """
    from playout.cli.terminal import console, plain

    file = write_new(name, kind)
    plain(console(), f"{file}: {SAYS[kind]} that works; NEXT marks where to go on, and docs/game.md explains every name.")
    words = ["check", "play", "search"] if kind is not Kind.continuous else ["check", "search"]
    plain(console(), "\n".join(f"  playout {word} {file}" for word in words))


def write_new(name: str, kind: Kind) -> Path:
    """Write the file of a new game; a name that cannot be, and a file that is there, are refused."""
    path = Path(name if name.endswith(".py") else f"{name}.py")
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", path.stem):
        raise PlayoutError(f"a game cannot be called {path.stem!r}; use letters, digits, - and _, a letter first, as in mygame")
    text = (TEMPLATES / f"{kind.value}.py").read_text(encoding="utf-8")
    # Its name stands where that of the template does: before the first colon.
    text = '"""' + path.stem.replace("_", " ").replace("-", " ").capitalize() + text[text.index(":") :]
    try:
        with path.open("x", encoding="utf-8") as target:
            target.write(text)
    except FileExistsError:
        raise FileError(f"{str(path)!r} is there already, and is left as it is; choose another name") from None
    except OSError as error:
        raise FileError(f"{str(path)!r} cannot be written: {error.strerror}; choose another place") from None
    return path
