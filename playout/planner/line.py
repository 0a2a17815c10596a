"""The principal variation, following a decision: the most visited actions as far as the tree reaches, or to the end of the game.

The immediate choice is `Decision.action`. A line is a separate thing: whole states and, when it is finished, returns.
`Line.returns` of an unfinished line raises, so that code which needs returns never gets an unfinished state by accident.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from playout.engine import layout
from playout.errors import UnfinishedLine
from playout.game.state import State
from playout.game.stream import COMPLETIONS, LINES, Stream

LONGEST_COMPLETION = 100_000


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A trajectory: actions with their names, and the states from the searched one on."""

    actions: tuple[Any, ...]
    """Ids, or the vectors of a continuous game."""
    names: tuple[str, ...]
    states: tuple[State, ...]
    finished: bool
    """Whether the last state is the end of the game."""
    from_tree: int
    """How many of the actions come from the tree; the rest, if any, are playout actions."""
    sampled: bool
    """Whether chance was drawn on the way (with the search's seed): then this is one possible course of many."""

    @property
    def returns(self) -> tuple[float, ...]:
        """One number per player at the end of the line."""
        if not self.finished:
            raise UnfinishedLine(
                f"the line stops after {len(self.actions)} actions, before the game ends, so it has no returns: "
                "ask for line(until='end', complete=True) or raise the budget"
            )
        return self.states[-1].returns

    def to_dict(self) -> dict[str, Any]:
        """As plain data: actions, names, finished, and the returns of a finished line."""
        return {
            "actions": self.actions,
            "names": self.names,
            "finished": self.finished,
            "returns": self.returns if self.finished else None,
            "from_tree": self.from_tree,
            "sampled": self.sampled,
        }

    def __str__(self) -> str:
        words = list(self.names)
        if self.from_tree < len(words):
            words.insert(self.from_tree, "| playout:")
        tail = f"  (end: {', '.join(f'{v + 0.0:g}' for v in self.returns)})" if self.finished else "  ..."
        return " ".join(words) + tail + (", one course of chance" if self.sampled else "")


def follow(state: State, trees: Sequence[Any], action: int, seed: int) -> Line:
    """From the chosen action on, through all trees at once, adding up their visits, as far as they reach."""
    stream = Stream(seed, LINES)
    if trees and trees[0].settings.hidden in ("ismcts", "mo-ismcts", "pimc"):
        state = state.world(state.mover, stream)  # one world of many: the true one would show what is hidden
    else:
        state = State(state.game, state.copy_array(), stream.word)
    at: list[tuple[Any, int]] = [(tree, 0) for tree in trees]
    line, seen = Course(state), set()
    choice: int | None = action
    while choice is not None:
        line.play(choice)
        state = line.states[-1]
        at = [(tree, below) for tree, slot in at if (below := _step(tree, slot, choice, state)) is not None]
        # Where positions are shared, a game that can repeat itself would lead round in a circle.
        places = tuple((id(tree), slot) for tree, slot in at)
        if state.over or places in seen:
            break
        seen.add(places)
        choice = _most_visited(at, state)
    return line.done(from_tree=len(line.actions))


def complete(line: Line, own_playout: bool) -> Line:
    """The same line carried on to the end of the game with playout actions."""
    if line.finished:
        return line
    course = Course(line.states[-1])
    while not course.states[-1].over:
        if len(course.actions) == LONGEST_COMPLETION:
            raise UnfinishedLine(f"playout actions did not reach the end of the game within {LONGEST_COMPLETION:,} actions")
        course.play(_playout_action(course, own_playout))
    rest = course.done(from_tree=0)
    return Line(
        actions=line.actions + rest.actions,
        names=line.names + rest.names,
        states=line.states + rest.states[1:],
        finished=True,
        from_tree=line.from_tree,
        sampled=line.sampled or rest.sampled,
    )


class Course:
    """A line being played; each state carries the stream that chance after it is drawn from."""

    def __init__(self, state: State) -> None:
        self.states = [state]
        self.actions: list[Any] = []
        self.names: list[str] = []
        self.sampled = False

    def play(self, action: Any) -> None:
        self.go_on(action, self.states[-1].play(action))

    def go_on(self, action: Any, after: State) -> None:
        """An action whose state is known."""
        state = self.states[-1]
        # By name as its mover sees it, who may be shown this; in a game that hides something other names tell of one world of many.
        first = self.states[0]
        own = first.game.has("observe") and state.mover == first.mover
        self.names.append(state.name(action, state.mover if own else None))
        self.actions.append(action)
        self.states.append(after)
        self.sampled |= after.word != state.word

    def done(self, from_tree: int) -> Line:
        return Line(
            actions=tuple(self.actions),
            names=tuple(self.names),
            states=tuple(self.states),
            finished=self.states[-1].over,
            from_tree=from_tree,
            sampled=self.sampled,
        )


def _step(tree: Any, position: int, action: int, state: State) -> int | None:
    edge = tree.edge(position, action)
    return None if edge is None else tree.below(edge, state, position)  # type: ignore[no-any-return]


def _most_visited(at: list[tuple[Any, int]], state: State) -> int | None:
    """The most visited action over all trees; a proven best comes first, since proof stops the visits."""
    mover = state.mover
    # Where cards are hidden, or outcomes share a position, the tree knows actions of other states than this one.
    legal = set(state.legal) if state.game.hidden or any(tree.settings.by_sight for tree, _ in at) else None
    visits: dict[int, int] = {}
    known: dict[int, float] = {}
    for tree, position in at:
        for slot in tree.edges(position):
            action = tree.action_of(slot)
            if legal is not None and action not in legal:
                continue
            visits[action] = visits.get(action, 0) + tree.visits_of(slot)
            if tree.tagged(slot, layout.PROVEN):
                known[action] = tree.value_of(slot, mover)
        if position and tree.tagged(position, layout.PROVEN) and known:
            best = tree.value_of(position, mover)
            for action in sorted(known):
                if known[action] == best:
                    return action
    best_action = max(visits, key=lambda a: (visits[a], -a), default=None)
    return best_action if best_action is not None and visits[best_action] > 0 else None


def _playout_action(course: Course, own: bool) -> Any:
    state = course.states[-1]
    # A stream of its own, so that choosing an action does not count as chance of the game.
    stream = Stream(state.word & ((1 << 63) - 1), COMPLETIONS + len(course.actions))
    if state.game.continuous:
        return state.random(stream)
    legal = state.legal
    if own:
        return int(state.game.functions["playout_action"](state.fields, np.array(legal, np.int64), len(legal), stream))
    return legal[stream.below(len(legal))]
