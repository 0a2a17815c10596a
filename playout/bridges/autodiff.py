"""Continuous games whose payoffs are written in torch or in JAX: called as they are, differentiated by their own library.

    def payoffs(actions):                      # a tensor actions[stage, i] of double precision
        x, y = actions[0, 0], actions[1, 0]
        return torch.stack([-(x - y) ** 2, x * y])

    game = torch_game("mine", payoffs, players=2, stages=2, dimension=1, bounds=(-1.0, 1.0))

Nothing is compiled here: `game.compiled` is False, and every tool runs such a game uncompiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from playout.errors import GameError, PlayoutError
from playout.game.game import Game

Array = np.ndarray[Any, Any]


class _Library(Protocol):
    """What a library has to do for a game: payoffs and the derivatives of one of them, from numbers to numbers."""

    def values(self, actions: Array) -> Array: ...

    def derivatives(self, actions: Array, player: int) -> Array: ...


def torch_game(
    name: str,
    payoffs: Callable[[Any], Any],
    *,
    players: int,
    stages: int,
    dimension: int,
    bounds: Any = None,
    **more: Any,
) -> Game:
    """A continuous game from a torch function: a float64 tensor of shape (stages, dimension) in, one payoff per player out.

    The payoffs come as a tensor of shape (players,) or as a sequence of scalars. A module works too; make it `.double()`.
    `bounds` and `more` (movers, action_set, returns_range, draw, ...) are those of any continuous game; `bounds`, if it is a
    function, gets NumPy arrays.
    """
    return _game(name, _Torch(name, payoffs, players), players, stages, dimension, bounds, more)


def jax_game(
    name: str,
    payoffs: Callable[[Any], Any],
    *,
    players: int,
    stages: int,
    dimension: int,
    bounds: Any = None,
    jit: bool = True,
    **more: Any,
) -> Game:
    """A continuous game from a JAX function: a float64 array of shape (stages, dimension) in, one payoff per player out.

    As `torch_game`. JAX traces the function once (`jit`); switch that off for one that branches on its numbers. Make its
    constants with NumPy: arrays that JAX makes outside of the game have single precision.
    """
    return _game(name, _Jax(name, payoffs, players, jit), players, stages, dimension, bounds, more)


def _game(name: str, library: _Library, players: int, stages: int, dimension: int, bounds: Any, more: dict[str, Any]) -> Game:
    # The library is an object and not a closure of functions, so that nobody looks for rules inside torch.
    def payoffs(actions: Any, out: Any) -> None:
        out[:] = library.values(_real(name, actions))

    def gradient(actions: Any, player: int, out: Any) -> None:
        out[:] = library.derivatives(_real(name, actions), int(player))

    shape = {"players": players, "stages": stages, "dimension": dimension, "bounds": bounds}
    return Game(name, **{**shape, "gradient": gradient, **more, "payoffs": payoffs, "compiled": False})


def _real(name: str, actions: Any) -> Array:
    array = np.asarray(actions)
    if np.iscomplexobj(array):
        raise GameError(f"game {name!r}: its payoffs take real numbers only; ask its gradient for derivatives, not complex steps")
    return np.array(array, np.float64)


def _check_shape(name: str, shape: tuple[int, ...], players: int) -> None:
    if shape != (players,):
        raise GameError(
            f"game {name!r}: payoffs gave the shape {shape}, and {players} players need {(players,)}; "
            "return one scalar per player, as a sequence or stacked"
        )


class _Torch:
    def __init__(self, name: str, payoffs: Callable[[Any], Any], players: int) -> None:
        try:
            import torch
        except ImportError:
            raise PlayoutError(
                f"game {name!r} is written in torch, which is not installed: pip install 'playout[neural]'"
            ) from None
        self.name, self.payoffs, self.players, self.torch = name, payoffs, players, torch

    def _ask(self, actions: Any) -> Any:
        found = self.payoffs(actions)
        if not isinstance(found, self.torch.Tensor):
            try:
                found = self.torch.stack([self.torch.as_tensor(v, dtype=actions.dtype) for v in found])
            except (TypeError, ValueError, RuntimeError) as error:
                raise GameError(
                    f"game {self.name!r}: payoffs gave {found!r}, which is no tensor ({error}); return one scalar per player"
                ) from None
        _check_shape(self.name, tuple(found.shape), self.players)
        return found

    def values(self, actions: Array) -> Array:
        with self.torch.no_grad():
            return np.asarray(self._ask(self.torch.from_numpy(actions)).double().numpy())

    def derivatives(self, actions: Array, player: int) -> Array:
        with self.torch.enable_grad():
            tensor = self.torch.from_numpy(actions).requires_grad_()
            value = self._ask(tensor)[player]
            if not value.requires_grad:  # a payoff that depends on no action at all
                return np.zeros_like(actions)
            (found,) = self.torch.autograd.grad(value, tensor, allow_unused=True)
        return np.zeros_like(actions) if found is None else np.asarray(found.numpy())


class _Jax:
    def __init__(self, name: str, payoffs: Callable[[Any], Any], players: int, jit: bool) -> None:
        try:
            import jax
        except ImportError:
            raise PlayoutError(f"game {name!r} is written in JAX, which is not installed: pip install 'playout[jax]'") from None
        self.name, self.given, self.players, self.jax = name, payoffs, players, jax
        wrapped = jax.jit if jit else lambda function, **options: function
        self._values = wrapped(self._ask)
        # The player is a number like any other, so that one trace serves all of them.
        self._derivatives = wrapped(jax.grad(lambda actions, player: self._ask(actions)[player]))

    def _ask(self, actions: Any) -> Any:
        found = self.given(actions)
        if not isinstance(found, self.jax.Array):
            try:
                found = self.jax.numpy.stack([self.jax.numpy.asarray(v, actions.dtype) for v in found])
            except (TypeError, ValueError) as error:
                raise GameError(
                    f"game {self.name!r}: payoffs gave {found!r}, which is no array ({error}); return one scalar per player"
                ) from None
        _check_shape(self.name, tuple(found.shape), self.players)
        return found

    def values(self, actions: Array) -> Array:
        with self.jax.enable_x64(True):
            return np.asarray(self._values(self.jax.numpy.asarray(actions)), np.float64)

    def derivatives(self, actions: Array, player: int) -> Array:
        with self.jax.enable_x64(True):
            return np.asarray(self._derivatives(self.jax.numpy.asarray(actions), player), np.float64)
