"""One position by very many trees: the decision of `Search` with as many trees, whatever the device; and what cannot be is said."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import playout
from playout.compile.devices import Cores
from playout.errors import PlayoutError
from playout.planner import wide
from playout.planner.forest import Forest, Plan


def numbers(decision: playout.Decision) -> Any:
    """What a budget in simulations decides, and no clock."""
    told = decision.to_dict()
    return {name: told[name] for name in ("action", "actions", "simulations", "nodes", "deepest", "stopped", "proven", "opinion")}


@pytest.mark.parametrize(
    ("game", "given"),
    [
        ("tic-tac-toe", {"trees": 9, "simulations": 300}),
        # Some trees get one simulation more, and some proofs end it.
        ("nim:heaps=1-2", {"trees": 7, "simulations": 1003}),
        ("kuhn-poker", {"trees": 5, "simulations": 203}),
        ("pig", {"trees": 4, "simulations": 202, "rule": "ucb1-tuned", "final": "mean"}),
    ],
)
def test_the_decision_is_that_of_a_search_with_as_many_trees(game: str, given: dict[str, Any]) -> None:
    found = playout.search_wide(game, device="cpu", compiled=False, seed=3, **given)
    simulations = given.pop("simulations")
    one = playout.Search(game, compiled=False, seed=3, **given).run(simulations=simulations)
    assert numbers(found) == numbers(one)
    assert "independent trees on" in found.note and "no line better than one tree of that size does" in found.note


def test_paths_that_are_longer_than_thought_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = playout.search_wide("tic-tac-toe", trees=6, simulations=200, device="cpu", compiled=False)
    plain = Forest.plan
    monkeypatch.setattr(Forest, "plan", lambda *given: plain(*given)._replace(longest=16))
    again = playout.search_wide("tic-tac-toe", trees=6, simulations=200, device="cpu", compiled=False)
    assert numbers(again) == numbers(whole)


def test_trees_that_are_full_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Forest, "plan", lambda *given: Plan(40, 4, 64))
    whole = playout.search_wide("tic-tac-toe", trees=4, simulations=400, device="cpu", compiled=False)
    monkeypatch.setattr(Cores, "room", lambda self: 20_000)
    found = playout.search_wide("tic-tac-toe", trees=4, simulations=400, device="cpu", compiled=False)
    assert found.full and found.simulations == 400 and 4 * 40 < found.nodes < whole.nodes and not whole.full


def test_the_clock_ends_it_and_progress_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Forest, "plan", lambda *given: Plan(4000, 4, 64))
    seconds = itertools.count()
    monkeypatch.setattr(wide.time, "perf_counter", lambda: next(seconds) / 16)
    shown: list[playout.Decision] = []
    found = playout.search_wide("tic-tac-toe", trees=3, seconds=1, device="cpu", compiled=False, show=shown.append)
    assert found.stopped == "seconds" and found.seconds >= 1
    assert shown and {d.stopped for d in shown} == {"running"}
    assert [p.simulations for p in found.trace] == sorted({p.simulations for p in found.trace})


def test_an_interrupt_gives_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Forest, "plan", lambda *given: Plan(4000, 4, 64))

    def stop(decision: playout.Decision) -> None:
        raise KeyboardInterrupt

    found = playout.search_wide("tic-tac-toe", trees=2, simulations=2000, device="cpu", compiled=False, show=stop)
    assert found.stopped == "interrupted" and 0 < found.simulations < 2000


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"simulations": 9},
            "one position cannot be searched by many trees side by side here, since trees is 'auto': say how many, as in trees=65536",
        ),
        ({"trees": 3}, "the budget is empty, so the search would never end: give simulations, seconds, or both"),
        (
            {"trees": 3, "simulations": 9, "root_rule": "halving"},
            "one position cannot be searched by many trees side by side here, since root_rule=halving is a race with a plan for one tree: "
            "use another",
        ),
        (
            {"trees": 3, "simulations": 9, "final": "secure"},
            "one position cannot be searched by many trees side by side here, since final=secure asks more than visits and means: use "
            "final=visits",
        ),
    ],
)
def test_what_cannot_be_done_is_said(given: dict[str, Any], said: str) -> None:
    with pytest.raises(PlayoutError) as error:
        playout.search_wide("tic-tac-toe", device="cpu", compiled=False, **given)
    assert str(error.value) == said


def test_too_many_trees_for_the_room_or_for_a_search_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cores, "room", lambda self: 10_000)
    with pytest.raises(
        PlayoutError, match=r"20 trees do not fit on .*: each would have 500 bytes and needs [\d,]+; take fewer trees"
    ):
        playout.search_wide("tic-tac-toe", trees=20, simulations=100, device="cpu", compiled=False)
    with pytest.raises(PlayoutError, match="trees is 5,000; more than 4,096 grow side by side: use playout.search_wide"):
        playout.search("tic-tac-toe", trees=5000, simulations=10, compiled=False)


def test_sums_of_many_visits_do_not_overflow() -> None:
    """32 bits are enough for a tree, and not for all of them."""
    from playout.planner.grown import Grown
    from playout.planner.wide import WideRoot

    search = playout.Search("tic-tac-toe", trees=3, compiled=False)
    tree = search.plant(search.game.start(), 0)
    tree.run(1, 1 << 30)
    grown = Grown.nothing(3, search.game)
    grown.edges.counts[:], grown.edges.actions[:] = 9, np.arange(9)
    grown.edges.visits[:], grown.edges.root_visits[:] = 2_000_000_000, 2_000_000_000
    sums = WideRoot(search, [tree], grown).sums()
    assert sums.visits.tolist() == [6_000_000_000] * 9 and sums.parent == 6_000_000_000
