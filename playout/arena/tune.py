"""Finding good settings: an optimiser proposes, the arena plays, and fresh games confirm.

Three stages, each on deals of its own. Exploring: batches of candidates play gauntlets against the agent as it was given,
and optuna learns from the points. Choosing: the best few play again, since the best of many noisy results is partly luck.
Confirming: the one chosen plays fresh games, and only these are reported. Every batch is an experiment file in one folder,
and the optimiser is seeded, so the same command finds its games again and goes on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from playout.agents import Recipe, recipe
from playout.arena.counts import counted_by
from playout.arena.referee import Rules
from playout.arena.schedule import Schedule
from playout.arena.standings import AgentRow, PairRow, SoloRow, Standings
from playout.arena.tournament import FOLDER, Tally, Tournament
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.game.load import load_listed
from playout.game.stream import TUNING_DEALS, base_word

EXPLORE, CHOOSE = 0.6, 0.15
"""Parts of the games; the rest confirms."""
BATCH = 4
"""Candidates that are tried side by side."""
FINALISTS = 4
FEWEST_GAMES = 100
STAGES = ("explore", "choose", "confirm")


class Dimension(msgspec.Struct, frozen=True, kw_only=True):
    """A setting that may vary: between two numbers, or one of several words."""

    name: str
    low: float = 0.0
    high: float = 0.0
    whole: bool = False
    log: bool = False
    words: tuple[str, ...] = ()

    def text(self, value: Any) -> str:
        """A value as it stands in an agent's string."""
        return str(value) if self.words or self.whole else f"{value:.4g}"


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate and what it got: share of points, mean return, or mean score in a game for one player."""

    agent: str
    values: dict[str, Any]
    stage: str
    games: int
    result: float
    low: float | None
    high: float | None
    seconds_per_decision: float | None
    faults: int = 0
    """Games that it lost by a fault and not by being beaten."""


class Tuning(msgspec.Struct, frozen=True, kw_only=True):
    """What tuning found, and whether fresh games agree."""

    game: str
    base: str
    """The agent as it was given, which all candidates played against."""
    unit: str
    """"points", "returns" or, for one player, "score": what was made as large as possible."""
    dimensions: tuple[Dimension, ...]
    trials: tuple[Trial, ...]
    best: str
    values: dict[str, Any]
    confirmation: PairRow
    """The best against the base on fresh deals."""
    confirmed: bool
    """Whether the whole 95 % interval of the fresh games says that the best is better."""
    games: int
    seed: int
    folder: str

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data


def read_dimension(word: str, base: Recipe) -> Dimension:
    """`c=0.1..3`, `simulations=100..1000` or `rule=ucb1,puct`; far-apart positive ends are searched by their logarithm."""
    name, equals, rest = (part.strip() for part in word.partition("="))
    if not equals or not name or not rest:
        raise PlayoutError(f"{word!r} is no setting to vary; write for example c=0.1..3, or rule=ucb1,ucb1-tuned")
    if ".." not in rest:
        words = tuple(part.strip() for part in rest.split(",") if part.strip())
        if len(set(words)) < 2:
            raise PlayoutError(
                f"{word!r} leaves no choice; write a span such as {name}=0.1..3, or several words with commas between"
            )
        return Dimension(name=name, words=tuple(dict.fromkeys(words)))
    first, _, last = rest.partition("..")
    try:
        low, high = float(first), float(last)
    except ValueError:
        raise PlayoutError(f"{word!r} is no span of numbers; write for example {name}=0.1..3") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise PlayoutError(f"{word!r} is an empty span; the first number must be below the second")
    whole = all(part.strip().lstrip("+-").isdigit() for part in (first, last)) and not isinstance(base.settings.get(name), float)
    return Dimension(name=name, low=low, high=high, whole=whole, log=low > 0 and high / low >= 10)


def with_options(spec: str, words: dict[str, str]) -> str:
    """An agent's string with some options set anew."""
    file, colon, rest = spec.rpartition(".py:")
    head, parts = (f"{file}.py:{rest.split(',')[0]}", rest.split(",")[1:]) if colon else _split(spec)
    kept = [part for part in parts if part.partition("=")[0].strip() not in words]
    options = ",".join([*kept, *(f"{name}={value}" for name, value in words.items())])
    return f"{head}{',' if colon else ':'}{options}" if options else head


def _split(spec: str) -> tuple[str, list[str]]:
    kind, _, rest = spec.partition(":")
    return kind, [part for part in rest.split(",") if part.strip()]


Show = Callable[[str, float, Tally], object]
"""Told the stage in words, the share of all games that is done, and the tally of the batch."""


class Tuner:
    """A tuning being carried out."""

    def __init__(
        self,
        game: Game | str,
        agent: str,
        dimensions: Sequence[str],
        *,
        games: int = 1000,
        against: str | None = None,
        seed: int = 0,
        rules: Rules | None = None,
        folder: str | Path | None = None,
        fresh: bool = False,
        by: str = "auto",
        **where: Any,
    ) -> None:
        self.game = load_listed(game, "tuning")
        self.by = counted_by(self.game, by)
        base = recipe(agent, self.game)
        # What playout fit found is part of the agent that is to be improved, and stays where other settings vary.
        self.agent = base.name if base.fit else agent
        self.base = recipe(against, self.game).name if against else base.name
        if not dimensions:
            raise PlayoutError("say what to vary and how far: playout tune connect-four uct:simulations=1000 c=0.1..3")
        self.dimensions = [read_dimension(word, base) for word in dimensions]
        self._check(games)
        self.games, self.seed, self.rules, self.where, self.fresh = games, seed, rules or Rules(), where, fresh
        self.folder = Path(folder) if folder is not None else self._default_folder()
        self.trials: list[Trial] = []
        self.done = 0

    def _check(self, games: int) -> None:
        if games < FEWEST_GAMES:
            raise PlayoutError(
                f"games is {games}; tuning needs at least {FEWEST_GAMES}, and 1,000 or more to see small differences"
            )
        names = [dimension.name for dimension in self.dimensions]
        for name in names:
            if names.count(name) > 1:
                raise PlayoutError(f"setting {name!r} is to vary twice; give it once")
        # Every end and every word is tried out on the agent before a game is played.
        for dimension in self.dimensions:
            for value in dimension.words or (dimension.low, dimension.high):
                text = dimension.text(int(value) if dimension.whole else value)
                recipe(with_options(self.agent, {dimension.name: text}), self.game).make(0)

    def _default_folder(self) -> Path:
        import hashlib

        from playout import __version__
        from playout.compile.digest import rules

        files = tuple(recipe(spec, self.game).digest for spec in (self.agent, self.base))
        about = (
            (self.game.spec, rules(self.game), self.agent, self.base, files, self.dimensions, self.games, self.seed),
            (self.rules, BATCH, FINALISTS, __version__, *(["returns"] if self.by == "returns" and self.game.players > 1 else [])),
        )
        return Path(FOLDER) / f"tune-{self.game.name}-{hashlib.sha256(repr(about).encode()).hexdigest()[:10]}"

    def prepare(self) -> None:
        """Compile before the clock and the progress bar run."""
        for spec in (self.base, self.agent):
            recipe(spec, self.game).prepare()

    # the three stages

    def run(self, show: Show = lambda stage, done, tally: None) -> Tuning:
        """Explore, choose, confirm."""
        explored = self._explore(show)
        best = self._choose(explored, show)
        return self._confirm(best, show)

    def _explore(self, show: Show) -> list[Trial]:
        study, spread = _study(self.seed), _distributions(self.dimensions)
        batches = max(2, min(15, round(math.sqrt(EXPLORE * self.games) / 6)))
        games = max(2, round(EXPLORE * self.games / batches))
        for batch in range(batches):
            asked = [study.ask(spread) for _ in range(BATCH)]
            values = [self._values(trial.params) for trial in asked]
            found = self._play(f"explore-{batch:02d}", values, games, 1, show, f"exploring, batch {batch + 1} of {batches}")
            for trial, result in zip(asked, found):
                study.tell(trial, result.result)
        return list(self.trials)

    def _choose(self, explored: list[Trial], show: Show) -> Trial:
        """The best few again, on other deals; what they got before counts too."""
        ranked = sorted({t.agent: t for t in explored}.values(), key=lambda t: -t.result)[:FINALISTS]
        again = self._play("choose", [t.values for t in ranked], round(CHOOSE * self.games), 2, show, "the best few again")
        together = [
            (one.result * one.games + two.result * two.games) / max(1, one.games + two.games) for one, two in zip(ranked, again)
        ]
        return ranked[together.index(max(together))]

    def _confirm(self, best: Trial, show: Show) -> Tuning:
        games = max(20, self.games - self.done)
        standings = self._tournament("confirm", [best.values], games, 3, show, "confirming on fresh games")
        self._note(standings, [best.values], "confirm")
        pair = standings.pairs[0].turned()
        return Tuning(
            game=self.game.spec,
            base=self.base,
            unit="score" if standings.players == 1 else self.by,
            dimensions=tuple(self.dimensions),
            trials=tuple(self.trials),
            best=best.agent,
            values=best.values,
            confirmation=pair,
            confirmed=surely_better(pair, self.by),
            games=self.done,
            seed=self.seed,
            folder=str(self.folder),
        )

    # playing

    def _values(self, params: dict[str, Any]) -> dict[str, Any]:
        """What was proposed, rounded as it is written."""
        found: dict[str, Any] = {}
        for dimension in self.dimensions:
            value = params[dimension.name]
            found[dimension.name] = value if dimension.words or dimension.whole else float(dimension.text(value))
        return found

    def _spec(self, values: dict[str, Any]) -> str:
        return with_options(self.agent, {d.name: d.text(values[d.name]) for d in self.dimensions})

    def _play(self, name: str, values: list[dict[str, Any]], games: int, stage: int, show: Show, words: str) -> list[Trial]:
        standings = self._tournament(name, values, games, stage, show, words)
        return self._note(standings, values, STAGES[stage - 1])

    def _tournament(self, name: str, values: list[dict[str, Any]], games: int, stage: int, show: Show, words: str) -> Standings:
        """The base against some candidates; each stage has its own deals, the same for all batches of it."""
        seed = base_word(self.seed, TUNING_DEALS + stage - 1) >> 2
        agents = [self.base, *(self._spec(value) for value in values)]
        whole = Schedule(players=self.game.players, agents=len(agents), shape="gauntlet").per_round
        asked = max(1, round(games / whole)) * (1 if self.game.players == 1 else whole)
        with Tournament(
            self.game,
            agents,
            games=asked,
            shape="gauntlet",
            seed=seed,
            rules=self.rules,
            file=self.folder / f"{name}.db",
            fresh=self.fresh,
            fit=False,
            by=self.by,
            **self.where,
        ) as tournament:
            before, share = self.done / self.games, tournament.wanted / self.games
            tournament.run(lambda tally: show(words, before + share * tally.done / tally.wanted, tally))
            self.done += tournament.wanted
            return tournament.standings()

    def _note(self, standings: Standings, values: list[dict[str, Any]], stage: str) -> list[Trial]:
        found = []
        for row, value in zip(standings.agents[1:], values):
            result, low, high = _result(row, self.by)
            found.append(
                Trial(
                    agent=self._spec(value),
                    values=value,
                    stage=stage,
                    games=row.games,
                    result=result,
                    low=low,
                    high=high,
                    seconds_per_decision=row.seconds_per_decision,
                    faults=row.faults,
                )
            )
        self.trials += found
        return found


def surely_better(pair: PairRow, by: str) -> bool:
    """Whether the whole 95 % interval says that the first of two agents is better."""
    sure = pair.difference_low is not None and pair.difference_low > 0
    return sure if by == "returns" else sure and pair.low > 0.5


def _result(row: AgentRow | SoloRow, by: str) -> tuple[float, float | None, float | None]:
    if isinstance(row, SoloRow):
        return row.mean_score or 0.0, row.score_low, row.score_high
    if by == "returns":
        return row.mean_return or 0.0, row.return_low, row.return_high
    return row.points, row.low, row.high


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise PlayoutError("playout tune needs optuna; pip install 'playout[tune]'") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


def _study(seed: int) -> Any:
    """A seeded study whose sampler models all settings together and spreads out those that are asked for at once."""
    import warnings

    optuna = _optuna()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the options are marked experimental
        sampler = optuna.samplers.TPESampler(
            seed=seed % (1 << 32), multivariate=True, constant_liar=True, n_startup_trials=2 * BATCH
        )
        return optuna.create_study(direction="maximize", sampler=sampler)


def _distributions(dimensions: Sequence[Dimension]) -> dict[str, Any]:
    kinds = _optuna().distributions
    found: dict[str, Any] = {}
    for d in dimensions:
        if d.words:
            found[d.name] = kinds.CategoricalDistribution(d.words)
        elif d.whole:
            found[d.name] = kinds.IntDistribution(int(d.low), int(d.high), log=d.log)
        else:
            found[d.name] = kinds.FloatDistribution(d.low, d.high, log=d.log)
    return found


def tune(game: Game | str, agent: str, dimensions: Sequence[str], **options: Any) -> Tuning:
    """Find good settings: `tune("connect-four", "uct:simulations=200", ["c=0.1..3"], games=1000)`.

    The options are those of `Tuner`: games, against, seed, rules, folder, fresh, by, and workers, engine, address for the arena.
    """
    return Tuner(game, agent, dimensions, **options).run()
