"""What the scratch space of a search with real-valued actions holds before its first simulation."""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.game.game import Game
from playout.game.stream import SEQUENCES, base_words
from playout.planner.matters import matters
from playout.planner.options import prices
from playout.planner.settings import Settings


def furnish(work: Any, game: Game, settings: Settings, seeds: Any, numbers: Any) -> None:
    """Fill scratch records, each for the tree with the seed and the number in its place."""
    work["prices"] = prices(game, settings)
    game.run_time.hand_over(work)
    if settings.method == "tables":
        work["matters"] = matters(game)
    # Where the sequences of a tree begin: a place of their own for every seed and tree.
    work["shift"][:, 0] = base_words(np.asarray(seeds, np.int64), int(SEQUENCES) + np.asarray(numbers, np.int64))
