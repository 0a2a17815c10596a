"""Putting questions about positions to the kernels, in slices, within a budget.

Every question is whether player 0 gets more than a number: the other's loss is its gain. A value is enclosed by such questions, asked at
the results that ends were seen to have (Plaat, Schaeffer, Pijls and de Bruin, "Best-first fixed-depth minimax algorithms", 1996).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from playout.compile import bind
from playout.engine.trouble import Words, told
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.state import State
from playout.truth.perfect import entries
from playout.truth.perfect.alpha_beta import alpha_beta
from playout.truth.perfect.perfect import REPEAT
from playout.truth.perfect.proof_number import proof_number
from playout.truth.perfect.room import BEGIN, MOST_VALUES, longest_path, make_room

SLICE_SECONDS = 0.05
"""How long a kernel runs before Python looks at the clock, at Ctrl-C and at whoever watches."""
FIRST_SLICE, LONGEST_SLICE = 1_000, 1_000_000

WRONG: dict[int, Words] = {
    entries.NO_NUMBER: lambda game, value: f"returns gave {value.tolist()}, which is not a finite number for every player",
    entries.BEYOND: lambda game, value: f"returns gave {value.tolist()}, outside the returns_range of {game.returns_range}",
    entries.BAD_LEGAL: lambda game, value: (
        f"legal gave no action, or more than the {game.most_legal} that most_legal allows, though mover says that the game goes on"
    ),
    entries.BAD_ACTION: lambda game, value: (
        f"legal gave an id that is not from 0 to {game.actions - 1}; raise actions, or correct the id"
    ),
    entries.BAD_MOVER: lambda game, value: f"mover named a player beyond the {game.players} that the game declares",
}
"""What a game may do wrong; the rest is what this way to solve cannot do."""


MOST_QUESTIONS = 256
"""Questions that the table of proof numbers tells apart; then it is emptied."""
FIRST_TURN = 2_000_000
"""Positions that one way may visit before the other has its turn with the same question; twice as many in every further turn."""


class HasChance(PlayoutError):
    """An action drew chance, so a position is not won or lost for certain."""


class TooManyResults(PlayoutError):
    """Games end in too many ways to ask about one at a time."""


class Spent(Exception):
    """The budget is used up; the reason is "seconds", "nodes", or "share" for a part of it."""


class Known:
    """What is known of a value: what player 0 gets lies from `low` to `high`."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    @property
    def exact(self) -> bool:
        return self.low >= self.high


class Purse:
    """A budget and what was spent of it."""

    def __init__(self, seconds: float | None, nodes: int | None, clock: Callable[[], float] = time.perf_counter) -> None:
        self.seconds, self.nodes, self.clock = seconds, nodes, clock
        self.began, self.visited = clock(), 0
        self._slice = FIRST_SLICE

    @property
    def spent(self) -> float:
        return self.clock() - self.began

    def slice(self, most: int) -> int:
        """How many positions to visit next; raises when nothing is left."""
        if self.seconds is not None and self.spent >= self.seconds:
            raise Spent("seconds")
        left = LONGEST_SLICE if self.nodes is None else self.nodes - self.visited
        if left <= 0:
            raise Spent("nodes")
        if most <= 0:
            raise Spent("share")
        return min(self._slice, left, most)

    def pay(self, visited: int, seconds: float) -> None:
        """Note what a slice took, and how long the next may be."""
        self.visited += visited
        if seconds < SLICE_SECONDS / 2:
            self._slice = min(2 * self._slice, LONGEST_SLICE)
        elif seconds > 2 * SLICE_SECONDS:
            self._slice = max(self._slice // 2, 100)


def next_question(values: list[float], known: Known) -> float:
    """Where to divide what is not known, by the results that were seen."""
    inside = [v for v in values if known.low <= v < known.high]
    if inside:
        return inside[len(inside) // 2]
    if math.isfinite(known.low) and math.isfinite(known.high):
        return (known.low + known.high) / 2
    if math.isfinite(known.low):
        return known.low
    return 0.0 if known.high > 0 else math.nextafter(known.high, -math.inf)


def below(values: list[float], value: float) -> float:
    """The question whether player 0 gets at least a value, as one of getting more than something."""
    return max((v for v in values if v < value), default=math.nextafter(value, -math.inf))


class Asker:
    """One game, one table, one way to answer questions; what it found out stays in the table for the next question."""

    kernel: Any = staticmethod(alpha_beta)
    method = "alpha-beta"

    def __init__(self, game: Game, *, memory: float, compiled: bool, by_state: bool) -> None:
        self.game, self.purse = game, Purse(None, None)
        self.room = make_room(game, compiled, memory, by_state, kids=self.kernel is proof_number)
        self._go = bind(game, compiled).kernel(self.kernel)
        # Compiled, or loaded from the cache, before a clock runs.
        self._go(self.room, 0)
        self.head = self.room.head[0]
        self.on_slice: Callable[[], None] = lambda: None
        self._window = 0.0, 0.0

    @property
    def values(self) -> list[float]:
        """The results of ends that were seen, ascending; none where there are too many to tell apart."""
        return [] if self.many else sorted(self.room.values[: int(self.head["values"])].tolist())

    @property
    def many(self) -> bool:
        """Whether there are too many results to tell apart."""
        return int(self.head["values"]) > MOST_VALUES

    @property
    def total(self) -> float:
        """What the returns of both players add up to; not a number before an end was seen."""
        return float(self.head["total"])

    @property
    def filled(self) -> float:
        """The share of the table that is in use."""
        return float(self.head["filled"]) / len(self.room.table)

    # questions

    def ask(self, state: State, over: float, known: Known, most: int = 1 << 62) -> int:
        """Whether player 0 gets more than `over`, at the cost of so many positions at most: narrows what is known.

        Returns the action that shows it; -1 where none does, since all had to be tried.
        """
        self.put(state, over, known)
        visited = 0
        while True:
            count = self.purse.slice(most - visited)
            before, began = int(self.head["nodes"]), self.purse.clock()
            with np.errstate(over="ignore"):
                done = self._go(self.room, count)
            passed = int(self.head["nodes"]) - before
            visited += passed
            self.purse.pay(passed, self.purse.clock() - began)
            self.report_trouble()
            self.on_slice()
            if done:
                return self.learn(state, over, known)

    def put(self, state: State, over: float, known: Known) -> None:
        """Set the question up. Where results are too many to ask about one by one, the window is all that is not known yet."""
        low, high = over, math.nextafter(over, math.inf)
        if self.many:
            low, high = min(low, known.low), max(high, known.high)
        self._window = low, high
        root = self.set_up(state)
        root["low"], root["high"] = (low, high) if state.mover == 0 else (-high, -low)

    def set_up(self, state: State) -> Any:
        """A path that has only begun; its first ply."""
        room, root = self.room, self.room.plies[0]
        room.states[0] = state.fields if isinstance(self.head, np.record) else state.copy_array()[0]
        room.path.fill(0)
        root["first"], root["mover"] = 0, state.mover
        self.head["ply"], self.head["move"] = BEGIN, -1
        return root

    def learn(self, state: State, over: float, known: Known) -> int:
        """Read the answer; the search is fail-soft, so it says more than was asked."""
        bound = float(self.head["answer"]) * (1.0 if state.mover == 0 else -1.0) + 0.0
        low, high = self._window
        if bound > low:
            known.low = max(known.low, bound)
        if bound < high:
            known.high = min(known.high, bound)
        return int(self.head["move"])

    # trouble

    def report_trouble(self) -> None:
        """Say in a sentence what cannot be solved, or what the game did wrong."""
        code, at, game = int(self.head["trouble"]), int(self.head["at"]), self.game
        if code == 0:
            return
        if code == entries.CHANCE:
            raise HasChance(
                f"chance has a say in {game.spec}, and a position of it is not won or lost for certain; playout search weighs "
                "chances, and playout solve without a budget solves small games of chance whole"
            )
        if code == entries.REPEATED:
            raise PlayoutError(
                f"{game.spec} can return to a position on the way, and what that is worth this solver does not decide; {REPEAT}"
            )
        if code == entries.TOO_DEEP:
            raise PlayoutError(
                f"a line of {game.spec} has over {min(at, longest_path(game)):,} actions, too many for this solver; "
                "end the game at a limit, or use playout search"
            )
        if code == entries.NOT_ZERO_SUM:
            raise PlayoutError(
                f"{game.spec} is not zero-sum: games end with returns that add up to {self.total:g} and to "
                f"{float(np.sum(self.room.out)):g}; perfect play needs players who want the opposite"
            )
        array = np.zeros(1, game.dtype)
        array.view(np.uint64)[:] = self.room.raw[at]
        raise told(WRONG, code, State(game, array, 1), self.room.out)


class ProofAsker(Asker):
    """The same by proof numbers. An answer is yes or no, and the results that were seen make a bound of it: a proof rests on ends whose
    results are over the number, and so is worth the least of those."""

    kernel: Any = staticmethod(proof_number)
    method = "proof-number"

    def __init__(self, game: Game, *, memory: float, compiled: bool, by_state: bool) -> None:
        super().__init__(game, memory=memory, compiled=compiled, by_state=by_state)
        self._questions: dict[float, int] = {}

    def put(self, state: State, over: float, known: Known) -> None:
        self.set_up(state)
        if len(self._questions) == MOST_QUESTIONS and over not in self._questions:
            self.room.table["work"] = 0
            self.head["filled"] = 0
            self._questions.clear()
        self.head["question"] = self._questions.setdefault(over, len(self._questions))
        self.head["over"] = over

    def learn(self, state: State, over: float, known: Known) -> int:
        if self.many:
            raise TooManyResults(
                f"{self.game.spec} ends with over {MOST_VALUES} different results, and proof-number search asks about one at a time; "
                "use the method alpha-beta"
            )
        if self.head["answer"] > 0:
            known.low = max(known.low, min(v for v in self.values if v > over))
        else:
            known.high = min(known.high, max(v for v in self.values if v <= over))
        return int(self.head["move"])


class BothAsker:
    """Both ways in turn, each with half of the memory: which one is quicker differs from position to position.

    Proof numbers begin; alpha-beta is made ready when they were not enough. A turn begins the question anew, but for what the table knows.
    """

    method = "auto"

    def __init__(self, game: Game, *, memory: float, compiled: bool, by_state: bool) -> None:
        self.purse = Purse(None, None)
        self.on_slice: Callable[[], None] = lambda: None
        self._kinds: list[type[Asker]] = [ProofAsker, Asker]
        self._make: Callable[[type[Asker]], Asker] = lambda kind: kind(
            game, memory=memory / 2, compiled=compiled, by_state=by_state
        )
        self._made: list[Asker] = [self._make(ProofAsker)]

    def ask(self, state: State, over: float, known: Known, most: int = 1 << 62) -> int:
        """As one asker does."""
        turn, visited = FIRST_TURN, self.purse.visited
        while True:
            for kind in self._kinds:
                try:
                    return self._asker(kind).ask(state, over, known, min(turn, most - self.purse.visited + visited))
                except Spent as spent:
                    if str(spent) != "share" or self.purse.visited - visited >= most:
                        raise
                except TooManyResults:
                    self._kinds = [Asker]
            turn *= 2

    def prepare(self) -> None:
        """Make both ways ready now, for those whose clock must not wait for the second."""
        for kind in self._kinds:
            self._asker(kind)

    def _asker(self, kind: type[Asker]) -> Asker:
        found = next((asker for asker in self._made if type(asker) is kind), None)
        if found is None:
            began = self.purse.clock()
            found = self._make(kind)
            # Compiling is not solving.
            self.purse.began += self.purse.clock() - began
            self._made.append(found)
        found.purse, found.on_slice = self.purse, self.on_slice
        return found

    @property
    def values(self) -> list[float]:
        """The results of ends that were seen; none where there are too many to tell apart."""
        many = any(asker.many for asker in self._made)
        return [] if many else sorted({value for asker in self._made for value in asker.values})

    @property
    def total(self) -> float:
        """As of one asker."""
        return next((asker.total for asker in self._made if math.isfinite(asker.total)), math.nan)

    @property
    def filled(self) -> float:
        """The share of both tables that is in use."""
        return sum(asker.filled for asker in self._made) / 2
