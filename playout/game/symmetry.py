"""Symmetries of a game as tables: where each number of an encoding goes, and what each action becomes.

A game says it with two plain functions: `mirror_encoding(symmetry, encoded)` turns an array of the shape of its encoding as NumPy turns
arrays, and `mirror_action(symmetry, action)` gives the action that stands for one then. Both are asked once for all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.errors import GameError
from playout.game.game import Game

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Symmetries:
    """The symmetries of one game; number 0 is the game as it is."""

    cells: Array
    """(symmetries, size): the mirrored encoding, flat, is `encoded[cells[k]]`."""
    actions: Array
    """(symmetries, actions): action `a` becomes `actions[k, a]`."""

    @property
    def count(self) -> int:
        return len(self.cells)

    def encoded(self, numbers: Array, which: Array | int) -> Array:
        """A batch of encodings, each mirrored by the symmetry that `which` names for it."""
        flat = numbers.reshape(len(numbers), -1)
        return np.take_along_axis(flat, self._of(self.cells, which, len(flat)), axis=1).reshape(numbers.shape)

    def policies(self, weights: Array, which: Array | int) -> Array:
        """A batch of weights by action id, each mirrored along."""
        found = np.empty_like(weights)
        np.put_along_axis(found, self._of(self.actions, which, len(weights)), weights, axis=1)
        return found

    @staticmethod
    def _of(table: Array, which: Array | int, count: int) -> Array:
        rows: Array = table[np.broadcast_to(np.asarray(which), (count,))]
        return rows


def symmetries_of(game: Game) -> Symmetries | None:
    """The symmetries that a game declares, checked to be such; None where it has none but itself."""
    if game.symmetries == 1:
        return None
    size = int(np.prod(game.encoding))
    cells = np.empty((game.symmetries, size), np.int64)
    actions = np.empty((game.symmetries, game.actions), np.int64)
    for k in range(game.symmetries):
        cells[k] = _permutation(game, "mirror_encoding", k, _cells(game, k, size), size)
        actions[k] = _permutation(game, "mirror_action", k, [_action(game, k, a) for a in range(game.actions)], game.actions)
    for role, table in (("mirror_encoding", cells), ("mirror_action", actions)):
        if not np.array_equal(table[0], np.arange(table.shape[1])):
            raise GameError(
                f"game {game.name!r}: {role} changes something for symmetry 0, which is the game as it is; return it unchanged"
            )
    return Symmetries(cells, actions)


def _cells(game: Game, k: int, size: int) -> Any:
    # Numbers and not truth values: where each came from can be read off.
    found = np.asarray(_asked(game, "mirror_encoding", k, np.arange(size).reshape(game.encoding)))
    if found.shape != game.encoding:
        raise GameError(
            f"game {game.name!r}: mirror_encoding gives shape {found.shape} for symmetry {k} where encoding is {game.encoding}; return the same shape"
        )
    return found.ravel()


def _action(game: Game, k: int, action: int) -> Any:
    found = _asked(game, "mirror_action", k, action)
    return int(found) if isinstance(found, int | np.integer) else -1


def _asked(game: Game, role: str, *arguments: Any) -> Any:
    try:
        return game.functions[role](*arguments)
    except Exception as error:
        raise GameError(
            f"game {game.name!r}: {role} raised {type(error).__name__}: {error} for symmetry {arguments[0]}; symmetries are 0 to {game.symmetries - 1}"
        ) from None


def _permutation(game: Game, role: str, k: int, found: Any, size: int) -> Any:
    if not np.array_equal(np.sort(found), np.arange(size)):
        what = "number of the encoding" if role == "mirror_encoding" else "action id"
        raise GameError(
            f"game {game.name!r}: {role} loses or doubles something for symmetry {k}; every {what} must come out once, at its new place"
        )
    return found
