"""Actions in order are a short cut: what is found in them is what a walk through the whole chain would find."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from playout import Search
from tests.engine.real_games import Bench, logged
from tests.engine.trees import same_bits

chain, ordered, borrowing = (importlib.import_module(f"playout.engine.real.{n}") for n in ("chain", "ordered", "borrowing"))


@pytest.fixture(autouse=True)
def wrapping():
    with np.errstate(over="ignore"):
        yield


def filled(count: int, seed: int = 1) -> tuple[Bench, Any]:
    """A position with so many actions, some of them equal, which were visited now and then; its actions by slot."""
    bench, rng = Bench(logged(stages=2, moving=False)[0]), np.random.default_rng(seed)
    numbers = rng.integers(-40, 40, count) / 40.0 + rng.choice([0.0, 3e-8, 5e-7], count)
    for number in numbers:
        slot = bench.call(chain.add_edge, bench.sim, 0, 0, np.array([number]))
        bench.tree.tree.nodes["visits"][slot] = rng.integers(0, 30)
        bench.tree.tree.nodes["count"][slot] = rng.integers(0, 2)
    return bench, numbers


def walk(bench: Bench, lead: Any) -> list[int]:
    slots, slot = [], 0
    while slot := bench.call(
        ordered.following, bench.sim, lead, bench.sim.moves[slot, 0] if slots else -np.inf, slot if slots else -1
    ):
        slots.append(int(slot))
    return slots


def test_they_are_in_order_and_stay_so_when_others_come():
    bench, _ = filled(100)
    lead = bench.call(ordered.put_in_order, bench.sim, 0)
    moves = bench.sim.moves[:, 0]
    for more in (0, 3, 60):
        for number in np.linspace(-0.9, 0.9, more):
            bench.call(chain.add_edge, bench.sim, 0, 0, np.array([number]))
        lead = bench.call(ordered.put_in_order, bench.sim, 0)
        expected = sorted(bench.tree.edges(0), key=lambda slot: (moves[slot], slot))
        assert walk(bench, lead) == expected and lead.ordered == len(expected) == bench.sim.nodes[0].count
        back = [bench.call(ordered.preceding, bench.sim, lead, moves[slot], slot) for slot in expected]
        assert back == [0, *expected[:-1]]
    assert lead.busiest == bench.tree.tree.nodes["visits"][bench.tree.edges(0)].max()


@pytest.mark.parametrize("seed", range(3))
def test_what_is_found_in_order_is_what_a_walk_finds(seed, monkeypatch):
    bench, numbers = filled(120, seed)
    sim, work = bench.sim, bench.work
    work.low[0], work.high[0] = -1.0, 1.0
    asked = [*numbers[:40], *(numbers[:40] + 1.5e-7), *(numbers[:20] + 2.5e-7), 0.0123]
    slots = bench.tree.edges(0)

    def answers():
        for number in asked:
            work.fresh[0] = number
            yield bench.call(chain.find_edge, sim, work, 0, np.array([number])), bench.call(borrowing.crowded, sim, work, 0)

    quick = list(answers())
    nearest = [bench.call(borrowing.nearest_in_order, sim, bench.call(ordered.put_in_order, sim, 0), s, 0) for s in slots]
    assert nearest == [bench.call(borrowing.nearest_known, sim, s, 0) for s in slots] and len(set(nearest)) > 5
    plain, _ = filled(120, seed)
    plain.options.moved = -1  # nobody keeps an order then
    sim, work = plain.sim, plain.work
    work.low[0], work.high[0] = -1.0, 1.0
    bench = plain
    slow = list(answers())
    assert quick == slow and {found >= 0 for found, _ in slow} == {crowd for _, crowd in slow} == {True, False}


@pytest.mark.parametrize("method", ["widening", "gradient"])
def test_no_tree_changes_by_it(method, monkeypatch):
    """The same search where everything is in order early, and never."""
    searches = []
    for many in (4, 10**9):
        with monkeypatch.context() as patch:
            patch.setattr(ordered, "MANY", many)
            search = Search(logged(stages=3, moving=True)[0], compiled=False, seed=5, method=method, trees=1)
            search.run(simulations=150)
            searches.append(search)
    early, never = (search.trees[0].tree.leads["ordered"].max() for search in searches)
    assert early > 8 and never == 0 and same_bits(*searches)
