"""The root of a search with real-valued actions: what its trees know of each action that was tried, and the line they found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from playout.continuous import action_words, box
from playout.game import Game, State
from playout.search.decision import ActionRecord
from playout.search.line import Course, Line
from playout.search.settings import Settings
from playout.search.tree import SearchTree, calm
from playout.stream import Stream

TRUSTED = 0.3
"""An action is chosen by its value among those with at least this part of the most visits: the value of a young one means little,
since those who answer to it have not found their answers yet."""

EQUAL = 1e-6
"""Near a maximum values hardly differ; within this part of the range of values they count as equal."""

Array = np.ndarray[Any, Any]


class RealRoot:
    """Columns over the actions tried at the root, tree after tree, in the order they were added."""

    def __init__(self, game: Game, settings: Settings, trees: Sequence[SearchTree]) -> None:
        self.game, self.settings, self.trees = game, settings, trees
        self.mover = trees[0].root.mover

    def edges(self) -> list[tuple[SearchTree, int]]:
        """The tree and slot of every action that was tried."""
        return [(tree, slot) for tree in self.trees for slot in tree.edges(0) if tree.tree.nodes[slot]["visits"]]

    def counts(self) -> tuple[Array, Array]:
        """(visits, score of the mover) per action."""
        nodes = [tree.tree.nodes[slot] for tree, slot in self.edges()]
        visits = np.array([int(node["visits"]) for node in nodes], np.int64)
        return visits, np.array([float(node["score"][self.mover]) for node in nodes])

    def records(self) -> tuple[ActionRecord, ...]:
        """One record per action. The value is that of the line below it, so it has no standard error."""
        edges = self.edges()
        visits, scores = self.counts()
        means = scores / visits
        low, span = float(means.min()), float(np.ptp(means)) or 1.0
        parents = {id(tree): int(tree.tree.nodes[0]["visits"]) for tree in self.trees}
        found = []
        for (tree, slot), n, score, mean in zip(edges, visits.tolist(), scores.tolist(), means.tolist(), strict=True):
            node = tree.tree.nodes[slot]
            action = tree.action_of(slot)
            exploit = (mean - low) / span
            explore = calm(self.settings.c) * math.sqrt(math.log(max(1, parents[id(tree)])) / n)
            found.append(
                ActionRecord(
                    action=action,
                    name=action_words(action),
                    visits=n,
                    score=score,
                    mean=mean,
                    means=tuple(float(s) / n for s in node["score"]),
                    exploit=exploit,
                    explore=explore,
                    weight=exploit + explore,
                )
            )
        return tuple(found)

    def choice(self) -> int:
        """Which of the records is chosen."""
        visits, scores = self.counts()
        return trusted(visits, scores / visits)


def trusted(visits: Array, values: Array) -> int:
    """The highest value among the actions visited often enough; of values as good as equal the most visited."""
    enough = visits >= TRUSTED * visits.max()
    best = values[enough].max()
    equal = enough & (values >= best - EQUAL * (best - values.min()))
    return int(np.argmax(np.where(equal, visits, -1)))


def follow_real(state: State, root: RealRoot, choice: int, seed: int) -> Line:
    """From the chosen action on, through the tree that tried it, to the end of the game or the first stage of chance."""
    course = Course(State(state.game, state.copy_array(), Stream(seed, tree=1 << 32).word))
    tree, slot = root.edges()[choice]
    while True:
        course.play(_known_action(course.states[-1], tree, slot))
        state, edges = course.states[-1], tree.edges(slot)
        if state.over or not edges:
            return course.done(from_tree=len(course.actions))
        nodes = tree.tree.nodes[np.asarray(edges)]
        visits, mover = np.maximum(nodes["visits"], 1), state.mover
        slot = edges[trusted(nodes["visits"], nodes["score"][:, mover] / visits)]


def _known_action(state: State, tree: SearchTree, slot: int) -> tuple[float, ...]:
    """The action of a slot. Where moved actions keep their subtrees, its box may have moved since it was last visited."""
    action = tree.tree.moves[slot]
    if tree.settings.moved == "decayed" and state.game.shape is not None and state.game.shape.action_set == "box":
        action = np.clip(action, *box(state))
    return tuple(float(v) for v in action)
