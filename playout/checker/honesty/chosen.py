"""Which steps of a game are looked at: those of a kind that was seldom met, and those after which a player sees what it seldom sees.

A flaw that begins late, concerns one seat or follows a rare event shows at few steps, and games are cheap to play while a look at a step is
not. So more games are played than could be looked at from end to end, and of each the steps that are most unlike those met so far.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from playout.checker.honesty.lines import Course, Line
from playout.game.game import Game
from playout.game.record import field_names
from playout.game.stream import Stream

Array = np.ndarray[Any, Any]
Kind = tuple[Any, ...]
PICKED, BY_LOT = 6, 2
"""Steps of one game that are looked at because they are rare, and any others."""
PRIVATE = 3
"""A step that showed one player what others did not see counts as so many times rarer."""


class Chooser:
    """Remembers what was met, and picks from a game what was not."""

    def __init__(self, game: Game, after: int = 0) -> None:
        self.game, self.after = game, after
        self.kinds: Counter[Kind] = Counter()
        self.values = np.zeros((game.dtype.itemsize, 256), np.int64)
        """How often a byte of a view became a value."""

    def pick(self, course: Course, stream: Stream) -> list[tuple[Line, Line, bool]]:
        """Steps of one game, the rarest first."""
        met: list[tuple[int, int, int, Kind, Array, Array]] = []
        for player in range(self.game.players):
            for one, two in steps(course, player, self.after):
                kind, changed, now = kind_of(course, player, one, two)
                self.kinds[kind] += 1
                self.values[changed, now] += 1
                met.append((player, one, two, kind, changed, now))
        rare = [
            min(self.kinds[kind], *(self.values[changed, now]).tolist()) / (PRIVATE if kind[0] else 1)
            for _, _, _, kind, changed, now in met
        ]
        order = sorted(range(len(met)), key=lambda place: (rare[place], stream.uniform()))
        chosen, rest = order[:PICKED], order[PICKED:]
        chosen += [rest.pop(stream.below(len(rest))) for _ in range(min(BY_LOT, len(rest)))]
        return [
            (course.moment(player, one), course.moment(player, two, course.phase(two)), kind[0])
            for player, one, two, kind, _, _ in (met[place] for place in chosen)
        ]


def steps(course: Course, player: int, after: int = 0) -> Iterator[tuple[int, int]]:
    """From each moment at which a player knows where it stands, after so many actions, to the next one, and to its own next turn; where
    something is hidden."""
    lives = course.lives(player)
    known = [
        step
        for step, mover in enumerate(course.movers)
        if step >= after
        and (mover in (player, -1) or step == 0 or course.movers[step - 1] == player or lives[step].seen != lives[step - 1].seen)
    ]
    for place, one in enumerate(known[:-1]):
        turn = next((step for step in known[place + 1 :] if course.movers[step] in (player, -1)), None)
        for two in sorted({known[place + 1], turn} - {None}):  # type: ignore[type-var]
            if two is not None and lives[two].seen != course.arrays[two].tobytes():
                yield one, two


def kind_of(course: Course, player: int, one: int, two: int) -> tuple[Kind, Array, Array]:
    """What sort of step it is: whether the player was shown something that others were not, how far the game is, who acted, which
    fields changed for the player, and how much is hidden from it; then the bytes of its view that changed, and what they became."""
    before, after = (np.frombuffer(course.lives(player)[step].seen, np.uint8) for step in (one, two))
    changed = np.flatnonzero(before != after)
    now = after[changed]
    others = [np.frombuffer(course.lives(other)[two].seen, np.uint8) for other in range(course.game.players) if other != player]
    private = any((look[changed] != now).any() for look in others)
    names, owners = _owners(course.game.dtype)
    fields = tuple(names[owner] for owner in sorted(set(owners[changed].tolist())))
    hidden = int((after != course.arrays[two].view(np.uint8)).sum())
    return (private, player, course.phase(two), course.movers[one] == player, course.movers[two], fields, hidden), changed, now


@cache
def _owners(dtype: np.dtype[Any]) -> tuple[list[str], Array]:
    """The names of the fields, and the number of that to which each byte belongs."""
    names, owners = list(field_names(dtype)), np.zeros(dtype.itemsize, np.int64)
    for number, name in enumerate(names):
        kind, offset = dtype.fields[name][:2]  # type: ignore[index]
        owners[offset : offset + kind.itemsize] = number
    return names, owners
