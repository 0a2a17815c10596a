"""An agent that is another program: `pipe:COMMAND`. It is sent positions and answers with an action, by lines (`protocol`).

For every decision it gets two lines, `position {...}` and `go`, and must answer with one line of JSON that has an action:
`{"decision": {"action": 3}}`, or `{"name": "d"}`. Other lines ({"ready"}, {"info"}, {"position"}) are passed over, {"error"} is a fault. The
position has the legal actions by name, the moves so far where nothing is hidden, and the state that the player was handed.
"""

from __future__ import annotations

import json
import shlex
import subprocess
from typing import Any

from playout.agents.base import Recipe, Silent
from playout.errors import IllegalAction, PlayoutError
from playout.game.game import Game
from playout.game.state import State

PASSED_OVER = ("ready", "info", "position")
LONGEST = 1 << 22
"""Characters of a line that are read."""


class Engine:
    """A running program."""

    def __init__(self, command: str) -> None:
        self.command = command
        try:
            self.process = subprocess.Popen(
                shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", bufsize=1
            )
        except (OSError, ValueError) as error:
            raise PlayoutError(f"agent 'pipe:{command}' cannot be started: {error}") from None

    def send(self, line: str) -> None:
        """One line to the program."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except (OSError, ValueError):
            raise self._gone() from None

    def answer(self) -> dict[str, Any]:
        """Its next line that says something."""
        assert self.process.stdout is not None
        while True:
            line = self.process.stdout.readline(LONGEST)
            if not line:
                raise self._gone()
            try:
                told = json.loads(line)
            except ValueError:
                raise PlayoutError(f"agent 'pipe:{self.command}' answered {line.strip()[:200]!r}, which is no JSON") from None
            if not isinstance(told, dict):
                raise PlayoutError(
                    f"agent 'pipe:{self.command}' answered {line.strip()[:200]!r}; answer with an object that has an action"
                )
            if "error" in told:
                raise PlayoutError(f"agent 'pipe:{self.command}' says: {told['error']}")
            if not any(word in told for word in PASSED_OVER):
                return told

    def _gone(self) -> PlayoutError:
        code = self.process.poll()
        how = "closed its output" if code is None else f"ended with exit code {code}"
        return PlayoutError(f"agent 'pipe:{self.command}' {how} and did not answer")

    def close(self) -> None:
        """End the program."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


_free: dict[str, list[Engine]] = {}
"""Programs that wait for their next game, by command: starting one for every game may take longer than the game."""


class PipeAgent(Silent):
    """A program on a seat."""

    wants_course = True

    def __init__(self, command: str, seed: int = 0) -> None:
        self.name, self.command = f"pipe:{command}", command
        waiting = _free.setdefault(command, [])
        self._engine: Engine | None = waiting.pop() if waiting else Engine(command)
        self._engine.send(f"newgame {seed}")

    def act(self, state: State) -> Any:
        engine = self._engine
        if engine is None:
            raise PlayoutError(f"agent {self.name!r} has failed before, and is not asked again")
        # Whatever ends this in the middle (a clock, Ctrl-C) leaves a program whose answers belong to another question.
        self._engine = None
        try:
            engine.send("position " + json.dumps(question(state)))
            engine.send("go")
            told = engine.answer()
        except BaseException:
            engine.close()
            raise
        self._engine = engine
        told = told.get("decision", told)
        answer = told.get("action", told.get("name")) if isinstance(told, dict) else told
        if isinstance(answer, bool) or not isinstance(answer, int | str | list):
            raise IllegalAction(f"it answered {told!r}; an agent answers with the id or the name of an action")
        return state.find(answer)

    def __del__(self) -> None:
        engine = getattr(self, "_engine", None)
        if engine is not None and _free is not None:
            _free.setdefault(self.command, []).append(engine)


def question(state: State) -> dict[str, Any]:
    """A position as a program is told it."""
    names = {} if state.game.continuous else {state.name(action): action for action in state.legal}
    told: dict[str, Any] = {"state": json.loads(state.to_json()), "mover": state.mover, "legal": names}
    if state.course is not None:
        told["course"] = list(state.course)
    return told


def pipe_recipe(kind: str, words: dict[str, str], game: Game) -> Recipe:
    """A program by its command line."""
    command = words["command"].strip()
    if not command:
        raise PlayoutError("agent 'pipe' names no program; write pipe:COMMAND, as in 'pipe:python engine.py'")
    agent = PipeAgent(command)  # what is wrong is said before the first game
    return Recipe(agent.name, lambda seed: PipeAgent(command, seed), {"command": command})
