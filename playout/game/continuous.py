"""Continuous games: what a game with real-valued actions declares, and the rules that the library makes of it.

A continuous game is a Python file (or any namespace) with

    players = 3
    stages = 3                                   how many actions a game has
    dimension = 1                                real numbers in an action
    bounds = (-5.0, 5.0)                         the box: two numbers, two sequences, or
                                                 def bounds(stage, actions, low, high): writes the box of a stage
    def payoffs(actions, out): ...               one number per player out of actions[stage, i]

and optionally

    movers = (0, 1, 2)                           who moves at each stage (NATURE: chance, uniform in its box); default: in turn
    action_set = "box"                           or "sphere" (unit vectors), "projective" (unit complex vectors, the phase free:
                                                 numbers 2i and 2i + 1 are the real and imaginary part of component i)
    scratch = 100                                then def payoffs(actions, out, scratch), with that many numbers to work in
    coefficients = (cost, 1.5)                   numbers that may change without compiling anew: then def payoffs(actions, out, coefficients)
                                                 (after scratch, where there is one), gradient likewise, and bounds if it wants them
    def gradient(actions, player, out): ...      derivatives of one player's payoff, out[stage, i], if you know better;
                                                 with scratch: def gradient(actions, player, out, scratch)
    compiled = False                             payoffs is not for the compiler: it is called as it is
    def solution(stage, actions): ...            the best action of a stage with best replies after it, for `playout.truth`
    def invariant(actions): ...                  the numbers that count, where some directions change nothing: distances are
                                                 taken between these

`payoffs` is a pure function that works on any number type, so that derivatives can flow through it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.errors import GameError, IllegalAction
from playout.game.stream import Stream, uniform

if TYPE_CHECKING:
    from playout.game.state import State

NATURE = -2
"""The mover of a stage that chance decides: its action is uniform in its box."""
SETS = ("box", "sphere", "projective")
BOX, SPHERE, PROJECTIVE = range(3)
MOST_STAGES, MOST_DIMENSION = 64, 256
SLACK = 1e-9
"""How far outside its set an action handed in may be, relative to the size of the set, before it is refused."""

Array = np.ndarray[Any, Any]


MOST_PRICE = 5000
"""Where one look at total derivatives costs more evaluations than this, they are not for the whole game."""
PART_PRICE = 1000
"""The most that a look may cost from the stage on where they begin then."""


class Shape:
    """The declared part of a continuous game: how many stages, who moves, and the set that actions come from."""

    def __init__(self, name: str, given: Mapping[str, Any], players: int) -> None:
        self.stages = _count(name, given, "stages", MOST_STAGES, "one action is taken at each")
        self.dimension = _count(name, given, "dimension", MOST_DIMENSION, "the real numbers in an action")
        self.scratch = 0
        if given.get("scratch") is not None:
            self.scratch = _count(name, given, "scratch", 1 << 24, "the numbers that payoffs may work in")
        self.movers = _movers(name, given.get("movers"), self.stages, players)
        self.action_set = str(given.get("action_set", "box"))
        if self.action_set not in SETS:
            raise GameError(f"game {name!r}: action_set is {self.action_set!r}; it is one of {', '.join(SETS)}")
        if self.action_set == "sphere" and self.dimension < 2:
            raise GameError(f"game {name!r}: dimension is {self.dimension}; a sphere has 2 dimensions or more, or use a box")
        if self.action_set == "projective" and self.dimension % 2:
            raise GameError(
                f"game {name!r}: dimension is {self.dimension}; a complex vector has two numbers a component, so an even one is needed"
            )
        if self.action_set != "box" and NATURE in self.movers:
            raise GameError(f"game {name!r}: NATURE moves in a box; make action_set 'box'")

    @property
    def kind(self) -> int:
        """The action set as a number for the kernels."""
        return SETS.index(self.action_set)

    def price(self, root: int = 0) -> int:
        """Evaluations that one look at the total derivatives of the stages from `root` on takes: each asks the next, at many points."""
        cost = self.dimension
        for stage in range(self.stages - 2, root - 2, -1):
            cost = cost * (1 + (stage + 2 - root) * self.dimension) + (self.stages - stage) * self.dimension * (stage >= root)
        return cost

    @property
    def total_from(self) -> int:
        """The stage from which on total derivatives are affordable, which need boxes and no chance; the number of stages where nowhere.

        In one dimension it is the first stage or none: where there are many stages, answers jump too often for slopes.
        """
        if self.action_set != "box" or NATURE in self.movers:
            return self.stages
        if self.price() <= MOST_PRICE:
            return 0
        later = range(1, self.stages - 1) if self.dimension > 1 else ()
        return next((stage for stage in later if self.price(stage) <= PART_PRICE), self.stages)

    def dtype(self) -> np.dtype[Any]:
        """The state: how many actions were taken, and all of them."""
        box = [("low", np.float64, (self.dimension,)), ("high", np.float64, (self.dimension,))] if NATURE in self.movers else []
        return np.dtype([("stage", np.int64), ("actions", np.float64, (self.stages, self.dimension)), *box])


def _count(name: str, given: Mapping[str, Any], word: str, most: int, what: str) -> int:
    value = given.get(word)
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= most:
        raise GameError(f"game {name!r}: {word} is {value!r}; it must be a whole number from 1 to {most:,} ({what})")
    return int(value)


def _movers(name: str, value: Any, stages: int, players: int) -> tuple[int, ...]:
    if value is None:
        return tuple(stage % players for stage in range(stages))
    try:
        movers = tuple(int(v) for v in value)
    except (TypeError, ValueError):
        movers = ()
    if len(movers) != stages or not all(m == NATURE or 0 <= m < players for m in movers):
        raise GameError(
            f"game {name!r}: movers is {value!r}; give {stages} of them, one for each stage, from 0 to {players - 1} or NATURE"
        )
    if all(m == NATURE for m in movers):
        raise GameError(f"game {name!r}: movers is {value!r}, so chance alone plays; let a player move somewhere")
    return movers


MOST_COEFFICIENTS = 1 << 16


def read_coefficients(name: str, value: Any) -> Array:
    """The numbers that a game's functions are handed when they run; none where nothing is declared."""
    try:
        found = np.zeros(0) if value is None else np.array(value, np.float64)
    except (TypeError, ValueError):
        found = np.zeros((1, 0))
    if found.ndim != 1 or (value is not None and not 1 <= len(found) <= MOST_COEFFICIENTS):
        raise GameError(
            f"game {name!r}: coefficients is {value!r}; give 1 to {MOST_COEFFICIENTS:,} numbers in a row, as in coefficients = (cost, 1.5), or "
            "leave it out"
        )
    if not np.isfinite(found).all():
        place = int(np.flatnonzero(~np.isfinite(found))[0])
        raise GameError(f"game {name!r}: coefficients[{place}] is {found[place]:g}; each must be a finite number")
    found.flags.writeable = False
    return found


def fixed_box(name: str, value: Any, shape: Shape) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    """The box that a game gives in numbers or sequences, checked; None where it is a function."""
    if shape.action_set != "box":
        if value is not None:
            raise GameError(f"game {name!r}: bounds are for boxes, and action_set is {shape.action_set!r}; leave one of them out")
        value = (-1.0, 1.0)
    if callable(value):
        return None
    try:
        low, high = value
        lows = tuple(float(v) for v in np.broadcast_to(np.asarray(low, np.float64), (shape.dimension,)))
        highs = tuple(float(v) for v in np.broadcast_to(np.asarray(high, np.float64), (shape.dimension,)))
    except (TypeError, ValueError):
        raise GameError(
            f"game {name!r}: bounds is {value!r}; give the lowest and the highest value, as in (-5.0, 5.0), each a number or "
            f"{shape.dimension} of them, or def bounds(stage, actions, low, high)"
        ) from None
    for i in range(shape.dimension):
        check_box(name, lows[i], highs[i], f"component {i}")
    return lows, highs


def check_box(name: str, low: float, high: float, where: str) -> None:
    """A sentence where the bounds of one component make no box."""
    if not (math.isfinite(low) and math.isfinite(high)):
        raise GameError(
            f"game {name!r}: bounds of {where} are {low:g} to {high:g}; both must be finite numbers, so choose limits wide enough"
        )
    if low > high:
        raise GameError(f"game {name!r}: bounds of {where} are {low:g} to {high:g}; the lower one comes first, so swap them")


def constant_box(lows: tuple[float, ...], highs: tuple[float, ...], dimension: int) -> Callable[..., None]:
    def bounds(stage: Any, actions: Any, low: Any, high: Any) -> None:
        for i in range(dimension):
            low[i] = lows[i]
            high[i] = highs[i]

    return bounds


def payoff_function(payoffs: Callable[..., None], scratch: int, coefficients: Array) -> Callable[..., None]:
    """`payoffs` as it is called from everywhere, with room to work in whether the game wants any or not."""
    if scratch and not len(coefficients):
        return payoffs

    def plain(actions: Any, out: Any, scratch: Any) -> None:
        payoffs(actions, out)

    def known(actions: Any, out: Any, scratch: Any) -> None:
        payoffs(actions, out, coefficients)

    def both(actions: Any, out: Any, scratch: Any) -> None:
        payoffs(actions, out, scratch, coefficients)

    return both if scratch and len(coefficients) else known if len(coefficients) else plain


def gradient_function(gradient: Callable[..., None], scratch: int, coefficients: Array) -> Callable[..., None]:
    """`gradient` as it is called from everywhere, with room to work in whether the game wants any or not."""
    if scratch and not len(coefficients):
        return gradient

    def plain(actions: Any, player: Any, out: Any, scratch: Any) -> None:
        gradient(actions, player, out)

    def known(actions: Any, player: Any, out: Any, scratch: Any) -> None:
        gradient(actions, player, out, coefficients)

    def both(actions: Any, player: Any, out: Any, scratch: Any) -> None:
        gradient(actions, player, out, scratch, coefficients)

    return both if scratch and len(coefficients) else known if len(coefficients) else plain


def rules(shape: Shape, payoffs: Callable[..., None], bounds: Callable[..., None], players: int) -> dict[str, Callable[..., Any]]:
    """The functions that every game defines, made from the declared part; `payoffs` takes its scratch."""
    stages, dimension, movers, scratch = shape.stages, shape.dimension, shape.movers, max(1, shape.scratch)
    chance = NATURE in movers

    def nature(state: Any, rng: Any) -> None:
        while state.stage < stages and movers[state.stage] == NATURE:
            bounds(state.stage, state.actions, state.low, state.high)
            for i in range(dimension):
                low, high = state.low[i], state.high[i]
                state.actions[state.stage, i] = low + (high - low) * uniform(rng)
                # Nothing but the actions may tell two states apart.
                state.low[i] = 0.0
                state.high[i] = 0.0
            state.stage += 1

    def no_nature(state: Any, rng: Any) -> None:
        pass

    after = nature if chance else no_nature

    def start(state: Any, rng: Any) -> None:
        after(state, rng)

    def play(state: Any, action: Any, rng: Any) -> None:
        for i in range(dimension):
            state.actions[state.stage, i] = action[i]
        state.stage += 1
        after(state, rng)

    def mover(state: Any) -> int:
        return movers[state.stage] if state.stage < stages else -1

    def returns(state: Any, out: Any) -> None:
        if state.stage >= stages:
            payoffs(np.asarray(state.actions), out, np.zeros(scratch))
        else:
            for i in range(players):
                out[i] = 0.0

    return {"start": start, "play": play, "mover": mover, "returns": returns}


# What people hand in and look at


def read_action(state: State, action: Any) -> Array:
    """The action as a vector of the set that it comes from, or a sentence on what is wrong with it."""
    game, shape = state.game, state.game.shape
    assert shape is not None
    if state.over:
        raise IllegalAction(f"the game of {game.name} is over: no action is legal, so {action!r} cannot be played")
    try:
        parts = action.replace(",", " ").split() if isinstance(action, str) else action
        vector = np.atleast_1d(np.array(parts, np.float64))
    except (TypeError, ValueError):
        raise IllegalAction(
            f"{action!r} is not an action of {game.name}; give {_numbers(shape.dimension)}, as in {example(shape)}"
        ) from None
    if vector.shape != (shape.dimension,):
        raise IllegalAction(
            f"{action!r} has the shape {vector.shape}, and an action of {game.name} is {_numbers(shape.dimension)}, as in {example(shape)}"
        )
    if not np.isfinite(vector).all():
        raise IllegalAction(f"{action!r} is not an action of {game.name}: its numbers must be finite")
    if shape.action_set != "box":
        norm = float(np.linalg.norm(vector))
        if abs(norm - 1.0) > 1e-6:
            raise IllegalAction(
                f"{action!r} has the length {norm:g}, and an action of {game.name} has length 1; divide it by its length"
            )
        return vector / norm
    low, high = box(state)
    outside = np.flatnonzero((vector < low - SLACK * (1 + abs(low))) | (vector > high + SLACK * (1 + abs(high))))
    if len(outside):
        i = int(outside[0])
        raise IllegalAction(
            f"{vector[i]:g} (component {i}) is outside {low[i]:g} to {high[i]:g}, the box of {game.name} at stage {state.fields.stage}; "
            "choose a number inside"
        )
    return np.clip(vector, low, high)


def box(state: State) -> tuple[Array, Array]:
    """The lowest and highest value of every component of the next action; of a sphere -1 and 1."""
    game, shape = state.game, state.game.shape
    assert shape is not None
    fields = state.fields
    low, high = np.full(shape.dimension, np.nan), np.full(shape.dimension, np.nan)
    game.functions["bounds"](int(fields.stage), np.asarray(fields.actions), low, high)
    for i in range(shape.dimension):
        check_box(game.name, float(low[i]), float(high[i]), f"component {i} at stage {fields.stage}")
    return low, high


def choices(state: State) -> str:
    """What a person may type, in words."""
    shape = state.game.shape
    assert shape is not None
    if shape.action_set != "box":
        return f"{_numbers(shape.dimension)} of length 1 together, as in {example(shape)}"
    low, high = box(state)
    return f"{_numbers(shape.dimension)}: " + ", ".join(f"{a:g} to {b:g}" for a, b in zip(low, high, strict=True))


def random_action(state: State, stream: Stream) -> Array:
    """An action uniform in its set."""
    shape = state.game.shape
    assert shape is not None
    if shape.action_set == "box":
        low, high = box(state)
        drawn: Array = low + (high - low) * np.array([stream.uniform() for _ in range(shape.dimension)])
        return drawn
    vector: Array = np.array([normal(stream) for _ in range(shape.dimension)])
    vector /= np.linalg.norm(vector)
    return vector


def normal(rng: Any) -> float:
    """A standard normal number (Box and Muller 1958); kernels draw theirs by the same text."""
    return math.sqrt(-2.0 * math.log(1.0 - uniform(rng))) * math.cos(2.0 * math.pi * uniform(rng))


def action_words(action: Sequence[float]) -> str:
    """A vector as people read it."""
    words = [f"{v + 0.0:.6g}" for v in action]
    return words[0] if len(words) == 1 else "(" + ", ".join(words) + ")"


def history_words(actions: Iterable[Sequence[float]]) -> str:
    """Actions one after the other, as people read them."""
    return ", ".join(action_words(list(action)) for action in actions) or "no action"


def example(shape: Shape) -> str:
    return (
        "0.5" if shape.dimension == 1 else ",".join(["0.5"] * min(shape.dimension, 3)) + (",..." if shape.dimension > 3 else "")
    )


def _numbers(dimension: int) -> str:
    return "one number" if dimension == 1 else f"{dimension} numbers"


def draw_stages(state: State) -> str:
    """The actions so far, a line for each stage."""
    shape, fields = state.game.shape, state.fields
    assert shape is not None
    lines = []
    for stage, who in enumerate(shape.movers):
        name = "chance" if who == NATURE else state.game.player_name(who)
        if stage < fields.stage:
            lines.append(f"  stage {stage}  {name}: {action_words(list(fields.actions[stage]))}")
        elif stage == fields.stage:
            lines.append(f"> stage {stage}  {name} to move in {shape.action_set} of dimension {shape.dimension}")
        else:
            lines.append(f"  stage {stage}  {name}")
    if state.over:
        lines.append("payoffs: " + ", ".join(f"{v:.6g}" for v in state.returns))
    return "\n".join(lines)


def no_legal(state: Any, out: Any) -> int:
    """Actions of a continuous game cannot be listed; kernels never ask."""
    return 0
