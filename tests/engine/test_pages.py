"""Pages are a short cut: whoever they find is whom a look at all actions would find."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from playout import Search
from tests.engine.real_games import logged
from tests.engine.test_leaders import WAYS, Checked, best, choice, family, plain_best, plain_choice, visit
from tests.engine.trees import same_bits

leaders, pages, layout = (importlib.import_module(f"playout.engine.real.{n}") for n in ("leaders", "pages", "layout"))


def opened(tree: Any) -> int:
    return int(tree.pages[0]["up"])


@pytest.mark.parametrize("c", [0.0, 0.03, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_choice_among_hundreds_is_that_of_a_look_at_all(seed: int, c: float) -> None:
    """Visits to whom the rule chooses and to others, values that rise and fall at both ends of the range, and actions that come later."""
    rng = np.random.default_rng(seed)
    bench, slots = family([float(v) for v in rng.integers(0, 30, 70 + 9 * seed)])
    bench.options.c = c
    nodes, rewritten = bench.tree.tree.nodes, 0
    for turn in range(250):
        if turn % 3 == 0:
            slots.append(
                int(bench.call(importlib.import_module("playout.engine.real.chain").add_edge, bench.sim, 0, 0, np.zeros(1)))
            )
            visit(bench, slots[-1], float(rng.integers(0, 40)))
        elif turn % 3 == 1:
            slot = slots[rng.integers(len(slots))] if turn % 2 else best(bench)
            visit(bench, slot, float(rng.choice([-60.0, 5.0, 33.0, 200.0])))
        before = float(bench.sim.leads[1].reach)
        found = choice(bench)
        rewritten += bool(turn and before != float(bench.sim.leads[1].reach))
        assert found == plain_choice(nodes, bench.tree, 0, 0, c)
        assert best(bench) == plain_best(nodes, bench.tree, 0, 0)
        visit(bench, found, float(rng.integers(0, 40)))
    lead = bench.sim.leads[1]
    assert lead.page != 0 and bench.sim.pages[int(lead.page)].level == 2, "150 actions and more take pages of pages"
    assert (rewritten > 3) == (c > 0.0), "the bonus went beyond what was written"


@pytest.mark.parametrize(("tall", "taken", "gets"), [(3, 0.2, True), (3, 0.5, False), (1, 0.5, True), (1, 0.95, False)])
def test_smaller_positions_leave_half_of_the_pages_to_the_largest(
    tall: int, taken: float, gets: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the root of a long search has none left: thousands of positions with a hundred actions each were there first."""
    monkeypatch.setattr(pages, "TALL", tall)
    bench, _ = family([float(v) for v in np.random.default_rng(1).integers(0, 30, 70)])
    table = bench.tree.tree.pages
    table[0]["up"] = int(taken * len(table))
    assert pages.pages_for(70) < len(table) // 4
    choice(bench)
    assert (bench.sim.leads[1].page != 0) == gets


@pytest.mark.parametrize(
    "words", [way for way in WAYS if way.get("moved", "added") == "added"], ids=lambda words: "-".join(map(str, words.values()))
)
def test_a_search_chooses_by_pages_as_by_a_look_at_all(words: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaders, "PAGED", 9)
    checked = Checked(monkeypatch)
    game, _ = logged(2, moving=True)
    search = checked.begin(game, seed=7, trees=1, **words)
    search.run(simulations=220)
    assert opened(search.trees[0].tree) > 3 and checked.asked["choice"] > 100


@pytest.mark.parametrize("words", [{"method": "widening"}, {"method": "gradient"}, {"method": "widening", "last": "everywhere"}])
def test_no_tree_changes_by_pages(words: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same search with pages early, never, and with so little room that they have to be given up."""
    searches = []
    for many, shared_by in ((8, 4), (10**9, 16), (8, 1000)):
        with monkeypatch.context() as patch:
            patch.setattr(leaders, "PAGED", many)
            whole = importlib.import_module("playout.engine.layout")
            columns = tuple(c._replace(shared_by=shared_by) if c.name == "pages" else c for c in whole.COLUMNS)
            patch.setattr(whole, "COLUMNS", columns)
            search = Search(logged(stages=3, moving=True)[0], compiled=False, seed=5, trees=1, **words)
            search.run(simulations=150)
            searches.append(search)
    early, never, short = (opened(search.trees[0].tree) for search in searches)
    assert early > 2 and never == 0 and short <= early and (short < early or words["method"] == "widening")
    assert same_bits(searches[0], searches[1]) and same_bits(searches[0], searches[2])


def test_where_moved_actions_take_the_place_of_old_ones_pages_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaders, "PAGED", 9)
    search = Checked(monkeypatch).begin(logged(2, moving=False)[0], seed=3, method="gradient", moved="fresh", trees=1)
    search.run(simulations=150)
    tree = search.trees[0].tree
    assert opened(tree) == len(tree.pages) and not tree.leads["page"].any()
