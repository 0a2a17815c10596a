"""What players have lived through, event by event: for games whose worlds are found by playing the past again.

`history` folds the same events into a key; here they are kept, since a course of the game is held against them one by one. An event is
an action of the player's own, or its observation where that changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from playout.game.state import State


def by_rejection(state: Any, player: int, rng: Any) -> None:
    """In place of a `determinize` of your own: `determinize = playout.by_rejection`.

    Worlds are then found by dealing and playing anew until a course looks to the player like its own past, to the byte. That is slow,
    needs no thought, and cannot give anything away. The library never calls this function for it: it knows it by name, and what a
    search starts from is such a world already.
    """


class Lived(msgspec.Struct, frozen=True):
    """The past of one player in one game."""

    events: tuple[int | bytes, ...]
    """Actions of its own, as numbers, and observations, as bytes, in order."""
    seen: bytes
    """The last observation."""
    steps: int
    """How many actions anybody has played."""

    def after(self, action: int | None, seen: bytes) -> Lived:
        """One action later: its own one, or None for another's; and what it sees then."""
        own = () if action is None else (action,)
        look = () if seen == self.seen else (seen,)
        return Lived((*self.events, *own, *look), seen, self.steps + 1)


Pasts = tuple[Lived | None, ...]
"""By player; None where a state is a world of somebody else."""


def first(state: State) -> Pasts:
    """What everybody has lived through when the game begins."""
    seen = [state.observed(player) for player in range(state.game.players)]
    return tuple(Lived((look,), look, 0) for look in seen)


def later(pasts: Pasts, mover: int, action: int, state: State) -> Pasts:
    """The same after an action that led to `state`."""
    return tuple(
        None if past is None else past.after(action if player == mover else None, state.observed(player))
        for player, past in enumerate(pasts)
    )


def only(pasts: Pasts, player: int) -> Pasts:
    """What goes with a world of one player: its own past, and nothing of the others'."""
    return tuple(past if number == player else None for number, past in enumerate(pasts))
