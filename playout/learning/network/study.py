"""Learning from lessons that are all there: epochs over them, a rate that rises and falls, and a part held back to see how well it goes.

`learn_network` learns from what comes in while it plays; this is for imitation alone, and for what comes between two rounds of it. A study can be
stopped at any time and goes on from its last checkpoint to the same weights.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from playout.errors import FileError, PlayoutError
from playout.files import save
from playout.game.stream import BATCHES, seed_word
from playout.learning.network.batches import Bank
from playout.learning.network.needs import needed
from playout.learning.network.network import Network
from playout.learning.network.settings import NetworkSettings
from playout.learning.network.state import Part, read_part
from playout.learning.network.train import Trainer
from playout.learning.network.window import checksum

Array = np.ndarray[Any, Any]
FORMAT, VERSION = "playout study", 1
HELD = 0.02
"""The part of the games that is held back."""
MOST_HELD = 20_000
"""Positions that are looked at, at most, to see how well it goes."""
WARM, LOW = 0.03, 0.02
"""The part of the steps in which the rate rises, and what is left of it in the end."""
POINTS = 20
"""Points of the curve, at most one for each epoch."""


class Agreement(NamedTuple):
    """How well a network does on positions that it did not learn from."""

    positions: int
    agreed: float
    """How often its likeliest action is the one that the lesson gives most."""
    policy: float
    """The cross-entropy of the policy."""
    value: float
    """The mean square of the error of the values, which go from -1 to 1."""


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """What makes a study this one: with another, it does not go on."""

    settings: NetworkSettings
    epochs: int
    seed: int
    rows: int
    lessons: str
    """A digest of them."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A study between two steps."""

    format: str = FORMAT
    version: int = VERSION
    mark: Mark
    seconds: float
    history: list[dict[str, Any]]
    weights: Part


def study(
    network: Network,
    rows: Array,
    settings: NetworkSettings,
    *,
    epochs: int,
    seed: int = 0,
    kept: str | Path | None = None,
    minutes: float | None = None,
    every: float = 30.0,
    show: Callable[[str], None] | None = None,
) -> bool:
    """Teach a network what rows say, so many times over; whether it came to the end (False: `minutes` ran out, and `kept` holds where).

    The network is changed in place: what it plays by is the mean over the weights.
    """
    if epochs < 1:
        raise PlayoutError(f"epochs is {epochs}; give a whole number, 1 or more")
    if not len(rows):
        raise PlayoutError("there is nothing to learn from: the lessons have no decision with a choice")
    return Study(network, rows, settings, epochs, seed, None if kept is None else Path(kept), show or (lambda words: None)).go(
        minutes, every
    )


class Study:
    """One call of `study`."""

    def __init__(
        self,
        network: Network,
        rows: Array,
        settings: NetworkSettings,
        epochs: int,
        seed: int,
        kept: Path | None,
        show: Callable[[str], None],
    ) -> None:
        self.network, self.settings, self.epochs, self.seed, self.show = network, settings, epochs, seed, show
        held = held_back(rows)
        self.mark = Mark(settings=settings, epochs=epochs, seed=seed, rows=len(rows), lessons=checksum(rows.tobytes()))
        self.trainer = Trainer(network, settings, seed)
        self.bank = Bank(self.trainer.maker, rows[~held])
        self.held = Bank(self.trainer.maker, rows[held][:MOST_HELD])
        self.each = max(1, len(self.bank) // settings.sample)
        """Steps of an epoch."""
        self.steps = epochs * self.each
        self.kept, self.before, self.began = kept, 0.0, time.monotonic()
        self.history: list[dict[str, Any]] = []
        self._order: tuple[int, Array] = (-1, np.zeros(0, np.int64))
        if kept is not None:
            self._restore(kept)

    def go(self, minutes: float | None, every: float) -> bool:
        self.began = saved = time.monotonic()
        late = float("inf") if minutes is None else self.began + 60 * minutes
        points = {round(self.steps * (i + 1) / min(POINTS, self.epochs)) for i in range(min(POINTS, self.epochs))}
        while self.trainer.steps < self.steps:
            # In pieces: between them somebody may look at the clock.
            found = []
            with self.network._alone():
                for _ in range(PIECE):
                    found.append(self._step())
                    if self.trainer.steps in points or self.trainer.steps >= self.steps:
                        break
            self.trainer.note(found)
            if self.trainer.steps in points:
                self._look()
            now = time.monotonic()
            if now >= late and self.trainer.steps < self.steps:
                self._save()
                return False
            if now - saved >= every:
                self._save()
                saved = now
        self._tell()
        if self.kept is not None:
            self._save()
        return True

    def _step(self) -> Any:
        done = self.trainer.steps
        epoch, place = divmod(done, self.each)
        if self._order[0] != epoch:
            lots = np.random.default_rng([seed_word(self.seed, BATCHES, epoch)])
            self._order = epoch, lots.permutation(len(self.bank))
        size = self.settings.sample
        places = self._order[1][place * size : (place + 1) * size]
        self.trainer.optimizer.rate = self.settings.rate * rate_at(done, self.steps)
        lots = np.random.default_rng([seed_word(self.seed, BATCHES, epoch), place])
        return self.trainer.step(self.trainer.maker.mirrored(self.bank.batch(places), lots))

    @property
    def seconds(self) -> float:
        """Of all calls together."""
        return self.before + time.monotonic() - self.began

    def _look(self) -> None:
        """A point of the curve."""
        found, losses = agreement(self.network, self.held), self.trainer.losses.taken()
        self.history.append(
            {
                "steps": self.trainer.steps,
                "seconds": round(self.seconds, 1),
                "trained": None if losses is None else [round(one, 4) for one in losses],
                "held": {name: round(value, 4) for name, value in found._asdict().items()},
            }
        )
        self.show(
            f"step {self.trainer.steps:,} of {self.steps:,}, {self.seconds:.0f} s: agrees with {100 * found.agreed:.1f} % of {found.positions:,} "
            f"decisions held back; policy {found.policy:.3f}, value {found.value:.4f}"
            + ("" if losses is None else f" (trained on: {losses[0]:.3f}, {losses[1]:.4f})")
        )

    def _tell(self) -> None:
        """Leave in the network what its file should say."""
        self.network.history = [*self.network.history, *self.history]
        self.network.trained = {
            **self.network.trained,
            "by": "imitation",
            "decisions": self.mark.rows,
            "epochs": self.epochs,
            "steps": self.trainer.steps,
            "seconds": round(self.seconds, 1),
            "seed": self.seed,
            "settings": msgspec.to_builtins(self.settings),
        }

    # what is kept

    def _save(self) -> None:
        if self.kept is None:
            return
        data = self.trainer.pack()
        part = Part(f"{self.kept.name}-{self.trainer.steps:09d}.weights", checksum(data))
        save(self.kept.with_name(part.name), data)
        told = Kept(mark=self.mark, seconds=self.seconds, history=self.history, weights=part)
        save(self.kept, msgspec.json.format(msgspec.json.encode(told), indent=1))
        for file in self.kept.parent.glob(f"{self.kept.name}-*.weights"):
            if file.name != part.name:
                with contextlib.suppress(OSError):
                    file.unlink()

    def _restore(self, path: Path) -> None:
        try:
            told = msgspec.json.decode(path.read_bytes(), type=Kept)
        except FileNotFoundError:
            return
        except (OSError, msgspec.MsgspecError) as error:
            raise FileError(f"{str(path)!r} cannot be gone on with ({error}); delete it to begin anew") from None
        if told.mark != self.mark:
            raise PlayoutError(
                f"the study in {str(path)!r} has other settings, lessons or another seed; ask for the same, or delete it to begin anew"
            )
        self.trainer.unpack(read_part(path.parent, told.weights))
        self.before, self.history = told.seconds, told.history
        self.show(f"going on after step {self.trainer.steps:,} of {self.steps:,}")


PIECE = 20
"""Steps between two looks at the clock."""


def rate_at(step: int, steps: int) -> float:
    """The part of the rate that a step has: up in a straight line, and down as a cosine (Loshchilov, Hutter 2017)."""
    warm = max(1, round(WARM * steps))
    if step < warm:
        return (step + 1) / warm
    return LOW + (1 - LOW) * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))


def held_back(rows: Array) -> Array:
    """Which rows are held back: those of whole games, since two positions of one game know each other.

    By the number of the game alone: with further lessons behind them, those that were held back still are.
    """
    # The last decision of a game is the one with one decision left, itself.
    last = rows["left"] == 1
    game = np.cumsum(last) - last
    held = np.random.default_rng([seed_word(0, BATCHES)]).random(int(game[-1]) + 1) < HELD
    if len(held) > 1 and not held.any():
        held[0] = True
    found: Array = held[game]
    return found


def agreement(network: Network, bank: Bank) -> Agreement:
    """How well a network does on rows."""
    torch = needed("torch")
    agreed = policy = value = 0.0
    valued = 0
    if not len(bank):
        return Agreement(0, math.nan, math.nan, math.nan)
    for first in range(0, len(bank), 4096):
        batch = bank.batch(np.arange(first, min(first + 4096, len(bank))))
        logits, values = (torch.from_numpy(part).to(network.device) for part in network.ask(batch.seen.cpu().numpy()))
        shares = torch.log_softmax(logits.masked_fill(~batch.legal, -1e9), dim=1)
        agreed += float((shares.argmax(dim=1) == batch.policy.argmax(dim=1)).sum())
        policy -= float((batch.policy * shares).sum())
        known = ~torch.isnan(batch.values)
        value += float((values - torch.nan_to_num(batch.values)).square()[known].sum())
        valued += int(known.sum())
    return Agreement(len(bank), agreed / len(bank), policy / len(bank), value / max(1, valued))
