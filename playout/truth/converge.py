"""Does a search get better with its budget? Right decisions where positions can be solved, agreement between seeds where not.

Positions come from games that are played partly at random and partly by a weak search. Each is solved, if that takes no longer than
stated, and then decided with every budget and several seeds. Positions are what is independent, so intervals draw whole positions again.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from playout.agents import Recipe, recipe
from playout.arena.intervals import bootstrap
from playout.arena.schedule import one_way
from playout.arena.tune import with_options
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.load import load_listed
from playout.game.state import State
from playout.game.stream import PICKS, Stream
from playout.truth.perfect.position import solve_position

DEFAULT_BUDGETS = (100, 200, 400, 800, 1600, 3200, 6400, 12800)
POSITIONS, SEEDS, PATIENCE = 40, 5, 1.0
WEAK = "uct:simulations=100"
"""Who plays to half of the positions."""
LONGEST = 2000
ATTEMPTS = 20
"""Games looked at for every position that is wanted."""
STEP = 2
"""Actions between the positions of a game that are tried one after the other."""

Show = Callable[[str, float], object]


class Asked(NamedTuple):
    """A position, and the actions that keep its value, where that is known."""

    state: State
    right: frozenset[int] | None


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """What one budget comes to."""

    agent: str
    budget: float
    right: float | None
    """The share of decisions that keep the value of the position, over those that are solved and where that can be missed."""
    right_low: float | None
    right_high: float | None
    agree: float | None
    """The chance that two seeds choose the same action, over all positions."""
    agree_low: float | None
    agree_high: float | None
    seconds: float
    """Per decision."""


class Convergence(msgspec.Struct, frozen=True, kw_only=True):
    """How decisions of an agent converge with its budget."""

    game: str
    agent: str
    option: str
    positions: int
    solved: int
    """Positions that were solved, with some actions better than others."""
    seeds: int
    seed: int
    by_chance: float | None
    """What choosing at random would get right."""
    stages: tuple[Stage, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data


def converge(
    game: Game | str,
    agent: str = "uct",
    *,
    budgets: Sequence[float] = DEFAULT_BUDGETS,
    option: str = "simulations",
    positions: int = POSITIONS,
    seeds: int = SEEDS,
    patience: float = PATIENCE,
    seed: int = 0,
    show: Show = lambda words, share: None,
) -> Convergence:
    """Decide positions of a game with growing budgets: `converge("connect-four", positions=20)`.

    `patience` is how many seconds a position may take to be solved.
    """
    for name, value, least in (("positions", positions, 2), ("seeds", seeds, 1)):
        if value < least:
            raise PlayoutError(f"{name} is {value}; give {least} or more")
    if not patience > 0:
        raise PlayoutError(f"patience is {patience:g} seconds; give a number above 0")
    rules = load_listed(game, "a study")
    recipes = [recipe(with_options(agent, {option: f"{budget:.10g}"}), rules) for budget in budgets]
    for each in recipes:
        each.prepare()
    asked, notes = _positions(rules, positions, patience, seed, show)
    stages = []
    for place, (made, budget) in enumerate(zip(recipes, budgets, strict=True)):
        show(f"{budget:,g} {option}", place / len(budgets))
        stages.append(_stage(made, budget, asked, seeds, seed))
    known = [len(each.right) / len(each.state.legal) for each in asked if each.right is not None]
    return Convergence(
        game=rules.spec,
        agent=agent,
        option=option,
        positions=len(asked),
        solved=len(known),
        seeds=seeds,
        seed=seed,
        by_chance=float(np.mean(known)) if known else None,
        stages=tuple(stages),
        notes=notes,
    )


def some_game(game: Game, number: int, seed: int) -> list[State]:
    """The positions of a game played at random or, if its number is odd, by a weak search after a third at random."""
    stream, weak = Stream(one_way(seed, number), PICKS), recipe(WEAK, game)
    course, length = [game.start(one_way(seed, number, 1))], 0
    third = LONGEST if number % 2 == 0 else len(_at_random(game, number, seed)) // 3
    while not course[-1].over and length < LONGEST:
        state = course[-1]
        action = state.random(stream) if length < third else weak.make(one_way(seed, number, 2)).act(state)
        course.append(state.play(action))
        length += 1
    return [state for state in course if not state.over]


def _at_random(game: Game, number: int, seed: int) -> list[State]:
    state, stream = game.start(one_way(seed, number, 1)), Stream(one_way(seed, number, 3), PICKS)
    course = [state]
    while not course[-1].over and len(course) < LONGEST:
        course.append(course[-1].play(course[-1].random(stream)))
    return course


def _positions(game: Game, wanted: int, patience: float, seed: int, show: Show) -> tuple[list[Asked], tuple[str, ...]]:
    """Of every game one position: from anywhere or, of two games in four, from as early as can be solved."""
    found: list[Asked] = []
    seen: set[bytes] = set()
    solver = _Solver(patience)
    for number in range(ATTEMPTS * wanted):
        if len(found) == wanted:
            break
        show("finding and solving positions", len(found) / wanted)
        course = [state for state in some_game(game, number, seed) if len(state.legal) > 1]
        if not course:
            continue
        place = Stream(one_way(seed, number, 5), PICKS).below(len(course))
        asked = solver.earliest(course, place) if number % 4 >= 2 else solver.ask(course[place])
        if asked is None or bytes(asked.state) in seen:
            continue
        seen.add(bytes(asked.state))
        found.append(asked)
    if not found:
        raise PlayoutError(f"no position of {game.spec} was found where there is anything to decide; study another game")
    return found, solver.notes()


class _Solver:
    """Positions with the actions that keep their value, and what was not found out."""

    def __init__(self, patience: float) -> None:
        self.patience, self.why_not, self.given_up, self.alike = patience, "", 0, 0

    def ask(self, state: State) -> Asked | None:
        """A position, solved if it can be; None where all its actions are equally good: nothing can go wrong, and nothing be learnt."""
        right = None
        if not self.why_not:
            try:
                right = _solved(state, self.patience)
            except PlayoutError as error:
                self.why_not = str(error)
        if right is not None and len(right) == len(state.legal):
            self.alike += 1
            return None
        self.given_up += right is None and not self.why_not
        return Asked(state, right)

    def earliest(self, course: Sequence[State], place: int) -> Asked | None:
        """The earliest position of a course that is solved in time, from a place on backwards: late ones are too easy to tell much."""
        best = None
        for state in course[place::-STEP]:
            asked = self.ask(state)
            if asked is not None and asked.right is None:
                return best or asked
            best = asked or best
        return best

    def notes(self) -> tuple[str, ...]:
        notes = [f"positions cannot be solved: {self.why_not}"] if self.why_not else []
        if self.given_up:
            notes.append(f"{self.given_up} positions were not solved within {self.patience:g} s each; --patience gives them more")
        if self.alike:
            notes.append(f"{self.alike} positions where all actions are equally good were left out")
        return tuple(notes)


def _solved(state: State, patience: float) -> frozenset[int] | None:
    """The actions that keep the value of a position; None where they are not known in time."""
    solved = solve_position(state, seconds=patience)
    values = {action.action: action.value for action in solved.actions}
    if None in values.values():
        return None
    best = max(value for value in values.values() if value is not None)
    return frozenset(action for action, value in values.items() if value == best)


def _stage(made: Recipe, budget: float, asked: Sequence[Asked], seeds: int, seed: int) -> Stage:
    right, agree = [], []
    began = time.perf_counter()
    for number, each in enumerate(asked):
        choices = Counter(made.make(one_way(seed, number, 4, k)).act(each.state) for k in range(seeds))
        if each.right is not None:
            right.append(sum(count for action, count in choices.items() if action in each.right) / seeds)
        if seeds > 1:
            agree.append(sum(count * (count - 1) for count in choices.values()) / (seeds * (seeds - 1)))
    seconds = (time.perf_counter() - began) / (len(asked) * seeds)
    middle, low, high = _mean(right)
    same, least, most = _mean(agree)
    return Stage(
        agent=made.name,
        budget=budget,
        right=middle,
        right_low=low,
        right_high=high,
        agree=same,
        agree_low=least,
        agree_high=most,
        seconds=seconds,
    )


def _mean(shares: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    """The mean over positions with its 95 % interval. Where all are alike, what so few can tell: as if each were one more yes or no."""
    if not shares:
        return None, None, None
    mean, low, high = bootstrap(np.array(shares)[:, None], lambda table: float(table.mean()))
    if low == high:
        from playout.intervals import wilson

        return mean, *wilson(float(np.sum(shares)), len(shares))
    return mean, low, high
