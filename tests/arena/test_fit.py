"""Finding settings: what is tried fits every game, halving finds what is planted, and only fresh games decide whether it is kept."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import playout
from playout import PlayoutError
from playout.agents import recipe
from playout.arena import choices as table
from playout.arena import fit as fits
from playout.arena.choices import CHOICES, Choice, choices
from playout.arena.crew import Staff
from playout.arena.fit import Fitter
from playout.arena.openings import varied
from playout.arena.tournament import Tournament
from playout.game.load import bundled
from playout.game.stream import FIT_DEALS, FIT_DESIGN, Stream
from playout.planner.fit import kept
from playout.planner.search import features_of
from playout.planner.settings import Settings
from playout.planner.words import read
from tests.arena.test_referee import STAIRS

GAME = playout.load("tic-tac-toe")
LISTED = [name for name in bundled() if not playout.load(name).continuous]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYOUT_DATA", str(tmp_path / "data"))


@pytest.fixture(autouse=True)
def few_kernels(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games that are played in these tests are played without what would compile another kernel for each."""
    if "every_candidate" not in request.node.name:
        dear = {"habits", "rave", "implicit"}
        monkeypatch.setattr(table, "CHOICES", tuple(choice for choice in CHOICES if choice.name not in dear))


def ticking(step: float) -> Callable[[], float]:
    """A clock that goes on by so much whenever it is looked at: twice for every game."""
    ticks = itertools.count()
    return lambda: step * next(ticks)


@pytest.mark.parametrize("name", LISTED)
def test_every_candidate_can_be_made_for_every_game(name: str) -> None:
    game = playout.load(name)
    score = fits._Score(choices(game), game.players)
    assert {choice.name for choice in score.choices} >= {"c", "fpu", "final"}
    for levels in score.combinations(40, Stream(1)):
        words = {key: value for level in levels for key, value in level.items()}
        recipe(",".join(["uct:seconds=1", *(f"{key}={fits.spelled(value)}" for key, value in words.items())]), game, fit=False)


@pytest.mark.parametrize("name", LISTED)
def test_every_candidate_needs_one_of_two_kernels(name: str) -> None:
    """They are compiled before the clock runs, one setting at a time: a combination must not need yet another one."""
    game, found = playout.load(name), set()
    for levels in fits._Score(choices(game), game.players).combinations(60, Stream(2)):
        words = {key: value for level in levels for key, value in level.items()}
        found.add(frozenset(features_of(read(Settings, words).fitted(game), None, None)))
    assert len(found - {frozenset({"worlds"})}) <= 2


def test_what_is_tried_depends_on_what_the_game_has() -> None:
    def names(spec: str) -> set[str]:
        return {choice.name for choice in choices(playout.load(spec))}

    assert {"decisive", "decisive_playouts", "transpositions"} <= names("connect-four") and "hidden" not in names("connect-four")
    assert {"hidden", "redraw"} <= names("leduc-poker") and not names("leduc-poker") & {"decisive", "transpositions"}
    assert "decisive" not in names("treasure")
    # What auto comes to in this game is not tried a second time.
    (found,) = (choice for choice in choices(playout.load("connect-four")) if choice.name == "decisive_playouts")
    assert found.levels == ({}, {"decisive_playouts": "off"}, {"decisive_playouts": "win"})


def test_levels_come_equally_often_and_few_at_once() -> None:
    score = fits._Score(choices(playout.load("connect-four")), 2)
    combined = list(score.combinations(120, Stream(3)))
    counts = {
        str(level): sum(levels[place] is level for levels in combined)
        for place, choice in enumerate(score.choices)
        for level in choice.levels[1:]
    }
    assert max(counts.values()) - min(counts.values()) <= 2
    assert np.mean([sum(bool(level) for level in levels) for levels in combined]) == pytest.approx(fits.CHANGES, abs=0.1)
    assert combined == list(score.combinations(120, Stream(3))) != list(score.combinations(120, Stream(4)))


def test_halving_keeps_what_wins() -> None:
    rng = np.random.default_rng(5)
    score = fits._Score([Choice(name, ({}, {name: 1}, {name: 2}), lambda game: True) for name in "abc"], 2)

    class Played:
        seats: Any
        points: Any

    for number in range(3):
        combined = list(score.combinations(30, Stream(0, FIT_DESIGN, number)))
        worth = np.array([0.5 + 0.2 * (l[0].get("a") == 2) - 0.2 * (l[1].get("b") == 1) for l in combined])  # noqa: E741
        played = Played()
        played.seats = np.array([[0, agent + 1] for agent in range(30) for _ in range(20)])
        won = (rng.random(600) < np.repeat(worth, 20)).astype(float)
        played.points = np.stack([1 - won, won], axis=1)
        score.add(played, combined)  # type: ignore[arg-type]
        score.halve(number + 1, last=number == 2)
    assert score.best()["a"] == 2 and score.best().get("b") != 1
    found = {(level.choice, str(level.settings)): level for level in score.levels()}
    assert found["a", "{'a': 2}"].dropped is None and found["a", "{}"].dropped == 3 and found["b", "{'b': 1}"].dropped == 1
    assert found["a", "{'a': 2}"].result > 0.6 and found["a", "{'a': 2}"].games > 200


def test_a_lead_is_held_against_what_was_known() -> None:
    score = fits._Score([Choice("a", ({}, {"a": 1}), lambda game: True)], 2)
    assert score.lead(0, 0) == 0 and score.lead(0, 1) == -fits.WORSE
    score.games[0, :2], score.sums[0, :2], score.squares, score.count = (50, 50), (0, 5), 25.0, 100
    seen, variance = score.ahead(0, 1)
    assert (seen, variance) == (pytest.approx(0.1), pytest.approx(0.25 * 2 / 50))
    assert score.lead(0, 1) == pytest.approx((0.1 * 0.0025 - 0.02 * 0.01) / (0.0025 + 0.01))


PLANTED = (
    Choice("playouts", ({"playouts": 60},), lambda game: True),
    Choice("c", ({"c": 1000.0}, {"c": 0.0}), lambda game: True),
)
"""At few simulations many playouts for each are better by far; and two ways to be worse."""
FEW: dict[str, Any] = {"engine": "here", "simulations": 10, "seconds": 60.0, "openings": 0}


@pytest.mark.compiles
def test_a_planted_setting_is_found_confirmed_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "CHOICES", PLANTED)
    shown: list[str] = []
    found = Fitter(GAME, **FEW, clock=ticking(0.15)).run(lambda words, done: shown.append(words))
    assert found.kept and found.fit.settings["playouts"] == 60 and found.fit.low > 0.5
    assert [(found.fit, Path(found.file))] == kept(GAME) and found.fit.games >= 60
    assert found.fit.explored > 60 and found.fit.budget == {"simulations": 10} and not found.notes
    assert any(words.startswith("round 1 of 3, 5 ways to set 2 things") for words in shown)


@pytest.mark.compiles
def test_what_is_no_better_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "CHOICES", (Choice("c", ({"c": 0.5001}, {"c": 1000.0}), lambda game: True),))
    found = Fitter(GAME, **FEW, clock=ticking(0.2)).run()
    assert not found.kept and found.file == "" and not kept(GAME) and found.fit.settings != {"c": 1000.0}
    again = Fitter(GAME, **FEW, clock=ticking(0.2)).run()
    assert msgspec.structs.replace(again.fit, when="", seconds=0.0) == msgspec.structs.replace(found.fit, when="", seconds=0.0)


@pytest.mark.compiles
def test_a_solitaire_is_fitted_by_its_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "CHOICES", PLANTED)
    found = Fitter(str(STAIRS), **{**FEW, "simulations": 8}, clock=ticking(0.15)).run()
    assert found.fit.unit == "score" and found.fit.settings == {"playouts": 60} and found.fit.games > 40
    assert found.fit.low < found.fit.result < found.fit.high and found.kept == (found.fit.low > 0) == (
        bool(kept(playout.load(str(STAIRS))))
    )


@pytest.mark.compiles
def test_too_little_time_is_said() -> None:
    with pytest.raises(PlayoutError) as caught:
        Fitter(GAME, engine="here", simulations=6, seconds=10, clock=ticking(0.2)).run()
    assert str(caught.value).startswith(
        "5 s were enough for 7 games, which tell nothing about settings; give a fit of 'tic-tac-toe' at 6 simulations"
    )
    assert not kept(GAME)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"seconds": 0}, "seconds is 0; give the time of the whole fit, a number above 0"),
        ({"move_seconds": -1}, "the seconds of a move are -1; give a number above 0"),
        ({"simulations": 0}, "simulations is 0; give a whole number from 1 to 2,000,000,000"),
        ({"simulations": 5, "move_seconds": 1}, "give the budget of a move in seconds or in simulations, not in both"),
    ],
)
def test_what_is_refused(words: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PlayoutError) as caught:
        Fitter(GAME, **words)
    assert str(caught.value) == sentence


def test_openings_where_games_would_begin_alike() -> None:
    assert Fitter("connect-four").openings == 2 and Fitter("leduc-poker").openings == 0 and Fitter(str(STAIRS)).openings == 0
    assert Fitter("nim:heaps=1-2").openings == 0, "such a game may be over before an opening is"
    found = [varied(playout.load(name)) for name in ("connect-four", "tic-tac-toe", "nim:heaps=1-2", "leduc-poker", "scoundrel")]
    assert found == [4, 2, 0, 0, 0]


def test_the_streams_are_as_many_as_the_stages() -> None:
    assert len(FIT_DEALS.trees) == fits.ROUNDS + 1 and len(FIT_DESIGN.simulations) == fits.ROUNDS
    assert len({choice.name for choice in CHOICES}) == len(CHOICES)


@pytest.mark.compiles
def test_a_process_stays_from_one_experiment_to_the_next(tmp_path: Path) -> None:
    staff, pids, played = Staff(1), [], []
    try:
        for seed in (1, 2):
            options: dict[str, Any] = {"games": 4, "seed": seed}
            agents = ["uct:simulations=5", f"uct:simulations={5 + seed}"]
            with Tournament(GAME, agents, file=tmp_path / f"{seed}.db", staff=staff, **options) as one:
                one.run()
                pids.append(staff._free[0].pid)
                played.append([record.moves for record in one.store.games()])
            with Tournament(GAME, agents, file=tmp_path / f"{seed}-here.db", engine="here", **options) as two:
                two.run()
                assert [record.moves for record in two.store.games()] == played[-1]
        assert pids[0] == pids[1] and pids[0] is not None and played[0] != played[1]
    finally:
        staff.close()
