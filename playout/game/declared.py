"""What a game declares beside its numbers: the names of its players, with what is said of a player without one, its laws, its rewards, the
settings that it is searched with, and the shape in which a network sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from playout.errors import GameError
from playout.game.contract import MOST_INPUTS, MOST_SYMMETRIES


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


Range = tuple[float, float]


def read_range(game: str, word: str, value: Any, what: str = "return") -> Range | None:
    """The lowest and the highest return, or None where nothing is said of them."""
    if value is None:
        return None
    try:
        low, high = (float(v) for v in value)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise GameError(f"game {game!r}: {word} is {value!r}; give the lowest and the highest {what}, as in (-1, 1)")
    return low, high


def read_rewards(game: str, value: Any, roles: Mapping[str, Any]) -> dict[str, Range | None]:
    """The rewards that `returns_as` knows by number, in that order, each with its lowest and highest return where that is said."""
    example = '{"win": (0, 1), "points": None}'
    if value is not None and not isinstance(value, Mapping):
        raise GameError(
            f"game {game!r}: rewards is {value!r}; give names with the lowest and highest return or None, as in rewards = {example}"
        )
    names = read_names(game, "rewards", None if value is None else tuple(value), example)
    if names and "returns_as" not in roles:
        raise GameError(
            f"game {game!r} declares rewards, and nothing that pays them: add def returns_as(state, reward, out), where reward is 0 to {len(names) - 1}"
        )
    for role in ("returns_as", "evaluate_as"):
        if not names and role in roles:
            raise GameError(f"game {game!r} defines {role}, and no rewards that it could be about: add rewards = {example}")
    for name in names:
        if not name.replace("-", "").replace("_", "").isalnum():
            raise GameError(
                f"game {game!r}: rewards has {name!r}; a reward is one word, since it stands in agents like uct:reward=win"
            )
    return {name: read_range(game, f"rewards[{name!r}]", span) for name, span in zip(names, (value or {}).values())}


def read_search_settings(game: str, value: Any) -> dict[str, Any]:
    """The settings that "auto" stands for in the game; which there are, and what each may be, the planner knows and says."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise GameError(
            f'game {game!r}: search_settings is {value!r}; give settings by name, as in search_settings = {{"c": 0.2, "cutoff": 20}}'
        )
    return dict(value)


def read_encoding(game: str, value: Any, roles: Mapping[str, Any]) -> tuple[int, ...]:
    """The shape that `encode` writes into: planes, rows and columns, or tokens and features, or a plain row of numbers; empty without one."""
    example = "encoding = (planes, rows, columns), (tokens, features) or (numbers,)"
    if value is None:
        if "encode" in roles:
            raise GameError(f"game {game!r} defines encode, and nothing says how much it writes: add {example}")
        return ()
    if "encode" not in roles:
        raise GameError(f"game {game!r} declares an encoding, and nothing that writes it: add def encode(state, player, out)")
    whole = isinstance(value, tuple | list) and all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in value)
    if not whole or not 1 <= len(value) <= 3 or min(value) < 1 or np.prod(value, dtype=float) > MOST_INPUTS:
        raise GameError(
            f"game {game!r}: encoding is {value!r}; give one to three whole numbers above 0, at most {MOST_INPUTS:,} inputs in all, as in {example}"
        )
    return tuple(int(n) for n in value)


def read_symmetries(game: str, value: Any, roles: Mapping[str, Any]) -> int:
    """How many symmetries the game has, itself as it is among them: 1 where it says nothing."""
    if value is None:
        for role in ("mirror_encoding", "mirror_action"):
            if role in roles:
                raise GameError(f"game {game!r} defines {role}, and not how many symmetries there are: add symmetries = 2")
        return 1
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= MOST_SYMMETRIES:
        raise GameError(
            f"game {game!r}: symmetries is {value!r}; it must be a whole number from 1 to {MOST_SYMMETRIES:,}, the game as it is among them"
        )
    for role, arguments in (
        ("encode", "state, player, out"),
        ("mirror_encoding", "symmetry, encoded"),
        ("mirror_action", "symmetry, action"),
    ):
        if role not in roles:
            raise GameError(f"game {game!r} declares symmetries, and no {role}: add def {role}({arguments})")
    return int(value)
