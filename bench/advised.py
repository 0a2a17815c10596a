"""Breakthrough 6x6 with advice, to measure what uses it (`bias`, `puct`, `gumbel`, `implicit`): the bundled game has none.

The prior likes captures and pieces far ahead; evaluate counts pieces and how far the foremost is. Neither was tuned.
"""

import playout
from playout.games import breakthrough

_base = playout.load("breakthrough:rows=6,columns=6")
start, legal, play, mover, returns, wins = (
    _base.functions[role] for role in ("start", "legal", "play", "mover", "returns", "wins")
)
State, players, actions, most_legal, returns_range = _base.dtype, 2, _base.actions, _base.most_legal, (-1, 1)
ROWS = COLUMNS = 6
bit = breakthrough.bit


def prior(state, legal, count, out):
    player = state.mover
    for i in range(count):
        origin, side = legal[i] // 3, legal[i] % 3
        row = origin // COLUMNS
        target = origin + (COLUMNS if player == 0 else -COLUMNS) + side - 1
        ahead = row if player == 0 else ROWS - 1 - row
        out[i] = 1.0 + ahead + 4.0 * bit(state.pieces[1 - player], target)


def evaluate(state, out):
    total, foremost, hindmost = 0, 0, ROWS - 1
    for square in range(ROWS * COLUMNS):
        row = square // COLUMNS
        if bit(state.pieces[0], square) == 1:
            total += 1
            foremost = max(foremost, row)
        elif bit(state.pieces[1], square) == 1:
            total -= 1
            hindmost = min(hindmost, row)
    lead = foremost - (ROWS - 1 - hindmost)
    out[0] = min(0.95, max(-0.95, 0.1 * total + 0.1 * lead))
    out[1] = -out[0]
