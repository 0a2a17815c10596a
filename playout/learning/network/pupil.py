"""A network that plays games of its own, many of them side by side: by its policy alone, or with a search."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np

from playout.agents.search_agent import SearchAgent
from playout.agents.seats import Seats, truth, world
from playout.errors import GameError
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import LADDER_AGENTS, Stream, seed_word
from playout.learning.network.lessons import Course
from playout.learning.network.selfplay import LONGEST
from playout.planner.abreast import Abreast, Seen
from playout.planner.beside import choose_beside
from playout.planner.settings import Budget, Settings

Array = np.ndarray[Any, Any]
AT_ONCE = 8192
"""Positions that a network is asked about together."""


def policy_plays(network: Any, deals: Sequence[int], name: str = "", compiled: bool = True) -> Course:
    """Games of a network with itself, each action the likeliest by its policy, all of them side by side."""
    games, going = Abreast(network.game, len(deals), compiled=compiled), np.arange(len(deals))
    played: list[list[int]] = [[] for _ in deals]
    games.start(going, deals)
    for _ in range(LONGEST):
        seen = games.look(going)
        going, seen = going[seen.movers >= 0], Seen(*(column[seen.movers >= 0] for column in seen))
        if not len(going):
            return Course(name or network.file or "a network", list(deals), played)
        # What is forced nobody is asked about.
        actions, open_ = seen.ids[:, 0].copy(), seen.counts > 1
        actions[open_] = likeliest(network, games.states[going[open_]], seen.ids[open_], seen.counts[open_])
        games.play(going, actions)
        for place, action in zip(going.tolist(), actions.tolist()):
            played[place].append(action)
    raise GameError(f"a game of {network.game.name!r} was not over after {LONGEST:,} actions")


def likeliest(network: Any, states: Array, ids: Array, counts: Array) -> Array:
    """The legal action with the highest share in each state; the first by id, of equals."""
    found = np.zeros(len(states), np.int64)
    meant = np.arange(ids.shape[1]) < counts[:, None]
    for first in range(0, len(states), AT_ONCE):
        part = slice(first, first + AT_ONCE)
        shares = network.policy(np.ascontiguousarray(states[part]))
        able = np.zeros(shares.shape, bool)
        able[np.nonzero(meant[part])[0], ids[part][meant[part]]] = True
        found[part] = np.where(able, shares, -1.0).argmax(axis=1)
    return found


class Sitting:
    """One game in which a search decides for all seats, each with what its player may see."""

    def __init__(self, game: Game, deal: int, settings: Settings, simulations: int, evaluator: Any) -> None:
        base = seed_word(deal, LADDER_AGENTS) >> 2
        self.agents = [
            SearchAgent(
                game,
                msgspec.structs.replace(settings, seed=base + player),
                Budget(simulations=simulations),
                "",
                evaluator=evaluator,
            )
            for player in range(game.players)
        ]
        self.seats = Seats(self.agents, Stream(base), peeking=[self.agents[0].peeks] * game.players)
        self.state = game.start(deal)
        self.actions: list[int] = []

    def play(self, action: int) -> None:
        before, self.state = self.state, self.state.after(action)
        self.actions.append(action)
        self.seats.told(before, action, self.state)

    def play_forced(self) -> None:
        """What leaves no choice."""
        while not self.state.over and len(self.state.legal) == 1:
            self.play(self.state.legal[0])

    def shown(self) -> State:
        """What the mover is shown."""
        return self.seats.shown(self.state.mover, partial(world, self.state), partial(truth, self.state))


def search_plays(
    game: Game, evaluator: Any, deals: Sequence[int], simulations: int, settings: Settings, abreast: int = 256
) -> tuple[Course, int]:
    """Games of a search with an evaluator, so many at a time, whose leaves are evaluated together; and how many decisions it had to make."""
    left, decided = list(enumerate(deals)), 0
    found: dict[int, list[int]] = {}
    sitting: dict[int, Sitting] = {}
    while left or sitting:
        for place, deal in left[: abreast - len(sitting)]:
            sitting[place] = Sitting(game, deal, settings, simulations, evaluator)
        left = [(place, deal) for place, deal in left if place not in sitting and place not in found]
        for place, one in list(sitting.items()):
            one.play_forced()
            if one.state.over:
                found[place] = sitting.pop(place).actions
        asked = list(sitting.values())
        if asked:
            searches = [one.agents[one.state.mover].search for one in asked]
            for one, choice in zip(asked, choose_beside(searches, [one.shown() for one in asked], simulations)):
                one.play(int(choice.action))
            decided += len(asked)
    return Course("a search", list(deals), [found[place] for place in range(len(deals))]), decided
