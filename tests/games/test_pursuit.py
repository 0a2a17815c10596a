"""Pursuit: the open chase against its closed form, walls, wind, and the picture."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from playout import Game, IllegalAction, State, Stream, load
from playout.compile import bind
from playout.game.continuous import NATURE

OPEN = "pursuit:arena=0"


def played(game: Game, state: State) -> State:
    """To the end by the closed form."""
    assert game.solution is not None
    while not state.over:
        state = state.play(game.solution(int(state.fields.stage), state.fields.actions))
    return state


@pytest.mark.parametrize("speeds", [(1.0, 1.25), (1.0, 0.5), (0.5, 3.0), (2.0, 2.0)])
@pytest.mark.parametrize("rounds", [1, 3])
def test_the_open_chase_is_a_chase_on_each_axis(rounds, speeds):
    evader, pursuer = speeds
    game = load("pursuit", arena=0, rounds=rounds, evader=evader, pursuer=pursuer)
    gaps, total = [2.0, 1.0], 0.0
    for _ in range(rounds):
        gaps = [max(0.0, gap + evader - pursuer) for gap in gaps]
        square = gaps[0] ** 2 + gaps[1] ** 2
        total += square / (square + 1)
    assert played(game, game.start()).returns == pytest.approx((total / rounds, -total / rounds), abs=1e-12)


@pytest.mark.parametrize("stage", range(4))
def test_no_other_step_does_better_against_best_replies(stage):
    game = load(f"{OPEN},rounds=2")
    stream = Stream(stage)
    for _ in range(3):
        state = game.start()
        for _ in range(stage):
            state = state.play(state.random(stream))
        mover = state.mover
        best = played(game, state).returns[mover]
        tried = [played(game, state.play(state.random(stream))).returns[mover] for _ in range(30)]
        low, high = state.box
        tried += [played(game, state.play((x, y))).returns[mover] for x in (low[0], 0, high[0]) for y in (low[1], 0, high[1])]
        assert max(tried) <= best + 1e-12


def test_walls_stop_both_and_the_box_follows_them():
    game = load("pursuit", rounds=2, arena=2, evader=1.5, pursuer=4)
    state = game.start()
    assert state.box == ((-1.5, -1.5), (1.5, 1.5))
    state = state.play((1.5, 0))  # at (2, 0.5): in the east no way is left
    assert state.box == ((-1, -1.5), (3, 2.5))  # the pursuer, from (-1, -0.5)
    state = state.play((3, 1))
    assert state.box == ((-1.5, -1.5), (0, 1.5))
    with pytest.raises(IllegalAction, match=r"0.5 \(component 0\) is outside -1.5 to 0, the box of pursuit at stage 2; choose a"):
        state.play((0.5, 0))


def test_one_round_within_walls_is_known():
    """The evader takes on each axis the end of its reach that is farther from the pursuer; the pursuer closes in."""
    game = load("pursuit", rounds=1, arena=1.2, evader=2, pursuer=0.7)
    evader, pursuer = np.array([0.3, 0.3]), np.array([-0.6, -0.3])
    ends = np.where(abs(1.2 - pursuer) > abs(-1.2 - pursuer), 1.2, -1.2)
    gap = np.maximum(0, abs(ends - pursuer) - 0.7)
    expected = (gap @ gap) / (gap @ gap + 1)
    state = game.start().play(ends - evader)
    state = state.play(np.clip(ends - pursuer, -0.7, 0.7))
    assert state.returns[0] == pytest.approx(expected)
    stream = Stream(1)
    for _ in range(100):
        step = game.start().random(stream)
        reply = np.clip(evader + step - pursuer, -0.7, 0.7)
        assert game.start().play(step).play(reply).returns[0] <= expected + 1e-12


def test_wind_moves_the_evader_and_never_through_a_wall():
    game = load("pursuit", wind=3, arena=2, rounds=2)
    assert game.shape.movers == (0, NATURE, 1, 0, NATURE, 1) and game.solution is None
    gusts = []
    for seed in range(50):
        state = game.start(seed).play((0.5, 0.5))
        assert state.fields.stage == 2 and state.mover == 1
        gusts.append(np.array(state.fields.actions[1]))
        assert state.box == ((-1, -1.25), (1.25, 1.25))
    spread = np.array(gusts) + 1  # (0.5, 0.5) + (0.5, 0.5) is where the gust begins
    assert (abs(spread) <= 2).all() and spread.min() < -1.5 and spread.max() > 1.7
    for seed in range(5):
        state, stream = game.start(seed), Stream(seed)
        while not state.over:
            state = state.play(state.random(stream))
        assert state.returns[0] == -state.returns[1] and 0 <= state.returns[0] < 1


@pytest.mark.compiles
def test_compiled_equals_uncompiled_and_derivatives_flow():
    game = load("pursuit", wind=0.5)
    rng = np.random.default_rng(1)
    actions = rng.uniform(-0.5, 0.5, (game.shape.stages, 2))
    binding, plain = bind(game), game.functions["payoffs"]
    low, high, out, again = (np.zeros(2) for _ in range(4))
    binding.role("payoffs")(actions, out, np.zeros(1))
    plain(actions, again, np.zeros(1))
    assert out.tolist() == again.tolist()
    binding.role("bounds")(4, actions, low, high)
    assert (low < 0).all() and (high > 0).all() and (high <= 0.5).all()
    moved, found = actions.astype(complex), np.zeros(2, complex)
    moved[3, 1] += 1e-30j
    plain(moved, found, np.zeros(1))
    up, down = actions.copy(), actions.copy()
    up[3, 1] += 1e-6
    down[3, 1] -= 1e-6
    plain(up, out, np.zeros(1))
    plain(down, again, np.zeros(1))
    assert found[0].imag / 1e-30 == pytest.approx((out[0] - again[0]) / 2e-6, abs=1e-8) != 0


def test_text_and_picture():
    state = load(f"{OPEN},rounds=1").start().play((1, -0.5))
    assert state.draw() == "evader  (0.00, 0.00) -> (1.00, -0.50)\npursuer (-2.00, -1.00)\ndistance 3.041, round 1 of 1"
    state = state.play((1.25, 0.5))
    assert state.draw().endswith("distance 1.750, after 1 round")
    for game in (load(OPEN), load("pursuit", wind=1)):
        state, stream = game.start(), Stream(1)
        while not state.over:
            ElementTree.fromstring(state.svg())
            state = state.play(state.random(stream))
        assert len([part for part in ElementTree.fromstring(state.svg()).iter() if part.tag.endswith("polyline")]) == 2
