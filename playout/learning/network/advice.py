"""A network of which a search takes a part: its policy as priors, with leaves that are played out; or its values, with all actions alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from playout.errors import PlayoutError, suggest

if TYPE_CHECKING:
    from playout.learning.network.network import Network

Array = np.ndarray[Any, Any]


class Part:
    """What the parts have in common: whose they are."""

    def __init__(self, network: Network) -> None:
        self.network, self.reward = network, network.reward

    @property
    def called(self) -> str:
        """What a decision calls it."""
        return self.network.called


class Priors(Part):
    """The policy alone: how good leaves are is found out by playing them out."""

    plays_out = True

    def __call__(self, states: Array) -> tuple[Array, None]:
        return self.network.policy(states), None


class Values(Part):
    """The values alone: which actions to try first the search finds out by itself."""

    def __call__(self, states: Array) -> tuple[None, Array]:
        return None, self.network.evaluate(states)[1]


ROOT = "root"
USES = ("both", "prior", "value", ROOT)
"""What a search may take of a network; at the root alone it is no evaluator, but a prior."""


def advice(network: Network, use: str = "both") -> Any:
    """The network, or the part of it that is to be used, as an evaluator."""
    if use not in USES or use == ROOT:
        raise PlayoutError(f"use is {use!r}; {suggest(use, USES)}")
    return network if use == "both" else Priors(network) if use == "prior" else Values(network)
