"""A game of Python objects: how fast it is as it is, by how much a game that compiles is faster, and what to change for that."""

from __future__ import annotations

import time
from typing import Any

from playout.bridges.plain import ClassRules, contents
from playout.checker.contract.findings import Findings
from playout.game.game import Game
from playout.game.stream import PICKS, Stream

YARDSTICK = "connect-four"
"""The bundled game whose machine code is measured beside it."""
LEAST = 0.3
"""Seconds of random play that are timed."""
ROLES = {
    "__init__": "start(state, rng)",
    "legal_actions": "legal(state, out)",
    "apply": "play(state, action, rng)",
    "is_over and current_player": "mover(state)",
    "returns": "returns(state, out)",
}


def look(findings: Findings, compiled: bool) -> None:
    """Say what a game of objects costs, and how it would become one that compiles."""
    game = findings.game
    rate = playouts_actions(game)
    what = "and a search that is compiled calls them back" if game.called_back else "so nothing is compiled"
    words = f"its states are Python objects, {what}: {rate[0]:,.0f} playouts and {rate[1]:,.0f} actions a second"
    if compiled:
        from playout.checker.contract.speed import measure
        from playout.game.load import load

        other = measure(load(YARDSTICK)).steps_per_second
        words += f"; {YARDSTICK}, compiled, makes {other:,.0f} here, {other / rate[1]:,.0f} times as many"
    findings.note("objects", words)
    rules = game.objects.rules
    if isinstance(rules, ClassRules):
        findings.note("to-compile", advice(game, rules))


def playouts_actions(game: Game) -> tuple[float, float]:
    """Random playouts and actions a second, from the start, as a search makes them."""
    table, stream, games, actions = game.objects, Stream(0, PICKS), 0, 0
    first = game.start(0)
    began = time.perf_counter()
    while (spent := time.perf_counter() - began) < LEAST or games < 3:
        actions += table.walk(first.fields, 1 << 20, stream)
        games += 1
    return games / spent, actions / spent


def advice(game: Game, rules: ClassRules) -> str:
    """What to write in place of the class: its fields as numbers of fixed size, and its methods as functions."""
    thing = rules.copy(game.objects.thing(game.start(0).fields))
    fields = [field(name, value) for name, value in contents(thing).items()]
    functions = ", ".join(f"{method} becomes {function}" for method, function in ROLES.items())
    return (
        f"to make it compile, write functions over a record instead of methods (docs/game.md): State = np.dtype([{', '.join(fields)}]); {functions}. "
        "playout new mygame.py writes a file to start from, and examples/ has Connect Four in both forms"
    )


def field(name: str, value: Any) -> str:
    """A field of the record for an attribute, with a word on what a record cannot hold.

    >>> field("board", [0] * 9), field("turn", 1), field("seen", {3, 4})
    ("('board', np.int8, 9)", "('turn', np.int64)", "('seen', bool, how many there can be: a yes or no for each member)")
    """
    if isinstance(value, bool):
        return f"({name!r}, bool)"
    if isinstance(value, int | float):
        return f"({name!r}, np.{'int64' if isinstance(value, int) else 'float64'})"
    if isinstance(value, list | tuple):
        shape = _shape(value)
        if shape:
            return f"({name!r}, np.int8, {shape[0] if len(shape) == 1 else shape})"
        return f"({name!r}, np.int8, the longest that it gets: a list of changing length needs a count beside it)"
    if isinstance(value, set | frozenset):
        return f"({name!r}, bool, how many there can be: a yes or no for each member)"
    if isinstance(value, dict):
        return f"({name!r}, np.int8, how many keys there can be: number them)"
    if isinstance(value, str):
        return f"({name!r}, np.int8: number the texts)"
    return f"({name!r}, np.int8: {'-1 for none' if value is None else f'a number for each {type(value).__name__}'})"


def _shape(value: Any) -> tuple[int, ...]:
    """The shape of nested lists of numbers; empty where they have none."""
    if not isinstance(value, list | tuple) or not value:
        return ()
    if all(isinstance(part, int | float) for part in value):
        return (len(value),)
    inner = {_shape(part) for part in value}
    return (len(value), *inner.pop()) if len(inner) == 1 and () not in inner else ()
