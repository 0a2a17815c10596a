"""Rows: a small game for the tests of the search. Take one to three numbers from the front of a row; an even last one
lets the same player go on. It has every optional function, rewards on the way, and a player who moves twice in a row."""

import numpy as np

from playout import below, parameter

length = parameter("length", 8, "numbers in the row", low=1, high=20)
dice = parameter("dice", 0, "1: a coin decides who goes on after an even number", low=0, high=1)

players = 2
actions = 3
returns_range = (-40, 40)
State = np.dtype([("front", np.int8), ("turn", np.int8), ("gold", np.int16, 2)])

ROW = (3, 2, 5, 1, 4, 4, 7, 2, 6, 3, 8, 1, 5, 2, 9, 4, 3, 3, 2, 8)


def start(state, rng):
    pass


def legal(state, out):
    count = min(3, length - state.front)
    for i in range(count):
        out[i] = i
    return count


def play(state, action, rng):
    last = 0
    for _ in range(action + 1):
        last = ROW[state.front]
        state.gold[state.turn] += last
        state.front += 1
    if last % 2 != 0 or (dice == 1 and below(rng, 2) == 0):
        state.turn = 1 - state.turn


def mover(state):
    return -1 if state.front == length else state.turn


def returns(state, out):
    out[0] = state.gold[0] - state.gold[1]
    out[1] = state.gold[1] - state.gold[0]


def key(state):
    # What is still to come depends on the front and the turn; what was taken counts in the returns.
    return ((state.front * 2 + state.turn) * 512 + state.gold[0]) * 512 + state.gold[1]


def playout_action(state, legal, count, rng):
    return legal[count - 1] if below(rng, 3) > 0 else legal[0]


def evaluate(state, out):
    out[0] = state.gold[0] - state.gold[1] + 0.5
    out[1] = state.gold[1] - state.gold[0] - 0.5


def prior(state, legal, count, out):
    for i in range(count):
        out[i] = i + 1.0
