"""A person at a terminal: reads lines, understands actions by id or by name, and never loses patience."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from playout.agents.base import Silent
from playout.errors import IllegalAction, PlayoutError
from playout.game.state import State

Command = Callable[[str, State], bool]
"""Offered a line that names no legal action; True when it was a command and has been carried out."""


class PersonLeft(PlayoutError):
    """The input ended, or the person asked to stop."""


def read_line(prompt: str) -> str:
    """One line from the standard input, the prompt on the standard error; `PersonLeft` at its end."""
    print(prompt, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    if not line:
        raise PersonLeft("the input ended, so there is nobody left to act")
    return line


class Person(Silent):
    """Asks until it gets a legal action; what else may be typed is decided by the `command` handed in."""

    name = "person"

    def __init__(
        self,
        read: Callable[[str], str] = read_line,
        say: Callable[[str], None] = lambda text: print(text, file=sys.stderr),
        command: Command | None = None,
    ) -> None:
        self.read, self.say, self.command = read, say, command

    def act(self, state: State) -> Any:
        more = ", or help" if self.command else ""
        while True:
            line = self.read(f"{state.game.player_name(state.mover)}, your action{more}: ").strip()
            try:
                return state.find(line)
            except IllegalAction as error:
                if self.command is not None and self.command(line, state):
                    continue
                self.say(str(error) if line else f"type an action by name or id; {_some(state)}")


def _some(state: State) -> str:
    names = [state.name(action, state.mover) for action in state.legal[:8]]
    return "for example " + ", ".join(names)
