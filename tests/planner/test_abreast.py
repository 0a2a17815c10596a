"""Games side by side are the games that are played one by one, state for state and stream for stream."""

from __future__ import annotations

import numpy as np
import pytest

from playout.errors import GameError
from playout.game.load import load
from playout.game.stream import Stream
from playout.planner import abreast
from playout.planner.abreast import Abreast

COUNT = 12


def scattered(state, lots, steps):
    """As self-play begins a strange game."""
    for _ in range(steps):
        after = state.after(state.random(lots))
        state = state if after.over else after
    return state


@pytest.mark.parametrize(
    ("spec", "compiled"),
    [
        ("connect-four:columns=4,rows=4", False),
        ("pig:target=20", False),
        ("leduc-poker", False),
        ("scoundrel", False),
        pytest.param("tic-tac-toe", True, marks=pytest.mark.compiles),
    ],
)
def test_the_same_games_as_one_by_one(spec, compiled, monkeypatch):
    monkeypatch.setattr(abreast, "TOGETHER", 5)
    game, places = load(spec), np.arange(COUNT)
    games = Abreast(game, COUNT, compiled=compiled)
    games.start(places, (5 + places).tolist())
    lots, steps = np.array([Stream(place, 7).word for place in places.tolist()], np.uint64), places % 4
    games.scatter(places, lots, steps)
    states = [scattered(game.start(5 + place), Stream(int(place), 7), steps[place]) for place in places.tolist()]
    rng = np.random.default_rng(0)
    for _ in range(1000):
        seen = games.look(places)
        for place, state in enumerate(states):
            assert bytes(state) == bytes(games.state(place)) and state.word == games.state(place).word
            assert seen.movers[place] == (-1 if state.over else state.mover)
            assert seen.ids[place, : seen.counts[place]].tolist() == list(state.legal)
        over, going = np.flatnonzero(seen.movers < 0), np.flatnonzero(seen.movers >= 0)
        assert games.returns(over).tolist() == [list(states[place].returns) for place in over]
        if not len(going):
            break
        actions = seen.ids[going, rng.integers(seen.counts[going])]
        games.play(going, actions)
        for place, action in zip(going, actions):
            states[place] = states[place].after(int(action))
    else:
        pytest.fail("the games did not end")


def test_a_game_that_lists_too_much_is_told():
    game = load("tic-tac-toe")
    games = Abreast(game, 2, compiled=False)
    games.start(np.arange(2), [0, 1])
    games._kernels = {body: (lambda *given: given[3].fill(-1)) for body in games._kernels}
    with pytest.raises(GameError, match="lists none or more than most_legal = 9 actions in a state; run playout check on it"):
        games.look(np.arange(2))
