"""Parallel learning, learners side by side. In every round each shard goes on from the merged values with episodes of its own, and then they merge.

What is learned depends on the number of shards and on the round, never on the number of threads that do the work.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from playout.compile.patience import gather
from playout.cores import usable_cores
from playout.errors import PlayoutError
from playout.game.game import Game
from playout.learning.learner import Learner
from playout.learning.settings import Settings
from playout.learning.table import empty, merge, places_for, room_in


class Shards(Learner):
    """A learner whose episodes are shared out: shard s of k plays the episodes s, s + k, s + 2k, ... of a round."""

    def __init__(self, game: Game, settings: Settings, *, threads: int | None = None) -> None:
        super().__init__(game, settings)
        self.shards = [Learner(game, settings) for _ in range(settings.shards)]
        for shard in self.shards:
            shard.stride = settings.shards
        self.threads = min(settings.shards, threads or usable_cores())
        self._merge = self.binding.kernel(merge)

    def prepare(self) -> None:
        super().prepare()
        before, tally = empty(1), np.zeros(1, np.int64)
        self._merge(empty(1), before, empty(1), False, tally)

    def run(self, until: int) -> None:
        """Whole rounds until so many episodes are done."""
        if until % self.settings.round:
            raise PlayoutError(
                f"{until:,} episodes are no whole number of rounds of {self.settings.round:,}; with shards give a multiple, or another round"
            )
        while self.episode < until:
            self._round()

    def _round(self) -> None:
        begin, end = self.episode, self.episode + self.settings.round
        before = self.counts
        for number, shard in enumerate(self.shards):
            shard.table, shard.weights = self.table.copy(), self.weights.copy()
            for name in ("used", "room", "full"):
                shard._head[0][name] = self._head[0][name]
            shard.set_counts(dict.fromkeys(before, 0))
            shard.episode = begin + number
        with ThreadPoolExecutor(self.threads) as crew:
            gather([crew.submit(shard.run, end) for shard in self.shards])
        self._gather()
        self.set_counts({name: count + sum(shard.counts[name] for shard in self.shards) for name, count in before.items()})
        self.episode = end

    def _gather(self) -> None:
        """Add the shards up, always in the same order."""
        if self.settings.values == "patterns":
            self.weights = np.mean([shard.weights for shard in self.shards], axis=0)
            return
        before, head = self.table, self._head[0]
        used = int(head["used"])
        places = places_for(used + sum(int(shard._head[0]["used"]) - used for shard in self.shards))
        merged, tally = empty(max(places, len(before))), np.zeros(max(places, len(before)), np.int64)
        self._put(merged, before)
        for shard in self.shards:
            used += int(self._merge(merged, before, shard.table, self.settings.lr.startswith("1/n"), tally))
        fitting = places_for(used)
        if fitting < len(merged):
            # Shards found the same states, so less room is needed than was feared.
            smaller = empty(fitting)
            self._put(smaller, merged)
            merged = smaller
        self.table = merged
        head["used"], head["room"] = used, room_in(len(merged))
        head["full"] = any(int(shard._head[0]["full"]) for shard in self.shards)
