"""How good the greedy policy is: exact against random and perfect play and over every line, where the game can be enumerated;
sampled games with intervals where not. Each result says which."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import msgspec
import numpy as np

from playout.agents.tactic_agent import tactic
from playout.compile.holes import PLAYERS, legal, mover, play, returns, start, whole
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.stream import SAMPLED_GAMES, base_word, below, step_word
from playout.intervals import wilson
from playout.learning.episode import choose
from playout.learning.layout import BLANK, NOW
from playout.learning.learner import Values
from playout.truth.perfect.perfect import Perfect, solve
from playout.truth.perfect.positions import usual_most

SEATS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
SAMPLES = 2000


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """Shares of games won, drawn and lost; with 95 % intervals where they were sampled, without where exact.

    Won is a game with more than every other player, lost one in which another has more; alone, more or less than 0."""

    win: float
    draw: float
    loss: float
    win_interval: tuple[float, float] | None = None
    draw_interval: tuple[float, float] | None = None
    loss_interval: tuple[float, float] | None = None

    @property
    def points(self) -> float:
        """A draw as half a point."""
        return self.win + self.draw / 2

    def __str__(self) -> str:
        return f"{self.win:.4f} / {self.draw:.4f} / {self.loss:.4f}"


Seats = dict[str, Outcome]


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """The greedy policy as it is now."""

    exact: bool
    """Whether the game was enumerated; else the games were sampled."""
    games: int
    """Sampled games for each seat; 0 where exact."""
    losing_lines: list[int | None]
    """For each seat the lines of play, over all replies, in which the policy loses; None where they cannot be counted."""
    lines: list[int | None]
    """All lines of play of that seat."""
    against: dict[str, Seats | None]
    """"random" and "perfect", each by seat, and where games are sampled "tactic", who wins or blocks when it can; None where
    there is no such opponent."""
    value: list[float] | None = None
    """What each player gets with perfect play, where the game is solved."""
    why: str = ""
    """Why games were sampled."""


def matches(
    head: Any,
    table: Any,
    weights: Any,
    options: Any,
    states: Any,
    work: Any,
    shown: Any,
    marks: Any,
    seat: int,
    games: int,
    base: Any,
    tactical: bool,
    tally: Any,
) -> int:
    """Greedy games of one seat against random play, or against `tactic`: won, drawn and lost into `tally`."""
    head.epsilon = 0.0
    for game in range(games):
        work.rng.word = step_word(base, game)
        states[NOW] = states[BLANK]
        start(states[NOW], work.rng)
        player = whole(mover(states[NOW]))
        while player >= 0 and head.trouble == 0:
            if player == seat:
                action = choose(head, table, weights, options, states, work, shown, marks, player)
            elif tactical:
                action = whole(tactic(states, work.ids, work.replies, work.total, work.rng))
            else:
                count = whole(legal(states[NOW], work.ids))
                action = whole(work.ids[below(work.rng, count)])
            play(states[NOW], action, work.rng)
            player = whole(mover(states[NOW]))
        returns(states[NOW], work.total)
        best = 0.0 if PLAYERS == 1 else work.total[1 if seat == 0 else 0]
        for other in range(PLAYERS):
            if other != seat:
                best = max(best, work.total[other])
        tally[0 if work.total[seat] > best else 2 if work.total[seat] < best else 1] += 1
    return games


class Judge:
    """Evaluates policies of one game; what it takes to do so exactly is computed once."""

    def __init__(self, game: Game, *, symmetric: bool, most: int | None = None) -> None:
        self.game, self.symmetric, self.most = game, symmetric, most or usual_most(game)
        self.why = "that was asked for"

    @cached_property
    def solved(self) -> Perfect | None:
        """The game enumerated and solved; None where that is not possible."""
        try:
            return solve(self.game, symmetric=self.symmetric, most=self.most)
        except PlayoutError as error:
            self.why = str(error)
            return None

    def evaluate(self, values: Values, games: int = SAMPLES) -> Evaluation:
        """The greedy policy of these values."""
        return self.sample(values, games) if self.solved is None else self._exact(values, self.solved)

    def _exact(self, values: Values, solved: Perfect) -> Evaluation:
        p, seats = solved.positions, range(self.game.players)
        edges = len(p.action) - 1
        share = solved.greedy(np.concatenate([[0.0], values.rate_states(p.nodes, edges)]))
        lines = [solved.losing_lines(seat, share) for seat in seats]
        against: dict[str, Seats | None] = {}
        for name, others in (("random", solved.uniform), ("perfect", solved.best)):
            against[name] = {SEATS[seat]: Outcome(*solved.outcome(seat, share, others)) for seat in seats}
        if self.game.players == 1:
            against["perfect"] = None
        return Evaluation(
            exact=True,
            games=0,
            losing_lines=[None if found is None else found[0] for found in lines],
            lines=[None if found is None else found[1] for found in lines],
            against=against,
            value=list(solved.value),
        )

    def sample(self, values: Values, games: int = SAMPLES) -> Evaluation:
        """The same by sampled games."""
        seats = range(self.game.players)
        against: dict[str, Seats | None] = {
            name: {SEATS[seat]: _shares(sampled(values, seat, games, name == "tactic"), games) for seat in seats}
            for name in (("random", "tactic") if self.game.players > 1 else ("random",))
        }
        nothing: list[int | None] = [None] * self.game.players
        return Evaluation(
            exact=False,
            games=games,
            losing_lines=nothing,
            lines=nothing,
            against={**against, "perfect": None},
            why=self.why,
        )


def sampled(values: Values, seat: int, games: int, tactical: bool) -> list[int]:
    """Games of one seat against random play, or against `tactic`: how many were won, drawn and lost."""
    tally = np.zeros(3, np.int64)
    base = np.uint64(base_word(values.settings.seed, SAMPLED_GAMES + seat))
    with np.errstate(over="ignore"):
        values.binding.kernel(matches)(*values._asked(), seat, games, base, tactical, tally)
    values.report_trouble()
    return [int(count) for count in tally]


def _shares(tally: list[int], games: int) -> Outcome:
    win, draw, loss = (count / games for count in tally)
    return Outcome(win, draw, loss, *(wilson(count, games) for count in tally))
