"""The holes in the engine's text that `playout.compile` fills with one game's functions and numbers.

Kernels import these names and call them like ordinary functions; unbound they only say that they are unbound.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import pack, unpack
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])


class Constant:
    """A number of the game that kernels read as a global; `bind` puts the number itself in its place."""

    def __init__(self, name: str) -> None:
        self.name = name


def _hole(role: str) -> Any:
    def unbound(*arguments: Any) -> Any:
        raise RuntimeError(f"{role} is a hole: bind the kernel to a game first")

    unbound.__name__ = unbound.__qualname__ = role
    unbound.hole = role  # type: ignore[attr-defined]
    return unbound


legal, play, mover, returns, start = (_hole(role) for role in ("legal", "play", "mover", "returns", "start"))
key, playout_action, evaluate, prior = (_hole(role) for role in ("key", "playout_action", "evaluate", "prior"))
wins, safe, pick = (_hole(role) for role in ("wins", "safe", "pick"))
determinize, observe = (_hole(role) for role in ("determinize", "observe"))
payoffs, bounds, gradient = (_hole(role) for role in ("payoffs", "bounds", "gradient"))
canonical, patterns, broken = (_hole(role) for role in ("canonical", "patterns", "broken"))
returns_as, evaluate_as = (_hole(role) for role in ("returns_as", "evaluate_as"))
encode = _hole("encode")
walk = _hole("walk")


def hot(function: F) -> F:
    """Mark an engine function that becomes part of each kernel that calls it, though it knows no game and could be one for all.

    For what is called at every step down the tree, and for what one kernel alone calls: kept apart, each of a chain of functions is
    optimised with all that are below it.
    """
    function.hot = True  # type: ignore[attr-defined]
    return function


def cold(function: F) -> F:
    """Mark an engine function off the main path, or long beside its calls: it is not woven into its callers, which compiles faster."""
    function.cold = True  # type: ignore[attr-defined]
    return function


def ticks(function: F) -> F:
    """Mark a kernel that is over at once, or in whose head one sees that it gets on: if neither happens, a rule never comes back."""
    function.ticks = True  # type: ignore[attr-defined]
    return function


def by_itself(function: F) -> F:
    """Mark a kernel that other kernels call as it is: its code is compiled and kept on disk once, and not again within each of them."""
    function.by_itself = True  # type: ignore[attr-defined]
    return function


def where(feature: str, instead: Callable[..., Any]) -> Callable[[F], F]:
    """Mark an engine function that is compiled only where a feature is bound; elsewhere `instead` stands in its place.

    The features are those of `bind`, and what the game is: "listed" or "real" actions, "complex" payoffs that can be differentiated by
    complex steps, "total" derivatives that are affordable.
    """

    def mark(function: F) -> F:
        function.feature, function.instead = feature, instead  # type: ignore[attr-defined]
        return function

    return mark


PLAYERS: Any = Constant("players")
MOST_LEGAL: Any = Constant("most_legal")
ACTIONS: Any = Constant("actions")


class Feature:
    """Whether a feature is bound: kernels read it as a constant, so what it guards is not even compiled elsewhere."""

    def __init__(self, name: str) -> None:
        self.name = name


WORLDS: Any = Feature("worlds")
"""Positions may be told apart by what is seen: the game hides something, or it was asked for."""
WAITING: Any = Feature("waiting")
"""Leaves may wait for an evaluation outside, and other simulations go on meanwhile."""
EXTRA: Any = Feature("extra")
"""What few searches ask for, all in one so that they share a kernel: options tell which of it is used."""
EMBEDDED: Any = Feature("embedded")
"""Leaves and priors may come from a network that the kernel evaluates itself."""
GRAPH: Any = Feature("graph")
"""A position that several actions lead to has one value, which all of them use."""
NUMBERS: Any = Feature("numbers")
"""Selection reads proof numbers."""
WINS: Any = Feature("wins")
"""The game lists the actions that win at once."""
SAFE: Any = Feature("safe")
"""The game lists the actions that let nobody else win at once."""
PICK: Any = Feature("pick")
"""The game draws a legal action without a list of them."""
REWARDS: Any = Feature("rewards")
"""The game knows other rewards than its returns, and a search may go by one of them."""
REAL: Any = Feature("real")
"""Actions are real vectors; then these say how many there are in a game, and how many numbers in one."""
STAGES: Any = Constant("stages")
DIMENSION: Any = Constant("dimension")
MOVERS: Any = Constant("movers")
ACTION_SET: Any = Constant("action_set")
CHANCY: Any = Constant("chancy")
OWN_GRADIENT: Any = Constant("own_gradient")


def whole(x: Any) -> int:
    """A stored narrow integer as the machine's 64-bit one."""
    return int(x)


def as_word(x: Any) -> Any:
    """A key of any sign as 64 bits."""
    return np.uint64(int(x) & 0xFFFFFFFFFFFFFFFF)


def ordinal(x: float) -> int:
    """A number's place among all that 64 bits can be, in order: a larger one has a larger place."""
    (bits,) = unpack("<q", pack("<d", x))
    return bits if bits >= 0 else bits ^ 0x7FFFFFFFFFFFFFFF  # type: ignore[no-any-return]


def at_ordinal(place: int) -> float:
    """The number at a place."""
    (number,) = unpack("<d", pack("<q", place if place >= 0 else place ^ 0x7FFFFFFFFFFFFFFF))
    return number  # type: ignore[no-any-return]


def _called_back(*arguments: Any) -> int:
    raise RuntimeError("rules of objects are called back from machine code alone")


def ask(game: int, role: int, state: Any) -> int:
    """Ask Python something of a state of objects (`compile.callback`); in machine code only, as those below."""
    return _called_back(game, role, state)


def look(game: int, role: int, state: Any, number: int) -> int:
    """Ask Python something of a state and a number."""
    return _called_back(game, role, state, number)


def fill(game: int, role: int, state: Any, number: int, out: Any) -> int:
    """Let Python write something of a state into an array."""
    return _called_back(game, role, state, number, out)


def tell(game: int, role: int, state: Any, number: int, rng: Any) -> int:
    """Let Python change a state."""
    return _called_back(game, role, state, number, rng)


# What stands in for an optional function that a game does not define. The settings refuse the options that would
# call one of these, so they only have to compile.


def no_returns(state: Any, out: Any) -> None:
    out[0] = np.nan  # kernels ask `payoffs`, which has room to work in


def no_payoffs(actions: Any, out: Any, scratch: Any) -> None:
    pass


def no_bounds(stage: int, actions: Any, low: Any, high: Any) -> None:
    pass


def no_gradient(actions: Any, player: int, out: Any, scratch: Any) -> None:
    pass


def no_key(state: Any) -> int:
    return 0


def no_canonical(state: Any) -> int:
    return 0


def no_broken(state: Any) -> int:
    return 0


def no_patterns(state: Any, player: int, out: Any) -> int:
    return 0


def no_encode(state: Any, player: int, out: Any) -> None:
    pass


def no_playout_action(state: Any, legal: Any, count: int, rng: Any) -> int:
    return 0


def no_evaluate(state: Any, out: Any) -> None:
    out[0] = 0.0


def no_returns_as(state: Any, reward: int, out: Any) -> None:
    out[0] = 0.0


def no_prior(state: Any, legal: Any, count: int, out: Any) -> None:
    out[0] = 0.0


def no_wins(state: Any, out: Any) -> int:
    return 0


def no_pick(state: Any, rng: Any) -> int:
    return 0


def no_walk(state: Any, most: int, rng: Any) -> int:
    return 0


def no_determinize(state: Any, player: int, rng: Any) -> None:
    pass


def no_observe(state: Any, player: int) -> None:
    pass


STAND_INS: dict[str, Any] = {
    "payoffs": no_payoffs,
    "bounds": no_bounds,
    "gradient": no_gradient,
    "determinize": no_determinize,
    "observe": no_observe,
    "key": no_key,
    "broken": no_broken,
    "canonical": no_canonical,
    "patterns": no_patterns,
    "encode": no_encode,
    "playout_action": no_playout_action,
    "evaluate": no_evaluate,
    "returns_as": no_returns_as,
    "evaluate_as": no_returns_as,
    "prior": no_prior,
    "wins": no_wins,
    "safe": no_wins,
    "pick": no_pick,
    "walk": no_walk,
}
