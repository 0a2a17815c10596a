"""Games of any size: two true states that one player cannot tell apart, made by the game itself.

A game is played on a tape that holds every draw: those of `start` and `play`, and the choices of the other players. One draw
is changed, the game is played again with the player's own actions, and the new game is kept if the player's history (its own
actions, and its observation whenever that changes) is the same to the byte. Many such changes walk through the information
set without any help from the sampler under test (single-site Metropolis-Hastings: Wingate, Stuhlmüller, Goodman,
"Lightweight implementations of probabilistic programming languages", 2011).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import AUDIT_DEPTHS, Stream

REAL = 0
"""In place of the number of possibilities: a draw of a real number."""
LONGEST = 2000
"""Actions after which a game is left."""


class Script:
    """Stands in for a `Stream`: repeats the draws of an earlier game but for one, draws afresh what does not fit, keeps all."""

    def __init__(self, fresh: Stream, earlier: Script | None = None, but: int = -1) -> None:
        self.fresh, self.earlier, self.but = fresh, earlier, but
        self.drawn: list[Any] = []
        self.sizes: list[int] = []
        self.word = 1

    def below(self, n: int) -> int:
        return 0 if n <= 1 else int(self._draw(int(n)))

    def uniform(self) -> float:
        return float(self._draw(REAL))

    def _draw(self, size: int) -> Any:
        place, earlier = len(self.drawn), self.earlier
        if earlier is not None and place != self.but and place < len(earlier.sizes) and earlier.sizes[place] == size:
            value = earlier.drawn[place]
        else:
            value = self.fresh.uniform() if size == REAL else self.fresh.below(size)
        self.drawn.append(value)
        self.sizes.append(size)
        self.word += 1
        return value


class Line:
    """One game up to a decision of a player: the true state there, and what led to it."""

    def __init__(self, script: Script, state: State, history: list[bytes], own: list[int], actions: list[int]) -> None:
        self.script, self.state, self.history, self.own, self.actions = script, state, history, own, actions


def play_line(game: Game, player: int, decision: int, script: Script, picks: Stream, like: Line | None = None) -> Line | None:
    """Play up to the player's decision of that number; None if the game ends before, or leaves the history of `like`."""
    array = np.zeros(1, game.dtype)
    view = game.view(array[0])
    game.functions["start"](view, script)
    history: list[bytes] = []
    own: list[int] = []
    actions: list[int] = []
    out = np.zeros(game.most_legal, np.int64)
    acted = True
    while len(actions) < LONGEST:
        seen = observed(game, array, player)
        if acted or seen != history[-1]:
            history.append(seen)
            if like is not None and (len(history) > len(like.history) or like.history[len(history) - 1] != seen):
                return None
        mover = int(game.functions["mover"](view))
        if mover < 0:
            return None
        acted = mover == player
        if acted and len(own) == decision:
            return Line(script, State(game, array, 1), history, own, actions)
        count = int(game.functions["legal"](view, out))
        if acted:
            action = int(out[picks.below(count)]) if like is None else like.own[len(own)]
            if action not in out[:count]:
                return None
            own.append(action)
        else:
            action = int(out[script.below(count)])
        actions.append(action)
        game.functions["play"](view, action, script)
    raise PlayoutError(f"a game had not ended after {LONGEST:,} actions")


def observed(game: Game, array: np.ndarray[Any, Any], player: int) -> bytes:
    copy = array.copy()
    game.functions["observe"](game.view(copy[0]), player)
    return copy.tobytes()


def twin(game: Game, player: int, line: Line, changes: int, stream: Stream) -> Line:
    """Another game with the same history for the player, by so many tried changes; the same game where none was found."""
    now = line
    for _ in range(changes):
        draws = len(now.script.sizes)
        if draws == 0:
            break
        script = Script(stream, now.script, stream.below(draws))
        other = play_line(game, player, len(line.own), script, stream, like=line)
        if other is None or len(other.history) != len(line.history):
            continue
        # A longer script gives each of its draws less of a chance to be the one that is changed back.
        if stream.uniform() * len(script.sizes) < draws:
            now = other
    return now


def own_decisions(game: Game, player: int, seed: int) -> int:
    """About how many decisions the player has in a game: the median of a few games."""
    lengths = []
    for number in range(7):
        state, picks, count = game.start(seed + number), Stream(seed + number, AUDIT_DEPTHS), 0
        for _ in range(LONGEST):
            if state.over:
                break
            count += state.mover == player
            state = state.play(state.legal[picks.below(len(state.legal))])
        lengths.append(count)
    return sorted(lengths)[3]
