"""The agent that looks two actions ahead and no further: wins if it can, else keeps the next player from winning, else random.

Against such an opponent random play is worth little, so it is a better yardstick than random for games of lines.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from playout.agents.base import Recipe, Silent
from playout.compile.holes import PLAYERS, legal, mover, play, returns, ticks, whole
from playout.compile.records import new_stream, slack
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import below

HERE, MINE, THEIRS = 0, 1, 2
"""States in the pool that `tactic` is handed."""


def wins(state: Any, player: int, total: Any) -> bool:
    """Whether the game is over and the player has more than every other."""
    if mover(state) >= 0:
        return False
    returns(state, total)
    for other in range(PLAYERS):
        if other != player and total[other] >= total[player]:
            return False
    return True


@ticks
def tactic(states: Any, ids: Any, replies: Any, total: Any, rng: Any) -> int:
    """The action in states[HERE], whose game goes on. What chance brings while looking ahead is drawn and forgotten."""
    player = whole(mover(states[HERE]))
    count = whole(legal(states[HERE], ids))
    before = rng.word
    for i in range(count):
        states[MINE] = states[HERE]
        play(states[MINE], ids[i], rng)
        if wins(states[MINE], player, total):
            rng.word = before
            return ids[i]  # type: ignore[no-any-return]
    safe = 0
    for i in range(count):
        states[MINE] = states[HERE]
        play(states[MINE], ids[i], rng)
        if not loses(states, replies, player, total, rng):
            # Safe ones to the front: the order of the others does not matter.
            ids[safe], ids[i] = ids[i], ids[safe]
            safe += 1
    rng.word = before
    return ids[below(rng, safe if safe > 0 else count)]  # type: ignore[no-any-return]


def loses(states: Any, replies: Any, player: int, total: Any, rng: Any) -> bool:
    """Whether somebody else can win at once in states[MINE]."""
    other = whole(mover(states[MINE]))
    if other < 0 or other == player:
        return False
    count = whole(legal(states[MINE], replies))
    for i in range(count):
        states[THEIRS] = states[MINE]
        play(states[THEIRS], replies[i], rng)
        if wins(states[THEIRS], other, total):
            return True
    return False


class TacticAgent(Silent):
    """Wins, blocks, or plays at random from a stream of its own."""

    name = "tactic"

    def __init__(self, game: Game, seed: int = 0) -> None:
        from playout.compile import bind

        self._kernel = bind(game).kernel(tactic)
        self._states = np.zeros(3, game.dtype)
        room = slack(game.most_legal)
        self._room = SimpleNamespace(ids=np.zeros(room, np.int64), replies=np.zeros(room, np.int64), total=np.zeros(game.players))
        self._rng = new_stream(True, seed)

    def act(self, state: State) -> int:
        self._states[HERE] = state.copy_array()[0]
        room = self._room
        return int(self._kernel(self._states, room.ids, room.replies, room.total, self._rng))


def tactic_recipe(kind: str, words: dict[str, str], game: Game) -> Recipe:
    """The same for every game where players are against each other and nothing is hidden."""
    if words:
        raise PlayoutError(f"agent {kind!r} has no option {next(iter(words))!r}; it takes none, so write just {kind!r}")
    if game.players < 2 or game.hidden:
        why = "hides something, so nobody can see what wins" if game.hidden else "has one player"
        raise PlayoutError(f"agent {kind!r} wins or keeps others from winning, and {game.name!r} {why}; use uct or random")
    return Recipe(kind, lambda seed: TacticAgent(game, seed), prepare=lambda: void(TacticAgent(game).act(game.start())))


def void(answer: Any) -> None:
    return None
