"""A better policy out of a search: what the prior becomes when it has seen what search found, for a network to learn from.

Visits are a poor target where simulations are few. The values of all actions, those without tries completed by a mixture, are a
better one: a policy that follows the prior by as much as values speak for it is never worse than the prior (Danihelka, Guez,
Schrittwieser, Silver 2022).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from playout.engine.race import BASE_VISITS

if TYPE_CHECKING:
    from playout.planner.decision import Decision

Array = np.ndarray[Any, Any]
LEAST = 1e-12
"""Priors below it count as it: the logarithm of nothing is no number."""


def completed_values(visits: Array, means: Array, priors: Array, value: float) -> Array:
    """The means of the actions that were tried, and for the others a mixture of the position's own value and of what was tried.

    All are on one scale; `value` is what the evaluator says of the position. Means of untried actions are not looked at.
    """
    tried = visits > 0
    if not tried.any():
        return np.full(len(visits), float(value))
    weights = np.maximum(priors, LEAST)[tried]
    seen, total = float(weights @ means[tried] / weights.sum()), float(visits.sum())
    return np.where(tried, means, (value + total * seen) / (1 + total))


def improved_policy(
    visits: Any,
    means: Any,
    priors: Any,
    value: float,
    *,
    low: float = -1.0,
    high: float = 1.0,
    base_visits: float = BASE_VISITS,
    weight: float = 1.0,
) -> Array:
    """The shares of the actions by prior and completed values: softmax(log(prior) + (base_visits + most visits) · weight · value).

    Means and value are the mover's, in the units of the returns, between `low` and `high`. An exact result may stand for a mean; its action
    then counts as tried if it has a visit.

    >>> improved_policy([10, 6, 0], [0.5, 0.3, 0.0], [0.2, 0.3, 0.5], 0.1).round(2).tolist()
    [0.98, 0.02, 0.0]
    """
    tries, shares = np.asarray(visits, float), np.asarray(priors, float)
    width = max(high - low, 1e-12)
    found = (np.nan_to_num(np.asarray(means, float)) - low) / width
    hopes = completed_values(tries, found, shares, (value - low) / width)
    logits = np.log(np.maximum(shares, LEAST)) + (base_visits + tries.max(initial=0.0)) * weight * hopes
    raised = np.exp(logits - logits.max())
    improved: Array = raised / raised.sum()
    return improved


def improved_by(decision: Decision, value: float | None = None, **words: Any) -> dict[int, float]:
    """The improved policy of a decision by action; without the evaluator's own value of the position, the mean of the search stands for it."""
    actions, mover = decision.actions, decision.mover
    known = [action.mean if action.proven is None else action.proven[mover] for action in actions]
    visits = [max(action.visits, int(action.proven is not None)) for action in actions]
    if value is None:
        value = sum(action.score for action in actions) / max(1, sum(action.visits for action in actions))
    bounds = decision.state.game.range_of(decision.settings.reward) or _seen(known, value)
    shares = [1 / len(actions) if action.prior is None else action.prior for action in actions]
    means = [np.nan if mean is None else mean for mean in known]
    found = improved_policy(visits, means, shares, value, **{"low": bounds[0], "high": bounds[1], **words})
    return {action.action: share for action, share in zip(actions, found.tolist(), strict=True)}


def _seen(known: list[float | None], value: float) -> tuple[float, float]:
    """The range of what was found, for a game that does not say."""
    found = [mean for mean in known if mean is not None] + [value]
    return min(found), max(found)
