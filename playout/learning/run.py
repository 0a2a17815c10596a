"""`learn`: from a game to a policy, with checkpoints, a learning curve and the truth about it at the end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from playout.errors import FileError, PlayoutError
from playout.game.game import Game
from playout.game.load import load
from playout.learning.evaluate import Evaluation, Judge, Seats
from playout.learning.learner import Learner, asking, fitted
from playout.learning.policy import Policy
from playout.learning.settings import Settings, from_preset
from playout.learning.shards import Shards

EPISODES = 500_000
POINTS = 40
"""Points of the learning curve."""
QUICK = 50_000
"""Positions up to which the curve is exact; beyond, its points are sampled and only the end is exact."""
QUICK_PLAINLY = 500
"""The same for rules that are not compiled; beyond, only the end is measured."""
CURVE_GAMES = 200
SAMPLED_EVERY = 3
"""Where the curve is sampled, only every so many points of it are."""
SLICE_SECONDS = 0.2
"""How long the kernel runs between two looks at the clock."""
SAVING_SHARE = 10
"""A checkpoint is not made before so many times as long has passed as the last one took."""


class Point(msgspec.Struct, frozen=True, omit_defaults=True):
    """The greedy policy after some episodes; of a network, its play with search after some games."""

    episodes: int
    entries: int
    evaluation: Evaluation
    generation: int = 0
    """Of a network: how often it was trained."""
    seconds: float = 0.0
    """Of a network: how long it had learned by then, measuring included."""


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """Where learning stands, for whoever watches."""

    episodes: int
    target: int
    seconds: float
    per_second: float
    entries: int
    bytes: int
    point: Point | None
    """The last point of the curve."""
    note: str = ""
    """Something that went wrong and is not the end, as a checkpoint that could not be written."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What `playout learn --json` prints."""

    game: str
    rule: str
    episodes: int
    seconds: float
    """Of learning alone: without compiling, evaluating and writing files; of this run where it was resumed."""
    episodes_per_second: float
    entries: int
    losing_lines: list[int | None]
    """As first and as second player: lines of play, over all replies, in which the greedy policy loses; None where too many."""
    against: dict[str, Seats | None]
    exact: bool
    """Whether `against` is exact; else `games` were sampled for each seat, and the intervals are 95 % ones."""
    games: int
    why: str
    """Why they were sampled."""
    lines: list[int | None]
    value: list[float] | None
    seed: int
    bytes_per_entry: float
    """Empty places included."""
    collisions: int
    """Different states that were found to share a key; each got a value of its own."""
    dropped: int
    """Updates of new states that found the table full."""
    settings: Settings
    curve: list[Point]
    out: str | None = None
    stopped: str = "done"

    def _repr_html_(self) -> str:
        from playout.report.notebook import learning_cell

        return learning_cell(self)


@dataclass(frozen=True)
class Learned:
    """A policy and the report on it."""

    policy: Policy
    result: Result

    def _repr_html_(self) -> str:
        return self.result._repr_html_()


Show = Callable[[Progress], None]


def learn(
    game: Game | str | Path,
    *,
    episodes: int | None = None,
    preset: str = "best",
    out: str | Path | None = None,
    resume: str | Path | None = None,
    every: float = 30.0,
    threads: int | None = None,
    games: int = 2000,
    show: Show | None = None,
    **words: Any,
) -> Learned:
    """Learn a game by playing it. `words` are any fields of `playout.learning.Settings`; without them, the best known.

    `out` is written at the end and every so many seconds; `resume` goes on with such a file, to `episodes` in all, and
    learns exactly what an uninterrupted run would have learned. `games` are sampled where exact evaluation is not possible.

    >>> from playout.learning import learn
    >>> learned = learn("tic-tac-toe", episodes=50_000)
    >>> learned.result.losing_lines
    [0, 0]
    """
    rules = load(game)
    if episodes is not None and not 1 <= episodes <= 1 << 40:
        raise PlayoutError(f"episodes is {episodes}; give a whole number from 1 to 2**40")
    if not every > 0:
        raise PlayoutError(f"every is {every}; give the seconds between two checkpoints, above 0")
    if games < 1:
        raise PlayoutError(f"games is {games}; sample at least 1")
    old = None if resume is None else Policy.load(resume, rules)
    if old is None:
        made, target = fitted(rules, from_preset(preset, **words), episodes or EPISODES), episodes or EPISODES
    else:
        made, target = _resumed(old, str(resume), preset, words), episodes or old.target
        if target < old.episodes:
            raise PlayoutError(
                f"{str(resume)!r} has {old.episodes:,} episodes already, more than the {target:,} asked for; give more"
            )
    if made.shards > 1 and target % made.round:
        raise PlayoutError(
            f"episodes is {target:,}, no whole number of rounds of {made.round:,}; with shards give a multiple, or another round"
        )
    run = _Run(rules, made, target, old, out, every, threads, games, show)
    return run.go()


def _resumed(old: Policy, file: str, preset: str, words: dict[str, Any]) -> Settings:
    """The settings of the file; what was asked for and differs is shown, and refused."""
    given = {**words}
    if preset != "best":
        from playout.learning.settings import PRESETS

        given = {**PRESETS.get(preset, {}), **given}
    asked = from_preset(**given) if preset in ("best",) else from_preset(preset, **words)
    had, differ = old.settings, []
    fit = fitted(old.game, asked, old.settings.horizon)
    for name in given:
        mine, its = getattr(fit, name), getattr(had, name)
        if mine != its:
            differ.append(f"{name} is {its} there and {mine} here")
    if differ:
        raise PlayoutError(
            f"{file!r} was learned with other settings: {'; '.join(differ)}. Leave them out to go on, or begin anew"
        )
    return had


class _Run:
    """One call of `learn`."""

    def __init__(
        self,
        game: Game,
        made: Settings,
        target: int,
        old: Policy | None,
        out: str | Path | None,
        every: float,
        threads: int | None,
        games: int,
        show: Show | None,
    ) -> None:
        self.game, self.settings, self.target, self.old = game, made, target, old
        self.out, self.every, self.games = None if out is None else Path(out), every, games
        self.show = show or (lambda progress: None)
        self.learner = self._learner(threads)
        self.judge = Judge(game, symmetric=made.symmetry == "on")
        self.curve = _curve_of(old)
        self.seconds, self.begun, self.note = 0.0, self.learner.episode, ""
        self.saved, self.saving = time.monotonic(), 0.0

    def _learner(self, threads: int | None) -> Learner:
        if self.settings.shards > 1:
            learner: Learner = Shards(self.game, self.settings, threads=threads)
        else:
            learner = Learner(self.game, self.settings, asked=asking(self.game, self.settings))
        learner.prepare()
        if self.old is not None:
            self.old.pour(learner)
            learner.episode = self.old.episodes
            learner.past = list(self.old.past)
            learner.set_counts(self.old.counts)
        return learner

    def go(self) -> Learned:
        stopped = "done"
        if self.out is not None and not self.out.absolute().parent.is_dir():
            raise FileError(
                f"{str(self.out)!r} cannot be written: there is no folder {str(self.out.parent)!r}; make it or choose another place"
            )
        try:
            self._learn()
        except KeyboardInterrupt:
            stopped = "interrupted"
        policy = self._policy()
        if self.out is not None:
            self.out = policy.save(self.out)
        found = self.judge.evaluate(self.learner, self.games)
        # The end that Ctrl-C made is no point of the curve that is stored: an undisturbed run has none there.
        if not self.curve or self.curve[-1].episodes != policy.episodes:
            self.curve.append(Point(policy.episodes, self.learner.entries, found))
        return Learned(policy, self._result(policy, found, stopped))

    def _policy(self) -> Policy:
        before = 0.0 if self.old is None else self.old.seconds
        curve = tuple(msgspec.to_builtins(point) for point in self.curve)
        return Policy.of(self.learner, self.target, before + self.seconds, curve)

    def _learn(self) -> None:
        learner, slice_ = self.learner, 200
        had = {point.episodes for point in self.curve}
        for number, point in enumerate(_points(self.target, self.settings)):
            # A checkpoint may have been written at a point, and before it was measured.
            if point < learner.episode or point in had:
                continue
            while learner.episode < point:
                stop = point if self.settings.shards > 1 else min(point, learner.episode + slice_)
                began = time.perf_counter()
                learner.run(stop)
                took = time.perf_counter() - began
                self.seconds += took
                if took < SLICE_SECONDS:
                    slice_ = min(2 * slice_, 1 << 24)
                elif took > 2 * SLICE_SECONDS:
                    slice_ = max(1, slice_ // 2)
                self._checkpoint()
                self._tell()
            if self._exact or (self.game.compiled and number % SAMPLED_EVERY == 0):
                self.curve.append(Point(point, learner.entries, self._look()))
                self._tell()

    @property
    def _exact(self) -> bool:
        """Whether the points of the curve are exact."""
        quick = QUICK if self.game.compiled else QUICK_PLAINLY
        return self.judge.solved is not None and len(self.judge.solved.positions) <= quick

    def _look(self) -> Evaluation:
        return self.judge.evaluate(self.learner) if self._exact else self.judge.sample(self.learner, CURVE_GAMES)

    def _checkpoint(self) -> None:
        """Written whole or not at all: a full disk costs this checkpoint and not the last one."""
        now = time.monotonic()
        if self.out is None or now - self.saved < max(self.every, SAVING_SHARE * self.saving):
            return
        try:
            self.out = self._policy().save(self.out)
            self.note = ""
        except FileError as error:
            self.note = f"no checkpoint after {self.learner.episode:,} episodes: {error}; the last one that was written is whole"
        self.saved = time.monotonic()
        self.saving = self.saved - now

    def _tell(self) -> None:
        learner = self.learner
        self.show(
            Progress(
                episodes=learner.episode,
                target=self.target,
                seconds=self.seconds,
                per_second=(learner.episode - self.begun) / max(self.seconds, 1e-9),
                entries=learner.entries,
                bytes=learner.bytes,
                point=self.curve[-1] if self.curve else None,
                note=self.note,
            )
        )

    def _result(self, policy: Policy, found: Evaluation, stopped: str) -> Result:
        learner = self.learner
        return Result(
            game=self.game.spec,
            rule=self.settings.rule,
            episodes=policy.episodes,
            seconds=self.seconds,
            episodes_per_second=(policy.episodes - self.begun) / max(self.seconds, 1e-9),
            entries=learner.entries,
            losing_lines=found.losing_lines,
            against=found.against,
            exact=found.exact,
            games=found.games,
            why=found.why,
            lines=found.lines,
            value=found.value,
            seed=self.settings.seed,
            bytes_per_entry=learner.bytes / max(1, learner.entries),
            collisions=learner.counts["collisions"],
            dropped=learner.counts["dropped"],
            settings=self.settings,
            curve=self.curve,
            out=None if self.out is None else str(self.out),
            stopped=stopped,
        )


def _curve_of(old: Policy | None) -> list[Point]:
    """The learning curve of the run that is resumed."""
    try:
        return [] if old is None else msgspec.convert(list(old.curve), list[Point])
    except msgspec.ValidationError as error:
        assert old is not None
        raise FileError(
            f"policy file {old.file!r} is damaged: its learning curve cannot be read ({error}); learn it again"
        ) from None


def _points(target: int, made: Settings) -> list[int]:
    """Where the curve is measured: densely at first, where most is learned."""
    raw = [round(target * (i / POINTS) ** 2) for i in range(1, POINTS)]
    if made.shards > 1:
        raw = [point // made.round * made.round for point in raw]
    return [*sorted({point for point in raw if 0 < point < target}), target]
