"""What counts under each reward, at the end and on the way."""

import numpy as np
import pytest

from tests.games.root.boards import position, view


def paid(state, reward):
    return state.returns_as(reward)


def test_rewards_at_the_end():
    won = position(hers=[1], scores=(31, 12), winner=1, asked=-1)
    assert won.returns == (18, -18) == paid(won, "difference")
    assert paid(won, "win") == (1, -1)
    assert paid(won, "blend") == (pytest.approx(1.6), pytest.approx(-1.6))
    assert paid(won, "positive") == (18, 0)


def test_nobody_has_lost_for_not_having_won_yet():
    state = position(hers=[1], scores=(3, 12))
    assert paid(state, "win") == (0, 0) and paid(state, "positive") == (0, 9) and paid(state, "difference") == (-9, 9)


@pytest.mark.parametrize("reward", ["difference", "win", "blend", "positive"])
def test_estimates_stay_in_range_and_go_with_the_lead(reward):
    out, values = np.zeros(2), []
    game = position(hers=[1]).game
    low, high = game.rewards[reward]
    for scores in ((0, 29), (0, 10), (10, 0), (29, 0)):
        state = position(hers={1: 5}, theirs={3: 5}, roosts=[3], sawmills=[5], scores=scores)
        game.functions["evaluate_as"](view(state), list(game.rewards).index(reward), out)
        assert all(low <= value <= high for value in out)
        values.append(out[0])
    assert values == sorted(values) and values[-1] > values[0]
    assert reward == "positive" or out[1] == -out[0]


@pytest.mark.parametrize("reward, returns", [("difference", (9, -9)), ("win", (1, -1)), ("blend", (1.3, -1.3))])
def test_the_parameter_says_what_the_referee_counts(reward, returns):
    state = position(spec=f"root:reward={reward}", hers=[1], scores=(30, 21), winner=1, asked=-1)
    assert state.returns == pytest.approx(returns)
