"""What a game is like, as charts: how long it lasts and how much there is to choose. For every page that tells of games played."""

from __future__ import annotations

from playout.arena.analytics import Analytics
from playout.report.plots import Series, histograms, lines

RARE = 0.02
"""Plies that fewer of the games reach are left out of the curve: a few odd games would be all there is to see."""


def lengths_chart(analytics: Analytics) -> str:
    """How long games are."""
    return histograms(
        [""],
        analytics.lengths.edges,
        [analytics.lengths.counts],
        title="Games by their length",
        label="actions in a game",
        means=[analytics.length.mean],
    )


def branching_chart(analytics: Analytics) -> str:
    """Legal actions over the course of a game."""
    enough = RARE * max(analytics.reached_by_ply, default=0)
    values = [mean for mean, reached in zip(analytics.branching_by_ply, analytics.reached_by_ply) if reached >= enough]
    plies = [float(i) for i, reached in enumerate(analytics.reached_by_ply) if reached >= enough]
    mean = f"mean of legal actions per ply; over all decisions {analytics.branching.mean:.3g}"
    return lines(
        [Series(name="", at=plies, values=values, notes=[mean] * len(values))],
        title="Mean number of legal actions by ply",
        across="actions played before",
        down="legal actions, mean",
        level=0.0,
        height=150.0,
    )
