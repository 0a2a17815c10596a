"""Methods of search against each other on continuous games, measured by true regret.

Every method searches every game with every number of simulations and every seed; the complete line that it finds is measured by
`regret`, which the search itself never sees. Runs are kept in one file by all that they depend on, so that the same command, or a
larger one, goes on where the last one stopped.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from playout.compile.digest import rules
from playout.errors import FileError, PlayoutError
from playout.game.game import Game
from playout.game.stream import Stream
from playout.truth.continuous.regret import begin, regret
from playout.truth.continuous.sampled import evaluate

BAND = (5.0, 95.0)
"""The 90 % band over the seeds, as percentiles."""
RANGE_POINTS = 10_000
APPLICATION = 0x706C6372  # "plcr"
Progress = Callable[[str, float], None]


class Found(NamedTuple):
    """What a method found: a complete trajectory, and what that took."""

    trajectory: Any
    seconds: float
    evaluations: int


Method = Callable[[Game, str, int, int], Found]
"""(game, method, simulations, seed): how `compare` asks a method; tests hand in their own."""


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One search, measured."""

    game: str
    method: str
    simulations: int
    seed: int
    regret: tuple[float | None, ...]
    distance: float | None
    seconds: float
    evaluations: int
    certified: bool


class PlayerRegret(msgspec.Struct, frozen=True, kw_only=True):
    """One player's regret over the seeds."""

    player: int
    median: float
    low: float
    high: float
    range: float
    """The player's largest minus its smallest payoff over random actions: what a regret is to be compared with."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """All seeds of one method with one number of simulations."""

    game: str
    method: str
    simulations: int
    seeds: int
    regret: tuple[PlayerRegret, ...]
    distance: float | None
    """Of the line from the solution, the median."""
    seconds: float
    """Of one search, the median; compiling is not counted."""
    evaluations: float
    """Payoff evaluations a simulation, the median."""
    uncertified: int
    """Runs whose reference is not certified."""


MOST_RUNS = 1_000_000


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """All rows, and how they came about."""

    rows: tuple[Row, ...]
    games: tuple[str, ...]
    methods: tuple[str, ...]
    simulations: tuple[int, ...]
    seeds: tuple[int, ...]
    band: tuple[float, float] = BAND


def compare(
    games: Sequence[str],
    methods: Sequence[str],
    simulations: Sequence[int],
    seeds: Sequence[int],
    *,
    file: str | Path,
    fresh: bool = False,
    method: Method | None = None,
    show: Progress | None = None,
) -> Comparison:
    """Run what is not yet in the file, and sum up everything asked for."""
    loaded = [begin(game).game for game in games]
    if not (loaded and methods and simulations and seeds):
        raise PlayoutError("nothing to compare: give at least one game, one method, one number of simulations and one seed")
    size = len(loaded) * len(methods) * len(simulations) * len(seeds)
    if size > MOST_RUNS:
        raise PlayoutError(f"that makes {size:,} searches, and at most {MOST_RUNS:,} are compared; give fewer seeds")
    ask, tell = method or by_search, show or _quiet
    with Store(file, fresh) as store:
        wanted = [(g, m, n, s) for g in loaded for m in methods for n in simulations for s in seeds]
        runs: list[Run] = []
        warm: set[tuple[str, str]] = set()
        for done, (game, name, number, seed) in enumerate(wanted):
            key = _key(game, name, number, seed, ask)
            run = store.get(key, game.players)
            if run is not None and (run.game, run.method, run.simulations, run.seed) != (game.spec, name, number, seed):
                raise FileError(f"{str(file)!r} is damaged: a run is another one than its key says; begin anew with --fresh")
            if run is None:
                tell(f"{game.spec} {name}, {number:,} simulations, seed {seed}", done / len(wanted))
                if (game.spec, name) not in warm:
                    ask(game, name, min(simulations), seed)  # compiles, so that the first time is as good as the others
                    warm.add((game.spec, name))
                run = measure(game, name, number, seed, ask)
                store.put(key, run)
            runs.append(run)
    ranges = {game.spec: payoff_range(game) for game in loaded}
    rows = [
        sum_up([r for r in runs if (r.game, r.method, r.simulations) == (game.spec, name, number)], ranges[game.spec])
        for game in loaded
        for name in methods
        for number in simulations
    ]
    return Comparison(
        rows=tuple(rows),
        games=tuple(game.spec for game in loaded),
        methods=tuple(methods),
        simulations=tuple(simulations),
        seeds=tuple(seeds),
    )


def by_search(game: Game, method: str, simulations: int, seed: int) -> Found:
    """Ask `playout.planner`; settings may follow the name of a method: `widening:sampling=sobol:c=0.1`."""
    from playout.planner.search import search
    from playout.planner.settings import Settings
    from playout.planner.words import read

    name, *pairs = method.split(":")
    words: dict[str, Any] = {"method": name, "seed": seed}
    for pair in pairs:
        word, equals, value = pair.partition("=")
        if not equals or not word or not value:
            raise PlayoutError(f"{pair!r} in {method!r} is not of the form name=value; write for example widening:c=0.1")
        words[word] = value
    decision: Any = search(game.start(), settings=read(Settings, words), simulations=simulations)
    return Found(decision.line(until="end", complete=True), decision.seconds, decision.evaluations)


def measure(game: Game, method: str, simulations: int, seed: int, ask: Method) -> Run:
    """One search and the regret of what it found."""
    found = ask(game, method, simulations, seed)
    report = regret(game, found.trajectory)
    return Run(
        game=game.spec,
        method=method,
        simulations=simulations,
        seed=seed,
        regret=report.players,
        distance=report.distance,
        seconds=found.seconds,
        evaluations=found.evaluations,
        certified=report.certified,
    )


def sum_up(runs: Sequence[Run], ranges: Sequence[float]) -> Row:
    """Medians and 90 % bands over the seeds of one method, game and number of simulations."""
    first = runs[0]
    regrets = []
    for player, wide in enumerate(ranges):
        values = [run.regret[player] for run in runs]
        known = [v for v in values if v is not None]
        if known:
            low, median, high = np.percentile(known, (BAND[0], 50.0, BAND[1])).tolist()
            regrets.append(PlayerRegret(player=player, median=median, low=low, high=high, range=wide))
    distances = [run.distance for run in runs if run.distance is not None]
    return Row(
        game=first.game,
        method=first.method,
        simulations=first.simulations,
        seeds=len(runs),
        regret=tuple(regrets),
        distance=float(np.median(distances)) if distances else None,
        seconds=float(np.median([run.seconds for run in runs])),
        evaluations=float(np.median([run.evaluations / run.simulations for run in runs])),
        uncertified=sum(not run.certified for run in runs),
    )


def payoff_range(game: Game) -> tuple[float, ...]:
    """Each player's largest minus its smallest payoff over 10,000 random trajectories."""
    shape, stream = game.shape, Stream(0)
    assert shape is not None
    rows = np.zeros((RANGE_POINTS, shape.stages, shape.dimension))
    low, high = np.zeros(shape.dimension), np.zeros(shape.dimension)
    for row in rows:
        for stage in range(shape.stages):
            part = np.array([stream.uniform() for _ in range(shape.dimension)])
            game.functions["bounds"](stage, row, low, high)
            row[stage] = low + (high - low) * part
            if shape.action_set != "box":
                row[stage] /= np.linalg.norm(row[stage])
    values = evaluate(game, rows)
    return tuple((values.max(axis=0) - values.min(axis=0)).tolist())


# what is kept


def _key(game: Game, method: str, simulations: int, seed: int, ask: Method) -> str:
    """Everything that a run depends on: the rules, the method, and the text of the search and of the reference."""
    own = getattr(ask, "__qualname__", repr(ask)) if ask is not by_search else ""
    words = (game.spec, rules(game), method, simulations, seed, _engine(), own)
    return hashlib.sha256(repr(words).encode()).hexdigest()[:32]


def _engine() -> str:
    root = Path(__file__).resolve().parents[2]
    hasher = hashlib.sha256()
    rooms = ("engine", "planner", "truth", "game", "compile")
    for file in sorted(file for room in rooms for file in (root / room).rglob("*.py")):
        hasher.update(str(file.relative_to(root)).encode() + file.read_bytes())
    return hasher.hexdigest()


class Store:
    """Runs by key in one SQLite file: each is there as a whole or not at all."""

    def __init__(self, file: str | Path, fresh: bool = False) -> None:
        self.file = Path(file)
        with self._said():
            if self.file.parent != Path():
                self.file.parent.mkdir(parents=True, exist_ok=True)
            self._check_ours()
            self._connection = sqlite3.connect(self.file, isolation_level=None, timeout=30)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
            self._connection.execute("CREATE TABLE IF NOT EXISTS runs (key TEXT PRIMARY KEY, run TEXT NOT NULL) WITHOUT ROWID")
            if fresh:
                self._connection.execute("DELETE FROM runs")

    def _check_ours(self) -> None:
        """What is no file of ours is left alone, byte for byte."""
        if self.file.is_dir():
            raise FileError(f"{str(self.file)!r} is a folder; give the name of a file, as in --file runs.db")
        if self.file.is_file() and self.file.stat().st_size:
            with self.file.open("rb") as handle:
                head = handle.read(100)
            if head[:16] != b"SQLite format 3\0" or int.from_bytes(head[68:72], "big") != APPLICATION:
                raise FileError(f"{str(self.file)!r} is no file of playout compare; it is left alone, so choose another name")

    def get(self, key: str, players: int) -> Run | None:
        """The run of that key, if it is there; one that cannot be is said."""
        with self._said():
            row = self._connection.execute("SELECT run FROM runs WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            found = msgspec.json.decode(row[0], type=Run)
        except (msgspec.MsgspecError, TypeError, UnicodeDecodeError, RecursionError) as error:
            raise FileError(f"{str(self.file)!r} is damaged: a run cannot be read ({error}); begin anew with --fresh") from None
        # JSON has no infinity, but whole numbers of any length.
        sizes = (
            *(abs(value or 0) for value in found.regret),
            found.distance or 0,
            found.seconds,
            found.evaluations,
            found.simulations,
        )
        if len(found.regret) != players or not all(0 <= size < 1e300 for size in sizes) or found.simulations < 1:
            raise FileError(f"{str(self.file)!r} is damaged: a run has numbers that cannot be; begin anew with --fresh")
        return found

    def put(self, key: str, run: Run) -> None:
        with self._said():
            self._connection.execute("INSERT OR REPLACE INTO runs VALUES (?, ?)", (key, msgspec.json.encode(run).decode()))

    @contextlib.contextmanager
    def _said(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise FileError(f"{str(self.file)!r} cannot be written: {error.strerror}; choose another place with --file") from None
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise FileError(
                f"{str(self.file)!r} cannot be used ({error}); choose another place with --file, or --fresh"
            ) from None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()


def _quiet(words: str, done: float) -> None:
    return None
