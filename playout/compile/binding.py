"""Binding one game into the kernels: its functions stand in their holes, features choose between forms, and the whole is compiled.

The same text runs uncompiled (`compiled=False`), where only the holes are filled.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterable
from typing import Any

from playout.compile import holes, patience
from playout.compile.digest import rules
from playout.compile.kept import CHECKED, TRIED, mark, marked
from playout.compile.maker import Maker, lock, uncollected
from playout.compile.source import is_bundled
from playout.errors import GameError, PlayoutError
from playout.game import calls
from playout.game.analytic import analytic
from playout.game.contract import CONTINUOUS, ENCODED, OPTIONAL, REQUIRED
from playout.game.game import Game
from playout.game.record import array_of

FEATURES = (
    "worlds",
    "learned",
    "discount",
    "waiting",
    "tape",
    "graph",
    "bounds",
    "numbers",
    "extra",
    "embedded",
    "guards",
    "guided",
    "tables",
)
"""What `bind` may be asked for beyond what the game itself says: positions told apart by what is seen, also where nothing is hidden;
leaves that learned values know; rewards that are discounted; leaves that wait for an evaluation outside; chance read off a tape
(`playout.game.tape.RECORD`); positions that share their value; proofs by
what a position is worth at least and at most; proof numbers in selection; what few searches ask for (`extra_of` in the planner); a network that the
kernel evaluates itself; rules whose indices are checked (`trusted` says where that is left out); leaves that wait for priors alone, and are then
played out."""


def on_array(bounds: Callable[..., None]) -> Callable[..., None]:
    """Bounds that get the array itself: uncompiled, a field of a state is a view, which cannot do all that an array can."""

    def call(stage: int, actions: Any, low: Any, high: Any) -> None:
        bounds(stage, array_of(actions), low, high)

    return call


trial: Callable[[Game], Any] | None = None
"""What is asked before a game is compiled for the first time: what is wrong with it, with `code` and `message`, or None.

Whoever can tell sets it, since the checker stands above this room; `playout/__init__.py` does."""


def _head(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Where a kernel that `ticks` counts what it has done, in one tree or in many; None for a rule by itself, False for what may take what time it likes."""
    if not function.__module__.startswith("playout."):
        return None
    if not hasattr(function, "ticks"):
        return False
    # A record that is no head, a state, changes in a loop that never ends.
    head: Any = getattr(arguments[0], "head", arguments[0] if function.__code__.co_varnames[0] == "head" else None)
    counts = getattr(head, "dtype", None) is not None and head.dtype.names and (head.size == 1 or head.ndim == 2)
    return head if counts else None


class Binding(Maker):
    """One game's functions, rebound with some features; ask for roles with `role` and for kernels with `kernel`."""

    def __init__(self, game: Game, compiled: bool = True, features: Iterable[str] = (), device: str = "cpu") -> None:
        super().__init__(compiled, features, device)
        self.game = game
        self._identity = ""
        self._kernels: dict[int, Callable[..., Any]] = {}
        self._bounds = None if compiled or not game.continuous else on_array(game.functions["bounds"])

    def has(self, feature: str) -> bool:
        """Whether a feature is bound: asked for, or there because of what the game is."""
        if feature in ("real", "listed"):
            return self.game.continuous == (feature == "real")
        if feature in ("wins", "safe", "pick"):
            return self.game.has(feature)
        if feature == "objects":
            return self.game.objects is not None and not self.compiled
        if feature == "walks":
            return self.game.objects is not None
        if feature == "rewards":
            return bool(self.game.rewards)
        if feature == "total":
            return self.game.totals
        if feature == "complex":
            return self.game.continuous and not self.game.own_gradient and analytic(self.game)
        return feature in self.features or (feature == "worlds" and self.game.hidden)

    @property
    def identity(self) -> str:
        """The identity of the game's rules, part of the name of every function made from them."""
        if not self._identity:
            # What has no identity is never kept on disk; what is wrong with it, the compiler will say.
            with contextlib.suppress(GameError):
                self._identity = rules(self.game, encoded=True)
        # The same game bound in several ways has several sets of functions, and their symbols must differ too.
        ways = "".join(f"_{name}" for name in FEATURES if name in self.features and not (name == "worlds" and self.game.hidden))
        return (self._identity or "unkept") + ways

    @property
    def lends(self) -> bool:
        return bool(self.game.run_time.functions)

    def role(self, role: str) -> Callable[..., Any]:
        """The game's own function (`"play"`), compiled if this binding compiles."""
        if role not in self.game.functions:
            raise GameError(
                f"game {self.game.name!r} defines no {role}; add def {role}({', '.join({**REQUIRED, **OPTIONAL, **ENCODED, **CONTINUOUS}[role])})"
            )
        return self._guarded(self.game.functions[role], kept=False)

    def kernel(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """An engine function with this game in its holes, kept on disk; a game's fault comes out as a sentence."""
        known = self._kernels.get(id(function))
        if known is None:
            known = self._kernels[id(function)] = self._guarded(function, kept=True)
        return known

    def _guarded(self, function: Callable[..., Any], kept: bool) -> Callable[..., Any]:
        if not self.compiled:
            return self._bind(function)  # type: ignore[no-any-return]
        made: Any = None

        def call(*arguments: Any) -> Any:
            nonlocal made
            # Numba lets all kinds of exceptions out of a compilation, its own and Python's.
            try:
                if made is None:
                    with uncollected():
                        with lock:
                            self.try_out()
                            found = self.door(function, kept)
                        # Compiled apart from its first call, so that nobody takes the one for the other.
                        found._compile_for_args(*arguments)
                    if calls.last_words is not None:
                        from playout.compile import last_words

                        last_words.prepare(self.game.spec)
                    made = found
                if self.game.objects is not None:
                    return self._called_back(made, function, arguments)
                return self._watched(made, function, arguments)
            except PlayoutError:
                raise
            except Exception as error:
                from playout.compile import brakes
                from playout.compile.explain import explain
                from playout.compile.guards import outside

                raise brakes.told(self.game, error) or outside(self.game, error) or explain(self, error) from None

        return call

    def _called_back(self, made: Callable[..., Any], function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Call machine code that calls Python back; what that raised is raised here."""
        from playout.compile.callback import answering, raise_kept

        number = self.game.objects.number
        answering[number] = self.game.objects.machine
        found = self._watched(made, function, arguments)
        raise_kept(number)
        return found

    def _watched(self, made: Callable[..., Any], function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Call machine code, noted for whoever watches over it."""
        head = _head(function, arguments)
        if calls.watching:
            patience.brakes().block()
            return calls.noted(self.game.spec, function.__name__, head, made, *arguments)
        return patience.run(self.game, function.__name__, head, made, arguments)

    def try_out(self) -> None:
        """Refuse a game that nobody has seen if a moment of play shows that it breaks the contract; one that passed is remembered."""
        if trial is None or id(self) in _tried or marked(self.game, TRIED):
            return
        found = trial(self.game)
        if found is None:
            _tried.add(id(self))
            mark(self.game, TRIED)
            return
        if found.code.endswith(("-fails", "-field")):
            # A misspelt name, often: the compiler's own complaint then says more.
            from playout.compile.explain import first_fault

            fault = first_fault(self)
            if fault is not None:
                raise fault
        raise GameError(f"game {self.game.name!r} breaks the contract: {found.message}")

    def resolve(self, value: Any) -> Any:
        """What a reference really means for this game."""
        if isinstance(value, holes.Feature):
            return self.has(value.name)
        if isinstance(value, holes.Constant):
            return getattr(self.game, value.name)
        while isinstance(value, types.FunctionType) and hasattr(value, "feature") and not self.has(value.feature):
            value = vars(value)["instead"]
        hole = getattr(value, "hole", None) if isinstance(value, types.FunctionType) else None
        if hole == "returns" and self.game.continuous:
            return holes.no_returns
        if hole == "bounds" and self._bounds is not None:
            return self._bounds
        if hole == "encode" and self.game.made_encode is not None:
            return self.game.made_encode
        if hole is not None and self.compiled and hole in self.game.run_time.functions:
            return self.game.run_time.functions[hole]
        if hole is not None and self.game.objects is not None:
            return self.game.objects.role(hole, self.compiled) or self.game.functions.get(hole) or holes.STAND_INS[hole]
        if hole is not None:
            return self.game.functions.get(hole) or holes.STAND_INS[hole]
        return value


_tried: set[int] = set()
"""Bindings of games that passed, for those whose rules have no identity to be remembered by."""
_bindings: dict[tuple[int, bool, frozenset[str]], Binding] = {}


def trusted(game: Game) -> bool:
    """Whether the rules need no watching over their indices: they passed `playout check` as they are now, or came with the library,
    or are Python objects, which no index of machine code can leave."""
    return game.objects is not None or is_bundled(game) or marked(game, CHECKED)


def bind(
    game: Game, compiled: bool = True, features: Iterable[str] = (), *, trust: bool = False, search: bool = False
) -> Binding:
    """The binding of a game with some of `FEATURES`, made once per process; a game that says `compiled = False` stays as it is,
    unless its states are objects, it asks for it (`machine`), and this is for a `search`: that then calls back for its rules.

    Where the game is not `trusted`, nor to be trusted this time, the indices of its rules are checked.
    """
    compiled, asked = compiled and (game.compiled or (search and game.called_back)), frozenset(features)
    if not asked <= set(FEATURES):
        raise ValueError(f"features are {', '.join(FEATURES)}, not {', '.join(sorted(asked - set(FEATURES)))}")
    if game.hidden:
        asked |= {"worlds"}
    if compiled and not (trust or trusted(game)):
        asked |= {"guards"}
    name = (id(game), compiled, asked)
    if name not in _bindings:
        _bindings[name] = Binding(game, compiled, asked)
    return _bindings[name]
