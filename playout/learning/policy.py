"""A learned policy: the values, how they came about, and how to ask them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from playout.compile.records import slack
from playout.engine.learned import ENTRY, LearnedArrays
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import PICKS, Stream
from playout.learning.learner import Learner, Values, action_marks
from playout.learning.settings import Settings
from playout.planner.learned import Learned, check_zero_sum

Array = np.ndarray[Any, Any]
FINGERPRINT_GAMES = 4
FINGERPRINT_STEPS = 200


@dataclass(frozen=True, eq=False)
class Policy:
    """What was learned. `policy.rate(state)` values the legal actions, `policy.choose(state)` takes the best."""

    game: Game
    settings: Settings
    episodes: int
    """Episodes learned from."""
    target: int
    """Episodes that were asked for; fewer were played where it was interrupted."""
    entries: Array
    """The table in a fixed order: key, value, count and check of every state; empty with patterns."""
    weights: Array
    """The weight of every pattern; empty with a table."""
    past: tuple[Array, ...] = ()
    """Frozen past selves, which resuming needs."""
    counts: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    curve: tuple[dict[str, Any], ...] = ()
    """The learning curve so far, point by point as plain data, so that a resumed run has the same one; `playout.learning.run` reads it."""
    file: str = ""
    """Where it was read from."""

    @classmethod
    def of(cls, learner: Learner, target: int, seconds: float, curve: tuple[dict[str, Any], ...] = ()) -> Policy:
        """What a learner knows now."""
        patterned = learner.settings.values == "patterns"
        return cls(
            game=learner.game,
            settings=learner.settings,
            episodes=learner.episode,
            target=target,
            entries=np.zeros(0, ENTRY) if patterned else learner.contents(),
            weights=learner.weights.copy() if patterned else np.zeros(0),
            past=tuple(learner.past),
            counts=learner.counts,
            seconds=seconds,
            curve=curve,
        )

    def __repr__(self) -> str:
        return f"<policy of {self.game.spec}: {self.size:,} values, {self.settings.rule}, {self.episodes:,} episodes>"

    @property
    def size(self) -> int:
        """How many values, or weights that have moved, there are."""
        return len(self.entries) or int(np.count_nonzero(self.weights))

    @cached_property
    def values(self) -> Values:
        """The values in a form that can be asked."""
        values = Values(self.game, self.settings)
        self.pour(values)
        return values

    def pour(self, values: Values) -> None:
        """Fill a learner, or values, with what this policy knows."""
        if self.settings.values == "patterns":
            values.weights[:] = self.weights
        else:
            values.fill(self.entries)

    def rate(self, state: State) -> dict[int, tuple[float, int]]:
        """What each legal action is worth to the mover, and how often that was updated (0 with patterns)."""
        return self.values.rate(state)

    def best(self, state: State) -> list[int]:
        """The legal actions of the highest value."""
        rated = self.rate(state)
        most = max(value for value, _ in rated.values())
        return [action for action, (value, _) in rated.items() if value == most]

    def choose(self, state: State, stream: Stream | None = None) -> int:
        """The greedy action; of several best ones one from the stream, or the first."""
        best = self.best(state)
        return best[0] if stream is None else best[stream.below(len(best))]

    @cached_property
    def learned(self) -> Learned:
        """The values for a search, which takes the policy itself: `playout.Search(game, value=policy)`."""
        check_zero_sum(self.game)
        values, settings = self.values, self.settings
        return Learned(
            name=self.file or repr(self),
            arrays=LearnedArrays(values.table, values.weights, action_marks(self.game, settings)),
            by_patterns=settings.values == "patterns",
            canonical=settings.symmetry == "on",
            apart=settings.tables == "each",
        )

    def save(self, file: str | Path) -> Path:
        """Write it as readable JSON, or compactly where the name ends in .npz."""
        from playout.learning.store import save_policy

        return save_policy(self, file)

    @staticmethod
    def load(file: str | Path, game: Game | str | None = None) -> Policy:
        """Read a policy; of the game given, or of the one that it names."""
        from playout.learning.store import load_policy

        return load_policy(file, game)


def fingerprint(game: Game) -> str:
    """How a game behaves, in few letters: a few random games with their legal actions, keys and returns.

    Unlike a digest of the rules' code it is the same for every version of Python, so policies can be passed on.
    """
    hasher = hashlib.sha256(repr((game.players, game.actions, game.pattern_weights)).encode())
    for seed in range(FINGERPRINT_GAMES):
        state, stream = game.start(seed), Stream(seed, PICKS)
        for _ in range(FINGERPRINT_STEPS):
            told: list[Any] = [state.mover, sorted(state.legal), [f"{v:.9g}" for v in state.returns]]
            told += [int(game.functions[role](state.fields)) for role in ("key", "canonical") if game.has(role)]
            if game.has("patterns"):
                out = np.zeros(slack(game.most_patterns), np.int64)
                told.append(sorted(out[: int(game.functions["patterns"](state.fields, 0, out))].tolist()))
            hasher.update(repr(told).encode())
            if state.over:
                break
            legal = sorted(state.legal)
            state = state.play(legal[stream.below(len(legal))])
    return hasher.hexdigest()[:24]
