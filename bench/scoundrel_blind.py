"""Transformers that do not see a part of what there is to see of Scoundrel, for the ablations of bench/scoundrel.py."""

from __future__ import annotations

from typing import Any

import torch

from playout.game.encoding import encoding_of
from playout.game.load import load
from playout.games.scoundrel import seen
from playout.learning.network.shapes import build

PARTS = {
    "order": [*range(seen.ORDER, seen.ORDER + seen.SLOTS), *range(seen.DEPTH, seen.DEPTHS + seen.NEAR)],
    "multiset": [seen.GONE, seen.UNSEEN],
}
"""Columns that are not seen: how deep known cards lie and where a card of the room would; which cards are gone, and which are still to come."""


class Blind(torch.nn.Module):  # type: ignore[misc]
    """A transformer to which some columns are always 0."""

    def __init__(self, inner: torch.nn.Module, columns: list[int], features: int) -> None:
        super().__init__()
        self.inner = inner
        seen = torch.ones(features)
        seen[columns] = 0.0
        self.register_buffer("seen", seen)

    def forward(self, x: torch.Tensor) -> Any:
        return self.inner(x * self.seen)


def blind(part: str, size: str, spec: str = "scoundrel:reward=blend", targets: Any = (("win", 1), ("score", 32))) -> Blind:
    """A transformer that does not see a part."""
    game = load(spec)
    encoding = encoding_of(game)
    return Blind(build(encoding, game.actions, game.players, size, targets), PARTS[part], encoding.shape[1])
