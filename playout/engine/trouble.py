"""Why a kernel came back early: one code each (`head.trouble`), and the sentence that tells what the game did wrong.

Kernels cannot raise. They note a code and return; the planner and `learning` turn it into an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from playout.engine import layout
from playout.errors import GameError
from playout.game.continuous import history_words

NOT_A_NUMBER, NO_LEGAL, TOO_MANY_LEGAL, ENDLESS, BAD_MOVER, BAD_ACTION, BAD_PATTERN, DRAWN, BAD_PRIOR, BAD_NETWORK = range(1, 11)

Words = Callable[[Any, Any], str]
"""From the game and what the kernel had in hand, the last value or the longest length, to words."""

SEARCHING: dict[int, Words] = {
    NOT_A_NUMBER: lambda game, value: (
        f"returns (or evaluate) gave {value.tolist()}, which is not a finite number for every player"
    ),
    NO_LEGAL: lambda game, value: (
        "legal found no action though mover says that the game goes on; return -1 from mover when it is over"
    ),
    TOO_MANY_LEGAL: lambda game, value: (
        f"legal (or safe) returned more than the {game.most_legal} that most_legal allows; raise most_legal or actions"
    ),
    ENDLESS: lambda game, value: (
        f"a playout did not end within {layout.LONGEST_PLAYOUT:,} actions; see that the game ends, or pass cutoff"
    ),
    BAD_MOVER: lambda game, value: f"mover named a player beyond the {game.players} that the game declares",
    BAD_ACTION: lambda game, value: (
        f"legal, pick, playout_action, wins or safe gave an id that is not from 0 to {game.actions - 1}; raise actions, or correct the id"
    ),
    BAD_PRIOR: lambda game, value: "prior gave a weight that is not a finite number; look for a division by zero",
    BAD_PATTERN: lambda game, value: (
        f"patterns gave more than the {game.most_patterns} of most_patterns, or an id that is not below "
        f"the {game.pattern_weights} of pattern_weights"
    ),
}
LEARNING: dict[int, Words] = {
    **SEARCHING,
    NOT_A_NUMBER: lambda game, longest: "returns gave a number that is not finite",
    NO_LEGAL: lambda game, longest: (
        f"legal gave no action, or more than the {game.most_legal} that most_legal allows, though the game goes on"
    ),
    TOO_MANY_LEGAL: lambda game, longest: f"legal gave more than the {game.most_legal} that most_legal allows",
    ENDLESS: lambda game, longest: f"an episode had more than {longest:,} decisions; see that the game ends",
    BAD_ACTION: lambda game, longest: (
        f"legal gave an id that is not from 0 to {game.actions - 1}; raise actions, or correct the id"
    ),
    DRAWN: lambda game, longest: (
        "play drew chance, and patterns value the one state behind an action; learn it with values=table"
    ),
}


def told(words: dict[int, Words], code: int, state: Any, had: Any) -> GameError:
    """The error for a code that a kernel came back with, in the state where it happened."""
    game = state.game
    if code == BAD_NETWORK:
        return GameError(
            f"the network in the kernel says of a state of {game.name!r} what is no finite number, as weights do that are too large; learn and "
            f"export it again (state: {state.fields!r})"
        )
    return GameError(f"game {game.name!r}: {words[code](game, had)} (state: {state.fields!r}); run playout check on it")


def no_number(game: Any, actions: Any, value: Any) -> GameError:
    """Which actions of a continuous game have payoffs that nothing can be done with."""
    wrong = [player for player in range(game.players) if not np.isfinite(value[player])]
    player = wrong[0] if wrong else 0
    return GameError(
        f"game {game.name!r}: payoffs gave {value[player]} to player {player}, which is not a finite number, for the actions "
        f"{history_words(actions)}; make bounds leave such actions out, or payoffs finite there"
    )
