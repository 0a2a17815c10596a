"""The contract: what a game must define and may define, with the arguments that each function is called with.

A game is a Python file (or any namespace) with

    players = 2                                       how many players, 1 to 8
    actions = 7                                       how many action ids there are, 1 to 65,536
    State = np.dtype([("board", np.int8, (6, 7)), ...])   one fixed-size record: everything there is to know

    def start(state, rng): ...                        fill a zeroed state
    def legal(state, out): ...                        write the legal action ids into out, return how many
    def play(state, action, rng): ...                 change the state
    def mover(state): ...                             the player to act now, -1 when the game is over
    def returns(state, out): ...                      write one number per player, each from its own point of view

and optionally the names in `OPTIONAL` and after it below. Chance comes only from `below(rng, n)` and `uniform(rng)`.
`docs/game.md` explains every name with an example.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import numpy as np

from playout.errors import PlayoutError

MOST_PLAYERS = 8
MOST_ACTIONS = 65_536
MOST_WEIGHTS = 1 << 26
MOST_INPUTS = 1 << 20
MOST_SYMMETRIES = 1024

REQUIRED: dict[str, tuple[str, ...]] = {
    "start": ("state", "rng"),
    "legal": ("state", "out"),
    "play": ("state", "action", "rng"),
    "mover": ("state",),
    "returns": ("state", "out"),
}
"""The functions that every game defines, with the arguments they are called with."""

OPTIONAL: dict[str, tuple[str, ...]] = {
    "key": ("state",),
    "canonical": ("state",),
    "patterns": ("state", "player", "out"),
    "playout_action": ("state", "legal", "count", "rng"),
    "evaluate": ("state", "out"),
    "prior": ("state", "legal", "count", "out"),
    "wins": ("state", "out"),
    "safe": ("state", "out"),
    "pick": ("state", "rng"),
    "observe": ("state", "player"),
    "determinize": ("state", "player", "rng"),
    "broken": ("state",),
    "returns_as": ("state", "reward", "out"),
    "evaluate_as": ("state", "reward", "out"),
}
"""Functions that unlock something when present; like the required ones they are compiled."""

ALL_LEGAL = -1
"""What `safe` returns where every legal action is safe: then it need not write them."""

ENCODED: dict[str, tuple[str, ...]] = {"encode": ("state", "player", "out")}
"""How a network sees a state (`playout.game.encoding`): compiled like the rules, and no part of them, since no play depends on it."""

MIRRORED: dict[str, tuple[str, ...]] = {"mirror_encoding": ("symmetry", "encoded"), "mirror_action": ("symmetry", "action")}
"""What a symmetry of the game does to an encoding and to an action (`playout.game.symmetry`): ordinary Python, asked once for tables."""

CONTINUOUS: dict[str, tuple[str, ...]] = {
    "payoffs": ("actions", "out", "scratch"),
    "bounds": ("stage", "actions", "low", "high"),
    "gradient": ("actions", "player", "out", "scratch"),
}
"""The functions of a game with real-valued actions (`playout.game.continuous`); the required ones are made from them."""

SHOWN: dict[str, tuple[str, ...]] = {
    "action_name": ("state", "action", "viewer"),
    "draw": ("state", "viewer"),
    "svg": ("state", "viewer"),
    "clicked": ("state", "parts"),
    "hidden_facts": ("state", "viewer"),
}
"""Functions that show the game to people: ordinary Python, never compiled. `viewer` is the player who looks, None for all,
and may be left out of the definition by a game that hides nothing. `clicked` tells which action one or two clicks on the picture
mean (`playout.game.clicks`). `hidden_facts` is the other way round: it says in words what
the viewer does *not* see, and is only ever asked about sampled worlds."""

_overrides: ContextVar[dict[str, Any] | None] = ContextVar("overrides", default=None)
_declared: ContextVar[dict[str, Parameter] | None] = ContextVar("declared", default=None)


class Parameter:
    """A number that a user may set: `m = parameter("m", 3, "columns", low=1, high=19)`."""

    def __init__(self, name: str, default: Any, help: str, low: Any, high: Any, value: Any) -> None:
        self.name, self.default, self.help, self.low, self.high, self.value = name, default, help, low, high, value


def parameter(name: str, default: Any, help: str = "", low: Any = None, high: Any = None) -> Any:
    """Declare a parameter of the game file and return its value: the default, or what the user asked for.

    The compiler sees the value as a constant. `playout games` lists the help text and the bounds.
    """
    asked = (_overrides.get() or {}).get(name, default)
    kind = type(default)
    try:
        if kind is bool and isinstance(asked, str):
            value: Any = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[asked.lower()]
        elif kind is int and not isinstance(asked, int | str | np.integer):
            raise ValueError(asked)
        else:
            value = kind(asked)
    except (ValueError, TypeError, KeyError):
        raise PlayoutError(f"parameter {name}={asked!r} is not a valid {kind.__name__}; for example {name}={default}") from None
    # Asked this way round, so that NaN is out of range too.
    if (low is not None and not value >= low) or (high is not None and not value <= high):
        span = f"at least {low}" if high is None else f"at most {high}" if low is None else f"from {low} to {high}"
        raise PlayoutError(f"parameter {name}={value} is out of range: {help or name} must be {span}")
    declared = _declared.get()
    if declared is not None:
        declared[name] = Parameter(name, default, help, low, high, value)
    return value
