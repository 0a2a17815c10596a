"""Connect Four once more, laid out by rows and written apart from the bundled one: a file that the benchmark gives by path."""

import numpy as np

players = 2
actions = 7
returns_range = (-1, 1)
State = np.dtype([("mine", np.int64), ("theirs", np.int64), ("next_row", np.int8, 7), ("count", np.int8), ("won", np.int8)])

# A row takes eight bits, of which the eighth stays empty, so that no line runs on in the row above.
WIDTH = 8


def start(state, rng):
    pass


def legal(state, out):
    n = 0
    for column in range(7):
        if state.next_row[column] < 6:
            out[n] = column
            n += 1
    return n


def play(state, action, rng):
    row = state.next_row[action]
    board = state.mine | (1 << (row * WIDTH + action))
    state.next_row[action] = row + 1
    # The player to move next sees the board from the other side.
    state.mine = state.theirs
    state.theirs = board
    state.count += 1
    if line(board, 1) or line(board, WIDTH) or line(board, WIDTH + 1) or line(board, WIDTH - 1):
        state.won = 1


def line(board, step):
    two = board & (board >> step)
    return two & (two >> (2 * step)) != 0


def mover(state):
    return -1 if state.won or state.count == 42 else state.count % 2


def returns(state, out):
    last = (state.count + 1) % 2
    out[last] = state.won
    out[1 - last] = -state.won
