"""Games whose states are Python objects, for the same engine: the record of a state is the course of the game that led to it.

A record must be all there is to know, since it is copied, compared, saved and sent as bytes; an object cannot be put into one. What can
is how it came about: every action and every draw of chance, as numbers. So saved states, stored games, other processes and exact tools
need nothing that they do not need of other games. The objects themselves are kept in a `Table` beside it, and made again by playing the
course where it does not have one any more: so its size is bounded, whatever a search does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from threading import RLock
from typing import Any

import numpy as np

from playout.bridges.draws import WORD, Draws, Ended
from playout.bridges.machine import HEAD, Machine, Record
from playout.errors import GameError, PlayoutError
from playout.game.game import Game
from playout.game.lived import by_rejection

LONGEST = 500
"""Events (actions and draws) that a course may have where nothing else is said."""
MOST_EVENTS = 30_000
KEPT, FRESH = 2048, 64
"""Objects that are kept for those who come back, and such that were made on the way of a playout."""
MOST_IDS = WORD - 1
LEAST_EVENTS = 8
"""Room for the 16 bytes of an observation."""


class Rules:
    """What a kind of object must be able to do; who brings objects of another library fills it in. Actions are ids here."""

    name = "game"
    own = False
    """Whether the user wrote them, and can change them."""
    persistent = False
    """Whether `apply` leaves the object alone and gives a new one."""

    def start(self, draws: Draws) -> Any:
        """The first state."""
        raise NotImplementedError

    def copy(self, thing: Any) -> Any:
        """Another object that is the same state."""
        raise NotImplementedError

    def apply(self, thing: Any, action: int, draws: Draws) -> Any:
        """The state after an action: the same object, changed, or another one."""
        raise NotImplementedError

    def mover(self, thing: Any) -> int:
        """Who acts; -1 when the game is over."""
        raise NotImplementedError

    def legal(self, thing: Any) -> Sequence[int]:
        """The ids of the legal actions."""
        raise NotImplementedError

    def options(self, thing: Any) -> Sequence[int]:
        """The legal ids, and none when the game is over: what a playout asks at every step."""
        return () if self.mover(thing) < 0 else self.legal(thing)

    def returns(self, thing: Any) -> Sequence[float]:
        """What each player has."""
        raise NotImplementedError

    def observation(self, thing: Any, player: int) -> bytes:
        """What a player can tell, where something is hidden."""
        raise NotImplementedError

    def world(self, thing: Any, player: int, stream: Any) -> list[int]:
        """The course of another game that the player cannot tell from this one: whole, so that nothing of the true one is left in it."""
        raise NotImplementedError

    def failed(self, what: str, error: Exception) -> GameError:
        """What is said of an error inside."""
        return GameError(f"game {self.name!r}: {what} failed with {type(error).__name__}: {error}")


class Table:
    """The objects of one game by their courses.

    A playout asks each of its states once and goes on, so its object is changed and not copied: only one that somebody comes back to is
    kept. That makes one copy for a simulation and not one for every action.
    """

    def __init__(self, rules: Rules, actions: int, most_legal: int, longest: int) -> None:
        self.rules, self.actions, self.most_legal, self.longest = rules, actions, most_legal, longest
        self.draws = Draws()
        self.lock = RLock()
        """Searches in several threads share one table: a rule is asked to its end, and what it left is found or made again."""
        self.machine: Machine | None = None
        """Who answers machine code, where searches are compiled and call back."""
        self.number = 0
        self._kept: dict[bytes, Any] = {}
        """Objects that stay as they are."""
        self._fresh: dict[bytes, Any] = {}
        """Objects that may be played on."""

    def role(self, hole: str, compiled: bool) -> Callable[..., Any] | None:
        """What stands in a hole of a kernel: a rule that machine code calls back for; None for what the game has itself."""
        if not compiled:
            return self._walk if hole == "walk" else None
        return None if self.machine is None else self.machine.roles.get(hole)

    def thing(self, state: Any) -> Any:
        """The object of a state, to be looked at and not changed."""
        key = course(state)
        found = self._fresh.get(key)
        if found is None:
            found = self._kept.get(key)
        return self._again(key) if found is None else found

    def ask(self, function: Callable[..., Any], state: Any, *arguments: Any) -> Any:
        """What a function says of the object of a state."""
        return function(self.thing(state), *arguments)

    def begin(self, state: Any, stream: Any) -> None:
        """The first state of a game."""
        thing = self.rules.start(self.draws.from_stream(stream))
        self._write(state, 0, self.draws.noted)
        self._keep(course(state), thing)

    def play(self, state: Any, action: int, stream: Any) -> None:
        """An action, and whatever chance does behind it."""
        thing, draws = self._taken(course(state)), self.draws.from_stream(stream)
        thing = self.rules.apply(thing, action, draws)
        self._write(state, state.length, [action, *draws.noted])
        self._add(course(state), thing)

    def walk(self, state: Any, most: int, stream: Any) -> int:
        """Random actions to the end of the game, or so many; what cannot be is left to whoever asks next. Returns how many.

        The draws are those of the engine's own playout: one for the action, then what chance draws behind it.
        """
        rules, draws, begun = self.rules, self.draws.from_stream(stream), state.length
        if len(rules.options(self.thing(state))) == 0:
            return 0
        thing, events, steps, longest = self._taken(course(state)), draws.noted, 0, self.longest - begun
        options, apply, below, note = rules.options, rules.apply, stream.below, events.append
        most_legal, actions = self.most_legal, self.actions
        while steps < most and len(events) < longest:
            legal = options(thing)
            if not 0 < len(legal) <= most_legal:
                break
            action = legal[below(len(legal))]
            if not 0 <= action < actions:
                break
            note(action)
            thing = apply(thing, action, draws)
            steps += 1
        self._write(state, begun, events)
        self._add(course(state), thing)
        return steps

    def _walk(self, state: Any, most: int, stream: Any) -> int:
        steps: int = guarded(self, "a random playout", self.walk, state, most, stream)
        return steps

    def redraw(self, state: Any, player: int, stream: Any) -> None:
        """A world of a player in place of the state."""
        events = self.rules.world(self.thing(state), player, stream)
        state.events._array[:] = 0
        self._write(state, 0, events)

    def _taken(self, key: bytes) -> Any:
        """An object that may be changed."""
        thing = self._fresh.get(key)
        if thing is not None:
            if not self.rules.persistent:
                del self._fresh[key]
            return thing
        thing = self._kept.get(key)
        if thing is None:
            thing = self._again(key)
        return thing if self.rules.persistent else self.rules.copy(thing)

    def _add(self, key: bytes, thing: Any) -> None:
        fresh = self._fresh
        if len(fresh) >= FRESH:
            del fresh[next(iter(fresh))]
        fresh[key] = thing

    def _keep(self, key: bytes, thing: Any) -> Any:
        kept = self._kept
        if len(kept) >= KEPT:
            del kept[next(iter(kept))]
        kept[key] = thing
        return thing

    def _write(self, state: Any, at: int, events: list[int]) -> None:
        end = at + len(events)
        if end > self.longest:
            raise GameError(
                f"game {self.rules.name!r} went beyond {self.longest:,} actions and draws; if games may be that long, declare longest = {2 * end}"
            )
        if type(state) is Record:
            state.write(at, events)
        else:
            state.events._array[at:end] = events
            state.length = end

    def _again(self, key: bytes) -> Any:
        """The object of a course that the table does not have: from the nearest one that it has, the rest is played."""
        events = np.frombuffer(key, np.uint16)[HEAD // 2 :].tolist()
        for at in range(len(events) - 1, -1, -1):
            thing = self._kept.get(named(key, at))
            if thing is not None:
                thing = thing if self.rules.persistent else self.rules.copy(thing)
                break
        else:
            at, thing = -1, None
        draws = Draws()  # its own, since whoever asks may be in the middle of drawing
        try:
            if at < 0:
                thing = self.rules.start(draws.from_notes(events, 0))
                at = draws.at
            while at < len(events):
                thing = self.rules.apply(thing, events[at], draws.from_notes(events, at + 1))
                at = draws.at
        except (Ended, IndexError):
            raise PlayoutError(
                f"that is no state of {self.rules.name!r}: its {len(events)} events cannot be played again; save one with State.to_json(), "
                "and take chance from the rng that is handed in"
            ) from None
        return self._keep(key, thing)


def course(state: Any) -> bytes:
    """The bytes of a record up to its last event."""
    if type(state) is Record:
        return state.course()
    raw: bytes = state._record.tobytes()
    return raw[: HEAD + 2 * (raw[0] | raw[1] << 8)]


def named(key: bytes, length: int) -> bytes:
    """The bytes of the first events of a course."""
    return length.to_bytes(HEAD, "little") + key[HEAD : HEAD + 2 * length]


def object_game(
    rules: Rules,
    *,
    players: int,
    actions: int,
    most_legal: int = 0,
    longest: int = LONGEST,
    hidden: bool = False,
    redraws: bool = False,
    file: str = "",
    shown: dict[str, Callable[..., Any]] | None = None,
    machine: bool = False,
    **declared: Any,
) -> Game:
    """A game out of rules over objects. `shown` has functions of a thing in place of a state: action_name, draw, svg, key, evaluate.

    With `machine` searches are compiled, and call back for the rules. Where something is `hidden` there is an observation, and it `redraws` worlds itself or leaves that to `by_rejection`.
    """
    if not 1 <= longest <= MOST_EVENTS:
        raise GameError(f"game {rules.name!r}: longest is {longest:,}; it must be from 1 to {MOST_EVENTS:,}")
    if actions > MOST_IDS:
        raise GameError(f"game {rules.name!r} has {actions:,} actions; at most {MOST_IDS:,} can be bridged")
    table = Table(rules, actions, min(actions, most_legal or actions), longest)
    names: dict[str, Any] = {
        "players": players,
        "actions": actions,
        "most_legal": table.most_legal,
        "State": np.dtype([("length", np.uint16), ("events", np.uint16, (max(longest, LEAST_EVENTS),))]),
        "compiled": False,
        "_objects": table,
        **_roles(table),
        **(_hiding(table, redraws) if hidden else {}),
        **declared,
    }
    for role, function in (shown or {}).items():
        names[role] = _SHOWN[role](table, function)
    game = Game(rules.name, names, file=file)
    if machine:
        table.number = int(blake2b(repr((rules.name, game.identity, game.parameters)).encode(), digest_size=7).hexdigest(), 16)
        table.machine = Machine(game, table)
    return game


def guarded(table: Table, what: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Let the table do something, one thread after the other; what goes wrong inside comes out as a sentence."""
    with table.lock:
        try:
            return function(*arguments)
        except (PlayoutError, Ended):
            raise
        except Exception as error:
            raise table.rules.failed(what, error) from error


def asked(table: Table, what: str, function: Callable[..., Any], state: Any, *arguments: Any) -> Any:
    """Ask the object of a state something."""
    return guarded(table, what, table.ask, function, state, *arguments)


def _roles(table: Table) -> dict[str, Callable[..., Any]]:
    rules = table.rules

    def start(state: Any, rng: Any) -> None:
        guarded(table, "the start", table.begin, state, rng)

    def play(state: Any, action: int, rng: Any) -> None:
        guarded(table, "apply", table.play, state, int(action), rng)

    def legal(state: Any, out: Any) -> int:
        ids: Sequence[int] = asked(table, "legal_actions", rules.legal, state)
        count = len(ids)
        if count > len(out):
            raise IndexError(f"{count} actions are legal")
        out[:count] = ids
        return count

    def mover(state: Any) -> int:
        found: int = asked(table, "current_player", rules.mover, state)
        return found

    def returns(state: Any, out: Any) -> None:
        out[:] = asked(table, "returns", rules.returns, state)

    return {"start": start, "play": play, "legal": legal, "mover": mover, "returns": returns}


def _hiding(table: Table, redraws: bool) -> dict[str, Callable[..., Any]]:
    rules = table.rules

    def observe(state: Any, player: int) -> None:
        """What a player sees, as 16 bytes in place of the course; equal for what it cannot tell apart."""
        seen = asked(table, "observation", rules.observation, state, int(player))
        events = state.events._array
        events[:] = 0
        events[:LEAST_EVENTS] = np.frombuffer(blake2b(seen, digest_size=2 * LEAST_EVENTS).digest(), np.uint16)
        state.length = 0

    def determinize(state: Any, player: int, rng: Any) -> None:
        guarded(table, "determinize", table.redraw, state, int(player), rng)

    return {"observe": observe, "determinize": determinize if redraws else by_rejection}


def _with_action(table: Table, function: Callable[..., Any]) -> Callable[..., Any]:
    def action_name(state: Any, action: int, viewer: int | None) -> str:
        return str(asked(table, "action_name", function, state, int(action)))

    return action_name


def _with_viewer(table: Table, function: Callable[..., Any]) -> Callable[..., Any]:
    def draw(state: Any, viewer: int | None) -> str:
        return str(asked(table, "the picture", function, state, viewer))

    return draw


def _as_number(table: Table, function: Callable[..., Any]) -> Callable[..., Any]:
    def key(state: Any) -> int:
        told = repr(asked(table, "key", function, state)).encode()
        return int.from_bytes(blake2b(told, digest_size=8).digest(), "little", signed=True)

    return key


def _as_values(table: Table, function: Callable[..., Any]) -> Callable[..., Any]:
    def evaluate(state: Any, out: Any) -> None:
        out[:] = asked(table, "evaluate", function, state)

    return evaluate


_SHOWN = {"action_name": _with_action, "draw": _with_viewer, "svg": _with_viewer, "key": _as_number, "evaluate": _as_values}
