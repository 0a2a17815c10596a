"""What a network sees of a state: the game's own `encode`, or one made from the fields of its record.

    encoding = encoding_of(load("connect-four"))
    encoding.shape, encoding(states, players)      # (3, 6, 7), and a float32 array (n, 3, 6, 7)

Where something is hidden, `encode` is handed what `observe` leaves of a copy, and never the state itself: what a player cannot tell
cannot be in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec
import numpy as np

from playout.compile import bind
from playout.compile.devices import cores
from playout.compile.holes import mover, observe, whole
from playout.compile.records import pool
from playout.errors import GameError, PlayoutError
from playout.game.game import Game
from playout.game.made import Plan, check_plan, function_of, plan_of
from playout.game.record import copied
from playout.game.state import State
from playout.game.stream import PICKS, Stream
from playout.game.symmetry import Symmetries, symmetries_of

Array = np.ndarray[Any, Any]
DIGEST_GAMES, DIGEST_STEPS = 4, 24
SHARED = 256
"""States that are worth a thread of their own."""
KINDS = ("flat", "tokens", "planes")
"""The kind of an encoding, by how many numbers its shape has."""


def _loop(encode: Callable[..., None], hides: bool) -> Callable[..., None]:
    """The loop over a batch, around one game's way of writing a state."""

    def encode_all(states: Any, players: Any, room: Any, out: Any) -> None:
        for i in range(len(players)):
            encode(states[i], whole(players[i]), out[i])

    def encode_seen(states: Any, players: Any, room: Any, out: Any) -> None:
        for i in range(len(players)):
            room[0] = states[i]
            observe(room[0], whole(players[i]))
            encode(room[0], whole(players[i]), out[i])

    return encode_seen if hides else encode_all


def movers_of(states: Any, out: Any) -> None:
    """Who is to act in each state: whose eyes a network sees it with."""
    for i in range(len(out)):
        out[i] = whole(mover(states[i]))


class Encoding:
    """States of one game as numbers, through the eyes of a player."""

    def __init__(self, game: Game, plan: Plan | None = None, compiled: bool = True) -> None:
        if game.continuous:
            raise PlayoutError(f"{game.name!r} has real-valued actions: what networks learn here are games with action ids")
        if game.hidden and not game.has("observe"):
            raise GameError(
                f"game {game.name!r} has determinize, so something is hidden, but no observe, so nobody knows what a network may see: add "
                "def observe(state, player), which erases in place what that player cannot tell"
            )
        self.game, self.plan = game, plan
        self.shape = game.encoding if plan is None else plan.shape
        """(planes, rows, columns), (tokens, features), or how many numbers."""
        self.function = game.functions["encode"] if plan is None else function_of(game, plan)
        """Writes one state, or what a player sees of it, into zeros; where it is made, `out` is one row."""
        binding = bind(game, compiled)
        self.compiled = binding.compiled
        self._kernel = binding.kernel(_loop(self.function, game.has("observe")))
        self._room = np.zeros(1, game.dtype)
        self._written = False
        self._symmetries: tuple[Symmetries | None] | None = None

    @property
    def kind(self) -> str:
        """ "planes" for a board, "tokens" for cards, "flat" for a plain row of numbers."""
        return KINDS[len(self.shape) - 1]

    @property
    def size(self) -> int:
        """How many numbers a state becomes."""
        return int(np.prod(self.shape))

    @property
    def source(self) -> str:
        """ "game" where the game has its own `encode`, else "made"."""
        return "game" if self.plan is None else "made"

    @property
    def symmetries(self) -> Symmetries | None:
        """How encodings and actions may be mirrored; None where the game does not say."""
        if self._symmetries is None:
            self._symmetries = (symmetries_of(self.game) if self.plan is None else None,)
        return self._symmetries[0]

    @cached_property
    def digest(self) -> str:
        """What a network was trained on, in few letters: how states of a few random games are written.

        Unlike a digest of the code it is the same for every version of Python, so networks can be passed on.
        """
        hasher = hashlib.sha256(repr(self.shape).encode())
        for seed in range(DIGEST_GAMES):
            state, choices, met = self.game.start(seed), Stream(seed, PICKS), []
            for _ in range(DIGEST_STEPS):
                met.append(state.copy_array())
                if state.over:
                    break
                state = state.after(state.random(choices))
            states = np.concatenate(met)
            for player in range(self.game.players):
                # What is 0 may be -0.0 by another way of computing it.
                hasher.update((self(states, player) + np.float32(0)).tobytes())
        return hasher.hexdigest()[:24]

    def __call__(self, states: Array, players: Array | int) -> Array:
        """A batch of states, each through the eyes of one player: float32, (states, *shape)."""
        if states.dtype != self.game.dtype or states.ndim != 1:
            raise PlayoutError(
                f"an encoding of {self.game.name!r} takes an array of its states, and was given {states.dtype} of shape {states.shape}"
            )
        eyes = np.array(np.broadcast_to(players, states.shape), np.int64)
        if eyes.size and not 0 <= eyes.min() <= eyes.max() < self.game.players:
            raise PlayoutError(
                f"players are 0 to {self.game.players - 1}, and an encoding was asked for {eyes.min()} to {eyes.max()}"
            )
        # One kind of array for the kernel: another would be another machine code.
        states = states if states.flags.c_contiguous and states.flags.writeable else copied(np.ascontiguousarray(states))
        out = np.zeros((len(states), *self.shape), np.float32)
        rows = out if self.plan is None else out.reshape(len(states), self.size)
        if self.compiled and self._written and len(states) >= 2 * SHARED:
            # Each piece looks at its states in a room of its own.
            cores().share(
                len(states),
                len(states) // SHARED,
                lambda a, b: self._kernel(states[a:b], eyes[a:b], np.zeros(1, self.game.dtype), rows[a:b]),
                compiled=True,
            )
        elif len(states):
            with np.errstate(over="ignore"):
                self._kernel(pool(states, self.compiled), eyes, pool(self._room, self.compiled), rows)
            self._written = True
        return out

    def of(self, state: State, player: int | None = None) -> Array:
        """One state, through the eyes of its mover if nobody else is named."""
        seat = max(0, state.mover) if player is None else player
        return self(state.copy_array(), seat)[0]  # type: ignore[no-any-return]

    def words(self) -> list[str]:
        """What a network sees, in lines for people."""
        names = {"planes": "{} planes of {} x {}", "tokens": "{} tokens of {} features", "flat": "{} numbers"}
        what = names[self.kind].format(*self.shape)
        if self.plan is None:
            more = f", {self.game.symmetries} symmetries" if self.game.symmetries > 1 else ""
            return [f"a network sees {what}, by the game's encode{more}"]
        seen = "the fields that observe leaves" if self.game.has("observe") else "the record's fields"
        columns = [f"  {column.words()}" for column in self.plan.columns]
        return [f"a network sees {what}, made from {seen} (define encode for a better one):", *columns]

    def to_builtins(self) -> dict[str, Any]:
        """As plain data, with the scaling of a made encoding: `from_builtins` gives the same again."""
        data = {"kind": self.kind, "shape": list(self.shape), "source": self.source, "digest": self.digest}
        return data if self.plan is None else {**data, "plan": msgspec.to_builtins(self.plan)}

    @classmethod
    def from_builtins(cls, game: Game, data: Any, compiled: bool = True) -> Encoding:
        """An encoding out of plain data, or a sentence why the game is not seen like that any more."""
        try:
            shape, source, told = tuple(data["shape"]), data["source"], data["digest"]
            plan = msgspec.convert(data["plan"], Plan) if source == "made" else None
        except (msgspec.ValidationError, KeyError, TypeError) as error:
            raise PlayoutError(
                f"that is no encoding ({type(error).__name__}: {error}); save one with Encoding.to_builtins()"
            ) from None
        if plan is not None:
            check_plan(game, plan)
        elif not game.has("encode"):
            raise PlayoutError(f"the encoding is that of an encode which game {game.name!r} no longer defines; bring it back")
        found = cls(game, plan, compiled)
        if found.shape != shape or found.digest != told:
            raise PlayoutError(
                f"game {game.name!r} is encoded differently now ({found.shape}, digest {found.digest}) than it was ({shape}, digest {told}): "
                "its encode has changed; bring the old one back, or train again"
            )
        return found


def encoding_of(game: Game, compiled: bool = True) -> Encoding:
    """How a network sees a game: by its own `encode`, or by its fields."""
    known = _encodings.get((id(game), compiled))
    if known is None:
        made = None if game.has("encode") or game.continuous else plan_of(game)
        known = _encodings[id(game), compiled] = Encoding(game, made, compiled)
    return known


_encodings: dict[tuple[int, bool], Encoding] = {}
"""Made once: random play takes a moment. They hold their games, so that no other game gets the number of one."""
