"""With one legal action nobody searches: the decision comes back at once, the tree goes on, and stored experiments are told apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

import playout
from playout import Search
from playout.arena.experiment import Experiment, plan
from playout.arena.referee import Referee
from playout.report.decision_page import page
from tests.checker.broken import broken

FULL = ["a1", "b1", "a2", "b2", "c1", "c2", "b3", "a3"]
"""Tic-tac-toe with one cell left, nobody having won."""


@pytest.mark.parametrize(
    "changes", [{}, {"final": "mean"}, {"final": "shares"}, {"root_rule": "gumbel"}, {"prove": 0.5}, {"rule": "regret-matching"}]
)
def test_the_decision_comes_back_at_once_and_says_so(changes: dict[str, Any]) -> None:
    game = playout.load("tic-tac-toe")
    search = Search(game, compiled=False, **changes)
    search.passing = True
    decision = search.run(game.start().replay(FULL), simulations=5000)
    assert (decision.name, decision.simulations, decision.stopped, decision.settled) == ("c3", 0, "only", True)
    assert decision.summary() == "tic-tac-toe, player 0 to act: one legal action, so nothing was searched (seed 0)"
    assert decision.why() == "c3 is the only legal action." and decision.sureness == "it is the only legal action"
    assert decision.line().names == ("c3",) and decision.line().finished
    assert "c3 is the only legal action" in page([decision], "one") and decision.to_dict()["stopped"] == "only"


def test_quick_choices_and_kept_trees_go_on() -> None:
    game = playout.load("tic-tac-toe")
    search = Search(game, compiled=False, solver=False)
    search.passing = True
    search.run(game.start().replay(FULL[:-2]), simulations=60)
    search.play(FULL[-2])
    search.run(simulations=60)
    search.play(FULL[-1])
    known = search.trees[0].visits
    choice = search.choose(simulations=1000)
    assert choice.simulations == 0 and choice.stopped == "only" and choice.visits == known - 1 > 0
    assert search.run(simulations=1000).parent_visits == known
    assert search.play(choice.action).over


def test_nothing_is_surveyed_where_nothing_can_be_chosen() -> None:
    game = playout.load("knockout-whist:cards=1")
    search = Search(game, compiled=False)
    search.passing = True
    decision = search.survey(search.run(game.start(), simulations=50))
    assert decision.survey is None and decision.stopped == "only" and decision.worlds in (None, 0)


def test_the_arena_spends_nothing_there(tmp_path: Path) -> None:
    game = broken(tmp_path, more="compiled = False")
    experiment, game, recipes = plan(game, ["uct:simulations=12,solver=false", "random"])
    record = Referee(game, recipes, experiment.rules).play(experiment.schedule.fixture(0))
    searched = [
        (choices, simulations)
        for choices, mover, simulations in zip(record.column("choices"), record.movers, record.column("simulations"))
        if record.seats[mover] == 0
    ]
    assert {simulations for choices, simulations in searched if choices > 1} == {12}
    assert {simulations for choices, simulations in searched if choices == 1} <= {0} and len(record.movers) == 4


def test_experiments_from_before_are_told_apart() -> None:
    """Trees that are kept from move to move had more simulations in them, so games went differently."""
    experiment = plan("tic-tac-toe", ["random", "random"])[0]
    old = msgspec.structs.replace(experiment, passing=False)
    assert b"passing" not in old.encode() and Experiment.decode(old.encode()) == old
    assert old.identity != experiment.identity
    assert old.differences(experiment) == [
        "searches that spend nothing where there is one legal action, where these spend their whole budget"
    ]


def test_a_search_by_itself_runs_as_it_is_told() -> None:
    game = playout.load("tic-tac-toe")
    decision = playout.search(game.start().replay(FULL), simulations=30, compiled=False, solver=False)
    assert decision.simulations == 30 and decision.stopped == "simulations"
