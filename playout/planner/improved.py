"""A better policy out of a search: what the prior becomes when it has seen what search found, for a network to learn from.

Visits are a poor target where simulations are few. The values of all actions, those without tries completed by a mixture, are a
better one: a policy that follows the prior by as much as values speak for it is never worse than the prior (Danihelka, Guez,
Schrittwieser, Silver 2022).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from playout.engine.race import BASE_VISITS

Array = np.ndarray[Any, Any]


def completed_values(worth: Array, priors: Array, value: Any, visits: Any) -> Array:
    """What every action is worth, where some are not known (nan): those are taken for the position's value, moved by what the known ones
    brought, by prior, as much as its visits count against one. Of one position, or of many: then a row for each, and what is no action
    has no prior."""
    known = ~np.isnan(worth) & (priors > 0)
    weight = np.where(known, priors, 0.0)
    value, visits, sums = np.asarray(value, np.float64)[..., None], np.asarray(visits)[..., None], weight.sum(-1, keepdims=True)
    tried = (weight * np.where(known, worth, 0.0)).sum(-1, keepdims=True) / np.where(sums > 0, sums, 1.0)
    completed = np.where(sums > 0, (value + visits * tried) / (1 + visits), value)
    return np.where(known, worth, completed)


def improved_policy(worth: Array, priors: Array, most: Any, low: Any, high: Any) -> Array:
    """The prior, moved by what each action is worth: softmax(log(prior) + (50 + most visits) · worth), worth on a scale from 0 to 1.

    `worth` is the mover's, in the units of the returns, which lie between `low` and `high`; `most` are the visits of the action with most.
    Of one position, or of many: then a row for each, and what is no action has no prior and gets nothing.

    >>> improved_policy(np.array([0.5, 0.3, 0.4]), np.array([0.2, 0.3, 0.5]), 10, -1, 1).round(2).tolist()
    [0.89, 0.0, 0.11]
    """
    low, high, most = (np.asarray(number, np.float64)[..., None] for number in (low, high, most))
    wide = high > low
    scaled = np.where(wide, (worth - low) / np.where(wide, high - low, 1.0), 0.0)
    logits = np.where(priors > 0, np.log(np.where(priors > 0, priors, 1.0)) + (BASE_VISITS + most) * scaled, -np.inf)
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    found: Array = weights / weights.sum(-1, keepdims=True)
    return found


def chances(visits: Array, scores: Array, squares: Array, chosen: Array) -> Array:
    """How much speaks for each action after a race, whose visits say who was left and not who was better: its chance to be as good as the
    chosen one, by means and their errors, as shares.

    The spread of a single result is taken from all of them together. Scores and squares are sums of what the mover got; `chosen` marks an
    action. Of one position, or of many: then a row for each.

    >>> chances(np.array([100, 100, 20]), np.array([50.0, 40, 5]), np.array([50.0, 40, 5]), np.array([True, False, False])).round(2).tolist()
    [0.84, 0.13, 0.03]
    """
    tries, total = np.maximum(1, visits), np.maximum(1, visits.sum(-1, keepdims=True))
    means = scores / tries
    spread = np.sqrt(np.maximum(0.0, squares.sum(-1, keepdims=True) / total - (scores.sum(-1, keepdims=True) / total) ** 2))
    best, most = ((part * chosen).sum(-1, keepdims=True) for part in (means, tries))
    behind, error = np.minimum(0.0, means - best), spread * np.sqrt(1 / tries + 1 / np.maximum(1, most))
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.where(behind < 0, behind / error, 0.0)
    weights = np.where((visits > 0) | chosen, 1 + ERF(apart / math.sqrt(2)), 0.0)
    found: Array = weights / weights.sum(-1, keepdims=True)
    return found


ERF = np.vectorize(math.erf, otypes=[np.float64])
