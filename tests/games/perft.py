"""Leaf counts per depth, the classic test of a rule book: one wrong rule and the numbers are off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from playout import Game, Stream

Record = np.ndarray[Any, Any]


def children(game: Game, array: Record) -> Iterator[Record]:
    """The states one action on from an array of one record; none when the game is over. Without names, so quick."""
    state = game.view(array[0])
    if game.functions["mover"](state) < 0:
        return
    out = np.zeros(game.most_legal, np.int64)
    for action in out[: game.functions["legal"](state, out)].tolist():
        child = array.copy()
        game.functions["play"](game.view(child[0]), action, Stream())
        yield child


def leaf_counts(game: Game, depth: int, merge: bool = False) -> list[int]:
    """How many lines of 1, 2, ... depth actions there are from the start; finished games do not go on.

    With `merge`, positions of equal key are walked on together: much deeper, and a test of the key as well.
    """
    counts = []
    level: dict[Any, tuple[int, Record]] = {0: (1, game.start().copy_array())}
    for left in reversed(range(depth)):
        after: dict[Any, tuple[int, Record]] = {}
        total = 0
        for ways, array in level.values():
            if left == 0:
                total += ways * _count_legal(game, array)  # the last level is counted, not built
                continue
            for child in children(game, array):
                total += ways
                name = int(game.functions["key"](game.view(child[0]))) if merge else len(after)
                after[name] = (after[name][0] + ways if name in after else ways, child)
        counts.append(total)
        level = after
    return counts


def _count_legal(game: Game, array: Record) -> int:
    state = game.view(array[0])
    if game.functions["mover"](state) < 0:
        return 0
    return int(game.functions["legal"](state, np.zeros(game.most_legal, np.int64)))
