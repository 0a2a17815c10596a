"""The choice of many roots at once is `pick` of each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from playout.engine import layout
from playout.planner.actions import pick
from playout.planner.choices import pick_each
from playout.planner.settings import Settings


class Edge(NamedTuple):
    visits: int
    mean: float | None
    proven: tuple[float, ...] | None
    refuted: bool
    dropped: bool
    low: float | None = None
    weight: float | None = None


@pytest.mark.parametrize("final", ["visits", "mean"])
@pytest.mark.parametrize("high", [None, 1.0])
def test_each_is_what_pick_says(final: str, high: float | None) -> None:
    rng, settings, rows = np.random.default_rng(3), Settings(final=final), 400
    counts = rng.integers(1, 6, rows)
    there = np.arange(5) < counts[:, None]
    # Few different numbers, so that there are ties, and actions that were never tried.
    visits = np.where(there, rng.integers(0, 4, (rows, 5)), -1)
    scores = rng.integers(-2, 3, (rows, 5)) * np.maximum(0, visits) / 2
    values = rng.integers(-1, 2, (rows, 5)).astype(float)
    tags = rng.choice([0, 0, 0, layout.PROVEN, layout.REFUTED, layout.DROPPED], (rows, 5)).astype(np.uint8)
    found = pick_each(settings, high, visits, tags, scores, values)
    for row in range(rows):
        edges: list[Any] = [
            Edge(
                int(n),
                float(s) / int(n) if n else None,
                (float(v),) if tag & layout.PROVEN else None,
                bool(tag & layout.REFUTED),
                bool(tag & layout.DROPPED),
            )
            for n, s, v, tag in zip(visits[row, : counts[row]], scores[row], values[row], tags[row], strict=False)
        ]
        assert found[row] == pick(settings, edges, 0, high), (row, edges)
