"""Every action that is ever evaluated lies in its box: payoffs that note all they are asked for say so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from playout import Game, Search
from tests.engine.real_games import farthest_outside, logged

WAYS: list[dict[str, Any]] = [
    {"method": "widening"},
    {"method": "widening", "sampling": "uniform", "last": "solve"},
    {"method": "widening", "sampling": "local"},
    {"method": "widening", "sampling": "voronoi"},
    {"method": "gradient"},
    {"method": "gradient", "derivative": "own", "rate": 0.3},
    {"method": "gradient", "slopes": "differences"},
    {"method": "gradient", "derivative": "own", "slopes": "differences"},
    {"method": "gradient", "moved": "decayed"},
    {"method": "gradient", "moved": "fresh"},
    {"method": "local", "distance": 0.3},
    {"method": "local", "moved": "decayed"},
    {"method": "local-alone"},
]


def name_of(words: dict[str, Any]) -> str:
    return "-".join(str(v) for v in words.values())


@pytest.mark.parametrize("words", WAYS, ids=name_of)
@pytest.mark.parametrize("stages", [2, 3, 4])
def test_boxes_that_move(words: dict[str, Any], stages: int) -> None:
    """The box of a stage depends on the stage before: when the leader moves, the follower's old action must come along."""
    game, log = logged(stages)
    decision = Search(game, compiled=False, seed=3, **words).run(simulations=30)
    assert len(log) > 100 or words["method"] == "widening"
    assert farthest_outside(game, log) == 0.0
    line = decision.line(until="end")
    assert line.finished and len(line.actions) == stages


@pytest.mark.parametrize("words", WAYS, ids=name_of)
def test_boxes_in_two_dimensions(words: dict[str, Any]) -> None:
    game, log = logged(2, dimension=2)
    Search(game, compiled=False, seed=1, **words).run(simulations=20)
    assert farthest_outside(game, log) == 0.0


def test_payoffs_that_are_not_smooth() -> None:
    game, log = logged(3, smooth=False)
    search = Search(game, compiled=False, seed=1)
    assert search.settings.slopes == "differences"
    search.run(simulations=30)
    assert farthest_outside(game, log) == 0.0


def test_from_the_middle_of_a_game() -> None:
    game, log = logged(3)
    state = game.start(0).play(0.75)
    search = Search(game, compiled=False, seed=1)
    log.clear()  # what the game was tried out with
    decision = search.run(state, simulations=30)
    assert farthest_outside(game, log) == 0.0
    assert {float(actions[0, 0]) for actions in log} == {0.75}
    assert len(decision.line().actions) == 2


def test_a_box_without_width() -> None:
    """The second player has no choice; everybody else goes on as usual."""
    asked = []

    def payoffs(actions, out):
        asked.append(np.real(actions).copy())
        x, y, z = actions[0, 0], actions[1, 0], actions[2, 0]
        out[0] = -(x - 0.3 * z) * (x - 0.3 * z)
        out[1] = y
        out[2] = -(z - y - x) * (z - y - x)

    def bounds(stage, actions, low, high):
        low[0] = 0.25 if stage == 1 else -1.0
        high[0] = 0.25 if stage == 1 else 1.0

    game = Game("narrow", players=3, stages=3, dimension=1, bounds=bounds, payoffs=payoffs, compiled=False)
    for words in ({"method": "gradient"}, {"slopes": "differences"}, {"derivative": "own"}, {"method": "local"}):
        line = Search(game, compiled=False, seed=1, **words).run(simulations=60).line(until="end")
        assert line.actions[1] == (0.25,)
    assert {float(actions[1, 0]) for actions in asked} == {0.25}
    # z = y + x, so x = 0.3 (0.25 + x): the first player's best is 0.075 / 0.7.
    line = Search(game, compiled=False, seed=1).run(simulations=60).line(until="end")
    assert line.actions[0][0] == pytest.approx(0.075 / 0.7, abs=1e-4)


def test_infinite_slopes_do_not_lead_out() -> None:
    """The root of a number near 0 has a slope without limit; a step that is no number must not become an action."""
    asked = []

    def payoffs(actions, out):
        asked.append(np.real(actions).copy())
        x, y = actions[0, 0], actions[1, 0]
        out[0] = np.sqrt(x) - y
        out[1] = np.sqrt(1.0 - y) * x

    game = Game("steep", players=2, stages=2, dimension=1, bounds=(0.0, 1.0), payoffs=payoffs, compiled=False)
    for words in ({"method": "gradient"}, {"slopes": "differences"}, {"derivative": "own"}):
        with np.errstate(all="ignore"):
            line = Search(game, compiled=False, seed=1, **words).run(simulations=40).line()
        assert line.finished
    assert np.isfinite(asked).all() and np.min(asked) >= 0.0 and np.max(asked) <= 1.0


@pytest.mark.parametrize("method", ["widening", "gradient", "local", "local-alone"])
def test_on_a_sphere_lengths_stay_one(method: str) -> None:
    asked = []

    def payoffs(actions, out):
        asked.append(np.real(actions).copy())
        out[0] = 3 * actions[0, 0] + 4 * actions[0, 1] - actions[1, 2]
        out[1] = actions[1, 0] * actions[0, 0] + actions[1, 2]

    game = Game("pole", players=2, stages=2, dimension=3, action_set="sphere", payoffs=payoffs, compiled=False)
    search = Search(game, compiled=False, seed=1, method=method, slopes="exact")
    del asked[:]
    search.run(simulations=40)
    assert np.linalg.norm(asked, axis=2) == pytest.approx(1.0, abs=1e-12)
