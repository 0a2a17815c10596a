"""Consistency: worlds keep what a player knows, at every state of games from end to end and for every player.

A world must show the player what the truth shows it, in bytes and in pictures, and at its own turn leave it the same actions. This is
a comparison of bytes and texts, so an honest game never fails it.
"""

from __future__ import annotations

import numpy as np

from playout.checker.contract.findings import Spot, value_text
from playout.checker.honesty.lines import Course
from playout.checker.honesty.report import Spent, clock
from playout.checker.honesty.show import same_encodings, same_pictures
from playout.game.game import Game
from playout.game.record import field_names
from playout.game.state import State
from playout.game.stream import AUDIT_LOOKS, AUDIT_PICKS, Stream

DRAWS = 3
"""Worlds for every player at every state."""


def consistency(game: Game, seed: int, states: int, deadline: float, after: int = 0) -> tuple[int, int]:
    """Look at so many states, and on while there is time; how many cases (a state and a player) there were, and how many in the last
    third of a game. Raises `Spent` at the first failure."""
    seen = cases = late = number = 0
    while number == 0 or clock() < deadline or seen < states:
        course = Course(game, Stream(seed + number, AUDIT_PICKS), number % 2 == 1, deal=seed + number)
        for step, array in list(enumerate(course.arrays))[after:]:
            state = State(game, array.copy(), 1)
            if game.rejects:
                state.pasts = tuple(course.moment(player, step).past for player in range(game.players))
            spot = Spot(game, seed + number, course.actions[:step], array)
            for player in range(game.players):
                look(spot, state, player, Stream(seed + number, AUDIT_LOOKS + player, step))
                cases += 1
                late += course.phase(step) == 2
            seen += 1
            # A game of thousands of states is looked at from end to end, though not in every one.
            if seen > 2 * states and clock() > deadline:
                return cases, late
        number += 1
        if seen >= states and clock() > deadline:
            break
    return cases, late


def look(spot: Spot, state: State, player: int, stream: Stream) -> None:
    """One state, one player."""
    seen = state.observed(player)
    for _ in range(DRAWS):
        before = stream.word
        world = draw(spot, state, player, stream, seen)
        again = draw(spot, state, player, Stream.at(before), seen)
        if bytes(again) != bytes(world):
            raise Spent(
                "honesty-random",
                f"determinize gave two worlds for the same stream to player {player} {spot}; chance may only come from "
                "below(rng, n) and uniform(rng)",
            )
        if world.observed(player) != seen:
            raise Spent("honesty-visible", _changed(spot, seen, world.observed(player), player))
        if world.broken is not None:
            raise Spent(
                "law-broken",
                f"determinize broke the law {world.broken!r} in a world of player {player} {spot}; a world is a state of the game, so what holds "
                "in every state holds in it",
            )
        acts, over = state.mover == player, state.over
        if (world.mover == player) != acts or world.over != over:
            said = f"mover is {state.mover} in the truth and {world.mover} in a world of"
            raise Spent(
                "honesty-mover",
                f"{said} player {player} {spot}; a player knows whether it is to act and whether the game is over, so "
                "determinize must keep all that mover looks at, or observe must show it",
            )
        if acts and sorted(world.legal) != sorted(state.legal):
            raise Spent(
                "honesty-legal",
                f"player {player} may play {_names(state, player)} in the truth but {_names(world, player)} in one of its worlds {spot}; "
                "what may be done is never hidden from the one to do it: legal looks at something that observe erases, so let "
                "play refuse such an action, or show it in observe and keep it in determinize",
            )
        same_pictures(state, world, player, acts, spot, "a world")
    same_encodings(state, world, player, spot, "a world")


def draw(spot: Spot, state: State, player: int, stream: Stream, seen: bytes) -> State:
    """A world, or a sentence on why there is none."""
    try:
        return state.world(player, stream)
    except Exception as error:
        nothing = ", although nothing is hidden there" if seen == bytes(state) else ""
        raise Spent(
            "honesty-fails",
            f"determinize raised {type(error).__name__}: {error} for player {player} {spot}{nothing}; it must work for every "
            "player in every state, the last included",
        ) from None


def _changed(spot: Spot, seen: bytes, other: bytes, player: int) -> str:
    one, two = np.frombuffer(seen, spot.game.dtype)[0], np.frombuffer(other, spot.game.dtype)[0]
    names = [name for name in field_names(spot.game.dtype) if one[name].tobytes() != two[name].tobytes()]
    shown = "; ".join(f"{name} looks like {value_text(one[name])} and then like {value_text(two[name])}" for name in names)
    return (
        f"determinize changed what player {player} sees {spot}: {shown}; redraw only what observe erases, and keep together what "
        "belongs together (a card that is drawn twice shows up where it was counted)"
    )


def _names(state: State, player: int) -> str:
    return ", ".join(state.name(action, player) for action in state.legal[:12]) + (", ..." if len(state.legal) > 12 else "")
