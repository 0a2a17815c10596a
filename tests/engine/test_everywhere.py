"""Last actions that are looked for everywhere: the highest of many tops, kinks, two dimensions, and the same bits compiled."""

import numpy as np
import pytest

from playout import Game, Search
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


@pytest.mark.compiles
def test_compiled_is_uncompiled():
    one, other = (Search("loss-1d", compiled=compiled, seed=3, last="everywhere") for compiled in (False, True))
    assert one.run(simulations=30).actions == other.run(simulations=30).actions and same_bits(one, other)
