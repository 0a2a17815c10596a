"""A better policy out of a search: what the prior becomes when it has seen what search found, for a network to learn from.

Visits are a poor target where simulations are few. The values of all actions, those without tries completed by a mixture, are a
better one: a policy that follows the prior by as much as values speak for it is never worse than the prior (Danihelka, Guez,
Schrittwieser, Silver 2022).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.engine.race import BASE_VISITS

Array = np.ndarray[Any, Any]


def completed_values(worth: Array, priors: Array, value: float, visits: int) -> Array:
    """What every action is worth, where some are not known (nan): those are taken for the position's value, moved by what the known ones
    brought, by prior, as much as its visits count against one."""
    known = ~np.isnan(worth)
    if not known.any():
        return np.full(len(worth), float(value))
    tried = float((priors[known] * worth[known]).sum() / priors[known].sum())
    return np.where(known, worth, (value + visits * tried) / (1 + visits))


def improved_policy(worth: Array, priors: Array, most: float, low: float, high: float) -> Array:
    """The prior, moved by what each action is worth: softmax(log(prior) + (50 + most visits) · worth), worth on a scale from 0 to 1.

    `worth` is the mover's, in the units of the returns, which lie between `low` and `high`; `most` are the visits of the action with most.

    >>> improved_policy(np.array([0.5, 0.3, 0.4]), np.array([0.2, 0.3, 0.5]), 10, -1, 1).round(2).tolist()
    [0.89, 0.0, 0.11]
    """
    scaled = (worth - low) / (high - low) if high > low else np.zeros(len(worth))
    logits = np.log(priors) + (BASE_VISITS + most) * scaled
    weights = np.exp(logits - logits.max())
    found: Array = weights / weights.sum()
    return found
