"""Right decisions and agreement over the budget: known answers, same seeds, and games that nobody can solve."""

import pytest

import playout
from playout import PlayoutError
from playout.report.study_page import truth_page, write_truth_report
from playout.truth import converge as module
from playout.truth.converge import _mean, _solved, converge, some_game
from playout.truth.perfect.position import solve_position
from tests.report.test_arena_page import check


@pytest.fixture
def plain(monkeypatch):
    """Solving without compiling: the positions are small."""
    monkeypatch.setattr(module, "solve_position", lambda state, seconds: solve_position(state, nodes=2_000, compiled=False))


@pytest.mark.compiles
def test_tic_tac_toe_is_decided_rightly_with_some_budget(plain, tmp_path):
    found = converge("tic-tac-toe", budgets=(2, 2000), positions=6, seeds=3, seed=4)
    few, many = found.stages
    assert found.positions == 6 and 2 <= found.solved <= 6 and 0.1 < found.by_chance < 0.9
    assert many.right == 1.0 and many.right_low < 1.0 and few.right < 1.0
    assert 0 <= few.agree_low <= few.agree <= few.agree_high <= 1 and few.agent == "uct:simulations=2"
    again = converge("tic-tac-toe", budgets=(2, 2000), positions=6, seeds=3, seed=4)
    told = [(stage.right, stage.agree, stage.agree_low) for stage in found.stages]
    assert told == [(stage.right, stage.agree, stage.agree_low) for stage in again.stages]
    text = truth_page(found)
    check(text)
    assert "How many decisions are right" in text and "How often seeds agree" in text
    assert write_truth_report(tmp_path / "page.html", found).read_text() == text


@pytest.mark.compiles
def test_where_nothing_can_be_solved_seeds_are_compared(plain):
    found = converge("pig:target=20", budgets=(10, 200), positions=4, seeds=2)
    assert found.solved == 0 and found.by_chance is None and all(stage.right is None for stage in found.stages)
    assert all(stage.agree is not None for stage in found.stages)
    assert found.notes[0].startswith("positions cannot be solved: chance has a say in pig")
    alone = converge("pig:target=20", budgets=(10, 200), positions=4, seeds=1)
    assert alone.stages[0].agree is None and "one seed, nothing solved" in truth_page(alone)


def test_the_actions_that_keep_the_value(plain):
    state = playout.load("nim:heaps=3-1").start()
    assert {state.name(action) for action in _solved(state, 1.0)} == {"2 from heap A"}
    first, again, other = (some_game(state.game, number, 7) for number in (2, 2, 6))
    assert first == again != other and first[0] == other[0] == state and not any(each.over for each in first)


def test_the_earliest_position_that_is_solved_is_taken(monkeypatch):
    course = [state for state in some_game(playout.load("nim:heaps=3-4-5"), 2, 7) if len(state.legal) > 1]
    assert len(course) >= 5
    solved = {bytes(course[4]): {0}, bytes(course[2]): set(course[2].legal), bytes(course[0]): None}
    monkeypatch.setattr(module, "_solved", lambda state, patience: solved[bytes(state)])
    solver = module._Solver(1.0)
    assert solver.earliest(course, 4) == (course[4], {0})
    assert (solver.alike, solver.given_up) == (1, 1)
    assert solver.earliest(course, 0) == (course[0], None)
    assert solver.notes()[0] == "2 positions were not solved within 1 s each; --patience gives them more"


def test_shares_that_are_all_alike_still_have_an_interval():
    assert _mean([]) == (None, None, None)
    mean, low, high = _mean([1.0] * 10)
    assert mean == high == 1.0 and low == pytest.approx(0.722, abs=0.001)
    mean, low, high = _mean([0.0, 1.0] * 10)
    assert mean == 0.5 and 0.2 < low < 0.4 < 0.6 < high < 0.8


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"positions": 1}, "positions is 1; give 2 or more"),
        ({"seeds": 0}, "seeds is 0; give 1 or more"),
        ({"patience": 0}, "patience is 0 seconds; give a number above 0"),
    ],
)
def test_bad_numbers(words, message):
    with pytest.raises(PlayoutError, match=message):
        converge("tic-tac-toe", **words)
