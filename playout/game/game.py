"""`Game`: the rules as a user holds them, checked when they are made; `contract` says what they consist of."""

from __future__ import annotations

import inspect
import json
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from playout.errors import GameError, PlayoutError, suggest
from playout.game import continuous, lived
from playout.game.contract import (
    CONTINUOUS,
    ENCODED,
    MIRRORED,
    MOST_ACTIONS,
    MOST_PLAYERS,
    MOST_WEIGHTS,
    OPTIONAL,
    REQUIRED,
    SHOWN,
    Parameter,
)
from playout.game.declared import (
    Range,
    read_encoding,
    read_laws,
    read_player_names,
    read_range,
    read_rewards,
    read_search_settings,
    read_symmetries,
    who,
)
from playout.game.record import check_dtype, view_class
from playout.game.runtime import RunTime, takes, told
from playout.game.state import State, fill
from playout.game.stream import Stream


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
        self._joint = str(given.get("_joint") or ":")
        """What stands before parameters in the spec: a class in a file has a colon already."""
        self.identity = str(given.get("_identity") or "")
        """What tells rules that are not compiled from others, where functions alone do not; with the parameters it is their digest."""
        self.objects: Any = given.get("_objects")
        """The table of objects behind the records of a bridged game (`playout.bridges.objects`)."""
        self._check_known(names)
        self.players = self._number(given, "players", MOST_PLAYERS)
        self.player_names = read_player_names(name, given.get("player_names"), self.players)
        """What the players are called; empty where the game does not say."""
        self.shape: continuous.Shape | None = None
        """The stages and the action set of a continuous game; None where actions are ids."""
        self.solution: Callable[..., Any] | None = None
        """The closed form of a continuous game's best actions, where the game gives one; only `playout.truth` asks it."""
        self.run_time = RunTime()
        """The numbers of a continuous game that may change without compiling it anew, and its functions as machine code takes them then."""
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
        self.returns_range = read_range(name, "returns_range", given.get("returns_range"))
        self.functions: dict[str, Callable[..., Any]] = {}
        roles = {**REQUIRED, **OPTIONAL, **ENCODED, **MIRRORED, **SHOWN, **(CONTINUOUS if self.shape else {})}
        for role, arguments in roles.items():
            function = given.get(role)
            if function is None:
                if role in REQUIRED:
                    raise GameError(f"game {name!r} defines no {role}; add def {role}({', '.join(arguments)})")
                continue
            self.functions[role] = self._function(role, function, arguments)
        self.laws = read_laws(name, given.get("laws"), self.has("broken"))
        """The names of what holds in every state, in the order of the numbers that `broken` returns."""
        self.rewards = read_rewards(name, given.get("rewards"), self.functions)
        """Other rewards than the returns, in the order of the numbers that `returns_as` takes, with the range of each."""
        self.search_settings = read_search_settings(name, given.get("search_settings"))
        """What "auto" stands for in a search of this game, where its author has measured that."""
        self.encoding = read_encoding(name, given.get("encoding"), self.functions)
        """The shape that `encode` writes into; empty where the game has none, and `playout.game.encoding` makes one."""
        self.made_encode: Callable[..., Any] | None = None
        """What kernels take for an `encode` that the game does not have: the function of a made encoding, once a network brings one."""
        self.symmetries = read_symmetries(name, given.get("symmetries"), self.functions)
        """How many ways there are to mirror the game, as it is among them."""
        self.sampler: Any = None
        """What finds the worlds of a game with `by_rejection`; the planner keeps it here."""
        if self.rejects and not self.has("observe"):
            raise GameError(
                f"game {name!r}: determinize = playout.by_rejection finds worlds by what a player has seen, and there is no observe to say "
                "what that is; add def observe(state, player), which erases in place what that player cannot tell"
            )
        if self.has("wins") and (self.returns_range is None or self.players != 2):
            raise GameError(
                f"game {name!r} defines wins, which is for two players and needs to know what a win is: add returns_range = (-1, 1), or "
                "leave wins out"
            )
        if self.has("safe") and not self.has("wins"):
            raise GameError(
                f"game {name!r} defines safe, which is asked where wins lists nothing, and there is no wins: add def wins(state, out), or "
                "leave safe out"
            )
        patterned = self.has("patterns")
        self.pattern_weights = self._number(given, "pattern_weights", MOST_WEIGHTS) if patterned else 0
        """How many pattern ids there are, where the game has `patterns`."""
        self.most_patterns = self._number(given, "most_patterns", MOST_ACTIONS) if patterned else 0
        """The most patterns that one state shows."""

    def _continuous(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """What a continuous game gives, with the functions that are made from it."""
        for word in (
            "State",
            "legal",
            "play",
            "mover",
            "returns",
            "start",
            "actions",
            "observe",
            "determinize",
            "broken",
            "returns_as",
        ):
            if given.get(word) is not None:
                raise GameError(
                    f"game {self.name!r} defines payoffs, so it is continuous, and {word} too: the library makes {word} of a "
                    "continuous game; leave one of them out"
                )
        if given.get("clicked") is not None:
            raise GameError(
                f"game {self.name!r} defines payoffs, so its actions are real vectors, and clicked, which returns the id of one; leave clicked out"
            )
        self.shape = shape = continuous.Shape(self.name, given, self.players)
        numbers = continuous.read_coefficients(self.name, given.get("coefficients"))
        own = {
            role: self._as_written(role, given[role], shape, numbers)
            for role in CONTINUOUS
            if given.get(role) is not None and (role != "bounds" or callable(given[role]))
        }
        box = continuous.fixed_box(self.name, own.get("bounds", given.get("bounds")), shape)
        self.run_time = RunTime(shape, numbers, own, box)
        payoffs = continuous.payoff_function(own["payoffs"], shape.scratch, numbers)
        bounds = continuous.constant_box(*box, shape.dimension) if box else told(own["bounds"], numbers)
        solution = given.get("solution")
        self.solution = None if solution is None else self._function("solution", solution, ("stage", "actions"))
        invariant = given.get("invariant")
        self.invariant = None if invariant is None else self._function("invariant", invariant, ("actions",))
        made: dict[str, Any] = dict(continuous.rules(shape, payoffs, bounds, self.players))
        made |= {"State": shape.dtype(), "payoffs": payoffs, "bounds": bounds, "legal": continuous.no_legal}
        if given.get("gradient") is not None:
            made["gradient"] = continuous.gradient_function(own["gradient"], shape.scratch, numbers)
        # Slots that one simulation may need: a path, and the refined one beside it.
        return {**given, **made, "actions": MOST_ACTIONS - 1, "most_legal": 4 * shape.stages + 8}

    def _as_written(self, role: str, function: Any, shape: continuous.Shape, numbers: Any) -> Callable[..., Any]:
        """A function of a continuous game, which takes what the game declares: scratch, coefficients; `bounds` may leave these out."""
        arguments = tuple(word for word in CONTINUOUS[role] if word != "scratch" or shape.scratch)
        if len(numbers) and (role != "bounds" or takes(function, 5)):
            arguments = (*arguments, "coefficients")
        return self._function(role, function, arguments)

    def _check_known(self, names: Mapping[str, Any]) -> None:
        known = {
            *REQUIRED,
            *OPTIONAL,
            *ENCODED,
            *MIRRORED,
            *SHOWN,
            "encoding",
            "symmetries",
            "players",
            "actions",
            "most_legal",
            "State",
            "returns_range",
            "parameters",
        }
        known |= {
            *CONTINUOUS,
            "stages",
            "dimension",
            "movers",
            "action_set",
            "scratch",
            "coefficients",
            "solution",
            "invariant",
            "compiled",
        }
        known |= {"pattern_weights", "most_patterns", "player_names", "laws", "rewards", "search_settings"}
        for word in names:
            if word not in known:
                raise GameError(f"game {self.name!r} was given {word!r}, which is no part of a game; {suggest(word, known)}")

    def _number(self, given: Mapping[str, Any], word: str, most: int) -> int:
        value = given.get(word)
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= most:
            raise GameError(f"game {self.name!r}: {word} is {value!r}; it must be a whole number from 1 to {most:,}")
        return int(value)

    def _function(self, role: str, function: Any, arguments: tuple[str, ...]) -> Callable[..., Any]:
        if isinstance(function, staticmethod):
            function = function.__func__
        if not inspect.isfunction(function):
            raise GameError(
                f"game {self.name!r}: {role} is {function!r}; it must be a plain function, def {role}({', '.join(arguments)})"
            )
        taken = function.__code__.co_argcount
        fewest = len(arguments) - (arguments[-1] == "viewer")
        if not fewest <= taken <= len(arguments) or function.__code__.co_kwonlyargcount:
            raise GameError(
                f"game {self.name!r}: {role} takes {taken} argument{'s' * (taken != 1)} but is called with "
                f"({', '.join(arguments)}); write def {role}({', '.join(arguments)})"
            )
        names = function.__code__.co_varnames[:taken]
        if any(name in arguments and arguments[place] != name for place, name in enumerate(names)):
            raise GameError(
                f"game {self.name!r}: {role} takes ({', '.join(names)}) but is called with ({', '.join(arguments)}), in that order; "
                f"write def {role}({', '.join(arguments)})"
            )
        if taken < len(arguments):
            return lambda *values: function(*values[:taken])
        return function

    def __repr__(self) -> str:
        return f"<game {self.spec}: {self.title}>"

    def __reduce__(self) -> Any:
        raise TypeError(f"a game is not pickled: send its spec {self.spec!r} and call playout.game.load on the other side")

    def __deepcopy__(self, memo: Any) -> Game:
        return self  # rules do not change, so a copy of what holds them shares them

    @property
    def spec(self) -> str:
        """The string that loads this game again: `mnk:m=7,n=7,k=4`."""
        changed = [f"{p.name}={p.value}" for p in self.declared.values() if p.value != self._preset.get(p.name, p.default)]
        base = self.file or self.name
        return base + (self._joint + ",".join(changed) if changed else "")

    @property
    def called_back(self) -> bool:
        """Whether searches are compiled though the rules are Python objects, which they then call back."""
        return self.objects is not None and self.objects.machine is not None

    @property
    def key_words(self) -> str:
        """How a key is added to the game, for sentences that ask for one."""
        return "def key(state), a number of 64 bits" if self.objects is None else "def key(self), a text or tuple"

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
    def total_from(self) -> int:
        """The stage from which on a continuous game can be searched along total derivatives; the number of its stages where it cannot."""
        return self.shape.total_from if self.shape else 0

    @property
    def totals(self) -> bool:
        """Whether a continuous game can be searched along total derivatives, at least from some stage on."""
        return self.total_from < self.stages

    @property
    def own_gradient(self) -> bool:
        """Whether a continuous game brings its own derivatives."""
        return "gradient" in self.functions

    @property
    def hidden(self) -> bool:
        """Whether something is hidden from some player: the game defines `determinize`."""
        return "determinize" in self.functions

    @property
    def rejects(self) -> bool:
        """Whether worlds are found by playing the past again: `determinize = playout.by_rejection`."""
        return self.functions.get("determinize") is lived.by_rejection

    def cannot_hide(self) -> PlayoutError:
        """What is wrong with a game that says what a player cannot tell, but not how to redraw it."""
        return PlayoutError(
            f"game {self.name!r} has observe, so something is hidden, but no determinize: add def determinize(state, player, rng), "
            "which redraws what the player cannot know"
        )

    def has(self, role: str) -> bool:
        """Whether the game defines that optional function."""
        return role in self.functions

    def reward_number(self, reward: str) -> int:
        """The number of a reward, as `returns_as` takes it; a sentence where the game does not know it."""
        if not self.rewards:
            raise PlayoutError(
                f"reward={reward} is for games that declare rewards, and {self.name!r} has only its returns; leave reward out"
            )
        if reward not in self.rewards:
            raise PlayoutError(f"reward is {reward!r}; {suggest(reward, self.rewards)}")
        return list(self.rewards).index(reward)

    def range_of(self, reward: str = "") -> Range | None:
        """The lowest and the highest return, or those of another reward, where the game says them."""
        return self.rewards[reward] if reward else self.returns_range

    def player_name(self, player: int) -> str:
        """A player in words: its name where the game gives one, else "player 0"."""
        return who(player, self.player_names)

    def start(self, seed: int = 0) -> State:
        """The first state. The seed fixes every chance event of a game played on from it."""
        array = np.zeros(1, self.dtype)
        try:
            stream = Stream(operator.index(seed))
        except TypeError:
            raise PlayoutError(f"seed is {seed!r}; it must be a whole number") from None
        self.functions["start"](self.view(array[0]), stream)
        state = State(self, array, stream.word)
        if self.rejects:
            state.pasts = lived.first(state)
        return state

    def state(self, fields: Mapping[str, Any], stream: int = 1) -> State:
        """A state with the given fields, the others zero: positions set up by hand."""
        array = np.zeros(1, self.dtype)
        fill(array[0], fields, self.name)
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
