"""The table that a game is played on: the true state, moved by compiled rules, and what each player may see of it.

Only the referee holds one. `kernel` functions are bound to the game as the search is; a step costs microseconds, so that
tournaments of quick agents are not slowed by the rules.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.compile import bind
from playout.compile.holes import determinize, legal, mover, play, returns, start, ticks, whole
from playout.compile.records import new_stream, pool, set_word, slack, word_of
from playout.errors import GameError
from playout.game import lived
from playout.game.game import Game
from playout.game.record import copied
from playout.game.state import State
from playout.game.stream import Stream, seed_word
from playout.planner.rejection import sampler

FRESH = -1
"""In place of an action: begin a new game."""


@ticks
def step(states: Any, action: int, ids: Any, seen: Any, out: Any, rng: Any) -> int:
    """Play an action (or begin), and look: mover and number of legal ids into `seen`, ids and returns into theirs."""
    state = states[0]
    if action < 0:
        start(state, rng)
    else:
        play(state, action, rng)
    seen[0] = whole(mover(state))
    seen[1] = 0
    returns(state, out)
    if seen[0] >= 0:
        seen[1] = whole(legal(state, ids))
    return 0


@ticks
def redraw(states: Any, player: int, rng: Any) -> int:
    """Sample what the player cannot know of states[0]."""
    determinize(states[0], player, rng)
    return 0


class Table:
    """One game being played. After `begin` and every `play` the fields tell where it stands."""

    def __init__(self, game: Game, *, compiled: bool = True) -> None:
        self.game = game
        if game.has("observe") and not game.has("determinize"):
            raise game.cannot_hide()
        binding = bind(game, compiled)
        self._step = binding.kernel(step)
        self._redraw = binding.kernel(redraw) if game.has("determinize") and not game.rejects else None
        self._pasts: lived.Pasts | None = None
        if game.rejects:
            sampler(game, binding)
        self._array, self._hidden = np.zeros(1, game.dtype), np.zeros(1, game.dtype)
        self._rng, self._chance = new_stream(binding.compiled), new_stream(binding.compiled)
        self._states, self._worlds = pool(self._array, binding.compiled), pool(self._hidden, binding.compiled)
        self._ids = np.zeros(slack(game.most_legal), np.int64)
        self._seen, self._out = np.zeros(2, np.int64), np.zeros(game.players)
        self._began = 0
        self.mover, self.legal = -1, ()  # type: tuple[int, tuple[int, ...]]

    def prepare(self) -> None:
        """Compile everything, before a clock runs."""
        self.begin(0)
        self.world(max(0, self.mover), Stream())

    def begin(self, seed: int) -> None:
        """A new game; the same as `Game.start(seed)`."""
        self._array.view(np.uint8)[:] = 0
        self._began = seed_word(seed)
        set_word(self._rng, self._began)
        self._move(FRESH)

    def play(self, action: int) -> None:
        """Play a legal action."""
        self._move(action)

    def _move(self, action: int) -> None:
        before = self.mover
        self._step(self._states, action, self._ids, self._seen, self._out, self._rng)
        self.mover, count = self._seen.tolist()
        if self.mover >= self.game.players or (self.mover >= 0 and not 1 <= count <= self.game.most_legal):
            raise GameError(
                f"game {self.game.name!r} has mover {self.mover} and {count} legal actions after action {action}; "
                f"run playout check {self.game.spec}"
            )
        self.legal = tuple(self._ids[:count].tolist())
        if self.game.rejects:
            now, pasts = self.state, self._pasts
            self._pasts = lived.first(now) if action == FRESH or pasts is None else lived.later(pasts, before, action, now)

    @property
    def drawn(self) -> bool:
        """Whether the game has drawn from its stream so far."""
        return word_of(self._rng) != self._began

    @property
    def returns(self) -> tuple[float, ...]:
        """One number per player: the total so far, at the end the result."""
        return tuple(self._out.tolist())

    @property
    def state(self) -> State:
        """The true state. Not for agents."""
        state = State(self.game, copied(self._array), word_of(self._rng), self.mover, self.legal)
        state.pasts = self._pasts
        return state

    def truth(self, player: int, stream: Stream) -> State:
        """The true state for an agent that is known to cheat; what chance will bring stays the referee's own."""
        stream.next()
        return State(self.game, copied(self._array), stream.word, self.mover, self.legal)

    def world(self, player: int, stream: Stream) -> State:
        """What the referee hands to a player: the hidden sampled, and chance from the referee's own stream.

        At the player's own turn the legal ids go with it: what may be done is never hidden from the one to do it.
        """
        if self.game.rejects:
            return self.state.world(player, stream)
        if self._redraw is None:
            return self.truth(player, stream)
        self._hidden[:] = self._array
        set_word(self._chance, stream.word)
        self._redraw(self._worlds, player, self._chance)
        stream.word = word_of(self._chance)
        stream.next()
        known = (self.mover, self.legal) if player == self.mover else (None, None)
        return State(self.game, copied(self._hidden), stream.word, *known)
