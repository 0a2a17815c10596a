"""How many random actions games should begin with, so that agents who draw nothing do not play the same game again and again."""

from __future__ import annotations

from playout.game.game import Game
from playout.game.stream import PICKS, Stream

TRIED = 8
"""Random beginnings that are looked at."""


def openings_of(game: Game, wanted: int) -> int:
    """So many where all games would begin alike; none where cards are dealt, or a game may be nearly over by then."""
    if game.players == 1 or game.hidden:
        return 0
    for seed in range(TRIED):
        state, picks = game.start(seed), Stream(seed, PICKS)
        for _ in range(2 * wanted):
            if not state.over:
                state = state.play(state.legal[picks.below(len(state.legal))])
        if state.over:
            return 0
    return wanted


def varied(game: Game) -> int:
    """For games between agents who draw nothing at all: four, or two in a short game."""
    return openings_of(game, 4) or openings_of(game, 2)
