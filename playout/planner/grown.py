"""What is left of trees that grew side by side when they are given up: their heads, and what they know of the actions at their roots."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from playout.compile.devices import Array
from playout.engine import layout
from playout.engine.forest import Edges, Tried


class Grown(NamedTuple):
    """What is left of the trees when they have grown: their heads, and what they know of the actions at their roots."""

    head: Array
    edges: Any
    """`Edges`, or `Tried` where actions are real vectors."""

    @classmethod
    def nothing(cls, count: int, game: Any, most: int | None = None) -> Grown:
        """Room for so many trees, and for so many actions at each root: else for as many as a state can have."""
        head, players = np.zeros((count, 1), layout.head_dtype(game)), game.players
        most = game.most_legal if most is None else most
        if game.continuous:
            tried = Tried(
                np.zeros(count, np.int32),
                np.zeros(count, np.uint8),
                np.zeros((count, players)),
                np.zeros(count, np.int32),
                np.zeros((count, most, game.dimension)),
                np.zeros((count, most), np.int32),
                np.zeros((count, most, players)),
            )
            return cls(head, tried)
        edges = Edges(
            np.zeros(count, np.int32),
            np.zeros(count, np.uint8),
            np.zeros((count, players)),
            np.zeros((count, players)),
            np.zeros(count, np.int32),
            np.full((count, most), -1, np.int32),
            np.zeros((count, most), np.int32),
            np.zeros((count, most), np.uint8),
            np.zeros((count, most)),
            np.zeros((count, most, players)),
            np.zeros((count, most, players)),
        )
        return cls(head, edges)

    def of(self, rows: Array) -> Grown:
        """What is left of some of them."""
        return Grown(self.head[rows], type(self.edges)(*(column[rows] for column in self.edges)))

    def write(self, rows: Array, other: Grown) -> None:
        """What another has, into some rows; it may have had room for fewer actions."""
        self.head[rows] = other.head
        for mine, theirs in zip(self.edges, other.edges):
            (mine if theirs.ndim == 1 else mine[:, : theirs.shape[1]])[rows] = theirs


def together(parts: list[tuple[Array, Grown]], count: int, game: Any) -> Grown:
    """So many trees, out of parts that are each of some rows."""
    found = Grown.nothing(count, game, max(part.edges.visits.shape[1] for _, part in parts))
    for rows, part in parts:
        found.write(rows, part)
    return found
