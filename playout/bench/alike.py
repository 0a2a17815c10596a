"""Are the rules the same over there? Random games on both boards at once, through the bridge: legal actions, movers, returns, and what is seen.

What a player can tell must be the same: two moments look alike to it here if and only if they do there. Chance is made to bring the same:
where a rule draws, every course that it could take is made, and the one with their cards is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from playout.bridges.twins import Twin, twin_of
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.history import History
from playout.game.load import load
from playout.game.state import State
from playout.game.stream import PICKS, Stream
from playout.game.tape import Tape, outcomes

GAMES = (
    "tic-tac-toe",
    "connect-four",
    "breakthrough:rows=6,columns=6",
    "hex:size=5",
    "othello",
    "kuhn-poker",
    "leduc-poker",
    "liars-dice:wild=true",
    "phantom-tic-tac-toe",
)
"""The games that are compared."""
DRAWN: dict[str, Callable[[Any], tuple[int, ...]]] = {
    "kuhn-poker": lambda s: (s.cards[0], s.cards[1]),
    "leduc-poker": lambda s: (s.cards[0], s.cards[1], *((s.board,) if s.board else ())),
    "liars-dice": lambda s: (s.dice[0, 0], s.dice[1, 0]),
}
"""What chance has brought, in the order in which it comes over there, counted from 1."""


class Compared(NamedTuple):
    """What was looked at without finding a difference."""

    games: int
    states: int
    views: int
    """Different things that a player could see."""


class Pairs:
    """What looks alike on one side must on the other."""

    def __init__(self) -> None:
        self._theirs: dict[Any, Any] = {}
        self._ours: dict[Any, Any] = {}

    def __len__(self) -> int:
        return len(self._ours)

    def add(self, ours: Any, theirs: Any, where: str) -> None:
        """One moment in the eyes of one player, on both sides."""
        if self._theirs.setdefault(ours, theirs) != theirs:
            raise PlayoutError(f"{where}: what looks alike here is told apart there, {self._theirs[ours]!r} and {theirs!r}")
        if self._ours.setdefault(theirs, ours) != ours:
            raise PlayoutError(f"{where}: what looks alike there, {theirs!r}, is told apart here")


class Comparison:
    """One game and its twin."""

    def __init__(self, spec: str) -> None:
        self.game = load(spec)
        twin = twin_of(self.game)
        if twin is None:
            raise PlayoutError(f"{spec} has no twin in OpenSpiel; those that have: {', '.join(GAMES)}")
        self.twin: Twin = twin
        self.theirs = load(f"openspiel:{twin.theirs}")
        self.pairs = Pairs()
        self.states = 0

    def play(self, seed: int) -> None:
        """One random game on both boards."""
        game, picks = self.game, Stream(seed, PICKS)
        theirs = self.theirs.start(seed)
        ours = _start(game, drawn_there(theirs)) if game.base in DRAWN else game.start(seed)
        history = History(ours)
        while not self.look(
            ours, theirs, history, f"{game.spec}, seed {seed}, {theirs.game.objects.thing(theirs.fields).history()}"
        ):
            action = theirs.random(picks)
            theirs = theirs.after(action)
            mover, mine = ours.mover, self.twin.ours(action)
            ours = self._after(ours, mine, theirs)
            history.play(mover, mine, ours)

    def look(self, ours: State, theirs: State, history: History, where: str) -> bool:
        """Compare one moment; whether the game is over."""
        self.states += 1
        if ours.mover != theirs.mover:
            raise PlayoutError(f"{where}: player {ours.mover} is to act here, and {theirs.mover} there")
        if ours.over:
            if ours.returns != theirs.returns:
                raise PlayoutError(f"{where}: the returns are {ours.returns} here and {theirs.returns} there")
            return True
        if sorted(ours.legal) != sorted(self.twin.ours(action) for action in theirs.legal):
            raise PlayoutError(f"{where}: legal are {sorted(ours.legal)} here and {sorted(theirs.legal)} there")
        thing = theirs.game.objects.thing(theirs.fields)
        if not self.game.hidden:
            self.pairs.add((ours.mover, ours.draw()), (theirs.mover, str(thing)), where)
            return False
        for player in range(self.game.players):
            # Whose turn it is everybody knows, though not every text over there says it.
            known = (player, ours.mover)
            self.pairs.add((*known, history.key(player)), (*known, thing.information_state_string(player)), where)
        return False

    def _after(self, ours: State, action: int, theirs: State) -> State:
        """The state after an action, with what chance brought over there."""
        after = ours.after(action)
        if self.game.base not in DRAWN or after.word == ours.word:
            return after
        wanted = drawn_there(theirs)

        def play(tape: Tape) -> State:
            array = ours.copy_array()
            self.game.functions["play"](self.game.view(array[0]), action, tape)
            return State(self.game, array, 1)

        for _, found in outcomes(play):
            if drawn_here(found) == wanted:
                return found
        raise PlayoutError(f"{self.game.spec}: chance cannot bring {wanted} here")


def drawn_here(state: State) -> tuple[int, ...]:
    """What chance has brought, counted from 1."""
    return DRAWN[state.game.base](state.fields)


def drawn_there(state: State) -> tuple[int, ...]:
    """The same over there."""
    return tuple(1 + event.action for event in state.game.objects.thing(state.fields).full_history() if event.player < 0)


@cache
def _starts(game: Game) -> dict[tuple[int, ...], State]:
    def deal(tape: Tape) -> State:
        state = game.start().copy_array()
        state.view("u1")[:] = 0
        game.functions["start"](game.view(state[0]), tape)
        return State(game, state, 1)

    return {drawn_here(state): state for _, state in outcomes(deal)}


def _start(game: Game, drawn: tuple[int, ...]) -> State:
    found = _starts(game).get(drawn)
    if found is None:
        raise PlayoutError(f"{game.spec}: chance cannot bring {drawn} here")
    return found


def compare(spec: str, games: int, seed: int = 0) -> Compared:
    """Play so many random games on both boards; a `PlayoutError` names the first difference."""
    comparison = Comparison(spec)
    for number in range(games):
        comparison.play(seed + number)
    return Compared(games, comparison.states, len(comparison.pairs))
