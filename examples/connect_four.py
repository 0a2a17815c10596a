"""Connect Four: drop discs into seven columns; four of a colour in a line win."""

import numpy as np

ROWS, COLUMNS = 6, 7
players = 2
actions = COLUMNS
returns_range = (-1, 1)
State = np.dtype([("board", np.int8, (ROWS, COLUMNS)), ("discs", np.int8), ("winner", np.int8)])


def start(state, rng):
    pass  # a state arrives filled with zeros, and that is the empty board


def legal(state, out):
    count = 0
    for column in range(COLUMNS):
        if state.board[ROWS - 1, column] == 0:
            out[count] = column
            count += 1
    return count


def play(state, action, rng):
    row = 0
    while state.board[row, action] != 0:
        row += 1
    disc = state.discs % 2 + 1  # 1 for player 0, 2 for player 1
    state.board[row, action] = disc
    state.discs += 1
    for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        if run(state, row, action, up, right) + run(state, row, action, -up, -right) >= 5:
            state.winner = disc


def run(state, row, column, up, right):
    """How many discs of the same colour stand in one direction, the one at the start included."""
    disc, length = state.board[row, column], 0
    while 0 <= row < ROWS and 0 <= column < COLUMNS and state.board[row, column] == disc:
        row, column, length = row + up, column + right, length + 1
    return length


def mover(state):
    return -1 if state.winner != 0 or state.discs == ROWS * COLUMNS else state.discs % 2


def returns(state, out):
    out[0] = (0, 1, -1)[state.winner]  # nobody, player 0, player 1
    out[1] = (0, -1, 1)[state.winner]


def action_name(state, action):
    return "abcdefg"[action]


def draw(state):
    rows = [" ".join(".XO"[disc] for disc in row) for row in reversed(state.board)]
    return "\n".join([*rows, "a b c d e f g"])
