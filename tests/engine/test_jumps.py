"""Where best answers jump: slopes lead beyond the jump, several maxima hide the best, and best actions sit at edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from playout import Game, Search
from playout.engine.real.chain import add_edge
from playout.engine.real.sampling import prefer_known, propose
from tests.engine.real_games import Bench


def cliff() -> Game:
    """Player 1 answers -1 up to x = 0.3 and 1 beyond; player 0 wants to be as far right as it can without that: U(x) = x + 2."""

    def payoffs(actions: Any, out: Any) -> None:
        x, y = actions[0, 0], actions[1, 0]
        out[0] = x - 2.0 * y
        out[1] = y * (x - 0.3)

    return Game("cliff", players=2, stages=2, dimension=1, bounds=(-1.0, 1.0), payoffs=payoffs, compiled=False)


def hills() -> Game:
    """Player 1 has two maxima, near -1 and, a little better for it and much worse for player 0, near 1."""

    def payoffs(actions: Any, out: Any) -> None:
        x, y = actions[0, 0], actions[1, 0]
        out[0] = -y - 0.1 * x * x
        out[1] = -((y * y - 1.0) ** 2) + 0.1 * y

    return Game("hills", players=2, stages=2, dimension=1, bounds=(-1.5, 1.5), payoffs=payoffs, compiled=False)


@pytest.mark.parametrize("seed", range(5))
def test_a_step_beyond_a_jump_is_shortened(seed: int) -> None:
    decision = Search(cliff(), compiled=False, seed=seed, method="gradient").run(simulations=300)
    ((x,), (y,)) = decision.line(until="end").actions
    assert y == -1.0 and 0.29 < x <= 0.3


@pytest.mark.parametrize("seed", range(5))
def test_the_better_of_two_maxima_is_found_below_every_trusted_action(seed: int) -> None:
    """Actions moved close together must not each look good until their own answer is found."""
    search = Search(hills(), compiled=False, seed=seed, method="gradient")
    decision = search.run(simulations=150)
    assert decision.line(until="end").actions[1][0] > 0.9
    most = max(record.visits for record in decision.actions)
    often = [record for record in decision.actions if record.visits >= most / 4]
    assert all(record.mean == pytest.approx(-1.012 - 0.1 * record.action[0] ** 2, abs=0.01) for record in often)


class Beside:
    """Actions a and b of player 0 side by side: a is answered near 1, where player 1 has most, and visited once."""

    def __init__(self) -> None:
        self.bench = Bench(hills(), method="gradient")
        a = self.add(0, 0, 0.2)
        self.visit(a, self.add(a, 1, 1.0), (-1.004, 0.1))
        self.b = self.add(0, 0, 0.21)
        self.bench.work.low[:], self.bench.work.high[:] = -1.5, 1.5

    def add(self, position: int, player: int, action: float) -> int:
        return int(self.bench.call(add_edge, self.bench.sim, position, player, np.array([action])))

    def visit(self, first: int, answer: int, value: tuple[float, float]) -> None:
        self.bench.visit((0, first, answer), value)

    def begin(self, y: float) -> tuple[bool, float]:
        """Where the first answer to b begins, if it was about to begin at y."""
        bench = self.bench
        bench.work.point[:, 0] = 0.21, y
        taken = bench.call(prefer_known, bench.sim, 0, self.b, 0, 1, 1)
        return bool(taken), float(bench.work.point[1, 0])

    def next_start(self) -> float:
        """Where the next answer to b begins."""
        bench = self.bench
        with np.errstate(over="ignore"):  # as where simulations are run
            bench.call(propose, bench.sim, 0, self.b, 0, 1, 1, 1)
        return float(bench.work.fresh[0])


def test_a_known_answer_beside_is_taken_when_it_is_better() -> None:
    beside = Beside()
    assert beside.begin(-0.9) == (True, 1.0)
    assert beside.begin(1.01) == (False, 1.01), "what is better stays"
    beside.bench.options.borrow = 0
    assert beside.begin(-0.9) == (False, -0.9)


def test_a_solved_answer_that_is_known_does_not_keep_others_from_being_tried() -> None:
    """Solved again and again, the same answer is found and none is added: turns go by visits, every other one to a new place."""
    beside = Beside()
    answer = beside.add(beside.b, 1, -1.0)
    a = beside.bench.tree.edges(0)[0]
    starts = []
    for _ in range(4):
        beside.visit(beside.b, answer, (0.9, -0.1))
        for _ in range(2):
            beside.visit(a, beside.bench.tree.edges(a)[0], (-1.004, 0.1))
        starts.append(beside.next_start())
    assert starts[0] == starts[2] == 1.0, "borrowed"
    assert len({*starts}) == 3 and abs(starts[1] - starts[3]) > 0.1


def test_both_ends_of_the_box_are_tried() -> None:
    search = Search("loss-1d", compiled=False, seed=3, method="gradient")
    search.run(simulations=200)
    tried = {search.trees[0].action_of(slot)[0] for slot in search.trees[0].edges(0)}
    assert {-5.0, 5.0} <= tried


@pytest.mark.parametrize("seed", range(3))
def test_everywhere_is_not_deceived_by_a_jump(seed: int) -> None:
    decision = Search(cliff(), compiled=False, seed=seed, last="everywhere").run(simulations=200)
    ((x,), (y,)) = decision.line(until="end").actions
    assert y == -1.0 and 0.29 < x <= 0.3
