"""Running an experiment: from the games that are missing to the standings, stoppable at any moment.

    standings = compete("connect-four", ["uct:simulations=1000", "random"], games=100)

Data flow: the store says which games are there; a crew of hands plays the others; every record goes into the store, into
the tally that is shown meanwhile and, round by round in order, into the sequential test; at the end the standings are
counted from the store alone.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from playout.agents import Recipe
from playout.arena.columns import read_columns
from playout.arena.counting import standings
from playout.arena.counts import counted_by
from playout.arena.crew import Crew, HandMaker, Here, Staff, local_makers
from playout.arena.experiment import Experiment, plan
from playout.arena.referee import Record, Rules
from playout.arena.sequential import SequentialTest, Verdict
from playout.arena.standings import Standings
from playout.arena.store import Store, remove
from playout.arena.table import Table
from playout.cores import usable_cores
from playout.errors import PlayoutError, suggest
from playout.game.game import Game
from playout.intervals import wilson

if TYPE_CHECKING:
    from playout.arena.abreast import SideBySide

ENGINES = ("local", "ray", "here", "cores", "cuda")
ABREAST = ("cores", "cuda")
"""Engines that play all games side by side, in this process."""
FOLDER = "playout-arena"
"""Where experiments are kept whose file is not named."""
BATCH_SECONDS, BATCH_GAMES = 0.5, 5000
MOST_GAMES = 10_000_000


class Line(msgspec.Struct):
    """An agent while the games go on."""

    agent: str
    games: int = 0
    points: float = 0.0
    returns: float = 0.0
    """The sum of its returns."""
    decisions: int = 0
    seconds: float = 0.0
    faults: int = 0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of its share of the points."""
        return wilson(self.points, self.games)


class Tally:
    """What is shown while the games go on: counted record by record."""

    def __init__(self, experiment: Experiment, wanted: int, by: str = "points") -> None:
        self.wanted, self.done, self.before, self.by = wanted, 0, 0, by
        self.lines = [Line(label) for label in experiment.labels]
        self.began = time.monotonic()

    def add(self, record: Record) -> None:
        """Count a game."""
        self.done += 1
        movers, seconds = record.movers[record.opening :], record.column("seconds")[record.opening :]
        for seat, agent in enumerate(record.seats):
            line = self.lines[agent]
            line.games += 1
            line.points += record.points[seat]
            line.returns += record.returns[seat] if math.isfinite(record.returns[seat]) else 0.0
            line.faults += record.fault == seat
            line.decisions += movers.count(seat)
        for seat, value in zip(movers, seconds.tolist()):
            self.lines[record.seats[seat]].seconds += value

    @property
    def per_second(self) -> float:
        """Games a second of this run."""
        return (self.done - self.before) / max(time.monotonic() - self.began, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        """About how long the rest will take."""
        return (self.wanted - self.done) / self.per_second if self.done > self.before else None


class InOrder:
    """Feeds whole rounds to the sequential test in their order, so that when it ends does not depend on who was quicker."""

    def __init__(self, experiment: Experiment, game: Game, confidence: float, by: str) -> None:
        self.by = by
        self.schedule, self.players = experiment.schedule, experiment.players
        self.gauntlet = experiment.shape == "gauntlet" and experiment.players > 1
        self.test = SequentialTest(
            len(experiment.agents), confidence, experiment.shape if experiment.players > 1 else "round-robin"
        )
        self._waiting: dict[int, list[Record]] = {}
        self._next = 0
        if by == "returns" and game.returns_range is None:
            what, or_else = ("scores", "") if self.players == 1 else ("returns", ", or count --by points")
            raise PlayoutError(
                f"--until compares {what} within known bounds, and {game.name!r} declares none: add returns_range = (lowest, highest) "
                f"to the game{or_else}"
            )
        self._range = game.returns_range or (0.0, 1.0)

    def add(self, record: Record) -> Verdict | None:
        """Take a game; the verdict when the rounds so far in a row give one."""
        self._waiting.setdefault(record.round, []).append(record)
        while self.test.verdict is None and len(self._waiting.get(self._next, ())) == self.schedule.per_round:
            self.test.add(self._differences(self._waiting.pop(self._next)))
            self._next += 1
        return self.test.verdict

    @property
    def stop(self) -> int:
        """The first game that was not needed any more."""
        return self._next * self.schedule.per_round

    def _differences(self, records: list[Record]) -> dict[tuple[int, int], float]:
        """Per pair of agents: how far the first was ahead of the second, on average over the games of the round."""
        low, high = self._range
        if self.players == 1:
            scores = {r.seats[0]: (r.returns[0] - low) / (high - low) for r in sorted(records, key=lambda r: r.number)}
            return {(i, j): _bounded(scores[i] - scores[j]) for i in scores for j in scores if i < j}
        sums: dict[tuple[int, int], list[float]] = {}
        for r in sorted(records, key=lambda r: r.number):
            for one, i in enumerate(r.seats):
                for two, j in enumerate(r.seats):
                    if i < j and (i == 0 or not self.gauntlet):
                        apart = r.points[one] - r.points[two]
                        if self.by == "returns":
                            apart = _bounded((r.returns[one] - r.returns[two]) / (high - low))
                        sums.setdefault((i, j), []).append(apart)
        return {pair: sum(values) / len(values) for pair, values in sums.items()}


def _bounded(value: float) -> float:
    return max(-1.0, min(1.0, value))


class Tournament:
    """One experiment with its file: `run` plays what is missing, `standings` says how it stands."""

    def __init__(
        self,
        game: Game | str,
        agents: Sequence[str | Recipe],
        *,
        games: int = 100,
        shape: str = "round-robin",
        seed: int = 0,
        rules: Rules | None = None,
        until: float | None = None,
        workers: int | None = None,
        engine: str = "local",
        address: str | None = None,
        file: str | Path | None = None,
        fresh: bool = False,
        fit: bool = True,
        staff: Staff | None = None,
        by: str = "auto",
    ) -> None:
        self.experiment, self.game, self.recipes = plan(game, agents, shape=shape, seed=seed, rules=rules, fit=fit)
        self.by = counted_by(self.game, by)
        if not 1 <= games <= MOST_GAMES:
            raise PlayoutError(f"games is {games}; give a whole number from 1 to {MOST_GAMES:,}")
        if engine not in ENGINES:
            raise PlayoutError(f"engine is {engine!r}; {suggest(engine, ENGINES)}")
        if address is not None and engine != "ray":
            raise PlayoutError(f"--address {address} names a Ray cluster; add --engine ray")
        if workers is not None and not 1 <= workers <= 10_000:
            raise PlayoutError(f"workers is {workers}; give a whole number from 1 to 10,000")
        if until is not None and not 0.5 < until < 1:
            raise PlayoutError(f"until is {until}; give the confidence to reach, above 0.5 and below 1, for example 0.99")
        self._check_places(engine, agents)
        self.abreast = self._abreast(engine, workers, until is not None) if engine in ABREAST else None
        self.wanted = self.experiment.schedule.total(games)
        self.engine, self.address = engine, address
        self.workers, self.staff = workers, staff
        self.order = None if until is None else InOrder(self.experiment, self.game, until, self.by)
        self.file = Path(file) if file is not None else self.default_file()
        if fresh:
            remove(self.file)
        self.store = Store.create(self.file, self.experiment)
        self.store.count_by(self.by)
        self.tally = Tally(self.experiment, self.wanted, self.by)
        self.notes: list[str] = []
        self.verdict: Verdict | None = None

    def _check_places(self, engine: str, agents: Sequence[str | Recipe]) -> None:
        """What exists only in this process cannot be sent to another one."""
        if engine in ("here", *ABREAST):
            return
        for agent in agents:
            if isinstance(agent, Recipe):
                raise PlayoutError(
                    f"agent {agent.name!r} was built in Python and exists only in this process: pass engine='here', or put it into "
                    "a file and name it mine.py:make_agent"
                )
        if self.game.spec not in _loadable(self.game):
            raise PlayoutError(
                f"game {self.game.name!r} was built in Python and exists only in this process: pass engine='here', or put it into a file"
            )

    def _abreast(self, engine: str, workers: int | None, quick: bool) -> SideBySide:
        """Who plays all games at once; what cannot be is said before a file is made."""
        from playout.arena.abreast import SideBySide
        from playout.compile.cuda import why_not
        from playout.compile.devices import Cores, device_named

        why = why_not() if engine == "cuda" else ""
        if why:
            raise PlayoutError(f"engine cuda cannot be used: {why}; use --engine cores, which plays the same games")
        device = device_named("cuda") if engine == "cuda" else Cores(workers)
        experiment = self.experiment
        return SideBySide(experiment.schedule.fixture, self.game, self.recipes, device, rules=experiment.rules, quick=quick)

    def default_file(self) -> Path:
        """The same command finds the same file again."""
        return Path(FOLDER) / f"{self.game.name}-{self.experiment.identity[:10]}.db"

    # playing

    def run(self, show: Callable[[Tally], object] = lambda tally: None) -> None:
        """Play what is missing. Ctrl-C leaves everything that is finished in the file."""
        there = self._recall()
        if self.verdict is None:
            numbers = [n for n in range(self.wanted) if n not in there]
            self.tally.before, self.tally.began = self.tally.done, time.monotonic()
            show(self.tally)
            if numbers:
                self._play(numbers, show)
        if self.order is not None and self.verdict is not None:
            self.store.stop_at(self.order.stop, self.verdict)
        show(self.tally)

    def _recall(self) -> set[int]:
        """Count what an earlier run left; the numbers of its games."""
        if self.store.stop is not None:
            self.store.go_on()
        there: set[int] = set()
        for record in self.store.games(self.wanted):
            there.add(record.number)
            self._count(record)
        return there

    def _count(self, record: Record) -> None:
        if self.verdict is None:
            self.tally.add(record)
            if self.order is not None:
                self.verdict = self.order.add(record)

    def prepare(self) -> None:
        """Compile here once what the workers would each compile for themselves."""
        Table(self.game).prepare()
        for recipe in self.recipes:
            recipe.prepare()
        if self.abreast is not None:
            self.abreast.prepare()

    def _play(self, numbers: list[int], show: Callable[[Tally], object]) -> None:
        self.prepare()
        self.tally.began = time.monotonic()
        pending: list[Record] = []
        written = time.monotonic()
        results = self._results(numbers)
        try:
            for records in results:
                pending += records
                for record in records:
                    self._count(record)
                if pending and (time.monotonic() - written > BATCH_SECONDS or len(pending) >= BATCH_GAMES):
                    self.store.add(pending)
                    pending, written = [], time.monotonic()
                show(self.tally)
                if self.verdict is not None:
                    break
        finally:
            # However this ends, Ctrl-C included: no worker goes on, and what is finished is kept.
            results.close()
            self.store.add(pending)

    def _results(self, numbers: list[int]) -> Generator[list[Record], None, None]:
        if self.abreast is not None:
            yield from self.abreast.games(numbers)
            return
        if self.engine == "here":
            with contextlib.closing(Here(self.experiment, self.game, self.recipes)) as here:
                yield from here.games(numbers)
            return
        with self._makers() as makers:
            crew = Crew(numbers, makers)
            try:
                yield from crew.results()
            finally:
                # Also after Ctrl-C, and when nobody asks for more.
                crew.stop()
                self.store.add(crew.rest())
                self.notes += crew.notes

    @contextlib.contextmanager
    def _makers(self) -> Iterator[list[HandMaker]]:
        if self.engine == "local":
            own = self.staff
            yield (
                own.makers(self.experiment) if own is not None else local_makers(self.experiment, self.workers or usable_cores())
            )
            return
        from playout.arena.cluster import leave, ray_makers

        # On a cluster of others their cores count, not ours.
        makers = ray_makers(self.experiment, self.workers, self.address)
        try:
            yield makers
        finally:
            leave()

    # the answer

    @property
    def below(self) -> int:
        """The games from this number on do not count."""
        return self.order.stop if self.order is not None and self.verdict is not None else self.wanted

    def standings(self) -> Standings:
        """How it stands, counted from the file."""
        columns = read_columns(self.store.games(self.below), self.experiment.players)
        found = standings(self.experiment, columns, by=self.by, notes=tuple(self._notes()), file=str(self.file))
        return msgspec.structs.replace(found, verdict=self.verdict)

    def _notes(self) -> list[str]:
        notes = [f"{made.name}: {made.fit}" for made in self.recipes if made.fit]
        notes = list(dict.fromkeys([*notes, *self.notes]))
        busiest = max(recipe.threads for recipe in self.recipes)
        workers = self.workers or usable_cores()
        if self.engine == "local" and self.experiment.timed and workers * busiest > usable_cores():
            what = f"{workers} workers" + (f" with {busiest} threads each" if busiest > 1 else "")
            notes.append(
                f"{what} share {usable_cores()} cores while agents decide by the clock, so each gets fewer simulations than it would alone; "
                f"--workers {max(1, usable_cores() // busiest)} is fair"
            )
        if self.order is not None and self.verdict is None and self.tally.done >= self.wanted:
            notes.append(
                f"{self.wanted:,} games were not enough to know the better agent with {self.order.test.confidence:g} confidence"
            )
        return notes

    def close(self) -> None:
        """Close the file."""
        self.store.close()

    def __enter__(self) -> Tournament:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


def _loadable(game: Game) -> tuple[str, ...]:
    """The specs under which another process finds this very game."""
    from playout.compile.digest import rules
    from playout.game.load import load

    try:
        return (game.spec,) if rules(load(game.spec)) == rules(game) else ()
    except PlayoutError:
        return ()


def compete(game: Game | str, agents: Sequence[str | Recipe], **options: Any) -> Standings:
    """Let agents play each other and say who is better: `compete("tic-tac-toe", ["random", "uct"], games=20)`.

    The options are those of `Tournament`: games, shape, seed, rules, until, workers, engine, address, file, fresh, fit, by. Games are kept
    in `file` (by default under playout-arena/), so calling it again goes on where it stopped.
    """
    with Tournament(game, agents, **options) as tournament:
        tournament.run()
        return tournament.standings()


def stored(file: str | Path, by: str = "auto") -> Standings:
    """The standings of an experiment's file as it is now, even while it is being written; by what counted when it was played."""
    with Store(file) as store:
        experiment = store.experiment
        columns = read_columns(store.games(store.stop), experiment.players)
        counted = store.by if by == "auto" or experiment.players == 1 else by
        found = standings(experiment, columns, by=counted, file=str(file))
        return msgspec.structs.replace(found, verdict=store.verdict)
