"""Small games in which knowing too much, or believing that others do, leads a search astray.

They say that they are not compiled: a few hundred simulations of so small a game take less time than its kernels.
"""

from __future__ import annotations

import numpy as np

from playout import Game, below

COIN = np.dtype([("coin", np.int8), ("stage", np.int8), ("choice", np.int8), ("guess", np.int8)])


# Fusion: take a sure 0.3, or go on and match a coin that nobody sees. In every single world going on wins, but no one can
# know how: a search that solves world after world believes otherwise (strategy fusion).


def fusion_start(state, rng):
    state.coin = 1 + below(rng, 2)


def fusion_legal(state, out):
    out[0] = 0
    out[1] = 1
    return 2


def fusion_play(state, action, rng):
    if state.stage == 0:
        state.choice = 1 + action
        state.stage = 1 if action == 1 else 2
    else:
        state.guess = 1 + action
        state.stage = 2


def fusion_mover(state):
    return 0 if state.stage < 2 else -1


def fusion_returns(state, out):
    out[0] = 0.0
    if state.stage == 2:
        out[0] = 0.3
        if state.choice == 2:
            out[0] = 1.0 if state.guess == state.coin else -1.0


def fusion_observe(state, player):
    if state.stage < 2:
        state.coin = 0


def fusion_determinize(state, player, rng):
    if state.stage < 2:
        state.coin = 1 + below(rng, 2)


def fusion() -> Game:
    """Actions: 0 safe (then left), 1 go (then right)."""
    return Game(
        "fusion",
        players=1,
        actions=2,
        State=COIN,
        compiled=False,
        returns_range=(-1, 1),
        start=fusion_start,
        legal=fusion_legal,
        play=fusion_play,
        mover=fusion_mover,
        returns=fusion_returns,
        observe=fusion_observe,
        determinize=fusion_determinize,
    )


# Hiding: player 0 gives up nine tenths of a point, or hides a coin as heads or tails; player 1 guesses. Whoever believes that the guesser
# sees the coin gives up.


def hide_start(state, rng):
    pass


def hide_legal(state, out):
    count = 3 if state.stage == 0 else 2
    for i in range(count):
        out[i] = i
    return count


def hide_play(state, action, rng):
    if state.stage == 0:
        state.choice = 1 + action
        state.stage = 2 if action == 2 else 1
    else:
        state.guess = 1 + action
        state.stage = 2


def hide_mover(state):
    return state.stage if state.stage < 2 else -1


def hide_returns(state, out):
    out[0] = 0.0
    if state.stage == 2:
        out[0] = -0.9
        if state.choice < 3:
            out[0] = -1.0 if state.guess == state.choice else 1.0
    out[1] = -out[0]


def hide_observe(state, player):
    if player == 1 and state.stage == 1:
        state.choice = 0


def hide_determinize(state, player, rng):
    if player == 1 and state.stage == 1:
        state.choice = 1 + below(rng, 2)


def hide() -> Game:
    """Actions of player 0: 0 heads, 1 tails, 2 give up; of player 1: 0 heads, 1 tails."""
    return Game(
        "hide",
        players=2,
        actions=3,
        State=COIN,
        compiled=False,
        returns_range=(-1, 1),
        start=hide_start,
        legal=hide_legal,
        play=hide_play,
        mover=hide_mover,
        returns=hide_returns,
        observe=hide_observe,
        determinize=hide_determinize,
    )
