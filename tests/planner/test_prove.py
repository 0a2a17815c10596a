"""Part of a budget for the solver: what it proves is the decision, and what it does not costs only its part."""

import pytest

import playout
from playout import Budget, PlayoutError, Search
from playout.agents import recipe
from playout.planner.prove import POSITIONS, parts
from tests.engine.trees import ROWS


def searching(game, **words):
    return Search(game, **{"compiled": False, "seed": 2, "decisive_playouts": "off", **words})


def test_a_budget_in_two_parts():
    solver, rest = parts(Budget(simulations=1000, seconds=2), 0.25)
    assert (solver.simulations, solver.seconds, rest.simulations, rest.seconds) == (250 * POSITIONS, 0.5, 750, 2)
    solver, rest = parts(Budget(seconds=4, memory=10), 0.5)
    assert (solver.simulations, solver.seconds, rest.seconds, rest.memory) == (None, 2, 4, 10)


def test_what_the_solver_proves_is_the_decision():
    decision = searching("nim:heaps=3-4-1", prove=0.5).run(simulations=2000)
    assert decision.stopped == "proven" and decision.proven == (1.0, -1.0) and decision.simulations == 1 and decision.settled
    assert decision.name == "2 from heap B" and decision.chosen.proven == (1.0, -1.0)
    line = decision.line(until="end")
    assert line.finished and line.returns == (1.0, -1.0) and line.actions[0] == decision.action
    assert decision.note.startswith("the solver looked at ") and decision.note.endswith(" and proved the position")
    # The same as the search proves by itself.
    assert searching("nim:heaps=3-4-1").run(simulations=20_000).proven == decision.proven


def test_scores_are_proven_too():
    game = playout.load(ROWS, length=5)
    decision = searching(game, prove=0.5).run(simulations=1000)
    alone = searching(game).run(simulations=20_000)
    assert decision.proven == alone.proven is not None and decision.simulations == 1


def test_what_it_cannot_prove_costs_its_part_only():
    search = searching("connect-four", prove=0.25)
    decision = search.run(simulations=80)
    assert decision.proven is None and decision.simulations == 60 and decision.stopped == "simulations"
    assert decision.note.startswith("the solver looked at 40") and decision.note.endswith(" s and did not prove it")
    assert decision.actions == searching("connect-four").run(simulations=60).actions
    again = searching("connect-four", prove=0.25).run(simulations=80)
    assert again.actions == decision.actions


def test_it_goes_on_from_move_to_move():
    search = searching("nim:heaps=2-3", prove=0.5)
    state, movers = search.game.start(), []
    while not state.over:
        decision = search.run(state, simulations=500)
        movers.append(decision.proven[0])
        state = search.play(decision.action)
    assert movers == [1.0] * len(movers) and state.returns == (1.0, -1.0)
    assert (
        searching("nim:heaps=2-3", prove=0.5).choose(simulations=500).action
        == searching("nim:heaps=2-3").choose(simulations=5000).action
    )


@pytest.mark.parametrize(
    ("game", "words", "message"),
    [
        ("nim", {"prove": 1.0}, "prove is 1; it must be from 0 to 0.9, the part of the budget that the solver gets"),
        ("nim", {"prove": 0.5, "solver": False}, "prove=0.5 and solver=False contradict each other; leave one of them out"),
        (
            "kuhn-poker",
            {"prove": 0.5},
            "prove=0.5 is for games of two players that hide nothing and whose actions can be listed, which 'kuhn-poker' is not; leave prove out",
        ),
    ],
)
def test_where_it_makes_no_sense(game, words, message):
    with pytest.raises(PlayoutError) as caught:
        searching(game, **words)
    assert str(caught.value) == message


def test_chance_is_found_out_by_playing():
    with pytest.raises(
        PlayoutError, match="chance has a say in pig:target=20, and a position of it is not won or lost for certain"
    ):
        searching("pig:target=20", prove=0.5).run(simulations=100)


def test_agents_can_prove():
    agent = recipe("uct:simulations=500,prove=0.3", playout.load("nim:heaps=1-2"))
    assert agent.name == "uct:simulations=500,prove=0.3"
    with pytest.raises(PlayoutError, match="prove=0.3 is for games of two players"):
        recipe("uct:prove=0.3", playout.load("scoundrel"))
