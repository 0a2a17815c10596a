"""Kalah whose returns are the lead in seeds: a game of points (docs/search.md)."""

from playout.games.kalah import State, actions, lead, legal, mover, play, players, start

__all__ = ["State", "actions", "legal", "mover", "play", "players", "start"]
returns_range = (-48, 48)


def returns(state, out):
    out[0] = 0.0
    if state.mover < 0:
        out[0] = float(lead(state))
    out[1] = -out[0]
