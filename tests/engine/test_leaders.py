"""Leaders are a short cut: whoever they choose is whom a look at all actions would choose."""

from __future__ import annotations

import importlib
from collections import Counter
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playout import Search
from playout.errors import FileError, GameError
from playout.game.game import Game
from tests.engine.real_games import Bench, logged

leaders, stages, sampling, borrowing, refine = (
    importlib.import_module(f"playout.engine.real.{n}") for n in ("leaders", "descent", "sampling", "borrowing", "refine")
)

WAYS: list[dict[str, Any]] = [
    {"method": "widening"},
    {"method": "widening", "sampling": "uniform", "backup": "mean", "borrow": False, "width": 4.0},
    {"method": "widening", "backup": "power", "c": 20.0},
    {"method": "gradient"},
    {"method": "gradient", "moved": "fresh"},
    {"method": "gradient", "moved": "decayed"},
    {"method": "local", "refine": 0.25, "c": 0.0},
]


def plain_choice(nodes: Any, tree: Any, position: int, player: int, c: float) -> int:
    """UCB1 over all actions of a position, as a newcomer would write it; the newest of equals."""
    edges = tree.edges(position)
    visits = np.maximum(1, nodes["visits"][edges])
    values = nodes["score"][edges, player] / visits
    span = float(np.ptp(values)) or 1.0
    weights = values + c * sqrt(log(max(1, int(nodes[position]["visits"])))) * span * (1.0 / np.sqrt(visits))
    return int(edges[len(edges) - 1 - int(np.argmax(weights[::-1]))])


def plain_best(nodes: Any, tree: Any, position: int, player: int) -> int:
    edges = [edge for edge in tree.edges(position) if nodes["visits"][edge] > 0]
    values = [float(nodes["score"][edge, player]) / int(nodes["visits"][edge]) for edge in edges]
    return edges[max(range(len(edges)), key=lambda k: (values[k], k))] if edges else -1


class Checked:
    """Searches of games that are new, every choice of which is compared with a look at all; and how often there was one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: Counter[str] = Counter()
        self.search: Any = None
        choose, best, look = leaders.choose_edge, leaders.best_edge, leaders.look_at_all

        def checked_choice(sim: Any, position: int, player: int) -> int:
            self.asked["choice"] += int(sim.nodes[position].count) >= leaders.FEW
            chosen = int(choose(sim, position, player))
            assert chosen == plain_choice(sim.nodes, self.search.trees[0], position, player, float(sim.options[0].c))
            return chosen

        def checked_best(sim: Any, position: int, player: int) -> int:
            found = int(best(sim, position, player))
            assert found == plain_best(sim.nodes, self.search.trees[0], position, player)
            return found

        def counted_look(*arguments: Any) -> int:
            self.asked["look"] += 1
            return int(look(*arguments))

        monkeypatch.setattr(leaders, "look_at_all", counted_look)
        monkeypatch.setattr(stages, "choose_edge", checked_choice)
        for module in (stages, sampling, borrowing, refine):
            monkeypatch.setattr(module, "best_edge", checked_best)

    def begin(self, game: Game, **words: Any) -> Any:
        """A search; the game must be new, or its kernels would be bound already."""
        self.search = Search(game, compiled=False, **words)
        return self.search


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> Checked:
    return Checked(monkeypatch)


@pytest.mark.parametrize("words", WAYS, ids=lambda words: "-".join(str(v) for v in words.values()))
@pytest.mark.parametrize("moving", [False, True], ids=["fixed", "moving"])
def test_the_choice_is_that_of_a_look_at_all(words: dict[str, Any], moving: bool, checked: Checked) -> None:
    game, _ = logged(2, moving=moving)
    checked.begin(game, seed=11, **words).run(simulations=250)
    assert 0 < checked.asked["look"] < checked.asked["choice"], "it must be put to use to be tested"


def family(scores: list[float]) -> tuple[Bench, list[int]]:
    """A root with one action of player 0 for every score, each visited once."""

    def payoffs(actions: Any, out: Any) -> None:
        out[0] = actions[0, 0]

    game = Game("one", players=1, stages=1, dimension=1, bounds=(-10.0, 10.0), payoffs=payoffs, compiled=False)
    bench = Bench(game, method="widening", backup="mean")
    slots = []
    for score in scores:
        slots.append(int(bench.call(stages.add_edge, bench.sim, 0, 0, np.zeros(1))))
        visit(bench, slots[-1], score)
    return bench, slots


def visit(bench: Bench, slot: int, value: float) -> None:
    bench.visit((0, slot), value)


def choice(bench: Bench) -> int:
    return int(bench.call(leaders.choose_edge, bench.sim, 0, 0))


def best(bench: Bench) -> int:
    return int(bench.call(leaders.best_edge, bench.sim, 0, 0))


def test_of_equals_the_newest() -> None:
    bench, slots = family([1.0] * 12)
    assert choice(bench) == best(bench) == slots[-1]
    visit(bench, slots[-1], 1.0)
    assert choice(bench) == slots[-2], "all values are equal, so the one tried twice has the smaller bonus"
    assert best(bench) == slots[-1]


def test_one_of_the_others_can_take_over() -> None:
    bench, slots = family([float(v) for v in range(12)])
    assert choice(bench) == best(bench) == slots[11]
    for _ in range(3):
        visit(bench, slots[0], 1000.0)
    assert choice(bench) == best(bench) == slots[0]
    for _ in range(4):
        visit(bench, slots[0], -3000.0)
    assert choice(bench) == best(bench) == slots[11]


def test_the_bonus_shrinks_with_the_range() -> None:
    """One very bad action makes the range wide and bonuses count; when it turns out not to be so bad, values count again."""
    bench, slots = family([-1000.0, *(float(v) for v in range(11))])
    for _ in range(3):
        visit(bench, slots[-1], 10.0)
    assert choice(bench) == slots[-2], "nearly as good and tried less"
    visit(bench, slots[0], 1000.0)
    assert choice(bench) == slots[-1]


def test_positions_with_few_actions_keep_nothing() -> None:
    bench, slots = family([3.0, 1.0, 2.0])
    assert choice(bench) == best(bench) == slots[0]
    assert int(bench.head.leads) == 0 and int(bench.tree.tree.lead[0]) == 0
    bench, _ = family([float(v) for v in range(leaders.FEW)])
    choice(bench)
    assert int(bench.head.leads) == 1


def test_a_search_goes_on_after_trouble(checked: Checked) -> None:
    """Actions that were added for a simulation that failed have no value: nobody may lead because of them."""

    def payoffs(actions: Any, out: Any) -> None:
        x = actions[0, 0]
        out[0] = -((x - 1.0) ** 2)
        # A new action of the root, which has leaders by now: it is never visited, and a look at all must come upon it.
        if x not in seen and wrong:
            out[0] = wrong.pop()
        seen.append(x)

    seen: list[Any] = []
    wrong: list[float] = []
    game = Game(
        "once-wrong", players=1, stages=2, dimension=1, bounds=(-2.0, 2.0), payoffs=payoffs, movers=(0, 0), compiled=False
    )
    search = checked.begin(game, seed=1, method="widening")
    search.run(simulations=200)
    wrong.append(np.nan)
    with pytest.raises(GameError, match="payoffs gave nan to player 0"):
        search.run(simulations=400)
    before = checked.asked["choice"]
    assert before and search.run(simulations=400).action[0] == pytest.approx(1.0, abs=0.2)
    assert checked.asked["choice"] > before


def test_leaders_out_of_a_file_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not saved, and a number of them would point anywhere."""
    store = importlib.import_module("playout.planner.store")
    columns_of = store.columns_of

    def harmed(tree: Any) -> Any:
        columns = columns_of(tree)
        assert "lead" not in columns and "leads" not in columns and not columns["head"]["leads"].any()
        columns["head"]["leads"] = 10**6
        return columns

    search = Search("loss-1d", compiled=False, seed=4, method="widening")
    search.run(simulations=40)
    assert int(search.trees[0].head("leads")) > 0
    monkeypatch.setattr(store, "columns_of", harmed)
    with pytest.raises(FileError, match=r"is damaged: its head is not that of a tree at rest; save it again$"):
        Search.load(search.save(tmp_path / "x.tree"), compiled=False)
