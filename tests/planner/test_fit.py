"""Fits on disk: kept by the rules, used where a search has no settings of its own, always told, and never in the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import playout
from playout import Budget, FileError, PlayoutError, Search, Settings
from playout.agents import make_agent, recipe
from playout.arena.experiment import plan
from playout.arena.serving import make_referee
from playout.compile.digest import rules
from playout.game.game import Game
from playout.planner.fit import Fit, file_of, folder, forget, keep, kept

GAME = playout.load("tic-tac-toe")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYOUT_DATA", str(tmp_path / "data"))


def some(game: Game = GAME, **changes: Any) -> Fit:
    usual: dict[str, Any] = {"settings": {"c": 0.25, "transpositions": True}, "budget": {"seconds": 0.01}, "unit": "points"}
    usual |= {"result": 0.58, "low": 0.521, "high": 0.637, "games": 300, "explored": 250, "tried": (), "seconds": 60.0, "seed": 0}
    named = {"game": game.spec, "digest": rules(game), "when": "2026-11-16", "version": "0.1.0"}
    return Fit(**{**named, **usual, **changes})


WORDS = (
    "fitted on 2026-11-16 by playout fit: c=0.25, transpositions=true; 58 % (52 to 64) of the points against auto in 300 games "
    "at 10 ms a move"
)


def test_nothing_is_kept_before_anybody_fits() -> None:
    assert not kept(GAME) and not forget(GAME) and not folder().exists()
    assert "fitted" not in Search(GAME, compiled=False).auto


def test_a_fit_comes_back_as_it_was() -> None:
    file = keep(some())
    assert file == file_of(GAME, {"seconds": 0.01}) and file.name.endswith("-10-ms.json")
    assert kept(GAME) == [(some(), file)] and json.loads(file.read_text())["settings"]["c"] == 0.25
    assert len(list(file.parent.iterdir())) == 1
    keep(some(result=0.6))
    assert [fit.result for fit, _ in kept(GAME)] == [0.6]
    assert forget(GAME) == 1 and not kept(GAME)


def test_every_budget_has_its_own_and_a_search_takes_the_nearest() -> None:
    budgets: list[dict[str, Any]] = [{"seconds": 1.0}, {"seconds": 0.01}, {"simulations": 50}]
    for number, budget in enumerate(budgets):
        keep(some(budget=budget, settings={"c": 0.1 * (number + 1)}))
    assert [fit.budget for fit, _ in kept(GAME)] == budgets[::-1], "the shortest first"

    def c(**limits: Any) -> float:
        decision = playout.search(GAME, compiled=False, **limits)
        settings: Settings = recipe("uct:" + ",".join(f"{k}={v}" for k, v in limits.items()), GAME).make(0).search.settings  # type: ignore[attr-defined]
        assert settings.c == decision.settings.c
        return round(settings.c, 3)

    # A second counts as 100,000 simulations, and the ratio decides: 50 and 1,000 meet at 224, 1,000 and 100,000 at 10,000.
    assert [c(simulations=n) for n in (1, 220, 230)] == [0.3, 0.3, 0.2]
    assert c(seconds=0.002) == 0.3 and c(simulations=1, seconds=100) == 0.3
    assert round(Search(GAME, compiled=False, fit=Budget(simulations=9_900)).settings.c, 3) == 0.2
    assert round(Search(GAME, compiled=False, fit=Budget(simulations=10_100)).settings.c, 3) == 0.1
    assert round(Search(GAME, compiled=False).settings.c, 3) == 0.1, "the longest where no budget is known"
    assert forget(GAME, {"seconds": 0.5}) == 0 and forget(GAME, {"seconds": 0.01}) == 1 and forget(GAME) == 2


def test_the_words() -> None:
    assert some().words == WORDS
    score = some(unit="score", result=1.25, low=0.4, high=2.1, budget={"simulations": 1000}, settings={"fpu": "parent"})
    assert score.words == (
        "fitted on 2026-11-16 by playout fit: fpu=parent; a mean score +1.25 higher (+0.4 to +2.1) than auto's on 300 deals at 1,000 "
        "simulations a move"
    )


def test_a_search_without_settings_uses_it_and_says_so() -> None:
    keep(some())
    search = Search(GAME, compiled=False, seed=3, trees=2)
    assert (search.settings.c, search.settings.transpositions, search.settings.trees) == (0.25, True, 2)
    decision = search.run(simulations=50)
    assert decision.auto.startswith(WORDS) and decision.to_dict()["auto"] == decision.auto
    assert WORDS in decision.why() and f"auto: {WORDS}" in str(decision)
    by_hand = Search(GAME, compiled=False, seed=3, trees=2, c=0.25, transpositions=True).run(simulations=50)
    assert by_hand.actions == decision.actions


@pytest.mark.parametrize("words", [{"c": 1.0}, {"solver": False}])
def test_what_is_set_by_hand_has_its_way(words: dict[str, Any]) -> None:
    keep(some())
    search = Search(GAME, compiled=False, **words)
    assert not search.settings.transpositions and all(getattr(search.settings, name) == value for name, value in words.items())
    assert f"the fit of 2026-11-16 is left aside, because {next(iter(words))} is given by hand" in search.auto


def test_who_wants_none_gets_none() -> None:
    keep(some())
    for search in (Search(GAME, compiled=False, fit=False), Search(GAME, Settings(), compiled=False)):
        assert search.settings.c == 0.5 and "fit" not in search.auto
    assert playout.search(GAME, simulations=5, fit=False, compiled=False).settings.c == 0.5
    assert playout.search(GAME, simulations=5, compiled=False).settings.c == 0.25


def test_other_rules_have_no_use_for_it() -> None:
    names = {role: GAME.functions[role] for role in ("start", "legal", "play", "mover", "returns", "key")}

    def other_start(state: Any, rng: Any) -> None:
        state.stones[1] = 1

    declared: dict[str, Any] = {"players": 2, "actions": 9, "State": GAME.dtype, "returns_range": (-1, 1)}
    one, two = (Game("mine", {**declared, **names, **more}) for more in ({}, {"start": other_start}))
    assert rules(one) != rules(two)
    keep(some(one))
    assert kept(one) and not kept(two)
    assert Search(one, compiled=False).settings.c == 0.25 and Search(two, compiled=False).settings.c == 0.5


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "Input data was truncated"),
        (b"{}", "Object missing required field `game`"),
        (
            msgspec.json.encode(some(settings={"c": -1.0})),
            "c is -1.0; the exploration constant must be a finite number, 0 or more",
        ),
        (msgspec.json.encode(some(settings={"speed": 3})), "unknown option 'speed'; did you mean"),
        (msgspec.json.encode(some(settings={"cut": "evaluate"})), "cut=evaluate needs the game's evaluate"),
        (msgspec.json.encode(some(budget={})), "the budget is empty, so the search would never end"),
        (msgspec.json.encode(some(format=2)), "it is of another format, or of another game"),
        (msgspec.json.encode(some(digest="0" * 24)), "it is of another format, or of another game"),
    ],
)
def test_a_file_that_cannot_be_used_stops_nobody(data: bytes, why: str) -> None:
    folder().mkdir(parents=True)
    file = file_of(GAME, {"seconds": 0.01})
    file.write_bytes(data)
    with pytest.raises(FileError) as caught:
        kept(GAME)
    said = str(caught.value)
    assert said.startswith(f"the fit in {str(file)!r} cannot be used ({why}")
    assert said.endswith("playout fit tic-tac-toe --forget removes it")
    search = Search(GAME, compiled=False)
    assert search.settings.c == 0.5 and search.auto.startswith(said)
    assert forget(GAME) and not kept(GAME)


def test_an_agent_without_settings_has_it_in_its_name() -> None:
    keep(some())
    made = recipe("uct:simulations=30", GAME)
    assert made.name == "uct:simulations=30,c=0.25,transpositions=true" and made.fit == WORDS
    assert made.settings["c"] == 0.25 and recipe(made.name, GAME).settings == made.settings
    assert recipe("uct:simulations=30,seed=4", GAME).settings["c"] == 0.25
    for spec in ("uct:simulations=30,fit=false", "uct:simulations=30,final=mean", "one-depth:simulations=30"):
        found = recipe(spec, GAME)
        assert found.settings["c"] == 0.5 and not found.fit and "fit" not in found.name
    assert recipe("uct", GAME, fit=False).name == make_agent("uct", GAME, fit=False).name == "uct:simulations=10000"
    with pytest.raises(PlayoutError, match=r"^option fit is 'maybe'; write fit=false to leave the settings of playout fit aside"):
        recipe("uct:fit=maybe", GAME)


def test_an_experiment_is_the_same_wherever_nobody_fitted() -> None:
    keep(some())
    fitted, _, recipes = plan(GAME, ["uct:simulations=30", "random"])
    assert recipes[0].fit == WORDS and fitted.agents[0].spec == "uct:simulations=30,c=0.25,transpositions=true"
    forget(GAME)
    elsewhere, _, _ = plan(GAME, [agent.spec for agent in fitted.agents])
    assert elsewhere.identity == fitted.identity
    plain, _, _ = plan(GAME, ["uct:simulations=30", "random"])
    assert plain.identity != fitted.identity
    keep(some())
    again, _, _ = plan(GAME, [agent.spec for agent in plain.agents], fit=False)
    assert again.identity == plain.identity


@pytest.mark.compiles
def test_a_worker_uses_what_the_experiment_says_and_nothing_else() -> None:
    plain, _, _ = plan(GAME, ["uct:simulations=30", "random"])
    keep(some())
    assert make_referee(plain).recipes[0].settings["c"] == 0.5
