"""A search agent that is made when it is first asked, and hears of actions when it thinks.

What suits a game is found out by a short trial of it, and the first time its kernels are compiled: that takes seconds, and nobody should wait
for it before the board is there. So it happens in the thread in which the agent thinks, and all else goes on meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playout.agents import Agent
from playout.agents.search_agent import PRESETS, split
from playout.game.load import parse_spec
from playout.game.state import State
from playout.planner.decision import Decision
from playout.planner.settings import Settings
from playout.planner.words import read


def is_search(spec: str) -> bool:
    """Whether a string names a search, which takes time to be made."""
    return spec.partition(":")[0].strip() in PRESETS and ".py:" not in spec


class Late:
    """The promise of a search agent; its options are checked at once."""

    def __init__(self, spec: str, make: Callable[[], Agent]) -> None:
        kind, words = parse_spec(spec)
        words.pop("fit", None)
        _, options = split(kind, words, ("fit",))
        settings: Settings = read(Settings, {**PRESETS[kind], **options})
        self.name, self.peeks, self._make = spec, settings.hidden == "peek", make
        self._agent: Agent | None = None
        self._heard: list[tuple[State, Any, State]] = []

    def ready(self) -> Agent:
        """The agent itself, told of everything; in the thread in which it is to think."""
        if self._agent is None:
            self._agent = self._make()
            # It has no tree yet that could be kept.
            self._heard = []
        for before, action, after in self._heard:
            self._agent.observe_action(before, action, after)
        self._heard = []
        return self._agent

    def decide(self, state: State) -> Decision | None:
        return self.ready().decide(state)

    def act(self, state: State) -> Any:
        return self.ready().act(state)

    def observe_action(self, before: State, action: int, after: State) -> None:
        self._heard.append((before, action, after))
