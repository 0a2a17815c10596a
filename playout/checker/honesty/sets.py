"""Information sets of small games, enumerated: every state that a player cannot tell from the true one, with its weight.

The states come from the game alone: all its starts, then all that chance and the other players can do, kept where the
player's history (its own actions, and the observation whenever it changes) is the same. The sampler under test has no part.
A game with few starts has them listed once. Of one with millions a start is drawn for every walk, and machine code finds
those that look like it to the player (`honesty_starts`).

How likely a world is depends on how the others play, which rules do not say. Two conventions are counted along: with
*chance alone* an action says no more than that it was possible (each course of the draws that can lead to a world counts
once, whatever hidden actions it took); with *random play* the others choose among their legal actions with equal chances.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.checker.honesty.lines import ACTS, OVER, WAITS
from playout.checker.honesty.report import clock
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.history import acted, beginning, fold, saw
from playout.game.state import State
from playout.game.stream import Stream
from playout.game.tape import Tape, outcomes

if TYPE_CHECKING:
    from playout.checker.honesty.starts import Starts

Draws = tuple[int, ...]
Weight = list[float]
"""Of one course of the draws that leads to a state: its chance, and that times the chance of the others' random actions."""
Members = dict[tuple[bytes, Draws], Weight]


FEW_STARTS = 10_000
"""Up to so many are listed uncompiled; more are gone through in machine code, which has to be compiled first."""
MOST_STARTS = 5_000_000
"""Ten cards in every order are 3,628,800."""


class TooBig(Exception):
    """More states than are wanted."""


class Patient:
    """A tape that gives up: a loop that draws until something fits has a course that never ends."""

    MOST = 1000

    def __init__(self, tape: Tape) -> None:
        self.tape = tape

    def below(self, n: int) -> int:
        if len(self.tape.drawn) > self.MOST:
            raise TooBig("it draws again and again until something fits, which has no last course")
        return self.tape.below(n)

    def uniform(self) -> float:
        return self.tape.uniform()

    @property
    def word(self) -> int:
        return self.tape.word


class InfoSet:
    """What a player takes for possible at one moment, and one way to get there."""

    def __init__(
        self,
        game: Game,
        player: int,
        members: Members,
        truth: bytes,
        story: str,
        key: bytes,
        stands: str = ACTS,
        sure: bool = True,
        later: bool = True,
    ) -> None:
        self.game, self.player, self.members, self.truth, self.story = game, player, members, truth, story
        self.key, self.stands, self.sure, self.later = key, stands, sure, later
        """`key` names the set; `sure` is False where a player who waits might take the others to be an action further; `later`: the player
        has seen something earlier that it does not see now, or acted."""

    def state(self, record: bytes) -> State:
        return State(self.game, np.frombuffer(record, self.game.dtype).copy(), 1)

    def states(self) -> list[bytes]:
        """The different states, in a fixed order."""
        return sorted({record for record, _ in self.members})

    def weights(self, convention: int) -> dict[bytes, float]:
        """How likely each state is: convention 0 is chance alone, 1 random play."""
        total: dict[bytes, float] = {}
        for (record, _), weight in self.members.items():
            total[record] = total.get(record, 0.0) + weight[convention]
        whole = sum(total.values())
        return {record: weight / whole for record, weight in total.items()}

    def __str__(self) -> str:
        return f"for player {self.player}, {self.stands}, in the state {self.story} ({fields(self.game, self.truth)})"


def fields(game: Game, record: bytes) -> str:
    from playout.checker.contract.findings import fields_text

    return fields_text(np.frombuffer(record, game.dtype)[0])


class Sets:
    """Walks along the information sets of one player, within so many seconds (compiling not counted)."""

    def __init__(self, game: Game, most: int, seconds: float, compiled: bool = True) -> None:
        self.game, self.most, self.spent = game, most, 0
        first = Tape()
        self._begin(first)
        if first.chance * MOST_STARTS < 1:
            raise TooBig(f"the game can start in about {1 / first.chance:.2g} ways")
        if first.chance * FEW_STARTS < 1 and not compiled:
            raise TooBig(f"the game can start in about {1 / first.chance:.2g} ways, and nothing was to be compiled")
        self._many = _compiled(game, most) if first.chance * FEW_STARTS < 1 else None
        self.deadline = clock() + seconds
        self._starts = self._list() if self._many is None else {}
        self._first: dict[int, dict[bytes, Members]] = {}

    def _list(self) -> Members:
        found: Members = {}
        for count, (tape, state) in enumerate(_courses(self._begin)):
            if count >= self.most:
                raise TooBig(f"the game can start in over {self.most:,} ways")
            if clock() > self.deadline:
                raise TooBig("there was no time to list every start")
            found[bytes(state), tuple(tape.drawn)] = [tape.chance, tape.chance]
        return found

    def _begin(self, tape: Tape) -> State:
        array = np.zeros(1, self.game.dtype)
        self.game.functions["start"](self.game.view(array[0]), Patient(tape))
        return State(self.game, array, 1)

    def walk(self, player: int, picks: Stream) -> Iterator[InfoSet]:
        """The information sets of a player along one game, chosen by `picks`: at its own decisions, while others act, at the end."""
        self.spent = 0
        actions: list[str] = []
        key, looks = beginning(player), 0
        later = self._begun(player, picks)
        while later:
            looks += 1
            seen = _pick({seen: sum(weight[0] for weight in group.values()) for seen, group in later.items()}, picks)
            key = saw(key, b"", seen)
            words = f"action{'s' * (len(actions) != 1)} {', '.join(actions)}"
            story = f"reached with its own {words}" if actions else "before its first action"
            own, later, waits, ends = self._closure(later[seen], player, seen)
            groups = [(own, ACTS, True), (ends, OVER, True), *((wait, WAITS, len(waits) == 1) for wait in waits)]
            for number, (members, stands, sure) in enumerate(groups):
                if members:
                    truth = _pick({record: weight[0] for (record, _), weight in members.items()}, picks)
                    named = fold(key, b"w", bytes([number])) if stands == WAITS else fold(key, b"s", stands.encode())
                    yield InfoSet(self.game, player, members, truth, story, named, stands, sure, looks > 1)
            if own and not (later and picks.below(3) == 0):
                truth = _pick({record: weight[0] for (record, _), weight in own.items()}, picks)
                state = self._state(truth)
                action = state.legal[picks.below(len(state.legal))]
                actions.append(state.name(action, player))
                key = acted(key, action)
                later = self._act(own, action, player)

    def _begun(self, player: int, picks: Stream) -> dict[bytes, Members]:
        """The starts by what the player sees of them: all, or those that look like one that was drawn."""
        if self._many is not None:
            truth = self.game.start(picks.next() >> 3)
            seen = truth.observed(player)
            return {seen: self._alike(self._many, player, seen)}
        if player not in self._first:
            groups: dict[bytes, Members] = {}
            for key, weight in self._starts.items():
                groups.setdefault(self._look(key[0], player), {})[key] = weight
            self._first[player] = groups
        return self._first[player]

    def _alike(self, starts: Starts, player: int, seen: bytes) -> Members:
        found = starts.like(player, seen, self.deadline)
        if isinstance(found, str):
            raise TooBig(found)
        members: Members = {}
        for draws in found:
            tape = Tape(draws)
            state = self._begin(tape)
            if state.observed(player) != seen:
                raise TooBig("start or observe does something else compiled than uncompiled")
            members[bytes(state), draws] = [tape.chance, tape.chance]
        return members

    def _closure(
        self, members: Members, player: int, seen: bytes
    ) -> tuple[Members, dict[bytes, Members], list[Members], Members]:
        """Let the others act while the player sees no change.

        The members in which the player is to act, by observation what else can come, those in which others are to act, by how many
        actions they have played, and those in which the game is over.
        """
        own: Members = {}
        ends: Members = {}
        waits: list[Members] = []
        later: dict[bytes, Members] = {}
        waiting = dict(members)
        while waiting:
            found: Members = {}
            others: Members = {}
            for (record, draws), weight in waiting.items():
                state = self._state(record)
                if state.mover == player:
                    _add(own, (record, draws), weight)
                elif state.over:
                    _add(ends, (record, draws), weight)
                else:
                    others[record, draws] = weight
                    for action in state.legal:
                        for key, chance in self._play(state, action, draws):
                            looks = self._look(key[0], player)
                            into = found if looks == seen else later.setdefault(looks, {})
                            _add(into, key, [weight[0] * chance, weight[1] * chance / len(state.legal)])
            if others:
                waits.append(others)
            # Each round is one action further, so a state that comes again by another number of actions is another course.
            waiting = found
        return own, later, waits, ends

    def _act(self, members: Members, action: int, player: int) -> dict[bytes, Members]:
        later: dict[bytes, Members] = {}
        for (record, draws), weight in members.items():
            for key, chance in self._play(self._state(record), action, draws):
                _add(later.setdefault(self._look(key[0], player), {}), key, [part * chance for part in weight])
        return later

    def _play(self, state: State, action: int, draws: Draws) -> Iterator[tuple[tuple[bytes, Draws], float]]:
        def step(tape: Tape) -> State:
            self.spent += 1
            if self.spent > self.most or clock() > self.deadline:
                raise TooBig(f"over {self.most:,} states")
            array = state.copy_array()
            self.game.functions["play"](self.game.view(array[0]), action, Patient(tape))
            return State(self.game, array, 1)

        for tape, after in _courses(step):
            yield (bytes(after), draws + tuple(tape.drawn)), tape.chance

    def _state(self, record: bytes) -> State:
        return State(self.game, np.frombuffer(record, self.game.dtype).copy(), 1)

    def _look(self, record: bytes, player: int) -> bytes:
        array = np.frombuffer(record, self.game.dtype).copy()
        self.game.functions["observe"](self.game.view(array[0]), player)
        return array.tobytes()


def _compiled(game: Game, most: int) -> Starts:
    # Here and not above: the compiler takes a while to load.
    from playout.checker.honesty.starts import Starts

    try:
        return Starts(game, most)
    except PlayoutError as reason:
        raise TooBig(f"the game can start in over {FEW_STARTS:,} ways, and is not compiled: {reason}") from None


def _add(members: Members, key: tuple[bytes, Draws], weight: Weight) -> None:
    """By chance alone one course counts once, whichever actions it took; random play adds up over them."""
    old = members.get(key)
    members[key] = list(weight) if old is None else [max(old[0], weight[0]), old[1] + weight[1]]


def _courses(run: Any) -> Iterator[tuple[Tape, State]]:
    tapes: list[Tape] = []

    def kept(tape: Tape) -> State:
        tapes.append(tape)
        state: State = run(tape)
        # `outcomes` takes the draws apart when it goes on.
        copy = Tape(tape.told)
        copy.drawn, copy.sizes = list(tape.drawn), list(tape.sizes)
        tapes[-1] = copy
        return state

    for _, state in outcomes(kept):
        yield tapes.pop(), state


def _pick(weights: dict[bytes, float], picks: Stream) -> bytes:
    left = picks.uniform() * sum(weights.values())
    for name, weight in weights.items():
        left -= weight
        if left < 0:
            return name
    return name


def exact_worlds(game: Game, record: bytes, player: int, most: int) -> dict[bytes, float] | None:
    """Every world that determinize can give, with its probability; None where chance takes too many courses."""
    state = State(game, np.frombuffer(record, game.dtype).copy(), 1)

    def draw(tape: Tape) -> bytes:
        array = state.copy_array()
        game.functions["determinize"](game.view(array[0]), player, Patient(tape))
        return array.tobytes()

    found: dict[bytes, float] = {}
    try:
        for count, (chance, world) in enumerate(itertools.islice(outcomes(draw), most + 1)):
            if count == most:
                return None
            found[world] = found.get(world, 0.0) + chance
    except (PlayoutError, TooBig):
        return None
    return found
