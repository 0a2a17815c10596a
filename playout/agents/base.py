"""What an agent is, and what a referee may show it.

An agent never sees the true state. The referee (the terminal, and later the arena and the studio) hands it a `world`:
a state that its player cannot tell apart from the true one, with chance that the referee drew for this purpose alone.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from playout.errors import IllegalAction
from playout.game import State
from playout.search.decision import Decision
from playout.stream import Stream


@runtime_checkable
class Agent(Protocol):
    """Anything that turns what a player may see into an action."""

    @property
    def name(self) -> str:
        """The string that makes this agent again, every default that matters written out."""

    def decide(self, state: State) -> Decision | None:
        """The whole decision of an agent that can explain itself; None from one that cannot, which is then asked to `act`."""

    def act(self, state: State) -> int:
        """The id of the action chosen in a state where this agent's player is the mover."""

    def observe_action(self, before: State, action: int, after: State) -> None:
        """Told of every action, its own included, so that a search can keep the tree below it.

        Both states come along because an agent cannot be sure to have seen every action: people take moves back.
        """


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
    array = state.copy_array()
    if state.game.has("determinize"):
        state.game.functions["determinize"](state.game.view(array[0]), player, stream)
    stream.next()
    return State(state.game, array, stream.word)


def ask(agent: Agent, state: State) -> tuple[int, Decision | None]:
    """The agent's action, checked to be legal, with its decision where it has one."""
    decision = agent.decide(state)
    action = agent.act(state) if decision is None else decision.action
    try:
        return state.find(action), decision
    except IllegalAction as error:
        raise IllegalAction(f"agent {agent.name!r}: {error}") from None
