"""How to play everywhere: a mapping from the key of an information set to the probability of each action."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from playout.errors import PlayoutError
from playout.truth.imperfect.tree import Array, InfoSet, Tree

Behaviour = Mapping[bytes, Mapping[int, float]]
"""Action probabilities by information-set key, as a user may write them down."""


class Policy(Mapping[bytes, Mapping[int, float]]):
    """A way to play for both players: `policy[key]` is a dict of action id and probability.

    >>> from playout.truth import game_tree, uniform
    >>> tree = game_tree("kuhn-poker")
    >>> uniform(tree)[tree.info_sets[0].key]
    {0: 0.5, 1: 0.5}
    """

    def __init__(self, tree: Tree, vector: Array) -> None:
        """`vector` has the probabilities of all information sets one after the other, as `Tree.arrays.offset` says."""
        self.tree = tree
        self.vector = np.array(vector, np.float64)
        self.vector.flags.writeable = False

    def __getitem__(self, key: bytes | InfoSet) -> dict[int, float]:
        known = key if isinstance(key, InfoSet) else self.tree.by_key[key]
        start = self.tree.arrays.offset[known.number]
        return {action: float(self.vector[start + place]) for place, action in enumerate(known.actions)}

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.tree.by_key)

    def __len__(self) -> int:
        return len(self.tree.info_sets)


def uniform(tree: Tree) -> Policy:
    """Every legal action equally likely, everywhere."""
    return normalized(tree, np.ones(tree.slots))


def normalized(tree: Tree, weights: Array) -> Policy:
    """The policy in proportion to weights that are 0 or more; uniform where all of them are 0."""
    info, starts = tree.slot_info, tree.arrays.offset[:-1]
    sums = np.add.reduceat(weights, starts) if len(starts) else weights
    widths = np.diff(tree.arrays.offset)
    return Policy(tree, np.where(sums[info] > 0, weights / np.where(sums > 0, sums, 1.0)[info], 1.0 / widths[info]))


def together(tree: Tree, first: Behaviour, second: Behaviour) -> Policy:
    """Player 0 plays the first policy, player 1 the second."""
    return Policy(tree, np.where(tree.slot_player == 1, vector_of(tree, second), vector_of(tree, first)))


def vector_of(tree: Tree, policy: Behaviour) -> Array:
    """A policy as one vector, checked: it must cover the tree, and the probabilities of a set must add up to 1."""
    if isinstance(policy, Policy) and policy.tree is tree:
        return policy.vector
    vector = np.zeros(tree.slots)
    for known in tree.info_sets:
        if known.key not in policy:
            raise PlayoutError(
                f"the policy says nothing about information set {known.key.hex()} of {tree.game.spec}: {_words(known)}"
            )
        given = policy[known.key]
        chances = [float(given.get(action, 0.0)) for action in known.actions]
        if min(chances) < 0 or abs(sum(chances) - 1) > 1e-6 or not set(given) <= set(known.actions):
            raise PlayoutError(
                f"the policy has {dict(given)} at information set {known.key.hex()} of {tree.game.spec}; give each of the actions "
                f"{known.actions} a probability, 1 in all"
            )
        start = tree.arrays.offset[known.number]
        vector[start : start + len(chances)] = chances
    return vector


def _words(known: InfoSet) -> str:
    return " ".join(str(known).split())
