"""The root of a search with real-valued actions: what its trees know of each action that was tried, and the line they found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from playout.engine.real.descent import PATIENCE, looks_needed
from playout.engine.rules import ucb1
from playout.game.continuous import BOX, NATURE, action_words, box
from playout.game.game import Game
from playout.game.state import State
from playout.game.stream import LINES, Stream
from playout.planner.actions import ActionRecord
from playout.planner.basins import Basins, basins_of, places_of
from playout.planner.line import Course, Line
from playout.planner.opinion import Opinion, opinion_of
from playout.planner.read import Block
from playout.planner.settings import Settings
from playout.planner.tree import SearchTree

TRUSTED = 0.3
"""An action is chosen by its value among those with at least this part of the most visits: the value of a young one means little,
since those who answer to it have not found their answers yet."""

EQUAL = 1e-6
"""Near a maximum values hardly differ; within this part of the range of values they count as equal."""

SAME_PLACE, SAME_VALUE = 0.05, 0.05
"""Trees agree whose choices are no farther apart than this part of the box, and than this part of what the actions' values span."""

Array = np.ndarray[Any, Any]


class RealRoot:
    """Columns over the actions tried at the root, tree after tree, in the order they were added."""

    def __init__(self, game: Game, settings: Settings, trees: Sequence[SearchTree]) -> None:
        self.game, self.settings, self.trees = game, settings, trees
        self.mover = trees[0].root.mover

    @property
    def chosen_from(self) -> Sequence[SearchTree]:
        """The trees whose actions are in the table: where the others are witnesses, with a small part of the budget, the main one."""
        return self.trees[:1] if self.settings.trees == "auto" else self.trees

    def counts(self) -> tuple[Array, Array]:
        """(visits, score of the mover) per action."""
        tried = [block for _, block in self._tried()]
        return (
            np.concatenate([block.visits for block in tried]).astype(np.int64),
            np.concatenate([block.scores[:, self.mover] for block in tried]),
        )

    def decide(self) -> tuple[tuple[ActionRecord, ...], int, SearchTree, int]:
        """One record per action, which of them is chosen, the tree that tried it, and its slot there."""
        choice, tree, slot = self.choose()
        visits, scores = self.counts()
        values = scores / visits
        low, span = float(values.min()), float(np.ptp(values)) or 1.0
        records = tuple(record for part in self._tried() for record in self._records(*part, low, span))
        return records, choice, tree, slot

    def choose(self) -> tuple[int, SearchTree, int]:
        """Which of the tried actions is chosen, the tree that tried it, and its slot there."""
        visits, scores = self.counts()
        choice = trusted(visits, scores / visits, enough_at(self.game, self.settings, self.trees[0].root))
        tree, slot = [(tree, int(slot)) for tree, block in self._tried() for slot in block.slots][choice]
        return choice, tree, slot

    def opinion(self, choice: int) -> Opinion | None:
        """What every tree would choose by itself. One agrees that chooses about the same action and expects about the same of it."""
        trees = [tree for tree in self.trees if tree.visits]
        if len(trees) < 2:
            return None
        visits, scores = self.counts()
        actions, span = np.concatenate([block.actions for _, block in self._tried()]), float(np.ptp(scores / visits))
        picks = [(actions[choice], float(scores[choice] / visits[choice]))]
        for tree in trees:
            _, its, slot = RealRoot(self.game, self.settings, [tree]).choose()
            picks.append((np.array(its.action_of(slot)), float(its.scores_of(slot)[self.mover] / its.visits_of(slot))))
        places = places_of(trees[0].root, np.array([action for action, _ in picks]))
        values = np.array([value for _, value in picks])
        alike = (np.square(places[:, None] - places[None]).sum(axis=2) <= SAME_PLACE**2) & (
            np.abs(values[:, None] - values[None]) <= SAME_VALUE * span
        )
        # Each goes with the first that is like it, the decision's own choice before all.
        firsts = [int(np.argmax(alike[i])) for i in range(len(picks))]
        names = [_group_name(picks, firsts, i) for i in firsts]
        agree = names.count(names[0]) - 1
        return opinion_of(names[1:], [tree.visits for tree in trees], names[0], agree / len(trees), values[1:].tolist())

    def basins(self, choice: int) -> Basins | None:
        """The basins that the tried actions show, seen from the chosen one; None with chance, where a dip may be luck."""
        if NATURE in self.game.movers:
            return None
        visits, scores = self.counts()
        actions = np.concatenate([block.actions for _, block in self._tried()])
        root, left, last = self.trees[0].root, self.game.stages - int(self.trees[0].root.fields.stage), self.settings.last
        starts = [
            tree.starts if left > 1 or last == "sample" else min(tree.visits, tree.simulations) for tree in self.chosen_from
        ]
        known = 1 if left == 1 or last == "solve" else looks_needed(self.game.dimension)
        enough = known if left == 1 or (left == 2 and last != "sample") else PATIENCE
        found = basins_of(root, actions, scores / visits, visits, choice, sum(starts), enough)
        return msgspec.structs.replace(found, competing=left == 1 and last == "everywhere")

    def _tried(self) -> list[tuple[SearchTree, Block]]:
        """Of every tree that is chosen from: the actions that were tried."""
        blocks = [(tree, tree.block()) for tree in self.chosen_from]
        return [(tree, block.take(block.visits > 0)) for tree, block in blocks]

    def _records(self, tree: SearchTree, block: Block, low: float, span: float) -> Iterator[ActionRecord]:
        """What one tree knows. The value of an action is that of the line below it, so it has no standard error."""
        means = block.scores / block.visits[:, None]
        exploits = (means[:, self.mover] - low) / span
        c, parent = float(self.settings.c), max(1, tree.visits)
        log_parent, visited = math.log(parent), block.visits.tolist()
        explores = np.array([ucb1(c, parent, log_parent, visits, 0.0, 1.0, 0.0) for visits in visited])
        columns = (block.visits, block.scores[:, self.mover], means, exploits, explores, block.actions)
        for visits, score, each, exploit, explore, action in zip(*(column.tolist() for column in columns), strict=True):
            yield ActionRecord(
                action=tuple(action),
                name=action_words(action),
                visits=visits,
                score=score,
                mean=each[self.mover],
                means=tuple(each),
                exploit=exploit,
                explore=explore,
                weight=exploit + explore,
            )


def _group_name(picks: Sequence[tuple[Array, float]], firsts: Sequence[int], i: int) -> str:
    """What a group of choices is called: its first action, and what that is worth where another group's action reads the same."""
    name = action_words(picks[i][0].tolist())
    same = any(action_words(picks[k][0].tolist()) == name for k in set(firsts) if k < i)
    return f"{name} (worth {picks[i][1]:.4g})" if same else name


def enough_at(game: Game, settings: Settings, state: State) -> float:
    """The visits that make the value of an action trusted, however often others were visited.

    That of a last action is exact at once. Where last actions are solved, so is that of an action before them, once its answers were
    looked at as often as the best must be.
    """
    left = game.stages - int(state.fields.stage)
    if NATURE in game.movers or left > 2 or settings.last != "everywhere" or game.action_set != BOX:
        return math.inf
    return 1 if left == 1 else looks_needed(game.dimension)


def trusted(visits: Array, values: Array, enough_visits: float = math.inf) -> int:
    """The highest value among the actions visited often enough; of values as good as equal the most visited."""
    enough = visits >= min(TRUSTED * visits.max(), enough_visits)
    best = values[enough].max()
    equal = enough & (values >= best - EQUAL * (best - values.min()))
    return int(np.argmax(np.where(equal, visits, -1)))


def follow_real(state: State, tree: SearchTree, slot: int, seed: int) -> Line:
    """From the action of a slot on, through the tree that tried it, to the end of the game or the first stage of chance."""
    course = Course(State(state.game, state.copy_array(), Stream(seed, LINES).word))
    while True:
        action = _known_action(course.states[-1], tree, slot)
        course.go_on(action, course.states[-1].after(action))
        state, edges = course.states[-1], tree.edges(slot)
        if state.over or not edges:
            return course.done(from_tree=len(course.actions))
        block = tree.block(slot)
        values = block.scores[:, state.mover] / np.maximum(block.visits, 1)
        slot = edges[trusted(block.visits, values, enough_at(state.game, tree.settings, state))]


def _known_action(state: State, tree: SearchTree, slot: int) -> tuple[float, ...]:
    """The action of a slot. Where moved actions keep their subtrees, its box may have moved since it was last visited."""
    action = tree.action_of(slot)
    if tree.settings.moved == "decayed" and state.game.shape is not None and state.game.shape.action_set == "box":
        action = np.clip(action, *box(state))
    return tuple(float(v) for v in action)
