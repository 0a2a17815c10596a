"""A `key` by Zobrist numbers: positions that are reached in another order are one, and a search need not find out about them twice.

Zobrist (1970) gives every piece on every square a random number, and a position the exclusive or of those that are there. `playout.mix`
makes such numbers out of square and piece, so that no table of them is needed; compiled and uncompiled they are the same.
"""

import numpy as np

import playout
from playout import mix

players, actions, returns_range = 2, 9, (-1, 1)
State = np.dtype([("cells", np.int8, (9,)), ("stones", np.int8), ("winner", np.int8)])
LINES = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]], np.int8)


def start(state, rng):
    """An empty board."""


def legal(state, out):
    count = 0
    for cell in range(9):
        if state.cells[cell] == 0:
            out[count] = cell
            count += 1
    return count


def play(state, action, rng):
    stone = 1 + state.stones % 2
    state.cells[action] = stone
    state.stones += 1
    for line in range(8):
        if state.cells[LINES[line, 0]] == stone and state.cells[LINES[line, 1]] == stone and state.cells[LINES[line, 2]] == stone:
            state.winner = stone


def mover(state):
    return -1 if state.winner != 0 or state.stones == 9 else state.stones % 2


def returns(state, out):
    out[0] = 1.0 if state.winner == 1 else -1.0 if state.winner == 2 else 0.0
    out[1] = -out[0]


def key(state):
    """All that matters, the mover included; not the order in which the stones came."""
    word = mix(0, state.stones % 2)
    for cell in range(9):
        if state.cells[cell] != 0:
            word ^= mix(cell + 1, state.cells[cell])
    return np.int64(word)


def main(simulations: int = 100_000) -> tuple[int, ...]:
    """The same search with and without: how many simulations until the result is proven."""
    rules = {name: value for name, value in globals().items() if not name.startswith("_") and name != "main"}
    game = playout.Game("noughts", rules)
    needed = tuple(
        playout.Search(game, seed=1, trees=1, transpositions=shared)
        .run(game.start().play(4), simulations=simulations)
        .simulations
        for shared in (False, True)
    )
    print(f"proven after {needed[0]:,} simulations as a tree, after {needed[1]:,} where positions are shared")
    return needed


if __name__ == "__main__":
    main()
