"""Quantum line: both players place the same mark on a row, in superposition; the first wants them side by side.

An action is a unit complex vector over the sites; boards add up with their amplitudes, and the payoff is the mean over the
boards at the end: +1 to the first player where all marks stand side by side, else -1. A move that leaves almost nothing (a
billionth of the weight) loses at once, like a move onto a taken site. `docs/quantum.md` has the rules.
"""

from playout import PlayoutError, parameter
from playout.games import _quantum

sites = parameter("sites", 5, "sites in the row", low=2, high=10)
length = parameter("length", 3, "marks that are placed, and must stand side by side", low=1, high=9)
if length >= sites:
    raise PlayoutError(
        f"parameter length={length} is out of range: on {sites} sites at most {sites - 1} marks leave anything to play for"
    )

players = 2
stages = length
dimension = 2 * sites
action_set = "projective"
returns_range = (-1, 1)

NAMES = tuple("abcdefghij"[:sites])


def result(board):
    """Decided only when the last mark is on the row."""
    if sum(board) < length:
        return None
    start = board.index(1)
    return 1.0 if sum(board[start : start + length]) == length else -1.0


GRAPH = _quantum.Graph(sites, length, lambda ply: 1, result)
scratch = GRAPH.scratch
payoffs, gradient = _quantum.functions(GRAPH)


def action_name(state, action):
    return _quantum.words(action, NAMES)


def draw(state):
    return _quantum.table(GRAPH, state, NAMES, {1: "mark"})


def svg(state):
    places = [(site, 0) for site in range(sites)]
    return _quantum.draw_picture(GRAPH, state, f"{length} side by side on {sites}", places, NAMES, 80, 16)
