"""How far two states are apart, by several measures: each field, the whole, and the order in which values lie in a row.

A leak in one field drowns in the noise of the others, and a sampler that keeps the order of cards but not their places is near to the
truth in no single place. So every measure is tested on its own, and the error rate divided among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from playout.game.game import Game
from playout.game.record import field_names
from playout.game.state import State

Array = np.ndarray[Any, Any]
MOST_ORDERED = 64
"""Rows up to this length are also compared by their order."""


class Measure:
    """Turns states into rows of numbers, of which two states differ in some."""

    def __init__(self, name: str, columns: Array, bits: bool, order: np.dtype[Any] | None = None) -> None:
        self.name, self.columns, self.bits, self.order = name, columns, bits, order

    def rows(self, raw: Array) -> Array:
        """A row for each state, given as bytes."""
        part = raw[:, self.columns]
        if self.order is not None:
            values = np.ascontiguousarray(part).view(self.order).astype(np.int64)
            # Ties and the zeros of empty places say nothing of an order.
            return _before(values)
        return np.hstack([part, np.unpackbits(part, axis=1)]) if self.bits else part


def _before(values: Array) -> Array:
    """For every two values of the first row, which comes first, in every row; 0 where one is missing."""
    wanted = np.unique(values[values != 0])[:MOST_ORDERED]
    hit = values[:, None, :] == wanted[None, :, None]
    places = np.where(hit.any(2), hit.argmax(2), -1)
    one, two = np.triu_indices(len(wanted), 1)
    signs = np.sign(places[:, one] - places[:, two])
    return np.where((places[:, one] < 0) | (places[:, two] < 0), 0, signs).astype(np.int8)


def measures(game: Game, hidden: Array) -> list[Measure]:
    """The measures for which something is hidden; `hidden` says which bytes ever are."""
    found = [Measure("the whole state", np.flatnonzero(hidden), True)]
    for name in field_names(game.dtype):
        kind, offset = game.dtype.fields[name][:2]  # type: ignore[index]
        columns = np.arange(offset, offset + kind.itemsize)
        if not hidden[columns].any():
            continue
        found.append(Measure(f"field {name}", columns[hidden[columns]], True))
        if kind.names is None and kind.base.kind in "iu" and kind.shape and int(np.prod(kind.shape)) >= 3:
            found.append(Measure(f"the order of {name}", columns, False, kind.base))
    # With one hidden field, the whole is that field.
    return found[1:] if len(found) == 2 else found


def raw(states: Sequence[State]) -> Array:
    """States as rows of bytes."""
    return np.array([np.frombuffer(bytes(state), np.uint8) for state in states])


def apart(one: Array, other: Array) -> Array:
    """How far each of some rows is from each of others, on average over the columns that differ at all."""
    return np.asarray((one[:, None, :] != other[None, :, :]).mean(2) if one.shape[1] else np.zeros((len(one), len(other))))
