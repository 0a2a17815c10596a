"""Findings on the way to a report, and how they name the state they were found in."""

from __future__ import annotations

import re
import sys
import types
from typing import Any

import numpy as np

from playout.checker.contract.report import Problem
from playout.compile.source import Place, own_functions, place, place_at, unwrapped
from playout.game.game import Game
from playout.game.record import RecordView, copied, field_names

MOST_TEXT = 160
NO_COPY = "nothing can be made while playing: play changes the state that it is handed, and all others work with local variables"


class Broken(Exception):
    """The game cannot be played on from here; what is wrong is already among the findings."""


class Findings:
    """Problems and notes of one check: the first of each code is kept."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.problems: dict[str, Problem] = {}
        self.notes: dict[str, str] = {}
        self.first: tuple[int, tuple[Any, ...]] | None = None
        """The first game that was played to its end: its seed, and its actions."""
        self.states = self.compiled_states = self.playouts = self.longest = self.most_legal = 0

    def problem(self, code: str, message: str, key: str = "") -> None:
        self.problems.setdefault(key or code, Problem(code, message))

    def note(self, code: str, message: str) -> None:
        self.notes.setdefault(code, message)

    def game_ended(self, actions: int) -> None:
        self.playouts += 1
        self.longest = max(self.longest, actions)

    def has(self, code: str) -> bool:
        return any(problem.code == code for problem in self.problems.values())

    def where(self, role: str, line: int | None = None) -> Place | str:
        """The function of a role, with its file and line."""
        function = unwrapped(self.game.functions[role])
        return place(function, line) if isinstance(function, types.FunctionType) else role


class Spot:
    """A state of random play and how it came about, so that a user can get there again."""

    def __init__(self, game: Game, seed: int, actions: list[int], array: np.ndarray[Any, Any], since: str = "") -> None:
        self.game, self.seed, self.actions, self.array = game, seed, actions, array
        self.since = since or f"seed {seed}"
        """What the actions are played from."""

    def copy(self) -> np.ndarray[Any, Any]:
        """The record on its own, padding included: NumPy's copy leaves the bytes between the fields undefined."""
        return copied(self.array)

    def view(self) -> RecordView:
        """The state on a copy of its own."""
        return self.game.view(self.copy()[0])

    def __str__(self) -> str:
        return f"in the state {self.way()} ({fields_text(self.array[0])})"

    def way(self) -> str:
        """How the state came about: the seed and the actions."""
        if not self.actions:
            return f"that start gives for seed {self.seed}"
        last = ", ".join(str(action) for action in self.actions[-12:])
        if len(self.actions) > 12:
            return f"after {len(self.actions):,} actions from {self.since}, the last of them {last}"
        return f"after action{'s' * (len(self.actions) > 1)} {last} from {self.since}"


def fields_apart(one: np.void, other: np.void) -> list[str]:
    """The fields in which two states differ, by their bytes."""
    names = field_names(one.dtype)
    return [name for name in names if np.asarray(one[name]).tobytes() != np.asarray(other[name]).tobytes()]


def fields_text(record: np.void) -> str:
    """The fields in one short line."""
    names = field_names(record.dtype)
    text = ", ".join(f"{name}={value_text(record[name])}" for name in names)
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 4] + " ..."


def value_text(value: Any) -> str:
    """A field's value in one short line."""
    if isinstance(value, np.void):
        return "(" + fields_text(value) + ")"
    if isinstance(value, np.ndarray):
        return np.array2string(value, threshold=60, edgeitems=6, separator=" ", max_line_width=10_000).replace("\n", "")
    return str(value)


def failure(findings: Findings, role: str, error: Exception, spot: Spot | None) -> Broken:
    """Record that a function of the game raised; the error to leave with."""
    where = raised_at(findings, role, error)
    at = "" if spot is None else f", {spot}"
    said = str(error) or type(error).__name__
    fields = ", ".join(field_names(findings.game.dtype))
    if isinstance(error, IndexError) and "only integers" in said:
        findings.problem(
            f"{role}-fails",
            f"{where} uses something as an index that is no whole number{at}; use // instead of /, or int(...)",
        )
    elif isinstance(error, IndexError):
        findings.problem(
            f"{role}-outside",
            f"{where} reads or writes outside an array ({said}){at}; compiled this would damage other data, so check the index "
            "against the size of the field",
        )
    elif isinstance(error, AttributeError) and "setter" in said:
        match = re.search(r"'(\w+)'", said)
        name = match[1] if match else "board"
        findings.problem(
            f"{role}-field",
            f"{where} assigns to the whole array state.{name}{at}; write its elements instead, state.{name}[i] = ...",
        )
    elif isinstance(error, AttributeError) and "no field 'copy'" in said:
        findings.problem(f"{role}-field", f"{where} copies the state{at}; {NO_COPY}")
    elif isinstance(error, AttributeError) and ("no field" in said or "'State' object" in said):
        findings.problem(
            f"{role}-field", f"{where} uses a field that the state does not have ({said}){at}; the fields are {fields}"
        )
    elif isinstance(error, TypeError) and "'State' object" in said and ("subscriptable" in said or "item" in said):
        name = field_names(findings.game.dtype)[0]
        findings.problem(
            f"{role}-field", f"{where} looks a field up in brackets{at}; write a dot, as in state.{name}; the fields are {fields}"
        )
    elif isinstance(error, RecursionError):
        findings.problem(
            f"{role}-fails",
            f"{where} calls itself deeper than {sys.getrecursionlimit():,} levels{at}; how deep "
            "machine code can go depends on the machine, so write it as a loop, with what is still to do in an array of the state",
        )
    elif isinstance(error, UnboundLocalError):
        findings.problem(
            f"{role}-fails", f"{where} uses a variable that has no value yet ({said}){at}; give it one before the if or the loop"
        )
    else:
        findings.problem(
            f"{role}-fails", f"{where} raised {type(error).__name__}: {said}{at}; it must work for every state of the game"
        )
    return Broken()


def raised_at(findings: Findings, role: str, error: BaseException) -> Place | str:
    """The innermost line of the user's that the traceback goes through."""
    functions = own_functions(findings.game, [role])
    found: Place | str = findings.where(role)
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        inner = place_at(functions, code.co_filename, trace.tb_lineno)
        if inner is not None:
            found = inner
        trace = trace.tb_next
    return found


def current_line(thread: int, findings: Findings, role: str) -> Place | str:
    """The line of the user's that a thread is in just now."""
    frame = sys._current_frames().get(thread)
    functions = own_functions(findings.game, [role])
    while frame is not None:
        inner = place_at(functions, frame.f_code.co_filename, frame.f_lineno)
        if inner is not None:
            return inner
        frame = frame.f_back
    return findings.where(role)
