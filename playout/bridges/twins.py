"""Games that are here and in OpenSpiel, too: their names over there, and how an action of theirs is called here.

One home for who plays against its bots (`spiel_bots`, `playout bench --strength`) and for who compares the rules (`alike`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from playout.game.game import Game


class Twin(NamedTuple):
    """A game over there."""

    theirs: str
    ours: Callable[[int], int] = int
    """Its id of an action to ours."""


def of_breakthrough(action: int) -> int:
    """There an id is (square, direction, captures or not), the directions of the second player behind those of the first.

    Rows count from the first player's own on both sides, though it sits at the top there.
    """
    square, kind = divmod(action, 12)
    return square * 3 + kind // 2 % 3


def _mnk(p: dict[str, Any]) -> Twin | None:
    return Twin("tic_tac_toe") if (p["m"], p["n"], p["k"]) == (3, 3, 3) else None


def _breakthrough(p: dict[str, Any]) -> Twin | None:
    # On fewer rows each side has one row of pieces over there, and two here.
    return Twin(f"breakthrough(rows={p['rows']},columns={p['columns']})", of_breakthrough) if p["rows"] >= 6 else None


def _liars_dice(p: dict[str, Any]) -> Twin | None:
    # The highest face is always wild over there, and several dice are told apart.
    return Twin(f"liars_dice(numdice=1,dice_sides={p['faces']})") if p["wild"] and p["dice"] == 1 else None


TWINS: dict[str, Callable[[dict[str, Any]], Twin | None]] = {
    "mnk": _mnk,
    "connect-four": lambda p: Twin("connect_four") if (p["columns"], p["rows"]) == (7, 6) else None,
    "breakthrough": _breakthrough,
    "hex": lambda p: Twin(f"hex(board_size={p['size']})") if not p["swap"] else None,
    "othello": lambda p: Twin("othello") if p["size"] == 8 else None,
    "kuhn-poker": lambda p: Twin("kuhn_poker"),
    "leduc-poker": lambda p: Twin("leduc_poker"),
    "liars-dice": _liars_dice,
    "phantom-tic-tac-toe": lambda p: None if p["abrupt"] else Twin("phantom_ttt"),
}
"""By bundled game: its twin for these parameters, if it has one."""


def twin_of(game: Game) -> Twin | None:
    """The twin of a game over there; None where there is none, or the parameters make it another game."""
    if game.file or game.base not in TWINS:
        return None
    return TWINS[game.base](game.parameters)
