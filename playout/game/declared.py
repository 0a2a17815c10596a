"""What a game declares in words: the names of its players, with what is said of a player without one, and of its laws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playout.errors import GameError


def who(player: int, names: Sequence[str] = ()) -> str:
    """A player in words: the name that the game gives it, else its number.

    >>> who(1), who(1, ("White", "Black"))
    ('player 1', 'Black')
    """
    return names[player] if 0 <= player < len(names) else f"player {player}"


def read_names(game: str, word: str, value: Any, example: str) -> tuple[str, ...]:
    """A declared tuple of names, each a text in one line and all different; none where nothing is declared."""
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, tuple | list):
        raise GameError(f"game {game!r}: {word} is {value!r}; give a tuple of names, as in {word} = {example}")
    for place, name in enumerate(value):
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise GameError(f"game {game!r}: {word}[{place}] is {name!r}; a name is a text in one line, as in {word} = {example}")
    names = tuple(name.strip() for name in value)
    for place, name in enumerate(names):
        if name in names[:place]:
            raise GameError(f"game {game!r}: {word} has {name!r} twice; give each a name of its own")
    return names


def read_player_names(game: str, value: Any, players: int) -> tuple[str, ...]:
    """The names of the players: none, or one for each."""
    names = read_names(game, "player_names", value, '("White", "Black")')
    if value is not None and len(names) != players:
        raise GameError(
            f"game {game!r}: player_names has {len(names)} name{'s' * (len(names) != 1)} and the game {players} "
            f"player{'s' * (players != 1)}; give one name for each"
        )
    return names


def read_laws(game: str, value: Any, asked: bool) -> tuple[str, ...]:
    """The names of the laws that `broken` knows by number; `asked` says whether there is one."""
    laws = read_names(game, "laws", value, '("the cards are all there", "nobody has more than ten")')
    if laws and not asked:
        raise GameError(
            f"game {game!r} declares laws, and nothing that says whether they hold: add def broken(state), which returns 0, or the number "
            f"of a broken law from 1 to {len(laws)}"
        )
    if asked and not laws:
        raise GameError(
            f'game {game!r} defines broken, and no laws that it could be about: add laws = ("name of the first law", ...)'
        )
    return laws
