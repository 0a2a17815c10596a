"""What an agent is, and what a referee may show it.

An agent never sees the true state. The referee (the terminal, the arena and later the studio) hands it a `world`:
a state that its player cannot tell apart from the true one, with chance that the referee drew for this purpose alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from playout.errors import IllegalAction
from playout.game.state import State
from playout.game.stream import Stream
from playout.planner.decision import Decision


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


class Silent:
    """The part of an agent that is the same for all that neither explain nor remember; only `act` is missing."""

    def decide(self, state: State) -> Decision | None:
        return None

    def observe_action(self, before: State, action: int, after: State) -> None:
        return None


def world(state: State, player: int, stream: Stream) -> State:
    """What the referee hands over in place of the true state: what is hidden is sampled, and so is what chance will bring.

    In a game without hidden information the fields are those of the true state. The random stream is always the referee's
    own, since otherwise an agent could roll the dice in advance.
    """
    return state.world(player, stream)


def truth(state: State, player: int, stream: Stream) -> State:
    """What the referee hands over to an agent that is known to cheat: the true state; the dice to come stay its own."""
    stream.next()
    return State(state.game, state.copy_array(), stream.word)


def wants_history(agent: Agent) -> bool:
    """Whether the agent is to be handed the key of its player's history, as `state.history`: it says so by an attribute."""
    return bool(getattr(agent, "wants_history", False))


CHEATS = " (cheats)"
"""Behind the name of an agent that is shown the true state."""


def listens(agent: Agent) -> bool:
    """Whether telling the agent of actions makes a difference to it."""
    return getattr(type(agent), "observe_action", None) is not Silent.observe_action


def tell(agent: Agent, player: int, before: State, action: int, after: State, stream: Stream) -> None:
    """Let one agent know what was played, by worlds of its own player.

    Where something is hidden, only the one who acted is told: what others see of an action, their next world shows.
    """
    if listens(agent) and (player == before.mover or not before.game.hidden):
        agent.observe_action(world(before, player, stream), action, world(after, player, stream))


def ask(agent: Agent, state: State) -> tuple[int, Decision | None]:
    """The agent's action, checked to be legal, with its decision where it has one."""
    decision = agent.decide(state)
    try:
        action = agent.act(state) if decision is None else decision.action
        return state.find(action), decision
    except IllegalAction as error:
        raise IllegalAction(f"agent {agent.name!r}: {error}") from None
