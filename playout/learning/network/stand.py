"""The trees of games that are played side by side, by the places of those: one by one, or in rows of common arrays.

Both grow the same trees. In rows all that happens to them is one call for many; where a tree is kept from move to move, where noise is
put on its root, where something is hidden, and uncompiled, each is an object of its own.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from playout.engine import layout
from playout.game.stream import SELF_PLAY_LOTS, seed_word
from playout.learning.network.resident import resident
from playout.learning.network.searching import Lessons, Together
from playout.learning.network.settings import NetworkSettings
from playout.planner.abreast import Abreast
from playout.planner.waiting import WaitingTree

Array = np.ndarray[Any, Any]
CONCENTRATION = 10.0
"""Of the Dirichlet noise, over the number of actions (Silver et al. 2018: about 10 for every game)."""


class Stand(Protocol):
    """What self-play asks of its trees."""

    def prepare(self) -> None:
        """Have all at hand, so that no clock counts what is compiled."""

    def begin(self, places: Array, movers: Array, seeds: Array, numbers: Array, games: Array) -> None:
        """Searches of the games in some places, in trees with these streams unless there are some that were kept."""

    def round(self, places: Array) -> None:
        """One leaf of every tree, all evaluated together."""

    def ended(self, places: Array) -> Array:
        """Which searches have ended."""

    def lessons(self, places: Array) -> Lessons:
        """What they found."""

    def played(self, places: Array, actions: Array) -> None:
        """The games have moved on."""

    def fell(self, places: Array) -> None:
        """These trees are not needed any more."""


class InRows:
    """Trees in rows of common arrays, each planted anew for every search."""

    def __init__(self, together: Together, games: Abreast) -> None:
        self.together, self.games = together, games
        assert together.orchard is not None
        self.orchard = together.orchard
        self._movers = np.zeros(len(games), np.int64)

    def prepare(self) -> None:
        self.together.plant(self.games.game.start(), 0, 0).prepare()

    def begin(self, places: Array, movers: Array, seeds: Array, numbers: Array, games: Array) -> None:
        self._movers[places] = movers
        self.orchard.plant(places, self.games.states[places], movers, seeds, numbers, self.together.simulations)

    def round(self, places: Array) -> None:
        self.together.round_of(places)

    def ended(self, places: Array) -> Array:
        simulations, proven = self.orchard.progress_of(places)
        found: Array = (simulations >= self.together.simulations) | proven
        return found

    def lessons(self, places: Array) -> Lessons:
        movers, head = self._movers[places], self.orchard.forest.head
        ranges = np.stack([head[name][places, 0, movers] for name in ("low", "high")], axis=1)
        return self.together.learned(*self.orchard.edges(places), movers, ranges)

    def played(self, places: Array, actions: Array) -> None:
        pass

    def fell(self, places: Array) -> None:
        pass


class OneByOne:
    """A tree for every place that has one."""

    def __init__(self, together: Together, games: Abreast, settings: NetworkSettings, seed: int) -> None:
        self.together, self.games, self.settings, self.seed = together, games, settings, seed
        self.trees: list[WaitingTree | None] = [None] * len(games)

    def prepare(self) -> None:
        self.together.plant(self.games.game.start(), 0, 0).prepare()

    def begin(self, places: Array, movers: Array, seeds: Array, numbers: Array, games: Array) -> None:
        for place, seed, number, game in zip(places.tolist(), seeds.tolist(), numbers.tolist(), games.tolist()):
            tree = self.trees[place]
            if tree is None:
                tree = self.trees[place] = self.together.plant(self.games.state(place), seed, number)
            self.together.begin(tree)
            if self.settings.root == "puct" and self.settings.noise:
                self._season(tree, game, number)

    def _season(self, tree: WaitingTree, game: int, number: int) -> None:
        """Noise on the priors of the root, which is expanded first."""
        if not len(tree.edges(0)):
            self.together.round([tree])
        count = len(tree.edges(0))
        lots = np.random.default_rng([seed_word(self.seed, SELF_PLAY_LOTS, game), number])
        tree.season(lots.dirichlet(np.full(count, CONCENTRATION / max(1, count))), self.settings.noise)

    def _of(self, places: Array) -> list[WaitingTree]:
        return [tree for tree in (self.trees[place] for place in places.tolist()) if tree is not None]

    def round(self, places: Array) -> None:
        self.together.round(self._of(places))

    def ended(self, places: Array) -> Array:
        found = np.zeros(len(places), bool)
        found[self.together.ended(self._of(places))] = True
        return found

    def lessons(self, places: Array) -> Lessons:
        trees = self._of(places)
        for tree in trees:
            self.together.forget(tree)
            tree.unseason()
        return self.together.lessons(trees)

    def played(self, places: Array, actions: Array) -> None:
        for place, action in zip(places.tolist(), actions.tolist()):
            tree = self.trees[place]
            if tree is not None and not (self.settings.keep and self._kept(tree, action, place)):
                self.fell(np.array([place]))

    def _kept(self, tree: WaitingTree, action: int, place: int) -> bool:
        """Move a tree along an action, where it can be: with hidden information the next one to decide sees other things."""
        after = self.games.state(place)
        return not after.over and tree.settings.hidden not in layout.SAMPLING and tree.move_root(action, after)

    def fell(self, places: Array) -> None:
        for place in places.tolist():
            tree = self.trees[place]
            if tree is not None:
                self.together.fell(tree)
            self.trees[place] = None


def stand_of(together: Together, games: Abreast, settings: NetworkSettings, seed: int) -> tuple[Stand, str]:
    """Trees as they suit the settings; where they are, if there is anything to say of that."""
    alike = not settings.keep and (settings.root == "gumbel" or not settings.noise)
    there, note = resident(together, games) if alike else (None, "")
    if there is not None:
        return there, note
    if alike and together.orchard is not None:
        return InRows(together, games), note
    return OneByOne(together, games, settings, seed), note
