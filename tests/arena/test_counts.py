"""What counts: points where results are win, draw and loss, returns where they are more; tables, tests, tuning and studies go by it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

import playout
from playout.arena import Standings, Tournament, compete, stored
from playout.arena.counts import counted_by, mean_return, more_than_places
from playout.arena.fit import _Score
from playout.arena.intervals import clustered_mean, mean_interval
from playout.arena.study import study
from playout.arena.tune import tune
from playout.arena.words import headline, ranking, sureness
from playout.report.arena_page import arena_page
from playout.report.study_page import study_page
from playout.report.tune_page import tune_page
from tests.cli.conftest import Cli, cli  # noqa: F401

CHIPS = '''"""Chips: both players choose once; who is bold wins 1 three times in five, and else loses 9 to the other."""
import numpy as np
from playout import below
players, actions, compiled = 2, 2, False
returns_range = (-18, 18)
State = np.dtype([("moves", np.int8), ("won", np.int8)])
def start(state, rng): pass
def legal(state, out):
    out[0], out[1] = 0, 1
    return 2
def play(state, action, rng):
    lucky = below(rng, 5) > 1
    if action == 1:
        state.won += (1 if lucky else -9) * (1 - 2 * state.moves)
    state.moves += 1
def mover(state): return -1 if state.moves == 2 else state.moves
def returns(state, out):
    out[0], out[1] = state.won, -state.won
'''
AGENTS = """
def make_agent(game, seed=0, bold="0"):
    def act(state):
        return int(float(bold) > 1)
    return act
"""
CALM, BOLD = "mine.py:make_agent,bold=1", "mine.py:make_agent,bold=2"


@pytest.fixture
def chips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("chips.py").write_text(CHIPS)
    Path("mine.py").write_text(AGENTS)
    return "chips.py"


def played(game: str, **options: object) -> Standings:
    return compete(game, [BOLD, CALM], games=200, seed=3, engine="here", file="a.db", **options)


def test_games_are_counted_by_what_their_results_are() -> None:
    for name in ("kuhn-poker", "leduc-poker", "treasure", "scoundrel"):
        assert counted_by(playout.load(name), "auto") == "returns"
    for name in ("tic-tac-toe", "liars-dice", "knockout-whist", "pig"):
        assert counted_by(playout.load(name), "auto") == "points"
    assert counted_by(playout.load("kuhn-poker"), "points") == "points"
    assert counted_by(playout.load("tic-tac-toe"), "returns") == "returns"
    with pytest.raises(playout.PlayoutError, match="by is 'chips'; known: auto, points, returns"):
        counted_by(playout.load("tic-tac-toe"), "chips")
    with pytest.raises(
        playout.PlayoutError, match="'scoundrel' is a game for one player, where the score counts; leave --by out"
    ):
        counted_by(playout.load("scoundrel"), "points")


def test_more_than_places() -> None:
    points = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    assert not more_than_places(points, np.array([[2.0, -2.0], [-2.0, 2.0], [0.0, 0.0]]))
    assert more_than_places(points, np.array([[2.0, -2.0], [-1.0, 1.0], [0.0, 0.0]]))


def test_a_clustered_mean() -> None:
    """Clusters of one size: the interval of the cluster means. Copies within a cluster are no more evidence than one of them."""
    values = np.random.default_rng(4).normal(2.0, 3.0, (30, 4))
    mean, low, high = clustered_mean(values.sum(1), np.full(30, 4))
    assert (mean, low, high) == pytest.approx(mean_interval(values.mean(1)))
    once, copied = clustered_mean(values[:, 0], np.ones(30)), clustered_mean(5 * values[:, 0], np.full(30, 5))
    assert once == pytest.approx(copied)
    assert clustered_mean(np.array([3.0]), np.array([2])) == (1.5, None, None)
    assert clustered_mean(np.zeros(0), np.zeros(0)) == (None, None, None)
    assert mean_return(np.array([1.0, np.nan, 3.0]), np.array([0, 0, 1]))[0] == 2.0


def test_clustered_intervals_cover_the_truth() -> None:
    rng, held = np.random.default_rng(11), 0
    for _ in range(400):
        shared, sizes = rng.normal(0, 2, 25), rng.integers(1, 5, 25)
        sums = np.array([(deal + rng.normal(1.0, 1.0, size)).sum() for deal, size in zip(shared, sizes)])
        _, low, high = clustered_mean(sums, sizes)
        assert low is not None and high is not None
        held += low <= 1.0 <= high
    assert 0.92 <= held / 400 <= 0.98


def test_who_wins_small_pots_and_loses_large_ones_does_not_lead(chips: str) -> None:
    """Bold gets three fifths of the points, and loses 3 a game; by returns it is last."""
    found = played(chips)
    bold, calm = found.agents
    assert found.by == "returns" and bold.points > 0.55 and bold.rating > calm.rating
    assert bold.mean_return == pytest.approx(-3.0, abs=0.9) and bold.return_high < 0 < calm.return_low
    assert bold.mean_return == pytest.approx(-calm.mean_return) and ranking(found) == [1, 0]
    pair = found.pairs[0]
    assert pair.difference == pytest.approx(2 * bold.mean_return) and pair.superiority < 0.01
    assert (pair.return_a, pair.turned().return_a) == (bold.mean_return, calm.mean_return)
    assert headline(found).startswith(f"{CALM} leads with a mean return of +") and "on the same deals" in sureness(found)
    assert [side.mean_return is not None for side in found.sides] == [True] * 4


def test_a_leader_may_be_behind_the_next_one(chips: str) -> None:
    """Who gets most from all need not win against the second: the sentence says so, and no lead is made of it."""
    found = played(chips)
    turned = found.pairs[0].turned()
    names = {"a": found.pairs[0].a, "b": found.pairs[0].b}
    words = sureness(msgspec.structs.replace(found, pairs=(msgspec.structs.replace(turned, **names),)))
    assert f"In their own games it is behind {BOLD} by " in words and "ahead" not in words


def test_points_are_there_for_who_asks(chips: str) -> None:
    found = played(chips, by="points")
    assert found.by == "points" and ranking(found) == [0, 1] and "Elo" in headline(found)
    assert any("--by returns counts them" in note for note in found.notes)
    assert stored("a.db").by == "points" and stored("a.db", "returns").by == "returns"
    assert played(chips).by == "returns" and stored("a.db").by == "returns", "the same games, counted otherwise"


def test_until_tests_what_counts(chips: str) -> None:
    for by, better in (("auto", 1), ("points", 0)):
        file = f"{by}.db"
        with Tournament(chips, [BOLD, CALM], games=4000, seed=3, engine="here", file=file, until=0.95, by=by) as tournament:
            tournament.run()
            assert tournament.verdict is not None and tournament.verdict.better == better
    Path("chips.py").write_text(CHIPS.replace("returns_range = (-18, 18)\n", ""))
    words = "--until compares returns within known bounds, and 'chips' declares none: add returns_range = .* or count --by points"
    with pytest.raises(playout.PlayoutError, match=words):
        Tournament(chips, [BOLD, CALM], engine="here", file="b.db", until=0.95)


def test_tune_and_study_go_by_what_counts(chips: str) -> None:
    options = {"games": 240, "seed": 1, "engine": "here"}
    chosen = {by: tune(chips, CALM, ["bold=0.5,2"], by=by, folder=by, **options) for by in ("auto", "points")}
    assert chosen["auto"].unit == "returns" and chosen["auto"].values == {"bold": "0.5"} and not chosen["auto"].confirmed
    assert chosen["points"].unit == "points" and chosen["points"].values == {"bold": "2"}
    assert "mean return" in tune_page(chosen["auto"]) and "mean score" not in tune_page(chosen["auto"])
    found = study(chips, "mine.py:make_agent", option="bold", budgets=(0.5, 1, 2), games=200, engine="here")
    last = found.levels[-1]
    assert found.unit == "returns" and found.levels[1].gain == 0.0 and last.gain_high < 0
    assert last.strength == pytest.approx(last.gain), "the step before gained nothing"
    page = study_page(found)
    assert "of mean return" in page and "Elo" not in page


def test_fit_judges_levels_by_what_counts() -> None:
    from types import SimpleNamespace

    from playout.arena.choices import Choice

    choices = [Choice("bold", ({}, {"bold": 2}), lambda game: True)]
    games = np.tile([[0, 1], [0, 2]], (50, 1))
    points = np.where(games == 2, 0.75, np.where(games == 1, 0.5, 0.4))
    returns = np.where(games == 2, -1.5, np.where(games == 1, 0.0, 1.0)) + np.random.default_rng(1).normal(0, 1, games.shape)
    ahead = {}
    for by in ("points", "returns"):
        score = _Score(choices, by)
        score.add(
            SimpleNamespace(seats=games, points=points, returns=returns), [(choices[0].levels[0],), (choices[0].levels[1],)]
        )
        ahead[by] = score.lead(0, 1)
    assert ahead["points"] > 0 > ahead["returns"]


def test_the_command_and_its_page(chips: str, cli: Cli) -> None:  # noqa: F811
    words = ("arena", chips, BOLD, CALM, "--games", "40", "--engine", "here", "--file", "c.db")
    ran = cli(*words, "--report", "c.html")
    assert ran.code == 0, ran.err
    head = next(line for line in ran.out.splitlines() if line.startswith("agent"))
    assert head.split()[:4] == ["agent", "mean", "return", "95"] and "Elo" in head and "points" in head
    assert "mean return of the row against the column" in ran.out and "mean return per side" in ran.out
    assert "What each agent gets a game" in Path("c.html").read_text()
    assert cli(*words, "--json").data["by"] == "returns"
    by_points = cli("arena", "--file", "c.db", "--by", "points").out
    assert "points per side" in by_points and "mean return" not in by_points
    assert "How strong each agent is" in arena_page(stored("c.db", "points"), "by points")
