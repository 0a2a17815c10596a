"""The signature of the engine: one hash a planner, as the bench of a chess engine has.

A change of the engine that is meant to change nothing leaves all of them as they are; one that changes a search says which, and why.
What is hashed is what the trees hold, field by field and slot by slot, whatever the layout of the records is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from playout.game.load import load
from playout.game.state import State
from playout.planner.search import Search


class Case(NamedTuple):
    """One small search."""

    name: str
    game: str
    simulations: int
    settings: dict[str, Any]
    moves: tuple[Any, ...] = ()


def _cases(game: str, simulations: int, ways: dict[str, dict[str, Any]], moves: tuple[Any, ...] = ()) -> list[Case]:
    return [Case(f"{game} {name}", game, simulations, settings, moves) for name, settings in ways.items()]


PLAIN = {"decisive_playouts": "off"}
"""Playouts as they are whatever "auto" comes to."""
PLAIN_ROOT = {"root_rule": "ucb1", "c": 0.5}
"""No race at the root, whatever "auto" comes to."""

PLANNERS: dict[str, list[Case]] = {
    "open": [
        *_cases(
            "connect-four:columns=5,rows=4",
            120,
            {
                "default": PLAIN,
                "auto": {},
                "tuned": {**PLAIN, "rule": "ucb1-tuned", "solver": False},
                "puct": {**PLAIN, "rule": "puct"},
                "equal": {**PLAIN, "rule": "equal"},
                "parent": {**PLAIN, "fpu": "parent"},
                "raw": {**PLAIN, "scale": "raw", "c": 1.4, "solver": False},
                "transpositions": {**PLAIN, "transpositions": True},
                "decisive": {"decisive": "block", "decisive_playouts": "win"},
                "two-trees": {**PLAIN, "trees": 2},
            },
            ("b", "a", "c", "a"),
        ),
        *_cases("pig", 150, {"default": {"playout": "uniform"}, "widened": {"playout": "uniform", "observation_width": 1.0}}),
        *_cases("treasure", 100, {"discount": {"discount": 0.9, "solver": False}, "cutoff": {"cutoff": 2, "playouts": 2}}),
    ],
    "hidden": [
        *_cases(
            "kuhn-poker",
            120,
            {
                "ismcts": {},
                "mo-ismcts": {"hidden": "mo-ismcts"},
                "pimc": {"hidden": "pimc", "trees": 3},
                "peek": {"hidden": "peek"},
                "open-loop": {"open_loop": True},
                "redraw": {"redraw": True},
                "tuned": {"rule": "ucb1-tuned"},
            },
        ),
        *_cases(
            "leduc-poker",
            150,
            {
                "ismcts": {"hidden": "ismcts"},
                "mo-ismcts": {"hidden": "mo-ismcts"},
                "widened": {"observation_width": 1.0},
                "equal": {"rule": "equal"},
            },
        ),
        *_cases("phantom-tic-tac-toe", 100, {"ismcts": {}, "redraw": {"redraw": True}, "parent": {"fpu": "parent"}}),
        *_cases(
            "scoundrel",
            60,
            {"auto": {}, "ismcts": PLAIN_ROOT, "open-loop": {**PLAIN_ROOT, "open_loop": True, "playout": "uniform"}},
        ),
    ],
    "continuous": [
        *_cases(
            "loss-1d",
            60,
            {
                "gradient": {},
                "widening": {"method": "widening"},
                "local": {"method": "local"},
                "alone": {"method": "local-alone"},
                "own": {"derivative": "own"},
                "mean": {"method": "widening", "sampling": "uniform", "backup": "mean", "borrow": False},
                "power": {"method": "widening", "sampling": "local", "backup": "power"},
                "voronoi": {"method": "widening", "sampling": "voronoi", "last": "solve"},
                "decayed": {"slopes": "differences", "moved": "decayed"},
                "fresh": {"method": "local", "moved": "fresh", "refine": 0.25, "branches": 3},
                "two-trees": {"trees": 2},
            },
        ),
        *_cases("loss-3d", 12, {"gradient": {}, "widening": {"method": "widening"}}),
        *_cases("polynomial:seed=4,curve=2.5", 25, {"gradient": {}}),
        *_cases("stackelberg", 40, {"gradient": {}}),
        *_cases("quantum-line", 15, {"own": {"derivative": "own"}}),
        *_cases("pursuit:rounds=1,wind=0.5", 15, {"gradient": {}, "local": {"method": "local"}}),
    ],
}
"""By planner: actions that are listed, hidden information, real-valued actions."""

HEAD = ("simulations", "used", "positions", "full", "deepest", "steps", "evaluations", "low", "high")
NODES = ("visits", "first", "count", "action", "tags", "mover", "score")


def hash_of(case: Case, compiled: bool = False) -> str:
    """Twelve hex digits over all that a search knows, after its decision and after it went on below the action chosen."""
    game = load(case.game)
    state: State = game.start(1).replay(case.moves)
    search = Search(game, compiled=compiled, seed=5, fit=False, **case.settings)
    decision = search.run(state, simulations=case.simulations)
    told = hashlib.sha256()
    _tell(search, told.update)
    after = search.play(decision.action)
    if not game.continuous and not after.over:
        search.run(after, simulations=case.simulations // 2)
        _tell(search, told.update)
    return told.hexdigest()[:12]


def _tell(search: Search, update: Callable[[bytes], object]) -> None:
    for tree in search.trees:
        head, nodes = tree.tree.head[0], np.asarray(tree.tree.nodes)[: tree.used]
        for name in HEAD:
            update(np.ascontiguousarray(head[name], _wide(head[name])).tobytes())
        for name in NODES:
            update(np.ascontiguousarray(nodes[name], _wide(nodes[name])).tobytes())
        if tree.game.continuous:
            update(np.ascontiguousarray(tree.tree.moves[: tree.used]).tobytes())


def _wide(value: Any) -> type:
    return np.float64 if np.asarray(value).dtype.kind == "f" else np.int64


def hashes(planner: str, compiled: bool = False, tell: Callable[[str], object] = lambda text: None) -> Iterator[tuple[str, str]]:
    """(case, hash) of every case of a planner."""
    for case in PLANNERS[planner]:
        tell(case.name)
        yield case.name, hash_of(case, compiled)


def signature(found: dict[str, str]) -> str:
    """One hash over those of all cases of a planner."""
    return hashlib.sha256("\n".join(f"{name} {found[name]}" for name in sorted(found)).encode()).hexdigest()[:12]
