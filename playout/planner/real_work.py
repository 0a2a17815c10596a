"""What the scratch space of a search with real-valued actions holds before its first simulation."""

from __future__ import annotations

from typing import Any

import numpy as np

from playout.game.game import Game
from playout.game.stream import SEQUENCES, base_words
from playout.planner.matters import matters
from playout.planner.options import prices
from playout.planner.settings import Settings


def furnish(work: Any, game: Game, settings: Settings, begin: Any) -> None:
    """Fill scratch records, each for the tree whose sequences begin where it says; see `sequences`."""
    work["prices"] = prices(game, settings)
    game.run_time.hand_over(work)
    if settings.method == "tables":
        work["matters"] = matters(game)
    work["shift"][:, 0] = begin


def sequences(seeds: Any, numbers: Any) -> Any:
    """Where the sequences of trees begin: a place of their own for every seed and number."""
    return base_words(np.asarray(seeds, np.int64), int(SEQUENCES) + np.asarray(numbers, np.int64))


def stamped(kind: np.dtype[Any], game: Game, settings: Settings, begin: Any) -> tuple[Any, Any, Any, Any]:
    """The same as bytes, for a device that fills its own memory: the columns of `engine.forest.Stamp`."""
    one = np.zeros(1, kind)
    furnish(one, game, settings, np.uint64(0))
    alike = one.view(np.uint8)
    (places,) = np.nonzero(alike)
    own = np.ascontiguousarray(begin).view(np.uint8).reshape(len(begin), -1)
    fields: Any = kind.fields
    return places, alike[places], np.array([fields["shift"][1]]), own
