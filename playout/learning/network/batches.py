"""Rows as tensors: what a network sees, and what it should have said; mirrored by lot where the game has symmetries."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from playout.errors import PlayoutError
from playout.learning.network.needs import needed
from playout.learning.network.network import Network
from playout.learning.network.settings import NetworkSettings
from playout.learning.network.targets import goals_of

Array = np.ndarray[Any, Any]
PIECE = 1 << 15
"""Rows that are encoded at a time, when all of them are to lie on a device."""


class Batch(NamedTuple):
    """Some rows as training takes them: tensors on the network's device."""

    seen: Any
    policy: Any
    """Shares by action id."""
    legal: Any
    values: Any
    """Of every player, from the viewer on, from -1 to 1."""
    goals: dict[str, Any]
    """Of the further targets, by name."""

    def rows(self, which: slice) -> Batch:
        """Some of them."""
        goals = {name: goal[which] for name, goal in self.goals.items()}
        return Batch(self.seen[which], self.policy[which], self.legal[which], self.values[which], goals)


class Maker:
    """Makes batches of rows for one network."""

    def __init__(self, network: Network, settings: NetworkSettings) -> None:
        self.network, self.settings, self.torch = network, settings, needed("torch")
        self.symmetries = symmetries_for(network, settings)
        self._cells = self._actions = None
        if self.symmetries is not None:
            self._cells, self._actions = (self._there(table) for table in (self.symmetries.cells, self.symmetries.actions))

    def _there(self, array: Array) -> Any:
        return self.torch.from_numpy(np.ascontiguousarray(array)).to(self.network.device)

    def batch(self, rows: Array, lots: Any) -> Batch:
        """Rows, each mirrored by lot."""
        return self.mirrored(Batch(self.seen(rows), *self.said(rows)), lots)

    def seen(self, rows: Array) -> Any:
        """What the network sees of rows."""
        return self._there(self.network.encoding(np.ascontiguousarray(rows["state"]), rows["mover"].astype(np.int64)))

    def said(self, rows: Array) -> tuple[Any, Any, Any, dict[str, Any]]:
        """What is to be said of rows: (shares by action id, which are legal, values from the viewer on, further goals)."""
        network, count, part = self.network, len(rows), self.settings.blend
        policy, legal = np.zeros((count, network.game.actions), np.float32), np.zeros((count, network.game.actions), bool)
        meant = np.arange(rows["ids"].shape[1])[None, :] < rows["count"][:, None]
        where = np.nonzero(meant)[0], rows["ids"][meant]
        policy[where], legal[where] = rows["shares"][meant], True
        values = (1 - part) * rows["returns"] + part * rows["values"]
        values = network.relative(values, rows["mover"].astype(np.int64)).astype(np.float32)
        goals = goals_of(network.game, network.targets, rows)
        return (
            self._there(policy),
            self._there(legal),
            self._there(values),
            {name: self._there(goal) for name, goal in goals.items()},
        )

    def mirrored(self, batch: Batch, lots: Any) -> Batch:
        """A batch, every row of it turned by a symmetry drawn from the lots; values and further goals stay what they are."""
        if self.symmetries is None:
            return batch
        which = self._there(lots.integers(0, self.symmetries.count, len(batch.seen)))
        assert self._cells is not None and self._actions is not None
        seen = batch.seen.flatten(1).gather(1, self._cells[which]).view(batch.seen.shape)
        turns = self._actions[which]
        policy, legal = (self.torch.empty_like(part).scatter_(1, turns, part) for part in (batch.policy, batch.legal))
        return batch._replace(seen=seen, policy=policy, legal=legal)


class Bank:
    """Rows that are trained on many times. On a GPU all of them lie there, encoded once; on a processor they are encoded when they are asked for."""

    def __init__(self, maker: Maker, rows: Array) -> None:
        self.maker, self.rows = maker, rows
        self.resident = maker.network.device.type == "cuda"
        self.said = maker.said(rows)
        self.seen: Any = None
        if self.resident:
            torch, network = maker.torch, maker.network
            self.seen = torch.empty((len(rows), *network.encoding.shape), device=network.device)
            for first in range(0, len(rows), PIECE):
                self.seen[first : first + PIECE] = maker.seen(rows[first : first + PIECE])

    def __len__(self) -> int:
        return len(self.rows)

    def batch(self, places: Array) -> Batch:
        """The rows at these places, as they are."""
        at = self.maker._there(places)
        policy, legal, values, goals = self.said
        seen = self.seen[at] if self.resident else self.maker.seen(self.rows[places])
        return Batch(seen, policy[at], legal[at], values[at], {name: goal[at] for name, goal in goals.items()})


def symmetries_for(network: Network, settings: NetworkSettings) -> Any:
    """How samples may be mirrored; None where they are taken as they are."""
    found = None if settings.mirror == "off" else getattr(network.encoding, "symmetries", None)
    if found is None and settings.mirror == "on":
        raise PlayoutError(
            f"mirror=on needs the symmetries of {network.game.name!r}, which it does not declare (symmetries, mirror_encoding, mirror_action); "
            "add them or leave mirror out"
        )
    return found
