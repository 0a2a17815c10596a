"""Other people's games: payoffs written in torch or JAX, with their own derivatives."""

from __future__ import annotations

from playout.bridges.autodiff import jax_game, torch_game

__all__ = ["jax_game", "torch_game"]
