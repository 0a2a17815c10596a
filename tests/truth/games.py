"""Tiny games with known equilibria, and games that the exact tools must refuse."""

from __future__ import annotations

from typing import Any

import numpy as np

from playout import Game, below, uniform

HANDS = np.dtype([("hand", np.int8, 2), ("moves", np.int8)])


def matrix_game(name: str, payoffs: list[list[float]], **changes: Any) -> Game:
    """Both choose at the same time: player 1 does not see what player 0 chose. Payoffs are those of player 0."""
    table = np.array(payoffs)
    rows, columns = table.shape

    def start(state, rng):
        pass

    def legal(state, out):
        count = rows if state.moves == 0 else columns
        for action in range(count):
            out[action] = action
        return count

    def play(state, action, rng):
        state.hand[state.moves] = 1 + action
        state.moves += 1

    def mover(state):
        return -1 if state.moves == 2 else state.moves

    def returns(state, out):
        out[0] = out[1] = 0.0
        if state.moves == 2:
            out[0] = table[state.hand[0] - 1, state.hand[1] - 1]
            out[1] = -out[0]

    def observe(state, player):
        if state.moves < 2:
            state.hand[1 - player] = 0

    def determinize(state, player, rng):
        if state.moves == 1 and player == 1:
            state.hand[0] = 1 + below(rng, rows)

    rules = {"start": start, "legal": legal, "play": play, "mover": mover, "returns": returns}
    hiding = {"observe": observe, "determinize": determinize}
    return Game(name, {"players": 2, "actions": max(rows, columns), "State": HANDS, **rules, **hiding, **changes})


PENNIES = matrix_game("pennies", [[1, -1], [-1, 1]])
ROCK = matrix_game("rock-paper-scissors", [[0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def uneven() -> Game:
    """Player 0 chooses one of three cups, the last two in two steps that nobody sees; player 1 guesses, then doubles or not.

    The histories of an information set of player 1 differ in length.
    """
    record = np.dtype([("cup", np.int8), ("guess", np.int8), ("stake", np.int8)])
    worth = (1.0, 2.0, 3.0)

    def start(state, rng):
        state.cup = below(rng, 2) - 2  # what chance does here is seen by player 0 alone

    def legal(state, out):
        out[0], out[1] = 0, 1
        if state.cup > 0 and state.guess == 0:
            out[2] = 2
            return 3
        return 2

    def play(state, action, rng):
        if state.cup == -2 or state.cup == -1:
            state.cup = 1 if action == 0 else -3
        elif state.cup == -3:
            state.cup = 2 + action
        elif state.guess == 0:
            state.guess = 1 + action
        else:
            state.stake = 1 + action

    def mover(state):
        return -1 if state.stake > 0 else 0 if state.cup < 0 else 1

    def returns(state, out):
        gain = -1.0 if state.guess == state.cup else 1.0 / worth[state.cup - 1]
        out[0] = gain * state.stake
        out[1] = -out[0]

    def observe(state, player):
        if player == 1 and state.stake == 0:
            state.cup = 1 if state.cup > 0 else 0

    def determinize(state, player, rng):
        if player == 1 and state.cup > 0 and state.stake == 0:
            state.cup = 1 + below(rng, 3)

    rules = {"start": start, "legal": legal, "play": play, "mover": mover, "returns": returns}
    return Game("uneven", players=2, actions=3, State=record, observe=observe, determinize=determinize, **rules)


def _sum_of_one(state, out):
    out[0] = out[1] = 1.0


def blind(state, player):
    """An observation without anything in it."""
    state.hand[0] = state.hand[1] = state.moves = 0


def _real_start(state, rng):
    state.hand[0] = 1 if uniform(rng) < 0.5 else 2


def _secret_legal(state, out):
    out[0] = 0
    out[1] = 1
    return 2 if state.moves == 0 else int(state.hand[0])


FRIENDS = matrix_game("friends", [[1, -1], [-1, 1]], returns=_sum_of_one)
REAL = matrix_game("real", [[1, -1], [-1, 1]], start=_real_start)
SECRET = matrix_game("secret", [[1, -1], [-1, 1]], legal=_secret_legal)
THREE = matrix_game("three", [[1, -1], [-1, 1]], players=3)
