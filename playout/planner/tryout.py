"""What is found out about a game before it is searched: a few random games, played uncompiled from its start, the same for every seed.

Nothing is timed, so that what is found does not depend on the machine: the cost of a function is how many of Python's instructions the
lines hold that it runs, which its machine code follows closely enough to tell a cheap step from a dear one. What follows from it stands
in `auto`.
"""

from __future__ import annotations

import gc
import os
import sys
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, permutations
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TypeVar

import numpy as np

import playout.game
from playout.compile.records import slack
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import PICKS, Stream

LONGEST = 400
"""Actions of a random game, at most."""
PLAYS = 3000
"""Actions that are tried at most to see how often a win in one is there."""
EVALUATED = 16
"""Positions of a game, at most twice as many, that `evaluate` is asked about."""
BEGUN, TRIED = 6, 4
"""Positions, and actions of both players in each, that are played in every order of three to see how often positions meet."""
AROUND = 40
"""Instructions of a step outside the game's functions: drawing, copying, counting."""
SAMPLED_GAMES, SAMPLED_STEPS = 4, 500
"""What is looked at to see whether a game is zero-sum."""

T = TypeVar("T")
_OWN = str(Path(playout.game.__file__).parent) + os.sep


def random_game(game: Game, seed: int) -> list[State]:
    """The positions of a game at random: those in which somebody acts and, if it came to that, its end."""
    state, picks = game.start(seed), Stream(seed, PICKS)
    found = [state]
    while not state.over and len(found) <= LONGEST:
        state = state.play(state.legal[picks.below(len(state.legal))])
        found.append(state)
    return found


def few(positions: Sequence[T], count: int) -> Sequence[T]:
    """About so many of the positions, from all over the games."""
    return positions[:: max(1, len(positions) // count)]


def share_of_wins(positions: Sequence[State]) -> float:
    """The share of positions in which the mover can win at once."""
    tried = won = plays = 0
    for state in positions:
        if plays > PLAYS:
            break
        tried += 1
        plays += len(state.legal)
        won += _wins_at_once(state)
    return won / max(1, tried)


def _wins_at_once(state: State) -> bool:
    """As the kernels have it: an action that draws nothing and ends the game with the best return."""
    high = state.game.returns_range[1]  # type: ignore[index]
    for action in state.legal:
        after = state.play(action)
        if after.over and after.word == state.word and after.returns[state.mover] >= high:
            return True
    return False


def decisive_cost(game: Game, positions: list[State]) -> float:
    """What a decisive step costs, in units of a plain one; see `engine.leaf.play_decisive`.

    A plain one is counted with `legal` also where the game has `pick`: the limits that `auto` goes by were chosen so, and what it chooses
    must not change with a function that changes no playout.
    """
    plain = more = 0
    out = np.zeros(slack(game.most_legal), np.int64)
    for state in few(positions, 12):
        legal, mover = (_instructions(game, role, state, *rest) for role, rest in (("legal", (out,)), ("mover", ())))
        play = _instructions(game, "play", state, state.legal[len(state.legal) // 2], Stream(1))
        plain += legal + play + mover + AROUND
        if game.has("safe"):
            # What is listed by `legal` counts as if `safe` had listed it.
            listing = legal if int(game.functions["safe"](state.fields, out)) < 0 else 0
            more += max(0, _instructions(game, "safe", state, out) + listing - legal) + mover
        elif game.has("wins"):
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

    view, before, collecting = state.fields, sys.gettrace(), gc.isenabled()
    # A collection in the midst of it would run, and count, the finalizers of strangers.
    gc.disable()
    sys.settrace(follow)
    try:
        game.functions[role](view, *arguments)
    finally:
        sys.settrace(before)
        if collecting:
            gc.enable()
    return count


def placing(games: list[list[State]]) -> bool:
    """Whether what is played is placed: an action can be played once, by whoever is first, and all the others stay as they are."""
    turns = 0
    for positions in games:
        for before, after in pairwise(positions):
            if after.over:
                break
            gone = set(before.legal) - set(after.legal)
            if len(gone) != 1 or len(after.legal) != len(before.legal) - 1:
                return False
            turns += after.mover != before.mover
    return turns > 0


def orders(games: list[list[State]]) -> float:
    """In how many orders three actions lead to one position, on average; 0 without a `key`, with chance, and where positions come again.

    Where it matters who plays what, and all else stays, two of the three are one player's, and it is two; where it does not matter, six.
    """
    key = games[0][0].game.functions.get("key")
    if key is None or any(len({bytes(state) for state in game}) < len(game) for game in games):
        return 0.0
    ways = met = 0
    for state in few([state for game in games for state in game[:-1]], BEGUN):
        reached: Counter[int] = Counter()
        following = state.play(state.legal[0])
        chosen = {*few(state.legal, TRIED)[:TRIED], *few(following.legal, TRIED)[:TRIED]}
        for actions in permutations(sorted(chosen), 3):
            after = state
            for action in actions:
                if after.over or action not in after.legal:
                    break
                after = after.play(action)
            else:
                if after.word != state.word:
                    return 0.0
                reached[key(after.fields)] += 1
        ways, met = ways + reached.total(), met + len(reached)
    return ways / max(1, met)


def share_explained(game: Game, games: list[list[State]]) -> float:
    """The part of the differences between the results of random games that `evaluate` tells in the course of them; 0 for nothing."""
    said, came, out = [], [], np.zeros(game.players)
    for positions in games:
        if not positions[-1].over:
            continue
        for state in few(positions[:-1], EVALUATED):
            game.functions["evaluate"](state.fields, out)
            said.append(out[0])
            came.append(positions[-1].returns[0])
    spread = float(np.var(came)) if came else 0.0
    return max(0.0, 1.0 - float(np.mean(np.subtract(came, said) ** 2)) / spread) if spread > 0.0 else 0.0


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
