"""Results as tables: the same columns in polars and in pandas, and a sentence where neither is there."""

import sys
from types import ModuleType

import pytest

import playout
from playout.arena import compete
from playout.arena.study import Level, _level_row
from playout.frame import frame


@pytest.fixture(scope="module")
def decision():
    return playout.Search("tic-tac-toe", compiled=False, seed=1).run(simulations=60)


def test_a_decision_is_a_table(decision):
    found = decision.to_frame()
    assert found.shape[0] == 9 and found["visits"].sum() == 60 and found["chosen"].sum() == 1
    assert found.filter(found["chosen"])["name"].item() == decision.name
    assert {"mean", "low", "high", "means_0", "means_1", "proven_0", "best"} <= set(found.columns)
    assert found["means_0"].to_list() == [a.means[0] if a.means else None for a in decision.actions]


def test_json_has_what_the_command_prints(decision):
    assert playout.planner.decision.msgspec.json.decode(decision.to_json())["why"] == decision.why()


def test_without_a_library_there_is_a_sentence(decision, monkeypatch):
    for package in ("polars", "pandas"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(playout.PlayoutError, match="^a table needs polars or pandas; pip install polars"):
        decision.to_frame()
    made = ModuleType("pandas")
    made.DataFrame = dict
    monkeypatch.setitem(sys.modules, "pandas", made)
    assert frame([{"a": 1, "b": 2}, {"a": 3, "b": None}]) == {"a": [1, 3], "b": [2, None]} and frame([]) == {}


@pytest.mark.compiles
def test_standings_are_tables_with_the_best_first(tmp_path):
    standings = compete("tic-tac-toe", ["random", "uct:simulations=60"], games=20, engine="here", file=tmp_path / "a.db", seed=1)
    assert [row.agent for row in standings.agents] == ["random", "uct:simulations=60"]
    assert [row.agent for row in standings.ranked] == standings.to_frame()["agent"].to_list() == ["uct:simulations=60", "random"]
    assert standings.to_frame("pairs").shape[0] == 1 and standings.to_frame("sides").shape[0] == 4
    assert set(standings.to_frame("course")["agent"]) == {"random", "uct:simulations=60"}
    assert standings.to_frame("faults").shape == (0, 0) and '"agents":[{' in standings.to_json()
    with pytest.raises(playout.PlayoutError, match="^standings have no table 'pair'; did you mean 'pairs'"):
        standings.to_frame("pair")


def test_levels_of_a_study_have_the_same_columns():
    rate = playout.arena.analytics.Rate.of(3, 10)
    common = dict.fromkeys(("strength", "low", "high", "gain", "gain_low", "gain_high", "seconds_per_decision"))
    common |= {"agent": "uct", "games": 10, "length": 5.0, "branching": 2.0}
    rows = [_level_row(Level(budget=n, first_mover=found, draws=found, **common)) for n, found in ((50.0, rate), (100.0, None))]
    assert list(rows[0]) == list(rows[1]) or set(rows[0]) == set(rows[1])
    found = frame(rows)
    assert found["draws_share"].to_list() == [0.3, None] and found["budget"].to_list() == [50.0, 100.0]
