"""Quantum board games by dictionary, straight from the rules: the truth that the sparse index is tested against."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Board = tuple[int, ...]
Result = Callable[[Board], float | None]
Mark = Callable[[int], int]
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def line_result(length: int) -> Result:
    def result(board: Board) -> float | None:
        if sum(board) < length:
            return None
        return 1.0 if "1" * length in "".join(map(str, board)) else -1.0

    return result


def tic_tac_toe_result(board: Board) -> float | None:
    for mark, worth in ((1, 1.0), (2, -1.0)):
        if any(all(board[site] == mark for site in line) for line in LINES):
            return worth
    return None if 0 in board else 0.0


def moved(state: dict[Board, complex], action: Any, mark: int, result: Result) -> dict[Board, complex]:
    """The superposition after a move."""
    after: dict[Board, complex] = {}
    for board, amplitude in state.items():
        if result(board) is not None:
            after[board] = after.get(board, 0) + amplitude
            continue
        for site, taken in enumerate(board):
            if not taken:
                child = (*board[:site], mark, *board[site + 1 :])
                after[child] = after.get(child, 0) + amplitude * action[site]
    return after


def superposition(sites: int, mark: Mark, result: Result, actions: Any) -> dict[Board, complex]:
    """The superposition after unit complex actions."""
    state: dict[Board, complex] = {(0,) * sites: 1.0}
    for stage, action in enumerate(actions):
        state = moved(state, action, mark(stage), result)
    return state


def mean(state: dict[Board, complex], result: Result) -> float:
    weights = {board: abs(amplitude) ** 2 for board, amplitude in state.items()}
    return sum((result(board) or 0.0) * weight for board, weight in weights.items()) / sum(weights.values())


def last_forms(state: dict[Board, complex], mark: int, result: Result) -> tuple[Any, Any]:
    """Hermitian A and B: after the last action a the payoff is a*Aa / a*Ba."""
    sites = len(next(iter(state)))
    unit = np.eye(sites)
    rows: dict[Board, Any] = {}
    for site in range(sites):
        for board, amplitude in moved(state, unit[site], mark, result).items():
            rows.setdefault(board, np.zeros(sites, complex))[site] = amplitude
    a, b = np.zeros((sites, sites), complex), np.zeros((sites, sites), complex)
    for board, row in rows.items():
        if board in state:  # finished before: it keeps its amplitude whatever the action
            form = abs(state[board]) ** 2 * unit
        else:
            form = np.outer(row.conj(), row)
        a += (result(board) or 0.0) * form
        b += form
    return a, b


def best_last(a: Any, b: Any, sign: int) -> tuple[float, Any]:
    """The greatest (sign 1) or least (-1) value of a*Aa / a*Ba, with its action, by whitening B on what it does not cancel."""
    weights, vectors = np.linalg.eigh(b)
    kept = weights > 1e-8 * weights[-1]
    white = vectors[:, kept] / np.sqrt(weights[kept])
    values, actions = np.linalg.eigh(white.conj().T @ a @ white)
    place = -1 if sign > 0 else 0
    action = white @ actions[:, place]
    return float(values[place]), action / np.linalg.norm(action)


def numbers(action: Any) -> Any:
    """A complex vector as the game takes it: real and imaginary parts in turn."""
    return np.ascontiguousarray(action, np.complex128).view(np.float64)


def random_actions(seed: int, stages: int, sites: int) -> Any:
    rng = np.random.default_rng(seed)
    actions = rng.normal(size=(stages, sites)) + 1j * rng.normal(size=(stages, sites))
    return actions / np.linalg.norm(actions, axis=1, keepdims=True)
