"""What an evaluator says by itself of every action: known answers, honest draws, and no say in the decision."""

import numpy as np
import pytest

import playout
from playout import Search
from playout.game.stream import Stream
from tests.engine.trees import ROWS, same_bits

GAME = playout.load("tic-tac-toe")


def counting(players, actions):
    """An evaluator that values a state by its bytes, so that everything can be worked out beside it."""

    def evaluate(states):
        asked.append(len(states))
        raw = np.ascontiguousarray(states).view(np.uint8).reshape(len(states), -1).astype(float)
        worth = np.sin(raw @ np.arange(1.0, raw.shape[1] + 1))
        priors = 1.0 + np.arange(actions) * np.ones((len(states), 1))
        return priors, np.stack([worth * (player + 1) for player in range(players)], axis=1)

    asked: list[int] = []
    evaluate.asked = asked
    return evaluate


def searched(game, state=None, simulations=60, **words):
    words = {"batch": 4, "seed": 2, **words}
    search = Search(game, evaluator=counting(game.players, game.actions), compiled=False, **words)
    return search, search.run(state, simulations=simulations)


def test_it_is_the_value_of_the_position_behind_the_action_for_the_mover():
    state = GAME.start().replay(["b2", "a1", "c1"])
    _, decision = searched(GAME, state)
    evaluate = counting(2, 9)
    for action in decision.actions:
        assert action.evaluated == evaluate(state.play(action.action).copy_array())[1][0, state.mover]
    assert state.mover == 1 and decision.evaluator == "the evaluator evaluate"


def test_a_finished_position_has_its_result():
    state = GAME.start().replay(["a1", "a2", "b1", "b2"])
    _, decision = searched(GAME, state)
    assert decision["c1"].evaluated == 1.0


def test_the_choice_and_the_trees_are_the_same_without_it(monkeypatch):
    with_it, one = searched(GAME)
    monkeypatch.setattr("playout.planner.run.first_sight", lambda state, actions, ask, **words: dict.fromkeys(actions, 0.0))
    without, two = searched(GAME)
    assert same_bits(with_it, without) and one.action == two.action


def test_a_quick_choice_does_not_ask_for_it():
    search = Search(GAME, evaluator=(evaluate := counting(2, 9)), compiled=False, batch=4, seed=2)
    search.choose(simulations=40)
    asked = sum(evaluate.asked)
    search = Search(GAME, evaluator=(evaluate := counting(2, 9)), compiled=False, batch=4, seed=2)
    search.run(simulations=40)
    assert sum(evaluate.asked) == asked + 9


def test_partial_decisions_ask_once():
    evaluate = counting(2, 9)
    list(Search(GAME, evaluator=evaluate, compiled=False, batch=4, seed=2).iterate(simulations=60, every=0.0))
    assert evaluate.asked.count(9) == 1


def test_chance_is_averaged_over_draws_of_its_own():
    game = playout.load(ROWS + ":dice=1")
    state = game.start(1)
    _, decision = searched(game, state)
    evaluate, mover = counting(game.players, game.actions), state.mover
    for action in decision.actions:
        drawn = state.play(action.action)
        if drawn.word != state.word:
            really = drawn.returns[mover] if drawn.over else evaluate(drawn.copy_array())[1][0, mover]
            assert action.evaluated != really, "what the dice will show is not known yet"
    assert len({searched(game, state)[1].actions[0].evaluated for _ in range(2)}) == 1


def test_what_is_hidden_does_not_show():
    """Two states that the mover cannot tell apart: the same numbers for both."""
    game = playout.load("leduc-poker")
    state = game.start(3)
    other = next(w for w in (state.world(state.mover, Stream(seed)) for seed in range(50)) if w != state)
    assert other.observed(state.mover) == state.observed(state.mover)
    found = [[action.evaluated for action in searched(game, where)[1].actions] for where in (state, other)]
    assert found[0] == found[1]


def test_table_json_and_why_speak_of_it():
    _, decision = searched(GAME, GAME.start().replay(["b2"]), simulations=80)
    a, b = decision.ranked[:2]
    assert decision.columns[5:7] == ("interval", "prior") and "evaluated" in decision.columns
    row = dict(zip(decision.columns, decision.rows()[0], strict=True))
    assert (row["prior"], row["evaluated"]) == (f"{a.prior:.4f}", f"{a.evaluated:.4f}")
    told = decision.to_dict()
    assert told["evaluator"] == "the evaluator evaluate" and told["actions"][0]["evaluated"] == decision.actions[0].evaluated
    visits = sum(action.visits for action in decision.actions)
    assert decision.why().endswith(
        f" The evaluator evaluate gave {a.name} {a.prior:.2f} of the prior and {b.name} {b.prior:.2f}; search gave them "
        f"{a.visits / visits:.2f} and {b.visits / visits:.2f} of the visits. By itself the evaluator evaluate values {a.name} at "
        f"{a.evaluated:+.3f} and {b.name} at {b.evaluated:+.3f}."
    )
    assert "<th>evaluated<small>" in decision._repr_html_()


def test_without_an_evaluator_nothing_of_it_is_there():
    decision = Search(GAME, seed=1, compiled=False).run(simulations=50)
    assert "evaluated" not in decision.columns and decision.chosen.evaluated is None and decision.evaluator == ""


def test_the_report_has_it(tmp_path):
    from playout.report.decision_page import write_report

    _, decision = searched(GAME, GAME.start().replay(["b2"]))
    page = write_report(tmp_path / "a.html", [decision], "a").read_text()
    assert "its value by itself, without search" in page and f"<td>{decision.chosen.evaluated:.4f}</td>" in page


@pytest.mark.parametrize("width", [60, 80, 200])
def test_on_a_narrow_terminal_it_stays(width):
    from rich.console import Console

    from playout.cli.show import decision_table

    _, decision = searched(GAME, GAME.start().replay(["b2"]))
    out = Console(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    out.print(decision_table(out, decision, 3))
    head = out.export_text().splitlines()[0].split()
    assert {"visits", "mean", "prior", "evaluated"} <= set(head)
