"""The agent that plays by the game's own rule of thumb, the policy of its playouts."""

from __future__ import annotations

import numpy as np

from playout.agents.base import Recipe, Silent
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import Stream


class RuleAgent(Silent):
    """Asks the game's `playout_action`, with a stream of its own; slips that it makes for the sake of playouts are the agent's, too."""

    name = "rule"

    def __init__(self, seed: int = 0) -> None:
        self.stream = Stream(seed)

    def act(self, state: State) -> int:
        legal = np.array(state.legal, np.int64)
        return int(state.game.functions["playout_action"](state.fields, legal, len(legal), self.stream))


def rule_recipe(kind: str, words: dict[str, str], game: Game) -> Recipe:
    """The rule of a game that has one."""
    if words:
        raise PlayoutError(f"agent {kind!r} has no option {next(iter(words))!r}; it takes none, so write just {kind!r}")
    if not game.has("playout_action"):
        raise PlayoutError(
            f"agent 'rule' plays by the game's playout_action, and {game.name!r} has none; define it, or use random"
        )
    return Recipe(kind, RuleAgent)
