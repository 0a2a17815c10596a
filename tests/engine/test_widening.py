"""Progressive widening, backups and local minimax of continuous games, by hand on small trees."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import playout
from playout import Game, Search
from playout.engine.real.chain import add_edge
from playout.engine.real.descent import width_of
from playout.engine.real.refine import to_best_nearby
from tests.engine.real_games import Bench, logged


def test_width_by_hand() -> None:
    bench = Bench(playout.load("loss-1d"), width=2.0, power=0.5)
    assert [bench.call(width_of, bench.options, n) for n in (0, 1, 2, 4, 9, 100)] == [1, 2, 2, 4, 6, 20]


@pytest.mark.parametrize("words", [{"width": 2.0}, {"width": 1.0, "power": 0.7}, {"width": 0.3, "power": 0.3}, {"power": 0.0}])
def test_no_position_is_wider_than_allowed(words: dict[str, Any]) -> None:
    search = Search("loss-1d", compiled=False, seed=1, method="widening", **words)
    search.run(simulations=150)
    tree, settings = search.trees[0], search.settings
    assert tree.tree.nodes[0]["visits"] == 150
    for slot in range(tree.used):
        node = tree.tree.nodes[slot]
        visits, count = int(node["visits"]), int(node["count"])
        if slot and count and not tree.tree.nodes[node["first"]]["count"]:
            # The last stage: an action for every visit, and none of them twice.
            assert count == visits
            assert all(tree.tree.nodes[edge]["visits"] == 1 for edge in tree.edges(slot))
        else:
            assert count <= max(1, math.floor(settings.width * visits**settings.power))


def test_moved_lines_come_on_top_of_the_width() -> None:
    search = Search("loss-1d", compiled=False, seed=1, method="gradient")
    search.run(simulations=60)
    node = search.trees[0].tree.nodes[0]
    moved = int(node["visits"]) - 60
    assert 0 < moved <= 2 * 60
    assert node["count"] <= math.floor(2.0 * math.sqrt(node["visits"])) + moved


def test_a_solved_last_action_is_found_again_and_not_added() -> None:
    """The last mover's payoff has one top, so every solved last action is the same one."""
    search = Search("loss-1d", compiled=False, seed=1, method="widening", last="solve")
    search.run(simulations=60)
    tree = search.trees[0]
    ends = [slot for slot in range(1, tree.used) if tree.tree.nodes[slot]["count"] and _is_last(tree, slot)]
    assert ends and all(tree.tree.nodes[slot]["count"] == 1 for slot in ends)
    for slot in ends:
        (edge,) = tree.edges(slot)
        y, z = float(tree.tree.moves[slot, 0]), float(tree.tree.moves[edge, 0])
        assert z == pytest.approx(min(5.0, max(-5.0, -(9 * y + 5) / 20)), abs=1e-5)


def _is_last(tree: Any, slot: int) -> bool:
    return all(not tree.tree.nodes[edge]["count"] for edge in tree.edges(slot))


def two_stages() -> Game:
    def payoffs(actions, out):
        out[0] = actions[0, 0]
        out[1] = actions[1, 0]

    return Game("two", players=2, stages=2, dimension=1, bounds=(-10.0, 10.0), payoffs=payoffs, compiled=False)


def backed_up(backup: str, **words: Any) -> Bench:
    """A root with two actions of player 0, a with the answers (1, 5) and (8, 2), b with (3, 4); each path visited once."""
    bench = Bench(two_stages(), backup=backup, **words)

    def add(position: int, player: int) -> int:
        return int(bench.call(add_edge, bench.sim, position, player, np.zeros(1)))

    a = add(0, 0)
    paths = [((0, a, add(a, 1)), (1.0, 5.0)), ((0, a, add(a, 1)), (8.0, 2.0))]
    b = add(0, 0)
    paths.append(((0, b, add(b, 1)), (3.0, 4.0)))
    for path, value in paths:
        bench.visit(path, value)
    assert [int(n) for n in bench.tree.tree.nodes["visits"][:6]] == [3, 2, 1, 1, 1, 1]
    return bench


def means(bench: Bench, slot: int) -> list[float]:
    node = bench.tree.tree.nodes[slot]
    return [float(v) / int(node["visits"]) for v in node["score"]]


def test_mean_backup_by_hand() -> None:
    bench = backed_up("mean")
    assert means(bench, 1) == [4.5, 3.5] and means(bench, 4) == [3.0, 4.0]
    assert means(bench, 0) == pytest.approx([4.0, 11 / 3])


def test_max_backup_by_hand() -> None:
    """At a the second player takes (1, 5), which is its own best; so the first takes b."""
    bench = backed_up("max")
    assert means(bench, 1) == [1.0, 5.0] and means(bench, 0) == [3.0, 4.0]


def test_power_backup_by_hand() -> None:
    """On the running range of player 1, 2 to 5, the answers of a are 1 and 0, so with exponent 2 it is worth 2 + 3·sqrt(1/2)."""
    bench = backed_up("power", exponent=2.0)
    a = means(bench, 1)
    assert a[1] == pytest.approx(2 + 3 * math.sqrt(0.5)) and a[0] == pytest.approx(1.0)
    # Player 0's values, 1 and 3 on its range from 1 to 8, are 0 and 2/7, visited 2 and 1 times.
    root = means(bench, 0)
    assert root[0] == pytest.approx(1 + 7 * math.sqrt((2 / 7) ** 2 / 3)) and root[1] == pytest.approx(4.0)
    near_max = means(backed_up("power", exponent=500.0), 0)
    assert near_max[0] == pytest.approx(3.0, abs=0.01)


def test_local_minimax_by_hand() -> None:
    """Two stages, two points each: the known points are solved backwards, every mover for itself."""

    def payoffs(actions, out):
        asked.append(actions[:, 0].copy())
        x, y = actions[0, 0], actions[1, 0]
        out[0] = -(x - 2.0) * (x - 2.0) - 3 * y
        out[1] = -(y - 3 * x) * (y - 3 * x)

    asked: list[Any] = []
    game = Game("near", players=2, stages=2, dimension=1, bounds=(-10.0, 10.0), payoffs=payoffs, compiled=False)
    bench = Bench(game, method="local", branches=3, distance=0.1)
    point = np.array([[0.5], [1.5]])
    bench.work.root[0] = 0
    bench.work.rng.word = 12345
    del asked[:]
    bench.call(to_best_nearby, bench.head, bench.options, bench.work, point)
    tried = np.array(asked)
    xs, ys = list(dict.fromkeys(tried[:, 0])), list(dict.fromkeys(tried[:, 1]))
    assert len(tried) == 9 and xs[0] == 0.5 and ys[0] == 1.5 and min(len(xs), len(ys)) > 1  # two of the three may be on one side
    answers = {x: max(ys, key=lambda y: -((y - 3 * x) ** 2)) for x in xs}
    x = max(xs, key=lambda x: -((x - 2.0) ** 2) - 3 * answers[x])
    assert (point[0, 0], point[1, 0]) == (x, answers[x])
    # Points are at one distance for each stage, four times as far for the one who answers.
    reach = {round(abs(v - 0.5), 9) for v in xs[1:]}, {round(abs(v - 1.5), 9) for v in ys[1:]}
    assert len(reach[0]) == len(reach[1]) == 1
    assert reach[1].pop() == pytest.approx(4 * reach[0].pop())


def test_a_moved_first_action_takes_the_place_of_the_old_one() -> None:
    """moved=fresh once replaced the root itself when the first action of a line was new, and so dropped the whole tree."""
    for moved in ("fresh", "decayed"):
        game, _ = logged(2, moving=False)
        search = Search(game, compiled=False, seed=3, method="gradient", moved=moved)
        search.run(simulations=60)
        tree = search.trees[0]
        assert tree.tree.nodes[0]["visits"] >= 60
        assert tree.tree.moves[0, 0] == 0.0
        assert 5 < len(tree.edges(0)) <= math.floor(2.0 * math.sqrt(tree.tree.nodes[0]["visits"])) + 1


def test_moved_actions_leave_room_for_others() -> None:
    """Lines that were moved to where it is good must not keep other places from being tried."""
    tree = Search("loss-1d", seed=1, compiled=False).run(simulations=60).trees[0]
    moved, visits = int(tree.tree.moved[0]), int(tree.tree.nodes[0]["visits"])
    assert moved > 5
    assert len(tree.edges(0)) - moved >= int(2.0 * visits**0.5) - 1


def test_a_solved_last_stage_begins_elsewhere_every_time() -> None:
    """Two maxima, of which the steps uphill find the nearer one: only other starts find the better."""

    def payoffs(actions: Any, out: Any) -> None:
        x = actions[0, 0]
        out[0] = -((x * x - 1.0) ** 2) + 0.3 * x

    game = Game("hills", players=1, stages=1, dimension=1, bounds=(-2.0, 2.0), payoffs=payoffs)
    for seed in range(6):
        (found,) = Search(game, seed=seed, compiled=False).run(simulations=12).action
        assert found > 0.9


def test_a_player_who_acts_twice_in_a_row_grows_and_goes_on():
    """Movers 0, 1, 1, 0 with many new actions: the tree must grow while lines are on their way."""

    def payoffs(actions, out):
        a, b, c, d = actions[0, 0], actions[1, 0], actions[2, 0], actions[3, 0]
        out[0] = -(a - 0.3 * b) * (a - 0.3 * b) - (d - c) * (d - c) + 0.2 * a * c
        out[1] = -(b + 0.4 * a) * (b + 0.4 * a) - (c - 0.5 * d) * (c - 0.5 * d)

    made = Game(
        "twice", players=2, stages=4, dimension=1, movers=(0, 1, 1, 0), bounds=(-1.0, 1.0), payoffs=payoffs, compiled=False
    )
    search = Search(made, seed=1, method="widening", width=8.0, trees=1, compiled=False)
    decision = search.run(simulations=1500)
    assert search.trees[0].used > 1024 * 4 + made.most_legal, "it has grown"
    assert [state.mover for state in decision.line().states] == [0, 1, 1, 0, -1]
