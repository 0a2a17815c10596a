"""The root of a search as columns: what all its trees know of each action, added up."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from playout.engine.rules import rule_named
from playout.errors import GameError
from playout.game.game import Game
from playout.planner.actions import ActionRecord, interval, weigh
from playout.planner.choices import KNOWN
from playout.planner.opinion import reach, spread
from playout.planner.read import Block
from playout.planner.settings import Settings
from playout.planner.tree import SearchTree

Array = np.ndarray[Any, Any]


def other_actions(game: Game) -> GameError:
    """What to say of a world in which the mover has other actions than in the state that it was drawn from."""
    return GameError(
        f"game {game.name!r}: in a world drawn by determinize the mover has other legal actions than in the state that it sees; "
        "determinize must keep all that the mover knows: run playout check on the game"
    )


class Sums(NamedTuple):
    """What trees know of the actions of a root, added up: columns over the actions, and numbers of the root."""

    visits: Array
    squares: Array
    scores: Array
    """One column per player."""
    priors: Array
    refuted: Array
    dropped: Array
    """In how many trees an action fell out of the race."""
    proven: dict[int, tuple[float, ...]]
    parent: int
    """Visits of the root."""
    earned: float
    """What they brought the mover."""
    bounds: tuple[float, float]
    errors: Array
    trees: int


class Root:
    """Columns over the legal actions of the root, in order of their ids."""

    def __init__(self, game: Game, settings: Settings, trees: list[SearchTree], names: tuple[str, ...] = ()) -> None:
        self.game, self.settings, self.trees = game, settings, trees
        self.state = trees[0].root
        self.mover = self.state.mover
        self.actions = np.array(sorted(self.state.legal), np.int64)
        self._names = names

    @property
    def names(self) -> tuple[str, ...]:
        if not self._names:
            # In the mover's eyes: the state may be the true one, and its decision is shown to the mover.
            viewer = self.mover if self.game.has("observe") else None
            self._names = tuple(self.state.name(int(action), viewer) for action in self.actions)
        return self._names

    @property
    def main(self) -> bool:
        """Whether the first tree is the main one, and the others witnesses."""
        return self.settings.trees == "auto" and len(self.trees) > 1

    def blocks(self) -> list[Block]:
        """What each tree that has tried anything knows, in order of the actions."""
        found = []
        for tree in self.trees:
            block = tree.block()
            if len(block.slots):
                if len(block.slots) < len(self.actions) and self.settings.decisive != "off":
                    # The tree was kept from the move before, and below a root decisive moves leave actions out.
                    block = block.among(self.actions)
                if len(block.slots) != len(self.actions):
                    raise other_actions(self.game)
                found.append(block.take(np.argsort(block.actions, kind="stable")))
        return found

    @property
    def known(self) -> bool:
        """Whether any action is proven, ruled out or fell out of a race: then visits alone do not tell which is best."""
        return any(bool((block.tags & KNOWN).any()) for block in self.blocks())

    def counts(self) -> tuple[Array, Array]:
        """(visits, score of the mover) per action."""
        visits, score = np.zeros(len(self.actions), np.int64), np.zeros(len(self.actions))
        for block in self.blocks():
            visits += block.visits
            score += block.scores[:, self.mover]
        return visits, score

    def bounds(self) -> tuple[float, float]:
        """The lowest and highest return of the mover seen in any tree: the running range."""
        ranges = [tree.range_of(self.mover) for tree in self.trees]
        low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
        return (low, high) if low <= high else (0.0, 0.0)

    def sums(self) -> Sums:
        """What all trees together know of each action."""
        blocks, size = self.blocks(), len(self.actions)
        visits, squares = np.zeros(size, np.int64), np.zeros(size)
        scores, priors = np.zeros((size, self.game.players)), np.zeros(size)
        refuted, dropped = np.zeros(size, bool), np.zeros(size, np.int64)
        proven: dict[int, tuple[float, ...]] = {}
        for block in blocks:
            visits += block.visits
            squares += 0.0 if block.squares is None else block.squares
            scores += block.scores
            refuted |= block.refuted
            # Several trees have a race each: what is left in most of them is left. A main tree decides by its own.
            dropped += block.dropped * (block is blocks[0] or not self.main)
            if block.priors is not None:
                priors += block.priors / len(blocks)
            for index in np.flatnonzero(block.proven):
                assert block.values is not None
                proven.setdefault(int(index), tuple(float(v) for v in block.values[index]))
        parent = sum(tree.visits for tree in self.trees)
        earned = sum(float(tree.scores_of(0)[self.mover]) for tree in self.trees)
        errors = self._errors(blocks)
        return Sums(
            visits, squares, scores, priors, refuted, dropped, proven, parent, earned, self.bounds(), errors, len(self.trees)
        )

    def records(self) -> tuple[ActionRecord, ...]:
        """One record per action with every number that explains it."""
        sums, shown = self.sums(), rule_named(self.settings.at_root).priors or self.settings.bias is not None
        return tuple(
            self._record(
                index,
                int(sums.visits[index]),
                [float(s) for s in sums.scores[index]],
                float(sums.squares[index]),
                float(sums.priors[index]) if shown else None,
                sums.proven.get(index),
                bool(sums.refuted[index]),
                bool(sums.dropped[index] > sums.dropped.min()),
                float(sums.errors[index]),
                sums=sums,
            )
            for index in range(len(self.actions))
        )

    def _record(
        self,
        index: int,
        visits: int,
        scores: list[float],
        squares: float,
        prior: float | None,
        proven: tuple[float, ...] | None,
        refuted: bool,
        dropped: bool,
        apart: float,
        *,
        sums: Sums,
    ) -> ActionRecord:
        mover, (low, high), parent = self.mover, sums.bounds, sums.parent
        ranged = self.settings.scale == "range" and high > low
        mean = scores[mover] / visits if visits else None
        exploit, explore = weigh(
            self.settings,
            parent,
            visits,
            proven[mover] if proven is not None else mean,
            factor=1.0 / (high - low) if ranged else 1.0,
            shift=-low / (high - low) if ranged else 0.0,
            span=1.0 if self.settings.scale == "range" or high <= low else high - low,
            variance=max(0.0, squares / visits - (mean or 0.0) ** 2) if visits else 0.0,
            prior=prior or 0.0,
            parent_mean=sums.earned / max(1, parent),
            proven=proven is not None,
        )
        reached = reach(sums.trees, self.main) if apart else 0.0
        error, lower, upper = (
            self._interval(visits, scores[mover], squares, apart, reached, low, high) if visits else (None, None, None)
        )
        return ActionRecord(
            action=int(self.actions[index]),
            name=self.names[index],
            visits=visits,
            score=scores[mover],
            mean=mean,
            means=tuple(s / visits for s in scores) if visits else (),
            error=error,
            low=lower,
            high=upper,
            exploit=exploit,
            explore=explore,
            weight=None if exploit is None or explore is None else exploit + explore,
            prior=prior,
            proven=proven,
            refuted=refuted,
            dropped=dropped,
        )

    def _errors(self, blocks: list[Block]) -> Array:
        """How far the trees are apart about each action, as a standard error of the mean; 0 where they do not tell."""
        if len(blocks) < 2:
            return np.zeros(len(self.actions))
        visits = np.array([block.visits for block in blocks], float)
        return spread(visits, np.array([block.scores[:, self.mover] for block in blocks]), self.main)

    def _interval(
        self, visits: int, score: float, squares: float, apart: float, reached: float, low: float, high: float
    ) -> tuple[float, float, float]:
        """By the spread between the trees, though never less than if all simulations were independent."""
        error, lower, upper = interval(visits, score, squares, low, high)
        mean, wide = score / visits, apart * reached
        return max(error, apart), max(low, min(lower, mean - wide)), min(high, max(upper, mean + wide))
