"""The games of an experiment as columns of numbers: what standings and analytics are counted from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from playout.arena.referee import COLUMNS, Record

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Faulted:
    """A game that an agent lost by a fault."""

    number: int
    agent: int
    kind: str
    error: str


@dataclass(frozen=True)
class Columns:
    """One entry per game, and one per action where it says so."""

    number: Array
    round: Array
    seats: Array
    """(games, players): the agent in each seat."""
    points: Array
    returns: Array
    cut: int
    """Games that were cut off because they were too long."""
    faults: tuple[Faulted, ...]
    opening: Array
    length: Array
    """Actions of each game, the opening included."""
    movers: Array
    """Per action, all games one after the other, as the next three."""
    choices: Array
    seconds: Array
    simulations: Array
    moves: tuple[bytes, ...]
    deal: Array
    """The seed of each game; 0 where nothing was drawn from it, so that equal moves are equal games."""

    def __len__(self) -> int:
        return len(self.round)

    @property
    def players(self) -> int:
        return int(self.seats.shape[1])

    @cached_property
    def game(self) -> Array:
        """Per action: the place of its game."""
        return np.repeat(np.arange(len(self)), self.length)

    @cached_property
    def ply(self) -> Array:
        """Per action: how many came before it in its game."""
        starts = np.cumsum(self.length) - self.length
        return np.asarray(np.arange(int(self.length.sum())) - np.repeat(starts, self.length))

    @cached_property
    def decided(self) -> Array:
        """Per action: whether an agent decided it, and not the opening."""
        return np.asarray(self.ply >= np.repeat(self.opening, self.length))

    @cached_property
    def agent(self) -> Array:
        """Per action: the agent whose seat acted."""
        return np.asarray(self.seats[self.game, self.movers])

    def pick(self, kept: Array) -> Columns:
        """Only the games for which `kept` is true."""
        actions = np.repeat(kept, self.length)
        per_game = {
            name: getattr(self, name)[kept]
            for name in ("number", "round", "seats", "points", "returns", "opening", "length", "deal")
        }
        per_action = {name: getattr(self, name)[actions] for name in ("movers", "choices", "seconds", "simulations")}
        moves = tuple(move for move, keep in zip(self.moves, kept.tolist()) if keep)
        return Columns(**per_game, **per_action, moves=moves, cut=0, faults=())


def read_columns(records: Iterable[Record], players: int) -> Columns:
    """Columns out of records, in their order."""
    found = list(records)
    packed = {name: _joined(found, name) for name in ("movers", "choices", "seconds", "simulations")}
    return Columns(
        number=np.array([r.number for r in found], np.int64),
        round=np.array([r.round for r in found], np.int64),
        seats=np.array([r.seats for r in found], np.int64).reshape(-1, players),
        points=np.array([r.points for r in found], np.float64).reshape(-1, players),
        returns=np.array([r.returns for r in found], np.float64).reshape(-1, players),
        cut=sum(r.ended == "cut" for r in found),
        faults=tuple(Faulted(r.number, r.seats[r.fault], r.ended, r.error) for r in found if r.fault >= 0),
        opening=np.array([r.opening for r in found], np.int64),
        length=np.array([len(r.movers) for r in found], np.int64),
        moves=tuple(r.moves for r in found),
        deal=np.array([r.deal if r.chance else 0 for r in found], np.int64),
        **packed,
    )


def _joined(records: list[Record], name: str) -> Array:
    if name == "simulations":
        # Left out where no agent counts any.
        data = b"".join(r.simulations or bytes(4 * len(r.movers)) for r in records)
    else:
        data = b"".join(getattr(r, name) for r in records)
    return np.frombuffer(data, COLUMNS[name])
