"""The basins of a real-valued decision: how many tops its actions have that a dip parts, and how much worse the second best is.

A search that never came to a basin knows nothing of it, so what is told is what was seen, and by how many starts. Tops are told apart as
in a landscape that water drains from: the actions are gone through from the best down, each joins what lies beside it, and where two
basins meet the lower top counts if it stands high enough above the meeting place (its persistence; Edelsbrunner, Letscher and
Zomorodian 2002; for points without a grid Chazal et al. 2013).
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from playout.game.continuous import PROJECTIVE, action_words, box
from playout.game.state import State

NEAR = 0.02
"""Actions nearer to a better one than this part of the box (or sphere) stand in its shadow: young values beside each other are rough."""
MOST = 96
"""So many actions at most are compared with each other; where there are more, the shadows grow."""
DEEP = 0.02
"""A dip parts two basins if it is deeper than this part of what the actions' values span."""

Array = np.ndarray[Any, Any]


class Basin(msgspec.Struct, frozen=True, kw_only=True):
    """The top of one basin: the best action seen there."""

    action: tuple[float, ...]
    name: str
    mean: float
    """What the mover gets by the best line through it."""
    visits: int
    young: bool
    """Hardly tried: those who answer have not found their answers yet, so that its value, and so the basin, may be none."""


class Basins(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of the landscape of the first action; what was not may be better."""

    starts: int
    """Actions that were tried as they came, others having been moved from them."""
    tops: tuple[Basin, ...]
    """One for each basin, that of the choice first, the others by what they are worth."""
    chosen: float
    """What the chosen action is worth, by the same measure."""
    span: float
    """How far apart the best and the worst of the tried actions are."""
    competing: bool = False
    """Whether only what competes with the best is kept, as where a last action is looked for everywhere."""

    @property
    def seen(self) -> int:
        """How many basins, without those whose top was hardly tried."""
        return 1 + sum(not top.young for top in self.tops[1:])

    @property
    def second(self) -> Basin | None:
        """The best top outside the basin of the choice; one that was hardly tried only where there is no other."""
        return min(self.tops[1:], key=lambda top: (top.young, -top.mean), default=None)

    @property
    def short(self) -> float | None:
        """How much less the second best is worth to the mover; below 0 where it seems worth more, and is not trusted yet."""
        return None if self.second is None else self.chosen - self.second.mean

    @property
    def share(self) -> float | None:
        """The same as a part of the span."""
        return None if self.short is None or self.span == 0 else self.short / self.span

    def words(self) -> str:
        """What is known of other basins, and that it is not all."""
        seen = f"{'one basin' if self.seen == 1 else f'{self.seen} basins'}{self._seen()} {_count(self.starts, 'start')}"
        if self.second is None or self.short is None or self.share is None:
            return f"{seen}; lower ones are not kept" if self.competing else f"{seen}; others may exist"
        faint = len(self.tops) - self.seen
        seen += f", and {faint} more that {'was' if faint == 1 else 'were'} hardly tried" if faint else ""
        which = "the best of these" if self.second.young and faint > 1 else "that one" if self.second.young else "the second best"
        return (
            f"{seen}; {which}, at {self.second.name} ({_count(self.second.visits, 'visit')}), is worth "
            f"{abs(self.short):.2g} {'less' if self.short >= 0 else 'more'} ({100 * abs(self.share):.2g} % of what the actions span)"
        )

    def _seen(self) -> str:
        return " kept of what was seen by" if self.competing else " seen by"

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        second = None if self.second is None else msgspec.to_builtins(self.second)
        return {"seen": self.seen, **data, "second": second, "short": self.short, "share": self.share}


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def basins_of(state: State, actions: Array, values: Array, visits: Array, choice: int, starts: int, enough: float) -> Basins:
    """The basins among the actions (rows) tried in a state, worth these values to its mover; fewer visits than `enough` are few."""
    places = places_of(state, actions)
    kept, over = _lit(places, values)
    found = _tops(places[kept], values[kept])
    own = found[over[choice]]
    tops = sorted(set(found), key=lambda top: (top != own, -values[kept[top]], top))
    return Basins(
        starts=starts,
        tops=tuple(
            Basin(
                action=tuple(actions[i].tolist()),
                name=action_words(actions[i]),
                mean=float(values[i]),
                visits=int(visits[i]),
                young=bool(visits[i] < enough),
            )
            for i in kept[tops]
        ),
        chosen=float(values[choice]),
        span=float(np.ptp(values)),
    )


def places_of(state: State, actions: Array) -> Array:
    """The actions as points whose distances count: in units of the box, or on the sphere; vectors that differ by a phase are one."""
    if state.game.action_set == PROJECTIVE:
        # The projector of a vector knows no phase; half of its squared distance is one less the fidelity.
        parts = actions[:, 0::2] + 1j * actions[:, 1::2]
        flat = (parts[:, :, None] * parts[:, None, :].conj()).reshape(len(actions), -1)
        found: Array = np.concatenate([flat.real, flat.imag], axis=1) / np.sqrt(2.0)
        return found
    low, high = box(state)
    wide = np.where(high > low, high - low, 1.0)
    found = (actions - low) / wide / np.sqrt(actions.shape[1])
    return found


def _lit(places: Array, values: Array) -> tuple[Array, Array]:
    """The actions that no better one close by overshadows, best first, and for every action the number of the one that it goes with."""
    order, near = np.argsort(-values, kind="stable"), NEAR
    while True:
        kept: list[int] = []
        over = np.full(len(values), -1)
        for i in order:
            if over[i] < 0:
                shadow = (over < 0) & (np.square(places - places[i]).sum(axis=1) <= near * near)
                over[shadow] = len(kept)
                kept.append(int(i))
                if len(kept) > MOST:
                    break
        if len(kept) <= MOST:
            return np.array(kept), over
        near *= 1.5


def _tops(places: Array, values: Array) -> list[int]:
    """For every action, best first, the number of the top of its basin."""
    deep = DEEP * float(np.ptp(values))
    beside = _neighbours(places)
    above = list(range(len(values)))

    def top(i: int) -> int:
        while above[i] != i:
            i = above[i]
        return i

    for i in range(len(values)):
        met = sorted({top(int(j)) for j in np.flatnonzero(beside[i, :i])})
        for other in met[1:]:
            # Only a top that hardly stands out joins the higher one; a basin of its own ends here.
            if values[other] - values[i] <= deep:
                above[other] = met[0]
        if met:
            above[i] = met[0]
    return [top(i) for i in range(len(values))]


def _neighbours(places: Array) -> Array:
    """Which points are neighbours: no other one lies inside the ball whose ends they are (Gabriel and Sokal 1969)."""
    squares = np.square(places[:, None, :] - places[None, :, :]).sum(axis=2)
    return np.array([(row[None, :] + squares).min(axis=1) >= row * (1 - 1e-12) for row in squares])
