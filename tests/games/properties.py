"""What every bundled game keeps, whatever is played: used by the tests of each game with choices from hypothesis."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from hypothesis import strategies as st

from playout import Game, State

choices = st.lists(st.integers(0, 10_000), max_size=60)
"""A random line of play: the i-th number picks among the legal actions of move i."""


def check_state(state: State) -> None:
    """One state shows itself without being changed by it, and its numbers are where they were declared to be."""
    game, before = state.game, bytes(state)
    legal = state.legal
    assert len(set(legal)) == len(legal) <= game.most_legal
    assert all(0 <= action < game.actions for action in legal)
    names = [state.name(action) for action in legal]
    assert len(set(names)) == len(names)
    assert [state.find(name) for name in names] == list(legal)
    assert game.returns_range is not None
    low, high = game.returns_range
    assert all(low <= value <= high for value in state.returns)
    for viewer in (None, *range(game.players)):
        text, picture = state.draw(viewer), state.svg(viewer)
        assert text.strip() and picture is not None
        assert ElementTree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"
    assert -(1 << 63) <= game.functions["key"](state.fields) < 1 << 63
    assert bytes(state) == before


def walk(game: Game, numbers: list[int], seed: int = 0) -> list[State]:
    """The states of a line of play, the start first; it ends with the game or with the numbers."""
    states = [game.start(seed)]
    for number in numbers:
        legal = states[-1].legal
        if not legal:
            break
        states.append(states[-1].play(states[-1].name(legal[number % len(legal)])))
    return states


def key_of(state: State) -> int:
    """The key of a state, as a plain number."""
    return int(state.game.functions["key"](state.fields))
