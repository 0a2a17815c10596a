"""A teacher in thousands of games at once: what `Teacher.play` says of them, one by one, on the cores or on a GPU.

    rows = selfplay_data("connect-four", "uct:simulations=800", games=10_000, device="cuda")

Positions, shares of visits, values and results are the rows that a network learns from (`row_dtype`); as files they are lessons, made by
`teach(..., device="cuda")`, the same to the last bit as those that processes make.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from playout.arena.abreast import SideBySide
from playout.arena.referee import Rules
from playout.arena.wave import Wave
from playout.compile.devices import Device, device_named
from playout.engine import layout
from playout.engine.rules import rule_named
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.load import load
from playout.game.stream import seed_word
from playout.learning.network.imitate import Teacher
from playout.learning.network.taught import Taught, rows_taught
from playout.planner.choices import Listed
from playout.planner.improved import chances

Array = np.ndarray[Any, Any]
LONGEST = 60_000


class Lesson(msgspec.Struct, frozen=True):
    """A game that a teacher plays with itself, as the arena's waves take it."""

    number: int
    deal: int
    seats: tuple[int, ...]
    base: int

    def agent_seed(self, seat: int) -> int:
        """Of the teacher in a seat."""
        return self.base + seat


class Lectures(Wave):
    """A wave that keeps what the teacher said of every decision with a choice."""

    teacher: Teacher
    asks_always = False

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        count = len(self.fixtures)
        player = self.all.players[0]
        self.race = player is not None and rule_named(player.forest.settings.at_root).race
        self.said: list[Taught] = [Taught(self.fixtures[row].deal, [], [], [], []) for row in range(count)]

    def _lot(self, fixture: Lesson) -> int:
        return seed_word(fixture.base)

    def _said(self, rows: Array, trees: Array, actions: Array, found: Listed, edges: Any) -> None:
        proven = (edges.root_tags[trees] & layout.PROVEN) != 0
        chosen = (found.ids == actions[:, None]) & found.legal
        visits = np.where(found.legal, found.visits, 0.0)
        total = visits.sum(axis=1)
        only = proven | (total == 0)
        told = chances(visits, found.scores, found.squares, chosen) if self.race else visits / np.maximum(1.0, total)[:, None]
        shares = np.where(only[:, None], chosen, told)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = np.where(
                proven[:, None], edges.root_values[trees], edges.root_scores[trees] / edges.root_visits[trees][:, None]
            )
        player = self.all.players[0]
        if player is not None and player.forest.settings.reward:
            # What a search is told to go by need not be what the game pays, nor what it proves.
            values, proven = np.full_like(values, np.nan), np.zeros_like(proven)
        counts = self.counts[rows]
        for place in np.flatnonzero(counts > 1):
            taught = self.said[rows[place]]
            taught.shares.append(shares[place, : counts[place]])
            taught.values.append(values[place])
            taught.proven.append(bool(proven[place]))

    def _record(self, row: int, ended: str, error: str) -> tuple[int, Taught]:
        if ended != "over":
            raise PlayoutError(f"a game of the teacher is {error}, which is too long to learn from")
        taught = self.said[row]._replace(actions=self.columns["moves"][row, : self.plies[row]].tolist())
        return self.fixtures[row].number, taught

    def _alone(self) -> list[tuple[int, Taught]]:
        rows, self.left_alone = self.left_alone, []
        return [(number, self.teacher.play(number)) for number in (self.fixtures[row].number for row in rows)]


def lectures(teacher: Teacher, device: Device, numbers: Sequence[int]) -> Iterator[list[tuple[int, Taught]]]:
    """The games of a teacher by number, with what it said, as they end."""

    def lesson(number: int) -> Lesson:
        return Lesson(number, teacher.deal(number), (0,) * teacher.game.players, teacher.base(number))

    kind = type("Lectures", (Lectures,), {"teacher": teacher})
    rules, recipes = Rules(most_actions=LONGEST), [teacher.recipe]
    games = SideBySide(lesson, teacher.game, recipes, device, rules=rules, compiled=teacher.compiled, kind=kind)
    if games.players[0] is None:
        raise PlayoutError(f"teacher is {teacher.recipe.name!r}, which does not search: leave device out")
    yield from games.games(numbers)


def selfplay_data(
    game: Game | str,
    agent: str,
    *,
    games: int,
    device: str = "auto",
    seed: int = 0,
    compiled: bool = True,
    show: Callable[[int, int], None] | None = None,
) -> Array:
    """Positions that an agent decided in games with itself, with shares of visits, values and results: one row for each decision.

    >>> rows = selfplay_data("tic-tac-toe", "uct:simulations=20", games=2, device="cpu", compiled=False)
    >>> sorted(rows.dtype.names)
    ['count', 'ids', 'left', 'mover', 'returns', 'shares', 'state', 'values']
    """
    if games < 1:
        raise PlayoutError(f"games is {games}; give a whole number, 1 or more")
    rules, found = load(game), dict[int, Taught]()
    for part in lectures(Teacher(rules, agent, games, seed, compiled), device_named(device), range(games)):
        found.update(part)
        if show is not None:
            show(len(found), games)
    return rows_taught(rules, [found[number] for number in range(games)], compiled)
