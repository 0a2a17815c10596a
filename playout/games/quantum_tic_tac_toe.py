"""Quantum tic-tac-toe: crosses and noughts in superposition, with interference; the mean result counts.

An action is a unit complex vector over the nine sites; boards add up with their amplitudes, and the payoff is the mean over
the boards at the end: +1 where the crosses of the first player have a line, -1 where the noughts have one. A move that leaves
almost nothing (a billionth of the weight) loses at once, like a move onto a taken site. `docs/quantum.md` has the rules.
"""

from playout.games import _quantum

players = 2
stages = 9
dimension = 18
action_set = "projective"
returns_range = (-1, 1)

# Sites as squares are named in chess: a1 is at the bottom left.
NAMES = tuple(f"{'abc'[site % 3]}{site // 3 + 1}" for site in range(9))
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def result(board):
    for a, b, c in LINES:
        if board[a] and board[a] == board[b] == board[c]:
            return 1.0 if board[a] == 1 else -1.0
    return 0.0 if 0 not in board else None


GRAPH = _quantum.Graph(9, 9, lambda ply: 1 + ply % 2, result)
scratch = GRAPH.scratch
payoffs, gradient = _quantum.functions(GRAPH)


def action_name(state, action):
    return _quantum.words(action, NAMES)


def draw(state):
    return _quantum.table(GRAPH, state, NAMES, {1: "X", 2: "O"})


def svg(state):
    places = [(site % 3, 2 - site // 3) for site in range(9)]
    return _quantum.draw_picture(GRAPH, state, "Quantum tic-tac-toe", places, NAMES, 100, 16)
