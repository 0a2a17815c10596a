"""Leaves valued by a function of your own, in batches: a heuristic for Connect Four in plain NumPy, where a network would stand too."""

from pathlib import Path

import numpy as np

import playout

GAME = playout.load(str(Path(__file__).with_name("connect_four.py")))
ROWS, COLUMNS = 6, 7


def lines() -> np.ndarray:
    """The cells of every line of four, as places in a flat board."""
    cells = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)
    found = []
    for row in range(ROWS):
        for column in range(COLUMNS):
            for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                if 0 <= row + 3 * up < ROWS and 0 <= column + 3 * right < COLUMNS:
                    found.append([cells[row + k * up, column + k * right] for k in range(4)])
    return np.array(found)


LINES = lines()
WORTH = np.array([0.0, 0.01, 0.05, 0.3])
"""What a line is worth that one player has alone, with 0 to 3 discs in it."""


def evaluate(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(priors, values) for a batch of leaves: open lines for and against, and columns near the middle first."""
    board = states["board"].reshape(len(states), -1)[:, LINES]
    mine, theirs = (board == 1).sum(axis=2), (board == 2).sum(axis=2)
    score = np.where(theirs == 0, WORTH[mine.clip(0, 3)], 0).sum(axis=1) - np.where(mine == 0, WORTH[theirs.clip(0, 3)], 0).sum(
        axis=1
    )
    first = np.tanh(score)
    priors = np.tile([1.0, 2, 3, 4, 3, 2, 1], (len(states), 1))
    return priors, np.stack([first, -first], axis=1)


def main(simulations: int = 2000) -> playout.Decision:
    search = playout.Search(GAME, evaluator=evaluate, batch=32, seed=1)
    decision = search.run(simulations=simulations)
    print(decision)
    print(decision.why())
    return decision


if __name__ == "__main__":
    main()
