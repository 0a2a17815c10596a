"""The contract: what a game must define, what it may define, and the two nouns a user holds, `Game` and `State`.

A game is a Python file (or any namespace) with

    players = 2                                       how many players, 1 to 8
    actions = 7                                       how many action ids there are, 1 to 65,536
    State = np.dtype([("board", np.int8, (6, 7)), ...])   one fixed-size record: everything there is to know

    def start(state, rng): ...                        fill a zeroed state
    def legal(state, out): ...                        write the legal action ids into out, return how many
    def play(state, action, rng): ...                 change the state
    def mover(state): ...                             the player to act now, -1 when the game is over
    def returns(state, out): ...                      write one number per player, each from its own point of view

and optionally the names in `OPTIONAL` below. Chance comes only from `below(rng, n)` and `uniform(rng)`.
`docs/game.md` explains every name with an example.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import Any

import numpy as np

from playout import continuous, hooks
from playout.errors import GameError, IllegalAction, PlayoutError, suggest
from playout.record import RecordView, check_dtype, view_class
from playout.stream import Stream

MOST_PLAYERS = 8
MOST_ACTIONS = 65_536
MOST_WEIGHTS = 1 << 26

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
    "observe": ("state", "player"),
    "determinize": ("state", "player", "rng"),
}
"""Functions that unlock something when present; like the required ones they are compiled."""

CONTINUOUS: dict[str, tuple[str, ...]] = {
    "payoffs": ("actions", "out", "scratch"),
    "bounds": ("stage", "actions", "low", "high"),
    "gradient": ("actions", "player", "out", "scratch"),
}
"""The functions of a game with real-valued actions (`playout.continuous`); the required ones are made from them."""

SHOWN: dict[str, tuple[str, ...]] = {
    "action_name": ("state", "action", "viewer"),
    "draw": ("state", "viewer"),
    "svg": ("state", "viewer"),
    "hidden_facts": ("state", "viewer"),
}
"""Functions that show the game to people: ordinary Python, never compiled. `viewer` is the player who looks, None for all,
and may be left out of the definition by a game that hides nothing. `hidden_facts` is the other way round: it says in words what
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


class Game:
    """The rules: pure functions over a state, with what they declare.

    Usually made by `playout.load("connect-four")` or `playout.load("mygame.py")`. In a notebook, hand over the names:
    `Game("mine", players=2, actions=9, State=State, start=start, legal=legal, play=play, mover=mover, returns=returns)`.
    """

    def __init__(self, name: str, namespace: Mapping[str, Any] | None = None, /, *, file: str = "", **names: Any) -> None:
        given = {**(namespace or {}), **names}
        self.name = name
        self.base: str = given.get("_base") or name
        """The bundled file behind a familiar name: "mnk" for tic-tac-toe."""
        self.file = file
        self.title = str(given.get("__doc__") or name).strip().splitlines()[0].rstrip(".")
        self.parameters: dict[str, Any] = dict(given.get("parameters") or {})
        self.declared: dict[str, Parameter] = dict(given.get("_declared_parameters") or {})
        self._preset: dict[str, Any] = dict(given.get("_preset") or {})
        self._check_known(names)
        self.players = self._number(given, "players", MOST_PLAYERS)
        self.shape: continuous.Shape | None = None
        """The stages and the action set of a continuous game; None where actions are ids."""
        self.solution: Callable[..., Any] | None = None
        """The closed form of a continuous game's best actions, where the game gives one; only `playout.regret` asks it."""
        self.invariant: Callable[..., Any] | None = None
        """What of the actions counts, for measuring distances, where some directions change nothing."""
        self.compiled = given.get("compiled") is not False
        """Whether the rules may be compiled; what another library computes (`playout.bridges`) is called as it is."""
        if given.get("payoffs") is not None:
            given = self._continuous(given)
        self.actions = self._number(given, "actions", MOST_ACTIONS)
        self.most_legal = self._number({"most_legal": self.actions, **given}, "most_legal", MOST_ACTIONS)
        if "State" not in given:
            raise GameError(
                f"game {name!r} defines no State; add State = np.dtype([...]) with a named field for each thing to know"
            )
        self.dtype = check_dtype(given["State"], name)
        self.view = view_class(self.dtype)
        self.returns_range = self._returns_range(given.get("returns_range"))
        self.functions: dict[str, Callable[..., Any]] = {}
        for role, arguments in {**REQUIRED, **OPTIONAL, **SHOWN, **(CONTINUOUS if self.shape else {})}.items():
            function = given.get(role)
            if function is None:
                if role in REQUIRED:
                    raise GameError(f"game {name!r} defines no {role}; add def {role}({', '.join(arguments)})")
                continue
            self.functions[role] = self._function(role, function, arguments)
        patterned = self.has("patterns")
        self.pattern_weights = self._number(given, "pattern_weights", MOST_WEIGHTS) if patterned else 0
        """How many pattern ids there are, where the game has `patterns`."""
        self.most_patterns = self._number(given, "most_patterns", MOST_ACTIONS) if patterned else 0
        """The most patterns that one state shows."""

    def _continuous(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """What a continuous game gives, with the functions that are made from it."""
        for word in ("State", "legal", "play", "mover", "returns", "start", "actions", "observe", "determinize"):
            if given.get(word) is not None:
                raise GameError(
                    f"game {self.name!r} defines payoffs, so it is continuous, and {word} too: the library makes {word} of a "
                    "continuous game; leave one of them out"
                )
        self.shape = shape = continuous.Shape(self.name, given, self.players)
        with_scratch = None if shape.scratch else -1
        arguments = CONTINUOUS["payoffs"][:with_scratch]
        payoffs = continuous.payoff_function(self._function("payoffs", given["payoffs"], arguments), shape.scratch)
        bounds = given.get("bounds")
        if inspect.isfunction(bounds) or isinstance(bounds, staticmethod):
            bounds = self._function("bounds", bounds, CONTINUOUS["bounds"])
        bounds = continuous.box_function(self.name, bounds, shape)
        solution = given.get("solution")
        self.solution = None if solution is None else self._function("solution", solution, ("stage", "actions"))
        invariant = given.get("invariant")
        self.invariant = None if invariant is None else self._function("invariant", invariant, ("actions",))
        made: dict[str, Any] = dict(continuous.rules(shape, payoffs, bounds, self.players))
        made |= {"State": shape.dtype(), "payoffs": payoffs, "bounds": bounds, "legal": hooks.no_legal}
        if given.get("gradient") is not None:
            gradient = self._function("gradient", given["gradient"], CONTINUOUS["gradient"][:with_scratch])
            made["gradient"] = continuous.gradient_function(gradient, shape.scratch)
        # Slots that one simulation may need: a path, and the refined one beside it.
        return {**given, **made, "actions": MOST_ACTIONS - 1, "most_legal": 4 * shape.stages + 8}

    def _check_known(self, names: Mapping[str, Any]) -> None:
        known = {*REQUIRED, *OPTIONAL, *SHOWN, "players", "actions", "most_legal", "State", "returns_range", "parameters"}
        known |= {*CONTINUOUS, "stages", "dimension", "movers", "action_set", "scratch", "solution", "invariant", "compiled"}
        known |= {"pattern_weights", "most_patterns"}
        for word in names:
            if word not in known:
                raise GameError(f"game {self.name!r} was given {word!r}, which is no part of a game; {suggest(word, known)}")

    def _number(self, given: Mapping[str, Any], word: str, most: int) -> int:
        value = given.get(word)
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= most:
            raise GameError(f"game {self.name!r}: {word} is {value!r}; it must be a whole number from 1 to {most:,}")
        return int(value)

    def _returns_range(self, value: Any) -> tuple[float, float] | None:
        if value is None:
            return None
        try:
            low, high = (float(v) for v in value)
        except (TypeError, ValueError):
            low, high = 1.0, 0.0
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise GameError(
                f"game {self.name!r}: returns_range is {value!r}; give the lowest and the highest return, as in (-1, 1)"
            )
        return low, high

    def _function(self, role: str, function: Any, arguments: tuple[str, ...]) -> Callable[..., Any]:
        if isinstance(function, staticmethod):
            function = function.__func__
        if not inspect.isfunction(function):
            raise GameError(
                f"game {self.name!r}: {role} is {function!r}; it must be a plain function, def {role}({', '.join(arguments)})"
            )
        taken = function.__code__.co_argcount
        fewest = len(arguments) - 1 if role in SHOWN else len(arguments)
        if not fewest <= taken <= len(arguments) or function.__code__.co_kwonlyargcount:
            raise GameError(
                f"game {self.name!r}: {role} takes {taken} argument{'s' * (taken != 1)} but is called with "
                f"({', '.join(arguments)}); write def {role}({', '.join(arguments)})"
            )
        if taken < len(arguments):
            return lambda *values: function(*values[:taken])
        return function

    def __repr__(self) -> str:
        return f"<game {self.spec}: {self.title}>"

    def __reduce__(self) -> Any:
        raise TypeError(f"a game is not pickled: send its spec {self.spec!r} and call playout.load on the other side")

    @property
    def spec(self) -> str:
        """The string that loads this game again: `mnk:m=7,n=7,k=4`."""
        changed = [f"{p.name}={p.value}" for p in self.declared.values() if p.value != self._preset.get(p.name, p.default)]
        base = self.file or self.name
        return base + (":" + ",".join(changed) if changed else "")

    @property
    def continuous(self) -> bool:
        """Whether actions are real vectors: the game defines `payoffs`."""
        return self.shape is not None

    @property
    def stages(self) -> int:
        """How many actions a continuous game has; 0 for others."""
        return self.shape.stages if self.shape else 0

    @property
    def dimension(self) -> int:
        """How many numbers an action of a continuous game has; 1 for others, whose actions are ids."""
        return self.shape.dimension if self.shape else 1

    @property
    def movers(self) -> tuple[int, ...]:
        """Who moves at each stage of a continuous game."""
        return self.shape.movers if self.shape else (0,)

    @property
    def action_set(self) -> int:
        """The kind of set that a continuous game's actions come from, as kernels read it."""
        return self.shape.kind if self.shape else continuous.BOX

    @property
    def chancy(self) -> bool:
        """Whether chance has stages of its own in a continuous game."""
        return continuous.NATURE in self.movers

    @property
    def own_gradient(self) -> bool:
        """Whether a continuous game brings its own derivatives."""
        return "gradient" in self.functions

    @property
    def hidden(self) -> bool:
        """Whether something is hidden from some player: the game defines `determinize`."""
        return "determinize" in self.functions

    def cannot_hide(self) -> PlayoutError:
        """What is wrong with a game that says what a player cannot tell, but not how to redraw it."""
        return PlayoutError(
            f"game {self.name!r} has observe, so something is hidden, but no determinize: add def determinize(state, player, rng), "
            "which redraws what the player cannot know"
        )

    def has(self, role: str) -> bool:
        """Whether the game defines that optional function."""
        return role in self.functions

    def start(self, seed: int = 0) -> State:
        """The first state. The seed fixes every chance event of a game played on from it."""
        array = np.zeros(1, self.dtype)
        stream = Stream(seed)
        self.functions["start"](self.view(array[0]), stream)
        return State(self, array, stream.word)

    def state(self, fields: Mapping[str, Any], stream: int = 1) -> State:
        """A state with the given fields, the others zero: positions set up by hand."""
        array = np.zeros(1, self.dtype)
        _fill(array[0], fields, self.name)
        return State(self, array, stream)

    def load_state(self, text: str) -> State:
        """A state out of the JSON that `State.to_json` writes."""
        try:
            data = json.loads(text)
            fields, game, word = data["state"], data["game"], int(data.get("stream", 1))
        except (ValueError, KeyError, TypeError) as error:
            raise PlayoutError(
                f"that is no saved state ({type(error).__name__}: {error}); save one with State.to_json()"
            ) from None
        if game != self.base or data.get("parameters", {}) != self.parameters:
            raise PlayoutError(
                f"the saved state is of {game} {data.get('parameters', {})}, not of {self.base} {self.parameters}; load that game instead"
            )
        if not isinstance(fields, dict) or not 0 < word < 1 << 64:
            raise PlayoutError("the saved state is damaged: 'state' must hold the fields and 'stream' a 64-bit number above 0")
        return self.state(fields, word)


def _fill(record: np.void, fields: Mapping[str, Any], game: str) -> None:
    names = record.dtype.names or ()
    if not isinstance(fields, Mapping):
        raise PlayoutError(f"the fields {', '.join(names)} of a state of {game} are expected where {fields!r} stands")
    for name, value in fields.items():
        if name not in names:
            raise PlayoutError(f"a state of {game} has no field {name!r}; {suggest(name, names)}")
        if record.dtype[name].names is not None:
            _fill(record[name], value, game)
            continue
        base, shape = record.dtype[name].base, record.dtype[name].shape
        try:
            array = np.asarray(value, dtype=base)
            if array.shape != shape:
                raise ValueError(f"shape {array.shape} where {shape} is expected")
        except (ValueError, TypeError, OverflowError) as error:
            raise PlayoutError(f"field {name!r} of a state of {game} cannot be {value!r}: {error}") from None
        record[name] = array


class State:
    """One state of a game, immutable: ask it, draw it, play on from it.

    >>> import playout
    >>> state = playout.load("tic-tac-toe").start()
    >>> state = state.play("b2").play("a1")
    >>> state.mover, len(state.legal), state.over
    (0, 7, False)
    """

    __slots__ = ("_array", "_legal", "_mover", "game", "history", "word")

    def __init__(
        self,
        game: Game,
        array: np.ndarray[Any, Any],
        word: int,
        mover: int | None = None,
        legal: tuple[int, ...] | None = None,
    ) -> None:
        """`mover` and `legal` save asking the rules where the maker knows their answers already."""
        array.flags.writeable = False
        self.game, self._array, self.word, self._mover, self._legal = game, array, word, mover, legal
        self.history: int | None = None
        """With a world that a referee hands to an agent that asks for it: the key of what its player has lived through."""

    def copy_array(self) -> np.ndarray[Any, Any]:
        """A writable copy, as an array of one record."""
        return self._array.copy()

    def _view(self) -> RecordView:
        return self.game.view(self.copy_array()[0])

    @property
    def fields(self) -> RecordView:
        """The fields, readable by name; writing to them does not change this state."""
        return self._view()

    @property
    def mover(self) -> int:
        """The player to act now, -1 when the game is over."""
        if self._mover is None:
            self._mover = int(self.game.functions["mover"](self._view()))
        return self._mover

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.mover < 0

    @property
    def legal(self) -> tuple[int, ...]:
        """The legal action ids, in the game's order; none when the game is over. A continuous game has no ids: see `box`."""
        if self.game.continuous:
            raise PlayoutError(
                f"actions of {self.game.name} are real vectors, so they cannot be listed: take one inside State.box, or State.random"
            )
        if self._legal is None:
            self._legal = () if self.over else self._ask_legal()
        return self._legal

    def _ask_legal(self) -> tuple[int, ...]:
        out = np.zeros(self.game.most_legal, np.int64)
        try:
            count = int(self.game.functions["legal"](self._view(), out))
        except IndexError as error:
            raise GameError(
                f"game {self.game.name!r}: legal wrote past its buffer of {self.game.most_legal} ({error}); "
                f"raise most_legal or actions, or write fewer ids"
            ) from None
        if not 1 <= count <= len(out):
            raise GameError(
                f"game {self.game.name!r}: legal returned {count} where 1 to {len(out)} are possible; "
                "if the game is over mover must return -1, and most_legal says how many there can be"
            )
        return tuple(int(a) for a in out[:count])

    @property
    def returns(self) -> tuple[float, ...]:
        """One number per player: the total so far, and at the end the result."""
        out = np.zeros(self.game.players)
        self.game.functions["returns"](self._view(), out)
        return tuple(float(v) for v in out)

    def observed(self, player: int) -> bytes:
        """What a player can tell of this state: equal for two states that it cannot tell apart."""
        array = self.copy_array()
        if self.game.has("observe"):
            self.game.functions["observe"](self.game.view(array[0]), int(player))
        return array.tobytes()

    def world(self, player: int, stream: Stream) -> State:
        """A state that the player cannot tell apart from this one: what is hidden is drawn from the stream, and so is what
        chance will bring."""
        array = self.copy_array()
        if "determinize" not in self.game.functions and "observe" in self.game.functions:
            raise self.game.cannot_hide()
        if self.game.hidden:
            self.game.functions["determinize"](self.game.view(array[0]), int(player), stream)
        stream.next()
        return State(self.game, array, stream.word)

    @property
    def box(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Of a continuous game: the lowest and the highest value of every component of the next action."""
        if not self.game.continuous:
            raise PlayoutError(f"actions of {self.game.name} are ids, which have no box: see State.legal")
        low, high = continuous.box(self)
        return tuple(low.tolist()), tuple(high.tolist())

    def random(self, stream: Stream) -> Any:
        """A legal action, every one equally likely: an id, or the vector of a continuous game."""
        if self.game.continuous:
            return tuple(continuous.random_action(self, stream).tolist())
        return self.legal[stream.below(len(self.legal))]

    def name(self, action: Any, viewer: int | None = None) -> str:
        """An action in words."""
        show = self.game.functions.get("action_name")
        if self.game.continuous:
            return continuous.action_words(action) if show is None else str(show(self._view(), action, viewer))
        return str(action) if show is None else str(show(self._view(), int(action), viewer))

    def find(self, text: Any) -> Any:
        """The legal action with that id or that name. A number is an id; text may be either, a name first.

        In a continuous game: the vector, given as numbers or as text ("0.5,1,2").
        """
        if self.game.continuous:
            return tuple(continuous.read_action(self, text).tolist())
        legal = self.legal
        if not isinstance(text, str) and int(text) in legal:
            return int(text)
        word = str(text).strip()
        names = {self.name(action): action for action in sorted(legal)}
        if isinstance(text, str) and word in names:
            return names[word]
        if word.lstrip("-").isdigit():
            if int(word) in legal:
                return int(word)
        else:
            folded = {name.casefold(): action for name, action in names.items()}
            if word.casefold() in folded and len(folded) == len(names):
                return folded[word.casefold()]
        if not legal:
            raise IllegalAction(f"the game of {self.game.name} is over: no action is legal, so {word!r} cannot be played")
        raise IllegalAction(f"{word!r} is not a legal action of {self.game.name} here; {_legal_words(word, names)}")

    def play(self, action: Any) -> State:
        """The state after an action, given by id or by name, or as a vector. Chance comes from the stream that the state carries."""
        return self.after(self.find(action))

    def after(self, action: Any) -> State:
        """`play` for an id or a vector that is known to be legal, as one out of a tree is: nothing is looked up or checked."""
        array = self.copy_array()
        stream = Stream.at(self.word)
        self.game.functions["play"](self.game.view(array[0]), action, stream)
        return State(self.game, array, stream.word)

    def replay(self, moves: Iterable[Any]) -> State:
        """The state after several actions in order; an illegal one is named with its place."""
        state = self
        for place, move in enumerate(moves, 1):
            try:
                state = state.play(move)
            except IllegalAction as error:
                raise IllegalAction(f"move {place}: {error}") from None
        return state

    def draw(self, viewer: int | None = None) -> str:
        """The state as text, for one viewer or (None) for all eyes."""
        show = self.game.functions.get("draw")
        if show is None and self.game.continuous:
            return continuous.draw_stages(self)
        return repr(self._view()) if show is None else str(show(self._view(), viewer))

    def svg(self, viewer: int | None = None) -> str | None:
        """The state as a picture, where the game has one."""
        show = self.game.functions.get("svg")
        return None if show is None else str(show(self._view(), viewer))

    def to_json(self, viewer: int | None = None) -> str:
        """The state as JSON that people can read and edit; `Game.load_state` reads it back.

        For one viewer it is what that player can tell, without what is hidden and what chance will bring; that is no state.
        """
        data: dict[str, Any] = {"game": self.game.base, "parameters": self.game.parameters}
        if viewer is None:
            data |= {"state": _plain(self._array[0]), "stream": self.word}
        else:
            seen = np.frombuffer(self.observed(viewer), self.game.dtype)
            data |= {"viewer": viewer, "observation": _plain(seen[0])}
        return json.dumps(data)

    def __bytes__(self) -> bytes:
        return self._array.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and other.game.spec == self.game.spec and bytes(other) == bytes(self)

    def __hash__(self) -> int:
        return hash((self.game.name, bytes(self)))

    def __str__(self) -> str:
        return self.draw()

    def __repr__(self) -> str:
        return f"<state of {self.game.name}: " + ("over>" if self.over else f"player {self.mover} to act>")

    def _repr_svg_(self) -> str | None:
        return self.svg()


def _legal_words(word: str, names: Mapping[str, int]) -> str:
    if len(names) <= 12:
        return "legal: " + ", ".join(names)
    near = suggest(word, names)
    return near if near.startswith("did") else f"there are {len(names)} legal ones, among them " + ", ".join(list(names)[:8])


def _plain(record: np.void) -> dict[str, Any]:
    return {
        name: _plain(record[name]) if record.dtype[name].names is not None else record[name].tolist()
        for name in record.dtype.names or ()
    }
