"""A game written as an ordinary Python class: lists, dicts and all. One object is one state.

    class MyGame:
        players = 2
        actions = 9                                  # optional: how many ids, or a list of all actions

        def __init__(self): ...                      # the first state; parameters with defaults are the game's parameters
        def legal_actions(self): ...                 # a list: ids, or anything that can be compared (tuples, texts)
        def apply(self, action): ...                 # changes this object, or returns a new one
        def is_over(self): ...
        def returns(self): ...                       # one number per player
        def current_player(self): ...                # not needed with one player

Optional: `copy`, `chance_outcomes`, `observation`, `action_name`, `draw`, `svg`, `key`, `evaluate`; `returns_range`,
`returns_so_far`, `longest`, `most_legal`, `player_names`, `compiled_search`. `playout search mygame.py:MyGame` searches it as it is.
"""

from __future__ import annotations

import copy
import hashlib
import inspect
import pickle
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

from playout.bridges.draws import Draws, Ended
from playout.bridges.objects import LONGEST, MOST_IDS, Rules, object_game
from playout.errors import GameError, PlayoutError, suggest
from playout.game.contract import Parameter
from playout.game.game import Game
from playout.game.load import parse_spec, read_file
from playout.game.stream import PICKS, Stream

NEEDED = ("legal_actions", "apply", "is_over", "returns")
OTHER_WORDS = {
    "legal_actions": (
        "legal_moves",
        "get_legal_actions",
        "get_legal_moves",
        "get_possible_actions",
        "valid_moves",
        "available_moves",
        "moves",
    ),
    "apply": ("apply_action", "play", "make_move", "step", "do_move", "take_action", "move", "push"),
    "is_over": ("is_terminal", "game_over", "is_game_over", "over", "done", "terminal", "is_end"),
    "returns": ("rewards", "get_reward", "reward", "result", "score", "get_result", "utility", "payoffs"),
    "current_player": ("mover", "to_move", "get_current_player", "player_to_move", "turn", "player", "current_team"),
    "copy": ("clone", "deepcopy"),
}
"""What others call these methods; whoever has one of them is told the name that is looked for."""
PLACES = 1024
"""Ids of a game that does not declare its actions: an action is then its place in the list of those that are legal."""
TRIAL_ACTIONS = 60


class ClassRules(Rules):
    """The rules that a class has in its methods."""

    own = True

    def __init__(self, kind: type, name: str, words: dict[str, Any]) -> None:
        self.kind, self.name, self.words = kind, name, words
        self.players = getattr(kind, "players", 2)
        self.seeded = "rng" in inspect.signature(kind).parameters
        self.draws_itself = "rng" in inspect.signature(kind.apply).parameters  # type: ignore[attr-defined]
        self.chancy = hasattr(kind, "chance_outcomes")
        self.so_far = bool(getattr(kind, "returns_so_far", False))
        self.ids, self.all = _actions(kind, name)
        """Ids by action, where all actions are listed; how many ids there are."""
        self._copy: Callable[[Any], Any] = kind.copy if hasattr(kind, "copy") else copy.deepcopy
        self._asks = hasattr(kind, "current_player")

    @property
    def by_place(self) -> bool:
        """Whether an id is a place in the list of legal actions."""
        return not hasattr(self.kind, "actions")

    def start(self, draws: Draws) -> Any:
        return self._settled(self.kind(**self.words, **({"rng": draws} if self.seeded else {})), draws)

    def copy(self, thing: Any) -> Any:
        return self._copy(thing)

    def apply(self, thing: Any, action: int, draws: Draws) -> Any:
        return self._settled(self._applied(thing, self.action(thing, action), draws), draws)

    def _applied(self, thing: Any, action: Any, draws: Draws) -> Any:
        found = thing.apply(action, draws) if self.draws_itself else thing.apply(action)
        if found is None:
            return thing
        if not isinstance(found, self.kind):
            raise GameError(
                f"game {self.name!r}: apply returned {found!r}; change the object and return nothing, or return a new {self.kind.__name__}"
            )
        return found

    def _settled(self, thing: Any, draws: Draws) -> Any:
        """Chance has had its turns."""
        while self.chancy:
            outcomes = thing.chance_outcomes()
            if not outcomes:
                break
            events, chances = zip(*outcomes)
            thing = self._applied(thing, events[draws.pick(tuple(float(chance) for chance in chances))], draws)
        return thing

    def _listed(self, thing: Any) -> Sequence[Any]:
        found = thing.legal_actions()
        # A set comes in an order of its own in every process.
        return sorted(found, key=repr) if isinstance(found, set | frozenset) else list(found)

    def action(self, thing: Any, number: int) -> Any:
        """The action of an id."""
        if self.by_place:
            listed = self._listed(thing)
            if number >= len(listed):
                raise Ended
            return listed[number]
        return number if self.ids is None else self.all[number]

    def legal(self, thing: Any) -> Sequence[int]:
        listed = self._listed(thing)
        if self.by_place:
            return range(len(listed))
        if self.ids is None:
            return listed
        try:
            return [self.ids[action] for action in listed]
        except (KeyError, TypeError):
            strange = next(action for action in listed if not isinstance(action, Hashable) or action not in self.ids)
            raise GameError(
                f"game {self.name!r}: {strange!r} is legal, and not among its actions; list all of them in actions"
            ) from None

    def mover(self, thing: Any) -> int:
        if thing.is_over():
            return -1
        return int(thing.current_player()) if self._asks else 0

    def returns(self, thing: Any) -> Sequence[float]:
        if not (self.so_far or thing.is_over()):
            return (0.0,) * self.players
        found = thing.returns()
        if isinstance(found, int | float):
            found = (found,)
        if isinstance(found, dict):
            found = [found[player] for player in range(self.players)]
        if len(found) != self.players:
            raise GameError(
                f"game {self.name!r}: returns gave {found!r}, and there are {self.players} players; return one number for each"
            )
        return found  # type: ignore[no-any-return]

    def observation(self, thing: Any, player: int) -> bytes:
        seen = thing.observation(player)
        return seen if isinstance(seen, bytes) else repr(seen).encode()

    def named(self, thing: Any, action: int) -> str:
        """An action in words: those of the class, or the action itself without the commas that separate moves."""
        what = self.action(thing, action)
        if hasattr(self.kind, "action_name"):
            return str(thing.action_name(what))
        return "-".join(map(str, what)) if isinstance(what, tuple | list) else str(what).replace(",", ";")

    def drawn(self, thing: Any, viewer: int | None) -> str:
        """A state in words: a drawing of the class, or its text."""
        if hasattr(self.kind, "draw"):
            return str(thing.draw(viewer) if _arguments(self.kind.draw) > 1 else thing.draw())
        if hasattr(self.kind, "observation") and viewer is not None:
            return str(thing.observation(viewer))
        return str(thing) if has_text(self.kind) else ", ".join(f"{k}: {v}" for k, v in contents(thing).items())

    def failed(self, what: str, error: Exception) -> GameError:
        trace, line = error.__traceback__, ""
        file = inspect.getsourcefile(self.kind) if self.kind.__module__ != "builtins" else None
        while trace is not None:
            where = trace.tb_frame.f_code.co_filename
            if where == file or where.endswith(f"{self.kind.__module__}.py"):
                line = f" (line {trace.tb_lineno} of {Path(where).name})"
            trace = trace.tb_next
        return GameError(f"game {self.name!r}: {what} failed with {type(error).__name__}: {error}{line}")


def has_text(kind: Any) -> bool:
    """Whether objects of a class say in words what they are."""
    return kind.__str__ is not object.__str__


def _arguments(function: Callable[..., Any]) -> int:
    return len(inspect.signature(function).parameters)


def _actions(kind: type, name: str) -> tuple[dict[Any, int] | None, Any]:
    """Ids by action and the list of all, or (None) how many ids there are."""
    declared = getattr(kind, "actions", PLACES)
    if isinstance(declared, int) and not isinstance(declared, bool):
        return None, range(declared)
    try:
        every = list(declared)
        ids = {action: number for number, action in enumerate(every)}
    except TypeError:
        raise GameError(f"game {name!r}: actions is {declared!r}; say how many ids there are, or list all actions") from None
    if len(ids) != len(every) or not ids:
        raise GameError(f"game {name!r}: actions lists {len(every)} actions, {len(ids)} of them different; list each once")
    return ids, every


def is_object_game(kind: Any) -> bool:
    """Whether a class is a game of this kind, rather than a namespace of rules over records."""
    return (
        isinstance(kind, type)
        and not hasattr(kind, "State")
        and any(hasattr(kind, word) for needed in NEEDED[:2] for word in (needed, *OTHER_WORDS[needed]) if word != "play")
    )


def class_game(kind: type, /, *, name: str = "", file: str = "", identity: str = "", **parameters: Any) -> Game:
    """The game of a class: `playout.load(MyGame)`, or `playout.load("mygame.py:MyGame,size=4")`."""
    name = name or kind.__name__
    _check_methods(kind, name)
    declared = _parameters(kind, name, parameters)
    rules = ClassRules(kind, name, {word: parameter.value for word, parameter in declared.items()})
    hidden = hasattr(kind, "observation")
    if hidden and rules.by_place:
        raise GameError(
            f"game {name!r} hides something, and does not declare its actions: in different worlds the same place in the list of legal actions "
            "would be different actions; add actions = [...], all of them, or how many ids there are"
        )
    if hasattr(kind, "determinize"):
        raise GameError(
            f"class {name!r} has determinize, which objects cannot have: how an object was changed is not in the course of its game; leave it out, "
            "and worlds are found by playing the past again, or write the game as functions over a record (docs/game.md)"
        )
    if len(rules.all) > MOST_IDS:
        raise GameError(f"game {name!r} has {len(rules.all):,} actions; at most {MOST_IDS:,} can be bridged")
    rules.persistent, machine = _try(rules), bool(getattr(kind, "compiled_search", False))
    shown: dict[str, Callable[..., Any]] = {"action_name": rules.named, "draw": rules.drawn}
    if hasattr(kind, "svg"):
        shown["svg"] = lambda thing, viewer: thing.svg(viewer) if _arguments(kind.svg) > 1 else thing.svg()
    for role in ("key", "evaluate"):
        if hasattr(kind, role):
            shown[role] = getattr(kind, role)
    return object_game(
        rules,
        players=rules.players,
        actions=len(rules.all),
        most_legal=getattr(kind, "most_legal", 0),
        longest=getattr(kind, "longest", LONGEST),
        hidden=hidden,
        file=file,
        shown=shown,
        __doc__=kind.__doc__ or name,
        returns_range=getattr(kind, "returns_range", None),
        player_names=getattr(kind, "player_names", None),
        parameters={word: parameter.value for word, parameter in declared.items()},
        _declared_parameters=declared,
        machine=machine,
        _joint=",",
        _identity=_identity(kind, identity) + "+" * machine,
    )


def _identity(kind: type, of_file: str) -> str:
    try:
        text = of_file or inspect.getsource(kind)
    except (OSError, TypeError):
        text = repr(kind)
    return hashlib.sha256(f"{kind.__qualname__}\n{text}".encode()).hexdigest()[:24]


def _check_methods(kind: type, name: str) -> None:
    players = getattr(kind, "players", 2)
    if isinstance(players, bool) or not isinstance(players, int) or players < 1:
        raise GameError(f"game {name!r}: players is {players!r}; say how many there are, as in players = 2")
    for word in (*NEEDED, *(("current_player",) if players > 1 else ())):
        if not callable(getattr(kind, word, None)):
            other = next((other for other in OTHER_WORDS[word] if hasattr(kind, other)), "")
            hint = f"it has {other}, so name that {word}" if other else f"add def {word}(self{', action' * (word == 'apply')})"
            raise GameError(f"class {name!r} has no method {word}; {hint} (docs/bridges.md has a whole game)")


def _parameters(kind: type, name: str, asked: dict[str, Any]) -> dict[str, Parameter]:
    """The parameters of the class, by its `__init__`: those with a default that is a number or a text."""
    found: dict[str, Parameter] = {}
    for word, parameter in inspect.signature(kind).parameters.items():
        if word == "rng" or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        default = parameter.default
        if default is parameter.empty:
            raise GameError(
                f"class {name!r} cannot be started without {word}; give it a default, as in def __init__(self, {word}=3)"
            )
        if word not in asked and not isinstance(default, bool | int | float | str):
            continue
        value = asked.get(word, default)
        try:
            value = value in ("true", "True", "1", True) if isinstance(default, bool) else type(default)(value)
        except (TypeError, ValueError):
            raise PlayoutError(
                f"parameter {word}={value!r} is not a valid {type(default).__name__}; for example {word}={default}"
            ) from None
        found[word] = Parameter(word, default, "", None, None, value)
    for word in asked:
        if word not in found:
            raise PlayoutError(f"game {name!r} has no parameter {word!r}; parameters: {', '.join(found) or 'it has none'}")
    return found


def _try(rules: ClassRules) -> bool:
    """Play a game at random, with an eye on what an object can do wrong; whether `apply` gives new objects."""
    draws, picks = Draws(), Stream(0, PICKS)
    thing = _ask(rules, "the start", rules.start, draws.from_stream(Stream(0)))
    persistent = True
    for _ in range(TRIAL_ACTIONS):
        if _ask(rules, "is_over", rules.mover, thing) < 0:
            return persistent
        legal = _ask(rules, "legal_actions", rules.legal, thing)
        if not legal:
            raise GameError(
                f"game {rules.name!r}: nothing is legal and is_over says that it goes on; return at least one action, or be over"
            )
        action = legal[picks.below(len(legal))]
        before, other = _content(thing), _ask(rules, "copy", rules.copy, thing)
        if other is thing or not isinstance(other, rules.kind):
            raise GameError(
                f"game {rules.name!r}: copy returned {'the object itself' if other is thing else repr(other)}; return another one, as copy.deepcopy does"
            )
        after = _ask(rules, "apply", rules.apply, other, action, draws.from_stream(Stream(1)))
        if before and _content(thing) != before:
            raise GameError(
                f"game {rules.name!r}: apply changed an object of which copy had made a copy, so the two share something (a list, a dict); "
                "copy that, too, or leave copy out"
            )
        again = _ask(rules, "apply", rules.apply, rules.copy(thing), action, draws.from_stream(Stream(1)))
        if _content(after) and _content(after) != _content(again):
            raise GameError(
                f"game {rules.name!r}: the same action led to two different states; take chance from the stream: def apply(self, action, rng), "
                "with rng.choice, rng.shuffle and the like"
            )
        persistent = persistent and after is not other and _content(other) == before
        thing = after
    return persistent


def _ask(rules: ClassRules, what: str, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except PlayoutError:
        raise
    except Exception as error:
        raise rules.failed(what, error) from error


def contents(thing: Any) -> dict[str, Any]:
    """The attributes of an object."""
    slots = getattr(type(thing), "__slots__", ())
    return {**{name: getattr(thing, name) for name in slots if hasattr(thing, name)}, **getattr(thing, "__dict__", {})}


def _content(thing: Any) -> bytes:
    """What is in an object, to be compared; nothing where that cannot be told."""
    try:
        return pickle.dumps(contents(thing))
    except Exception:
        return b""


_made: dict[tuple[str, str, str], Game] = {}


def file_game(spec: str, parameters: dict[str, Any]) -> Game:
    """`mygame.py:MyGame,size=4`: the class of a file, with its parameters."""
    file, _, rest = spec.rpartition(".py:")
    file += ".py"
    word, _, options = rest.partition(",")
    names, content = read_file(file)
    kind = names.get(word.strip())
    if not isinstance(kind, type):
        # Its own, and not those that it imports.
        own = {name: value for name, value in names.items() if isinstance(value, type) and value.__module__ == names["__name__"]}
        known = [name for name in own if not name.startswith("_")]
        hint = suggest(word, known) if known else "it has no classes"
        raise PlayoutError(f"game file {file!r} has no class {word!r}; {hint}")
    asked = {**parse_spec(f"{word}:{options}")[1], **parameters}
    told = (str(Path(file).resolve()) + file, content, repr((word, sorted((k, str(v)) for k, v in asked.items()))))
    if told not in _made:
        _made[told] = class_game(kind, name=word.strip(), file=f"{file}:{word.strip()}", identity=content, **asked)
    return _made[told]
