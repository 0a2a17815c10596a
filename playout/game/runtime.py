"""Numbers of a continuous game that machine code reads when it runs, so that other numbers need no other code.

A game that declares `coefficients` has two forms of `payoffs`, `bounds` and `gradient`. In `Game.functions` the numbers are bound: that is
what Python calls, and what tells the rules of two games apart (saved trees, fits, references). Machine code gets the other form, in
which nothing is bound: the numbers stand behind the room that kernels hand over anyway, behind the scratch numbers of `payoffs` and
behind the lower ends of `bounds`. Whoever makes such room fills it once, by `hand_over`, `scratch` and `lows`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from playout.game.continuous import Shape

Array = np.ndarray[Any, Any]
Box = tuple[tuple[float, ...], tuple[float, ...]]


def takes(function: Any, count: int) -> bool:
    """Whether a function has so many arguments or more."""
    plain = function.__func__ if isinstance(function, staticmethod) else function
    try:
        return len(inspect.signature(plain).parameters) >= count
    except (TypeError, ValueError):
        return False


def told(bounds: Callable[..., None], coefficients: Array) -> Callable[..., None]:
    """A game's own `bounds`, with its coefficients if it wants them."""
    if not len(coefficients) or not takes(bounds, 5):
        return bounds

    def known(stage: Any, actions: Any, low: Any, high: Any) -> None:
        bounds(stage, actions, low, high, coefficients)

    return known


class RunTime:
    """What changes without compiling: the coefficients, and the ends of a box that is given in numbers."""

    def __init__(
        self,
        shape: Shape | None = None,
        coefficients: Array | None = None,
        own: Mapping[str, Callable[..., None]] | None = None,
        box: Box | None = None,
    ) -> None:
        self.coefficients = np.zeros(0) if coefficients is None else coefficients
        """As the game declares them; none where it does not."""
        self.box = np.array(box if box and len(self.coefficients) else [], np.float64).reshape(-1)
        self.room = max(1, shape.scratch) if shape else 1
        self.dimension = shape.dimension if shape else 1
        self.functions: dict[str, Callable[..., None]] = {}
        """By role, as machine code calls them."""
        if len(self.coefficients) and shape is not None and own is not None:
            self.functions = {role: getattr(self, f"_{role}")(function, shape.scratch) for role, function in own.items()}
            if box:
                self.functions["bounds"] = _box(self.dimension, self.dimension + len(self.coefficients))

    def _payoffs(self, payoffs: Callable[..., None], scratch: int) -> Callable[..., None]:
        begin = self.room

        def known(actions: Any, out: Any, room: Any) -> None:
            # Where derivatives flow the room is complex, and a coefficient is a real number all the same.
            payoffs(actions, out, room[begin:].real)

        def both(actions: Any, out: Any, room: Any) -> None:
            payoffs(actions, out, room[:begin], room[begin:].real)

        return both if scratch else known

    def _gradient(self, gradient: Callable[..., None], scratch: int) -> Callable[..., None]:
        begin = self.room

        def known(actions: Any, player: Any, out: Any, room: Any) -> None:
            gradient(actions, player, out, room[begin:].real)

        def both(actions: Any, player: Any, out: Any, room: Any) -> None:
            gradient(actions, player, out, room[:begin], room[begin:].real)

        return both if scratch else known

    def _bounds(self, bounds: Callable[..., None], scratch: int) -> Callable[..., None]:
        if not takes(bounds, 5):
            return bounds
        begin = self.dimension

        def known(stage: Any, actions: Any, low: Any, high: Any) -> None:
            bounds(stage, actions, low, high, low[begin:])

        return known

    @property
    def behind_scratch(self) -> int:
        """How many numbers stand behind the scratch numbers."""
        return len(self.coefficients)

    @property
    def behind_low(self) -> int:
        """How many numbers stand behind the lower ends of a box."""
        return len(self.coefficients) + len(self.box)

    def scratch(self) -> Array:
        """Room for `payoffs` to work in, with what stands behind it."""
        return np.concatenate([np.zeros(self.room), self.coefficients])

    def lows(self, count: int) -> Array:
        """Rows of room for the lower ends of boxes, with what stands behind them."""
        behind = np.concatenate([np.zeros(self.dimension), self.coefficients, self.box])
        return np.tile(behind, (count, 1))

    def hand_over(self, work: Array) -> None:
        """Fill the scratch records of a search."""
        if len(self.coefficients):
            work["scratch"][:, self.room :] = self.coefficients
            work["complex_scratch"][:, self.room :] = self.coefficients
            work["low"][:, self.dimension :] = np.concatenate([self.coefficients, self.box])


def _box(dimension: int, begin: int) -> Callable[..., None]:
    def bounds(stage: Any, actions: Any, low: Any, high: Any) -> None:
        for i in range(dimension):
            low[i] = low[begin + i]
            high[i] = low[begin + dimension + i]

    return bounds
