"""Chomp: eat from a bar of chocolate; whoever gets the poisoned square loses."""

import numpy as np

ROWS, COLUMNS = 3, 4
players = 2
actions = ROWS * COLUMNS  # a square: its row times COLUMNS, plus its column
returns_range = (-1, 1)
# How many squares are left in each row, the poisoned one being the first of row 0; and whose turn it is.
State = np.dtype([("left", np.int8, ROWS), ("mover", np.int8)])


def start(state, rng):
    for row in range(ROWS):
        state.left[row] = COLUMNS


def legal(state, out):
    count = 0
    for row in range(ROWS):
        for column in range(state.left[row]):
            out[count] = row * COLUMNS + column
            count += 1
    return count


def play(state, action, rng):
    row, column = action // COLUMNS, action % COLUMNS
    for above in range(row, ROWS):  # the square, and all that lie above it and to its right
        state.left[above] = min(state.left[above], column)
    state.mover = 1 - state.mover


def mover(state):
    return state.mover if state.left[0] > 0 else -1


def returns(state, out):
    for player in range(2):  # who is to move on an empty bar has won: the other one ate the poison
        out[player] = 0 if state.left[0] > 0 else 1 if player == state.mover else -1


def action_name(state, action):
    return "abcd"[action % COLUMNS] + "123"[action // COLUMNS]


def draw(state):
    rows = [f"{row + 1}{' #' * int(state.left[row])}" for row in reversed(range(ROWS))]
    return "\n".join([*rows, "  a b c d"])


def key(state):
    return state.left[0] + 5 * state.left[1] + 25 * state.left[2] + 125 * state.mover
