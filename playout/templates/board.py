"""Squares: put stones on a board in turn; four of yours that make a square of two by two win.

A board game for two that works as it is. Change it bit by bit, and run `playout check` on it after every bit.
Places to go on from are marked with NEXT; docs/game.md explains every name.
"""

import numpy as np

from playout import mix, parameter
from playout.picture import BOARD, LINE, PAPER, Picture, choices

# A number that a user may set: `playout search mygame.py:size=5`.
size = parameter("size", 4, "rows and columns of the board", low=2, high=8)

players = 2
# Ids of actions are 0 to actions - 1. Here an action is the cell that the stone goes to.
actions = size * size
returns_range = (-1, 1)

# Everything there is to know, in a fixed number of numbers. A state arrives zeroed, so 0 should mean "nothing yet".
# NEXT: what else must be remembered? A stone that may not be retaken, how often a player passed, what was captured.
State = np.dtype([("board", np.int8, (size, size)), ("stones", np.int16), ("winner", np.int8)])


def start(state, rng):
    """An empty board: nothing to do. NEXT: a set-up of your own goes here."""


def legal(state, out):
    """Write the legal ids into `out` and return how many there are. There must be one as long as the game goes on."""
    count = 0
    for cell in range(size * size):
        if state.board[cell // size, cell % size] == 0:
            out[count] = cell
            count += 1
    return count


def play(state, action, rng):
    """Change the state. NEXT: moves from a cell to a cell are one number too: action = source * cells + target."""
    player = state.stones % 2
    row, column = action // size, action % size
    state.board[row, column] = player + 1
    state.stones += 1
    if makes_square(state, row, column, player + 1):
        state.winner = player + 1


def makes_square(state, row, column, stone):
    """Whether a stone makes a square. Helpers are plain functions; they are compiled along with the rules."""
    for top in range(max(0, row - 1), min(row, size - 2) + 1):
        for left in range(max(0, column - 1), min(column, size - 2) + 1):
            if (
                state.board[top, left] == stone
                and state.board[top, left + 1] == stone
                and state.board[top + 1, left] == stone
                and state.board[top + 1, left + 1] == stone
            ):
                return True
    return False


def mover(state):
    """Who is to act; -1 when the game is over. NEXT: whoever may act twice in a row is simply the mover twice."""
    if state.winner != 0 or state.stones == size * size:
        return -1
    return state.stones % 2


def returns(state, out):
    """One number per player, each from its own point of view; asked at any time, so 0 while nothing is decided."""
    out[0] = 0.0
    out[1] = 0.0
    if state.winner != 0:
        out[state.winner - 1] = 1.0
        out[2 - state.winner] = -1.0


# All above is required, all below unlocks something.


def key(state):
    """A number that only equal positions share: for `--transpositions` and `playout learn`. Here Zobrist numbers, one per stone."""
    word = mix(0, state.stones % 2)
    for row in range(size):
        for column in range(size):
            if state.board[row, column] != 0:
                word ^= mix(row * size + column + 1, state.board[row, column])
    return np.int64(word)


# NEXT: def evaluate(state, out), what a position seems worth, for playouts that are cut off (`--cutoff 10`);
# NEXT: def playout_action(state, legal, count, rng), a better playout than a random one.


def action_name(state, action):
    """An action in words, for people. These functions are never compiled, so any Python will do."""
    return "abcdefgh"[action % size] + str(action // size + 1)


def draw(state):
    """The board in letters."""
    rows = [f"{row + 1} " + " ".join(".XO"[cell] for cell in state.board[row]) for row in reversed(range(size))]
    return "\n".join([*rows, "  " + " ".join("abcdefgh"[:size])])


def svg(state):
    """The board as a picture. What is drawn inside `picture.action(cell)` is played by a click on it, where the game is shown in a browser.

    NEXT: for moves from a cell to a cell name both ends with `picture.part("a1")`, and add def clicked(state, parts).
    """
    picture = Picture(50 * size, 50 * size, "The board", PAPER)
    free = choices(state, mover, legal, actions)
    for cell in range(size * size):
        x, y, stone = 50 * (cell % size), 50 * (size - 1 - cell // size), state.board[cell // size, cell % size]
        with picture.action(cell if cell in free else None, action_name(state, cell)):
            picture.rect(x, y, 50, 50, BOARD, LINE)
            if stone:
                picture.stone(x + 25, y + 25, 18, stone - 1, "XO"[stone - 1])
    return str(picture)
