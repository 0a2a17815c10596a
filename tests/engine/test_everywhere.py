"""Last actions that are looked for everywhere: the highest of many tops, kinks, two dimensions, and the same bits compiled."""

import numpy as np
import pytest

from playout import Game, Search
from playout.engine.real.sampling import into_gap
from tests.engine.trees import same_bits

GRID = np.linspace(-1.0, 1.0, 4001)


def game(reply, dimension=1):
    """The first player wants 0.2 and so plays it; the second is paid by `reply(x, y)`."""

    def payoffs(actions, out):
        x = actions[0, 0]
        out[0] = -(x - 0.2) * (x - 0.2)
        out[1] = reply(x, actions[1])

    return Game("made", players=2, stages=2, dimension=dimension, bounds=(-1.0, 1.0), payoffs=payoffs, compiled=False)


def waves(x, y):
    return np.sin(13.0 * y[0] + 1.0) + 0.8 * np.sin(29.0 * y[0]) + 0.2 * x * y[0]


def missed(reply, last, seed):
    """How far below the highest top the answer of the line is."""
    decision = Search(game(reply), compiled=False, seed=seed, last=last).run(simulations=12)
    (x,), y = decision.line().actions
    return max(reply(x, (each,)) for each in GRID) - reply(x, y)


def test_the_highest_of_many_tops_is_found_where_climbing_from_somewhere_misses_it():
    assert max(missed(waves, "everywhere", seed) for seed in range(4)) < 1e-6
    assert max(missed(waves, "solve", seed) for seed in range(4)) > 0.2


def test_kinks_are_climbed_without_derivatives():
    def kinks(x, y):
        return -abs(y[0] - 0.37 + 0.1 * x) + 0.3 * max(0.0, 0.5 - abs(y[0] + 0.6))

    assert max(missed(kinks, "everywhere", seed) for seed in range(2)) < 1e-5


def test_two_dimensions_are_looked_at_as_a_whole():
    def hills(x, y):
        near = (y[0] - 0.5) * (y[0] - 0.5) + (y[1] + 0.5) * (y[1] + 0.5)
        far = (y[0] + 0.6) * (y[0] + 0.6) + (y[1] - 0.4) * (y[1] - 0.4)
        return 1.0 / (0.05 + near) + 1.5 / (0.05 + far)

    decision = Search(game(hills, 2), compiled=False, seed=1, last="everywhere").run(simulations=12)
    y = decision.line().actions[1]
    assert np.hypot(y[0] + 0.6, y[1] - 0.4) < 0.02  # the higher one of the two


def test_a_narrow_top_before_the_last_stage_is_not_overlooked_beside_a_wide_one():
    def payoffs(actions, out):
        x, y = actions[0, 0], actions[1, 0]
        wide, narrow = (x + 0.5) / 0.4, (x - 0.62) / 0.08
        out[0] = np.exp(-wide * wide) + 1.05 * np.exp(-narrow * narrow) - y * y
        out[1] = -(y - 0.1 * x) * (y - 0.1 * x)

    made = Game("tops", players=2, stages=2, dimension=1, bounds=(-1.0, 1.0), payoffs=payoffs, compiled=False)
    found = [
        Search(made, compiled=False, seed=seed, last="everywhere", method="widening").run(simulations=40).action
        for seed in range(8)
    ]
    # Where only the best so far is looked at more closely, two of them find it.
    assert sum(abs(action[0] - 0.62) < 0.01 for action in found) >= 6


def test_into_a_gap_goes_to_the_top_of_the_parabola_or_where_that_is_known_into_the_wider_side():
    # 1 - x² seen from -0.2: 0.96 there, 0.64 at -0.6, 0.75 at 0.5; its top is 0.2 to the right
    assert into_gap(0.4, 0.7, 0.96 - 0.64, 0.96 - 0.75) == pytest.approx(0.2)
    assert into_gap(0.4, 0.5, 0.16, 0.25) == pytest.approx(0.19)  # the top itself is the highest: 0.38 of the wider gap
    assert into_gap(0.5, 0.0, 0.1, 0.0) == pytest.approx(-0.19)  # at an edge there is no parabola


@pytest.mark.compiles
def test_compiled_is_uncompiled():
    one, other = (Search("loss-1d", compiled=compiled, seed=3, last="everywhere") for compiled in (False, True))
    assert one.run(simulations=30).actions == other.run(simulations=30).actions and same_bits(one, other)
