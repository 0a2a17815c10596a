"""The course of a game as a curve: what every position was worth to one player, and the actions that gave most of it away.

A search of each position says what it was worth and what the action that was played there was worth beside the best one. That is the
search's opinion, so the curve has a band, and an action counts as a mistake only where the difference is larger than its own uncertainty.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from playout.picture import PLAYER_COLOURS, Picture
from playout.planner.actions import ActionRecord
from playout.planner.decision import Decision
from playout.report.axis import Axis, fitted, straight, text_width, tick_number, whole
from playout.report.marks import SMALL, WIDTH, flat_axis, plain, uprights
from playout.report.style import GRID, INK, MUTED, SERIES

HIGH = 170.0
MARKED = 3
"""Actions that are marked as the worst."""
SURE = 1.96
"""So many standard errors of the difference an action must be behind the best one to count as worse."""


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """One position of a game and the action that was played in it."""

    place: int
    """How many actions were played before."""
    mover: int
    name: str = ""
    """The action that was played; empty at the end of what was played."""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    """What the position is worth to the player whose curve it is, with its 95 % interval; None where nobody has searched it yet."""
    loss: float | None = None
    """What the action gave away of the mover's return, against the best one of the same search; never below 0."""
    sure: bool = False
    """Whether the loss is larger than its uncertainty."""
    best: str = ""
    """What the search would have played."""


def moment(decision: Decision, place: int, player: int, action: Any = None, name: str = "") -> Moment:
    """What a search of a position says of it, and of the action that was played there."""
    value, low, high = _worth(decision, player)
    loss, sure = (None, False) if action is None else _loss(decision, action)
    return Moment(
        place=place,
        mover=decision.mover,
        name=name,
        value=value,
        low=low,
        high=high,
        loss=loss,
        sure=sure,
        best=decision.name,
    )


def _worth(decision: Decision, player: int) -> tuple[float | None, float | None, float | None]:
    """The value for a player with its interval; of another player than the mover only where one gains what the other loses."""
    chosen, known = decision.chosen, decision.proven or decision.chosen.proven
    if known is not None:
        return known[player], known[player], known[player]
    if player == decision.mover:
        return chosen.mean, chosen.low, chosen.high
    if len(chosen.means) <= player:
        return None, None, None
    value = chosen.means[player]
    if len(chosen.means) != 2 or abs(sum(chosen.means)) > 1e-9 or chosen.low is None or chosen.high is None:
        return value, None, None
    return value, -chosen.high, -chosen.low


def _loss(decision: Decision, action: Any) -> tuple[float | None, bool]:
    """How far the action is behind the best one for its mover, and whether that is more than chance."""
    played = next((record for record in decision.actions if record.action == action), None)
    best = decision.chosen
    if played is None or (worth := _mean(played, decision.mover)) is None or (top := _mean(best, decision.mover)) is None:
        return None, False
    loss = max(0.0, top - worth)
    errors = [0.0 if record.proven is not None else record.error for record in (played, best)]
    if any(error is None for error in errors):
        return loss, False
    return loss, loss > SURE * math.hypot(*(error or 0.0 for error in errors))


def _mean(record: ActionRecord, mover: int) -> float | None:
    return record.mean if record.proven is None else record.proven[mover]


def worst(moments: Sequence[Moment], count: int = MARKED) -> list[Moment]:
    """The actions that lost most, the worst first; only what is surely worse than something else."""
    found = [one for one in moments if one.sure and one.loss]
    return sorted(found, key=lambda one: (-(one.loss or 0.0), one.place))[:count]


def course_chart(
    moments: Sequence[Moment],
    *,
    player: str,
    span: tuple[float, float] | None = None,
    here: int | None = None,
    title: str = "The course of the game",
) -> str:
    """The curve with its band, a dot for each position in the mover's colour, rings around the worst actions.

    `span` is the lowest and highest return, so that the picture does not jump while it fills; `here` is where the page is now.
    Every position has its `data-place`, for a page that goes there. Positions that nobody has searched yet leave a gap.
    """
    values = [v for one in moments for v in (one.value, one.low, one.high) if v is not None and math.isfinite(v)]
    top, bottom = 22.0, 22.0 + HIGH
    picture = Picture(WIDTH, bottom + 42, title)
    upright = straight([*values, *(span or (0.0,))], bottom, top, 4)
    left = 14 + max(text_width(tick_number(tick), SMALL) for tick in upright.ticks)
    places = [float(one.place) for one in moments] or [0.0]
    across = flat_axis([*places, places[0] + 1], left + 6, WIDTH - 12, log=False)
    uprights(picture, whole(across), top, bottom, plain)
    for tick in upright.ticks:
        picture.line(left, upright(tick), WIDTH - 6, upright(tick), GRID)
        picture.text(left - 7, upright(tick), tick_number(tick), SMALL, MUTED, "end")
    if upright.low < 0 < upright.high:
        picture.line(left, upright(0.0), WIDTH - 6, upright(0.0), MUTED)
    picture.text(left, top - 11, f"what the search expects for {player}", SMALL, MUTED, "start")
    picture.text((left + WIDTH) / 2, bottom + 29, "actions played", SMALL, MUTED)
    if here is not None and across.low <= here <= across.high:
        picture.line(across(here), top, across(here), bottom, INK, 1.2)
    for stretch in _stretches(moments):
        band = [one for one in stretch if one.low is not None and one.high is not None]
        if len(band) > 1:
            over = [(across(one.place), upright(one.high)) for one in band if one.high is not None]
            under = [(across(one.place), upright(one.low)) for one in band if one.low is not None]
            picture.polygon(over + under[::-1], SERIES[0], opacity=0.14)
        if len(stretch) > 1:
            picture.polyline([(across(one.place), upright(one.value or 0.0)) for one in stretch], SERIES[0], 2.0)
    _dots(picture, moments, across, upright)
    return str(picture)


def _stretches(moments: Sequence[Moment]) -> list[list[Moment]]:
    """The moments that follow each other without a gap."""
    found: list[list[Moment]] = [[]]
    for one in moments:
        if one.value is not None and math.isfinite(one.value):
            found[-1].append(one)
        elif found[-1]:
            found.append([])
    return [stretch for stretch in found if stretch]


def _dots(picture: Picture, moments: Sequence[Moment], across: Axis, upright: Axis) -> None:
    """A column to point at for each position, its dot, and for the worst actions a ring and their names."""
    marked = {one.place for one in worst(moments)}
    wide = abs(across(1.0) - across(0.0))
    dot = max(1.6, min(3.6, wide / 3))
    for one in moments:
        x = across(one.place)
        with picture.note(words(one), place=str(one.place)):
            picture.rect(x - wide / 2, upright.end, wide, upright.start - upright.end, "transparent")
            if one.value is None or not math.isfinite(one.value):
                continue
            y = upright(one.value)
            picture.circle(x, y, dot, PLAYER_COLOURS[one.mover % len(PLAYER_COLOURS)] if one.mover >= 0 else INK)
            if one.place in marked:
                picture.circle(x, y, dot + 4, "none", SERIES[1], 2)
                below = y < (upright.start + upright.end) / 2
                label = fitted(f"{one.name}?", SMALL, 90)
                half = text_width(label, SMALL) / 2 + 2
                picture.text(
                    max(half, min(WIDTH - half, x)), y + (16 + dot) * (1 if below else -1), label, SMALL, SERIES[1], bold=True
                )


def words(one: Moment) -> str:
    """A moment in a sentence."""
    said = f"after {one.place} action{'s' * (one.place != 1)}"
    if one.value is None:
        return f"{said}: not searched yet"
    between = "" if one.low is None or one.high is None or one.low == one.high else f" ({one.low:+.3f} to {one.high:+.3f})"
    said += f": {one.value:+.3f}{between}"
    if not one.name:
        return said
    if one.loss is None or one.name == one.best:
        return f"{said}; {one.name} was played"
    doubt = "" if one.sure else ", which may be chance"
    return f"{said}; {one.name} was played, {one.loss:.3f} behind {one.best}{doubt}"
