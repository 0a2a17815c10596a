"""Continuous games: the same seed gives the same bits, compiled or not, on any number of threads, stopped and resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import playout
from playout import Game, Search
from playout.errors import FileError
from playout.game.continuous import NATURE
from tests.engine.trees import same_bits

WAYS: list[dict[str, Any]] = [
    {"method": "widening"},
    {"method": "tables"},
    {"method": "gradient"},
    {"method": "local"},
    {"method": "local-alone"},
    {"method": "gradient", "derivative": "own"},
    {"method": "widening", "sampling": "uniform", "backup": "mean", "borrow": False},
    {"method": "widening", "sampling": "local", "backup": "power"},
    {"method": "widening", "sampling": "voronoi", "last": "solve"},
    {"method": "gradient", "slopes": "differences", "moved": "decayed"},
    {"method": "local", "moved": "fresh", "refine": 0.25, "branches": 3},
]


def grown(compiled: bool, simulations: int = 40, **words: Any) -> Search:
    search = Search("loss-1d", compiled=compiled, seed=5, **words)
    search.run(simulations=simulations)
    return search


@pytest.mark.compiles
@pytest.mark.parametrize("words", WAYS, ids=lambda words: "-".join(str(v) for v in words.values()))
def test_compiled_is_uncompiled(words: dict[str, Any]) -> None:
    plain, fast = grown(False, **words), grown(True, **words)
    assert same_bits(plain, fast)
    assert same_bits(fast, grown(True, **words))
    assert plain.trees[0].used > 10 or words["method"] == "local-alone"


@pytest.mark.parametrize("words", [{"derivative": "own"}, {"method": "local"}], ids=["own", "local"])
def test_on_a_sphere_and_with_chance(words: dict[str, Any]) -> None:
    """Uncompiled only: these games take long to compile."""
    for spec in ("quantum-line", "pursuit:rounds=1,wind=0.5"):
        one, other = (Search(spec, compiled=False, seed=2, **words) for _ in range(2))
        for search in (one, other):
            search.run(simulations=15)
        assert same_bits(one, other)


@pytest.mark.compiles
def test_threads_change_nothing() -> None:
    searches = [Search("loss-1d", seed=3, trees=2, threads=threads) for threads in (1, 2)]
    decisions = [search.run(simulations=301) for search in searches]
    assert same_bits(*searches)
    assert decisions[0].action == decisions[1].action
    assert [tree.simulations for tree in searches[0].trees] == [151, 150]
    assert searches[0].trees[0].tree.moves[1] != searches[0].trees[1].tree.moves[1]


@pytest.mark.compiles
def test_seeds_differ() -> None:
    one, other = Search("loss-1d", seed=1), Search("loss-1d", seed=2)
    assert one.run(simulations=50).action != other.run(simulations=50).action


@pytest.mark.compiles
@pytest.mark.parametrize("words", [{"method": "gradient"}, {"method": "local", "moved": "fresh"}, {"method": "widening"}])
def test_resumed_as_if_never_stopped(words: dict[str, Any], tmp_path: Path) -> None:
    through = Search("loss-1d", seed=4, **words)
    through.run(simulations=120)
    through.run(simulations=80)
    stopped = Search("loss-1d", seed=4, **words)
    stopped.run(simulations=120)
    resumed = Search.load(stopped.save(tmp_path / "x.tree"))
    resumed.run(simulations=80)
    assert same_bits(through, resumed)


def test_with_chance_it_is_resumed_too(tmp_path: Path) -> None:
    search = Search("pursuit:rounds=1,wind=0.5", compiled=False, seed=4, method="widening")
    search.run(simulations=30)
    resumed = Search.load(search.save(tmp_path / "x.tree"), compiled=False)
    assert same_bits(search, resumed)
    search.run(simulations=10)
    resumed.run(simulations=10)
    assert same_bits(search, resumed)


@pytest.mark.parametrize("harm", ["sibling beyond", "cycle", "shared", "root in a chain", "no number", "negative"])
def test_damaged_chains_are_refused(harm: str, tmp_path: Path) -> None:
    search = Search("loss-1d", compiled=False, seed=4, method="widening")
    search.run(simulations=20)
    tree, used = search.trees[0].tree, search.trees[0].used
    inner = [slot for slot in range(1, used) if tree.nodes[slot]["count"] > 1]
    chain = [int(slot) for slot in search.trees[0].edges(0)]
    if harm == "sibling beyond":
        tree.siblings[chain[-1]] = used
    elif harm == "cycle":
        tree.siblings[chain[-2]] = chain[-1]
    elif harm == "shared":
        tree.nodes[inner[0]]["first"] = tree.nodes[inner[1]]["first"]
    elif harm == "root in a chain":
        tree.siblings[chain[-1]] = 0
    elif harm == "no number":
        tree.moves[1] = np.nan
    else:
        tree.siblings[chain[-1]] = -1
    file = search.save(tmp_path / "x.tree")
    with pytest.raises(FileError, match=r"is damaged: (a chain|a slot|a number) .*; save it again$"):
        Search.load(file, compiled=False)


def test_another_state_starts_anew() -> None:
    game = playout.load("loss-1d")
    search = Search(game, compiled=False, seed=1, method="widening")
    search.run(simulations=20)
    after = search.play(0.5)
    assert after.fields.stage == 1
    fresh = Search(game, compiled=False, seed=1, method="widening")
    assert search.run(simulations=20).action == fresh.run(after, simulations=20).action


CIRCLE: dict[str, Any] = {"players": 2, "stages": 2, "dimension": 2, "action_set": "sphere"}
WIND: dict[str, Any] = {"players": 2, "stages": 3, "movers": (0, NATURE, 1), "dimension": 1, "bounds": (-1.0, 1.0)}


@pytest.mark.compiles
@pytest.mark.parametrize("words", [CIRCLE, WIND], ids=["sphere", "chance"])
def test_compiled_is_uncompiled_on_a_sphere_and_with_chance(words: dict[str, Any]) -> None:
    """Small games, since they must be compiled."""
    last, far = words["stages"] - 1, words["dimension"] - 1

    def payoffs(actions, out):
        out[0] = actions[0, 0] * actions[last, far] - actions[1, 0] * actions[0, far]
        out[1] = actions[last, 0] * actions[1, 0] + actions[0, far] * actions[last, far]

    games = [Game("small", payoffs=payoffs, **words, compiled=compiled) for compiled in (False, True)]
    for method in ({"method": "widening"}, {"method": "gradient", "derivative": "own"}, {"method": "local"}):
        searches = [Search(game, seed=6, **method) for game in games]
        for search in searches:
            search.run(simulations=40)
        assert same_bits(*searches), method
