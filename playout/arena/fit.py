"""Finding the settings for one game and one budget, within a stated time: `playout fit`.

Every candidate is made of one level of each choice in `choices.CHOICES` and plays against "auto". Levels are judged by all games of the
candidates that had them, so every game tells something of every choice; after each of a few rounds the worse half of the levels is
dropped (successive halving: Karnin, Koren and Somekh 2013). What is left plays fresh games, and only those are reported: when they do
not show that it is better, nothing is kept.
"""

from __future__ import annotations

import contextlib
import math
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from playout.agents import recipe
from playout.arena.choices import Choice, choices
from playout.arena.columns import Columns, read_columns
from playout.arena.counts import counted_by
from playout.arena.crew import Staff
from playout.arena.experiment import plan
from playout.arena.openings import openings_of
from playout.arena.referee import Rules
from playout.arena.schedule import Schedule
from playout.arena.standings import PairRow
from playout.arena.tournament import Tournament
from playout.arena.tune import surely_better, with_options
from playout.arena.words import counted
from playout.compile.digest import rules as rules_digest
from playout.cores import usable_cores
from playout.errors import PlayoutError
from playout.files import owned
from playout.game.game import Game
from playout.game.load import load_listed
from playout.game.stream import FIT_DEALS, FIT_DESIGN, Stream, base_word
from playout.planner.fit import Fit, Level, keep, limits_of, pace
from playout.planner.words import spelled

SECONDS, MOVE_SECONDS = 60.0, 0.01
"""The time of a fit, and of a decision in its games, where nothing else is said."""
ROUNDS, EXPLORE = 3, 0.5
"""Rounds of halving, and their part of the time; the rest confirms."""
CANDIDATES, MOST_GAMES = 20, 64
"""Combinations of levels in a round, at most, and games until each has met "auto" from every side."""
CHANGES = 2.0
"""How many choices a candidate has otherwise than "auto", on average."""
MOST_PLAYED = 100_000
"""Games of a round, however much time there is; of a game for one player, deals."""
FEWEST = 20
"""Games that must have been played before anything is concluded."""
WORSE, SPREAD = 0.02, 0.05
"""What is known of a level before any game: a little worse than "auto", which was chosen on many games, give or take; in points."""
OPENING = 2
"""Random actions that begin a game where nothing else makes games differ."""


class Fitting(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a fit."""

    fit: Fit
    """What was found; without settings where nothing looked better than "auto", and then no game confirmed anything."""
    kept: bool
    """Whether the fresh games say that it is better, and so whether it is used from now on."""
    file: str
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data


Show = Callable[[str, float], object]
"""Told the stage in words, and the part of the time that is gone."""


class _TimeUp(Exception):
    """The time of a stage is over."""


class Fitter:
    """A fit being carried out."""

    def __init__(
        self,
        game: Game | str,
        *,
        seconds: float = SECONDS,
        move_seconds: float | None = None,
        simulations: int | None = None,
        openings: int | None = None,
        workers: int | None = None,
        engine: str = "local",
        by: str = "auto",
        seed: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.game = load_listed(game, "a fit")
        self.by = counted_by(self.game, by)
        if not 0 < seconds < float("inf"):
            raise PlayoutError(f"seconds is {seconds}; give the time of the whole fit, a number above 0")
        self.limits = limits = limits_of(move_seconds, simulations) or {"seconds": MOVE_SECONDS}
        self.seconds, self.seed, self.clock = seconds, seed, clock
        self.where: dict[str, Any] = {"workers": workers, "engine": engine}
        self.choices = choices(self.game)
        self.base = with_options("uct", {name: spelled(value) for name, value in limits.items()})
        self.openings = openings_of(self.game, OPENING) if openings is None else openings
        self.rules = Rules(openings=self.openings, limit=max(60.0, 10 * limits.get("seconds", 0.0)))
        self.score = _Score(self.choices, self.by)
        self.explored, self.rate, self.notes = 0, 0.0, list[str]()

    def prepare(self) -> None:
        """Compile before the clock runs: some choices have kernels of their own."""
        for level in ({}, *(level for choice in self.choices for level in choice.levels)):
            recipe(self._spec(level), self.game, fit=False).prepare()

    def _spec(self, settings: dict[str, Any]) -> str:
        return with_options(self.base, {name: spelled(value) for name, value in settings.items()})

    # the stages

    def run(self, show: Show = lambda words, done: None) -> Fitting:
        """Halve, confirm, and keep what is confirmed. Stopped before its end it keeps nothing."""
        staff = Staff(self.where["workers"] or usable_cores())
        with contextlib.closing(staff), tempfile.TemporaryDirectory(prefix=owned("playout-fit-")) as folder:
            self.where["staff"] = staff
            if self.where["engine"] == "local":
                staff.start(plan(self.game, [self.base, self.base], rules=self.rules, fit=False)[0])
            began = self.clock()

            def tell(words: str) -> None:
                show(words, (self.clock() - began) / self.seconds)

            for number in range(ROUNDS):
                until = began + self.seconds * EXPLORE * (number + 1) / ROUNDS
                self._halve(Path(folder), number, tell, until)
            if self.explored < FEWEST:
                needed = self.seconds * FEWEST / max(1, self.explored) / EXPLORE
                raise PlayoutError(
                    f"{self.seconds * EXPLORE:g} s were enough for {counted(self.explored, 'game')}, which tell"
                    f"{'s' * (self.explored == 1)} nothing about settings; give a fit of {self.game.name!r} at "
                    f"{pace(self.limits)} more time, --seconds {2 * needed:.0f} for example"
                )
            best = self.score.best()
            pair = self._confirm(Path(folder), best, tell, began + self.seconds) if best else None
        return self._conclude(best, pair, self.clock() - began)

    def _halve(self, folder: Path, number: int, show: Callable[[str], object], until: float) -> None:
        """One round: combinations of the levels that are left against "auto", then only the better half of the levels."""
        stream = Stream(self.seed, FIT_DESIGN, number)
        combined = list(self.score.combinations(self._candidates(), stream))
        agents = [self.base, *(self._spec(_merged(levels)) for levels in combined)]
        words = f"round {number + 1} of {ROUNDS}, {self.score.left} ways to set {len(self.choices)} things"
        began = self.clock()
        with self._tournament(
            folder / f"round-{number}.db", agents, MOST_PLAYED // (len(agents) if self.game.players == 1 else 1), number
        ) as tournament:
            self._play(tournament, until, lambda games: show(f"{words}: {games:,} games"))
            columns = read_columns(tournament.store.games(tournament.wanted), self.game.players)
        self.explored += len(columns)
        self._note_faults(columns, agents)
        self.rate = len(columns) / max(self.clock() - began, 1e-9)
        self.score.add(columns, combined)
        self.score.halve(number + 1, last=number + 1 == ROUNDS)

    def _note_faults(self, columns: Columns, agents: list[str]) -> None:
        """A game lost by an error says nothing about a setting, but counts as lost: it must be seen."""
        if columns.faults:
            first = columns.faults[0]
            self.notes.append(
                f"{len(columns.faults):,} of {len(columns):,} games of a round were lost by errors, the first by {agents[first.agent]}: "
                f"{first.error}"
            )

    def _candidates(self) -> int:
        """As many as meet "auto" from every side within a number of games."""
        for count in range(CANDIDATES, 2, -1):
            if (
                self.game.players <= 2
                or Schedule(players=self.game.players, agents=count + 1, shape="gauntlet").per_round <= MOST_GAMES
            ):
                return count
        return 2

    def _confirm(self, folder: Path, best: dict[str, Any], show: Callable[[str], object], until: float) -> PairRow | None:
        """Fresh games of one candidate. How many is settled before the first one, so that no result has a say in it."""
        players = self.game.players
        whole = Schedule(players=players, agents=2, shape="gauntlet").per_round
        rounds = max(1, int(self.rate * (until - self.clock()) / whole))
        asked = rounds if players == 1 else rounds * whole
        with self._tournament(folder / "confirm.db", [self.base, self._spec(best)], asked, ROUNDS) as tournament:
            wanted = tournament.wanted
            self._play(tournament, until, lambda games: show(f"confirming on fresh games: {games:,} of {wanted:,}"))
            # Where the time was over first: only whole rounds, in their order, since games that are quickly over come in first.
            seen = Counter(record.round for record in tournament.store.games(wanted))
            tournament.wanted = whole * next(r for r in range(rounds + 1) if seen[r] < whole)
            if not tournament.wanted:
                return None
            standings = tournament.standings()
        self.notes += standings.notes
        return standings.pairs[0].turned() if standings.pairs else None

    # playing

    def _tournament(self, file: Path, agents: list[str], games: int, stage: int) -> Tournament:
        seed = base_word(self.seed, FIT_DEALS + stage) >> 2
        where = {"file": file, "fit": False, "by": self.by, **self.where}
        return Tournament(self.game, agents, games=games, shape="gauntlet", seed=seed, rules=self.rules, **where)

    def _play(self, tournament: Tournament, until: float, show: Callable[[int], object]) -> None:
        def look(tally: Any) -> None:
            show(tally.done)
            if self.clock() >= until:
                raise _TimeUp

        with contextlib.suppress(_TimeUp):  # what is finished is in the file
            tournament.run(look)

    # the answer

    def _conclude(self, best: dict[str, Any], pair: PairRow | None, took: float) -> Fitting:
        from playout import __version__

        numbers = (0.0, 0.0, 0.0) if pair is None else (pair.points_a, pair.low, pair.high)
        if pair is not None and self.by == "returns":
            numbers = (pair.difference or 0.0, pair.difference_low or 0.0, pair.difference_high or 0.0)
        found = Fit(
            game=self.game.spec,
            digest=rules_digest(self.game),
            settings=best,
            when=datetime.now(UTC).date().isoformat(),
            budget=self.limits,
            unit="score" if self.game.players == 1 else self.by,
            result=numbers[0],
            low=numbers[1],
            high=numbers[2],
            games=0 if pair is None else pair.games,
            explored=self.explored,
            tried=tuple(self.score.levels()),
            seconds=round(took, 1),
            seed=self.seed,
            version=__version__,
        )
        sure = pair is not None and pair.games >= FEWEST and surely_better(pair, self.by)
        return Fitting(fit=found, kept=sure, file=str(keep(found)) if sure else "", notes=tuple(dict.fromkeys(self.notes)))


def _merged(levels: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    return {name: value for level in levels for name, value in level.items()}


class _Score:
    """What is known of the levels: of each the results of all games whose candidate had it, less the mean of their round."""

    def __init__(self, choices: list[Choice], by: str) -> None:
        self.choices, self.by = choices, by
        self.alive = [list(range(len(choice.levels))) for choice in choices]
        self.dropped: dict[tuple[int, int], int] = {}
        shape = (len(choices), max((len(choice.levels) for choice in choices), default=1))
        self.games, self.sums, self.raw = (np.zeros(shape) for _ in range(3))
        self.squares, self.count = 0.0, 0

    @property
    def left(self) -> int:
        """Levels that were not dropped."""
        return sum(map(len, self.alive))

    def combinations(self, count: int, stream: Stream) -> Iterator[tuple[dict[str, Any], ...]]:
        """So many candidates: each differs from "auto" in about two choices, and all levels besides "auto" come equally often.

        With more changes at once most candidates would be so bad that they lose whatever else they do, and such games tell nothing.
        """
        columns, others = [], max(1, self.left - len(self.choices))
        for choice, alive in zip(self.choices, self.alive):
            own = [level for level in alive if level]
            changed = round(count * min(len(own) / (len(own) + 1), CHANGES * len(own) / others))
            column = [own[place % len(own)] if place < changed else 0 for place in range(count)]
            for place in range(count - 1, 0, -1):
                other = stream.below(place + 1)
                column[place], column[other] = column[other], column[place]
            columns.append([choice.levels[level] for level in column])
        yield from zip(*columns)

    def add(self, columns: Columns, combined: list[tuple[dict[str, Any], ...]]) -> None:
        """Count the games of a round."""
        results = columns.returns if self.by == "returns" else columns.points
        agents, values = columns.seats.ravel(), results.ravel()
        there = (agents > 0) & np.isfinite(values)
        agents, values = agents[there] - 1, values[there]
        if not len(values):
            return
        games = np.bincount(agents, minlength=len(combined))
        apart = np.bincount(agents, values - values.mean(), len(combined))
        raw = np.bincount(agents, values, len(combined))
        self.squares += float(((values - values.mean()) ** 2).sum())
        self.count += len(values)
        for place, (choice, alive) in enumerate(zip(self.choices, self.alive)):
            for level in alive:
                mine = np.array([levels[place] is choice.levels[level] for levels in combined])
                self.games[place, level] += games[mine].sum()
                self.sums[place, level] += apart[mine].sum()
                self.raw[place, level] += raw[mine].sum()

    def ahead(self, place: int, level: int) -> tuple[float, float]:
        """How far the candidates with a level were ahead of those with "auto" there, in points, and the variance of that."""
        games = self.games[place, [0, level]]
        if not games.all():
            return 0.0, math.inf
        deviation = max((self.squares / self.count) ** 0.5, 1e-12)
        unit = 1.0 if self.by == "points" else 0.5 / deviation  # a return has no unit; won or lost, points deviate by a half
        apart = float(self.sums[place, level] / games[1] - self.sums[place, 0] / games[0])
        return unit * apart, (unit * deviation) ** 2 * float((1 / games).sum())

    def lead(self, place: int, level: int) -> float:
        """How far a level is expected to be ahead of "auto": what was seen, held against what was known before."""
        if level == 0:
            return 0.0
        seen, variance = self.ahead(place, level)
        return -WORSE if variance == math.inf else (seen * SPREAD**2 - WORSE * variance) / (SPREAD**2 + variance)

    def halve(self, number: int, *, last: bool) -> None:
        """Drop the worse half of all levels; in the end keep one of each choice. "auto" stays to be compared with until then."""
        order = sorted(
            ((place, level) for place, alive in enumerate(self.alive) for level in alive if level),
            key=lambda one: (-self.lead(*one), one),
        )
        stay = set(order[: (len(order) + 1) // 2])
        if last:
            # Where nothing is expected to be better, what comes nearest has its chance: the fresh games decide.
            chance = [one for one in order[:1] if self.ahead(*one)[0] > 0]
            stay = {one for one in order if self.lead(*one) > 0 or one in chance}
            stay = {one for one in stay if one == next(other for other in order if other[0] == one[0])}
        for place, alive in enumerate(self.alive):
            kept = [level for level in alive if (place, level) in stay]
            self.alive[place] = (kept or [0]) if last else [0, *kept]
            for level in alive:
                if level not in self.alive[place]:
                    self.dropped[place, level] = number

    def best(self) -> dict[str, Any]:
        """The settings that are left; empty where "auto" is the best of all."""
        return _merged(tuple(choice.levels[alive[0]] for choice, alive in zip(self.choices, self.alive)))

    def levels(self) -> Iterator[Level]:
        """Every level with what its candidates got."""
        for place, choice in enumerate(self.choices):
            for level, settings in enumerate(choice.levels):
                games = int(self.games[place, level])
                yield Level(
                    choice=choice.name,
                    settings=settings,
                    games=games,
                    result=float(self.raw[place, level]) / max(1, games),
                    dropped=self.dropped.get((place, level)),
                )


def fit(game: Game | str, **options: Any) -> Fitting:
    """Find the settings for a game and a budget by playing, and keep them if fresh games confirm them: `fit("hex:size=7", seconds=300)`.

    The options are those of `Fitter`: seconds, move_seconds or simulations, openings, workers, engine, by, seed.
    """
    made = Fitter(game, **options)
    made.prepare()
    return made.run()
