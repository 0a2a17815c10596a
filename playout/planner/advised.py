"""A prior for the root alone: asked once for every decision, and read by the rule there (puct); below the root the search is as always.

What a network says of every leaf makes a search hundreds of times as dear; what it says of the root costs one question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from playout.engine.rules import rule_named
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.planner.settings import Settings
from playout.planner.tree import SearchTree

Array = np.ndarray[Any, Any]
Prior = Callable[[Array], Array]
"""f(states) -> weights of 0 or more by action id, one row for each state, as an evaluator gives them."""


def check_prior(game: Game, settings: Settings, evaluated: bool) -> None:
    """Refuse what does not go together with a prior of the root."""
    if game.continuous:
        raise PlayoutError(
            f"a prior has a number for every action id, and actions of {game.name!r} are real vectors; leave prior out"
        )
    if evaluated:
        raise PlayoutError(
            "a prior for the root and an evaluator, which has priors for all positions, are both given; leave one out"
        )
    if not rule_named(settings.at_root).priors:
        raise PlayoutError(
            f"a prior for the root is read by root_rule=puct or gumbel, and not by {settings.at_root}; pass root_rule=puct"
        )


def advise(trees: Sequence[SearchTree], prior: Prior, most_bytes: Sequence[int]) -> None:
    """Give the actions at the roots their priors; a tree in which nothing was tried yet makes its first simulation, which lists them."""
    told = np.asarray(prior(trees[0].root.copy_array()), np.float64)
    wanted = (1, trees[0].game.actions)
    if told.shape != wanted or not np.isfinite(told).all() or (told < 0).any():
        raise PlayoutError(f"the prior gave shape {told.shape}; return finite weights of 0 or more, of shape {wanted}")
    for tree, most in zip(trees, most_bytes):
        if not len(tree.edges(0)):
            tree.run(1, most, 1)
        actions = tree.block().actions
        weights = told[0, actions]
        if weights.sum() > 0:
            tree.season(weights / weights.sum(), 1.0)
