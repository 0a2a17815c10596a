"""One action at the root of a search: what is known of it, what it weighs, and which of them is chosen.

The columns follow one formula: weight = exploit + explore, where exploit is the mean (on the scale of the settings; the
proven result where there is one) and explore the bonus of the selection rule for the visits so far.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from playout.engine.rules import rule_named
from playout.engine.select import log_of
from playout.engine.terms import bias_of
from playout.planner.opinion import Z
from playout.planner.settings import C, Settings


class ActionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What the search knows of one action at the root; returns are from the mover's point of view unless said."""

    action: Any
    """The id, or the vector of a continuous game."""
    name: str
    visits: int
    score: float
    """Sum of the returns."""
    mean: float | None
    """Score divided by visits; None while untried."""
    means: tuple[float, ...] = ()
    """The mean per player."""
    error: float | None = None
    """Standard error of the mean over other seeds, by the spread between trees; with one tree as if simulations were independent."""
    low: float | None = None
    high: float | None = None
    """95 % interval of the mean, by the same; see `interval`."""
    exploit: float | None = None
    explore: float | None = None
    weight: float | None = None
    prior: float | None = None
    evaluated: float | None = None
    """What the search's evaluator says of the position behind the action by itself, for the mover; None without an evaluator."""
    proven: tuple[float, ...] | None = None
    """The exact result per player, where it is known."""
    refuted: bool = False
    """Ruled out by decisive moves: there is a win in one, or another player would have one next."""
    dropped: bool = False
    """Where the root is a race: the action fell out before the end."""
    best: int | None = None
    """In how many trees it was best, each asked by itself; None where there is no second opinion."""


def interval(visits: int, score: float, squares: float, low: float, high: float) -> tuple[float, float, float]:
    """(standard error, lower, upper) of a mean of returns that lie between low and high.

    Two made-up results, one at either end, are added before the usual normal interval is taken (the idea of Agresti
    and Coull, 1998), so that three wins in three do not look like certainty.
    """
    mean = score / visits
    error = math.sqrt(max(0.0, squares / visits - mean * mean) / visits)
    count = visits + 2
    centre = (score + low + high) / count
    spread = math.sqrt(max(0.0, (squares + low * low + high * high) / count - centre * centre) / count)
    return error, max(low, min(mean, centre - Z * spread)), min(high, max(mean, centre + Z * spread))


def weigh(
    settings: Settings,
    parent_visits: int,
    visits: int,
    mean: float | None,
    *,
    factor: float = 1.0,
    shift: float = 0.0,
    span: float = 1.0,
    variance: float = 0.0,
    prior: float = 0.0,
    parent_mean: float = 0.0,
    proven: bool = False,
) -> tuple[float | None, float | None]:
    """(exploit, explore) of one action at the root, by the functions that the search itself selects with."""
    rule = rule_named(settings.at_root)
    if rule.bonus is None:
        return (None if mean is None else mean * factor + shift), None
    if proven:
        return (mean or 0.0) * factor + shift, 0.0
    fpu = rule.fpu if settings.fpu == "auto" else settings.fpu
    if visits == 0 and fpu == "first":
        return None, None
    if visits == 0:
        exploit = parent_mean * factor + shift if fpu == "parent" else float(fpu)
    else:
        exploit = (mean or 0.0) * factor + shift
    c = C if settings.c == "auto" else float(settings.c)
    parent = max(1, parent_visits)
    bonus = rule.bonus(c, parent, log_of(parent), visits, variance * factor * factor, span, prior)
    return exploit, bonus + bias_of(settings.bias or 0.0, prior, visits)


def shares(settings: Settings, visits: Sequence[int]) -> list[float]:
    """The shares of the visits. Where regrets are matched, without those that were spread evenly, which are no part of the mixture."""
    even = settings.mixing * sum(visits) / max(1, len(visits)) if rule_named(settings.at_root).regrets else 0.0
    kept = [max(0.0, count - even) for count in visits]
    kept = kept if sum(kept) > 0 else [float(count) for count in visits]
    return [count / max(1e-300, sum(kept)) for count in kept]


def pick(settings: Settings, actions: Sequence[ActionRecord], mover: int, high: float | None, lot: float | None = None) -> int:
    """The index of the final choice: by the rule of `final` among the actions not proven, unless a proven one is as good.

    With final=shares a `lot`, from 0 to 1, draws among those that are open by their shares of the visits; without one the most visited wins.

    A proven action gets no more visits, so it is compared by its result: it is chosen when that is at least the mean of
    the best of the others; among equal results the most visited. What fell out of a race is not chosen. The first maximum wins.
    """
    results = [-math.inf if a.proven is None else a.proven[mover] for a in actions]
    known = max(range(len(actions)), key=lambda i: (results[i], actions[i].visits, -i))

    def rank(action: ActionRecord) -> float:
        if action.proven is not None or action.refuted or action.dropped:
            return -math.inf
        by = "visits" if settings.final == "shares" else settings.final
        value = {"visits": float(action.visits), "mean": action.mean, "secure": action.low, "ucb": action.weight}[by]
        return -math.inf if value is None else value

    ranks = [rank(action) for action in actions]
    open_choice = _first_best(ranks)
    if settings.final == "shares" and lot is not None and ranks[open_choice] > 0:
        open_choice = _drawn(settings, ranks, lot)
    if ranks[open_choice] == -math.inf:
        return known if results[known] > -math.inf else _first_best([float(a.visits) for a in actions])
    if high is not None and results[known] >= high:
        return known
    mean = actions[open_choice].mean
    return known if mean is None or results[known] >= mean else open_choice


def _drawn(settings: Settings, visits: Sequence[float], lot: float) -> int:
    """The index that a lot falls on, by the shares of the visits of those that are open."""
    parts = shares(settings, [max(0, int(count)) if count > -math.inf else 0 for count in visits])
    for place, part in enumerate(parts):
        lot -= part
        if lot < 0:
            return place
    return max(place for place, part in enumerate(parts) if part > 0)


def _first_best(ranks: Sequence[float]) -> int:
    return max(range(len(ranks)), key=lambda i: (ranks[i], -i))
