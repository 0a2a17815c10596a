"""Agents out of a user's own file: `mine.py:make_agent`."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from playout.agents.base import Agent, Recipe, Silent
from playout.errors import IllegalAction, PlayoutError, suggest
from playout.game.game import Game
from playout.game.load import parse_spec
from playout.game.state import State


class FunctionAgent(Silent):
    """A plain function from a state to an action id, as an agent."""

    def __init__(self, name: str, function: Callable[[State], int]) -> None:
        self.name, self.function = name, function
        self.wants_history = bool(getattr(function, "wants_history", False))

    def act(self, state: State) -> Any:
        answer = self.function(state)
        if isinstance(answer, bool) or not isinstance(answer, int | str | np.integer):
            raise IllegalAction(f"it answered {answer!r}; an agent answers with the id or the name of an action")
        return state.find(answer)


def own_recipe(file: str, rest: str, game: Game) -> Recipe:
    """The function that the spec names; options after it, `mine.py:make_agent,k=3`, are handed over as strings."""
    maker, _, options = rest.partition(",")
    spec = f"{file}:{rest}"
    module = _execute(Path(file), spec)
    function = getattr(module, maker.strip(), None)
    if not callable(function):
        known = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
        raise PlayoutError(f"agent file {file!r} has no function {maker!r}; {suggest(maker, known)}")
    _, words = parse_spec(f"{maker}:{options}")

    def make(seed: int) -> Agent:
        return _checked(_call(spec, function, game, seed, words), spec)

    return Recipe(spec, make, dict(words), digest=hashlib.sha256(Path(file).read_bytes()).hexdigest()[:24])


def _execute(path: Path, spec: str) -> ModuleType:
    found = importlib.util.spec_from_file_location(path.stem, path)
    if not path.is_file() or found is None or found.loader is None:
        raise PlayoutError(f"agent file {str(path)!r} does not exist; give the path of a Python file, as in mine.py:make_agent")
    module = importlib.util.module_from_spec(found)
    try:
        found.loader.exec_module(module)
    except SyntaxError as error:
        raise PlayoutError(f"agent file {str(path)!r} has a syntax error in line {error.lineno}: {error.msg}") from None
    except (Exception, SystemExit) as error:
        raise PlayoutError(f"agent file {str(path)!r} fails when it is read: {type(error).__name__}: {error}") from error
    return module


def _call(spec: str, function: Callable[..., Any], game: Game, seed: int, words: dict[str, str]) -> Any:
    try:
        return function(game, seed=seed, **words)
    except PlayoutError:
        raise
    except (Exception, SystemExit) as error:
        raise PlayoutError(
            f"agent {spec!r} could not be made: {type(error).__name__}: {error}; it is called as (game, seed=0)"
        ) from error


def _checked(made: Any, spec: str) -> Agent:
    if isinstance(made, Agent):
        return made
    if callable(made):
        return FunctionAgent(spec, made)
    if callable(getattr(made, "act", None)):
        agent = FunctionAgent(str(getattr(made, "name", spec)), made.act)
        agent.wants_history = bool(getattr(made, "wants_history", False))
        return agent
    raise PlayoutError(
        f"agent {spec!r} is a {type(made).__name__}; return a function state -> action id, or an object with act(state)"
    )
