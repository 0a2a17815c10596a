"""A run of learning: self-play, window, training, and now and then the strength; what is kept on disk, so that any end is only a pause.

A run is a chain of generations: each plays so many decisions with the weights as they are, and then trains. What happens in one depends on
the seed, the settings and what is there when it begins; all of that is written every so often, whole or not at all. Whoever is killed goes on
from there, and reaches the same weights as a run that nobody disturbed.
"""

from __future__ import annotations

import contextlib
import copy
import math
import time
from pathlib import Path
from typing import Any

import msgspec

from playout.errors import FileError
from playout.game.game import Game
from playout.game.stream import STEPS, WEIGHTS, Stream, seed_word
from playout.learning.evaluate import Evaluation
from playout.learning.network.imitate import Stored, Teacher
from playout.learning.network.lessons import Lessons
from playout.learning.network.network import Network
from playout.learning.network.result import PARTS, NetworkProgress, NetworkResult, Show
from playout.learning.network.searching import Together
from playout.learning.network.selfplay import SelfPlay
from playout.learning.network.settings import NetworkSettings
from playout.learning.network.state import Kept, save_run
from playout.learning.network.strength import Ladder, worse
from playout.learning.network.targets import read_targets
from playout.learning.network.train import Trainer
from playout.learning.network.watched import Watched
from playout.learning.network.window import Window
from playout.learning.run import Point

GROWTH = 1.35
"""The curve is measured whenever the generations have grown by this factor: by their number and not by a clock, so that a run that was
interrupted has the same points."""
MOST_LADDER = 0.3
"""Unless measuring has taken more than this part of the time so far, as in long games with slow opponents: then the next point comes later."""
FIRST_POINT = 8
GATE_ROUNDS = 40
WIDE = 2048
"""Games abreast with which an H200 makes more than twice the moves a second that it makes with 512 (docs/networks.md)."""


def is_point(generation: int) -> bool:
    """Whether the curve is measured after so many generations."""
    point = FIRST_POINT
    while point < generation:
        point = math.ceil(point * GROWTH)
    return point == generation


class Run:
    """One call of `learn_network`."""

    def __init__(
        self,
        game: Game,
        folder: Path,
        out: Path | None,
        kept: Kept | None,
        given: NetworkSettings,
        seed: int,
        device: str,
        threads: int,
        every: float,
        module: Any,
        show: Show | None,
        compiled: bool,
        lessons: Teacher | Stored | Lessons | None,
    ) -> None:
        self.game, self.folder, self.out, self.every = game, folder, out, every
        self.settings, self.seed = (given, seed) if kept is None else (kept.settings, kept.seed)
        self.show = show or (lambda progress: None)
        made = self.settings
        self.network = self._network(module, device, threads, compiled)
        self.trainer = Trainer(self.network, made, self.seed)
        # Where new weights have to pass a gate, those that play are others than those of training.
        self.player = self._network(module, device, threads, compiled) if made.gate else self.network
        self.watched = Watched(self.player)
        self.selfplay = SelfPlay(game, self.watched, made, self.seed, compiled=compiled)
        self.together, self.candidate = (
            Together(game, one, made.simulations, root="puct", explore=made.explore, compiled=compiled)
            for one in (self.player, self.network)
        )
        self.ladder = Ladder(game, made.rungs, self.seed)
        self.window = Window(folder, game, made.window, () if kept is None else kept.shards)
        self.notes = [*self.window.notes, *([self.selfplay.note] if self.selfplay.note else [])]
        if self.network.device.type == "cuda" and made.abreast < WIDE:
            self.notes.append(
                f"{made.abreast} games abreast leave most of a GPU idle; --abreast {WIDE} --sample {WIDE} uses it better"
            )
        self.generation, self.curve, self.before = 0, [], dict.fromkeys(PARTS, 0.0)
        self.lessons, self.lessons_name, self.taught = lessons, "" if lessons is None else lessons.name, 0
        if kept is not None:
            self.lessons_name, self.taught = kept.lessons, kept.taught
            self.generation, self.curve, self.before = kept.generation, list(kept.curve), dict(kept.seconds)
            kept.restore(folder, self.trainer, self.selfplay, self.player if made.gate else None)
        self.spent = dict.fromkeys(PARTS, 0.0)
        self.losses: tuple[float, float] | None = None
        self.begun, self.steps_before = self.selfplay.decided, self.trainer.steps
        self.saved = time.monotonic()
        self.started = time.perf_counter()
        self.target = float("inf")
        self.limit: int | None = None

    def _network(self, module: Any, device: str, threads: int, compiled: bool) -> Network:
        """A network as training begins with it."""
        seed = seed_word(self.seed, WEIGHTS) >> 2
        own = copy.deepcopy(module)
        words: dict[str, Any] = {"device": device, "threads": threads, "seed": seed, "compiled": compiled}
        return Network(self.game, own, size=self.settings.size, targets=read_targets(self.settings.targets), **words)

    # the loop

    def go(self, minutes: float | None, generations: int | None) -> tuple[Network, NetworkResult]:
        self.target, self.limit = float("inf") if minutes is None else 60 * minutes, generations
        stopped = "done"
        for note in self.notes:
            self._tell(note)
        try:
            self.selfplay.prepare()
            self.started = time.perf_counter()
            self._look()
            while not self._enough:
                self._generate()
                self._look()
                self._checkpoint()
                self._tell()
            if not self._measured:
                self._measure()
        except KeyboardInterrupt:
            stopped = "interrupted"
        self._save(stopped)
        return self.player, self._result(stopped)

    @property
    def _measured(self) -> bool:
        """Whether the curve has a point here."""
        return bool(self.curve) and self.curve[-1].generation == self.generation

    def _look(self) -> None:
        """Measure, where the curve is to have a point that it has not; a run may have ended in the midst of that."""
        wanted = self.settings.rungs and is_point(self.generation) and not self._measured
        if wanted and self._shares()["ladder"] <= MOST_LADDER:
            self._measure()

    @property
    def seconds(self) -> float:
        """Of all runs together; compiling is not counted."""
        return sum(self.before.values()) + time.perf_counter() - self.started

    @property
    def _enough(self) -> bool:
        return self.seconds >= self.target or (self.limit is not None and self.generation >= self.limit)

    def _generate(self) -> None:
        """One generation: play, keep, train; imitate, while there is somebody to imitate."""
        made = self.settings
        rows = self._imitated() if self.imitating else self.selfplay.play(made.generation)
        with self._timed("files"):
            self.window.append(rows)
        with self._timed("training"):
            if len(self.window) >= made.sample:
                self.trainer.train(self.window, self.generation, self._steps(len(rows)))
        self.losses = self.trainer.losses.taken() or self.losses
        self.generation += 1
        if made.gate and self.generation % made.gate == 0:
            self._gate()

    def _steps(self, rows: int) -> int:
        """Steps of training for so many new rows; where it is less than one, one is made as often as that by lot."""
        steps = rows * self.settings.reuse / self.settings.sample
        return round(steps) if steps >= 1 else int(Stream(self.seed, STEPS, self.generation).uniform() < steps)

    def _gate(self) -> None:
        """Let the weights of training play against those of self-play, which they replace unless they are found worse."""
        with self._timed("gate"):
            number = self.generation // self.settings.gate
            if not worse(self.candidate, self.together, GATE_ROUNDS, self.seed, number):
                self.player.module.load_state_dict(self.network.module.state_dict())

    @property
    def imitating(self) -> bool:
        """Whether there are lessons left; below 0 says that they are over."""
        return self.lessons is not None and self.taught >= 0

    def _imitated(self) -> Any:
        assert self.lessons is not None
        with self._timed("teacher"):
            rows, games = self.lessons.rows(self.taught)
        self.taught += games
        if self.taught >= self.lessons.games:
            self.taught = -1
        return rows

    @contextlib.contextmanager
    def _timed(self, part: str) -> Any:
        began = time.perf_counter()
        try:
            yield
        finally:
            self.spent[part] += time.perf_counter() - began

    def _measure(self) -> None:
        """A point of the curve. It may take long, so what was learned is written before."""
        if self.generation:
            self._save("")
        with self._timed("ladder"):
            found = self.ladder.measure(self.together, self.generation)
        self.curve.append(Point(self.selfplay.finished, len(self.window), found, self.generation, self.seconds))
        self._tell()

    # what is kept

    def _checkpoint(self) -> None:
        if time.monotonic() - self.saved >= self.every:
            self._save("")

    def _save(self, stopped: str) -> None:
        """Written whole or not at all: a full disk costs this checkpoint and not the last one."""
        with self._timed("files"):
            # The end that Ctrl-C made is inside a generation, whose beginning is what the last checkpoint holds.
            if stopped != "interrupted":
                try:
                    player = self.player if self.settings.gate else None
                    save_run(self.folder, self._kept(), self.trainer, self.selfplay, self.window, player)
                except FileError as error:
                    self.notes.append(f"no checkpoint after {self.generation:,} generations: {error}")
                    self._tell(self.notes[-1])
            self.player.trained = self._trained()
            self.player.history = [msgspec.to_builtins(point) for point in self.curve]
            if self.out is not None:
                self.player.save(self.out)
        self.saved = time.monotonic()

    def _kept(self) -> Kept:
        return Kept.of(
            self.game,
            self.settings,
            self.seed,
            self.generation,
            self._parts(),
            self.curve,
            self.window.shards,
            self.lessons_name,
            self.taught,
        )

    def _parts(self) -> dict[str, float]:
        """Seconds of every part, of all runs together."""
        play, together = self.selfplay, self.selfplay.together
        now = {
            **self.spent,
            "trees": together.in_trees,
            "encoding": self.watched.encoding,
            "network": self.watched.asking,
            "rules": max(0.0, play.seconds - together.in_trees - together.outside),
        }
        return {name: self.before.get(name, 0.0) + now[name] for name in PARTS}

    def _trained(self) -> dict[str, Any]:
        """For the head of the network's file."""
        play = self.selfplay
        return {
            "by": f"imitation of {self.lessons_name}, then self-play" if self.lessons_name else "self-play",
            "games": play.finished,
            "decisions": play.decided,
            "generations": self.generation,
            "steps": self.trainer.steps,
            "seconds": round(self.seconds, 1),
            "seed": self.seed,
            "settings": msgspec.to_builtins(self.settings),
        }

    # what is told

    def _tell(self, note: str = "") -> None:
        self.show(
            NetworkProgress(
                seconds=self.seconds,
                target=self.target,
                generation=self.generation,
                generations=self.limit,
                games=self.selfplay.finished,
                decisions=self.selfplay.decided,
                positions=len(self.window),
                per_second=self._rate(self.selfplay.decided - self.begun),
                trained_per_second=self._rate((self.trainer.steps - self.steps_before) * self.settings.sample),
                shares=self._shares(),
                losses=self.losses,
                curve=self.curve,
                note=note,
            )
        )

    def _rate(self, count: int) -> float:
        return count / max(time.perf_counter() - self.started, 1e-9)

    def _shares(self) -> dict[str, float]:
        parts = self._parts()
        whole = max(sum(parts.values()), 1e-9)
        return {name: seconds / whole for name, seconds in parts.items()}

    def _result(self, stopped: str) -> NetworkResult:
        last: Evaluation | None = self.curve[-1].evaluation if self.curve else None
        return NetworkResult(
            game=self.game.spec,
            seed=self.seed,
            device=str(self.network.device),
            weights=self.network.head.weights,
            generations=self.generation,
            games=self.selfplay.finished,
            decisions=self.selfplay.decided,
            trained=self.trainer.steps * self.settings.sample,
            seconds=self.seconds,
            decisions_per_second=self._rate(self.selfplay.decided - self.begun),
            trained_per_second=self._rate((self.trainer.steps - self.steps_before) * self.settings.sample),
            shares=self._shares(),
            against={} if last is None else dict(last.against),
            losing_lines=[] if last is None else last.losing_lines,
            curve=self.curve,
            settings=self.settings,
            notes=self.notes,
            out=None if self.out is None else str(self.out),
            stopped=stopped,
        )
