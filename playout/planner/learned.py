"""Learned values as a search is given them: what a policy knows of a game, or a sentence why it cannot serve."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from playout.compile.records import Records
from playout.engine.learned import BY_NETWORK, BY_PATTERNS, BY_TABLE, LearnedArrays
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.planner.tryout import not_zero_sum

EMBEDDED = ".small"
"""How the file of a network ends that the kernel evaluates itself: it values what the mover sees, so it may be asked about worlds."""


@dataclass(frozen=True, eq=False)
class Learned:
    """What a policy tells a search: its values, and how to read them."""

    name: str
    """The policy's file, or what else it is called."""
    arrays: LearnedArrays
    by_patterns: bool = False
    canonical: bool = False
    """Whether mirrored states share a value."""
    apart: bool = False
    """Whether every player has values of its own."""
    network: tuple[float, float] | None = None
    """Of a small network that the kernel evaluates itself: the lowest and the highest return that it can say."""
    shape: tuple[int, ...] = ()
    """What goes into it, as its encoding writes it."""
    room: int = 1
    """How many numbers it needs to work with."""
    ask: Callable[[Any], tuple[Any, Any]] | None = None
    """The same network outside of the kernel: (priors, values by player) of a batch of states."""

    def seen_by(self, compiled: bool) -> LearnedArrays:
        """The arrays; uncompiled, records are read by attribute as compiled ones are. Every tree has its own room to work in."""
        known = self.arrays
        if self.network is not None:
            flat = np.zeros(int(np.prod(self.shape)), np.float32)
            known = known._replace(flat=flat, seen=flat.reshape(self.shape), room=np.zeros(self.room, np.float32))
        return known if compiled else known._replace(table=known.table.view(Records), steps=known.steps.view(Records))

    @property
    def digest(self) -> str:
        """Equal for equal values, wherever they were saved; other values give another search."""
        told = hashlib.sha256(repr((self.by_patterns, self.canonical, self.apart)).encode())
        if self.network is not None:
            told.update(repr((self.network, self.shape)).encode())
        for array in self.arrays[3:5] if self.network is not None else self.arrays[:3]:
            told.update(np.ascontiguousarray(array).tobytes())
        return told.hexdigest()[:24]


class HasLearned(Protocol):
    """A policy, as far as a search needs it: `playout.learning.Policy` is one."""

    @property
    def learned(self) -> Learned:
        """Its values for a search, or a sentence why they cannot serve."""


def learned_of(game: Game, value: HasLearned | str) -> Learned | None:
    """What a policy knows of this game; a file is for those above to open, who know what a policy is."""
    if not value:
        return None
    if isinstance(value, str) or not hasattr(value, "learned"):
        small = isinstance(value, str) and value.endswith(EMBEDDED)
        kind, name, room = (
            ("network", "Embedded", "playout.learning.embedded") if small else ("policy", "Policy", "playout.learning")
        )
        raise PlayoutError(
            f"value is {value!r}, and a search takes the {kind} itself: from {room} import {name}, then "
            f"value={name}.load(file); agents and the command line take the file"
        )
    of = getattr(value, "game", game)
    if of.spec != game.spec:
        raise PlayoutError(f"the policy is of {of.spec}, the search of {game.spec}; learn one for this game")
    return value.learned


def check_zero_sum(game: Game) -> None:
    """Refuse a game where the value for one player does not say what the others get."""
    lack = "" if game.players == 1 else not_zero_sum(game)
    if lack:
        others = "other gets" if game.players == 2 else "others get"
        raise PlayoutError(
            f"a learned value is of the player who acted, and {game.name!r} {lack}: nobody knows what the {others}; leave value out"
        )


def set_squash(o: Any, game: Game) -> None:
    """The part of the options that `pattern_value` reads."""
    low, high = game.returns_range or (-1.0, 1.0)
    o["squash"] = game.returns_range is not None
    o["middle"], o["half"] = (low + high) / 2, (high - low) / 2


def learned_options(o: Any, game: Game, learned: Learned, needs: set[str]) -> None:
    """How a search with columns for these needs reads learned values, as its kernels are told."""
    o["learned"] = BY_NETWORK if learned.network is not None else BY_PATTERNS if learned.by_patterns else BY_TABLE
    o["canonical"], o["apart"] = learned.canonical, learned.apart
    set_squash(o, game)
    if learned.network is not None:
        low, high = learned.network
        o["middle"], o["half"] = (low + high) / 2, (high - low) / 2
        o["use_prior"] = "priors" in needs
