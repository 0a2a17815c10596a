"""What a referee does with agents: what it shows them, how it asks them, and what it tells them of the actions played.

An agent never sees the true state. The referee (the terminal, the arena and later the studio) hands it a `world`:
a state that its player cannot tell apart from the true one, with chance that the referee drew for this purpose alone.
Referees differ in how they hold the truth: the arena on a compiled table, the terminal as states that can be taken back.
What may be seen of it is decided here, for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from playout.agents.base import Agent, Silent
from playout.errors import IllegalAction
from playout.game.history import History
from playout.game.state import State
from playout.game.stream import Stream
from playout.planner.decision import INTERRUPTED, Decision

Show = Callable[[int, Stream], State]
"""A state for a player's eyes, drawn from the referee's stream by whoever holds the true one."""


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


def wants_course(agent: Agent) -> bool:
    """Whether the agent is to be handed the actions of the game so far, as `state.course`, where nothing is hidden."""
    return bool(getattr(agent, "wants_course", False))


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


def ask_quickly(agent: Agent, state: State) -> tuple[int, int]:
    """The agent's action, checked to be legal, and the simulations that it took; nobody wants to know why.

    Ctrl-C ends a search with the best so far, which is for those who look on: a game goes on by what was asked for, or not at all.
    """
    choose = getattr(agent, "choose", None)
    if choose is None:
        action, decision = ask(agent, state)
        return action, 0 if decision is None else max(0, int(decision.simulations))
    choice = choose(state)
    if getattr(choice, "stopped", "") == INTERRUPTED:
        raise KeyboardInterrupt
    try:
        return state.find(choice.action), max(0, int(choice.simulations))
    except IllegalAction as error:
        raise IllegalAction(f"agent {agent.name!r}: {error}") from None


class Seats:
    """Who plays one game, by player: hands out worlds and history keys, and passes on what was played."""

    def __init__(
        self,
        agents: Sequence[Agent],
        stream: Stream,
        *,
        peeking: Sequence[bool],
        guard: Callable[[int], AbstractContextManager[Any]] = nullcontext,
    ) -> None:
        """`stream` is the referee's own; `peeking` says who is known to cheat; `guard` surrounds what an agent does when told."""
        self.agents, self.stream, self.peeking, self.guard = agents, stream, peeking, guard
        self._wanting = [wants_history(agent) for agent in agents]
        self._listening = any(listens(agent) for agent in agents)
        self._history: History | None = None
        self._following = [wants_course(agent) for agent in agents]
        self._course: list[int] = []
        self.remembering = any(self._wanting) or any(self._following)
        """Whether anybody asks for its history: if so, `begin` has to be called."""
        self.attentive = self.remembering or self._listening
        """Whether `told` has to be called: if not, the states around an action need not be made."""

    def begin(self, start: State, actions: Iterable[Any] = ()) -> None:
        """The game so far, from which histories are folded; again whenever actions have been taken back."""
        state, self._history, self._course = start, History(start), []
        for action in actions:
            action = state.find(action)
            self._course.append(action)
            mover, state = state.mover, state.after(action)
            self._history.play(mover, action, state)

    def shown(self, player: int, world: Show, truth: Show) -> State:
        """What a player is handed to decide on: a world, or the truth if it is known to cheat; its history if it asks for it."""
        seen = (truth if self.peeking[player] else world)(player, self.stream)
        if self._history is not None and self._wanting[player]:
            seen.history = self._history.key(player)
        if self._following[player] and not seen.game.hidden:
            seen.course = tuple(self._course)
        return seen

    def told(self, before: State, action: Any, after: State) -> None:
        """An action was played: everybody remembers it, and those who listen hear of it."""
        if self._history is not None:
            self._course.append(action)
            self._history.play(before.mover, action, after)
        if self._listening:
            for player, agent in enumerate(self.agents):
                with self.guard(player):
                    tell(agent, player, before, action, after, self.stream)
