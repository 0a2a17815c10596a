"""`State`: one state of a game as a user holds it. It is immutable: playing an action gives a new one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.errors import GameError, IllegalAction, PlayoutError, suggest
from playout.game import calls, continuous, lived
from playout.game.calls import PLAY
from playout.game.clicks import NOT_YET
from playout.game.record import RecordView, copied, field_names
from playout.game.stream import Stream

if TYPE_CHECKING:
    from playout.game.game import Game


LONGEST_ID = 20
"""Digits of a number that may be an id."""


class State:
    """One state of a game, immutable: ask it, draw it, play on from it.

    >>> import playout
    >>> state = playout.load("tic-tac-toe").start()
    >>> state = state.play("b2").play("a1")
    >>> state.mover, len(state.legal), state.over
    (0, 7, False)
    """

    __slots__ = ("_array", "_legal", "_mover", "course", "game", "history", "pasts", "word")

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
        self.history: bytes | None = None
        """With a world that a referee hands to an agent that asks for it: the key of what its player has lived through."""
        self.course: tuple[int, ...] | None = None
        """With a state of an open game that a referee hands to an agent that asks for it: the actions that led to it from the start."""
        self.pasts: lived.Pasts | None = None
        """In a game with `determinize = playout.by_rejection`: what each player has lived through."""

    def copy_array(self) -> np.ndarray[Any, Any]:
        """A writable copy, as an array of one record."""
        return copied(self._array)

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

    def returns_as(self, reward: str) -> tuple[float, ...]:
        """What each player has under another reward of the game, so far or at the end."""
        out = np.zeros(self.game.players)
        number = self.game.reward_number(reward)
        self.game.functions["returns_as"](self._view(), number, out)
        return tuple(float(v) for v in out)

    @property
    def broken(self) -> str | None:
        """The first law that this state breaks, where the game has laws and it does."""
        if not self.game.laws:
            return None
        number = int(self.game.functions["broken"](self._view()))
        if not 0 <= number <= len(self.game.laws):
            raise GameError(
                f"game {self.game.name!r}: broken returned {number}; return 0, or the number of a law from 1 to {len(self.game.laws)}"
            )
        return self.game.laws[number - 1] if number else None

    def observed(self, player: int) -> bytes:
        """What a player can tell of this state: equal for two states that it cannot tell apart."""
        return bytes(self._seen(player))

    def _seen(self, player: int) -> RecordView:
        view = self._view()
        if self.game.has("observe"):
            self.game.functions["observe"](view, int(player))
        return view

    def world(self, player: int, stream: Stream) -> State:
        """A state that the player cannot tell apart from this one: what is hidden is drawn from the stream, and so is what
        chance will bring."""
        if self.game.rejects:
            from playout.planner.rejection import world

            return world(self, int(player), stream)
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
        if not isinstance(text, str):
            number = _number(text)
            if number in legal:
                return number
        word = str(text).strip()
        names = {self.name(action): action for action in sorted(legal)}
        if isinstance(text, str) and word in names:
            return names[word]
        if word.lstrip("-").isdecimal():
            if len(word) <= LONGEST_ID and _number(word) in legal:
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
        rule: Callable[..., Any] = self.game.functions["play"]
        if calls.watching:
            calls.noted(self.game.spec, PLAY, None, rule, self.game.view(array[0]), action, stream)
        else:
            rule(self.game.view(array[0]), action, stream)
        after = State(self.game, array, stream.word)
        if self.pasts is not None:
            after.pasts = lived.later(self.pasts, self.mover, int(action), after)
        return after

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
        """The state as text, for one viewer or (None) for all eyes. Without a `draw` of the game a viewer gets its observation."""
        show = self.game.functions.get("draw")
        if show is not None:
            return str(show(self._view(), viewer))
        if self.game.continuous:
            return continuous.draw_stages(self)
        return repr(self._view() if viewer is None else self._seen(viewer))

    def svg(self, viewer: int | None = None) -> str | None:
        """The state as a picture, where the game has one."""
        show = self.game.functions.get("svg")
        return None if show is None else str(show(self._view(), viewer))

    def clicked(self, parts: Iterable[str]) -> int:
        """The action that clicks on these parts of the picture mean, one or two of them; -1 where they mean none that is legal."""
        ask = self.game.functions.get("clicked")
        action = NOT_YET if ask is None or self.over else int(ask(self._view(), tuple(parts)))
        return action if action in self.legal else NOT_YET

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

    def __deepcopy__(self, memo: Any) -> State:
        return self

    def __bytes__(self) -> bytes:
        return self._array.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and other.game.spec == self.game.spec and bytes(other) == bytes(self)

    def __hash__(self) -> int:
        return hash((self.game.name, bytes(self)))

    def __str__(self) -> str:
        return self.draw()

    def __repr__(self) -> str:
        return f"<state of {self.game.name}: " + ("over>" if self.over else f"{self.game.player_name(self.mover)} to act>")

    def _repr_svg_(self) -> str | None:
        from playout.report.notebook import state_picture

        return state_picture(self)

    def _repr_html_(self) -> str:
        from playout.report.notebook import state_cell

        return state_cell(self)


def _number(value: Any) -> int | None:
    """A number that may be an id, where that is what was given."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if isinstance(value, str) or bool(number == value) else None


def _legal_words(word: str, names: Mapping[str, int]) -> str:
    if len(names) <= 12:
        return "legal: " + ", ".join(names)
    near = suggest(word, names)
    return near if near.startswith("did") else f"there are {len(names)} legal ones, among them " + ", ".join(list(names)[:8])


def _plain(record: np.void) -> dict[str, Any]:
    return {
        name: _plain(record[name]) if record.dtype[name].names is not None else record[name].tolist()
        for name in field_names(record.dtype)
    }


def fill(record: np.void, fields: Mapping[str, Any], game: str) -> None:
    names = field_names(record.dtype)
    if not isinstance(fields, Mapping):
        raise PlayoutError(f"the fields {', '.join(names)} of a state of {game} are expected where {fields!r} stands")
    for name, value in fields.items():
        if name not in names:
            raise PlayoutError(f"a state of {game} has no field {name!r}; {suggest(name, names)}")
        if record.dtype[name].names is not None:
            fill(record[name], value, game)
            continue
        base, shape = record.dtype[name].base, record.dtype[name].shape
        try:
            array = np.asarray(value, dtype=base)
            if array.shape != shape:
                raise ValueError(f"shape {array.shape} where {shape} is expected")
        except (ValueError, TypeError, OverflowError) as error:
            raise PlayoutError(f"field {name!r} of a state of {game} cannot be {value!r}: {error}") from None
        record[name] = array
