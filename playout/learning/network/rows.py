"""A row of the window: a position that was decided, or played through without a choice, and what is to be learned of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from playout.game.game import Game
from playout.game.state import State
from playout.learning.network.searching import Lessons

Array = np.ndarray[Any, Any]


def row_dtype(game: Game) -> np.dtype[Any]:
    """The state as the game keeps it, and what is to be learned."""
    # Under every other reward of the game, in its order: further things to learn.
    others = [("rewards", np.float32, (len(game.rewards), game.players))] if game.rewards else []
    return np.dtype(
        [
            ("state", game.dtype),
            # What every player got in the end, and what the search thought of that.
            ("returns", np.float32, (game.players,)),
            ("values", np.float32, (game.players,)),
            # The legal actions, of which the first `count` are meant, and how much of the decision each should have.
            ("ids", np.int32, (game.most_legal,)),
            ("shares", np.float32, (game.most_legal,)),
            ("count", np.int32),
            # Decisions until the game was over.
            ("left", np.int32),
            ("mover", np.int8),
            *others,
        ]
    )


def row_of(game: Game, state: State, actions: Array, shares: Array, values: Array | None, *, proven: bool) -> Array:
    """One row; how the game ends is not known yet. Where a position is proven, its exact result stands for that."""
    row, count = np.zeros(1, row_dtype(game)), len(actions)
    row["state"] = state.copy_array()
    row["count"], row["mover"] = count, state.mover
    row["ids"][0, :count], row["shares"][0, :count] = actions, shares
    row["values"] = np.nan if values is None else values
    row["returns"] = row["values"] if proven else np.nan
    return row


def rows_of(game: Game, states: Array, movers: Array, lessons: Lessons) -> Array:
    """`row_of` for many positions that were searched."""
    rows, counts = np.zeros(len(states), row_dtype(game)), lessons.counts[:, None]
    meant = np.arange(game.most_legal) < counts
    # As bytes: NumPy copies records of records field by field.
    rows.view(np.uint8).reshape(len(rows), -1)[:, : game.dtype.itemsize] = states.view(np.uint8).reshape(len(rows), -1)
    rows["count"], rows["mover"] = lessons.counts, movers
    rows["ids"], rows["shares"] = np.where(meant, lessons.actions, 0), np.where(meant, lessons.shares, 0)
    rows["values"] = lessons.values
    rows["returns"] = np.where(lessons.proven[:, None], rows["values"], np.nan)
    return rows


def forced_rows(game: Game, states: Array, movers: Array, actions: Array) -> Array:
    """`row_of` for many positions with one legal action: nothing to decide and nobody searched, but a search comes by and asks what they are worth."""
    count = len(states)
    ids = np.zeros((count, game.most_legal), np.int64)
    ids[:, 0] = actions
    unknown, none = np.full((count, game.players), np.nan), np.zeros(count, np.int64)
    return rows_of(game, states, movers, Lessons(none + 1, ids, np.ones(ids.shape), unknown, none, none > 0))


def joined(parts: Sequence[Array], dtype: np.dtype[Any]) -> Array:
    """Rows one after the other. As bytes: NumPy takes long to find that records of one kind are of one kind."""
    found: Array = np.concatenate([part.view(np.uint8) for part in parts]).view(dtype) if parts else np.zeros(0, dtype)
    return found


def rewards_of(state: State) -> Array:
    """What the players have under every other reward of the game."""
    return np.array([state.returns_as(reward) for reward in state.game.rewards]).reshape(-1, state.game.players)


def ended(rows: Sequence[Array], returns: Sequence[float] | None, game: Game, rewards: Array | None = None) -> Array:
    """The rows of a game that is over, with its end (None: it was broken off, and the end is what the search thought).

    `rewards` is what the players got under every other reward of the game.
    """
    if not len(rows):
        return np.zeros(0, row_dtype(game))
    found = joined(rows, rows[0].dtype)
    # Where there was no choice, and so no search, the next one knows best: that the same dice lie between is luck which evens out.
    for place in np.flatnonzero((found["count"][:-1] == 1) & np.isnan(found["values"][:-1, 0]))[::-1]:
        found["values"][place] = found["values"][place + 1]
    ends = found["values"].copy() if returns is None else np.broadcast_to(np.array(returns, np.float32), found["values"].shape)
    if game.rewards:
        found["rewards"] = np.nan if rewards is None else rewards
    found["returns"] = np.where(np.isnan(found["returns"]), ends, found["returns"])
    # Nobody searched here, or nobody said what the search thought: the end is all there is.
    found["values"] = np.where(np.isnan(found["values"]), found["returns"], found["values"])
    found["left"] = np.cumsum(found["count"][::-1] > 1)[::-1]
    return found
