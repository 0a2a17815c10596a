"""What "auto" comes to where only the game at hand can tell: a short trial, played uncompiled from its start, the same for every seed.

Nothing is timed, so that what is chosen does not depend on the machine: the cost of a function is how many of Python's instructions the
lines hold that it runs, which its machine code follows closely enough to tell a cheap step from a dear one.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

import playout.game
from playout.compile.records import slack
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import PICKS, Stream

GAMES, POSITIONS = 8, 60
"""Random games that a trial plays, and the positions of them that it looks at."""
LONGEST = 400
"""Actions of each of those games, at most."""
PLAYS = 3000
"""Actions that it tries at most."""
DEAREST, RAREST, BROADEST = 7.5, 0.05, 40.0
"""A decisive step may cost so many plain ones, so many positions must have a win in one, and so many actions may be legal in one on
average: see the table in docs/search.md."""
SAMPLED_GAMES, SAMPLED_STEPS = 4, 500
"""What is looked at to see whether a game is zero-sum."""
AROUND = 40
"""Instructions of a step outside the game's functions: drawing, copying, counting."""

_OWN = str(Path(playout.game.__file__).parent) + os.sep


class Trial(NamedTuple):
    """What was found out about a game."""

    cost: float
    """Of a step of a decisive playout, in steps of a plain one."""
    wins: float
    """The share of positions in which the mover can win at once; 0 where the cost was enough to decide."""
    breadth: float
    """Legal actions in a position, on average; 0 likewise."""

    @property
    def pays(self) -> bool:
        """Whether playouts had better be decisive."""
        return self.cost <= DEAREST and self.wins >= RAREST and self.breadth <= BROADEST

    def __str__(self) -> str:
        if self.cost > DEAREST:
            return f"playouts are plain: to see a win in one, a step would cost about {self.cost:.0f} plain ones"
        if self.wins >= RAREST and not self.pays:
            return f"playouts are plain: with {self.breadth:.0f} actions in a position, a win in one is too far away to look for"
        if not self.pays:
            return f"playouts are plain: a win in one is there in {self.wins:.0%} of positions only"
        return (
            f"playouts take a win in one and block one: {self.wins:.0%} of positions have one, and a step costs about {self.cost:.1f} "
            "plain ones"
        )


_trials: dict[int, tuple[Game, Trial | None]] = {}


def trial(game: Game) -> Trial | None:
    """The trial of a game, made once; None for those where it can tell nothing."""
    if id(game) not in _trials:
        _trials[id(game)] = (game, _try(game))
    return _trials[id(game)][1]


def _try(game: Game) -> Trial | None:
    if game.continuous or game.hidden or game.players != 2 or game.returns_range is None or not game.compiled:
        return None
    try:
        cost = _cost(game, _random_game(game, 0))
        if cost > DEAREST:
            return Trial(cost, 0.0, 0.0)
        positions = [state for seed in range(GAMES) for state in _random_game(game, seed)]
        tried = won = plays = 0
        for state in positions[:: max(1, len(positions) // POSITIONS)]:
            if plays > PLAYS:
                break
            tried += 1
            plays += len(state.legal)
            won += _wins_at_once(state)
        return Trial(cost, won / max(1, tried), plays / max(1, tried))
    except Exception:
        # A game that does not work is told so by the search, with its own sentence.
        return None


def _random_game(game: Game, seed: int) -> list[State]:
    """The positions of a game at random in which somebody acts."""
    found: list[State] = []
    state, picks = game.start(seed), Stream(seed, PICKS)
    while not state.over and len(found) < LONGEST:
        found.append(state)
        state = state.play(state.legal[picks.below(len(state.legal))])
    return found


def _wins_at_once(state: State) -> bool:
    """As the kernels have it: an action that draws nothing and ends the game with the best return."""
    high = state.game.returns_range[1]  # type: ignore[index]
    for action in state.legal:
        after = state.play(action)
        if after.over and after.word == state.word and after.returns[state.mover] >= high:
            return True
    return False


def _cost(game: Game, positions: list[State]) -> float:
    """What a decisive step costs, in units of a plain one; see `engine.leaf.play_decisive`."""
    plain = more = 0
    out = np.zeros(slack(game.most_legal), np.int64)
    for state in positions[:: max(1, len(positions) // 12)]:
        legal, mover = (_instructions(game, role, state, *rest) for role, rest in (("legal", (out,)), ("mover", ())))
        play = _instructions(game, "play", state, state.legal[len(state.legal) // 2], Stream(1))
        plain += legal + play + mover + AROUND
        if game.has("wins"):
            more += _instructions(game, "wins", state, out) + mover
        else:
            more += legal + len(state.legal) * (play + mover + AROUND)
    return 1.0 + more / max(1, plain)


@lru_cache(maxsize=256)
def _lengths(code: CodeType) -> Counter[int]:
    """The length of every line in instructions: what Python really runs of it changes when it has run often."""
    lengths: Counter[int] = Counter()
    for start, end, line in code.co_lines():
        if line is not None:
            lengths[line] += (end - start) // 2
    return lengths


def _instructions(game: Game, role: str, state: State, *arguments: Any) -> int:
    """How many instructions a function of the game runs, without those of the view that it reads the state through."""
    count = 0

    def follow(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if frame.f_code.co_filename.startswith(_OWN):
            return None
        if event == "line":
            count += _lengths(frame.f_code)[frame.f_lineno]
        return follow

    view, before = state.fields, sys.gettrace()
    sys.settrace(follow)
    try:
        game.functions[role](view, *arguments)
    finally:
        sys.settrace(before)
    return count


def not_zero_sum(game: Game) -> str:
    """Why not every return of one player is the loss of the other, as the end of a sentence; "" where a few random games say it is."""
    if game.players != 2:
        return f"has {game.players} player{'s' * (game.players != 1)}"
    for seed in range(SAMPLED_GAMES):
        state, stream = game.start(seed), Stream(seed, PICKS)
        for _ in range(SAMPLED_STEPS):
            first, second = state.returns
            if abs(first + second) > 1e-9:
                return f"is not zero-sum (returns {first:g} and {second:g})"
            if state.over:
                break
            state = state.play(state.random(stream))
    return ""
