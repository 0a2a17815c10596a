"""Tuning and studies: the optimiser finds what is there to find, fresh games confirm, and everything resumes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

import playout
from playout.agents import recipe
from playout.arena import Store
from playout.arena.study import read_budgets, study
from playout.arena.tune import Tuner, read_dimension, tune, with_options
from playout.errors import PlayoutError
from tests.arena.test_referee import STAIRS

GAME = playout.load("tic-tac-toe")
UCT = recipe("uct", GAME)


def test_dimensions_by_hand() -> None:
    c = read_dimension("c=0.1..3", UCT)
    assert (c.name, c.low, c.high, c.whole, c.log, c.words) == ("c", 0.1, 3.0, False, True, ())
    assert not read_dimension("c=1..3", UCT).whole and not read_dimension("c=0..3", UCT).log
    depth = read_dimension("depth=1..6", UCT)
    assert depth.whole and depth.text(3) == "3"
    rule = read_dimension("rule=ucb1, ucb1-tuned", UCT)
    assert rule.words == ("ucb1", "ucb1-tuned") and rule.text("ucb1") == "ucb1"
    assert c.text(0.123456) == "0.1235"


def test_options_are_put_into_specs() -> None:
    assert with_options("uct", {"c": "1"}) == "uct:c=1"
    assert with_options("uct:simulations=10,c=2", {"c": "1"}) == "uct:simulations=10,c=1"
    assert with_options("mine.py:make", {"k": "3"}) == "mine.py:make,k=3"
    assert with_options("a/mine.py:make,k=1,j=2", {"k": "3"}) == "a/mine.py:make,j=2,k=3"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["c"], "'c' is no setting to vary; write for example c=0.1..3"),
        (["c=1"], "'c=1' leaves no choice; write a span such as c=0.1..3"),
        (["c=a..b"], "'c=a..b' is no span of numbers"),
        (["c=3..1"], "'c=3..1' is an empty span"),
        (["c=1..2", "c=2..3"], "setting 'c' is to vary twice"),
        (["d=1..2"], "agent 'uct' has no option 'd'"),
        (["c=-1..2"], "c is -1.0; the exploration constant must be a finite number, 0 or more"),
        (["rule=ucb1,ucb"], "rule is 'ucb'; did you mean"),
        ([], "say what to vary and how far"),
    ],
)
def test_what_is_refused(words: list[str], sentence: str) -> None:
    with pytest.raises(PlayoutError) as caught:
        Tuner(GAME, "uct", words, games=200)
    assert sentence in str(caught.value)
    with pytest.raises(PlayoutError, match="games is 10; tuning needs at least 100"):
        Tuner(GAME, "uct", ["c=0.1..3"], games=10)


LEVELS = """
def make_agent(game, seed=0, skill="0"):
    '''Plays like a search with as much skill as it is told, best at 7: something that an optimiser must find.'''
    from playout.agents import make_agent
    best = make_agent("uct:simulations=60", game, seed=seed)
    poor = make_agent("random", game, seed=seed)
    from playout.game.stream import Stream
    stream = Stream(seed)
    return lambda state: (best if stream.uniform() < 1 - abs(float(skill) - 7) / 10 else poor).act(state)
"""


@pytest.mark.slow
@pytest.mark.compiles
def test_tuning_finds_a_better_setting_and_confirms_it(tmp_path: Path) -> None:
    agent = tmp_path / "levels.py"
    agent.write_text(LEVELS)
    words: dict[str, Any] = {"games": 400, "folder": tmp_path / "games", "engine": "here"}
    found = tune(GAME, f"{agent}:make_agent,skill=0", ["skill=0..10"], **words)
    assert found.confirmed and 4 <= found.values["skill"] <= 10 and found.best.endswith(f"skill={found.values['skill']}")
    pair = found.confirmation
    assert pair.a == found.best and pair.low > 0.5 and pair.games >= 80
    stages = {stage: sum(t.games for t in found.trials if t.stage == stage) for stage in ("explore", "choose", "confirm")}
    assert abs(stages["explore"] - 240) <= 16 and stages["choose"] > 0 and sum(stages.values()) == found.games
    assert stages["confirm"] == pair.games
    # The deals of the three stages have nothing in common.
    deals = {}
    for stage in ("explore-00", "choose", "confirm"):
        with Store(tmp_path / "games" / f"{stage}.db") as store:
            deals[stage] = {record.deal for record in store.games()}
    assert not deals["explore-00"] & deals["confirm"] and not deals["choose"] & deals["confirm"]
    again = tune(GAME, f"{agent}:make_agent,skill=0", ["skill=0..10"], **words)
    assert msgspec.json.encode(again) == msgspec.json.encode(found)


@pytest.mark.compiles
def test_what_is_no_better_is_not_confirmed(tmp_path: Path) -> None:
    agent = tmp_path / "same.py"
    agent.write_text(
        "def make_agent(game, seed=0, k='0'):\n    from playout.agents import RandomAgent\n    return RandomAgent(seed).act\n"
    )
    found = tune(GAME, f"{agent}:make_agent", ["k=0..9"], games=200, folder=tmp_path / "games", engine="here")
    assert not found.confirmed and found.confirmation.low < 0.5


@pytest.mark.slow
@pytest.mark.compiles
def test_a_solitaire_is_tuned_by_its_score(tmp_path: Path) -> None:
    found = tune(str(STAIRS), "uct:simulations=5", ["simulations=1..60"], games=200, folder=tmp_path / "games", engine="here")
    assert found.unit == "score" and found.confirmation.difference is not None and found.values["simulations"] > 5


def test_budgets() -> None:
    assert read_budgets("50..400") == (50, 100, 200, 400)
    assert read_budgets("100,1000") == (100, 1000)
    for text in ("50", "a..b", "100,50", "0..10", "1..1", "5..9"):
        with pytest.raises(PlayoutError, match=f"budgets '{text}'"):
            read_budgets(text)


@pytest.mark.compiles
def test_a_study_shows_that_more_thinking_helps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = study("connect-four", budgets=(2, 16, 128), games=120, workers=1)
    assert [level.budget for level in found.levels] == [2, 16, 128] and found.unit == "elo"
    first, middle, last = found.levels
    assert first.strength == 0 and last.low is not None and last.low > 100 and (middle.strength or 0) > 0
    assert middle.gain is not None and last.gain is not None and last.strength == pytest.approx(middle.gain + last.gain)
    assert found.analytics.games == 60 and found.random.games == 120 and found.random.first_mover is not None
    assert msgspec.json.decode(msgspec.json.encode(found.to_dict()))["levels"][2]["agent"] == "uct:simulations=128"


@pytest.mark.compiles
def test_a_study_of_a_solitaire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = study(str(STAIRS), budgets=(1, 100), games=60, engine="here")
    assert found.unit == "score" and found.levels[1].gain is not None and found.levels[1].gain > 0
    assert found.analytics.first_mover is None and found.analytics.games == 60
