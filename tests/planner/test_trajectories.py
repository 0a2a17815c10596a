"""Lines of continuous games: complete from anywhere, replayed to their payoffs; known answers; what a search may cost."""

from __future__ import annotations

import statistics
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import playout
from playout import Game, Search, Stream
from playout.errors import UnfinishedLine
from playout.planner.line import Course
from playout.truth.continuous.regret import regret
from tests.tiers import compiling


@pytest.mark.compiles
@pytest.mark.parametrize("method", ["widening", "gradient", "local", "local-alone"])
@pytest.mark.parametrize("before", [(), (0.5,), (0.5, -1.25)])
def test_complete_from_anywhere(method: str, before: tuple[float, ...]) -> None:
    state = playout.load("loss-1d").start(0).replay(before)
    decision = Search("loss-1d", seed=1, method=method).run(state, simulations=60)
    line = decision.line(until="end")
    assert line.finished and line.from_tree == len(line.actions) == 3 - len(before)
    assert line.actions[0] == decision.action
    assert line.states[0] == state
    replayed = state.replay(line.actions)
    assert replayed.over and replayed.returns == line.returns
    assert [float(a[0]) for a in replayed.fields.actions] == [*before, *(a[0] for a in line.actions)]


@pytest.mark.compiles
def test_the_value_of_the_choice_is_that_of_the_line() -> None:
    decision = Search("loss-1d", seed=1).run(simulations=400)
    assert decision.chosen.means == pytest.approx(decision.line().returns, rel=1e-5)


def test_a_subgame_is_the_game() -> None:
    """After a fixed first move the answers are those of a game in which that move is a constant: the best ones."""
    loss = playout.load("loss-1d")
    first = -0.4

    def payoffs(actions, out):
        whole = np.zeros((3, 1), actions.dtype)
        whole[0, 0], whole[1, 0], whole[2, 0] = first, actions[0, 0], actions[1, 0]
        loss.functions["payoffs"](whole, out, np.zeros(1))

    rest = Game("rest", players=3, stages=2, movers=(1, 2), dimension=1, bounds=(-5.0, 5.0), payoffs=payoffs, compiled=False)
    for words in ({"method": "gradient"}, {"method": "widening", "last": "solve"}):
        inner = Search(loss, compiled=False, seed=1, **words).run(loss.start(0).play(first), simulations=60)
        outer = Search(rest, compiled=False, seed=1, **words).run(simulations=60)
        assert np.array(inner.line().actions) == pytest.approx(np.array(outer.line().actions), abs=1e-9)
        assert inner.line().returns == pytest.approx(outer.line().returns, abs=1e-9)


def test_regret_of_an_unfinished_line() -> None:
    state = playout.load("loss-1d").start(0)
    course = Course(state)
    course.play((0.5,))
    line = course.done(from_tree=1)
    with pytest.raises(UnfinishedLine):
        regret("loss-1d", line)
    with pytest.raises(UnfinishedLine) as raised:
        _ = line.returns
    assert str(raised.value) == (
        "the line stops after 1 actions, before the game ends, so it has no returns: ask for line(until='end', complete=True) or "
        "raise the budget"
    )


@pytest.mark.compiles
def test_the_loss_game_is_solved() -> None:
    for seed in range(5):
        line = Search("loss-1d", seed=seed).run(simulations=800).line()
        found = regret("loss-1d", line)
        assert max(found.players) < 1e-6
        assert found.distance < 1e-4


def test_three_firms() -> None:
    """Each firm makes half of what those before it left of 10: 5, 2.5 and 1.25."""
    line = Search("stackelberg:firms=3", compiled=False, seed=1).run(simulations=150).line()
    assert [a[0] for a in line.actions] == pytest.approx([5.0, 2.5, 1.25], abs=1e-3)
    assert line.returns == pytest.approx([6.25, 3.125, 1.5625], abs=1e-2)


def test_quantum_line_better_than_random() -> None:
    """The first player against the search's own second player: a centre board wins classically; random lines are worth little."""
    game = playout.load("quantum-line")
    stream, found = Stream(9), []
    for _ in range(200):
        state = game.start(0)
        while not state.over:
            state = state.play(state.random(stream))
        found.append(state.returns[0])
    by_chance = statistics.mean(found)
    searched = [Search(game, compiled=False, seed=seed).run(simulations=60) for seed in range(3)]
    assert {decision.settings.derivative for decision in searched} == {"own"}
    assert statistics.mean(decision.line().returns[0] for decision in searched) > by_chance + 0.4


@pytest.mark.parametrize("spec", ["pursuit:rounds=2", "pursuit:rounds=2,wind=0.5", "pursuit:rounds=1,arena=0"])
def test_pursuit_finishes(spec: str) -> None:
    decision = Search(spec, compiled=False, seed=1).run(simulations=30)
    line = decision.line(until="end", complete=True)
    assert line.finished and len(line.returns) == 2 and line.returns[0] == -line.returns[1]
    if "arena=0" in spec:
        # One round in the open: away at full speed, after it at full speed.
        assert regret(spec, line).players[0] < 0.05


@pytest.mark.parametrize("spec", compiling(["loss-1d", "loss-3d", "polynomial:seed=3"], ["loss-1d"]))
def test_evaluations_a_simulation(spec: str) -> None:
    """Compiled only where another test needs it anyway."""
    decision = Search(spec, compiled=spec == "loss-1d", seed=1).run(simulations=400 if spec == "loss-1d" else 100)
    assert decision.evaluations is not None
    assert 10 < decision.evaluations / decision.simulations <= 50


def test_search_never_asks_regret() -> None:
    code = (
        "import sys, playout; d = playout.Search('loss-1d', compiled=False).run(simulations=20); d.line(until='end'); d.why(); "
        "print([m for m in sys.modules if m.startswith('playout.truth')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_counting_is_honest() -> None:
    asked: list[Any] = []

    def payoffs(actions, out):
        asked.append(1)
        x, y = actions[0, 0], actions[1, 0]
        out[0] = x * y - x * x
        out[1] = -(y - x) * (y - x)

    game = Game("counted", players=2, stages=2, dimension=1, bounds=(-1.0, 1.0), payoffs=payoffs, compiled=False)
    for words in ({"method": "gradient"}, {"derivative": "own"}, {"slopes": "differences"}, {"method": "local"}):
        search = Search(game, compiled=False, seed=1, **words)
        del asked[:]
        decision = search.run(simulations=50)
        # Following the line asks for its payoffs once more, perhaps, but no more than that.
        assert 0 <= len(asked) - decision.evaluations <= 2
