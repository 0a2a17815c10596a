"""The pages of the studio. Each is thin: it sends commands to the process of its tab, and shows the parts that come back."""

from __future__ import annotations

from playout.studio.catalog import Catalog


def build(catalog: Catalog) -> None:
    """Register all pages; called once per process."""
    from playout.studio.pages import arena, learning, play

    play.register(catalog)
    arena.register(catalog)
    learning.register(catalog)
