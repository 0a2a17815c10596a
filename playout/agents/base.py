"""What an agent is, and the recipe that makes one; `seats` says how a referee deals with agents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from playout.game.state import State
from playout.planner.decision import Decision

CHEATS = " (cheats)"
"""Behind the name of an agent that is shown the true state."""


@runtime_checkable
class Agent(Protocol):
    """Anything that turns what a player may see into an action."""

    @property
    def name(self) -> str:
        """The string that makes this agent again, every default that matters written out."""

    def decide(self, state: State) -> Decision | None:
        """The whole decision of an agent that can explain itself; None from one that cannot, which is then asked to `act`."""

    def act(self, state: State) -> Any:
        """The id of the action chosen in a state where this agent's player is the mover."""

    def observe_action(self, before: State, action: int, after: State) -> None:
        """Told of every action, its own included, so that a search can keep the tree below it.

        Both states come along because an agent cannot be sure to have seen every action: people take moves back.
        """


@dataclass(frozen=True)
class Recipe:
    """An agent's string, understood once: who it is, every setting it has, and how to make it for a game with a seed."""

    name: str
    """The string that makes it again, in one fixed order."""
    make: Callable[[int], Agent]
    """A fresh agent with that seed."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Everything that was or could have been set, with its value."""
    digest: str = ""
    """What else decides how it plays: the content of a user's own file."""
    prepare: Callable[[], None] = lambda: None
    """What takes long and is done once per process, as compiling is; called before the first clock runs."""
    timed: bool = False
    """Whether it decides by the clock, so that a seed does not give the same game again."""
    threads: int = 1
    """Cores that one decision keeps busy."""
    peeks: bool = False
    """Whether it CHEATS: the referee hands it the true state, and marks it wherever it is printed."""
    fit: str = ""
    """What is to be said of the settings that `playout fit` found, where it has them."""


class Silent:
    """The part of an agent that is the same for all that neither explain nor remember; only `act` is missing."""

    def decide(self, state: State) -> Decision | None:
        return None

    def observe_action(self, before: State, action: int, after: State) -> None:
        return None
