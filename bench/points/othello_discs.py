"""Othello whose returns are the lead in discs: a game of points (docs/search.md)."""

from playout import popcount
from playout.games.othello import State, actions, legal, most_legal, mover, play, players, start

__all__ = ["State", "actions", "legal", "most_legal", "mover", "play", "players", "start"]
returns_range = (-64, 64)


def returns(state, out):
    out[0] = 0.0
    if state.mover < 0:
        out[0] = float(popcount(state.discs[0]) - popcount(state.discs[1]))
    out[1] = -out[0]
