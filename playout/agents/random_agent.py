"""The agent that plays at random: the yardstick that everything must beat."""

from __future__ import annotations

from typing import Any

from playout.agents.base import Silent
from playout.game.state import State
from playout.game.stream import Stream


class RandomAgent(Silent):
    """Every legal action equally likely, from a stream of its own."""

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self.stream = Stream(seed)

    def act(self, state: State) -> Any:
        return state.random(self.stream)
