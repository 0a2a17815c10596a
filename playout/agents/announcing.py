"""What somebody at the table is told of an action: what that viewer's observation tells apart, and nothing else.

The rule is the contract's, whatever the game. A viewer knows its own actions. An action of another player that leaves the viewer's
observation as it was has not happened for the viewer: it is passed over in silence, since even "somebody acted" would tell of
it. One that changes the observation is named only where the viewer can tell which it was. That is found out in worlds that the
viewer cannot tell from the true one: all their legal actions are played, with the same chance, and where an action
of another name leads to the same observation, neither of the two is named. Then it is only said that the player acted.
"""

from __future__ import annotations

from typing import Any

from playout.game.state import State
from playout.game.stream import NEWS, Stream

WORLDS, FIRST = 64, 8
"""So many worlds are looked at; only the first of them where these say already that the name must not be told."""


def guarded(state: State, viewer: int | None) -> bool:
    """Whether anything is kept from this viewer: None is for all eyes."""
    return viewer is not None and state.game.has("observe")


def news(before: State, action: Any, after: State, viewer: int | None) -> str | None:
    """An action in words for one viewer; None where that viewer has not noticed anything."""
    mover = before.mover
    if not guarded(before, viewer) or mover == viewer:
        return f"{before.game.player_name(mover)} plays {before.name(action, viewer)}"
    assert viewer is not None
    if before.observed(viewer) == after.observed(viewer):
        return None
    return _noticed(before, before.name(action, viewer), viewer)


def _noticed(before: State, name: str, viewer: int) -> str:
    """The words for an action of another player that the viewer has noticed."""
    stream = Stream(0, NEWS)
    chance, met = stream.next(), set()
    names: dict[bytes, str] = {}
    certain, possible = True, False
    for number in range(WORLDS):
        if number >= FIRST and not certain:
            break
        world = before.world(viewer, stream)
        if bytes(world) in met:
            continue
        met.add(bytes(world))
        if world.mover != before.mover:
            # Not even who acted is known.
            return "an action was played"
        # The same chance in all of them: else its draws would tell apart what the actions do not.
        world = State(world.game, world.copy_array(), chance)
        for other in world.legal if certain else ():
            words = world.name(other, viewer)
            seen = world.after(other).observed(viewer)
            first = names.setdefault(seen, words)
            certain &= first == words or name not in (first, words)
            possible |= words == name
    who = before.game.player_name(before.mover)
    return f"{who} plays {name}" if certain and possible else f"{who} acted"
