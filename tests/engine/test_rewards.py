"""Other rewards than the returns: an agent aims for what it was told, in one match with others, by the same kernels."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

import playout
from playout import Game, GameError, PlayoutError
from playout.agents import make_agent, recipe
from playout.arena.experiment import plan
from playout.arena.referee import Referee
from playout.checker import check
from playout.planner.search import features_of
from playout.planner.settings import Settings

STATE = np.dtype([("points", np.int8, 2), ("won", np.int8), ("moves", np.int8)])


def start(state, rng):
    pass


def legal(state, out):
    for i in range(3):
        out[i] = i
    return 3


def play(state, action, rng):
    """The first player takes a race and no points (0), points and no race (1), or a little of both later (2); then the other does."""
    state.points[state.moves] += (0, 9, 4)[action]
    if action == 0 and state.won == 0:
        state.won = state.moves + 1
    state.moves += 1


def mover(state):
    return -1 if state.moves == 2 else state.moves


def returns(state, out):
    out[0] = state.points[0]
    out[1] = state.points[1]


def returns_as(state, reward, out):
    for i in range(2):
        out[i] = 2.0 * state.points[i] if reward == 1 else 1.0 if state.won == i + 1 else 0.0


def evaluate_as(state, reward, out):
    for i in range(2):
        out[i] = 0.25 + 0.5 * (state.won == i + 1) if reward == 0 else -1.0


NAMES: dict[str, Any] = {
    "players": 2,
    "actions": 3,
    "State": STATE,
    "returns_range": (0, 9),
    "rewards": {"win": (0, 1), "greed": None},
}
RULES = (start, legal, play, mover, returns, returns_as)


def game(**more: Any) -> Game:
    return Game("race", {**NAMES, **{rule.__name__: rule for rule in RULES}, **more})


def test_a_search_aims_for_its_reward() -> None:
    race = game(compiled=False)
    plain = playout.search(race, simulations=60, trees=1)
    assert (plain.action, plain.proven) == (1, (9.0, 9.0)) and "reward" not in plain.summary()
    aimed = playout.search(race, simulations=60, trees=1, reward="win")
    assert (aimed.action, aimed.proven) == (0, (1.0, 0.0)) and ", reward win, stopped: proven" in aimed.summary()
    assert aimed.to_dict()["settings"]["reward"] == "win"
    assert playout.search(race, simulations=60, trees=1, reward="greed").proven == (18.0, 18.0)


def test_a_cut_off_counts_by_the_reward_so_far_or_by_its_evaluation() -> None:
    settings: dict[str, Any] = {"simulations": 40, "trees": 1, "cutoff": 0, "solver": False, "depth": 1}
    so_far = playout.search(game(compiled=False), reward="win", **settings)
    assert [a.mean for a in so_far.actions] == [1.0, 0.0, 0.0]
    told = playout.search(game(compiled=False, evaluate_as=evaluate_as), reward="win", **settings)
    assert [a.mean for a in told.actions] == [0.75, 0.25, 0.25]
    assert told.settings.cut == "evaluate" and so_far.settings.cut == "returns"


def test_agents_with_different_rewards_meet_in_one_match() -> None:
    experiment, race, recipes = plan(game(compiled=False), ["uct:simulations=40,reward=win", "uct:simulations=40"])
    assert experiment.labels[0] == "uct:simulations=40,reward=win"
    record = Referee(race, recipes, experiment.rules).play(experiment.schedule.fixture(0))
    moves = record.column("moves").tolist()
    # Whoever begins, the one takes the race, which is still there for a second who wants it, and the other the points.
    wanted = {0: 0, 1: 1}
    assert moves == [wanted[seat] for seat in record.seats]
    assert record.returns == tuple((0.0, 9.0)[wanted[seat]] for seat in record.seats)


def test_one_kernel_serves_all_rewards_and_stored_experiments_stay_the_same() -> None:
    asked = [features_of(Settings(reward=reward).fitted(game()), None, None) for reward in ("", "win", "greed")]
    assert asked[0] == asked[1] == asked[2]
    assert "reward" not in recipe("uct:simulations=5", playout.load("nim")).settings
    assert recipe("uct:simulations=5,reward=win", game()).settings["reward"] == "win"


@pytest.mark.compiles
def test_compiled_equals_uncompiled_for_every_reward() -> None:
    race = game()
    for reward in ("", "win", "greed"):
        settings: dict[str, Any] = {"simulations": 50, "trees": 1, "solver": False, "reward": reward, "seed": 3}
        one, two = playout.search(race, **settings), playout.search(race, compiled=False, **settings)
        assert [(a.visits, a.score) for a in one.actions] == [(a.visits, a.score) for a in two.actions]


def test_a_state_tells_every_reward() -> None:
    state = game().start().play(0).play(1)
    assert state.returns == (0.0, 9.0) and state.returns_as("win") == (1.0, 0.0) and state.returns_as("greed") == (0.0, 18.0)
    assert game().range_of("win") == (0.0, 1.0) and game().range_of("greed") is None and game().range_of() == (0.0, 9.0)


def test_the_checker_asks_every_reward() -> None:
    assert check(game(evaluate_as=lambda state, reward, out: out.fill(0.0)), states=30, compiled=False).ok
    wide = check(game(rewards={"win": (0, 1), "greed": (0, 9)}), states=30, compiled=False)
    (problem,) = wide.problems
    assert problem.code == "returns_as-range" and "for reward 'greed'" in problem.message
    assert "rewards['greed'] says 0 to 9" in problem.message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"rewards": ("win",)},
            "game 'race': rewards is ('win',); give names with the lowest and highest return or None, as in rewards = "
            '{"win": (0, 1), "points": None}',
        ),
        (
            {"returns_as": None},
            "game 'race' declares rewards, and nothing that pays them: add def returns_as(state, reward, out), where reward is 0 to 1",
        ),
        (
            {"rewards": None},
            'game \'race\' defines returns_as, and no rewards that it could be about: add rewards = {"win": (0, 1), "points": None}',
        ),
        (
            {"rewards": {"a win": None}},
            "game 'race': rewards has 'a win'; a reward is one word, since it stands in agents like uct:reward=win",
        ),
        (
            {"rewards": {"win": (1, 0)}},
            "game 'race': rewards['win'] is (1, 0); give the lowest and the highest return, as in (-1, 1)",
        ),
    ],
)
def test_wrong_rewards_get_a_sentence(change: dict[str, Any], message: str) -> None:
    with pytest.raises(GameError) as refused:
        game(**change)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("uct:reward=gold", "reward is 'gold'; known: greed, win"),
        (
            "uct:reward=win,decisive=win",
            "decisive=win goes by the returns of the game and does not go together with reward=win; leave one of them out",
        ),
        (
            "uct:reward=win,cut=evaluate",
            "cut=evaluate needs the game's evaluate_as, which 'race' does not define; define it or leave cut out",
        ),
    ],
)
def test_what_does_not_go_together_is_said(spec: str, message: str) -> None:
    with pytest.raises(PlayoutError) as refused:
        make_agent(spec, game())
    assert str(refused.value) == message


def test_a_game_without_rewards_says_so() -> None:
    with pytest.raises(PlayoutError) as refused:
        make_agent("uct:reward=win", playout.load("nim"))
    assert str(refused.value) == "reward=win is for games that declare rewards, and 'nim' has only its returns; leave reward out"


def test_settings_with_a_reward_survive_fitting_twice() -> None:
    once = Settings(reward="win").fitted(game())
    assert once.fitted(game()) == once and msgspec.structs.asdict(once)["reward"] == "win"
