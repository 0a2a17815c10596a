"""Actions in order are a short cut: what is found in them is what a walk through the whole chain would find."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from playout import Search
from playout.compile.holes import at_ordinal, ordinal
from tests.engine.real_games import Bench, logged
from tests.engine.trees import same_bits

chain, ordered, borrowing, cells = (
    importlib.import_module(f"playout.engine.real.{n}") for n in ("chain", "ordered", "borrowing", "cells")
)


@pytest.fixture(autouse=True)
def wrapping():
    with np.errstate(over="ignore"):
        yield


def filled(count: int, seed: int = 1, dimension: int = 1) -> tuple[Bench, Any]:
    """A position with so many actions, some of them equal, which were visited now and then; its actions by slot."""
    bench, rng = Bench(logged(stages=2, dimension=dimension, moving=False)[0]), np.random.default_rng(seed)
    steps = {1: 40, 2: 6, 3: 2}[dimension]
    shape = (count, dimension)
    points = rng.integers(-steps, steps, shape) / steps + rng.choice([0.0, 3e-8, 5e-7], shape)
    # Zeros of both signs, and numbers of any size, beside those of a grid.
    points[::7] *= 10.0 ** rng.uniform(-9.0, 0.0, (len(points[::7]), 1))
    points[::11] = -points[::11]
    for point in points:
        slot = bench.call(chain.add_edge, bench.sim, 0, 0, point)
        bench.tree.tree.nodes["visits"][slot] = rng.integers(0, 30)
        bench.tree.tree.nodes["count"][slot] = rng.integers(0, 2)
    return bench, points


def walk(bench: Bench, lead: Any) -> list[int]:
    slots, slot = [], 0
    while slot := bench.call(
        ordered.following, bench.sim, lead, bench.sim.moves[slot, 0] if slots else -np.inf, slot if slots else -1
    ):
        slots.append(int(slot))
    return slots


def test_they_are_in_order_and_stay_so_when_others_come():
    bench, _ = filled(100)
    lead = bench.call(ordered.put_in_order, bench.sim, bench.work, 0)
    moves = bench.sim.moves[:, 0]
    for more in (0, 3, 60):
        for number in np.linspace(-0.9, 0.9, more):
            bench.call(chain.add_edge, bench.sim, 0, 0, np.array([number]))
        lead = bench.call(ordered.put_in_order, bench.sim, bench.work, 0)
        expected = sorted(bench.tree.edges(0), key=lambda slot: (moves[slot], slot))
        assert walk(bench, lead) == expected and lead.ordered == len(expected) == bench.sim.nodes[0].count
        back = [bench.call(ordered.preceding, bench.sim, lead, moves[slot], slot) for slot in expected]
        assert back == [0, *expected[:-1]]
    assert lead.busiest == bench.tree.tree.nodes["visits"][bench.tree.edges(0)].max()


def agree(bench: Bench, points: Any, plain: Bench) -> None:
    """What is asked of a position with its actions in order is what a walk through them says."""
    dimension = points.shape[1]
    slots = bench.tree.edges(0)
    asked = [*points[:40], *(points[:40] + 1.5e-7), *(points[:20] + 2.5e-7), *(points[:20] + 2e-4), np.full(dimension, 0.0123)]

    def answers(bench):
        sim, work = bench.sim, bench.work
        work.low[:], work.high[:] = -1.0, 1.0
        for point in asked:
            work.fresh[:] = point
            yield bench.call(chain.find_edge, sim, work, 0, point), bench.call(borrowing.crowded, sim, work, 0)

    quick = list(answers(bench))
    sim, work = bench.sim, bench.work
    lead = bench.call(ordered.put_in_order, sim, work, 0)
    nearest = [bench.call(borrowing.nearest_in_order, sim, work, lead, s, 0) for s in slots]
    assert nearest == [bench.call(borrowing.nearest_known, sim, s, 0) for s in slots] and len(set(nearest)) > 5
    plain.options.moved = -1  # nobody keeps an order then
    slow = list(answers(plain))
    assert plain.sim.leads[1].ordered == 0 < lead.ordered
    assert quick == slow and {found >= 0 for found, _ in slow} == {crowd for _, crowd in slow} == {True, False}


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_found_in_order_is_what_a_walk_finds(seed, dimension, monkeypatch):
    monkeypatch.setattr(borrowing, "MANY_BOXES", 0)
    monkeypatch.setattr(borrowing, "BOXES_SHARE", 1 if seed else 4)
    agree(*filled(120, seed, dimension), filled(120, seed, dimension)[0])


@pytest.mark.parametrize("most", ["MOST_OPEN", "MOST_KEYS"])
def test_less_room_for_boxes_changes_nothing(most, monkeypatch):
    """A walk without room for more boxes becomes one through the chain; one that goes by fewer numbers takes longer."""
    monkeypatch.setattr(borrowing, "MANY_BOXES", 0)
    monkeypatch.setattr(cells, most, {"MOST_OPEN": 9, "MOST_KEYS": 1}[most])
    agree(*filled(120, 4, 3), filled(120, 4, 3)[0])


def test_most_of_space_is_left_out(monkeypatch):
    """Of 400 actions in space the nearest takes a look at a part of the boxes alone."""
    monkeypatch.setattr(borrowing, "nearest_known", None)
    bench = Bench(logged(stages=2, dimension=3, moving=False)[0])
    for point in np.random.default_rng(0).random((400, 3)):
        slot = bench.call(chain.add_edge, bench.sim, 0, 0, point)
        bench.tree.tree.nodes["visits"][slot], bench.tree.tree.nodes["count"][slot] = 2, 1
    bench.tree.tree.nodes["visits"][1:20] = 1
    sim, work = bench.sim, bench.work
    lead, moves = bench.call(ordered.put_in_order, sim, work, 0), sim.moves[20:401]
    for slot in range(1, 20):
        # No more than 100 boxes are looked at, or there would be a walk.
        nearest = bench.call(borrowing.nearest_in_order, sim, work, lead, slot, 0)
        assert nearest == 20 + np.argmin(np.square(moves - sim.moves[slot]).sum(axis=1))


def test_numbers_and_their_places_are_in_the_same_order():
    numbers = [-np.inf, -1e300, -2.0, -1.0, -5e-324, -0.0, 0.0, 5e-324, 0.3, np.nextafter(0.3, 1), 1.0, 1e300, np.inf]
    places = [ordinal(number) for number in numbers]
    assert places == sorted(set(places)) and [at_ordinal(place) for place in places] == numbers
    assert all(0 <= cells.key_of(number) < 1 << 63 for number in numbers)


@pytest.mark.parametrize(("method", "dimension"), [("widening", 1), ("gradient", 1), ("widening", 2), ("gradient", 3)])
def test_no_tree_changes_by_it(method, dimension, monkeypatch):
    """The same search where everything is in order early, and never."""
    searches = []
    for many in (4, 10**9):
        with monkeypatch.context() as patch:
            patch.setattr(ordered, "MANY", many)
            search = Search(logged(stages=3, dimension=dimension, moving=True)[0], compiled=False, seed=5, method=method, trees=1)
            search.run(simulations=150)
            searches.append(search)
    early, never = (search.trees[0].tree.leads["ordered"].max() for search in searches)
    assert early > 8 and never == 0 and same_bits(*searches)
