"""What a game says of its actions without playing them: `wins` and `safe`, compared with that, and `pick`, compared with `legal`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.checker.contract.findings import Spot
from playout.checker.contract.keys import is_whole
from playout.compile.records import slack
from playout.game.contract import ALL_LEGAL
from playout.game.stream import PICKS, Stream, seed_word

if TYPE_CHECKING:
    from playout.checker.contract.probe import Legal, Probe


PICKED = 4
"""Draws of `pick` that are compared in a state."""


def look_at_wins(probe: Probe, spot: Spot, player: int, legal: Legal) -> None:
    """Each action that ends the game with the best return must be listed, and no other; and so must each that is safe."""
    listed, won = _listed(probe, "wins", spot, legal), _winning(probe, spot, player, legal)
    if listed is None:
        return
    if listed != won:
        probe.problem(
            "wins-wrong",
            "wins",
            f"listed {listed or 'nothing'} {spot}, and what ends the game with the best return for player {player} and the worst "
            f"for the others is {won or 'nothing'}; list each such action once, and no other",
        )
    elif not won and probe.game.has("safe"):
        _look_at_safe(probe, spot, player, legal)


def _look_at_safe(probe: Probe, spot: Spot, player: int, legal: Legal) -> None:
    listed = _listed(probe, "safe", spot, legal)
    if listed is None:
        return
    found = [action for action in sorted(legal) if not _gives_away(probe, spot, player, action)]
    if listed != found:
        probe.problem(
            "safe-wrong",
            "safe",
            f"listed {listed or 'nothing'} {spot}, where player {player} cannot win at once, and what lets nobody else win with the "
            f"next action is {found or 'nothing'}; list each such action once, and no other",
        )


def look_at_pick(probe: Probe, spot: Spot, legal: Legal) -> None:
    """`pick` must be what is drawn from the list of `legal`, for some numbers that are drawn, and leave the stream there."""
    for number in range(PICKED):
        # Other numbers in every state of a game, or a long one would be seen with the same four all the time.
        draw = PICKED * len(spot.actions) + number + 1
        word = seed_word(spot.seed, PICKS, draw)
        stream, drawn = Stream.at(word), Stream.at(word)
        picked, place = probe.pure("pick", spot, stream), drawn.below(len(legal))
        if not is_whole(picked) or int(picked) != legal[place]:
            said = (
                f"returned {picked!r} {spot}, where below(rng, {len(legal)}) gives {place} and legal[{place}] is {legal[place]}"
            )
        elif stream.word != drawn.word:
            said = f"drew something else than one below(rng, {len(legal)}) {spot}"
        else:
            continue
        cure = "draw once, below(rng, count) with the count of legal, and return the id that legal writes at that place"
        probe.problem("pick-wrong", "pick", f"{said}; {cure}; if it is a helper, give it another name")
        return


def _listed(probe: Probe, role: str, spot: Spot, legal: Legal) -> list[int] | None:
    """The actions that a function lists, in order; None where their number is none."""
    out = np.full(slack(probe.game.most_legal), -1, np.int64)
    count = probe.pure(role, spot, out)
    everything = role == "safe"
    if everything and is_whole(count) and int(count) == ALL_LEGAL:
        return sorted(legal)
    if not is_whole(count) or not 0 <= int(count) <= len(legal):
        tail = f", or {ALL_LEGAL} for all legal ones" * everything
        probe.problem(
            f"{role}-count", role, f"returned {count!r} {spot}; return how many ids it wrote, at most {len(legal)}{tail}"
        )
        return None
    return sorted(int(action) for action in out[: int(count)])


def _played(probe: Probe, spot: Spot, action: int) -> tuple[Any, bool]:
    """The state after an action, and whether chance had a say in it."""
    array, stream = spot.copy(), Stream(spot.seed)
    view, before = probe.game.view(array[0]), stream.word
    probe.call("play", spot, action, stream, view=view)
    return view, stream.word != before


def _winning(probe: Probe, spot: Spot, player: int, legal: Legal) -> list[int]:
    (low, high), result = probe.game.returns_range or (-math.inf, math.inf), np.zeros(probe.game.players)
    found = []
    for action in legal:
        view, drew = _played(probe, spot, action)
        if drew or int(probe.game.functions["mover"](view)) >= 0:
            continue
        probe.game.functions["returns"](view, result)
        if result[player] >= high and all(result[p] <= low for p in range(probe.game.players) if p != player):
            found.append(action)
    return sorted(found)


def _gives_away(probe: Probe, spot: Spot, player: int, action: int) -> bool:
    """Whether another player can win right after an action, by `wins`, which is looked at by itself: to play all answers takes too long."""
    view, drew = _played(probe, spot, action)
    other = int(probe.game.functions["mover"](view))
    if drew or other < 0 or other == player:
        return False
    return int(probe.game.functions["wins"](view, np.full(slack(probe.game.most_legal), -1, np.int64))) > 0
