"""What a run of a network tells: where it stands while it goes on, and what came of it. Nothing here needs torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from playout.learning.network.settings import NetworkSettings
from playout.learning.run import Point

PARTS = ("trees", "encoding", "network", "rules", "training", "teacher", "ladder", "gate", "files")
"""Where the time goes."""


class NetworkProgress(msgspec.Struct, frozen=True, kw_only=True):
    """Where learning stands, for whoever watches."""

    seconds: float
    target: float
    """Seconds that it has in all; infinite where only generations count."""
    generation: int
    generations: int | None
    games: int
    decisions: int
    positions: int
    """In the window."""
    per_second: float
    """Decisions of self-play a second, of this run."""
    trained_per_second: float
    """Positions that training saw a second, of this run."""
    shares: dict[str, float]
    """Which part of the time each thing takes."""
    losses: tuple[float, float] | None
    """Of policy and values, in the last generation."""
    curve: list[Point]
    note: str = ""


class NetworkResult(msgspec.Struct, frozen=True, kw_only=True):
    """What `playout learn --learner network --json` prints."""

    game: str
    learner: str = "network"
    seed: int
    device: str
    weights: int
    generations: int
    games: int
    decisions: int
    trained: int
    """Positions that training saw, each as often as it did."""
    seconds: float
    """All there was, of all runs together."""
    decisions_per_second: float
    trained_per_second: float
    shares: dict[str, float]
    against: dict[str, Any]
    losing_lines: list[int | None]
    curve: list[Point]
    settings: NetworkSettings
    notes: list[str]
    out: str | None
    stopped: str

    def _repr_html_(self) -> str:
        from playout.report.notebook import learning_cell

        return learning_cell(self)


Show = Callable[[NetworkProgress], None]
