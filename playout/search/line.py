"""Following a decision: the most visited actions as far as the tree reaches, or to the end of the game.

The immediate choice is `Decision.action`. A line is a separate thing: whole states and, when it is finished, returns.
`Line.returns` of an unfinished line raises, so that code which needs returns never gets an unfinished state by accident.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from playout.errors import UnfinishedLine
from playout.game import State
from playout.search import layout
from playout.stream import Stream

if TYPE_CHECKING:
    from playout.search.decision import Decision


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A trajectory: actions with their names, and the states from the searched one on."""

    actions: tuple[int, ...]
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

    @property
    def at_least(self) -> str:
        """How long the game is at least, for messages."""
        return str(len(self.actions)) if self.finished else f"at least {len(self.actions) + 1}"

    def __str__(self) -> str:
        words = list(self.names)
        if self.from_tree < len(words):
            words.insert(self.from_tree, "| playout:")
        tail = f"  (end: {', '.join(f'{v + 0.0:g}' for v in self.returns)})" if self.finished else "  ..."
        return " ".join(words) + tail + (", one course of chance" if self.sampled else "")


def follow(decision: Decision, to_the_end: bool) -> Line:
    """Walk all trees of a decision at once, adding up their visits."""
    state = decision.state
    stream = Stream(decision.seed, tree=1 << 32)
    at: list[tuple[Any, int]] = [(tree, 0) for tree in decision.trees]
    actions: list[int] = []
    names: list[str] = []
    states = [state]
    from_tree, sampled, in_tree = 0, False, True
    choice: int | None = decision.action
    while not state.over:
        if in_tree:
            choice = choice if not actions else _most_visited(at, state.mover)
            in_tree = choice is not None
        if not in_tree:
            if not to_the_end:
                break
            choice = _playout_action(decision, state, stream)
        assert choice is not None
        names.append(state.name(choice))
        actions.append(choice)
        state = State(state.game, state.copy_array(), stream.word).play(choice)
        sampled |= state.word != stream.word
        stream = Stream.at(state.word)
        states.append(state)
        if in_tree:
            from_tree += 1
            at = [(tree, below) for tree, slot in at if (below := _step(tree, slot, choice, state)) is not None]
    return Line(
        actions=tuple(actions),
        names=tuple(names),
        states=tuple(states),
        finished=state.over,
        from_tree=from_tree,
        sampled=sampled,
    )


def _step(tree: Any, position: int, action: int, state: State) -> int | None:
    edge = tree.edge(position, action)
    return None if edge is None else tree.below(edge, state)  # type: ignore[no-any-return]


def _most_visited(at: list[tuple[Any, int]], mover: int) -> int | None:
    """The most visited action over all trees; a proven best comes first, since proof stops the visits."""
    visits: dict[int, int] = {}
    known: dict[int, float] = {}
    for tree, position in at:
        for slot in tree.edges(position):
            node = tree.tree.nodes[slot]
            action = int(node["action"])
            visits[action] = visits.get(action, 0) + int(node["visits"])
            if node["tags"] & layout.PROVEN:
                known[action] = float(tree.tree.values[slot, mover])
        if position and tree.tree.nodes[position]["tags"] & layout.PROVEN and known:
            best = float(tree.tree.values[position, mover])
            for action in sorted(known):
                if known[action] == best:
                    return action
    best_action = max(visits, key=lambda a: (visits[a], -a), default=None)
    return best_action if best_action is not None and visits[best_action] > 0 else None


def _playout_action(decision: Decision, state: State, stream: Stream) -> int:
    legal = state.legal
    if decision.settings.playout == "game" or (decision.settings.playout == "auto" and state.game.has("playout_action")):
        ids = np.array(legal, np.int64)
        return int(state.game.functions["playout_action"](state.fields, ids, len(legal), stream))
    return legal[stream.below(len(legal))]
