"""Trees with waiting leaves in the rows of common arrays: the same trees, also when one outgrows its row, and nothing left behind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import playout
from playout.engine import layout
from playout.planner.orchard import Orchard
from playout.planner.waiting import WaitingTree, advance
from tests.planner.test_waiting import by_bytes

GAME, MOST = "tic-tac-toe", 1 << 28


def planted(count: int, room: int, **settings: object) -> tuple[Orchard, list[WaitingTree], list[WaitingTree], object]:
    """An orchard with trees in its rows, and the same trees by themselves."""
    game = playout.load(GAME)
    evaluator = by_bytes(game)
    # A bias asks for what networks ask for too, whose kernels are there already.
    search = playout.Search(game, evaluator=evaluator, rule="puct", bias=1.0, batch=2, seed=1, fit=False, **settings)
    model = search.plant(game.start(), 0)
    assert isinstance(model, WaitingTree)
    orchard = Orchard(model, count, room)
    rows = [orchard.tree() for _ in range(count + 1)]
    alone = [search.plant(game.start(), 0) for _ in rows]
    for number, (one, other) in enumerate(zip(rows, alone)):
        for tree in (one, other):
            tree.replant(game.start(number).play(number % 9), 50 + number, 0)
    return orchard, rows, alone, evaluator  # type: ignore[return-value]


def later(evaluator: Any) -> Any:
    """An evaluator as an orchard asks it."""
    return lambda states: lambda: evaluator(states)


def bits(tree: WaitingTree) -> bytes:
    return tree.tree.nodes[: tree.used].tobytes() + tree.tree.priors[: tree.used].tobytes() + tree.tree.head.tobytes()


@pytest.mark.compiles
def test_rows_grow_the_trees_that_grow_by_themselves() -> None:
    orchard, rows, alone, evaluator = planted(5, 40)
    homes = [getattr(tree, "at_home", False) for tree in rows]
    assert homes == [True] * 5 + [False], "there is a tree more than there are rows"
    while min(tree.simulations for tree in rows) < 400:
        left = np.array([min(2, 400 - tree.simulations) for tree in rows])
        orchard.advance(rows, left, later(evaluator), MOST)
        advance(alone, [int(n) for n in left], evaluator, MOST)  # type: ignore[arg-type]
        simulations, proven = orchard.progress(rows)
        assert simulations.tolist() == [tree.simulations for tree in alone] and not proven.any()
    assert [bits(tree) for tree in rows] == [bits(tree) for tree in alone]
    assert not any(tree.at_home for tree in rows[:5]), "400 simulations outgrow a row"  # type: ignore[attr-defined]


@pytest.mark.compiles
def test_an_evaluator_that_fails_leaves_nobody_waiting() -> None:
    orchard, rows, alone, evaluator = planted(3, 40)

    def fails(states: object) -> object:
        raise RuntimeError("no")

    orchard.advance(rows, np.full(4, 2), later(evaluator), MOST)
    with pytest.raises(RuntimeError):
        orchard.advance(rows, np.full(4, 2), later(fails), MOST)
    for tree in rows:
        assert not (tree.tree.nodes["tags"] & layout.OUT).any() and not tree.tree.out.any()
    advance(alone, [2] * 4, evaluator, MOST)  # type: ignore[arg-type]
    orchard.advance(rows, np.full(4, 2), later(evaluator), MOST)
    advance(alone, [2] * 4, evaluator, MOST)  # type: ignore[arg-type]
    assert [bits(tree) for tree in rows] == [bits(tree) for tree in alone]


@pytest.mark.compiles
def test_a_table_that_outgrows_its_row_is_no_row_any_more() -> None:
    orchard, rows, alone, evaluator = planted(2, 4000, transpositions=True, solver=False, c=3.0)
    # Each to its end: they are given more room in other rounds.
    for _ in range(3000):
        orchard.advance(rows, np.array([min(2, 4000 - tree.simulations) for tree in rows]), later(evaluator), MOST)
        advance(alone, [min(2, 4000 - tree.simulations) for tree in alone], evaluator, MOST)  # type: ignore[arg-type]
    assert [bits(tree) for tree in rows] == [bits(tree) for tree in alone]
    assert [tree.simulations for tree in rows] == [4000] * 3
    assert len(rows[0].tree.table) > orchard.forest.table.shape[1] and not rows[0].at_home  # type: ignore[attr-defined]
