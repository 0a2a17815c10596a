"""Knockout whist whose returns are the lead in tricks: a hidden game of points, if of few (docs/search.md)."""

from playout.games.knockout_whist import (
    State,
    actions,
    cards,
    determinize,
    legal,
    most_legal,
    mover,
    observe,
    play,
    players,
    start,
)

__all__ = ["State", "actions", "determinize", "legal", "most_legal", "mover", "observe", "play", "players", "start"]
returns_range = (-cards, cards)


def returns(state, out):
    out[0] = float(state.tricks[0]) - float(state.tricks[1])
    out[1] = -out[0]
