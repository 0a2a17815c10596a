"""What environments of other libraries have in common: what a learner sees of a state, its mask of legal actions, and spaces for both."""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.bridges.packages import need
from playout.game.encoding import encoding_of
from playout.game.game import Game
from playout.game.load import load_listed
from playout.game.state import State

Array = np.ndarray[Any, Any]


class Eyes:
    """What is seen of the states of one game: the encoding that networks here see, and a mask."""

    def __init__(self, game: Game | str, who: str, compiled: bool = False) -> None:
        self.game = load_listed(game, who)
        self.encoding = encoding_of(self.game, compiled)

    def __deepcopy__(self, memo: Any) -> Eyes:
        return self

    def spaces(self) -> tuple[Any, Any]:
        """The space of observations, and that of actions, by Gymnasium."""
        spaces = need("gymnasium.spaces", "gymnasium", "an environment")
        seen = spaces.Box(-np.inf, np.inf, self.encoding.shape, np.float32)
        mask = spaces.Box(0, 1, (self.game.actions,), np.int8)
        return spaces.Dict({"observation": seen, "action_mask": mask}), spaces.Discrete(self.game.actions)

    def of(self, state: State, player: int) -> dict[str, Array]:
        """What a player sees, and what it may do: nothing where it is not to act."""
        return {"observation": self.encoding.of(state, player), "action_mask": self.mask(state, player)}

    def mask(self, state: State, player: int) -> Array:
        """1 for every action that the player may play now."""
        mask = np.zeros(self.game.actions, np.int8)
        if state.mover == player:
            mask[list(state.legal)] = 1
        return mask


def camel(name: str) -> str:
    """A bundled name as environments are called.

    >>> camel("knockout-whist")
    'KnockoutWhist'
    """
    return "".join(part.capitalize() for part in name.split("-"))
